"""Statements: what a clause says of its subject beyond edges, as facts in the text's own words, with their literal values."""

from __future__ import annotations

from spacy.tokens import Token

from server.services.extraction import predicates, vocabulary
from server.services.extraction.clauses import Complement, is_denied
from server.services.extraction.draft import Draft
from server.services.extraction.employment import is_role
from server.services.extraction.names import Trust
from server.services.extraction.protocol import ValueType
from server.services.extraction.sentence import Scene

_PRICING = frozenset({"cost", "price", "charge", "sell", "start", "be", "bill"})
_MUTE = frozenset(
    {
        "believe",
        "consider",
        "regard",
        "call",
        "describe",
        "mention",
        "propose",
        "follow",
        "say",
        "tell",
        "think",
        "feel",
        "ask",
        "mean",
        "let",
        "seem",
        "look",
        "see",
        "want",
        "like",
        "go",
        "come",
        "get",
        "know",
        "do",
    }
)
_EXCLUSIVE = frozenset({"person", "organization", "place", "event"})
_IMPORTANCE = {
    "pricing": 0.9,
    "experience": 0.7,
    "education": 0.7,
    "requirement": 0.7,
    "date": 0.6,
    "feature": 0.6,
    "definition": 0.7,
}


def prices(scene: Scene, draft: Draft) -> None:
    """What something costs is a fact with its MONEY value."""
    if scene.clause.lemma not in _PRICING or scene.subject.type == "person":
        return
    amounts = [(token, money) for token in scene.own() if (money := scene.reading.money(token)) is not None]
    if not amounts:
        return
    token, money = amounts[0]
    content = _content(scene, keep=lambda one: one.i not in scene.used)
    draft.state(
        scene.subject,
        content,
        "pricing",
        "COSTS",
        value=money.value,
        value_type=ValueType.MONEY,
        importance=0.9,
        when=scene.when,
    )
    scene.use(token, scene.clause.verb)


def definitions(scene: Scene, draft: Draft) -> None:
    """ "X is a Y" says what X is: a fact, and often its type."""
    if scene.clause.lemma != "be" or scene.clause.verb.i in scene.used:
        return
    for complement in scene.clause.complements:
        noun = complement.token
        if (
            complement.preposition
            or scene.member(complement)
            or noun.i in scene.used
            or noun.pos_ not in {"NOUN", "PROPN"}
        ):
            continue
        if not any(child.dep_ == "det" and child.lower_ in {"a", "an", "the", "one"} for child in noun.children):
            continue
        scene.use(noun, scene.clause.verb)
        if all(child.dep_ == "det" and child.lower_ == "the" for child in noun.children):
            continue  # "the answer" says nothing of its own
        kind = type_of(noun)
        if kind is not None and scene.clause.verb.tag_ in {"VBZ", "VBD"}:
            scene.subject.learn(kind, Trust.STATED if kind in _EXCLUSIVE else Trust.CUE)
        content = _content(scene, keep=lambda one: True)
        draft.state(scene.subject, content, "definition", "IS_A", importance=0.7, when=scene.when)


def type_of(noun: Token) -> str | None:
    """Return the type that a noun gives to what it describes: "a novelist", "a web framework"."""
    word = noun.lemma_.lower()
    return "person" if is_role(noun) else vocabulary.TYPE_NOUNS.get(word)


def dates(scene: Scene, draft: Draft) -> None:
    """An event's date is a fact with its DATE value: born, founded, published, launched."""
    when, lemma = scene.when, scene.clause.lemma
    if (
        when is None
        or not predicates.is_event(lemma)
        or scene.clause.verb.i in scene.used
        or (scene.subject.type == "person" and lemma not in {"bear", "die"})
    ):
        return
    if not (
        scene.clause.passive
        or not any(not one.preposition for one in scene.clause.complements if scene.reading.period(one.token) is None)
    ):
        return
    kept = {token.i for token in scene.own() if scene.reading.period(token) is not None}
    kept |= {scene.reading.doc[index].head.i for index in kept} | {scene.clause.verb.i}
    particle = {child.i for child in scene.clause.verb.children if child.dep_ == "prt"}
    content = _content(scene, keep=lambda one: one.i in kept | particle)
    predicate = predicates.relationship_type(lemma, scene.clause.verb.lower_, scene.clause.verb.tag_, passive=True)
    value_type = ValueType.DATE if when.value else ValueType.NONE
    draft.state(
        scene.subject,
        content,
        "date",
        predicate,
        value=when.value,
        value_type=value_type,
        importance=0.6,
        when=when,
        event=True,
    )
    scene.use(scene.clause.verb)


def statements(scene: Scene, draft: Draft) -> None:
    """State what is left of a clause that says something of its subject: an object, a purpose, a place without a name."""
    clause = scene.clause
    if clause.lemma in _MUTE or clause.verb.i in scene.used or (clause.verb.dep_ == "relcl" and not clause.complements):
        return
    rest = [
        one for one in clause.complements if one.token.i not in scene.used | scene.told and _says_something(scene, one)
    ]
    if any(one.adjective is not None and one.token.i in scene.told for one in clause.complements):
        return
    objects = [one for one in rest if not one.preposition]
    if any(one.token.pos_ == "PRON" and not one.preposition for one in clause.complements):
        return
    if not rest or (clause.lemma == "be" and not rest[0].preposition and clause.verb.dep_ != "ROOT"):
        return
    category = predicates.category(clause.lemma, scene.subject.type)
    listed = any(scene.member(one) is not None for one in clause.complements if not one.preposition) or any(
        is_denied(token) for token in scene.own() if token.dep_ == "conj"
    )
    money = next((one for token in scene.own() if (one := scene.reading.money(token)) is not None), None)
    contents = (
        [_item(scene, one) for one in objects]
        if listed and objects
        else [_content(scene, keep=lambda one: _free(scene, one))]
    )
    if listed and not objects:
        return
    predicate = predicates.relationship_type(clause.lemma, clause.verb.lower_, clause.verb.tag_, passive=clause.passive)
    for content in contents:
        if len(content.split()) < 2:
            continue
        draft.state(
            scene.subject,
            content,
            category,
            predicate,
            value=money.value if money and len(contents) == 1 else None,
            value_type=ValueType.MONEY if money and len(contents) == 1 else ValueType.NONE,
            importance=_IMPORTANCE.get(category, 0.5),
            when=scene.when,
            event=predicates.is_event(clause.lemma),
        )


def _says_something(scene: Scene, complement: Complement) -> bool:
    token = complement.token
    return (
        token.pos_ in {"NOUN", "PROPN", "NUM", "ADJ"}
        and scene.reading.period(token) is None
        and token.lower_ not in {"way", "thing", "lot", "example", "addition", "fact", "order", "case"}
    )


def _free(scene: Scene, token: Token) -> bool:
    """Tell whether a token belongs to nothing that a rule has said already."""
    while token != scene.clause.verb:
        if (
            token.i in scene.used
            or (token.dep_ in {"prep", "agent"} and _is_used_up(scene, token))
            or is_denied_item(token)
        ):
            return False
        token = token.head
    return True


def is_denied_item(token: Token) -> bool:
    """Tell whether the token heads an item that its list takes back."""
    return token.dep_ in {"conj", "appos"} and is_denied(token)


def _is_used_up(scene: Scene, preposition: Token) -> bool:
    objects = [child for child in preposition.children if child.dep_ == "pobj"]
    return bool(objects) and all(child.i in scene.used for child in objects)


def _item(scene: Scene, complement: Complement) -> str:
    """Return the statement about one item of a list."""
    tokens = [one for one in complement.token.subtree if _in_item(one, complement.token) and one.i not in scene.used]
    return " ".join([_verb(scene), scene.reading.text(tokens)])


def _in_item(token: Token, head: Token) -> bool:
    while token != head:
        if token.head == head and token.dep_ in {"conj", "cc", "appos", "punct"}:
            return False
        token = token.head
    return True


def _content(scene: Scene, keep: object) -> str:
    """Return the clause's predicate in the text's words, its verb first."""
    assert callable(keep)
    verb = scene.clause.verb
    after = [token for token in scene.own() if token.i > verb.i and keep(token)]
    while after and after[0].dep_ in {"punct"}:
        after.pop(0)
    return " ".join([_verb(scene), scene.reading.text(after)])


def _verb(scene: Scene) -> str:
    """Return the finite form that stands for the clause's verb: a participle takes its main verb's tense."""
    verb = scene.clause.verb
    if scene.clause.passive:
        return verb.lower_
    if verb.tag_ == "VBG":
        return (
            predicates.past(verb.lemma_) if _main(verb).tag_ in {"VBD", "VBN"} else predicates.third_person(verb.lemma_)
        )
    helpers = [child for child in verb.children if child.dep_ == "aux" and child.i < verb.i]
    return scene.reading.text([*helpers, verb])


def _main(verb: Token) -> Token:
    while verb.tag_ == "VBG" and verb.head != verb:
        verb = verb.head
    return verb
