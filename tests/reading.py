"""Everything over a store, with the real extractor at work and vectors that stand for nothing: text in, answers out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from doubles import HashEmbedder

from server.config import Settings
from server.services.extraction.offline import OfflineExtractor
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.knowledge import Knowledge
from server.store import Store


@asynccontextmanager
async def reading(settings: Settings) -> AsyncIterator[Knowledge]:
    """Open a migrated store with an empty volume "default", and a worker that reads what comes in."""
    embedder, extractor, store = HashEmbedder(), OfflineExtractor(), Store(settings)

    async def extract(chunk: ChunkText) -> Extraction:
        return await asyncio.to_thread(extractor.extract, chunk)

    await store.migrate()
    await store.open(embedder.name, embedder.dimension, embedder.embed)
    knowledge = Knowledge(settings, store, embedder, extractor.name, extract)
    await knowledge.volumes.ensure("default", "test")
    worker = asyncio.create_task(knowledge.worker.run())
    yield knowledge
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    await store.close()
