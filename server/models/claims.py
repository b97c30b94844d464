"""Claims: facts about one entity and relationships between two, with their versions, evidence and predicates.

A claim's row is its present version. When it changes, the old version moves to the *_version table with its known
interval closed, so that nothing that was once believed is overwritten.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel, UTCDateTime

from server.models.columns import Identified, Json, SortableText, Stamped, Versioned, few, one_of, within
from server.terms import Authority, Cardinality, ClaimStatus, Origin, Precision, ValueType


class ClaimColumns(SQLModel):
    """What every version of every claim carries. Valid time is [valid_from, valid_to) as stated; known time begins with the log entry.

    From `superseded_at` on another claim, `superseded_by`, holds in its place. Of a claim that never held, whose status is
    SUPERSEDED, `superseded_at` is None and `superseded_by` is the claim that beat it. Nothing keeps the two from outliving
    that claim in earlier versions.
    """

    confidence: float = 1.0
    authority: str = Authority.USER
    status: str = ClaimStatus.CURRENT
    status_reason: str | None = None
    valid_from: datetime | None = Field(default=None, sa_type=UTCDateTime)
    valid_from_precision: str | None = None
    valid_to: datetime | None = Field(default=None, sa_type=UTCDateTime)
    valid_to_precision: str | None = None
    superseded_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    superseded_by: UUID | None = None
    known_from: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)


class FactColumns(ClaimColumns):
    """What a fact says. `claim_key` is equal for the same statement about the same subject (SEMANTICS: the same claim).

    It counts for `subject_id`; where it was stated for an entity that has been merged into that one, `stated_subject_id` names
    it. A fact that a merge has made the same as another is set aside: `folded_into` is the one that counts for both.
    """

    subject_id: UUID = Field(foreign_key="entity.id", ondelete="CASCADE")
    stated_subject_id: UUID | None = Field(default=None, foreign_key="entity.id", ondelete="CASCADE")
    folded_into: UUID | None = None
    content: str
    category: str | None = None
    importance: float = 0.5
    predicate: str | None = None
    value: str | None = None
    value_type: str = ValueType.NONE
    claim_key: str


class RelationshipColumns(ClaimColumns):
    """What a relationship says. Its ends, and what is set aside by a merge, are told as of a fact.

    One that a merge would make lead from an entity to itself is set aside too, with the ends it was stated for: it is folded
    into itself. `mutual`: its type is symmetric in its volume, so that it counts from both ends. `stated_type` is the type by which
    it was stated from its other end, where it is stored by the inverse of that.
    """

    source_id: UUID = Field(foreign_key="entity.id", ondelete="CASCADE")
    target_id: UUID = Field(foreign_key="entity.id", ondelete="CASCADE")
    stated_source_id: UUID | None = Field(default=None, foreign_key="entity.id", ondelete="CASCADE")
    stated_target_id: UUID | None = Field(default=None, foreign_key="entity.id", ondelete="CASCADE")
    folded_into: UUID | None = None
    type: str = Field(sa_type=SortableText)
    stated_type: str | None = None
    description: str | None = None
    strength: float = 1.0
    bidirectional: bool = False
    mutual: bool = False
    properties: dict[str, Any] = Field(default_factory=dict, sa_type=Json, nullable=False)


def _claim_rules() -> tuple[CheckConstraint, ...]:
    return (
        within("confidence", 0, 1),
        one_of("authority", Authority),
        one_of("status", ClaimStatus),
        one_of("valid_from_precision", Precision),
        one_of("valid_to_precision", Precision),
        CheckConstraint("valid_to > valid_from", name="valid_interval"),
    )


def _either_way(name: str, column: str) -> Index:
    """Return the index of the relationships that count from their other end too: few, so that a hub's others aren't read for them."""
    either = text("bidirectional = 1 OR mutual = 1"), text("bidirectional OR mutual")
    return Index(name, column, "id", sqlite_where=either[0], postgresql_where=either[1])


def _superseding(name: str) -> Index:
    """Return the index of the claims that another one has superseded, by that one."""
    given = text("superseded_by IS NOT NULL")
    return Index(name, "superseded_by", "id", sqlite_where=given, postgresql_where=given)


class Fact(Identified, Versioned, FactColumns, table=True):
    """The present version of a fact."""

    __table_args__ = (
        Index("fact_of_subject", "subject_id", "id"),
        Index("fact_same", "subject_id", "claim_key"),
        Index("fact_in_volume", "volume_id", "id"),
        Index("fact_by_predicate", "volume_id", "predicate", "id"),
        Index("fact_by_importance", "volume_id", "importance", "id"),
        Index("fact_by_confidence", "volume_id", "confidence", "id"),
        few("fact_stated_for", "stated_subject_id"),
        few("fact_folded", "folded_into"),
        _superseding("fact_superseded_by"),
        *_claim_rules(),
        within("importance", 0, 1),
        one_of("value_type", ValueType),
    )


class Relationship(Identified, Versioned, RelationshipColumns, table=True):
    """The present version of a relationship."""

    __table_args__ = (
        Index("relationship_out", "source_id", "id"),
        Index("relationship_in", "target_id", "id"),
        _either_way("relationship_out_either_way", "target_id"),
        _either_way("relationship_in_either_way", "source_id"),
        Index("relationship_out_by_type", "source_id", "type", "id"),
        Index("relationship_in_by_type", "target_id", "type", "id"),
        Index("relationship_same", "source_id", "target_id", "type"),
        Index("relationship_in_volume", "volume_id", "id"),
        Index("relationship_by_type", "volume_id", "type", "id"),
        few("relationship_stated_from", "stated_source_id"),
        few("relationship_stated_to", "stated_target_id"),
        few("relationship_folded", "folded_into"),
        _superseding("relationship_superseded_by"),
        *_claim_rules(),
        within("strength", 0, 1),
    )


class FactVersion(FactColumns, table=True):
    """An earlier version of a fact, known during [known_from, known_to); every column is as it was then."""

    __tablename__ = "fact_version"
    __table_args__ = (
        Index("fact_version_of_subject", "subject_id", "id"),
        Index("fact_version_in_volume", "volume_id", "id"),
        few("fact_version_stated_for", "stated_subject_id"),
        _superseding("fact_version_superseded_by"),
    )

    id: UUID = Field(primary_key=True, foreign_key="fact.id", ondelete="CASCADE")
    version: int = Field(primary_key=True)
    volume_id: UUID = Field(foreign_key="volume.id", ondelete="CASCADE")
    created_at: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)
    updated_at: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)
    known_to: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)


class RelationshipVersion(RelationshipColumns, table=True):
    """An earlier version of a relationship, known during [known_from, known_to); every column is as it was then."""

    __tablename__ = "relationship_version"
    __table_args__ = (
        Index("relationship_version_out", "source_id", "id"),
        Index("relationship_version_in", "target_id", "id"),
        Index("relationship_version_in_volume", "volume_id", "id"),
        few("relationship_version_stated_from", "stated_source_id"),
        few("relationship_version_stated_to", "stated_target_id"),
        _superseding("relationship_version_superseded_by"),
    )

    id: UUID = Field(primary_key=True, foreign_key="relationship.id", ondelete="CASCADE")
    version: int = Field(primary_key=True)
    volume_id: UUID = Field(foreign_key="volume.id", ondelete="CASCADE")
    created_at: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)
    updated_at: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)
    known_to: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)


class Evidence(Identified, Stamped, table=True):
    """The words a claim rests on. With a document, quote == content[start:end] of that revision.

    `said` is how this source put the claim, where that is not how the claim's row puts it; "" where it had no words for it.
    The interval is what this source states; with `redates` a person has put the dates of the claim right, and those that were stated
    before count no more. `live` is False where the document does not say it any more: then the row is
    history and counts for nothing since `ended_at`. `origin` says whether a person stated it or it was read out of the document.

    It counts for its claim. Where that claim counts for another as well, one that a merge has set aside, `stated_id` names the
    other where it belongs to that. Where a source has named an entity that is merged by now, and the claim was stated for another
    of those that are one by the merge, `stated_source_id` and `stated_target_id` say for which entities it was (of a fact: the first).
    `dealt_from` is the claim that it would count for if its predicate were MANY, where another has got it because that is ONE.
    """

    __table_args__ = (
        Index("evidence_of_fact", "fact_id", "id"),
        Index("evidence_of_relationship", "relationship_id", "id"),
        few("evidence_stated_for", "stated_id"),
        few("evidence_stated_from", "stated_source_id"),
        few("evidence_stated_to", "stated_target_id"),
        CheckConstraint("(fact_id IS NULL) <> (relationship_id IS NULL)", name="one_claim"),
        CheckConstraint('"end" >= start', name="span"),
        within("confidence", 0, 1),
        one_of("authority", Authority),
        one_of("origin", Origin),
        one_of("valid_from_precision", Precision),
        one_of("valid_to_precision", Precision),
    )

    fact_id: UUID | None = Field(default=None, foreign_key="fact.id", ondelete="CASCADE")
    relationship_id: UUID | None = Field(default=None, foreign_key="relationship.id", ondelete="CASCADE")
    document_id: UUID | None = Field(default=None, foreign_key="document.id", ondelete="CASCADE", index=True)
    revision: int | None = None
    stated_id: UUID | None = None
    stated_source_id: UUID | None = Field(default=None, foreign_key="entity.id", ondelete="CASCADE")
    stated_target_id: UUID | None = Field(default=None, foreign_key="entity.id", ondelete="CASCADE")
    quote: str
    said: str | None = None
    start: int | None = None
    end: int | None = None
    authority: str = Authority.USER
    confidence: float = 1.0
    verified: bool = False
    origin: str = Origin.STATED
    live: bool = True
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    redates: bool | None = None
    dealt_from: UUID | None = None
    valid_from: datetime | None = Field(default=None, sa_type=UTCDateTime)
    valid_from_precision: str | None = None
    valid_to: datetime | None = Field(default=None, sa_type=UTCDateTime)
    valid_to_precision: str | None = None


class Predicate(Identified, table=True):
    """A predicate or relationship type in use in a volume. A symmetric one is its own inverse; no two have the same one."""

    __table_args__ = (
        UniqueConstraint("volume_id", "name", name="predicate_name"),
        UniqueConstraint("volume_id", "inverse", name="predicate_inverse"),
        one_of("cardinality", Cardinality),
        CheckConstraint("half_life_days > 0", name="half_life"),
        CheckConstraint('"symmetric" = (inverse IS NOT NULL AND inverse = name)', name="own_inverse"),
    )

    name: str = Field(sa_type=SortableText)
    cardinality: str = Cardinality.MANY
    inverse: str | None = None
    symmetric: bool = False
    half_life_days: float | None = None
    description: str | None = None
