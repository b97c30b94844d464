"""The queue of ingestions: rows that workers claim by a lease, and a fence that keeps a late worker from writing.

Progress and leases are not knowledge: they do not enter the change log.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Update, func, or_, select, update

from server import models
from server.store.database import Database
from server.store.reader import Reader
from server.store.records import IngestionRecord
from server.store.relations import table_of
from server.store.transaction import Transaction, utc_now
from server.terms import IngestionStatus

_ingestion = table_of(models.Ingestion)
_columns = [_ingestion.c[name] for name in IngestionRecord._fields]


class IngestionQueue:
    """The ingestions of one database, as one worker sees them. `owner` names the worker; the lease is in seconds."""

    def __init__(self, database: Database, owner: str, lease: float) -> None:
        self._database = database
        self._lease = timedelta(seconds=lease)
        self.owner = owner

    async def claim(self) -> IngestionRecord | None:
        """Take the oldest ingestion that waits or whose worker has died, or None.

        `attempts` says how often it has failed before; a worker that was killed is no failure of the document.
        """
        now = utc_now()
        waits = _ingestion.c.status == IngestionStatus.PENDING.value
        abandoned = (_ingestion.c.status == IngestionStatus.RUNNING.value) & (_ingestion.c.lease_until < now)
        free = or_(_ingestion.c.lease_until.is_(None), _ingestion.c.lease_until < now)
        oldest = select(_ingestion.c.id).where(or_(waits & free, abandoned)).order_by(_ingestion.c.id).limit(1)
        async with self._database.reading() as connection:
            if (await connection.execute(oldest)).first() is None:
                return None
        values = {
            "status": IngestionStatus.RUNNING.value,
            "lease_owner": self.owner,
            "lease_until": now + self._lease,
            "started_at": now,
            "chunks_done": 0,
        }
        chosen = oldest.with_for_update(skip_locked=True).scalar_subquery()
        statement = update(_ingestion).where(_ingestion.c.id == chosen).values(values).returning(*_columns)
        async with self._database.writing() as connection:
            row = (await connection.execute(statement)).first()
        return None if row is None else IngestionRecord._make(row)

    async def renew(self, id: UUID, **progress: int) -> bool:
        """Prolong the lease and note progress; False where the lease was lost."""
        return await self._set(id, lease_until=utc_now() + self._lease, **progress)

    async def put_back(self, id: UUID, error: str, delay: float) -> bool:
        """Give an ingestion back, to be tried again after `delay` seconds."""
        return await self._set(
            id,
            status=IngestionStatus.PENDING.value,
            error=error,
            attempts=_ingestion.c.attempts + 1,
            lease_owner=None,
            lease_until=utc_now() + timedelta(seconds=delay),
        )

    async def fail(self, id: UUID, error: str) -> bool:
        """End an ingestion as FAILED."""
        return await self._set(
            id, status=IngestionStatus.FAILED.value, error=error, finished_at=utc_now(), lease_until=None
        )

    async def release(self) -> None:
        """Give back all that this worker holds, so that the next one need not wait for the lease."""
        held = (_ingestion.c.lease_owner == self.owner) & (_ingestion.c.status == IngestionStatus.RUNNING.value)
        values = {"status": IngestionStatus.PENDING.value, "lease_owner": None, "lease_until": None}
        async with self._database.writing() as connection:
            await connection.execute(update(_ingestion).where(held).values(values))

    async def _set(self, id: UUID, **values: Any) -> bool:
        async with self._database.writing() as connection:
            result = await connection.execute(self._mine(id).values(values).returning(_ingestion.c.id))
            return result.first() is not None

    def _mine(self, id: UUID) -> Update:
        return update(_ingestion).where(
            _ingestion.c.id == id,
            _ingestion.c.lease_owner == self.owner,
            _ingestion.c.status == IngestionStatus.RUNNING.value,
        )

    async def finish(self, tx: Transaction, id: UUID, **counts: int) -> bool:
        """End an ingestion as DONE inside the transaction that writes what it found; False where the lease was lost."""
        values = {"status": IngestionStatus.DONE.value, "error": None, "finished_at": utc_now(), "lease_until": None}
        statement = self._mine(id).values({**values, **counts}).returning(_ingestion.c.id)
        return bool(await tx.read.rows(statement))


async def backlog(read: Reader) -> tuple[int, int]:
    """Return how many ingestions of the database wait, and how many are being worked on."""
    open_ones = (IngestionStatus.PENDING.value, IngestionStatus.RUNNING.value)
    statement = select(_ingestion.c.status, func.count()).where(_ingestion.c.status.in_(open_ones))
    found = {row[0]: row[1] for row in await read.rows(statement.group_by(_ingestion.c.status))}
    waiting, running = (int(found.get(status, 0)) for status in open_ones)
    return waiting, running
