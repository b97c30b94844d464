"""Workers on the queue of ingestions, each in a process of its own, and what they leave in a log that outlives them.

The log has a line for each extraction that begins ("called") and for each answer that is safe in the spool ("kept"), or the id of a batch, each with
the second in which that was, by a clock that all processes of the machine share.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from multiprocessing.connection import Connection
from pathlib import Path
from uuid import UUID

from doubles import HashEmbedder
from scripted import edge, extraction, fact, thing

from server.config import Settings
from server.errors import UpstreamUnavailable
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.extraction.readers import Readers
from server.services.ingestion.worker import IngestionWorker
from server.store import Store
from server.store.backlog import backlog
from server.store.spool import Spool

DOCUMENTS, CHUNKS = 4, 5


def text_of(document: int) -> str:
    """Return a document of some sections, each a chunk that names a person of its own and Acme."""
    parts = (
        f"# Part {n}\n\nPerson {n} of {document} likes tea. Person {n} of {document} met Acme." for n in range(CHUNKS)
    )
    return "\n\n".join(parts)


def said_by(text: str) -> tuple[str, Extraction]:
    """Return the person of a chunk, and what the chunk says."""
    found = re.search(r"Person \d+ of \d+", text)
    assert found is not None
    name = found.group()
    return name, extraction(
        [
            thing(name, "person"),
            thing("Acme", "organization"),
            fact(name, "Likes tea", f"{name} likes tea."),
            edge(name, "MET", "Acme", f"{name} met Acme."),
        ]
    )


class _WitnessedSpool(Spool):
    def __init__(self, folder: Path, log: int) -> None:
        super().__init__(folder)
        self._log = log

    def keep(self, job: UUID, answer: str) -> None:
        super().keep(job, answer)
        found = re.search(r"Person \d+ of \d+", answer)
        told = answer if found is None else found.group()
        os.write(self._log, f"kept {time.monotonic()} {told}\n".encode())


async def ingest(settings: Settings, line: Connection, log: str, seed: int, slowest: float) -> None:
    """Work on the queue until nothing is open; reading a chunk takes up to `slowest` seconds, or as long as Claude takes."""
    chance = random.Random(seed)
    written = os.open(log, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
    readers = Readers(settings) if settings.uses_claude else None
    batches = None if readers is None else readers.batches

    async def extract(chunk: ChunkText) -> Extraction:
        began = time.monotonic()
        name, said = said_by(chunk.text)
        os.write(written, f"called {began} {name}\n".encode())
        if readers is not None:
            return await readers.extract(chunk)
        await asyncio.sleep(chance.random() * slowest)
        return said

    embedder = HashEmbedder()
    store = Store(settings)
    await store.open(embedder.name, embedder.dimension, embedder.embed)
    store.spool = _WitnessedSpool(settings.data / "spool", written)
    line.send("ready")
    working = asyncio.create_task(IngestionWorker(store, embedder, extract, settings, reader=batches).run())
    while not working.done():
        await asyncio.sleep(0.1)
        if await _nothing_open(store):
            break
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    if readers is not None:
        await readers.aclose()
    await store.close()
    line.send("done")


async def _nothing_open(store: Store) -> bool:
    try:
        return await backlog(store.read) == (0, 0)
    except UpstreamUnavailable:
        return False
