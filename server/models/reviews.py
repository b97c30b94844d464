"""Reviews: questions that a person is to decide, each asked once."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, UTCDateTime

from server.models.columns import Identified, Json, one_of, within
from server.terms import ReviewDecision, ReviewKind


class Review(Identified, table=True):
    """A question about a claim, a pair of entities or a conflict; open as long as there is no decision.

    `question` names the matter by ids and hashes, never by anybody's words: the same question is one row for good. `precedence`
    is -importance, so that a page of the most important, oldest first, walks an index. `answer` is the hash of what a decision
    says beside its name. `due_since` is since when a claim has been stale.
    """

    __table_args__ = (
        UniqueConstraint("volume_id", "question", name="review_question"),
        Index("review_in_volume", "volume_id", "precedence", "id"),
        Index("review_of_fact", "fact_id"),
        Index("review_of_relationship", "relationship_id"),
        Index("review_of_left", "left_id"),
        Index("review_of_right", "right_id"),
        Index("review_of_conflict", "conflict_id"),
        one_of("kind", ReviewKind),
        one_of("decision", ReviewDecision),
        within("importance", 0, 1),
    )

    kind: str
    question: str
    fact_id: UUID | None = Field(default=None, foreign_key="fact.id", ondelete="CASCADE")
    relationship_id: UUID | None = Field(default=None, foreign_key="relationship.id", ondelete="CASCADE")
    left_id: UUID | None = Field(default=None, foreign_key="entity.id", ondelete="CASCADE")
    right_id: UUID | None = Field(default=None, foreign_key="entity.id", ondelete="CASCADE")
    conflict_id: UUID | None = None
    score: float | None = None
    reasons: list[str] = Field(default_factory=list, sa_type=Json, nullable=False)
    importance: float = 0.5
    precedence: float = -0.5
    due_since: datetime | None = Field(default=None, sa_type=UTCDateTime)
    opened_at: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)
    decision: str | None = None
    answer: str | None = None
    decided_by: str | None = None
    decided_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
