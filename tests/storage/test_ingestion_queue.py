"""The queue of ingestions: leases, fences, back-off, and processes that are killed in the middle."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from doubles import HashEmbedder
from numpy.typing import NDArray
from scripted import dump, extraction, fact, thing
from sqlalchemy import select, update
from storage.ingesting import SECTIONS, TEXT, read

from server import models
from server.config import Settings, variable
from server.errors import UpstreamUnavailable
from server.services.documents import Documents, NewDocument
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.ingestion.worker import ATTEMPTS, IngestionWorker
from server.services.volumes import Volumes
from server.store import Store
from server.store.backlog import backlog
from server.store.jobs import JobQueue, LeaseLost
from server.store.records import IngestionRecord, VolumeRecord
from server.store.relations import table_of
from server.store.transaction import utc_now

ADA = "Ada likes tea."
_job = table_of(models.Job)
Step = Callable[[], Awaitable[None]]


class StoppingEmbedder(HashEmbedder):
    """Does something first, once: `before`."""

    before: Step | None = None

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        step, self.before = self.before, None
        if step is not None:
            await step()
        return await super().embed(texts)


async def says_ada(_chunk: ChunkText) -> Extraction:
    return extraction([thing("Ada"), fact("Ada", "Likes tea", ADA)])


async def volume_of(store: Store) -> VolumeRecord:
    return await Volumes(store).ensure("default", "test")


async def queued(store: Store, text: str = ADA, mime_type: str = "text/plain") -> IngestionRecord:
    """Take a document in and return its ingestion."""
    new = NewDocument("Notes", text, mime_type)
    taken = await Documents(store, HashEmbedder(), "scripted").take(await volume_of(store), new, "test")
    return await state(store, taken.ingestion_id)


async def state(store: Store, id: Any) -> IngestionRecord:
    row = await store.read.one(IngestionRecord, id)
    assert row is not None
    return row


async def expire(store: Store) -> None:
    """Let the time of every lease, and of every back-off, be over."""
    past = utc_now() - timedelta(seconds=1)
    async with store.database.writing() as connection:
        await connection.execute(update(_job).where(_job.c.lease_until.is_not(None)).values(lease_until=past))
        await connection.execute(update(_job).where(_job.c.due_at.is_not(None)).values(due_at=past))


async def job_of(store: Store) -> Any:
    """Return the one job that is open."""
    (row,) = await store.read.rows(select(_job).where(_job.c.status.in_(("ready", "running"))))
    return row


def worker(
    store: Store, reads: Callable[[ChunkText], Awaitable[Extraction]] = says_ada, **more: Any
) -> IngestionWorker:
    return IngestionWorker(store, more.get("embedder") or HashEmbedder(), reads, store.settings)


async def numbers(store: Store) -> dict[str, int]:
    rows = await dump(store, "entity", "fact", "chunk", "mention", "evidence", "document_entity")
    return {name: len(found) for name, found in rows.items()}


ONCE = {"entity": 1, "fact": 1, "chunk": 1, "mention": 1, "evidence": 1, "document_entity": 1}


async def test_an_upstream_failure_is_tried_again_ever_later_and_then_given_up(store: Store) -> None:
    """After 1, 2, 4 and 8 seconds; the fifth failure is the last, and its message stays."""
    run = await queued(store)

    async def fails(_chunk: ChunkText) -> Extraction:
        raise UpstreamUnavailable("The model does not answer. Check its address.")

    failing = worker(store, fails)
    for wait in (1, 2, 4, 8):
        before = utc_now()
        assert await failing.step() is True
        now = await state(store, run.id)
        assert (now.status, now.error) == ("PENDING", "The model does not answer. Check its address.")
        until = (await job_of(store)).due_at
        assert timedelta(seconds=wait) <= until - before < timedelta(seconds=wait + 1)
        assert await failing.step() is False
        await expire(store)
    assert await failing.step() is True
    ended = await state(store, run.id)
    assert (ended.status, ended.error) == ("FAILED", "The model does not answer. Check its address.")
    assert ended.finished_at is not None
    assert ATTEMPTS == 5
    await expire(store)
    assert await failing.step() is False
    assert set((await numbers(store)).values()) == {0}


async def test_what_succeeds_after_failures_ends_without_error(store: Store) -> None:
    run = await queued(store)
    answers: list[Exception | None] = [UpstreamUnavailable("Not now."), UpstreamUnavailable("Not now."), None]

    async def fails_twice(chunk: ChunkText) -> Extraction:
        answer = answers.pop(0)
        if answer is not None:
            raise answer
        return await says_ada(chunk)

    one = worker(store, fails_twice)
    for _ in range(3):
        assert await one.step() is True
        await expire(store)
    ended = await state(store, run.id)
    assert (ended.status, ended.error, ended.facts_found) == ("DONE", None, 1)
    assert await numbers(store) == ONCE


async def test_the_oldest_document_comes_first_and_none_is_given_twice(store: Store) -> None:
    runs = [await queued(store, f"Text number {n}.") for n in range(12)]
    queues = [JobQueue(store.database, f"w{n}", 30) for n in range(4)]
    first = await queues[0].claim()
    assert first is not None
    assert first.ingestion_id == runs[0].id
    assert await backlog(store.read) == (11, 1)
    claimed = await asyncio.gather(*(queues[n % 4].claim() for n in range(16)))
    ids = [job.ingestion_id for job in claimed if job is not None]
    assert sorted(ids) == [run.id for run in runs[1:]]
    assert await queues[0].claim() is None


async def test_a_second_worker_takes_over_only_after_the_lease(store: Store) -> None:
    run = await queued(store)
    first, second = JobQueue(store.database, "first", 0.6), worker(store)
    claimed = await first.claim()
    assert claimed is not None
    assert await second.step() is False
    await asyncio.sleep(0.4)
    await first.renew([claimed.id])
    await asyncio.sleep(0.4)
    assert await second.step() is False
    await asyncio.sleep(0.4)
    assert await second.step() is True
    assert (await state(store, run.id)).status == "DONE"
    assert await numbers(store) == ONCE
    await first.renew([claimed.id])
    for late in (first.retry(claimed, "late", 0), first.bury(claimed, "late"), first.note(claimed, chunks_total=9)):
        with pytest.raises(LeaseLost):
            await late
    ended = await state(store, run.id)
    assert (ended.status, ended.error, ended.chunks_total) == ("DONE", None, 1)


async def test_a_worker_at_work_keeps_its_lease(settings: Settings, store: Store) -> None:
    """Reading takes three leases; nobody else gets the document meanwhile."""
    await queued(store)
    short = settings.model_copy(update={"ingestion_lease": 0.3})
    started = asyncio.Event()

    async def slow(chunk: ChunkText) -> Extraction:
        started.set()
        await asyncio.sleep(0.9)
        return await says_ada(chunk)

    working = asyncio.create_task(IngestionWorker(store, HashEmbedder(), slow, short).step())
    await started.wait()
    other = JobQueue(store.database, "other", 0.3)
    while not working.done():
        assert await other.claim() is None
        await asyncio.sleep(0.05)
    assert await working is True
    assert await numbers(store) == ONCE


async def test_a_late_worker_is_fenced_out_while_it_reads(store: Store) -> None:
    run = await queued(store)

    async def overtaken(chunk: ChunkText) -> Extraction:
        await expire(store)
        assert await worker(store).step() is True
        return extraction([thing("Ada"), fact("Ada", "Says something else", ADA)])

    assert await worker(store, overtaken).step() is True
    assert (await state(store, run.id)).status == "DONE"
    assert await numbers(store) == ONCE
    assert [row for row in (await dump(store, "fact"))["fact"] if "Says something else" in row] == []


async def test_a_late_worker_is_fenced_out_when_it_writes(store: Store) -> None:
    """It loses the lease after its last chunk: its transaction must not commit."""
    run = await queued(store)
    embedder = StoppingEmbedder()

    async def overtake() -> None:
        await expire(store)
        assert await worker(store).step() is True

    embedder.before = overtake
    assert await worker(store, embedder=embedder).step() is True
    assert embedder.before is None
    assert (await state(store, run.id)).status == "DONE"
    assert await numbers(store) == ONCE


async def test_a_late_worker_does_not_write_while_the_next_one_still_reads(store: Store) -> None:
    run = await queued(store)
    embedder, next_one = StoppingEmbedder(), JobQueue(store.database, "next", 30)

    async def overtake() -> None:
        await expire(store)
        assert await next_one.claim() is not None

    embedder.before = overtake
    assert await worker(store, embedder=embedder).step() is True
    assert (await state(store, run.id)).status == "RUNNING"
    assert set((await numbers(store)).values()) == {0}
    await next_one.release()
    assert await worker(store).step() is True
    assert await numbers(store) == ONCE


async def test_a_late_failure_does_not_end_what_another_has_finished(store: Store) -> None:
    run = await queued(store)

    async def overtaken(_chunk: ChunkText) -> Extraction:
        await expire(store)
        assert await worker(store).step() is True
        raise ValueError("too late")

    assert await worker(store, overtaken).step() is True
    ended = await state(store, run.id)
    assert (ended.status, ended.error) == ("DONE", None)


@pytest.mark.parametrize("moment", ["reading", "writing"])
async def test_a_document_deleted_while_it_is_read_leaves_nothing_and_harms_nobody(store: Store, moment: str) -> None:
    run, other = await queued(store), await queued(store, "Bob is here.")
    volume = await volume_of(store)
    documents, embedder = Documents(store, HashEmbedder(), "scripted"), StoppingEmbedder()

    async def delete() -> None:
        await documents.delete(volume, run.document_id, "test")

    async def reads(chunk: ChunkText) -> Extraction:
        if moment == "reading" and chunk.text == ADA:
            await delete()
        return await says_ada(chunk) if chunk.text == ADA else Extraction()

    embedder.before = delete if moment == "writing" else None
    one = worker(store, reads, embedder=embedder)
    assert await one.step() is True
    assert await store.read.one(IngestionRecord, run.id) is None
    assert set((await numbers(store)).values()) == {0}
    assert await one.step() is True
    assert (await state(store, other.id)).status == "DONE"
    assert await numbers(store) == {**dict.fromkeys(ONCE, 0), "chunk": 1}


async def test_a_volume_deleted_while_a_document_of_it_is_read_harms_nobody(store: Store) -> None:
    await queued(store)
    embedder = StoppingEmbedder()

    async def delete() -> None:
        await Volumes(store).delete(await volume_of(store), "default", "test")

    embedder.before = delete
    assert await worker(store, embedder=embedder).step() is True
    assert set((await numbers(store)).values()) == {0}
    assert await worker(store).step() is False


async def test_a_worker_that_is_told_to_stop_gives_its_document_back_at_once(store: Store) -> None:
    run = await queued(store)
    started = asyncio.Event()

    async def endless(_chunk: ChunkText) -> Extraction:
        started.set()
        await asyncio.Event().wait()
        return Extraction()

    running = asyncio.create_task(worker(store, endless).run())
    await started.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    now = await state(store, run.id)
    job = await job_of(store)
    assert (now.status, job.status, job.failures, job.kills, job.lease_until) == ("PENDING", "ready", 0, 0, None)
    assert await worker(store).step() is True
    assert await numbers(store) == ONCE


async def test_being_killed_is_no_failure_of_the_document(store: Store) -> None:
    """Ten workers die over it; the first real failure is still the first."""
    run = await queued(store)
    for n in range(10):
        assert await JobQueue(store.database, f"w{n}", 30).claim() is not None
        await expire(store)

    async def fails(_chunk: ChunkText) -> Extraction:
        raise UpstreamUnavailable("Not now.")

    assert await worker(store, fails).step() is True
    assert (await state(store, run.id)).status == "PENDING"


async def test_progress_is_seen_while_a_document_is_read(store: Store) -> None:
    run = await queued(store, TEXT, "text/markdown")
    seen: list[tuple[str, int, int]] = []

    async def looks(chunk: ChunkText) -> Extraction:
        now = await state(store, run.id)
        seen.append((now.status, now.chunks_done, now.chunks_total))
        return await read(chunk)

    assert await worker(store, looks).step() is True
    assert seen == [("RUNNING", n, 6) for n in range(6)]
    assert (await state(store, run.id)).chunks_done == 6


async def _process(settings: Settings, fatal: int) -> tuple[int, str]:
    """Run a worker in a process of its own; return its exit code and what it printed."""
    stated = {variable(name): str(getattr(settings, name)) for name in settings.model_fields_set}
    folder = Path(__file__).parent
    paths = os.pathsep.join((str(folder.parent.parent), str(folder.parent)))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(folder / "ingesting.py"),
        str(fatal),
        env={**os.environ, **stated, "PYTHONPATH": paths},
        stdout=asyncio.subprocess.PIPE,
    )
    printed, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, printed.decode().strip()


async def _content(store: Store) -> dict[str, list[Any]]:
    """Return what the tables say, without ids and times."""
    wanted: dict[type[Any], tuple[str, ...]] = {
        models.Chunk: ("ordinal", "start", "end", "text"),
        models.Entity: ("name", "type", "version"),
        models.Fact: ("content", "confidence", "version"),
        models.Relationship: ("type", "confidence", "version"),
        models.Evidence: ("quote", "start", "end"),
        models.Mention: ("start", "end", "note"),
        models.Rejection: ("ordinal", "reason"),
        models.Ingestion: ("status", "error", "facts_found", "relationships_found", "entities_found"),
        models.Change: ("seq", "kind", "node_kind", "after"),
        models.PendingVector: ("kind", "text"),
    }
    found = {}
    for model, columns in wanted.items():
        table = table_of(model)
        rows = await store.read.rows(select(*(table.c[name] for name in columns)))
        found[table.name] = sorted((_without_ids(row) for row in rows), key=repr)
    return found


def _without_ids(row: Any) -> tuple[Any, ...]:
    ids = ("subject_id", "source_id", "target_id")
    return tuple(
        {k: v for k, v in value.items() if k not in ids} if isinstance(value, dict) else value for value in row
    )


async def _killed_at(settings: Settings, store: Store, places: Sequence[int]) -> None:
    """Kill a worker before each of these statements in turn, then let one finish; compare with a run that nobody killed."""
    run = await queued(store, TEXT, "text/markdown")
    for place in places:
        code, _ = await _process(settings, place)
        assert code == -signal.SIGKILL
        now = await state(store, run.id)
        if now.status != "DONE":
            assert set((await numbers(store)).values()) == {0}
        await expire(store)
    while await worker(store, read).step():
        pass
    content = await _content(store)
    assert [row[0] for row in content["ingestion"]] == ["DONE"]
    assert {name: len(rows) for name, rows in content.items() if name != "change"} == {
        "chunk": 6,
        "entity": 7,
        "fact": 6,
        "relationship": 6,
        "evidence": 12,
        "mention": 12,
        "rejection": 6,
        "ingestion": 1,
        "pending_vector": 19,
    }
    assert [row[3] for row in content["chunk"]] == list(SECTIONS)
    # volume, document, seven entities, six facts, six relationships
    assert sorted(row[0] for row in content["change"]) == list(range(1, 22))


@pytest.mark.parametrize("places", [(2, 20), (28, 34)], ids=["reading", "writing"])
async def test_a_process_killed_in_the_middle_leaves_everything_there_once_after_a_restart(
    settings: Settings, store: Store, places: tuple[int, int]
) -> None:
    """kill -9 before a statement or commit chosen at random: while it reads, and in the transaction that writes."""
    await _killed_at(settings, store, [random.Random(store.database.dialect).randint(*places)])


@pytest.mark.soak
@pytest.mark.parametrize("place", range(1, 34))
async def test_a_process_killed_before_any_statement_leaves_everything_there_once(
    settings: Settings, store: Store, place: int
) -> None:
    await _killed_at(settings, store, [place, place + 1])
