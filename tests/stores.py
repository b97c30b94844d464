"""Stores for tests of the store itself: opened as another process would, and written to row by row."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import numpy as np
from doubles import HashEmbedder
from numpy.typing import NDArray
from sqlalchemy import func, select

from server import models
from server.config import Settings
from server.ids import NodeKind, new_id
from server.store import Store
from server.store import lance as _lance  # noqa: F401  loaded before leases of tenths of a second run
from server.store.relations import table_of
from server.store.transaction import Clock, utc_now
from server.terms import ChangeKind

DIMENSION = 16


def direction(angle: float) -> NDArray[np.float32]:
    """Return a unit vector in one plane: the similarity of two of them is the cosine of the difference of angles."""
    vector = np.zeros(DIMENSION, np.float32)
    vector[0], vector[1] = np.cos(angle), np.sin(angle)
    return vector


@asynccontextmanager
async def opened(
    settings: Settings, *, clock: Clock = utc_now, embedder: HashEmbedder | None = None
) -> AsyncIterator[Store]:
    """Open a store as a process of its own would."""
    embedder = embedder or HashEmbedder(DIMENSION)
    store = Store(settings, clock=clock)
    try:
        await store.open(embedder.name, embedder.dimension, embedder.embed)
        yield store
    finally:
        await store.close()


async def new_volume(store: Store, name: str = "v") -> UUID:
    """Make a volume; one log entry."""
    id = new_id()
    async with store.write_new_volume(id, "test") as tx:
        tx.insert(models.Volume, id=id, name=name)
        tx.log(ChangeKind.CREATED, NodeKind.VOLUME, id, after={"name": name})
    return id


async def add_entity(
    store: Store, volume: UUID, name: str, vector: NDArray[np.float32] | None = None, *, indexed: bool = True
) -> UUID:
    """Make an entity, findable by `vector` (None: by what the follower makes of its name); one log entry."""
    async with store.write(volume, "test") as tx:
        id = tx.insert(models.Entity, name=name, match_key=name.casefold(), type="concept")
        tx.log(ChangeKind.CREATED, NodeKind.ENTITY, id, after={"name": name})
        if indexed:
            tx.index(NodeKind.ENTITY, id, name, vector)
    return id


async def reword_entity(store: Store, volume: UUID, id: UUID, text: str, vector: NDArray[np.float32] | None) -> None:
    """Make an entity findable by another text and vector."""
    async with store.write(volume, "test") as tx:
        tx.update(models.Entity, id, description=text)
        tx.log(ChangeKind.UPDATED, NodeKind.ENTITY, id, after={"description": text})
        tx.index(NodeKind.ENTITY, id, text, vector, again=True)


async def remove_entity(store: Store, volume: UUID, id: UUID) -> None:
    """Delete an entity and take it out of the index."""
    async with store.write(volume, "test") as tx:
        tx.delete_ids(models.Entity, [id])
        tx.log(ChangeKind.DELETED, NodeKind.ENTITY, id)
        tx.unindex(NodeKind.ENTITY, [id])


async def found(store: Store, volume: UUID, angle: float, k: int = 1000) -> list[tuple[UUID, float]]:
    """Return what is nearest to a direction, with similarities rounded to four places."""
    near = await store.nearest(volume, direction(angle), [NodeKind.ENTITY], k)
    return [(n.id, round(n.similarity, 4)) for n in near]


async def numbers(store: Store, column: str = "seq") -> list[Any]:
    """Return a column of the whole log, in order."""
    table = table_of(models.Change)
    return [row[0] for row in await store.read.rows(select(table.c[column]).order_by(table.c.seq))]


async def pending_rows(store: Store) -> list[tuple[UUID, bool]]:
    """Return the pending rows in order: the node, and whether it was moved."""
    table = table_of(models.PendingVector)
    statement = select(table.c.node_id, table.c.moved_at.is_not(None)).order_by(table.c.seq, table.c.node_id)
    return [(row[0], bool(row[1])) for row in await store.read.rows(statement)]


async def entity_ids(store: Store) -> set[UUID]:
    """Return the ids of all entities."""
    return {row[0] for row in await store.read.rows(select(table_of(models.Entity).c.id))}


async def number_of(store: Store, model: Any) -> int:
    """Return how many rows a table has."""
    return int((await store.read.rows(select(func.count()).select_from(table_of(model))))[0][0])
