"""Literals: facts that carry a value: what something costs, when it happened, how many it has."""

from __future__ import annotations

import re
from decimal import Decimal

from server.services.extraction import predicates
from server.services.extraction.draft import Draft
from server.services.extraction.money import Money
from server.services.extraction.protocol import ValueType
from server.services.extraction.qualifiers import is_qualified
from server.services.extraction.sentence import Scene
from server.services.extraction.wording import predicate_text

_PRICING = frozenset({"cost", "price", "charge", "sell", "start", "be", "bill"})
_COUNTING = frozenset({"have", "employ", "contain", "cover", "serve", "consist", "comprise", "include", "support"})
_NUMBER = re.compile(
    r"^\w+(?:\sof)?\s(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?:\s(thousand|million|billion|trillion))?\s[a-z]"
)
_OPEN_END = re.compile(r"\b(?:or|and)\s(?:more|less|fewer|so|over|under|up|above|below)\b|\bat\s(?:least|most)\b")
_FIGURE = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_SCALES = {None: 1, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


def money_in(scene: Scene) -> Money | None:
    """Return the first amount of money in the clause."""
    return next((one for token in scene.own() if (one := scene.reading.money(token)) is not None), None)


def count_in(scene: Scene, content: str) -> str | None:
    """Return the number that "has 340 million parameters" states, in digits; none that it only bounds or guesses."""
    match = _NUMBER.match(content) if scene.clause.lemma in _COUNTING else None
    if match is not None and (is_qualified(content, match.start(1), match.end(1)) or _OPEN_END.search(content)):
        return None
    return f"{(Decimal(match[1].replace(',', '')) * _SCALES[match[2]]).normalize():f}" if match else None


def prices(scene: Scene, draft: Draft) -> None:
    """What something costs is a fact with its MONEY value."""
    if scene.clause.lemma not in _PRICING or scene.subject.type == "person":
        return
    amounts = [(token, money) for token in scene.own() if (money := scene.reading.money(token)) is not None]
    objects = [
        one.token for one in scene.clause.complements if not one.preposition and scene.reading.money(one.token) is None
    ]
    if not amounts or (objects and not scene.clause.passive):
        return  # "sold a unit for 5 billion" is no price of the seller
    token, money = amounts[0]
    content = predicate_text(scene, lambda one: one.i not in scene.used)
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


def populations(scene: Scene, draft: Draft) -> None:
    """ "With a population of 1,807" is a fact with its NUMBER; what is only "about" that makes none."""
    for noun in scene.own():
        if noun.lemma_.lower() != "population":
            continue
        figures = [
            one for child in noun.children if child.lower_ == "of" for one in child.children if one.dep_ == "pobj"
        ]
        for figure in figures:
            text = scene.reading.text([figure])
            if _FIGURE.fullmatch(text) and not list(figure.children):
                value = text.replace(",", "")
                draft.state(
                    scene.subject,
                    f"population of {text}",
                    "statement",
                    "POPULATION",
                    value=value,
                    value_type=ValueType.NUMBER,
                    when=scene.when,
                )


def dates(scene: Scene, draft: Draft) -> None:
    """An event's date is a fact with its DATE value: born, founded, published, launched."""
    when, lemma = scene.when, scene.clause.lemma
    if (
        when is None
        or money_in(scene) is not None
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
    content = predicate_text(scene, lambda one: one.i in kept | particle)
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
