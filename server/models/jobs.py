"""Jobs: the steps of ingestions, as rows that workers claim by a lease; lanes, which bound how many run, and how fast; and
the batches that were submitted for steps."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel, UTCDateTime

from server.models.columns import Identified, one_of
from server.terms import JobKind, JobStatus


class Job(Identified, table=True):
    """One step of an ingestion. `fence` counts the claims: who commits with an older one is late, and is refused.

    `failures` are answers that did not come or could not be used, `kills` workers that died or stood still over it, `waits` the
    times that the model asked to wait.
    `lane` names what bounds it, for a model its name. `answer` is JSON, what the step is for; a dead job keeps its error
    instead and, where there was one, the raw answer that could not be used.
    """

    __table_args__ = (
        UniqueConstraint("ingestion_id", "kind", "ordinal", name="job_step"),
        Index("job_queue", "status", "ingestion_id", "due_at"),
        Index("job_in_lane", "lane", "status"),
        one_of("kind", JobKind),
        one_of("status", JobStatus),
    )

    ingestion_id: UUID = Field(foreign_key="ingestion.id", ondelete="CASCADE")
    kind: str
    ordinal: int = 0
    lane: str
    status: str = JobStatus.READY
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    lease_owner: str | None = None
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    fence: int = 0
    failures: int = 0
    kills: int = 0
    waits: int = 0
    error: str | None = None
    raw: str | None = None
    answer: str | None = None


class Lane(SQLModel, table=True):
    """What the jobs of one model, or of anything else that is bounded, have in common: when the next may start."""

    name: str = Field(primary_key=True)
    free_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class MessageBatch(SQLModel, table=True):
    """A Message Batch whose results are not in yet, noted right before it is submitted.

    `name` is the API's, null until its answer has come; `id` begins the name of each of its `requests`, so that a batch
    whose answer was lost is known again. It outlives its job: a batch without one is awaited by nobody, and to be cancelled.
    """

    __tablename__ = "message_batch"

    id: UUID = Field(primary_key=True)
    job_id: UUID | None = Field(default=None, unique=True)
    name: str | None = None
    requests: int
    submitted_at: datetime = Field(sa_type=UTCDateTime)
