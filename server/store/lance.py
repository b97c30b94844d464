"""The vector index's table in LanceDB: what `vectors` opens when a search or a write first needs it.

The one module that imports LanceDB and Arrow, which take a second of CPU and hold 100 MB; so it is imported late, in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from time import monotonic
from typing import Any, cast
from uuid import UUID

import lancedb
import numpy as np
import pyarrow as pa
from asyncpg.pgproto import pgproto
from lancedb.expr import Expr, col, lit
from lancedb.index import FTS, Bitmap, BTree, IvfSq
from lancedb.query import FullTextOperator, MatchQuery
from numpy.typing import NDArray

from server.ids import NodeKind
from server.store.heap import give_back
from server.store.signs import Sign
from server.store.vectors import IndexRow, Match, Neighbor, Wanted

__all__ = ["LanceTable"]

_KINDS = {kind.value: kind for kind in NodeKind}

TABLE = "nodes"
_REFINE = 10
_REFINE_MANY = 1
"""What a list of a hundred needs: what is left out of it by mistake is at its end. Not refined at all, a search takes 3 ms less, and finds
0.92 of the nearest ten instead of all, 0.8 where a filter lets few pass."""
_ATTEMPTS = 3
_BATCH = 4096
_INDEX_CACHE = 256 * 2**20
_METADATA_CACHE = 8 * 2**20
_WORDS, _VECTORS = "text_idx", "vector_idx"
"""The indexes of texts and of vectors, by the names that LanceDB gives them."""
_SELECTIVE = 5_000
"""Of how many rows that are wanted each vector is looked at, because an index of all the others would miss some."""
_NAMED = 1_000
"""The same of rows that are named: finding each costs more than going through an index for them, whole."""
_WHOLE = 1_000_000
_REMEMBERED, _REMEMBERED_MOST = 10.0, 1_000
"""For how many seconds it is remembered how many rows a condition names, and of how many conditions."""


def _by_words() -> FTS:
    """Return how texts are cut into words: by Unicode, then at signs, whatever the language; in lower case, without accents.

    No stem is taken and no word left out: both are of one language, and on English questions both found less.
    """
    return FTS(base_tokenizer="icu/split", stem=False, remove_stop_words=False, max_token_length=None)


def _schema(dimension: int) -> pa.Schema:
    text = [pa.field(name, pa.string(), nullable=False) for name in ("node_id", "volume_id", "kind", "text")]
    return pa.schema([*text, pa.field("vector", pa.list_(pa.float32(), dimension))])


class LanceTable:
    """One LanceDB table, keyed by node id, for vectors of `dimension` numbers."""

    def __init__(self, connection: Any, table: Any, dimension: int) -> None:
        self._connection = connection
        self._table = table
        self.dimension = dimension
        self._numbers: dict[str, tuple[float, int]] = {}

    @classmethod
    async def open(cls, uri: str, interval: timedelta, dimension: int, *, empty: bool = False) -> LanceTable:
        """Open the table, or make it where there is none; `empty`: make it anew. What others write shows after `interval`.

        A table that is there may be for vectors of another length, which its `dimension` tells.
        """
        pa.set_memory_pool(pa.system_memory_pool())  # Arrow's own pool keeps for good what it had at most
        # Unless told LanceDB keeps what it read of old versions up to a gigabyte, and of indexes up to six.
        caches = lancedb.Session(index_cache_size_bytes=_INDEX_CACHE, metadata_cache_size_bytes=_METADATA_CACHE)
        connection = await lancedb.connect_async(uri, read_consistency_interval=interval, session=caches)
        there = TABLE in (await connection.list_tables()).tables
        if there and not empty:
            table = await connection.open_table(TABLE)
        else:
            how: dict[str, Any] = {"mode": "overwrite"} if there else {"exist_ok": True}
            table = await connection.create_table(TABLE, schema=_schema(dimension), **how)
            await _index_words(table)
        stored = (await table.schema()).field("vector").type.list_size
        return cls(connection, table, cast(int, stored))

    async def upsert(self, rows: Sequence[IndexRow]) -> None:
        """Write rows, replacing those of the same nodes. One commit."""
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
        await merge.execute(data)

    async def delete(self, ids: Sequence[UUID]) -> None:
        """Take nodes out. One commit per 500 nodes."""
        for start in range(0, len(ids), 500):
            named = col("node_id").isin([lit(id.hex) for id in ids[start : start + 500]])
            await self._table.delete(named.to_sql())

    async def delete_volume(self, volume: UUID) -> None:
        """Take out all nodes of a volume."""
        await self._table.delete((col("volume_id") == lit(volume.hex)).to_sql())

    async def nearest(
        self, volume: UUID, vector: NDArray[np.float32], kinds: Sequence[NodeKind], k: int
    ) -> list[Neighbor]:
        """Return the `k` nodes of these kinds nearest to a vector, nearest first."""
        wanted = Wanted(volume, frozenset(kinds))
        condition = _condition(wanted)
        query = await self._exactly(wanted, condition, self._table.query().where(condition).nearest_to(vector))
        query = query.distance_type("cosine").refine_factor(_REFINE).select(["node_id", "kind", "_distance"]).limit(k)
        rows = (await query.to_arrow()).to_pylist()
        return [Neighbor(UUID(r["node_id"]), NodeKind(r["kind"]), 1.0 - r["_distance"]) for r in rows]

    async def both(
        self, wanted: Wanted, words: str, vector: NDArray[np.float32], k: int, *, texts: bool
    ) -> tuple[list[Match], list[Match]]:
        """Return the `k` wanted nodes nearest to a vector, nearest first, and the `k` whose texts have the most of these words, by
        BM25, the best first. Two reads at once.

        `words` is plain text. Rows that no index has yet are looked through. Those with the words have their likeness to the vector too,
        and their `texts`, if so.
        """
        condition = _condition(wanted)  # once: of thousands of named nodes it takes milliseconds
        return await asyncio.gather(
            self._similar(wanted, condition, vector, k), self._worded(condition, words, vector, k, texts=texts)
        )

    async def _similar(self, wanted: Wanted, condition: Expr, vector: NDArray[np.float32], k: int) -> list[Match]:
        query = await self._exactly(wanted, condition, self._table.query().where(condition).nearest_to(vector))
        query = query.distance_type("cosine").refine_factor(_REFINE_MANY).limit(k)
        found = await query.select(["node_id", "kind", "_distance"]).to_arrow()
        likeness = (1.0 - found["_distance"].to_numpy()).tolist()
        return [Match(id, kind, like, None) for (id, kind), like in zip(_named(found), likeness, strict=True)]

    async def _exactly(self, wanted: Wanted, condition: Expr, query: Any) -> Any:
        """Return a query that misses nothing for being about few rows: without the index, or through the whole of it."""
        if wanted.only is not None:
            return query.bypass_vector_index() if len(wanted.only) <= _NAMED else query.nprobes(_WHOLE)
        return query.bypass_vector_index() if await self._number(condition.to_sql()) <= _SELECTIVE else query

    async def _number(self, condition: str) -> int:
        """Return about how many rows meet a condition."""
        now = monotonic()
        known = self._numbers.get(condition)
        if known is None or known[0] < now:
            if len(self._numbers) >= _REMEMBERED_MOST:
                self._numbers.clear()
            known = self._numbers[condition] = now + _REMEMBERED, await self._table.count_rows(condition)
        return known[1]

    async def _worded(
        self, condition: Expr, words: str, vector: NDArray[np.float32], k: int, *, texts: bool
    ) -> list[Match]:
        columns = ["node_id", "kind", "vector", "_score", *(("text",) if texts else ())]
        query = self._table.query().where(condition).nearest_to_text(_plain(words))
        return self._matches(await query.select(columns).limit(k).to_arrow(), vector)

    async def holding(self, wanted: Wanted, sign: Sign, vector: NDArray[np.float32], k: int) -> list[Match]:
        """Return wanted nodes among which are those whose texts have a sign, with their texts and without a relevance: all, or `k`.

        By the index where it is a word to that, and not too frequent a one; else the texts are gone through, 100,000 in a fifth of a second.
        """
        condition, columns = _condition(wanted), ["node_id", "kind", "vector", "text"]
        if sign.is_worded:
            query = self._table.query().where(condition).nearest_to_text(_plain(sign.text, FullTextOperator.AND))
            found = await query.select([*columns, "_score"]).limit(k).to_arrow()
            if len(found) < k or len(sign.text) == 1:
                return self._matches(found.drop_columns("_score"), vector)
        # What is between the parts of a picture is written in several ways.
        text = col("text").lower() if sign.is_worded else col("text")
        having = condition & text.contains(sign.text.lower() if sign.is_worded else sign.text[0])
        return self._matches(await self._table.query().where(having).select(columns).limit(k).to_arrow(), vector)

    def _matches(self, found: pa.Table, vector: NDArray[np.float32]) -> list[Match]:
        """Return rows that were read with their vectors as what was found."""
        stored = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        likeness = (stored.reshape(-1, self.dimension) @ vector).tolist()
        there = set(found.column_names)
        texts = found["text"].to_pylist() if "text" in there else [""] * len(likeness)
        scores = found["_score"].to_pylist() if "_score" in there else [None] * len(likeness)
        return [
            Match(id, kind, like, score, text)
            for (id, kind), like, score, text in zip(_named(found), likeness, scores, texts, strict=True)
        ]

    async def stream(self, volume: UUID, kind: NodeKind) -> AsyncIterator[tuple[list[UUID], NDArray[np.float32]]]:
        """Yield the nodes of a kind with their vectors, in batches, in no order."""
        mine = (col("volume_id") == lit(volume.hex)) & (col("kind") == lit(kind.value))
        query = self._table.query().where(mine).select(["node_id", "vector"])
        async for batch in await query.to_batches(max_batch_length=_BATCH):
            ids = [UUID(hex=id) for id in batch.column("node_id").to_pylist()]
            flat = batch.column("vector").flatten().to_numpy(zero_copy_only=False)
            yield ids, flat.reshape(len(ids), self.dimension)

    async def count(self) -> int:
        """Return how many nodes the table holds."""
        return cast(int, await self._table.count_rows())

    async def rows(self, columns: Sequence[str]) -> list[dict[str, Any]]:
        """Return some columns of all rows."""
        found = await self._table.query().select(list(columns)).to_arrow()
        return cast("list[dict[str, Any]]", found.to_pylist())

    async def compact(self, retention: timedelta, large: int) -> None:
        """Merge fragments, leaving out deleted rows, and drop the files of versions older than `retention`. The indexes follow;
        those of vectors are made once there are `large` rows.

        LanceDB rewrites a fragment that stands alone only once a tenth of it is deleted; so that deleted text leaves the
        files at once, one row of such a fragment is moved to a new one, and the two are merged. It merges no fragments of which only
        some are indexed, but indexes them then: the second time it does.
        """
        fragments, deleted = await self._fragments()
        if fragments == 1 and deleted:
            (row,) = (await self._table.query().select(["node_id"]).limit(1).to_arrow()).to_pylist()
            named = (col("node_id") == lit(row["node_id"])).to_sql()
            await self._table.update(where=named, updates_sql={"kind": "kind"})
        await _index_words(self._table)
        if await self.count() >= large:
            await _index_vectors(self._table)
        await self._optimize(retention)
        if (await self._fragments())[0] > 1:
            await self._optimize(retention)
        await asyncio.to_thread(give_back)

    async def _fragments(self) -> tuple[int, bool]:
        """Return how many fragments there are, and of a single one whether rows of it are deleted."""
        stats = await self._table.stats()
        fragments = stats["fragment_stats"]
        return fragments["num_fragments"], fragments["lengths"]["max"] != stats["num_rows"]

    async def words_indexed(self) -> tuple[bool, int]:
        """Return whether there is a full-text index, and of how many rows it knows nothing yet."""
        return await self._indexed(_WORDS)

    async def vectors_indexed(self) -> tuple[bool, int]:
        """Return the same of the index of vectors."""
        return await self._indexed(_VECTORS)

    async def _indexed(self, name: str) -> tuple[bool, int]:
        stats = await self._table.index_stats(name)
        return (False, await self.count()) if stats is None else (True, cast(int, stats.num_unindexed_rows))

    async def _optimize(self, retention: timedelta) -> None:
        """Have LanceDB merge; where another process has just merged the same fragments, look again."""
        for left in reversed(range(_ATTEMPTS)):
            try:
                await self._table.optimize(cleanup_older_than=retention)
                return
            except RuntimeError as error:
                if not left or "commit conflict" not in str(error):
                    raise
            await self._table.checkout_latest()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


async def _index_words(table: Any) -> None:
    """Make the full-text index unless the table has it; one made before there was any has not."""
    if _WORDS not in {index.name for index in await table.list_indices()}:
        await table.create_index("text", config=_by_words(), name=_WORDS)


async def _index_vectors(table: Any) -> None:
    """Make what lets a search of many rows look at few, where it is missing: of 100,000 rows in five seconds of CPU.

    Vectors are kept in a byte a number: with one bit a number a search takes two thirds of the CPU, and missed up to four in ten of the
    nearest ten where vectors were hard to tell apart.
    """
    there = {index.name for index in await table.list_indices()}
    for column, config in (("volume_id", Bitmap()), ("kind", Bitmap()), ("node_id", BTree())):
        if f"{column}_idx" not in there:
            await table.create_index(column, config=config, name=f"{column}_idx")
    if _VECTORS not in there:
        await table.create_index("vector", config=IvfSq(distance_type="cosine"), name=_VECTORS)


def _condition(wanted: Wanted) -> Expr:
    volume, kinds, only = wanted
    found = col("volume_id") == lit(volume.hex)
    if kinds is not None:
        found = found & col("kind").isin([lit(kind.value) for kind in kinds])
    return found if only is None else found & col("node_id").isin([lit(id.hex) for id in only])


def _plain(words: str, operator: FullTextOperator = FullTextOperator.OR) -> MatchQuery:
    """Return the query for a text, in which no sign means anything but itself."""
    query: Any = MatchQuery  # pydantic's own defaults are none to the type checker
    return cast(MatchQuery, query(words, "text", operator=operator))


def _named(found: pa.Table) -> list[tuple[UUID, NodeKind]]:
    pairs = zip(found["node_id"].to_pylist(), found["kind"].to_pylist(), strict=True)
    return [(pgproto.UUID(id), _KINDS[kind]) for id, kind in pairs]
