"""Reading a document by Message Batches: the step that submits one, asks how it is, and takes in what it answered.

The chunks of a batch are read apart, without the names of earlier ones: what they name is joined by name when it is gathered.
Between two looks the step lies in the queue, without a lease. What a batch left open goes into another one, at most five
times; a refusal is final. The id of a batch is spooled the moment it is there: killed at any moment, no other is submitted.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

from server.llm import BatchGone, BatchRequest, ModelBusy, ModelFailure, ModelRefused, ModelUnreachable
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.ingestion.answers import decode_extraction, encode
from server.services.ingestion.failing import WAITS
from server.services.ingestion.run import Run
from server.store import Store
from server.store.batches import Batches, Submitted
from server.store.jobs import Job, LeaseLost
from server.terms import NO_USAGE, Usage

__all__ = ["BatchReader", "BatchReading"]

MOST_REQUESTS, MOST_BYTES = 100_000, 200_000_000
"""What goes into one batch; the API takes as many requests, and 256 MB."""
_SHARE, _SELDOM, _SOON = 4, 600.0, 5.0
"""A batch is asked after when a quarter of its age has gone by again, and at least every ten minutes."""
_log = logging.getLogger("loregraph.ingestion")


class BatchReader(Protocol):
    """What reads many chunks at once: ClaudeExtractor, which says how each fails."""

    async def request(self, chunk: ChunkText, model: str) -> BatchRequest: ...

    async def submit(self, requests: Mapping[str, BatchRequest], model: str) -> str: ...

    async def has_ended(self, batch: str) -> bool: ...

    async def results(self, batch: str, chunks: Mapping[str, ChunkText]) -> dict[str, Extraction | ModelFailure]: ...

    async def cancel(self, batch: str) -> None: ...


class BatchReading:
    """Does the steps of one worker that read by batches; `interval` is in seconds, from one look at a batch to the next.

    `check` makes sure that a step is still held; `patiently` does what needs the database, again while that is away.
    """

    def __init__(
        self,
        store: Store,
        batches: Batches,
        reader: BatchReader | None,
        interval: float,
        *,
        check: Callable[[Job], Awaitable[None]],
        patiently: Callable[[Callable[[], Awaitable[None]]], Awaitable[None]],
    ) -> None:
        self._store = store
        self._batches = batches
        self._reader = reader
        self._interval = interval
        self._check = check
        self._patiently = patiently

    async def step(self, job: Job, run: Run) -> bool:
        """Do what is to be done now; tell whether all chunks are read. If not, the step is put back, to be claimed when it is due.

        Raises:
            ModelFailure: it failed, and how.
            LeaseLost: the job is not this worker's any more.
        """
        if self._reader is None:
            told = (
                f"It is to be read by {run.ingestion.extractor}, but there is no key: set LOREGRAPH_ANTHROPIC_KEY, or"
            )
            raise ModelRefused(f"{told} retryIngestion to have it read offline.")
        waiting = await self._batches.of(job.id)
        if waiting is not None:
            if await self._goes_on(self._reader, job, waiting):
                delay = self._delay(waiting)
                await self._patiently(lambda: self._batches.wait(job, delay))
                return False
            await self._take_in(self._reader, job, run, waiting)
        kept = self._store.spool.find(job.id) if job.fence > 1 else None
        name = kept or await self._submitted(self._reader, job, run)
        if name is not None:
            await self._begin(job, name)
        return name is None

    async def _submitted(self, reader: BatchReader, job: Job, run: Run) -> str | None:
        """Submit what is not read yet and return the id of the batch; None where everything is read."""
        total, pending = await self._pending(job, run)
        if not pending:
            return None
        run.check_budget(total - len(pending), NO_USAGE)
        chosen = await self._chosen(reader, run, pending)
        # Nothing may wait between this look and the call: meanwhile another worker could have the job.
        await self._check(job)
        name = await reader.submit(chosen, run.ingestion.extractor)
        self._store.spool.keep(job.id, name)
        return name

    async def _chosen(self, reader: BatchReader, run: Run, pending: Mapping[str, ChunkText]) -> dict[str, BatchRequest]:
        """Return the requests of one batch: what fits into it, and is begun, by estimate, before the budget is spent."""
        chosen: dict[str, BatchRequest] = {}
        size, left = 0, run.left
        for name, text in pending.items():
            request = await reader.request(text, run.ingestion.extractor)
            size += request.size
            if chosen and (len(chosen) >= MOST_REQUESTS or size > MOST_BYTES or (left is not None and left <= 0)):
                break
            chosen[name] = request
            left = None if left is None else left - _tokens(request, text)
        return chosen

    async def _pending(self, job: Job, run: Run) -> tuple[int, dict[str, ChunkText]]:
        """Return the number of all chunks, and by the names of their requests those that are not read, or want a second look."""
        texts = await run.chunks()
        answers = await self._batches.answered(job.ingestion_id)
        known = {number: decode_extraction(answer) for number, answer in answers.items()}
        return len(texts), {
            f"{job.id}-{number}": replace(text, found=known.get(number))
            for number, text in enumerate(texts)
            if number not in known or known[number].unfinished
        }

    async def _begin(self, job: Job, name: str) -> None:
        try:
            await self._patiently(lambda: self._batches.begin(job, name, self._interval))
        except LeaseLost:
            await self._patiently(lambda: self._batches.abandon(job, name))
            raise

    async def _goes_on(self, reader: BatchReader, job: Job, waiting: Submitted) -> bool:
        try:
            return not await reader.has_ended(waiting.name)
        except BatchGone:
            await self._settle(job, {}, NO_USAGE)
            raise
        except ModelUnreachable as error:
            raise self._later(job, waiting, error) from error

    async def _take_in(self, reader: BatchReader, job: Job, run: Run, waiting: Submitted) -> None:
        """Commit what a batch has answered.

        Raises:
            ModelFailure: it has left something open, or was refused something.
        """
        total, pending = await self._pending(job, run)
        try:
            found = await reader.results(waiting.name, pending)
        except BatchGone:
            await self._settle(job, {}, NO_USAGE)
            raise
        except ModelUnreachable as error:
            raise self._later(job, waiting, error) from error
        answers, failed, usage = {}, {}, NO_USAGE
        for name, result in found.items():
            number, first = int(name.rpartition("-")[2]), pending[name].found
            if isinstance(result, ModelFailure):
                failed[number] = result
                usage = usage.plus(result.usage)
            else:
                answers[number] = encode(result)
                usage = usage.plus(result.usage if first is None else result.usage.minus(first.usage))
        unfinished = sum(isinstance(one, Extraction) and one.unfinished for one in found.values())
        done = total - len(pending) + len(answers) - unfinished
        await self._settle(job, answers, usage, chunks_done=done, chunks_total=total)
        run.spent += usage.total
        if not found:
            raise ModelUnreachable("The batch ended without a result.")
        if failed:
            raise _worst(failed)

    async def _settle(self, job: Job, answers: Mapping[int, str], usage: Usage, **progress: int) -> None:
        # Before the commit: killed between the two, the batch is still noted, and its results can be read again.
        self._store.spool.drop([job.id])
        await self._patiently(lambda: self._batches.settle(job, answers, usage, **progress))

    def _later(self, job: Job, waiting: Submitted, error: ModelUnreachable) -> ModelFailure:
        """Return what makes a step wait whose batch cannot be asked after: that goes on all the same, and is paid for."""
        return error if job.waits + 1 >= WAITS else ModelBusy(error.message, self._delay(waiting))

    def _delay(self, waiting: Submitted) -> float:
        age = (datetime.now(UTC) - waiting.submitted_at).total_seconds()
        return min(max(self._interval, age / _SHARE), max(self._interval, _SELDOM))

    async def cancel_abandoned(self) -> float:
        """Cancel the batches that nobody waits for any more; return the seconds after which to look again."""
        if self._reader is None:
            return _SELDOM
        pause = min(self._interval, _SOON)
        for name in await self._batches.abandoned():
            try:
                await self._reader.cancel(name)
            except (ModelBusy, ModelUnreachable) as error:
                _log.warning("The batch %s is not cancelled yet: %s", name, error.message)
                return max(pause, getattr(error, "wait", None) or 0.0)
            except ModelFailure as error:
                _log.info("The batch %s was not cancelled: %s", name, error.message)
            await self._batches.forget(name)
        return pause


def _worst(failed: Mapping[int, ModelFailure]) -> ModelFailure:
    """Return the failure of a batch: a refusal, where there is one, else that of the first chunk that failed."""
    number = min(failed, key=lambda one: (not isinstance(failed[one], ModelRefused), one))
    more = f" {len(failed) - 1} more failed." if len(failed) > 1 else ""
    kind = ModelRefused if isinstance(failed[number], ModelRefused) else ModelFailure
    return kind(f"Chunk {number}: {failed[number].message}{more}", failed[number].raw)


def _tokens(request: BatchRequest, text: ChunkText) -> int:
    """Return about how many tokens a request will take: three bytes are one, an answer takes twice those of its text."""
    return 100 + (request.size + 2 * len(text.text.encode("utf-8", "replace"))) // 3
