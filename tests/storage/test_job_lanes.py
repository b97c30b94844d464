"""Lanes: how many extractions run at once, and how many begin in a minute, over all workers."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from doubles import HashEmbedder
from sqlalchemy import select, update

from server import models
from server.services.documents import Documents, NewDocument
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.ingestion.worker import KILLS, STORE_LANE, IngestionWorker
from server.services.volumes import Volumes
from server.store import Store
from server.store.jobs import Job, JobQueue, Limit
from server.store.records import IngestionRecord
from server.store.relations import table_of
from server.store.transaction import utc_now
from server.terms import JobKind

_job, _lane = table_of(models.Job), table_of(models.Lane)
NAME = "scripted"


async def queued(store: Store, number: int) -> list[IngestionRecord]:
    """Queue so many documents and return their ingestions."""
    volume = await Volumes(store).ensure("default", "test")
    documents = Documents(store, HashEmbedder(), NAME)
    taken = [await documents.take(volume, NewDocument("N", f"Text {n}."), "test") for n in range(number)]
    rows = await store.read.by_ids(IngestionRecord, [one.ingestion_id for one in taken])
    return [row for row in rows if row is not None]


def queue(store: Store, limit: Limit, owner: str = "one") -> JobQueue:
    return JobQueue(store.database, owner, 30, {NAME: limit})


async def later(store: Store) -> None:
    """Let a minute pass for the lanes."""
    async with store.database.writing() as connection:
        await connection.execute(update(_lane).values(free_at=utc_now() - timedelta(seconds=1)))


async def test_no_more_jobs_of_a_lane_run_than_it_bears_whoever_claims_them(store: Store) -> None:
    await queued(store, 5)
    queues = [queue(store, Limit(concurrency=2), f"w{n}") for n in range(4)]
    claimed = await asyncio.gather(*(one.claim() for one in queues))
    jobs = [job for job in claimed if job is not None]
    assert len(jobs) == 2
    assert await queues[0].claim() is None
    holder = next(q for q, job in zip(queues, claimed, strict=True) if job is not None)
    await holder.advance(jobs[0], "{}", JobKind.RESOLVE, 0, STORE_LANE)
    assert await queues[3].claim() is not None
    assert await queues[3].claim() is None


async def test_a_lane_without_bounds_bears_any_number(store: Store) -> None:
    await queued(store, 5)
    one = queue(store, Limit())
    assert [await one.claim() is not None for _ in range(6)] == [True] * 5 + [False]
    assert await store.read.rows(select(_lane)) == []


async def test_the_jobs_of_a_lane_begin_no_faster_than_its_rate(store: Store) -> None:
    """Thirty a minute: one each two seconds, over all workers."""
    await queued(store, 3)
    one, other = queue(store, Limit(per_minute=30)), queue(store, Limit(per_minute=30), "other")
    before = utc_now()
    assert await one.claim() is not None
    after = utc_now()
    assert await other.claim() is None
    ((free_at,),) = await store.read.rows(select(_lane.c.free_at))
    assert before + timedelta(seconds=1.9) <= free_at <= after + timedelta(seconds=2.1)
    await later(store)
    assert await other.claim() is not None
    assert await one.claim() is None


async def test_a_worker_that_died_gives_its_place_in_the_lane_back(store: Store) -> None:
    first, _ = await queued(store, 2)
    one = queue(store, Limit(concurrency=1))
    job = await one.claim()
    assert job is not None
    assert await one.claim() is None
    async with store.database.writing() as connection:
        await connection.execute(
            update(_job).where(_job.c.id == job.id).values(lease_until=utc_now() - timedelta(seconds=1))
        )
    again = await one.claim()
    assert again is not None
    assert (again.ingestion_id, again.fence, again.kills) == (first.id, 2, 1)


async def test_the_steps_that_only_need_the_store_are_never_held_up(store: Store) -> None:
    await queued(store, 2)
    one = queue(store, Limit(concurrency=1, per_minute=1))
    job = await one.claim()
    assert job is not None
    following = await one.advance(job, "{}", JobKind.RESOLVE, 0, STORE_LANE)
    assert following == Job(*(following or ()))
    assert following is not None
    assert (following.kind, following.lane, following.fence, following.ingestion_id) == (
        "resolve",
        STORE_LANE,
        1,
        job.ingestion_id,
    )


async def test_the_next_chunk_of_a_bounded_lane_waits_its_turn(store: Store) -> None:
    await queued(store, 1)
    one = queue(store, Limit(concurrency=1))
    job = await one.claim()
    assert job is not None
    assert await one.advance(job, "{}", JobKind.CHUNK, 1, NAME, chunks_done=1, chunks_total=2) is None
    following = await one.claim()
    assert following is not None
    assert (following.ordinal, following.fence) == (1, 1)


async def test_a_worker_extracts_no_more_at_once_than_the_lane_bears(store: Store) -> None:
    """Four loops of one worker, six documents, two of them under way at a time."""
    runs = await queued(store, 6)
    at_once, most = 0, 0
    pairs = asyncio.Barrier(2)

    async def extract(_chunk: ChunkText) -> Extraction:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await pairs.wait()
        await asyncio.sleep(0.02)
        at_once -= 1
        return Extraction()

    settings = store.settings.model_copy(update={"extraction_workers": 3})
    worker = IngestionWorker(store, HashEmbedder(), extract, settings, {NAME: Limit(concurrency=2)})
    working = asyncio.create_task(worker.run())
    ended = [await worker.finished(run.id) for run in runs]
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    assert [row.status for row in ended] == ["DONE"] * 6
    assert most == 2


async def test_a_step_that_ends_its_workers_over_and_over_is_given_up(store: Store) -> None:
    (run,) = await queued(store, 1)
    async with store.database.writing() as connection:
        await connection.execute(update(_job).values(kills=KILLS))

    async def extract(_chunk: ChunkText) -> Extraction:
        raise AssertionError("it must not be read again")

    worker = IngestionWorker(store, HashEmbedder(), extract, store.settings)
    assert await worker.step() is True
    row = await store.read.one(IngestionRecord, run.id)
    assert row is not None
    assert (row.status, row.error) == ("FAILED", "20 workers ended or stood still over this step. It was given up.")


async def test_an_answer_in_the_spool_is_used_by_whoever_takes_over(store: Store) -> None:
    """The first worker had its answer and was killed before it could commit."""
    (run,) = await queued(store, 1)
    dead = queue(store, Limit())
    job = await dead.claim()
    assert job is not None
    store.spool.keep(job.id, '{"rejected":[{"kind":"fact","item":{},"reason":"because"}]}')
    async with store.database.writing() as connection:
        await connection.execute(update(_job).values(lease_until=utc_now() - timedelta(seconds=1)))

    async def extract(_chunk: ChunkText) -> Extraction:
        raise AssertionError("it had answered")

    assert await IngestionWorker(store, HashEmbedder(), extract, store.settings).step() is True
    row = await store.read.one(IngestionRecord, run.id)
    assert row is not None
    assert (row.status, row.error) == ("DONE", None)
    rows = await store.read.rows(select(table_of(models.Rejection).c.reason))
    assert [reason for (reason,) in rows] == ["because"]
    assert store.spool.jobs() == []
