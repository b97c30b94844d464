"""Relations: a verb between two named entities is an edge, and the better known kinds of edge have rules of their own."""

from __future__ import annotations

from server.services.extraction import predicates, vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.clauses import Complement
from server.services.extraction.draft import Draft
from server.services.extraction.employment import is_role
from server.services.extraction.kinds import Trust
from server.services.extraction.sentence import Scene

_MAKING = vocabulary.wordset(
    "build develop write program code implement work ship design create run deploy maintain engineer architect automate migrate model "
    "train analyze analyse train rewrite prototype"
)
_TOOLS = frozenset({"with", "in", "using", "on"})
_KNOWING = frozenset({"use", "know", "master", "program", "code", "speak", "write", "learn"})
_ABLE = frozenset({"proficient", "experienced", "skilled", "fluent", "expert", "versed", "certified"})
_NO_EDGE = frozenset({"say", "tell", "think", "be", "have", "do", "feel", "look", "seem", "call", "name", "mean"})
_PLACE_VERBS = frozenset({"bear", "live", "reside", "locate", "base", "headquarter", "die", "move", "situate"})
_PARTICIPIAL = frozenset({"follow", "include", "accord", "concern", "regard"})  # prepositions in a verb's clothes
_LIGHT = vocabulary.wordset("give take make spend fall mark put set bring keep hold come go turn play")
_LOOSE = frozenset({"with", "for", "of", "as"})
_COMPANY_VERBS = vocabulary.wordset("sell employ launch offer manufacture acquire hire operate supply ship announce")
_EMPTY = frozenset(
    {"as", "like", "than", "per", "despite", "because", "since", "until", "before", "after", "during", "about", "of"}
)


def types(scene: Scene, _: Draft) -> None:
    """What a subject does tells what it may be, where only the recogniser has guessed: who sells and employs is an organization."""
    lemma, passive = scene.clause.lemma, scene.clause.passive
    founded = (passive and lemma in {"found", "co"}) or (scene.clause.verb.lower_ in {"based", "headquartered"})
    if scene.subject.name.split()[0] in vocabulary.given_names() or scene.subject.trust > Trust.RECOGNISER:
        return
    if founded or (lemma in _COMPANY_VERBS and not passive):
        scene.subject.learn("organization", Trust.CUE)


def skills(scene: Scene, draft: Draft) -> None:
    """A person who builds something with a technology, uses it or is proficient in it HAS_SKILL."""
    if scene.subject.type != "person":
        return
    for complement, member in scene.named():
        if member.type == "technology" and _shows_skill(scene, complement):
            draft.relate(scene.subject, "HAS_SKILL", member)
            scene.use(complement.token)


def _shows_skill(scene: Scene, complement: Complement) -> bool:
    lemma = scene.clause.lemma
    if complement.adjective is not None:
        return complement.adjective.lemma_.lower() in _ABLE
    if complement.preposition:
        return lemma in _MAKING and complement.preposition in _TOOLS
    return lemma in _KNOWING


def edges(scene: Scene, draft: Draft) -> None:
    """Any verb between two named entities makes an edge from the one to the other."""
    clause = scene.clause
    direct = any(not complement.preposition for complement, _ in scene.named())
    for complement, member in list(scene.named()):
        kind = _edge_type(scene, complement)
        if (
            kind is None
            or member is scene.subject
            or (direct and complement.preposition and (complement.noun is not None or complement.preposition in _LOOSE))
        ):
            continue
        _learn(scene, complement, member)
        draft.relate(scene.subject, kind, member, scene.when, event=predicates.is_event(clause.lemma))
        (scene.told if complement.preposition else scene.used).add(complement.token.i)


def _edge_type(scene: Scene, complement: Complement) -> str | None:
    clause, preposition = scene.clause, complement.preposition
    if complement.adjective is not None:
        return predicates.upper_snake(complement.adjective.text, preposition)
    if clause.lemma == "be":
        somewhere = complement.noun is not None and preposition == "in" and scene.subject.type == "person"
        return None if somewhere else _noun_type(complement)
    if clause.lemma in _LIGHT and complement.noun is None and preposition and _has_plain_object(scene):
        return None  # "fell in love with" is no falling
    if clause.lemma in _NO_EDGE or preposition in _EMPTY:
        return None
    if clause.verb.tag_ == "VBG" and clause.lemma in _PARTICIPIAL:
        return None
    if clause.passive and not preposition:
        return None
    return predicates.relationship_type(
        clause.lemma, clause.verb.lower_, clause.verb.tag_, passive=clause.passive, preposition=preposition
    )


def _has_plain_object(scene: Scene) -> bool:
    """Tell whether the verb has an object, or a set phrase in its place, that names nobody."""
    return any(
        scene.member(one) is None and scene.reading.period(one.token) is None for one in scene.clause.complements
    )


def _noun_type(complement: Complement) -> str | None:
    """Return the type that "is the capital of" makes; a bare "is in" says where something is."""
    noun, preposition = complement.noun, complement.preposition
    if noun is None:
        return "LOCATED_IN" if preposition == "in" else None
    if preposition == "of" or (
        preposition in {"for", "to", "from"}
        and noun.lemma_ in {"alternative", "successor", "tool", "library", "framework"}
    ):
        return predicates.upper_snake(noun.lemma_, preposition)
    if preposition == "by":
        return "CREATED_BY"
    return "LOCATED_IN" if preposition == "in" and not is_role(noun) else None


def _learn(scene: Scene, complement: Complement, member: Member) -> None:
    """Take from the grammar what kind of thing an object must be."""
    lemma, preposition = scene.clause.lemma, complement.preposition
    if lemma in {"include", "offer", "add"} and scene.subject.type == "product" and not preposition:
        member.learn("feature", Trust.CUE)
    if lemma in {"sell", "launch", "release"} and not preposition and not scene.clause.passive:
        member.learn("product", Trust.CUE)
    if lemma in _PLACE_VERBS and preposition == "in":
        member.learn("place", Trust.CUE)
