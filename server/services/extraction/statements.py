"""Statements: what a clause says of its subject beyond edges and literals, as facts in the text's own words."""

from __future__ import annotations

import re

from spacy.tokens import Token

from server.services.extraction import predicates, vocabulary
from server.services.extraction.clauses import Complement
from server.services.extraction.draft import Draft
from server.services.extraction.employment import is_role
from server.services.extraction.kinds import Trust
from server.services.extraction.literals import count_in, money_in
from server.services.extraction.money import Money
from server.services.extraction.periods import periods
from server.services.extraction.protocol import ValueType
from server.services.extraction.sentence import Scene
from server.services.extraction.syntax import is_denied
from server.services.extraction.wording import is_free, item, predicate_text

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
_RELEASED = vocabulary.CLASSES["work"] | vocabulary.wordset(
    "single documentary game musical drama comedy sitcom ep soundtrack miniseries"
)
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
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


def definitions(scene: Scene, draft: Draft) -> None:
    """ "X is a Y" says what X is: a fact, and often its type."""
    if scene.clause.lemma != "be" or scene.clause.verb.i in scene.used:
        return
    for complement in scene.clause.complements:
        noun = complement.token
        if (
            complement.preposition
            or _is_second(noun)
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
        content = predicate_text(scene, lambda one: True)
        draft.state(scene.subject, content, "definition", "IS_A", importance=0.7, when=scene.when)
        _release(scene, draft, noun)


def _is_second(noun: Token) -> bool:
    """Tell whether what follows a comma explains the words before it: "was an officer at Acme, a trading company"."""
    sooner = any(child.dep_ == "attr" and child.i < noun.i for child in noun.head.children)
    return sooner and noun.dep_ == "attr" and noun.left_edge.i > 0 and noun.doc[noun.left_edge.i - 1].text == ","


def _release(scene: Scene, draft: Draft, noun: Token) -> None:
    """ "X is a 1973 film" says when X came out."""
    year = next((child.text for child in noun.children if child.i < noun.i and _YEAR.fullmatch(child.text)), None)
    if year is None or noun.lemma_.lower() not in _RELEASED:
        return
    when = periods(f"in {year}")[0]
    draft.state(
        scene.subject,
        f"released {when.word} {year}",
        "date",
        "RELEASED",
        value=year,
        value_type=ValueType.DATE,
        importance=0.6,
        when=when,
        event=True,
    )


def type_of(noun: Token) -> str | None:
    """Return the type that a noun gives to what it describes: "a novelist", "a web framework"."""
    word = noun.lemma_.lower()
    return "person" if is_role(noun) else vocabulary.TYPE_NOUNS.get(word)


def statements(scene: Scene, draft: Draft) -> None:
    """State what is left of a clause that says something of its subject: an object, a purpose, a place without a name."""
    clause = scene.clause
    if any(child.dep_ == "aux" and child.lower_ == "to" for child in clause.verb.children):
        return
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
    money = money_in(scene)
    if listed and objects:
        contents = [item(scene, one) for one in objects if scene.member(one) is None]
    elif not listed or money is not None:
        contents = [predicate_text(scene, (lambda one: True) if money else (lambda one: is_free(scene, one)))]
    else:
        return
    particle = "of" if clause.lemma == "consist" else ""
    predicate = predicates.relationship_type(
        clause.lemma, clause.verb.lower_, clause.verb.tag_, passive=clause.passive, particle=particle
    )
    if money is not None and category == "feature" and scene.subject.type == "product":
        predicate, category = "COSTS", "pricing"  # "includes A and B for $5 per month"
    for content in contents:
        if len(content.split()) < 2:
            continue
        value, kind = _value(scene, content, money if len(contents) == 1 else None)
        draft.state(
            scene.subject,
            content,
            category,
            predicate,
            value=value,
            value_type=kind,
            importance=_IMPORTANCE.get(category, 0.5),
            when=scene.when,
            event=predicates.is_event(clause.lemma),
        )


def _value(scene: Scene, content: str, money: Money | None) -> tuple[str | None, ValueType]:
    if money is not None:
        return money.value, ValueType.MONEY
    count = count_in(scene, content)
    return (count, ValueType.NUMBER) if count else (None, ValueType.NONE)


def _says_something(scene: Scene, complement: Complement) -> bool:
    token = complement.token
    return (
        token.pos_ in {"NOUN", "PROPN", "NUM", "ADJ"}
        and scene.reading.period(token) is None
        and token.lower_ not in {"way", "thing", "lot", "example", "addition", "fact", "order", "case"}
    )
