"""The store: SQL as the truth, the change log as its spine, LanceDB as an index of it.

`Store.read` reads, `Store.write` writes in one transaction of one volume, `Store.nearest` finds by vector.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import delete

from server import models
from server.config import Settings
from server.errors import Misconfigured
from server.ids import NodeKind
from server.store import searching, token_vectors, vectors
from server.store.backlog import open_jobs
from server.store.batches import open_batches
from server.store.database import Database
from server.store.followers import Embed, VectorFollower, positions
from server.store.leftovers import note
from server.store.migrations import check_current, migrate
from server.store.rankings import Rankings
from server.store.reader import Reader
from server.store.records import VolumeRecord
from server.store.relations import table_of
from server.store.signals import Signals
from server.store.spool import Spool
from server.store.transaction import Clock, Transaction, lock_volume, utc_now

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Store", "Transaction", "stated_model"]


_HOUR = 3600.0
_STATED = re.compile(r".* \((\d+)\)", re.DOTALL)


def stated_model(model: str, dimension: int) -> str:
    """Return how the store writes down the model that its vectors are of."""
    return f"{model} ({dimension})"


class _Rehearsed(Exception):
    pass


class Store:
    """Everything that one process reads and writes. Open it before use, close it after."""

    def __init__(self, settings: Settings, *, clock: Clock = utc_now) -> None:
        self.settings = settings
        self.database = Database(settings)
        self.index = vectors.VectorIndex(settings)
        self.read = Reader(self.database.reading, self.database.dialect, self.database.columns)
        self.spool = Spool(settings.data / "spool")
        self.cursor_secret = b""
        self._clock = clock
        self.rankings = Rankings(self.database, self.read, settings.search_minutes, clock)
        self.signals = Signals(self.database)
        self._follower: VectorFollower | None = None
        self._running: list[asyncio.Task[None]] = []

    async def migrate(self) -> None:
        """Bring the tables to this version."""
        await migrate(self.database)

    async def open(self, model: str, dimension: int, embed: Embed, sign: token_vectors.Sign | None = None) -> None:
        """Get ready for an embedding model: check that tables and index were made for it. The index opens when it is needed.
        With `sign` the follower keeps token vectors beside it.

        Raises:
            Misconfigured: the tables are of another version, or the index of another model.
        """
        await check_current(self.database)
        self.cursor_secret = bytes.fromhex(await self.keep("cursor_secret", secrets.token_hex(32)))
        stated = stated_model(model, dimension)
        known = await self.keep("embedding_model", stated)
        if known != stated:
            raise Misconfigured(
                f"The vector index was built with the embedding model {known}, the settings say {stated}. Run: loregraph reindex"
            )
        await self.index.open(dimension)
        self._follower = VectorFollower(self.database, self.read, self.index, embed, self.settings, sign)
        await self._follower.begin()
        self.signals.subscribe(self._follower.wake)

    @property
    def follower(self) -> VectorFollower:
        """The follower of this process; open the store first."""
        assert self._follower is not None
        return self._follower

    def start(self) -> None:
        """Run the follower in the background, and listen for what other processes commit."""
        self._running = [
            asyncio.create_task(self.signals.run(), name="signals"),
            asyncio.create_task(self.follower.run(), name="vector follower"),
        ]

    async def close(self) -> None:
        """Stop the follower and close all connections."""
        try:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
            if self._running:
                await self.follower.release()
        finally:
            self.index.close()
            await self.database.close()

    @asynccontextmanager
    async def write(self, volume_id: UUID, actor: str, *, rehearsal: bool = False) -> AsyncIterator[Transaction]:
        """Open the write transaction of a volume: one at a time, seeing all that was committed before.

        A `rehearsal` does all that a transaction does but for the commit: after it nothing has changed.

        Raises:
            NotFound: there is no such volume (any more).
        """
        with suppress(_Rehearsed):
            async with self.database.writing() as connection:
                await lock_volume(connection, volume_id)
                transaction = Transaction(connection, self.database.dialect, volume_id, actor, self._clock)
                yield transaction
                await transaction.flush()
                if rehearsal:
                    raise _Rehearsed
            self.signals.send()

    @asynccontextmanager
    async def write_new_volume(self, volume_id: UUID, actor: str) -> AsyncIterator[Transaction]:
        """Open a transaction that makes a volume."""
        async with self.database.writing() as connection:
            transaction = Transaction(connection, self.database.dialect, volume_id, actor, self._clock)
            yield transaction
            await transaction.flush()
        self.signals.send()

    async def nearest(
        self,
        volume: UUID,
        vector: NDArray[np.float32],
        kinds: Sequence[NodeKind],
        k: int,
        *,
        read: Reader | None = None,
    ) -> list[vectors.Neighbor]:
        """Return the `k` nodes nearest to a normalised vector; inside a transaction pass its reader."""
        return await vectors.nearest(read or self.read, self.index, volume, vector, kinds, k)

    async def candidates(
        self, wanted: vectors.Wanted, query: str, vector: NDArray[np.float32], most: int
    ) -> searching.Candidates:
        """Return the `most` wanted nodes nearest to a normalised vector and the `most` with the words of a plain text."""
        return await searching.find_candidates(self.read, self.index, wanted, query, vector, most)

    async def vectors_of(self, volume: UUID, kind: NodeKind) -> AsyncIterator[tuple[list[UUID], NDArray[np.float32]]]:
        """Yield all nodes of a kind that have a vector, with it, in batches, in no order; also where the store was opened without a model.

        Raises:
            UpstreamUnavailable: the index cannot be read.
        """
        stated = _STATED.fullmatch(await self.setting("embedding_model") or "")
        if stated is None:
            return
        if not self.index.dimension:
            await self.index.open(int(stated[1]))
        fresh = await vectors.pending(self.read, volume, [kind])
        own = {id: vector for id, (_, vector) in fresh.items() if vector is not None}
        if own:
            import numpy as np

            yield list(own), np.stack(list(own.values()))
        async for ids, matrix in self.index.stream(volume, kind):
            kept = [n for n, id in enumerate(ids) if id not in fresh]
            if kept:
                yield [ids[n] for n in kept], matrix[kept]

    async def setting(self, key: str) -> str | None:
        """Return a value that all processes share."""
        rows = await self.read.rows(
            table_of(models.StoreSetting).select().where(table_of(models.StoreSetting).c.key == key)
        )
        return rows[0].value if rows else None

    async def keep(self, key: str, value: str) -> str:
        """Set a shared value unless it is set, and return the one that holds."""
        async with self.database.writing() as connection:
            await connection.execute(
                self.database.insert(table_of(models.StoreSetting))
                .values(key=key, value=value)
                .on_conflict_do_nothing()
            )
        return await self.setting(key) or value

    async def take_turn(self, key: str, now: datetime, until: datetime) -> bool:
        """Take what one process at a time does every so often, where it is due; nobody takes it again before `until`."""
        table = table_of(models.StoreSetting)
        due, later = now.isoformat(timespec="microseconds"), until.isoformat(timespec="microseconds")
        first = self.database.insert(table).values(key=key, value="").on_conflict_do_nothing()
        mine = table.update().where(table.c.key == key, table.c.value <= due).values(value=later)
        async with self.database.writing() as connection:
            await connection.execute(first)
            return (await connection.execute(mine.returning(table.c.key))).first() is not None

    async def forget_vectors(self, dimension: int) -> None:
        """Empty the vector index and everything pending; until `keep_model` the store opens for no model."""
        await self.keep_model("a rebuild that has not ended")
        async with self.database.writing() as connection:
            await connection.execute(delete(table_of(models.PendingVector)))
            await token_vectors.forget(connection)
            await note(self.database, connection)
        await self.index.rebuild(dimension)

    async def keep_model(self, stated: str) -> None:
        """Say which model the vectors of the index are of."""
        table = table_of(models.StoreSetting)
        async with self.database.writing() as connection:
            await connection.execute(delete(table).where(table.c.key == "embedding_model"))
            await connection.execute(table.insert().values(key="embedding_model", value=stated))

    async def index_now(
        self,
        volume: UUID,
        nodes: Sequence[tuple[NodeKind, UUID, str]],
        embedded: NDArray[np.float32],
        signs: Sequence[bytes] = (),
    ) -> None:
        """Write nodes with their texts and vectors straight into the index, past the pending rows, and the signs of their token vectors
        beside it; for rebuilding it.
        """
        rows = [
            vectors.IndexRow(id, volume, kind.value, text, vector)
            for (kind, id, text), vector in zip(nodes, embedded, strict=True)
        ]
        await self.index.upsert(rows)
        if signs:
            own = [(row.node_id, volume, one) for row, one in zip(rows, signs, strict=True)]
            async with self.database.writing(lasting=False) as connection:
                await token_vectors.replace(connection, [row.node_id for row in rows], own)

    async def volume(self, name: str) -> VolumeRecord | None:
        """Return the volume with this name, or None."""
        return await self.read.volume_named(name)

    async def checkpoint(self) -> None:
        """On SQLite, fold the write-ahead log into the file, so that nothing deleted lingers in it."""
        if self.database.dialect == "sqlite":
            async with self.database.reading() as connection:
                await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    async def sweep_spool(self, jobs: Sequence[UUID] | None = None) -> None:
        """Remove answers that nobody waits for: of these jobs, or of all, and of batches, those that have ended or are gone.

        Whoever has taken over an open job may have use for an answer that came late.
        """
        if jobs is None:
            self.spool.tidy(older_than=_HOUR)
        kept = self.spool.jobs() if jobs is None else list(jobs)
        self.spool.drop(set(kept) - await open_jobs(self.read, kept) - await open_batches(self.read, kept))

    async def log_positions(self) -> tuple[int, dict[str, int]]:
        """Return the number of the last log entry, and of the last that each follower has handled."""
        return await positions(self.read)
