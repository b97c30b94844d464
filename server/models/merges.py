"""Merges: records that entities are one, and what claims are by themselves while they count as one."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel, UTCDateTime

from server.ids import new_id
from server.models.columns import Identified, Json

_ACTIVE = text("undone_at IS NULL")


class EntityMerge(Identified, table=True):
    """Somebody has found that two entities are one. It holds until it is undone; an entity is in one such merge at most.

    The records make a chain: `survivor_id` is what it was merged into at the time, which may have been merged further since.
    `moved` counts what was stated for the merged one, by kind.
    """

    __tablename__ = "entity_merge"
    __table_args__ = (
        Index("merge_of_survivor", "survivor_id"),
        Index("merge_of_merged", "merged_id"),
        Index("merge_active", "merged_id", unique=True, sqlite_where=_ACTIVE, postgresql_where=_ACTIVE),
        CheckConstraint("survivor_id <> merged_id", name="not_into_itself"),
    )

    survivor_id: UUID = Field(foreign_key="entity.id", ondelete="CASCADE")
    merged_id: UUID = Field(foreign_key="entity.id", ondelete="CASCADE")
    reason: str | None = None
    moved: dict[str, int] = Field(default_factory=dict, sa_type=Json, nullable=False)
    actor: str
    at: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)
    undone_by: str | None = None
    undone_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class ClaimApart(SQLModel, table=True):
    """What a claim is by itself while it counts as one with others: `columns` of its row, as the `evidence` (ids) made them.

    Both the claim that counts for all and those that are set aside have such a row.
    """

    __tablename__ = "claim_apart"
    __table_args__ = (
        UniqueConstraint("fact_id", name="fact_apart"),
        UniqueConstraint("relationship_id", name="relationship_apart"),
        CheckConstraint("(fact_id IS NULL) <> (relationship_id IS NULL)", name="one_claim"),
    )

    id: UUID = Field(default_factory=new_id, primary_key=True)
    fact_id: UUID | None = Field(default=None, foreign_key="fact.id", ondelete="CASCADE")
    relationship_id: UUID | None = Field(default=None, foreign_key="relationship.id", ondelete="CASCADE")
    columns: dict[str, Any] = Field(sa_type=Json, nullable=False)
    evidence: list[str] = Field(sa_type=Json, nullable=False)
