"""The port of extraction: what goes into an extractor and what comes out, whoever implements it.

An extractor sees one chunk at a time, together with the entities that earlier chunks of the same document named, so that
pronouns and partial names can reach back. It decides nothing about identity and stores nothing. Local ids ("key")
tie the items of one extraction together; quotes must occur in the chunk's text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from server.llm import UnusableAnswer
from server.terms import NO_USAGE, Precision, Usage, ValueType

__all__ = [
    "ChunkText",
    "ExtractedEntity",
    "ExtractedFact",
    "ExtractedRelationship",
    "Extraction",
    "Extractor",
    "Instant",
    "KnownName",
    "Precision",
    "RejectedItem",
    "Span",
    "Term",
    "UnusableAnswer",
    "Usage",
    "ValueType",
    "Vocabulary",
]


@dataclass(frozen=True, slots=True)
class Instant:
    """A point of time in UTC with the precision it was stated with; a year stands for its first instant."""

    at: datetime
    precision: Precision


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open [start, end) in code points of the chunk's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ExtractedEntity:
    """Something that the chunk names. `stated_type`: the grammar or a person states the type ("works at X"), so it may split homonyms."""

    key: str
    name: str
    type: str
    quote: str
    mentions: tuple[Span, ...] = ()
    aliases: tuple[str, ...] = ()
    description: str | None = None
    stated_type: bool = False
    confidence: float = 0.85


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """A statement about one entity (`subject`: the key of an ExtractedEntity), with a literal value or none."""

    subject: str
    content: str
    quote: str
    category: str | None = None
    predicate: str | None = None
    value: str | None = None
    value_type: ValueType = ValueType.NONE
    importance: float = 0.5
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    confidence: float = 0.80


@dataclass(frozen=True, slots=True)
class ExtractedRelationship:
    """A typed edge between two entities of the same extraction, by their keys."""

    source: str
    type: str
    target: str
    quote: str
    description: str | None = None
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    confidence: float = 0.80


@dataclass(frozen=True, slots=True)
class RejectedItem:
    """An item that was found but refused, with the reason, so that nothing disappears in silence; `kept`: it was noted only."""

    kind: str
    item: dict[str, Any]
    reason: str
    kept: bool = False


@dataclass(frozen=True, slots=True)
class KnownName:
    """An entity that an earlier chunk of the same document named, latest mention last in the list that holds it."""

    key: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """A name that a volume prefers, and what it means there."""

    name: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The entity types and predicates (relationship types too) that a volume prefers; others are kept, and noted."""

    types: tuple[Term, ...] = ()
    predicates: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkText:
    """One chunk as an extractor sees it. `known`: names of earlier chunks of the document; their keys may be used as subjects and targets.

    `headings`: those that it stands under, outermost first, its own first one among them; `table`: the line with the heads of the table
    that its first row goes on with; `reader`: the name of what is to read it; `vocabulary`: what its volume prefers;
    `found`: what a first look has found, for a second.
    """

    text: str
    title: str = ""
    known: tuple[KnownName, ...] = ()
    headings: tuple[str, ...] = ()
    table: str = ""
    reader: str = ""
    vocabulary: Vocabulary = Vocabulary()
    found: Extraction | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one chunk says. Entities that are only referred back to (a KnownName) need not be listed again."""

    entities: list[ExtractedEntity] = field(default_factory=list)
    facts: list[ExtractedFact] = field(default_factory=list)
    relationships: list[ExtractedRelationship] = field(default_factory=list)
    rejected: list[RejectedItem] = field(default_factory=list)
    usage: Usage = NO_USAGE
    """The tokens that it took, where a model was asked."""
    unfinished: bool = False
    """Whether its extractor wants the chunk again, with this as what was `found`."""


class Extractor(Protocol):
    """Reads one chunk. `name` is recorded on the ingestion."""

    name: str

    def extract(self, chunk: ChunkText) -> Extraction:
        """Return what `chunk` says. Pure and CPU-bound: the caller runs it in a worker process."""
        ...
