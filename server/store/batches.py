"""Message Batches that were submitted for steps of ingestions: which a step waits for, and which nobody waits for any more."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import delete, insert, select, update

from server import models
from server.ids import new_id
from server.store.database import Database
from server.store.jobs import Job, JobQueue
from server.store.reader import Reader
from server.store.relations import table_of
from server.store.transaction import utc_now
from server.terms import NO_USAGE, JobKind, JobStatus, Usage

__all__ = ["Batches", "Submitted", "open_batches"]

_batch, _job = table_of(models.MessageBatch), table_of(models.Job)


class Submitted(NamedTuple):
    """A batch whose results are not in yet; without a `name` it is not known whether it was taken.

    `id` begins the name of each of its `requests`.
    """

    id: UUID
    name: str | None
    requests: int
    submitted_at: datetime


_columns = [_batch.c[name] for name in Submitted._fields]


class Batches:
    """The batches of one database. What a step does to them is fenced by its claim, as in its `queue`."""

    def __init__(self, database: Database, read: Reader, queue: JobQueue) -> None:
        self._database = database
        self._read = read
        self._queue = queue

    async def of(self, job: UUID) -> Submitted | None:
        """Return the batch that a step waits for, or None."""
        rows = await self._read.rows(select(*_columns).where(_batch.c.job_id == job))
        return Submitted(*rows[0]) if rows else None

    async def answered(self, ingestion: UUID) -> dict[int, str]:
        """Return what is known of the chunks of an ingestion, by their numbers."""
        known = (_job.c.ingestion_id == ingestion) & (_job.c.kind == JobKind.CHUNK.value)
        rows = await self._read.rows(select(_job.c.ordinal, _job.c.answer).where(known))
        return {row[0]: row[1] for row in rows if row[1] is not None}

    async def intend(self, job: Job, id: UUID, requests: int) -> None:
        """Note that a step is about to submit a batch, which it will wait for.

        Raises:
            LeaseLost: the job is not this worker's any more: it must not.
        """
        row = {"id": id, "job_id": job.id, "requests": requests, "submitted_at": utc_now()}
        async with self._queue.holding(job) as connection:
            await connection.execute(insert(_batch), [row])

    async def drop(self, job: Job, id: UUID) -> None:
        """Forget a batch that a step was to wait for, and that was not taken.

        Raises:
            LeaseLost: the job is not this worker's any more.
        """
        async with self._queue.holding(job) as connection:
            await connection.execute(delete(_batch).where(_batch.c.id == id))

    async def begin(self, job: Job, id: UUID, name: str, delay: float) -> None:
        """Note the name of the batch that a step waits for, and let it be claimed again after `delay` seconds.

        Raises:
            LeaseLost: the job is not this worker's any more.
        """
        async with self._queue.putting_back(job, delay) as connection:
            await connection.execute(update(_batch).where(_batch.c.id == id).values(name=name))

    async def wait(self, job: Job, delay: float, told: str | None = None) -> None:
        """Let a step whose batch goes on be claimed again after `delay` seconds; `told` is the ingestion's error meanwhile.

        Raises:
            LeaseLost: the job is not this worker's any more.
        """
        async with self._queue.putting_back(job, delay, told):
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

    async def note(self, id: UUID, name: str) -> None:
        """Note the name of a batch whose step is not this worker's any more: whoever waits for it, or cancels it, needs that.

        Where it is forgotten already, it is noted as one that nobody waits for.
        """
        row: dict[str, Any] = {"id": id, "name": name, "requests": 0, "submitted_at": utc_now()}
        async with self._database.writing(lasting=False) as connection:
            named = update(_batch).where(_batch.c.id == id).values(name=name).returning(_batch.c.id)
            if (await connection.execute(named)).first() is None:
                await connection.execute(self._database.insert(_batch).on_conflict_do_nothing(), [row])

    async def names(self) -> set[str]:
        """Return the names of all batches whose results are not in yet."""
        named = select(_batch.c.name).where(_batch.c.name.is_not(None))
        return {row[0] for row in await self._read.rows(named)}

    async def abandoned(self) -> list[Submitted]:
        """Return the batches that nobody waits for, the oldest first."""
        waiting = select(_job.c.id).where(_job.c.id == _batch.c.job_id).exists()
        rows = await self._read.rows(select(*_columns).where(~waiting).order_by(_batch.c.submitted_at))
        return [Submitted(*row) for row in rows]

    async def forget(self, id: UUID) -> None:
        """Forget a batch that was cancelled, or cannot be."""
        async with self._database.writing(lasting=False) as connection:
            await connection.execute(delete(_batch).where(_batch.c.id == id))


async def open_batches(read: Reader, ids: list[UUID]) -> set[UUID]:
    """Return which of these batches are waited for, or to be cancelled."""
    found: set[UUID] = set()
    for start in range(0, len(ids), 500):
        own = select(_batch.c.id).where(_batch.c.id.in_(ids[start : start + 500]))
        found |= {row[0] for row in await read.rows(own)}
    return found
