"""The index of vectors: made in the background when there are many, it misses next to nothing, and a narrow filter nothing."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from conftest import copy_into
from numpy.typing import NDArray
from stores import DIMENSION, new_volume

from server.config import Settings
from server.ids import NodeKind, new_id
from server.store import Store
from server.store.searching import Wanted

ROWS = 20_000
KINDS = (NodeKind.ENTITY, NodeKind.MEMORY)


@pytest.fixture
def settings(tmp_path: Path, migrated: Path) -> Settings:
    """Settings under which a thousand vectors are many. What the database is makes no difference."""
    made = Settings(data=tmp_path / "data", fsync=False, vector_index_rows=1_000)
    copy_into(made, migrated)
    return made


def made(number: int) -> NDArray[np.float32]:
    """Return random unit vectors, the same each time."""
    vectors = np.random.default_rng(7).normal(size=(number, DIMENSION)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


async def filled(store: Store, volume: UUID, number: int) -> tuple[list[UUID], NDArray[np.float32]]:
    """Put nodes with made vectors straight into the index; every 50th is a memory."""
    ids, vectors = [new_id() for _ in range(number)], made(number)
    nodes = [(KINDS[n % 50 == 0], id, f"text {n}") for n, id in enumerate(ids)]
    await store.index_now(volume, nodes, vectors)
    return ids, vectors


async def recall(store: Store, wanted: Wanted, ids: list[UUID], vectors: NDArray[np.float32]) -> float:
    """Return how many of the ten nearest of these nodes are among the ten first found, over twenty queries."""
    hits = 0
    for query in made(ROWS + 20)[ROWS:]:
        truth = {ids[n] for n in np.argsort(-(vectors @ query))[:10]}
        found = (await store.candidates(wanted, "nothing", query, 100)).found
        hits += len(truth & {one.id for one in sorted(found, key=lambda one: -(one.similarity or 0))[:10]})
    return hits / 200


async def test_many_vectors_get_an_index_that_finds_what_an_exact_search_finds(store: Store) -> None:
    volume = await new_volume(store)
    ids, vectors = await filled(store, volume, ROWS)
    assert await store.index.vectors_indexed() == (False, ROWS)
    assert await recall(store, Wanted(volume), ids, vectors) == 1.0
    await store.index.compact()
    assert await store.index.vectors_indexed() == (True, 0)
    assert await recall(store, Wanted(volume), ids, vectors) >= 0.98
    few, of_few = ids[::50], vectors[::50]
    assert await recall(store, Wanted(volume, only=few), few, of_few) == 1.0
    assert await recall(store, Wanted(volume, frozenset({NodeKind.MEMORY})), few, of_few) == 1.0
    some, of_some = ids[::10], vectors[::10]
    assert await recall(store, Wanted(volume, only=some), some, of_some) >= 0.98
    other = await new_volume(store, "w")
    own = new_id()
    await store.index_now(other, [(NodeKind.ENTITY, own, "a")], vectors[:1])
    assert {one.id for one in (await store.candidates(Wanted(other), "a", vectors[5], 100)).found} == {own}
    assert await recall(store, Wanted(volume), ids, vectors) >= 0.98


async def test_few_vectors_get_none(store: Store) -> None:
    volume = await new_volume(store)
    await filled(store, volume, 999)
    await store.index.compact()
    assert await store.index.vectors_indexed() == (False, 999)
    assert await store.index.words_indexed() == (True, 0)
