"""Search: CPU of one query over many items, and how much of an exact search it finds.

    .venv/bin/python benchmarks/search.py [--items 100000] [--queries 40]

Entities with made texts and vectors (384 numbers, in clusters) in a folder of its own, on SQLite; two in a hundred are of the type that
the filter lets pass. A query is near one of them and has words of it. Measured is `Searcher.search` without embedding the query, which is
measured beside it with the model that is shipped, but for a search that is re-ranked, which embeds the query's tokens itself, and
whose hits have made tokens, 100 each, as a chunk has; recall@10: of the ten nearest vectors, looked for one by one, those that the search
has placed first by meaning.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID

import numpy as np
from _graph import WORDS
from _measure import show
from numpy.typing import NDArray

from server import models
from server.config import Settings
from server.embeddings import MiniLM, open_embedder
from server.ids import NodeKind, new_id
from server.services.retrieval.searching import Asked, Searcher
from server.store import Store
from server.store.sifting import SearchFilter
from server.terms import ChangeKind

DIMENSION = 384
BATCH = 5_000
RARE = 50
WARM = 60
"""Queries that are not counted: they bring the index into the caches."""
TOKENS = 100
FILTERS = {"everything": SearchFilter(), "a filter that 2 % pass": SearchFilter(types=("rare",))}


def vectors_of(number: int) -> NDArray[np.float32]:
    """Return made unit vectors, about 500 in a cluster, the same each time."""
    chance = np.random.default_rng(7)
    centres = chance.normal(size=(max(1, number // 500), DIMENSION)).astype(np.float32)
    made = centres[chance.integers(0, len(centres), number)]
    made += 0.7 * chance.normal(size=(number, DIMENSION)).astype(np.float32)
    return _unit(made)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return unit


def text_of(n: int) -> str:
    """Return the text of an item: common words and one of its own."""
    return " ".join(WORDS[(n * k + k) % len(WORDS)] for k in range(2, 22)) + f" item-{n}"


async def fill(store: Store, volume: UUID, vectors: NDArray[np.float32]) -> list[UUID]:
    """Write the items, and their texts and vectors straight into the index; make its indexes."""
    ids: list[UUID] = []
    chance = np.random.default_rng(13)
    for start in range(0, len(vectors), BATCH):
        own = [new_id() for _ in vectors[start : start + BATCH]]
        async with store.write(volume, "benchmark") as tx:
            for n, id in enumerate(own, start):
                type = "rare" if n % RARE == 0 else "common"
                tx.insert(models.Entity, id=id, name=f"item-{n}", match_key=f"item-{n}", type=type)
            tx.log_batch(ChangeKind.CREATED, [(NodeKind.ENTITY, id) for id in own])
        nodes = [(NodeKind.ENTITY, id, text_of(n)) for n, id in enumerate(own, start)]
        signs = [chance.bytes(TOKENS * DIMENSION // 8) for _ in own]
        await store.index_now(volume, nodes, vectors[start : start + BATCH], signs)
        ids += own
    await store.index.compact()
    return ids


async def measured(
    searcher: Searcher, volume: UUID, ids: Sequence[UUID], vectors: NDArray[np.float32], what: str, queries: int
) -> dict[str, Any]:
    """Return the medians of CPU and wall milliseconds of a query, and the share of the nearest ten that were found."""
    chance = np.random.default_rng(11)
    may = np.arange(len(ids)) % RARE == 0 if FILTERS[what].narrows else np.ones(len(ids), bool)
    cpu, wall, answers = [], [], []
    for turn in range(WARM + queries):
        n = int(chance.integers(len(ids)))
        vector = _unit(vectors[n] + 0.5 / DIMENSION**0.5 * chance.normal(size=DIMENSION).astype(np.float32))
        asked = Asked(volume, f"{WORDS[n % len(WORDS)]} item-{n}", filter=FILTERS[what])
        before, began = time.process_time(), time.perf_counter()
        found = await searcher.search(asked, vector)
        if turn >= WARM:
            cpu.append((time.process_time() - before) * 1000)
            wall.append((time.perf_counter() - began) * 1000)
            answers.append((vector, {hit.id for hit in found if hit.vector_rank is not None and hit.vector_rank <= 10}))
    hits = 0
    for vector, first in answers:  # only now: the threads that multiply go on using the CPU for a while
        nearest = np.argsort(-np.where(may, vectors @ vector, -2.0))[:10]
        hits += len(first & {ids[k] for k in nearest})
    return {
        "what": what,
        "cpu_ms": round(median(cpu), 1),
        "p50_ms": round(median(wall), 1),
        "recall@10": round(hits / queries / 10, 3),
    }


async def embedding(queries: int) -> dict[str, Any]:
    """Return what embedding a query costs."""
    embedder = await open_embedder(Settings())
    cpu, wall = [], []
    for n in range(queries + 3):
        before, began = time.process_time(), time.perf_counter()
        await embedder.embed([f"what is known of the {text_of(n)[:40]}?"])
        cpu.append((time.process_time() - before) * 1000)
        wall.append((time.perf_counter() - began) * 1000)
    await embedder.aclose()
    return {
        "what": "embedding the query",
        "cpu_ms": round(median(cpu[3:]), 1),
        "p50_ms": round(median(wall[3:]), 1),
        "recall@10": None,
    }


async def run(items: int, queries: int, folder: Path) -> list[dict[str, Any]]:
    """Return the table's rows."""

    async def embed(texts: list[str]) -> NDArray[np.float32]:
        raise AssertionError(f"{len(texts)} texts were to be embedded")

    store = Store(Settings(data=folder, fsync=False))
    await store.migrate()
    await store.open("made", DIMENSION, embed)
    volume, vectors = new_id(), vectors_of(items)
    async with store.write_new_volume(volume, "benchmark") as tx:
        tx.insert(models.Volume, id=volume, name="benchmark")
    ids = await fill(store, volume, vectors)
    searcher = Searcher(store, await open_embedder(Settings()))
    rows = [await measured(searcher, volume, ids, vectors, what, queries) for what in FILTERS]
    reranking = Searcher(store, await open_embedder(Settings()), reranker=MiniLM())
    again = await measured(reranking, volume, ids, vectors, "everything", queries)
    await store.close()
    return [*rows, {**again, "what": "everything, re-ranked by tokens"}, await embedding(queries)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="CPU and recall of a search over many items.")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=40)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = asyncio.run(run(asked.items, asked.queries, Path(folder)))
    show(f"Search over {asked.items:,} items", rows)


if __name__ == "__main__":
    main()
