"""The vector index: LanceDB as an index of SQL, and the pending rows that bridge the two.

SQL is the truth: a vector is committed as a pending row together with its node, and a follower moves it here. A search
reads the pending rows first, exactly, then LanceDB, and joins them by node, the pending ones winning; so what was
committed is found at once, from any process, and what was deleted is not. Writing to the index is idempotent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import reduce
from typing import Any, NamedTuple, cast
from uuid import UUID

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.expr import col, lit
from numpy.typing import NDArray
from sqlalchemy import select

from server import models
from server.config import Settings
from server.errors import UpstreamUnavailable
from server.ids import NodeKind
from server.store.heap import bound_heap, give_back
from server.store.reader import Reader
from server.store.relations import table_of
from server.terms import VectorAction

TABLE = "nodes"
_REFINE = 10
_ATTEMPTS = 3
_INDEX_CACHE = 256 * 2**20
_METADATA_CACHE = 8 * 2**20


class Neighbor(NamedTuple):
    """A node near a vector; similarity is the cosine, at most 1."""

    id: UUID
    kind: NodeKind
    similarity: float


class IndexRow(NamedTuple):
    """What the index holds of a node."""

    node_id: UUID
    volume_id: UUID
    kind: str
    text: str
    vector: NDArray[np.float32]


@contextmanager
def answering() -> Iterator[None]:
    """Turn what LanceDB raises when its files cannot be read or written into UpstreamUnavailable."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        raise UpstreamUnavailable(
            "The vector index does not answer. Check LOREGRAPH_VECTORS, then run: loregraph reindex"
        ) from error


def _schema(dimension: int) -> pa.Schema:
    text = [pa.field(name, pa.string(), nullable=False) for name in ("node_id", "volume_id", "kind", "text")]
    return pa.schema([*text, pa.field("vector", pa.list_(pa.float32(), dimension))])


class VectorIndex:
    """One LanceDB table, keyed by node id."""

    def __init__(self, settings: Settings) -> None:
        bound_heap()  # here, because most threads of the process start later
        pa.set_memory_pool(pa.system_memory_pool())  # Arrow's own pool keeps for good what it had at most
        self._uri = settings.vectors_uri
        self._interval = timedelta(seconds=settings.read_interval)
        self.retention = max(self._interval * 4, timedelta(seconds=5))
        """How long a version that was replaced stays readable."""
        # Unless told LanceDB keeps what it read of old versions up to a gigabyte, and of indexes up to six.
        self._caches = lancedb.Session(index_cache_size_bytes=_INDEX_CACHE, metadata_cache_size_bytes=_METADATA_CACHE)
        self._connection: Any = None
        self._table: Any = None
        self.dimension = 0

    async def open(self, dimension: int) -> None:
        """Open the table, or make it for vectors of this length."""
        self._connection = await lancedb.connect_async(
            self._uri, read_consistency_interval=self._interval, session=self._caches
        )
        self._table = await self._connection.create_table(TABLE, schema=_schema(dimension), exist_ok=True)
        self.dimension = dimension

    async def stored_dimension(self) -> int | None:
        """Return the length of the vectors that the table holds, or None where there is no table."""
        connection = await lancedb.connect_async(self._uri, session=self._caches)
        if TABLE not in (await connection.list_tables()).tables:
            return None
        schema = await (await connection.open_table(TABLE)).schema()
        return cast(int, schema.field("vector").type.list_size)

    async def rebuild(self, dimension: int) -> None:
        """Start over with an empty table."""
        connection = await lancedb.connect_async(
            self._uri, read_consistency_interval=self._interval, session=self._caches
        )
        self._table = await connection.create_table(TABLE, schema=_schema(dimension), mode="overwrite")
        self._connection, self.dimension = connection, dimension

    async def upsert(self, rows: Sequence[IndexRow]) -> None:
        """Write rows, replacing those of the same nodes. One commit."""
        if not rows:
            return
        flat = np.concatenate([row.vector for row in rows]).astype(np.float32)
        columns = {
            "node_id": [row.node_id.hex for row in rows],
            "volume_id": [row.volume_id.hex for row in rows],
            "kind": [row.kind for row in rows],
            "text": [row.text for row in rows],
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(flat), self.dimension),
        }
        data = pa.table(columns, schema=_schema(self.dimension))
        merge = self._table.merge_insert("node_id").when_matched_update_all().when_not_matched_insert_all()
        with answering():
            await merge.execute(data)

    async def delete(self, ids: Sequence[UUID]) -> None:
        """Take nodes out. One commit per 500 nodes."""
        for start in range(0, len(ids), 500):
            named = col("node_id").isin([lit(id.hex) for id in ids[start : start + 500]])
            with answering():
                await self._table.delete(named.to_sql())

    async def delete_volume(self, volume: UUID) -> None:
        """Take out all nodes of a volume."""
        with answering():
            await self._table.delete((col("volume_id") == lit(volume.hex)).to_sql())

    async def nearest(
        self, volume: UUID, vector: NDArray[np.float32], kinds: Sequence[NodeKind], k: int
    ) -> list[Neighbor]:
        """Return the `k` nodes of these kinds nearest to a vector, nearest first."""
        kind = reduce(lambda a, b: a | b, [col("kind") == lit(k.value) for k in kinds])
        query = self._table.query().where((col("volume_id") == lit(volume.hex)) & kind).nearest_to(vector)
        query = query.distance_type("cosine").refine_factor(_REFINE).select(["node_id", "kind", "_distance"]).limit(k)
        with answering():
            rows = (await query.to_arrow()).to_pylist()
        return [Neighbor(UUID(r["node_id"]), NodeKind(r["kind"]), 1.0 - r["_distance"]) for r in rows]

    async def count(self) -> int:
        """Return how many nodes the index holds."""
        return cast(int, await self._table.count_rows())

    async def node_ids(self) -> set[UUID]:
        """Return the ids of all nodes in the index."""
        rows = await self._table.query().select(["node_id"]).to_arrow()
        return {UUID(text) for text in rows.column("node_id").to_pylist()}

    async def compact(self) -> None:
        """Merge fragments, leaving out deleted rows, and drop the files of versions older than `retention`.

        LanceDB rewrites a fragment that stands alone only once a tenth of it is deleted; so that deleted text leaves the
        files at once, one row of such a fragment is moved to a new one, and the two are merged.
        """
        with answering():
            stats = await self._table.stats()
            fragments = stats["fragment_stats"]
            if fragments["num_fragments"] == 1 and fragments["lengths"]["max"] != stats["num_rows"]:
                (row,) = (await self._table.query().select(["node_id"]).limit(1).to_arrow()).to_pylist()
                named = (col("node_id") == lit(row["node_id"])).to_sql()
                await self._table.update(where=named, updates_sql={"kind": "kind"})
            await self._optimize()
        await asyncio.to_thread(give_back)

    async def _optimize(self) -> None:
        """Have LanceDB merge; where another process has just merged the same fragments, look again."""
        for left in reversed(range(_ATTEMPTS)):
            try:
                await self._table.optimize(cleanup_older_than=self.retention)
                return
            except RuntimeError as error:
                if not left or "commit conflict" not in str(error):
                    raise
            await self._table.checkout_latest()

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()


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
        here = None if action == VectorAction.DELETE.value else np.frombuffer(vector, "<f4")
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
