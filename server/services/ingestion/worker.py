"""The worker of ingestions: it takes them from the queue, reads each document and has it written.

A worker claims an ingestion by a lease, reads the document outside any transaction, and writes everything that it says in
one transaction that is fenced by the lease: killed at any moment, it leaves nothing, and another worker starts over.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from uuid import UUID, uuid4

from server.config import Settings
from server.embeddings import Embedder
from server.errors import NotFound, ServerError
from server.services.extraction.protocol import (
    ChunkText,
    Extraction,
)
from server.services.ingestion.writer import DocumentWriter
from server.services.reading import read_document
from server.store import Store
from server.store.queue import IngestionQueue
from server.store.records import DocumentRecord, IngestionRecord
from server.terms import IngestionStatus

ATTEMPTS = 5
_ENDED = (IngestionStatus.DONE, IngestionStatus.FAILED)
_log = logging.getLogger("loregraph.ingestion")
Extract = Callable[[ChunkText], Awaitable[Extraction]]


class LeaseLost(ServerError):
    """Another worker has the ingestion now, or its document is gone: what was read here is dropped."""


class IngestionWorker:
    """Works on the queue for as long as `run` runs, `extraction_workers` documents at a time."""

    def __init__(self, store: Store, embedder: Embedder, extract: Extract, settings: Settings) -> None:
        self._store = store
        self._embedder = embedder
        self._extract = extract
        self._settings = settings
        self._queue = IngestionQueue(store.database, uuid4().hex, settings.ingestion_lease)
        self._wake = asyncio.Event()
        self._ended = asyncio.Condition()
        store.signals.subscribe(self.wake)

    def wake(self) -> None:
        """Say that a document was queued."""
        self._wake.set()

    async def run(self) -> None:
        """Work until cancelled; what is under way then is given back at once, for whoever comes next."""
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._settings.extraction_workers):
                    group.create_task(self._loop())
        finally:
            await self._queue.release()

    async def _loop(self) -> None:
        while True:
            self._wake.clear()
            try:
                worked = await self.step()
            except ServerError as error:
                _log.warning("The ingestion worker waits: %s", error.message)
                worked = False
            if not worked:
                await self._rest(0.5)

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return

    async def step(self) -> bool:
        """Work on one ingestion; False where none waits."""
        ingestion = await self._queue.claim()
        if ingestion is None:
            return False
        beat = asyncio.create_task(self._beat(ingestion.id))
        try:
            await self._work(ingestion)
        finally:
            beat.cancel()
            async with self._ended:
                self._ended.notify_all()
        return True

    async def _beat(self, id: UUID) -> None:
        while True:
            await asyncio.sleep(self._settings.ingestion_lease / 3)
            try:
                await self._queue.renew(id)
            except ServerError as error:
                _log.warning("The lease of ingestion %s could not be prolonged: %s", id, error.message)

    async def _work(self, ingestion: IngestionRecord) -> None:
        try:
            await self._ingest(ingestion)
        except (LeaseLost, NotFound):
            _log.info("Ingestion %s is not ours any more.", ingestion.id)
        except ServerError as error:
            await self._again_or_fail(ingestion, error.message)
        except Exception:  # noqa: BLE001
            # The worker loop is one of the two places that may catch everything: one document must not stop the others.
            _log.exception("Ingestion %s failed.", ingestion.id)
            await self._queue.fail(
                ingestion.id, f"Internal error. The server's log has the details under {ingestion.id}."
            )

    async def _again_or_fail(self, ingestion: IngestionRecord, message: str) -> None:
        failures = ingestion.attempts + 1
        if failures >= ATTEMPTS:
            await self._queue.fail(ingestion.id, message)
        else:
            await self._queue.put_back(ingestion.id, message, 0.5 * 2**failures)

    async def _ingest(self, ingestion: IngestionRecord) -> None:
        document = await self._store.read.one(DocumentRecord, ingestion.document_id)
        (content,) = await self._store.read.contents([(ingestion.document_id, ingestion.revision)])
        if document is None or content is None:
            raise LeaseLost("The document is gone.")

        async def progress(done: int, total: int) -> None:
            if not await self._queue.renew(ingestion.id, chunks_done=done, chunks_total=total):
                raise LeaseLost("Another worker has it.")

        reading = await read_document(
            self._extract,
            title=document.title,
            content=content,
            mime_type=document.mime_type,
            chunk_size=self._settings.chunk_size,
            progress=progress,
        )
        writer = DocumentWriter(self._store, self._embedder, document, content, reading)
        await writer.prepare()
        async with self._store.write(document.volume_id, ingestion.actor) as tx:
            counts = await writer.write(tx, ingestion.id)
            if not await self._queue.finish(tx, ingestion.id, **counts):
                raise LeaseLost("Another worker has it.")

    async def finished(self, id: UUID) -> IngestionRecord:
        """Wait until an ingestion has ended, whoever works on it, and return it.

        Raises:
            NotFound: it was deleted meanwhile.
        """
        while True:
            row = await self._store.read.one(IngestionRecord, id)
            if row is None:
                raise NotFound("The document was deleted while it was read.", argument="id")
            if row.status in _ENDED:
                return row
            try:
                async with asyncio.timeout(0.2), self._ended:
                    await self._ended.wait()
            except TimeoutError:
                continue
