"""How the queue of jobs stands: what waits, what is being worked on, and what has failed."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import func, select

from server import models
from server.store.reader import Reader
from server.store.records import DeadJobRecord
from server.store.relations import table_of
from server.terms import UNFINISHED, JobStatus

__all__ = ["backlog", "dead_jobs", "open_jobs"]

_job, _ingestion = table_of(models.Job), table_of(models.Ingestion)


async def backlog(read: Reader) -> tuple[int, int]:
    """Return how many ingestions of the database wait, and how many are being worked on."""
    open_ones = [status.value for status in UNFINISHED]
    statement = select(_ingestion.c.status, func.count()).where(_ingestion.c.status.in_(open_ones))
    found = {row[0]: row[1] for row in await read.rows(statement.group_by(_ingestion.c.status))}
    waiting, running = (int(found.get(status, 0)) for status in open_ones)
    return waiting, running


async def dead_jobs(read: Reader, ingestion_ids: list[UUID]) -> list[DeadJobRecord | None]:
    """Return the step that each ingestion has failed at, None where it has not."""
    columns = [_job.c[name] for name in DeadJobRecord._fields]
    dead = select(*columns).where(_job.c.ingestion_id.in_(ingestion_ids), _job.c.status == JobStatus.DEAD.value)
    found = {row[0]: DeadJobRecord._make(row) for row in await read.rows(dead)}
    return [found.get(id) for id in ingestion_ids]


async def open_jobs(read: Reader, ids: list[UUID]) -> set[UUID]:
    """Return which of these jobs wait or are being worked on."""
    found: set[UUID] = set()
    for start in range(0, len(ids), 500):
        own = _job.c.id.in_(ids[start : start + 500])
        found |= {
            row[0]
            for row in await read.rows(
                select(_job.c.id).where(own, _job.c.status.in_((JobStatus.READY.value, JobStatus.RUNNING.value)))
            )
        }
    return found
