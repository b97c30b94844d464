"""The worker of ingestions: it takes steps from the queue and runs them, one document after the other in each of its loops.

The steps are: extract each chunk in turn, or all by batches; gather what the document says; write it. A step thinks outside any transaction,
then commits its answer together with the next step, fenced by its claim: killed at any moment, it leaves the last step
that was committed, and another worker goes on from there. An answer that came back is spooled before anything else happens.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar
from uuid import UUID, uuid4

from server.config import Settings
from server.embeddings import Embedder
from server.errors import NotFound, ServerError, UpstreamUnavailable
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.indexing import Together
from server.services.ingestion.answers import decode_extraction, decode_reading, encode
from server.services.ingestion.batching import BatchReader, BatchReading
from server.services.ingestion.failing import ATTEMPTS, GiveUp, TryAgain, Wait, consequence
from server.services.ingestion.run import Run
from server.services.ingestion.writer import DocumentWriter
from server.services.reading import Gathering
from server.store import Store
from server.store.batches import Batches
from server.store.jobs import Job, JobQueue, LeaseLost, Limit
from server.store.records import IngestionRecord
from server.store.signals import rest
from server.terms import NO_USAGE, UNFINISHED, JobKind, Usage

__all__ = ["ATTEMPTS", "KILLS", "STORE_LANE", "WRITERS", "Extract", "IngestionWorker"]

WRITERS = 4
KILLS = 20
"""Workers that may die over one step before it is given up: by then the step is what kills them."""
STORE_LANE = "store"
_SWEEP, _RETRY = 600.0, 5.0
_KEYLESS = (
    "It waits for a worker that has a key of Claude: set LOREGRAPH_ANTHROPIC_KEY there. cancelIngestion and then retryIngestion "
    "have it read offline."
)
_log = logging.getLogger("loregraph.ingestion")
_NOTHING = "null"
Extract = Callable[[ChunkText], Awaitable[Extraction]]
T = TypeVar("T")


class IngestionWorker:
    """Works on the queue for as long as `run` runs: as many documents at a time as extract, and `WRITERS` that are written.

    What those need embedded is embedded together.

    `limits` bound the extraction by lane, over all workers. `reader` reads the documents that are read by batches. Where `lanes` are
    given, what stands in others is left to other workers: it is for Claude, and this one has no key.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        extract: Extract,
        settings: Settings,
        limits: Mapping[str, Limit] | None = None,
        reader: BatchReader | None = None,
        lanes: Collection[str] | None = None,
    ) -> None:
        self._store = store
        self._embedder = Together(embedder, lambda: min(WRITERS, len(self._held)))
        self._extract = extract
        self._extracting = asyncio.Semaphore(settings.extractions_at_once)
        self._settings = settings
        self._queue = JobQueue(store.database, uuid4().hex, settings.ingestion_lease, limits, lanes)
        batches = Batches(store.database, store.read, self._queue)
        own = {"interval": settings.claude_batch_interval, "patience": settings.claude_timeout}
        self._batching = BatchReading(store, batches, reader, **own, check=self._check, patiently=self._patiently)
        self._wake = asyncio.Event()
        self._ended = asyncio.Condition()
        # What is held, by claim: the moment, of a clock that goes on while this process stands still, when it was last ours.
        self._held: dict[tuple[UUID, int], float] = {}
        self._beating: asyncio.Task[None] | None = None
        store.signals.subscribe(self.wake)

    def wake(self) -> None:
        """Say that a document was queued."""
        self._wake.set()

    async def run(self) -> None:
        """Work until cancelled; what is under way then is given back at once, for whoever comes next."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._keep_swept())
                group.create_task(self._keep_cancelling())
                group.create_task(self._keep_telling())
                await self._dispatch(group)
        finally:
            await self._queue.release()

    async def _dispatch(self, group: asyncio.TaskGroup) -> None:
        """Take up what waits, in as many places as there are. One looks for all: each commit of anybody wakes the worker."""
        places = asyncio.Semaphore(self._settings.extractions_at_once + WRITERS)

        def leave(_: asyncio.Task[None]) -> None:
            places.release()
            self.wake()

        while True:
            await places.acquire()
            self._wake.clear()
            try:
                job = await self._claimed()
            except ServerError as error:
                _log.warning("The ingestion worker waits: %s", error.message)
                job = None
            if job is None:
                places.release()
                await rest(self._wake, 0.5)
            else:
                group.create_task(self._work_alone(job)).add_done_callback(leave)

    async def _work_alone(self, job: Job) -> None:
        try:
            await self._work(job)
        except ServerError as error:
            _log.warning("Ingestion %s waits: %s", job.ingestion_id, error.message)

    async def _keep_swept(self) -> None:
        """Remove, from time to time, answers that workers left which died between the commit and the removal."""
        while True:
            try:
                await self._store.sweep_spool()
            except ServerError as error:
                _log.warning("The spool was not swept: %s", error.message)
            await asyncio.sleep(_SWEEP)

    async def _keep_cancelling(self) -> None:
        """Cancel batches whose ingestions were cancelled, or whose documents are gone."""
        pause = 0.0
        while True:
            await asyncio.sleep(pause)
            try:
                pause = await self._batching.cancel_abandoned()
            except ServerError as error:
                _log.warning("Batches were not cancelled: %s", error.message)
                pause = _RETRY

    async def _keep_telling(self) -> None:
        """Say of what is left to workers that have a key, and that none takes up, why it waits."""
        left: set[UUID] = set()
        while True:
            try:
                left = await self._queue.tell_left(_KEYLESS, left)
            except ServerError as error:
                _log.warning("It was not told what waits for a key: %s", error.message)
            await asyncio.sleep(self._settings.ingestion_lease)

    async def step(self) -> bool:
        """Take up one ingestion and follow it until it ends, fails or has to wait; False where none can be taken up."""
        job = await self._claimed()
        if job is not None:
            await self._work(job)
        return job is not None

    async def _claimed(self) -> Job | None:
        asked = time.monotonic()
        job = await self._queue.claim()
        if job is not None:
            self._held[job.id, job.fence] = asked
        return job

    async def _work(self, job: Job) -> None:
        self._beating = self._beating or asyncio.create_task(self._beat())
        try:
            await (self._give_up(job) if job.kills >= KILLS else self._follow(job))
        finally:
            self._held.pop((job.id, job.fence), None)
            if not self._held and self._beating is not None:
                self._beating.cancel()
                self._beating = None
            async with self._ended:
                self._ended.notify_all()

    async def _give_up(self, job: Job) -> None:
        told = f"{job.kills} workers ended or stood still over this step. It was given up."
        await self._patiently(partial(self._bury, job, told))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._settings.ingestion_lease / 3)
            try:
                await self._renew()
            except ServerError as error:
                _log.warning("The leases could not be prolonged: %s", error.message)

    async def _renew(self) -> None:
        asked = time.monotonic()
        for claim in await self._queue.renew([id for id, _ in self._held]):
            if claim in self._held:
                self._held[claim] = asked

    async def _check(self, job: Job) -> None:
        """Make sure, before what is costly, that the lease has not run out unnoticed: the process may have stood still.

        Raises:
            LeaseLost: another worker may have the job.
        """
        if time.monotonic() > self._held[job.id, job.fence] + self._settings.ingestion_lease * 0.9:
            await self._renew()
            if time.monotonic() > self._held[job.id, job.fence] + self._settings.ingestion_lease:
                raise LeaseLost("Another worker may have it.")

    async def _follow(self, job: Job) -> None:
        run: Run | None = None
        following: Job | None = job
        while following is not None:
            job = following
            try:
                run = run or await self._taken_up(job)
                following = await self._do(job, run)
                self._store.spool.drop([job.id])
            except (LeaseLost, NotFound):
                _log.info("Ingestion %s is not ours any more.", job.ingestion_id)
                await self._patiently(partial(self._store.sweep_spool, [job.id]))
                return
            except ServerError as error:
                await self._patiently(partial(self._again_or_bury, job, error))
                return
            except Exception:  # noqa: BLE001
                # The worker loop is one of the two places that may catch everything: one document must not stop the others.
                _log.exception("Ingestion %s failed.", job.ingestion_id)
                told = f"Internal error. The server's log has the details under {job.ingestion_id}."
                await self._patiently(partial(self._bury, job, told))
                return
            finally:
                self._held.pop((job.id, job.fence), None)

    async def _again_or_bury(self, job: Job, error: ServerError) -> None:
        with suppress(LeaseLost):
            match consequence(job, error, ATTEMPTS):
                case Wait(delay, told):
                    await self._queue.wait(job, told, delay)
                case TryAgain(delay, told, usage):
                    await self._queue.retry(job, told, delay, usage)
                case GiveUp(told, raw, usage):
                    await self._queue.bury(job, told, raw, usage.plus(self._spooled_usage(job)))

    def _spooled_usage(self, job: Job) -> Usage:
        """Return what a first look took whose second one failed."""
        kept = self._store.spool.find(job.id) if job.kind == JobKind.CHUNK else None
        return NO_USAGE if kept is None else decode_extraction(kept).usage

    async def _bury(self, job: Job, told: str) -> None:
        with suppress(LeaseLost):
            await self._queue.bury(job, told)

    async def _patiently(self, act: Callable[[], Awaitable[T]]) -> T:
        """Do what needs the database; while that is away, try again for as long as a lease lasts."""
        end, pause = time.monotonic() + self._settings.ingestion_lease, 0.05
        while True:
            try:
                return await act()
            except UpstreamUnavailable:
                if time.monotonic() + pause > end:
                    raise
            await asyncio.sleep(pause)
            pause = min(2.0, pause * 2)

    async def _taken_up(self, job: Job) -> Run:
        found = await self._store.read.to_ingest(job.ingestion_id)
        if found is None:
            raise LeaseLost("The document is gone.")
        return Run(*found)

    async def _do(self, job: Job, run: Run) -> Job | None:
        """Do one step, commit it and return the next, if that is this worker's."""
        if job.kind == JobKind.CHUNK:
            return await self._read_chunk(job, run)
        if job.kind == JobKind.BATCH:
            done = await self._batching.step(job, run)
            return await self._advance(job, _NOTHING, JobKind.RESOLVE, 0, STORE_LANE) if done else None
        if job.kind == JobKind.RESOLVE:
            return await self._resolve(job, run)
        await self._write(job, run)
        return None

    async def _gathered(self, job: Job, run: Run) -> Gathering:
        """Return what the chunks before have said."""
        if run.gathering is None:
            gathering = await run.cut()
            begun = job.kind != JobKind.CHUNK or job.ordinal > 0
            answers = await self._queue.answers(job.ingestion_id, JobKind.CHUNK) if begun else []
            for number, answer in enumerate(answers):
                gathering.add(number, decode_extraction(answer))
            run.gathering = gathering
        return run.gathering

    async def _read_chunk(self, job: Job, run: Run) -> Job | None:
        gathering = await self._gathered(job, run)
        total, number = len(gathering.reading.chunks), job.ordinal
        if number == 0 and total > 1:
            await self._queue.note(job, chunks_total=total)
        text = replace(gathering.text(number), reader=job.lane, vocabulary=run.vocabulary)
        found, answer = await self._answered(job, run, text)
        run.spent += found.usage.total
        gathering.add(number, found)
        kind, ordinal = (JobKind.CHUNK, number + 1) if number + 1 < total else (JobKind.RESOLVE, 0)
        lane = job.lane if kind is JobKind.CHUNK else STORE_LANE
        progress = {"chunks_done": number + 1, "chunks_total": total}
        return await self._advance(job, answer, kind, ordinal, lane, found.usage, **progress)

    async def _answered(self, job: Job, run: Run, text: ChunkText) -> tuple[Extraction, str]:
        """Return what a chunk says, and that as JSON: from the spool, where a worker before has had the answer."""
        async with self._extracting:
            # Nothing may wait between these looks and the call: meanwhile another worker could have the job, or answer.
            await self._check(job)
            answer = self._store.spool.find(job.id) if job.fence > 1 else None
            found = None if answer is None else decode_extraction(answer)
            while answer is None or found is None or found.unfinished:
                await self._check(job)
                run.check_budget(job.ordinal, NO_USAGE if found is None else found.usage)
                found = await self._extract(replace(text, found=found))
                answer = encode(found)
                self._store.spool.keep(job.id, answer)
            return found, answer

    async def _resolve(self, job: Job, run: Run) -> Job | None:
        run.reading = (await self._gathered(job, run)).reading
        answer = encode(run.reading)
        return await self._advance(job, answer, JobKind.WRITE, 0, STORE_LANE)

    async def _advance(
        self, job: Job, answer: str, kind: JobKind, ordinal: int, lane: str, usage: Usage = NO_USAGE, **progress: int
    ) -> Job | None:
        async def commit() -> Job | None:
            asked = time.monotonic()
            following = await self._queue.advance(job, answer, kind, ordinal, lane, usage, **progress)
            if following is not None:
                self._held[following.id, following.fence] = asked
            return following

        return await self._patiently(commit)

    async def _write(self, job: Job, run: Run) -> None:
        if run.reading is None:
            (answer,) = await self._queue.answers(job.ingestion_id, JobKind.RESOLVE)
            run.reading = decode_reading(answer)
        writer = DocumentWriter(self._store, self._embedder, run.document, run.content, run.reading)
        await writer.prepare()

        async def write() -> None:
            nonlocal writer
            attempt, writer = writer, writer.anew()
            async with self._store.write(job.volume_id, run.ingestion.actor) as tx:
                counts = await attempt.write(tx, job.ingestion_id)
                await self._queue.finish(tx, job, **counts)

        await self._patiently(write)

    async def finished(self, id: UUID) -> IngestionRecord:
        """Wait until an ingestion has ended, whoever works on it, and return it.

        Raises:
            NotFound: it was deleted meanwhile.
        """
        while True:
            row = await self._store.read.one(IngestionRecord, id)
            if row is None:
                raise NotFound("The document was deleted while it was read.", argument="id")
            if row.status not in UNFINISHED:
                return row
            try:
                async with asyncio.timeout(0.2), self._ended:
                    await self._ended.wait()
            except TimeoutError:
                continue
