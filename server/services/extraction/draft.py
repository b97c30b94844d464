"""Draft: what the rules have found in one chunk, each claim once, each with the words that it rests on."""

from __future__ import annotations

from typing import Any

from server.services.extraction.cast import Cast, Member
from server.services.extraction.certainty import UNDOUBTED, Witness, confidence
from server.services.extraction.markup import Block
from server.services.extraction.periods import Period
from server.services.extraction.predicates import named_from_the_made
from server.services.extraction.protocol import (
    ExtractedFact,
    ExtractedRelationship,
    Extraction,
    Instant,
    RejectedItem,
    ValueType,
)

_LONGEST_CONTENT = 240


class Draft:
    """Collects claims in the order in which they are found; `quote` and `witness` are set by whoever reads the sentence."""

    def __init__(self, text: str) -> None:
        self.quote = ""
        self.witness: Witness | None = None
        self.used: dict[str, str] = {}
        self._text = text
        self._facts: dict[tuple[str, ...], ExtractedFact] = {}
        self._relationships: dict[tuple[str, ...], ExtractedRelationship] = {}
        self._rejected: list[RejectedItem] = []

    def quote_of(self, block: Block, start: int, end: int) -> str:
        """Return the chunk's own characters for block.text[start:end]."""
        first, last = block.place(start, end)
        return self._text[first:last].strip()

    def quote_between(self, first: Block, last: Block) -> str:
        """Return the chunk's own characters from the first block's start to the last one's end."""
        return self._text[first.place(0, 1)[0] : last.place(len(last.text) - 1, len(last.text))[1]].strip()

    def relate(
        self,
        source: Member,
        kind: str,
        target: Member,
        when: Period | None = None,
        description: str | None = None,
        *,
        event: bool = False,
        marks: int = 0,
    ) -> None:
        """Add an edge, unless it leads back to its source or is there already; `marks` of doubt that its sentence's shape has left."""
        if (inverse := named_from_the_made(kind)) is not None:
            source, kind, target = target, inverse, source
        since, until = validity(when, event=event)
        sure = UNDOUBTED if self.witness is None else confidence(marks + self.witness.marks(source, target))
        edge = ExtractedRelationship(source.key, kind, target.key, self.quote, description, since, until, sure)
        if source is not target:
            self._use(source, target)
            self._relationships.setdefault((source.key, kind, target.key, str(since), str(until)), edge)

    def state(
        self,
        subject: Member,
        content: str,
        category: str,
        predicate: str | None = None,
        *,
        value: str | None = None,
        value_type: ValueType = ValueType.NONE,
        importance: float = 0.5,
        when: Period | None = None,
        event: bool = False,
    ) -> None:
        """Add a fact; its content starts with a capital and is cut at a word where it runs on. Without a value it has no value's type."""
        since, until = validity(when, event=event)
        content = _tidy(content)
        if value is None:
            value_type = ValueType.NONE
        fact = ExtractedFact(
            subject.key, content, self.quote, category, predicate, value, value_type, importance, since, until
        )
        if content:
            self._use(subject)
            said = f"{predicate} {value} {since}" if value is not None else content.casefold()
            self._facts.setdefault((subject.key, said), fact)

    def _use(self, *members: Member) -> None:
        for member in members:
            self.used.setdefault(member.key, self.quote)

    def reject(self, kind: str, item: dict[str, Any], reason: str) -> None:
        """Keep what was found but refused."""
        self._rejected.append(RejectedItem(kind, {**item, "quote": self.quote}, reason))

    def extraction(self, cast: Cast) -> Extraction:
        """Return everything, the entities as the cast knows them by now."""
        return Extraction(
            cast.entities(self.used), list(self._facts.values()), list(self._relationships.values()), self._rejected
        )


def validity(when: Period | None, *, event: bool) -> tuple[Instant | None, Instant | None]:
    """Return the interval in which a claim dated `when` holds: an event from its date on, a state for as long as stated."""
    if when is None:
        return None, None
    return when.since, None if event and not when.is_range else when.until


def _tidy(content: str) -> str:
    content = " ".join(content.split()).strip(" ,;:.!–—-")
    if len(content) > _LONGEST_CONTENT:
        content = content[:_LONGEST_CONTENT].rsplit(" ", 1)[0] + "…"
    return content[:1].upper() + content[1:]
