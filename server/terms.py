"""The closed vocabularies of the domain: enumerations whose values are stored and shown as they are; and what a model took."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class ClaimStatus(StrEnum):
    """Where a claim stands."""

    CURRENT = "CURRENT"
    DISPUTED = "DISPUTED"
    PENDING_REVIEW = "PENDING_REVIEW"
    SUPERSEDED = "SUPERSEDED"
    RETRACTED = "RETRACTED"
    REJECTED = "REJECTED"


DEFAULT_VIEW = (ClaimStatus.CURRENT, ClaimStatus.DISPUTED)
"""The statuses of what is believed now."""


class Authority(StrEnum):
    """The hierarchy of sources, highest first."""

    OFFICIAL = "OFFICIAL"
    MARKETING = "MARKETING"
    USER = "USER"
    THIRD_PARTY = "THIRD_PARTY"
    UNKNOWN = "UNKNOWN"


class Precision(StrEnum):
    """How exactly an instant was stated."""

    YEAR = "YEAR"
    MONTH = "MONTH"
    DAY = "DAY"
    INSTANT = "INSTANT"


class ValueType(StrEnum):
    """What the literal value of a fact is."""

    NONE = "NONE"
    TEXT = "TEXT"
    NUMBER = "NUMBER"
    MONEY = "MONEY"
    DATE = "DATE"
    BOOLEAN = "BOOLEAN"


class ExplorationDepth(StrEnum):
    """How far an exploration goes."""

    SHALLOW = "SHALLOW"
    MEDIUM = "MEDIUM"
    DEEP = "DEEP"


class Reached(StrEnum):
    """How an exploration came to a memory."""

    PRIMARY = "PRIMARY"
    LINKED = "LINKED"
    ENTITY_LINKED = "ENTITY_LINKED"


class SearchMode(StrEnum):
    """How a search ranks what it finds."""

    HYBRID = "HYBRID"
    GRAPH = "GRAPH"


class Cardinality(StrEnum):
    """Whether a subject can have one or many claims of a predicate at a time."""

    ONE = "ONE"
    MANY = "MANY"


class ConflictStatus(StrEnum):
    """How a conflict stands."""

    OPEN = "OPEN"
    AUTO_RESOLVED = "AUTO_RESOLVED"
    RESOLVED = "RESOLVED"


class Direction(StrEnum):
    """Which end of a relationship an entity is: its source (OUT), its target (IN) or either."""

    OUT = "OUT"
    IN = "IN"
    BOTH = "BOTH"


class Origin(StrEnum):
    """Whether a person stated a thing or an extractor found it; only what was found goes with its last document."""

    STATED = "stated"
    EXTRACTED = "extracted"


class IngestionStatus(StrEnum):
    """How far an ingestion is."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


UNFINISHED = (IngestionStatus.PENDING, IngestionStatus.RUNNING)
"""The statuses of an ingestion that goes on by itself."""

UNREAD = (IngestionStatus.FAILED, IngestionStatus.CANCELLED)
"""The statuses of an ingestion that has ended without writing anything, and may be begun anew."""


class JobKind(StrEnum):
    """A step of an ingestion: extract one chunk, or all by a batch; gather what the document says; write it."""

    CHUNK = "chunk"
    BATCH = "batch"
    RESOLVE = "resolve"
    WRITE = "write"


class JobStatus(StrEnum):
    """Where a job stands. An ingestion that ends takes its jobs along, so that only one that failed has a dead job."""

    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"


class ProjectStatus(StrEnum):
    """How a project stands."""

    ACTIVE = "ACTIVE"
    ARCHIVED = "ARCHIVED"
    COMPLETED = "COMPLETED"


class ReviewKind(StrEnum):
    """What a person is asked to decide."""

    LOW_CONFIDENCE = "LOW_CONFIDENCE"
    DUPLICATE = "DUPLICATE"
    CONFLICT = "CONFLICT"
    STALE = "STALE"


class ReviewDecision(StrEnum):
    """How a question was decided; LAPSED: it went by itself, and may be asked again if it comes back."""

    APPROVED = "APPROVED"
    REJECTED = "REJECTED"
    EDITED = "EDITED"
    MERGED = "MERGED"
    KEPT_APART = "KEPT_APART"
    WINNER_CHOSEN = "WINNER_CHOSEN"
    LAPSED = "LAPSED"


class ReviewAction(StrEnum):
    """What a person does about a question."""

    APPROVE = "APPROVE"
    REJECT = "REJECT"
    EDIT = "EDIT"
    MERGE = "MERGE"
    KEEP_APART = "KEEP_APART"
    CHOOSE_WINNER = "CHOOSE_WINNER"


class ReviewState(StrEnum):
    """Whether a question waits, was decided by a person, or went by itself."""

    OPEN = "OPEN"
    DECIDED = "DECIDED"
    LAPSED = "LAPSED"


class ChangeKind(StrEnum):
    """What happened to a node."""

    CREATED = "CREATED"
    UPDATED = "UPDATED"
    RETRACTED = "RETRACTED"
    SUPERSEDED = "SUPERSEDED"
    MERGED = "MERGED"
    UNMERGED = "UNMERGED"
    DELETED = "DELETED"


class VectorAction(StrEnum):
    """What the vector index is to do with a node."""

    UPSERT = "upsert"
    DELETE = "delete"


class Usage(NamedTuple):
    """Tokens that calls of a model took. `input` counts all that was sent; of that, what its cache was read for and written to."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_written: int = 0

    def plus(self, other: Usage) -> Usage:
        """Return what both took together."""
        return Usage(*(mine + its for mine, its in zip(self, other, strict=True)))

    def minus(self, other: Usage) -> Usage:
        """Return what was taken after `other` had been."""
        return Usage(*(mine - its for mine, its in zip(self, other, strict=True)))

    @property
    def total(self) -> int:
        """What was sent and what was answered."""
        return self.input + self.output


NO_USAGE = Usage()
"""What an answer takes that no model gave."""
