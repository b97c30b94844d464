"""Looking after a store: its tables and its vector index."""

from __future__ import annotations

from collections.abc import Callable

from server import models
from server.app import reading, usable
from server.config import Settings
from server.embeddings import open_embedder, reranker_of
from server.services.indexing import reindex
from server.store import Store

__all__ = ["migrate_tables", "rebuild_index"]

_INDEXED = (models.Entity, models.Fact, models.Memory, models.Chunk, models.CodeArtifact)


async def migrate_tables(settings: Settings) -> None:
    """Bring the tables to this version, making the database where there is none.

    Raises:
        Misconfigured: it cannot be used.
        UpstreamUnavailable: it does not answer.
    """
    with usable(settings):
        store = Store(settings)
        try:
            await store.migrate()
        finally:
            await store.close()


async def rebuild_index(settings: Settings, total: Callable[[int], None], progress: Callable[[int], None]) -> int:
    """Rebuild the vector index with the model of the settings; return how many nodes it holds.

    `total` is told beforehand how many nodes there are, `progress` of each batch.

    Raises:
        Misconfigured: there is no store, it is of another version, or the model's settings cannot be used.
        UpstreamUnavailable: the database or the model does not answer.
    """
    async with reading(settings) as store:
        embedder = await open_embedder(settings)
        try:
            total(sum([await store.read.count(model) for model in _INDEXED]))
            return await reindex(store, embedder, progress, reranker_of(embedder, settings))
        finally:
            await embedder.aclose()
