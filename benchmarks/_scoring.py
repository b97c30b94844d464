"""Scoring of an extraction against hand-made labels, sentence by sentence; what ran the extractor is no concern of it.

Entities match one to one by `match_key`, against any accepted name; relationships by both ends and an accepted type, in
their direction or, with an inverse type, in the other; facts by subject, value and predicate. What a label calls optional
is neither rewarded nor punished, nor is saying one labelled thing twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from server.services.identity import match_key, relation_type
from server.services.normalization import fold
from server.services.values import normalise_value
from server.terms import ValueType

SENTENCES = Path(__file__).parent / "sentences"
ENTITIES, RELATIONSHIPS, FACTS = MEASURES = ("entities", "relationships", "facts")
_PAST = re.compile(r"(^|_)(FORMER|FORMERLY|EX|WORKED|WAS|WERE|HAD|SERVED|DATED)(_|$)")
_COPULA = re.compile(r"^(IS|ARE|WAS|WERE)_((A|AN|THE)_)?(?=.)")
_TYPED = (ValueType.DATE, ValueType.MONEY, ValueType.NUMBER)

Label = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Thing:
    """An entity that was found: its name first, then its aliases."""

    names: tuple[str, ...]
    type: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship that was found, between indices of things; `ended` if it carries an end."""

    source: int
    type: str
    target: int
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that was found, about the thing of an index."""

    subject: int
    predicate: str | None
    value: str | None
    content: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What an extractor made of one sentence."""

    things: Sequence[Thing] = ()
    edges: Sequence[Edge] = ()
    facts: Sequence[Fact] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """A miss or a false item: the sentence, which measure it counts in, the kind of error, and the item."""

    id: str
    measure: str
    error: str
    item: str


@dataclass(slots=True)
class Tally:
    """Counts of one measure: found rightly, found wrongly, not found."""

    right: int = 0
    false: int = 0
    missed: int = 0

    @property
    def precision(self) -> float | None:
        """Right among found, or None when nothing was found."""
        return round(self.right / (self.right + self.false), 3) if self.right + self.false else None

    @property
    def recall(self) -> float | None:
        """Right among labelled, or None when nothing is labelled."""
        return round(self.right / (self.right + self.missed), 3) if self.right + self.missed else None


@dataclass(slots=True)
class Score:
    """Counts over sentences, with every miss and false item."""

    sentences: int = 0
    typed_right: int = 0
    tallies: dict[str, Tally] = field(default_factory=lambda: {m: Tally() for m in MEASURES})
    problems: list[Problem] = field(default_factory=list)

    @property
    def type_accuracy(self) -> float | None:
        """Share of the matched entities whose type is accepted."""
        matched = self.tallies[ENTITIES].right
        return round(self.typed_right / matched, 3) if matched else None

    def row(self, what: str) -> dict[str, Any]:
        """Return the figures as one row of a table: precision P and recall R, and the share of accepted types."""
        figures: dict[str, Any] = {"what": what, "n": self.sentences}
        for measure, short in zip(MEASURES, ("names", "edges", "facts"), strict=True):
            tally = self.tallies[measure]
            figures |= {f"{short} P": tally.precision, f"{short} R": tally.recall}
        return figures | {"types": self.type_accuracy}

    def add(self, label: Label, found: Found) -> None:
        """Count one sentence."""
        _Sentence(self, label, found).count()


def load(path: Path) -> list[Label]:
    """Return the labelled sentences of a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


class _Sentence:
    """One sentence on its way into a score."""

    def __init__(self, score: Score, label: Label, found: Found) -> None:
        self._score, self._label, self._found = score, label, found
        self._meant: dict[int, str] = {}  # the preferred name of the labelled entity that a thing is

    def count(self) -> None:
        self._score.sentences += 1
        self._entities()
        self._relationships()
        self._facts()

    def _entities(self) -> None:
        wanted = list(self._label["entities"])
        for whole in (False, True):
            for index, thing in enumerate(self._found.things):
                keys = {match_key(name) for name in (thing.names if whole else thing.names[:1])}
                entity = None if index in self._meant else next((e for e in wanted if keys & _keys(e)), None)
                if entity is not None:
                    wanted.remove(entity)
                    self._meant[index] = entity["names"][0]
                    self._right(ENTITIES)
                    self._type(entity, thing)
        for index, thing in enumerate(self._found.things):
            if index not in self._meant:
                self._unexpected(index, thing)
        for entity in wanted:
            self._missed(ENTITIES, "missed", entity["names"][0])

    def _type(self, entity: Label, thing: Thing) -> None:
        if fold(thing.type) in map(fold, entity["types"]):
            self._score.typed_right += 1
        else:
            self._note(ENTITIES, "type", f"{thing.names[0]} is no {thing.type}")

    def _unexpected(self, index: int, thing: Thing) -> None:
        keys = {match_key(name) for name in thing.names}
        for entity in self._label["optional_entities"]:
            if keys & _keys(entity):
                self._meant[index] = entity["names"][0]
                return
        twice = any(keys & _keys(entity) for entity in self._label["entities"])
        self._false(ENTITIES, "twice" if twice else "false", f"{thing.names[0]} ({thing.type})")

    def _relationships(self) -> None:
        wanted, optional = self._label["relationships"], self._label["optional_relationships"]
        met: list[int] = []
        for edge in self._found.edges:
            hits = [n for n, r in enumerate(wanted) if self._says(edge, r)]
            if any(not wanted[n].get("ended") or _has_ended(edge) for n in hits):
                met += [n for n in hits if n not in met and (not wanted[n].get("ended") or _has_ended(edge))][:1]
            elif hits:
                self._false(RELATIONSHIPS, "ended, but without an end", self._shown(edge))
            elif not any(self._says(edge, r) and (not r.get("ended") or _has_ended(edge)) for r in optional):
                self._false(RELATIONSHIPS, self._fault(edge), self._shown(edge))
        for n, relation in enumerate(wanted):
            if n in met:
                self._right(RELATIONSHIPS)
            else:
                said = f"{relation['source']} {relation['types'][0]} {relation['target']}"
                self._missed(RELATIONSHIPS, "missed", said)

    def _says(self, edge: Edge, relation: Label) -> bool:
        source, target = self._meant.get(edge.source), self._meant.get(edge.target)
        if (source, target) == (relation["source"], relation["target"]):
            return _bare(edge.type) in map(_bare, relation["types"])
        if (target, source) == (relation["source"], relation["target"]):
            return _bare(edge.type) in map(_bare, relation.get("inverse", ()))
        return False

    def _fault(self, edge: Edge) -> str:
        if edge.source not in self._meant or edge.target not in self._meant:
            return "an end is no entity"
        ends = (self._meant[edge.source], self._meant[edge.target])
        pairs = [(r["source"], r["target"]) for r in self._label["relationships"]]
        return "type" if ends in pairs else "direction or type" if ends[::-1] in pairs else "not said"

    def _shown(self, edge: Edge) -> str:
        things = self._found.things
        return f"{things[edge.source].names[0]} {edge.type} {things[edge.target].names[0]}"

    def _facts(self) -> None:
        wanted = list(self._label["facts"])
        for fact in self._found.facts:
            subject, value = self._meant.get(fact.subject), fact.value
            if value is None:
                if subject is None:
                    self._false(FACTS, "its subject is no entity", self._told(fact))
                continue  # a note about something that is there
            same = [f for f in self._label["facts"] if f["subject"] == subject and _same_value(f, value)]
            hit = next((f for f in same if f in wanted and _predicated(f, fact)), None)
            if hit is not None:
                wanted.remove(hit)
                self._right(FACTS)
            elif any(f not in wanted for f in same) or self._may_be_told(subject, value):
                continue
            else:
                self._false(FACTS, "predicate" if same else "not said", self._told(fact))
        for expected in wanted:
            said = f"{expected['subject']} {expected['predicates'][0]} {expected['value']}"
            self._missed(FACTS, "missed", said)

    def _may_be_told(self, subject: str | None, value: str) -> bool:
        return any(f["subject"] == subject and _same_value(f, value) for f in self._label["optional_facts"])

    def _told(self, fact: Fact) -> str:
        return f"{self._found.things[fact.subject].names[0]} {fact.predicate} {fact.value or fact.content}"

    def _right(self, measure: str) -> None:
        self._score.tallies[measure].right += 1

    def _false(self, measure: str, error: str, item: str) -> None:
        self._score.tallies[measure].false += 1
        self._note(measure, error, item)

    def _missed(self, measure: str, error: str, item: str) -> None:
        self._score.tallies[measure].missed += 1
        self._note(measure, error, item)

    def _note(self, measure: str, error: str, item: str) -> None:
        self._score.problems.append(Problem(self._label["id"], measure, error, item))


def _keys(entity: Label) -> set[str]:
    return {match_key(name) for name in entity["names"]}


def _bare(type: str) -> str:
    return _COPULA.sub("", relation_type(type))


def _has_ended(edge: Edge) -> bool:
    return edge.ended or _PAST.search(edge.type) is not None


def _predicated(label: Label, fact: Fact) -> bool:
    return _bare(fact.predicate or "IS") in map(_bare, label["predicates"])


def _same_value(fact: Label, value: str) -> bool:
    return any(_alike(expected, value) for expected in fact["values"])


def _alike(expected: str, value: str) -> bool:
    if any(normalise_value(expected, kind) == normalise_value(value, kind) for kind in (ValueType.TEXT, *_TYPED)):
        return True
    one, other = _words(expected), _words(value)
    if not one or not other or any(word.isdigit() for word in one + other):
        return False
    return _within(one, other) or _within(other, one)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", fold(text))


def _within(short: Sequence[str], long: Sequence[str]) -> bool:
    return any(list(long[n : n + len(short)]) == list(short) for n in range(len(long) - len(short) + 1))


def by_kind(scored: Iterable[tuple[Label, Found]]) -> dict[str, Score]:
    """Return the score of each kind of sentence, in the order of their first ones."""
    scores: dict[str, Score] = {}
    for label, found in scored:
        scores.setdefault(label["kind"], Score()).add(label, found)
    return scores
