"""The vector index: LanceDB as an index of SQL, and the pending rows that bridge the two.

SQL is the truth: a vector is committed as a pending row together with its node, and a follower moves it here. A search
reads the pending rows first, exactly, then LanceDB, and joins them by node, the pending ones winning; so what was
committed is found at once, from any process, and what was deleted is not. Writing to the index is idempotent.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy import select

from server import models
from server.config import Settings
from server.errors import UpstreamUnavailable
from server.ids import NodeKind
from server.store.heap import bound_heap
from server.store.reader import Reader
from server.store.relations import table_of
from server.store.signs import Sign
from server.terms import VectorAction

if TYPE_CHECKING:  # neither is loaded before there is a vector
    import numpy as np
    from numpy.typing import NDArray

    from server.store.lance import LanceTable

_UNREADABLE = (OSError, RuntimeError, ValueError)
"""What LanceDB raises when it opens or counts: a ValueError too, of a folder that makes no sense to it."""


class Neighbor(NamedTuple):
    """A node near a vector; similarity is the cosine, at most 1."""

    id: UUID
    kind: NodeKind
    similarity: float


class Match(NamedTuple):
    """A node that a search of the index found: how near it is to a vector, and its BM25 where its words were asked for."""

    id: UUID
    kind: NodeKind
    similarity: float
    relevance: float | None
    text: str = ""


class Wanted(NamedTuple):
    """Which nodes a search is for: those of a volume, of some kinds (None: of any), or `only` these among them."""

    volume: UUID
    kinds: frozenset[NodeKind] | None = None
    only: Sequence[UUID] | None = None


class IndexRow(NamedTuple):
    """What the index holds of a node."""

    node_id: UUID
    volume_id: UUID
    kind: str
    text: str
    vector: NDArray[np.float32]


@contextmanager
def answering(raised: tuple[type[Exception], ...] = (OSError, RuntimeError)) -> Iterator[None]:
    """Turn what LanceDB raises when its files cannot be read or written into UpstreamUnavailable."""
    try:
        yield
    except raised as error:
        raise UpstreamUnavailable(
            "The vector index does not answer. Check LOREGRAPH_VECTORS, then run: loregraph reindex"
        ) from error


def _library() -> type[LanceTable]:
    from server.store.lance import LanceTable

    return LanceTable


class VectorIndex:
    """The index of a store, keyed by node id. It opens at its first use: most processes that only answer queries have none.

    What is wrong with a folder's content, or with its vectors' length, shows at that moment only. SQL says which model the
    index is of, and refuses another at the start; so that happens where a folder was changed from outside.
    """

    def __init__(self, settings: Settings) -> None:
        bound_heap()  # here, because most threads of the process start later
        self._uri = settings.vectors_uri
        self._interval = timedelta(seconds=settings.read_interval)
        self.retention = max(self._interval * 4, timedelta(seconds=5))
        """How long a version that was replaced stays readable."""
        self._large = settings.vector_index_rows
        self.dimension = 0
        self._opening = asyncio.Lock()
        self._table: LanceTable | None = None

    @property
    def is_open(self) -> bool:
        """Whether it was used by now."""
        return self._table is not None

    async def open(self, dimension: int) -> None:
        """Say how long its vectors are, and find out whether its place can be used: a folder is made, an address opened.

        Raises:
            OSError: it is a folder that cannot be made or read.
            RuntimeError, ValueError: it is an address that LanceDB cannot use.
        """
        self.dimension = dimension
        if self._folder is None:
            await self._opened()
        else:
            await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
            await asyncio.to_thread(os.listdir, self._folder)

    async def look(self) -> None:
        """Find out whether its folder can be read, without opening it.

        Raises:
            UpstreamUnavailable: it cannot.
        """
        if self._folder is not None:
            with answering():
                await asyncio.to_thread(os.listdir, self._folder)

    @property
    def _folder(self) -> Path | None:
        return None if "://" in self._uri else Path(self._uri)

    async def ready(self) -> None:
        """Open it, which takes a second, before a transaction that will use it begins.

        Raises:
            UpstreamUnavailable: it cannot be read, or is of vectors of another length.
        """
        with answering(_UNREADABLE):
            await self._opened()

    @asynccontextmanager
    async def _used(self) -> AsyncIterator[LanceTable]:
        await self.ready()
        assert self._table is not None
        with answering():
            yield self._table

    async def _opened(self) -> None:
        """Open the table, in a thread, unless it is; who asks at the same time waits for the same."""
        async with self._opening:
            if self._table is None:
                library = await asyncio.to_thread(_library)
                table = await library.open(self._uri, self._interval, self.dimension)
                if table.dimension != self.dimension:
                    table.close()
                    raise _of_another_length(table.dimension, self.dimension)
                self._table = table

    async def rebuild(self, dimension: int) -> None:
        """Start over with an empty table."""
        library = await asyncio.to_thread(_library)
        self._table = await library.open(self._uri, self._interval, dimension, empty=True)
        self.dimension = dimension

    async def upsert(self, rows: Sequence[IndexRow]) -> None:
        """Write rows, replacing those of the same nodes. One commit."""
        if rows:
            async with self._used() as table:
                await table.upsert(rows)

    async def delete(self, ids: Sequence[UUID]) -> None:
        """Take nodes out. One commit per 500 nodes."""
        if ids:
            async with self._used() as table:
                await table.delete(ids)

    async def delete_volume(self, volume: UUID) -> None:
        """Take out all nodes of a volume."""
        async with self._used() as table:
            await table.delete_volume(volume)

    async def nearest(
        self, volume: UUID, vector: NDArray[np.float32], kinds: Sequence[NodeKind], k: int
    ) -> list[Neighbor]:
        """Return the `k` nodes of these kinds nearest to a vector, nearest first."""
        async with self._used() as table:
            return await table.nearest(volume, vector, kinds, k)

    async def both(
        self, wanted: Wanted, words: str, vector: NDArray[np.float32], k: int, *, texts: bool
    ) -> tuple[list[Match], list[Match]]:
        """Return the `k` wanted nodes nearest to a vector, nearest first, and the `k` whose texts have the most of these words, by
        BM25, the best first. Two reads.
        """
        async with self._used() as table:
            return await table.both(wanted, words, vector, k, texts=texts)

    async def holding(
        self, wanted: Wanted, signs: Sequence[Sign], vector: NDArray[np.float32], k: int
    ) -> list[list[Match]]:
        """Return, for each of these signs, wanted nodes among which are those whose texts have it, with their texts and without a
        relevance: all, or `k`. A read for each, or two.
        """
        async with self._used() as table:
            return await asyncio.gather(*(table.holding(wanted, sign, vector, k) for sign in signs))

    async def words_indexed(self) -> tuple[bool, int]:
        """Return whether there is a full-text index, and of how many rows it knows nothing yet."""
        async with self._used() as table:
            return await table.words_indexed()

    async def stream(self, volume: UUID, kind: NodeKind) -> AsyncIterator[tuple[list[UUID], NDArray[np.float32]]]:
        """Yield the nodes of a kind with their vectors, in batches, in no order."""
        async with self._used() as table:
            async for batch in table.stream(volume, kind):
                yield batch

    async def vectors_indexed(self) -> tuple[bool, int]:
        """Return whether vectors are found through an index of their own, and of how many rows that knows nothing yet."""
        async with self._used() as table:
            return await table.vectors_indexed()

    async def count(self) -> int:
        """Return how many nodes the index holds."""
        async with self._used() as table:
            with answering(_UNREADABLE):
                return await table.count()

    async def rows(self, *columns: str) -> list[dict[str, Any]]:
        """Return some columns of everything that the index holds."""
        async with self._used() as table:
            return await table.rows(columns)

    async def node_ids(self) -> set[UUID]:
        """Return the ids of all nodes in the index."""
        return {UUID(row["node_id"]) for row in await self.rows("node_id")}

    async def compact(self) -> None:
        """Merge fragments, leaving out deleted rows, and drop the files of versions older than `retention`."""
        async with self._used() as table:
            await table.compact(self.retention, self._large)

    def close(self) -> None:
        """Close the connection."""
        if self._table is not None:
            self._table.close()


def _of_another_length(found: int, wanted: int) -> UpstreamUnavailable:
    return UpstreamUnavailable(
        f"The vector index holds vectors of {found} numbers, the embedding model makes {wanted}. Run: loregraph reindex"
    )


def as_vector(stored: bytes) -> NDArray[np.float32]:
    """Return a vector as it was before it was written into a pending row."""
    import numpy as np

    return np.frombuffer(stored, "<f4")


async def pending(
    read: Reader, volume: UUID, kinds: Sequence[NodeKind]
) -> dict[UUID, tuple[NodeKind, NDArray[np.float32] | None]]:
    """Return the newest pending state of each node: its vector, or None where it is gone.

    A row that still waits for its vector counts as nothing: until it has one, the node is found as it was before. Where
    the volume itself is gone, it is among the nodes.
    """
    table = table_of(models.PendingVector)
    statement = (
        select(table.c.node_id, table.c.kind, table.c.action, table.c.vector)
        .where(table.c.volume_id == volume, table.c.kind.in_([k.value for k in (*kinds, NodeKind.VOLUME)]))
        .where(table.c.vector.is_not(None) | (table.c.action == VectorAction.DELETE.value))
        .order_by(table.c.seq)
    )
    found: dict[UUID, tuple[NodeKind, NDArray[np.float32] | None]] = {}
    for node_id, kind, action, vector in await read.rows(statement):
        here = None if action == VectorAction.DELETE.value else as_vector(vector)
        found[node_id] = (NodeKind(kind), here)
    return found


async def nearest(
    read: Reader, index: VectorIndex, volume: UUID, vector: NDArray[np.float32], kinds: Sequence[NodeKind], k: int
) -> list[Neighbor]:
    """Return the `k` nodes of these kinds nearest to a normalised vector, nearest first, everything committed included."""
    fresh = await pending(read, volume, kinds)
    if volume in fresh:
        return []
    near = [Neighbor(id, kind, float(own @ vector)) for id, (kind, own) in fresh.items() if own is not None]
    near += [n for n in await index.nearest(volume, vector, kinds, k + len(fresh)) if n.id not in fresh]
    return sorted(near, key=lambda n: (-n.similarity, n.id))[:k]
