"""Ingesting from the command line: several files at a time, here or by a running server, each with its outcome.

A file that cannot be read or is refused fails alone. Texts that were taken before an interruption stay queued: the next
process that opens the store reads them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Protocol

from server.app import opened, running
from server.auth import LOCAL
from server.commands.client import Client
from server.commands.outcomes import Outcome
from server.commands.patience import Exhausted, Patience
from server.commands.sources import Source
from server.config import Settings
from server.errors import ServerError
from server.ids import NodeKind, encode_id
from server.services.documents import NewDocument, Taken
from server.services.knowledge import Knowledge
from server.store.records import RejectionRecord, VolumeRecord
from server.terms import Authority

__all__ = ["ingest", "ingest_here", "ingest_remotely"]

Done = Callable[[Outcome], None]


class Ingester(Protocol):
    """Takes one file and waits until its text has been read."""

    @property
    def concurrency(self) -> int: ...

    async def ingest(self, source: Source) -> Outcome: ...


class Local:
    """Ingests into a volume of a store that this process works on."""

    def __init__(
        self,
        knowledge: Knowledge,
        volume: VolumeRecord,
        authority: Authority,
        *,
        batch: bool,
        patience: Patience,
    ) -> None:
        self._knowledge = knowledge
        self._volume = volume
        self._authority = authority
        self._batch = batch
        self._patience = patience
        # Enough for each process to have a next one, and for small texts to be embedded together.
        self.concurrency = 2 * knowledge.settings.extractions_at_once + 4

    async def ingest(self, source: Source) -> Outcome:
        """Have a file ingested, and wait for it.

        Raises:
            ServerError: it is refused.
        """
        return await self.finish(source, await self.take(source))

    async def take(self, source: Source) -> Taken:
        """Have a file taken in, to be read.

        Raises:
            ServerError: it is refused.
            Exhausted: the store stayed too busy.
        """
        knowledge = self._knowledge
        file = await asyncio.to_thread(source.content, knowledge.settings.max_upload)
        found = await knowledge.converter.convert(file, claimed=source.claimed)
        document = NewDocument(
            source.title, found.text, found.mime_type, source.uri, self._authority, batch=self._batch
        )
        return await self._patience.tried(partial(knowledge.documents.take, self._volume, document, LOCAL.actor))

    async def finish(self, source: Source, taken: Taken) -> Outcome:
        """Wait until a file that was taken in is read.

        Raises:
            NotFound: it was deleted meanwhile.
            Exhausted: the store stayed too busy.
        """
        return await self._patience.tried(partial(self._finish, source, taken))

    async def _finish(self, source: Source, taken: Taken) -> Outcome:
        knowledge = self._knowledge
        row = await knowledge.worker.finished(taken.ingestion_id)
        (rejected,) = await knowledge.store.read.lists(RejectionRecord, "ingestion_id", [row.id], "ordinal")
        return Outcome(
            source.path,
            document=encode_id(NodeKind.DOCUMENT, taken.document_id),
            ingestion=encode_id(NodeKind.INGESTION, row.id),
            status=row.status,
            created=taken.created,
            entities=row.entities_found,
            facts=row.facts_found,
            relationships=row.relationships_found,
            rejected=sum(not item.kept for item in rejected),
            error=row.error,
        )


class Batched:
    """Ingests as a `Local` does, but waits for no file before all are taken in: a batch takes an hour."""

    def __init__(self, local: Local, sources: int) -> None:
        self._local = local
        self.concurrency = max(sources, 1)
        self._taking = asyncio.Semaphore(local.concurrency)
        self._waiting = asyncio.Semaphore(local.concurrency)
        self._left = sources
        self._all_taken = asyncio.Event()

    async def ingest(self, source: Source) -> Outcome:
        """Have a file ingested, and wait for it.

        Raises:
            ServerError: it is refused.
        """
        try:
            async with self._taking:
                taken = await self._local.take(source)
        finally:
            self._left -= 1
            if not self._left:
                self._all_taken.set()
        await self._all_taken.wait()
        async with self._waiting:
            return await self._local.finish(source, taken)


async def ingest(
    settings: Settings,
    sources: Sequence[Source],
    volume: str,
    authority: Authority,
    done: Done,
    *,
    batch: bool = False,
) -> list[Outcome]:
    """Ingest files into a volume of the store, making the volume where it is missing; return outcomes in the order of sources.

    `done` is called with each outcome as it comes. What is read by `batch` is all taken in before any of it is waited for.
    """
    async with opened(settings) as knowledge, running(knowledge):
        return await ingest_here(knowledge, sources, volume, authority, done, batch=batch, patience=Patience())


async def ingest_here(
    knowledge: Knowledge,
    sources: Sequence[Source],
    volume: str,
    authority: Authority,
    done: Done,
    *,
    batch: bool = False,
    patience: Patience,
) -> list[Outcome]:
    """Do what `ingest` does, in an open store that a worker works on."""
    into = await patience.tried(partial(knowledge.volumes.ensure, volume, LOCAL.actor))
    local = Local(knowledge, into, authority, batch=batch, patience=patience)
    return await _all(Batched(local, len(sources)) if batch else local, sources, done)


async def ingest_remotely(
    url: str, sources: Sequence[Source], volume: str, authority: Authority, done: Done
) -> list[Outcome]:
    """Ingest files by a running server, making the volume where it is missing; return outcomes in the order of sources.

    `done` is called with each outcome as it comes.
    """
    async with _client(url, volume, authority) as client:
        return await _all(client, sources, done)


@asynccontextmanager
async def _client(url: str, volume: str, authority: Authority) -> AsyncIterator[Client]:
    client = Client(url, volume, authority)
    try:
        yield client
    finally:
        await client.close()


async def _all(ingester: Ingester, sources: Sequence[Source], done: Done) -> list[Outcome]:
    outcomes: dict[int, Outcome] = {}
    waiting = iter(enumerate(sources))

    async def work(rest: Iterator[tuple[int, Source]]) -> None:
        for number, source in rest:
            outcomes[number] = await _one(ingester, source)
            done(outcomes[number])

    async with asyncio.TaskGroup() as group:
        for _ in range(ingester.concurrency):
            group.create_task(work(waiting))
    return [outcomes[number] for number in range(len(sources))]


async def _one(ingester: Ingester, source: Source) -> Outcome:
    try:
        return await ingester.ingest(source)
    except Exhausted as error:
        return Outcome(source.path, error=error.message, busy=True)
    except ServerError as error:
        return Outcome(source.path, error=error.message)
    except OSError as error:  # the file went, or its disk, after it was found
        return Outcome(source.path, error=f"It cannot be read: {error.strerror}.")
