"""A process that works on the queue of ingestions and kills itself before its n-th statement; also what it reads, for the test."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

from doubles import HashEmbedder
from scripted import edge, extraction, fact, thing
from sqlalchemy import event

from server.config import Settings
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.ingestion.worker import IngestionWorker
from server.store import Store

SECTIONS = tuple(f"# Part {n}\n\nPerson {n} likes tea. Person {n} met Acme." for n in range(6))
TEXT = "\n\n".join(SECTIONS)


async def read(chunk: ChunkText) -> Extraction:
    """Say of each section: a person, a fact and an edge, and one thing that is not there."""
    name = f"Person {SECTIONS.index(chunk.text)}"
    return extraction(
        [
            thing(name, "person"),
            thing("Acme", "organization"),
            thing("Ghost"),
            fact(name, "Likes tea", f"{name} likes tea."),
            edge(name, "MET", "Acme", f"{name} met Acme."),
        ]
    )


async def work(fatal: int) -> None:
    """Work until nothing waits, then print how many statements and commits that took."""
    store, seen = Store(Settings()), 0
    embedder = HashEmbedder()
    await store.open(embedder.name, embedder.dimension, embedder.embed)

    def count(*_: Any) -> None:
        nonlocal seen
        seen += 1
        if seen == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    for engine in {id(e.sync_engine.pool): e for e in store.database.engines}.values():
        event.listen(engine.sync_engine, "before_cursor_execute", count)
        event.listen(engine.sync_engine, "commit", count)
    worker = IngestionWorker(store, embedder, read, store.settings)
    while await worker.step():
        pass
    print(seen)
    await store.close()


if __name__ == "__main__":
    asyncio.run(work(int(sys.argv[1])))
