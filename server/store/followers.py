"""The follower that moves pending vectors into the index.

Exactly one process runs it at a time, by a short lease; another takes over when the lease runs out. The lease alone
would not keep a process that was stopped for a while from writing old vectors over newer ones, so the index is written
only inside a transaction that holds the follower's row and found it to be this process's own; nothing is embedded there.
Pending rows are handled in the order of the log, and the process may be killed between any two steps: writing to the
index again changes nothing, and a row is marked as moved only after the index has it. A moved row stays for two read
intervals, because until then another process may still read an older state of the index.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, delete, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from server import models
from server.config import Settings
from server.errors import ServerError
from server.ids import NodeKind
from server.store.compaction import Compaction
from server.store.database import Database
from server.store.leftovers import Leftovers
from server.store.reader import Reader
from server.store.relations import table_of
from server.store.signals import rest
from server.store.token_vectors import Sign, forget, replace
from server.store.transaction import utc_now
from server.store.vectors import IndexRow, VectorIndex, as_vector
from server.terms import VectorAction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Embed = Callable[[list[str]], Awaitable["NDArray[np.float32]"]]
NAME = "vectors"
BATCH = 512
GATHERING = 1.5
"""A write to the index costs 10 to 15 ms of CPU, of one row as of a hundred. What waits is found in the meantime all the same."""
_log = logging.getLogger("loregraph.vectors")
_pending = table_of(models.PendingVector)
_follower = table_of(models.Follower)


class PendingRow(NamedTuple):
    """A vector that waits to be moved; `vector` is None where it is to be made from `text`."""

    seq: int
    node_id: UUID
    volume_id: UUID
    kind: str
    action: str
    text: str | None
    vector: bytes | None


class VectorFollower:
    """Moves pending vectors into the index for as long as `run` runs. `moved` counts the nodes of this process."""

    def __init__(
        self,
        database: Database,
        read: Reader,
        index: VectorIndex,
        embed: Embed,
        settings: Settings,
        sign: Sign | None = None,
    ) -> None:
        self._database = database
        self._read = read
        self._index = index
        self._embed = embed
        self._sign = sign
        self._lease = timedelta(seconds=settings.follower_lease)
        self._interval = timedelta(seconds=settings.read_interval)
        self._owner = uuid4().hex
        self._wake = asyncio.Event()
        self._stepping = asyncio.Lock()
        self._compaction = Compaction(index, Leftovers(database, read))
        self.moved = 0

    async def begin(self) -> None:
        """Find out what the process before has left to do."""
        await self._compaction.begin()

    def wake(self) -> None:
        """Say that something was committed."""
        self._wake.set()

    async def run(self) -> None:
        """Follow until cancelled: at once after a pause, then in batches of what is committed in `GATHERING` seconds."""
        third = self._lease.total_seconds() / 3
        while True:
            self._wake.clear()
            try:
                worked = await self.step()
            except ServerError as error:
                _log.warning("The vector follower waits: %s", error.message)
                worked = 0
            if worked < BATCH:
                await asyncio.sleep(min(GATHERING, third))
                await rest(self._wake, min(0.5, third))

    async def step(self) -> int:
        """Move one batch if this process has the lease; return how many pending rows it handled."""
        async with self._stepping:
            if not await self._due() or not await self.acquire():
                return 0
            rows = await self._next()
            if not rows:
                await self._advance()
            elif not await self._move(rows):
                return 0
            await self._tidy()
            await self._compaction.run_if_due(idle=not rows)
            return len(rows)

    async def _due(self) -> bool:
        """Return whether there is anything to do. It only reads: an idle server writes nothing, not even a lease."""
        head = select(table_of(models.LogHead).c.seq).scalar_subquery()
        unmoved = select(_pending.c.seq).where(_pending.c.moved_at.is_(None)).exists()
        old = select(_pending.c.seq).where(_pending.c.moved_at < utc_now() - self._interval * 2).exists()
        there = select(_follower.c.name).where(_follower.c.name == NAME, _follower.c.position >= head).exists()
        rows = await self._read.rows(select(unmoved | old | ~there))
        return bool(rows[0][0]) or self._compaction.due(idle=True)

    async def drain(self) -> None:
        """Move everything that is pending, waiting for the lease where another process has it."""
        while await self.step() or await self.backlog():
            if not await self.acquire():
                await asyncio.sleep(0.05)

    async def backlog(self) -> int:
        """Return how many pending rows are not moved yet."""
        rows = await self._read.rows(select(func.count()).select_from(_pending).where(_pending.c.moved_at.is_(None)))
        return int(rows[0][0])

    async def acquire(self) -> bool:
        """Take or renew the lease; False where another process has it."""
        now = utc_now()
        flavour = self._database.insert
        mine = {"lease_owner": self._owner, "lease_until": now + self._lease}
        statement = flavour(_follower).values(name=NAME, position=0, **mine)
        free = (
            (_follower.c.lease_owner == self._owner)
            | _follower.c.lease_until.is_(None)
            | (_follower.c.lease_until < now)
        )
        statement = statement.on_conflict_do_update(index_elements=["name"], set_=mine, where=free)
        async with self._database.writing(lasting=False) as connection:
            taken = (await connection.execute(statement.returning(_follower.c.name))).first()
        return taken is not None

    async def release(self) -> None:
        """Give the lease back, so that another process need not wait for it."""
        statement = update(_follower).where(_follower.c.name == NAME, _follower.c.lease_owner == self._owner)
        async with self._database.writing(lasting=False) as connection:
            await connection.execute(statement.values(lease_until=None, lease_owner=None))

    async def _next(self) -> list[PendingRow]:
        columns = [_pending.c[name] for name in PendingRow._fields]
        statement = (
            select(*columns)
            .where(_pending.c.moved_at.is_(None))
            .order_by(_pending.c.seq, _pending.c.node_id)
            .limit(BATCH)
        )
        return [PendingRow._make(row) for row in await self._read.rows(statement)]

    async def _move(self, rows: list[PendingRow]) -> bool:
        """Bring rows into the index; False where another process has taken over meanwhile."""
        await self._index.ready()  # here, because it takes a second when it is the first use
        newest = {row.node_id: row for row in rows}.values()
        upserts = await self._complete([row for row in newest if row.action == VectorAction.UPSERT])
        gone = [row for row in newest if row.action == VectorAction.DELETE]
        signs = [] if self._sign is None or not upserts else await self._sign([row.text for row in upserts])
        async with self._database.writing(lasting=False) as connection:
            if not await self._leads(connection):
                return False
            await self._write(upserts, gone)
            await self._replace_signs(connection, upserts, gone, signs)
            await self._compaction.written(connection)
            await self._mark(connection, rows[-1])
        self.moved += len(newest)
        return True

    async def _leads(self, connection: AsyncConnection) -> bool:
        """Hold the follower's row until the commit, and say whether it is still this process's own."""
        mine = select(_follower.c.name).where(_follower.c.name == NAME, _follower.c.lease_owner == self._owner)
        return (await connection.execute(mine.with_for_update())).first() is not None

    async def _write(self, upserts: list[IndexRow], gone: list[PendingRow]) -> None:
        await self._index.delete([row.node_id for row in gone if row.kind != NodeKind.VOLUME])
        for row in gone:
            if row.kind == NodeKind.VOLUME:
                await self._index.delete_volume(row.node_id)
        await self._index.upsert(upserts)

    @staticmethod
    async def _replace_signs(
        connection: AsyncConnection, upserts: list[IndexRow], gone: list[PendingRow], signs: list[bytes]
    ) -> None:
        """Have the token vectors follow the texts of the index; also where none are made, so that none of an older text stay."""
        texts = upserts if signs else []
        anew = [(row.node_id, row.volume_id, own) for row, own in zip(texts, signs, strict=True)]
        await replace(connection, [*(row.node_id for row in upserts), *(row.node_id for row in gone)], anew)
        for row in gone:
            if row.kind == NodeKind.VOLUME:
                await forget(connection, row.node_id)

    async def _complete(self, rows: list[PendingRow]) -> list[IndexRow]:
        """Embed what has no vector yet."""
        missing = [row.text or "" for row in rows if row.vector is None]
        made = iter(await self._embed(missing) if missing else ())
        return [
            IndexRow(
                row.node_id,
                row.volume_id,
                row.kind,
                row.text or "",
                next(made) if row.vector is None else as_vector(row.vector),
            )
            for row in rows
        ]

    async def _mark(self, connection: AsyncConnection, last: PendingRow) -> None:
        """Mark the rows up to `last` as moved and remember how far the follower is."""
        whole = (_pending.c.seq < last.seq) | ((_pending.c.seq == last.seq) & (_pending.c.node_id <= last.node_id))
        free = _unlocked(_pending.c.moved_at.is_(None) & whole)
        await connection.execute(update(_pending).where(free).values(moved_at=utc_now()))
        await connection.execute(update(_follower).where(_follower.c.name == NAME).values(position=last.seq - 1))

    async def _tidy(self) -> None:
        """Drop rows that every reader has in its index by now."""
        old = _pending.c.moved_at < utc_now() - self._interval * 2
        if await self._read.rows(select(_pending.c.seq).where(old).limit(1)):
            async with self._database.writing(lasting=False) as connection:
                await connection.execute(delete(_pending).where(_unlocked(old)))

    async def _advance(self) -> None:
        """Nothing is pending, so the position is the log's head."""
        head = table_of(models.LogHead)
        unmoved = select(_pending.c.seq).where(_pending.c.moved_at.is_(None)).exists()
        seq = select(head.c.seq).scalar_subquery()
        behind = select(_follower.c.name).where(_follower.c.name == NAME, _follower.c.position < seq)
        if not await self._read.rows(behind):
            return
        statement = update(_follower).where(_follower.c.name == NAME, ~unmoved).values(position=seq)
        async with self._database.writing(lasting=False) as connection:
            await connection.execute(statement)


def _unlocked(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition for the pending rows that no transaction is replacing right now.

    Those are left to their transaction: waiting for it while holding others that it wants would be a deadlock.
    """
    key = (_pending.c.seq, _pending.c.node_id)
    free = select(*key).where(condition).with_for_update(skip_locked=True).cte("free")
    return tuple_(*key).in_(select(free.c.seq, free.c.node_id))


async def positions(read: Reader) -> tuple[int, dict[str, int]]:
    """Return the number of the log's last entry, and of the last that each follower has handled."""
    head = table_of(models.LogHead)
    seq = (await read.rows(select(head.c.seq)))[0][0]
    rows = await read.rows(select(_follower.c.name, _follower.c.position))
    return int(seq), {row[0]: int(row[1]) for row in rows}
