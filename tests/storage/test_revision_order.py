"""Revisions that come while an earlier one is read: the later one is what stands, whoever reads what and when."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from random import Random

import numpy as np
import pytest
from doubles import HashEmbedder
from numpy.typing import NDArray
from scripted import dump, extraction, fact, thing

from server import models
from server.services.documents import Documents, NewDocument, Taken
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.ingestion.worker import IngestionWorker
from server.services.volumes import Volumes
from server.store import Store
from server.store.records import DocumentRecord, FactRecord, IngestionRecord, VolumeRecord
from server.terms import ClaimStatus

OVERTAKEN = "A newer revision of the document came before this one was read."
EMPTY = ("entity", "fact", "chunk", "mention", "evidence", "document_entity")


class StoppingEmbedder(HashEmbedder):
    """Does something first, once: `before`. It is asked when a document is read, and about to be written."""

    before: Callable[[], Awaitable[object]] | None = None

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        step, self.before = self.before, None
        if step is not None:
            await step()
        return await super().embed(texts)


async def says_it(chunk: ChunkText) -> Extraction:
    """A text says itself of Ada."""
    return extraction([thing("Ada", "person"), fact("Ada", chunk.text)])


async def volume_of(store: Store) -> VolumeRecord:
    return await Volumes(store).ensure("default", "test")


async def take(store: Store, text: str) -> Taken:
    new = NewDocument("Notes", text, uri="notes/ada")
    return await Documents(store, HashEmbedder(), "scripted").take(await volume_of(store), new, "test")


async def ended(store: Store, taken: Taken) -> tuple[str, str | None]:
    run = await store.read.one(IngestionRecord, taken.ingestion_id)
    assert run is not None
    return run.status, run.error


async def said(store: Store) -> dict[str, str]:
    """Return the status of each fact, by its content."""
    return {row.content: row.status for row in await store.read.where(FactRecord)}


async def test_a_revision_that_was_not_read_when_the_next_one_came_is_never_read(store: Store) -> None:
    first, second = await take(store, "Ada likes tea."), await take(store, "Ada likes rum.")
    assert (second.document_id, second.created) == (first.document_id, True)
    assert await ended(store, first) == ("CANCELLED", OVERTAKEN)
    seen: list[str] = []

    async def looks(chunk: ChunkText) -> Extraction:
        seen.append(chunk.text)
        return await says_it(chunk)

    worker = IngestionWorker(store, HashEmbedder(), looks, store.settings)
    assert [await worker.step(), await worker.step()] == [True, False]
    assert seen == ["Ada likes rum."]
    assert await ended(store, second) == ("DONE", None)
    assert await said(store) == {"Ada likes rum.": ClaimStatus.CURRENT}


@pytest.mark.parametrize("moment", ["reading", "writing"])
async def test_a_revision_that_is_overtaken_while_it_is_worked_on_writes_nothing(store: Store, moment: str) -> None:
    first = await take(store, "Ada likes tea.")
    taken: list[Taken] = []

    async def overtake() -> None:
        taken.append(await take(store, "Ada likes rum."))

    async def reads(chunk: ChunkText) -> Extraction:
        if moment == "reading" and not taken:
            await overtake()
        return await says_it(chunk)

    embedder = StoppingEmbedder()
    embedder.before = overtake if moment == "writing" else None
    worker = IngestionWorker(store, embedder, reads, store.settings)
    assert await worker.step() is True
    assert await ended(store, first) == ("CANCELLED", OVERTAKEN)
    assert set(map(len, (await dump(store, *EMPTY)).values())) == {0}
    assert await worker.step() is True
    assert await ended(store, taken[0]) == ("DONE", None)
    assert await said(store) == {"Ada likes rum.": ClaimStatus.CURRENT}


async def test_a_revision_that_is_overtaken_while_the_next_one_is_written_leaves_that_as_it_is(store: Store) -> None:
    """The later revision is read and written by another worker while the earlier one is about to be."""
    await take(store, "Ada likes tea.")
    embedder = StoppingEmbedder()

    async def overtake() -> None:
        await take(store, "Ada likes rum.")
        assert await IngestionWorker(store, HashEmbedder(), says_it, store.settings).step() is True

    embedder.before = overtake
    assert await IngestionWorker(store, embedder, says_it, store.settings).step() is True
    assert await said(store) == {"Ada likes rum.": ClaimStatus.CURRENT}


async def test_a_document_deleted_while_its_second_revision_is_read_leaves_nothing(store: Store) -> None:
    first = await take(store, "Ada likes tea.")
    embedder = StoppingEmbedder()
    worker = IngestionWorker(store, embedder, says_it, store.settings)
    assert await worker.step() is True
    await take(store, "Ada likes rum.")
    documents = Documents(store, HashEmbedder(), "scripted")

    async def delete() -> None:
        await documents.delete(await volume_of(store), first.document_id, "test")

    embedder.before = delete
    assert await worker.step() is True
    gone = (*EMPTY, "document", "document_revision", "ingestion", "fact_version", "job")
    assert set(map(len, (await dump(store, *gone)).values())) == {0}
    assert await worker.step() is False


async def test_of_revisions_that_come_at_once_the_last_one_stands_whichever_worker_reads_it(store: Store) -> None:
    """Six at a time for two workers that take a while; what stands is what the document says in the end, and only that."""
    await volume_of(store)
    random = Random(store.database.dialect)

    async def slowly(chunk: ChunkText) -> Extraction:
        await asyncio.sleep(random.random() / 20)
        return await says_it(chunk)

    workers = [IngestionWorker(store, HashEmbedder(), slowly, store.settings) for _ in range(2)]
    texts = [f"Ada likes {what}." for what in ("tea", "rum", "gin", "ale", "milk", "mead")]
    running = [asyncio.create_task(worker.run()) for worker in workers]
    try:
        for _ in range(2):
            random.shuffle(texts)
            taken = await asyncio.gather(*(take(store, text) for text in texts))
            runs = [await workers[0].finished(one.ingestion_id) for one in taken]
            assert {run.status for run in runs} <= {"DONE", "CANCELLED"}, [(run.status, run.error) for run in runs]
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    (document,) = await store.read.where(DocumentRecord)
    (content,) = await store.read.contents([(document.id, document.revision)])
    assert [text for text, status in (await said(store)).items() if status == ClaimStatus.CURRENT] == [content]
    assert set((await said(store)).values()) <= {ClaimStatus.CURRENT, ClaimStatus.RETRACTED}
    assert len({one.document_id for one in taken}) == 1
    assert await store.read.count(models.Job) == 0
