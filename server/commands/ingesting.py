"""Ingesting from the command line: several files at a time, here or by a running server, each with its outcome.

A file that cannot be read or is refused fails alone. Texts that were taken before an interruption stay queued: the next
process that opens the store reads them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from server.app import opened, running
from server.auth import LOCAL
from server.commands.client import Client
from server.commands.outcomes import Outcome
from server.commands.sources import Source
from server.config import Settings
from server.errors import ServerError
from server.ids import NodeKind, encode_id
from server.services.documents import NewDocument
from server.services.knowledge import Knowledge
from server.store.records import RejectionRecord, VolumeRecord
from server.terms import Authority

__all__ = ["ingest", "ingest_remotely"]

Done = Callable[[Outcome], None]


class Ingester(Protocol):
    """Takes one file and waits until its text has been read."""

    @property
    def concurrency(self) -> int: ...

    async def ingest(self, source: Source) -> Outcome: ...


class Local:
    """Ingests into a volume of a store that this process works on."""

    def __init__(self, knowledge: Knowledge, volume: VolumeRecord, authority: Authority) -> None:
        self._knowledge = knowledge
        self._volume = volume
        self._authority = authority
        # Enough for each process to have a next one, and for small texts to be embedded together.
        self.concurrency = 2 * knowledge.settings.extractions_at_once + 4

    async def ingest(self, source: Source) -> Outcome:
        """Have a file ingested, and wait for it.

        Raises:
            ServerError: it is refused.
        """
        knowledge = self._knowledge
        file = await asyncio.to_thread(source.content, knowledge.settings.max_upload)
        found = await knowledge.converter.convert(file, claimed=source.claimed)
        document = NewDocument(source.title, found.text, found.mime_type, source.uri, self._authority)
        taken = await knowledge.documents.take(self._volume, document, LOCAL.actor)
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


async def ingest(
    settings: Settings, sources: Sequence[Source], volume: str, authority: Authority, done: Done
) -> list[Outcome]:
    """Ingest files into a volume of the store, making the volume where it is missing; return outcomes in the order of sources.

    `done` is called with each outcome as it comes.
    """
    async with opened(settings) as knowledge, running(knowledge):
        into = await knowledge.volumes.ensure(volume, LOCAL.actor)
        return await _all(Local(knowledge, into, authority), sources, done)


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
    except ServerError as error:
        return Outcome(source.path, error=error.message)
    except OSError as error:  # the file went, or its disk, after it was found
        return Outcome(source.path, error=f"It cannot be read: {error.strerror}.")
