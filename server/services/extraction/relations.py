"""Relations: a verb between two named entities is an edge, and the better known kinds of edge have rules of their own."""

from __future__ import annotations

from spacy.tokens import Token

from server.services.extraction import predicates, vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.clauses import Complement
from server.services.extraction.draft import Draft
from server.services.extraction.employment import FOUNDERS, is_former, is_role
from server.services.extraction.frames import PURPOSES, beside_object_type, mediated_type, verb_type
from server.services.extraction.kinds import Trust
from server.services.extraction.sentence import Scene
from server.services.extraction.syntax import KIN, SUBJECTS, is_name, whole

_MAKING = vocabulary.wordset(
    "build develop write program code implement work ship design create run deploy maintain engineer architect automate migrate model "
    "train analyze analyse train rewrite prototype"
)
_TOOLS = frozenset({"with", "in", "using", "on"})
_KNOWING = frozenset({"use", "know", "master", "program", "code", "speak", "write", "learn"})
_ABLE = frozenset({"proficient", "experienced", "skilled", "fluent", "expert", "versed", "certified"})
_NO_EDGE = vocabulary.wordset(
    "want wish expect plan consider hope await say tell think be have do feel look seem call name mean note remark argue comment explain "
    "observe remember go come make take give put get let"
)
_PLACE_VERBS = frozenset({"bear", "live", "reside", "locate", "base", "headquarter", "die", "move", "situate"})
_PARTICIPIAL = frozenset(
    {"follow", "include", "accord", "concern", "regard", "speak", "judge", "assume"}
)  # prepositions in a verb's clothes
_PROVISIONS = frozenset({"usage", "use", "access", "support", "integration", "compatibility"})
_CHILDREN = frozenset({"child", "son", "daughter", "kid", "twin"})
_DERIVED = frozenset({"base", "adapt", "derive", "set", "locate"})
_LYING = frozenset({"place", "organization", "concept"})
_FILMING = frozenset({"direct", "film", "write"})
_UNFILMED = frozenset({"person", "organization", "place"})
"""What is not directed or written by anybody: in "a series for Acme, directed by Ada" that is the series."""
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
        return (
            lemma in _MAKING and complement.preposition in _TOOLS and (lemma, complement.preposition) != ("work", "on")
        )
    return lemma in _KNOWING


def edges(scene: Scene, draft: Draft) -> None:
    """Any verb between two named entities makes an edge from the one to the other; who did it is the source, passive or not."""
    clause = scene.clause
    for complement, member in list(scene.named()):
        kind = None if member is scene.subject else _edge_type(scene, complement, member)
        if kind is None:
            continue
        _learn(scene, complement, member)
        source, target = scene.subject, member
        if clause.lemma in _FILMING and clause.passive and source.type in _UNFILMED and source.trust > Trust.RECOGNISER:
            continue
        if complement.preposition == "by":
            kind, inverted = predicates.agent_type(clause.lemma, kind, present=_is_present(clause.verb))
            source, target = (member, scene.subject) if inverted else (source, target)
        draft.relate(source, kind, target, scene.when_of(complement), event=predicates.is_event(clause.lemma))
        partial = complement.preposition or complement.token.dep_ == "compound"
        (scene.told if partial else scene.used).add(complement.token.i)


def _is_present(verb: Token) -> bool:
    """Tell whether a passive is in the present: "is owned by"."""
    return any(child.dep_ == "auxpass" and child.tag_ in {"VBZ", "VBP"} for child in verb.children)


def _edge_type(scene: Scene, complement: Complement, member: Member) -> str | None:
    clause, preposition = scene.clause, complement.preposition
    if complement.adjective is not None:
        direct = _hangs_on(complement.token, complement.adjective)
        return predicates.upper_snake(complement.adjective.text, preposition) if direct else None
    if clause.lemma == "be":
        return _being(scene, complement, member)
    if complement.noun is not None:
        return mediated_type(scene, complement, member)
    if complement.token.dep_ == "compound" and not _stands_for(complement.token.head, member):
        return None
    if not preposition and clause.lemma == "have" and _listed_under(complement.token).lemma_.lower() in _CHILDREN:
        return "PARENT_OF" if scene.subject.type in {"person", "concept"} and member.type != "organization" else None
    if _is_stray(scene, complement, member) or (preposition == "by" and _is_derived(scene, complement)):
        return None
    if (
        preposition == "for"
        and complement.token.i + 1 < len(complement.token.doc)
        and complement.token.nbor(1).lower_ == "to"
    ):
        return None  # "arranged for Ada to meet"
    if _begins_clause(complement.token):
        return None
    if preposition == "with" and _is_set_off(complement.token):
        return None  # "Ada left, with Bea in tears"
    if preposition in _EMPTY or (preposition == "by" and clause.verb.tag_ not in {"VBN", "VBD"}):
        return None
    if preposition == "by" and not clause.passive and clause.verb.tag_ != "VBN":
        return None  # "performed in works by"
    if preposition and (thing := _plain_object(scene)) is not None:
        return beside_object_type(scene, complement, thing)
    moves = clause.lemma in {"go", "come"} and preposition in {"to", "from", "into"}
    if not clause.lemma.isalpha():
        return None  # "it's"
    if clause.lemma in _NO_EDGE and not moves and not any(child.dep_ == "prt" for child in clause.verb.children):
        return None
    if clause.verb.tag_ == "VBG" and clause.lemma in _PARTICIPIAL:
        return None
    if clause.passive and not preposition:
        return None
    return verb_type(scene, preposition)


def _stands_for(noun: Token, member: Member) -> bool:
    """Tell whether what is done to a noun is done to the name before it: "styles HTML elements", "includes Okta usage"."""
    if any(child.dep_ == "poss" for child in noun.children):
        return False
    provided = noun.lemma_.lower() in _PROVISIONS and member.type in {"product", "concept", "organization"}
    return member.type in {"technology", "feature"} or provided


def _is_relative(complement: Complement, noun: Token, member: Member) -> bool:
    """Tell whether somebody may be whose son a son is: "the son of Ada of Hesse" is none of Hesse's."""
    token = complement.token
    while token.dep_ in {"conj", "appos"}:
        token = token.head
    own = token.dep_ != "pobj" or not is_name(token.head.head)
    return own and (member.type == "person" or member.trust <= Trust.RECOGNISER)


def _begins_clause(name: Token) -> bool:
    """Tell whether a listed name has a verb of its own that the parser has given nobody: "hit by Acme and Ada left"."""
    after = name.nbor(1) if name.dep_ == "conj" and name.i + 1 < len(name.doc) else None
    own = after is not None and after.tag_ in {"VBD", "VBZ"} and after.dep_ == "conj"
    return own and after is not None and not any(child.dep_ in SUBJECTS for child in after.children)


def _is_set_off(token: Token) -> bool:
    """Tell whether a comma stands before the preposition of a list's first name."""
    while token.dep_ in {"conj", "appos"}:
        token = token.head
    return token.dep_ == "pobj" and token.head.i > 0 and token.head.nbor(-1).text == ","


def _hangs_on(token: Token, head: Token) -> bool:
    """Tell whether the token, or the list that it is in, follows a preposition right on `head`."""
    while token.dep_ in {"conj", "appos"}:
        token = token.head
    return token.head.head == head


def _is_stray(scene: Scene, complement: Complement, member: Member) -> bool:
    """Tell whether a person or place stands in a list of unnamed things, where the parser has but guessed: "scored 41 goals, David Roe"."""
    if member.type not in {"person", "place"}:
        return False
    token = complement.token
    while token.dep_ in {"conj", "appos"} and token.head.pos_ in {"NOUN", "PROPN", "NUM"}:
        unnamed = scene.reading.member(token.head) is None
        if unnamed and (token.dep_ == "conj" or token.head.tag_ == "NNS"):  # "left five sons, Peter"
            return True
        token = token.head
    return False


def _listed_under(token: Token) -> Token:
    """Return the noun that a list of names explains: "two daughters, Lise and Anna"."""
    while token.dep_ in {"conj", "appos"} and token.head.pos_ in {"NOUN", "PROPN"}:
        token = token.head
    return token


def _is_derived(scene: Scene, complement: Complement) -> bool:
    """Tell whether "by" tells who made the source: "based on the novel by"."""
    before = [one for one in scene.clause.complements if one.preposition and one.token.i < complement.token.i]
    return scene.clause.lemma in _DERIVED and any(one.preposition != "by" for one in before)


def _plain_object(scene: Scene) -> Token | None:
    """Return the verb's object, or the set phrase in its place, if any; a date is none."""
    return next(
        (
            one.token
            for one in scene.clause.complements
            if not one.preposition and one.adjective is None and scene.reading.period(one.token) is None
        ),
        None,
    )


def _being(scene: Scene, complement: Complement, member: Member) -> str | None:
    """Return the type that "is the capital of" makes; a bare "is in" says where something is."""
    noun, preposition = complement.noun, complement.preposition
    if noun is None:
        if _plain_object(scene) is not None and (scene.subject.type not in _LYING or member.type != "place"):
            return None
        if any(child.dep_ == "acomp" for child in scene.clause.verb.children) or member.type in {
            "technology",
            "product",
        }:
            return None  # "is new in"
        return {"in": "LOCATED_IN", "from": "IS_FROM"}.get(preposition)
    if not complement.is_own or noun.lower_ == "one":
        return None
    if preposition == "of" and noun.lemma_.lower() in FOUNDERS:
        return "FOUNDED"
    if noun.lemma_.lower() in KIN and not _is_relative(complement, noun, member):
        return None
    former = "former" if is_former(noun) else ""
    if preposition == "of" or (preposition in {"for", "to"} and noun.lemma_.lower() in PURPOSES):
        word = scene.reading.text([noun]) if scene.reading.member(noun) else whole(noun)
        return predicates.upper_snake(former, word, preposition)
    if preposition == "by":
        return None if noun.lemma_.lower() in KIN or is_role(noun) else "CREATED_BY"
    if preposition == "from" and member.type == "place":
        return "IS_FROM"
    lies = preposition == "in" and scene.subject.type in _LYING and member.type in _LYING and not is_role(noun)
    return "LOCATED_IN" if lies else None


_STAFFING = frozenset({"hire", "appoint", "promote", "recruit", "poach"})


def _learn(scene: Scene, complement: Complement, member: Member) -> None:
    """Take from the grammar what kind of thing an object must be."""
    lemma, preposition = scene.clause.lemma, complement.preposition
    if lemma in {"include", "offer", "add"} and scene.subject.type == "product" and not preposition:
        member.learn("feature", Trust.CUE)
    if lemma in {"sell", "launch", "release"} and not preposition and not scene.clause.passive:
        member.learn("product", Trust.CUE)
    if lemma == "have" and _listed_under(complement.token) != complement.token:
        member.learn("person", Trust.CUE)
    if lemma in _PLACE_VERBS and preposition == "in":
        member.learn("place", Trust.CUE)
    if lemma in _STAFFING and not preposition and not scene.clause.passive:
        member.learn("person", Trust.CUE)
