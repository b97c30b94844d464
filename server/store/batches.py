"""Message Batches that were submitted for steps of ingestions: which a step waits for, and which nobody waits for any more."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import delete, insert, select

from server import models
from server.ids import new_id
from server.store.database import Database
from server.store.jobs import Job, JobQueue, open_jobs
from server.store.reader import Reader
from server.store.relations import table_of
from server.store.transaction import utc_now
from server.terms import NO_USAGE, JobKind, JobStatus, Usage

__all__ = ["Batches", "Submitted"]

_batch, _job = table_of(models.MessageBatch), table_of(models.Job)


class Submitted(NamedTuple):
    """A batch whose results are not in yet."""

    name: str
    submitted_at: datetime


class Batches:
    """The batches of one database. What a step does to them is fenced by its claim, as in its `queue`."""

    def __init__(self, database: Database, read: Reader, queue: JobQueue) -> None:
        self._database = database
        self._read = read
        self._queue = queue

    async def of(self, job: UUID) -> Submitted | None:
        """Return the batch that a step waits for, or None."""
        rows = await self._read.rows(select(_batch.c.name, _batch.c.submitted_at).where(_batch.c.job_id == job))
        return Submitted(*rows[0]) if rows else None

    async def answered(self, ingestion: UUID) -> dict[int, str]:
        """Return what is known of the chunks of an ingestion, by their numbers."""
        known = (_job.c.ingestion_id == ingestion) & (_job.c.kind == JobKind.CHUNK.value)
        rows = await self._read.rows(select(_job.c.ordinal, _job.c.answer).where(known))
        return {row[0]: row[1] for row in rows if row[1] is not None}

    async def begin(self, job: Job, name: str, delay: float) -> None:
        """Note that a step waits for a batch, and let it be claimed again after `delay` seconds.

        Raises:
            LeaseLost: the job is not this worker's any more.
        """
        row = {"name": name, "job_id": job.id, "submitted_at": utc_now()}
        async with self._queue.putting_back(job, delay) as connection:
            await connection.execute(self._database.insert(_batch).on_conflict_do_nothing(), [row])

    async def wait(self, job: Job, delay: float) -> None:
        """Let a step whose batch goes on be claimed again after `delay` seconds.

        Raises:
            LeaseLost: the job is not this worker's any more.
        """
        async with self._queue.putting_back(job, delay):
            pass

    async def settle(self, job: Job, answers: Mapping[int, str], usage: Usage = NO_USAGE, **progress: int) -> None:
        """Commit what a batch has answered, by the numbers of chunks; the step waits for no batch any more, and is still held.

        Raises:
            LeaseLost: the job is not this worker's any more; nothing is kept.
        """
        own = {"volume_id": job.volume_id, "ingestion_id": job.ingestion_id, "kind": JobKind.CHUNK.value, "fence": 1}
        own |= {"lane": job.lane, "status": JobStatus.DONE.value, "failures": 0, "kills": 0, "waits": 0}
        rows = [{**own, "id": new_id(), "ordinal": number, "answer": answer} for number, answer in answers.items()]
        async with self._queue.holding(job, usage, **progress) as connection:
            await connection.execute(delete(_batch).where(_batch.c.job_id == job.id))
            chunks = (_job.c.ingestion_id == job.ingestion_id) & (_job.c.kind == JobKind.CHUNK.value)
            numbers = list(answers)
            for start in range(0, len(rows), 500):
                again = _job.c.ordinal.in_(numbers[start : start + 500])
                await connection.execute(delete(_job).where(chunks & again))
                await connection.execute(insert(_job), rows[start : start + 500])

    async def abandon(self, job: Job, name: str) -> None:
        """Leave a batch to be cancelled whose job was gone before it could be noted; not where another worker has the job."""
        if job.id in await open_jobs(self._read, [job.id]):
            return
        row: dict[str, Any] = {"name": name, "job_id": job.id, "submitted_at": utc_now()}
        async with self._database.writing(lasting=False) as connection:
            await connection.execute(self._database.insert(_batch).on_conflict_do_nothing(), [row])

    async def abandoned(self) -> list[str]:
        """Return the batches that nobody waits for."""
        waiting = select(_job.c.id).where(_job.c.id == _batch.c.job_id).exists()
        return [row[0] for row in await self._read.rows(select(_batch.c.name).where(~waiting))]

    async def forget(self, name: str) -> None:
        """Forget a batch that was cancelled, or cannot be."""
        async with self._database.writing(lasting=False) as connection:
            await connection.execute(delete(_batch).where(_batch.c.name == name))
