"""Conflicts: claims of one subject and one predicate that contradict each other, and what persons have decided about them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field, UTCDateTime

from server.models.columns import Identified, SortableText, one_of
from server.terms import ConflictStatus


class Conflict(Identified, table=True):
    """A conflict between facts or between relationships (`node_kind`: the prefix of their ids); it keeps its id as long as it goes on.

    `winner_id` is the claim that holds, where a rule or a person has decided. What a person decided is kept in the columns
    `decided_*`, also while the conflict is open again, for it may come into force again.
    """

    __table_args__ = (
        Index("conflict_of_subject", "subject_id", "id"),
        Index("conflict_in_volume", "volume_id", "id"),
        one_of("status", ConflictStatus),
    )

    subject_id: UUID = Field(foreign_key="entity.id", ondelete="CASCADE")
    node_kind: str
    predicate: str = Field(sa_type=SortableText)
    status: str
    reason: str | None = None
    winner_id: UUID | None = None
    decided_for: UUID | None = None
    decided_reason: str | None = None
    decided_by: str | None = None
    decided_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    opened_at: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)
    version: int = 1


class ConflictClaim(Identified, table=True):
    """A claim of a conflict. `decided_as` is a hash of what it said when a person decided; `takes_part`: it is in the conflict now."""

    __tablename__ = "conflict_claim"
    __table_args__ = (
        Index("conflict_fact", "conflict_id", "fact_id", unique=True),
        Index("conflict_relationship", "conflict_id", "relationship_id", unique=True),
        Index("conflict_of_fact", "fact_id"),
        Index("conflict_of_relationship", "relationship_id"),
        CheckConstraint("(fact_id IS NULL) <> (relationship_id IS NULL)", name="one_claim"),
    )

    conflict_id: UUID = Field(foreign_key="conflict.id", ondelete="CASCADE")
    fact_id: UUID | None = Field(default=None, foreign_key="fact.id", ondelete="CASCADE")
    relationship_id: UUID | None = Field(default=None, foreign_key="relationship.id", ondelete="CASCADE")
    takes_part: bool = True
    decided_as: str | None = None
