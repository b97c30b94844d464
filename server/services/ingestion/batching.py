"""Reading a document by Message Batches: the step that submits one, asks how it is, and takes in what it answered.

The chunks of a batch are read apart, without the names of earlier ones: what they name is joined by name when it is gathered.
Between two looks the step lies in the queue, without a lease. What a batch left open goes into another one, at most five
times; a refusal is final. A batch is noted before it is submitted, and each of its requests is named after that note: one
whose answer was lost, the worker killed or the connection cut, is found among those of the key, and not submitted again.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Protocol
from uuid import UUID

from server.ids import new_id
from server.llm import (
    BatchGone,
    BatchRequest,
    ListedBatch,
    ModelBusy,
    ModelFailure,
    ModelRefused,
    ModelUnreachable,
)
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
_SKEW = timedelta(minutes=5)
"""How far the API's clock may be from ours."""
_KEPT = timedelta(days=2)
"""By then a batch has ended, whatever became of it: there is nothing to cancel."""
_UNKNOWN = (
    "Whether its batch was taken is not known, for the answer did not come. It is looked for among those of the key."
)
_log = logging.getLogger("loregraph.ingestion")


class BatchReader(Protocol):
    """What reads many chunks at once: ClaudeExtractor, which says how each fails."""

    async def request(self, chunk: ChunkText, model: str) -> BatchRequest: ...

    async def submit(self, requests: Mapping[str, BatchRequest], model: str) -> str: ...

    async def has_ended(self, batch: str) -> bool: ...

    async def results(self, batch: str, chunks: Mapping[str, ChunkText]) -> dict[str, Extraction | ModelFailure]: ...

    async def names(self, batch: str) -> set[str]: ...

    async def batches(self, since: datetime) -> list[ListedBatch]: ...

    async def cancel(self, batch: str) -> None: ...


class _Search(NamedTuple):
    """What a search for a batch has found: its name, or whether there are some of which only their end will tell."""

    name: str | None = None
    undecided: bool = False


class BatchReading:
    """Does the steps of one worker that read by batches; `interval` is in seconds, from one look at a batch to the next.

    A batch of which no answer has come, and that is not listed `patience` seconds after it was submitted, was not taken.
    `check` makes sure that a step is still held; `patiently` does what needs the database, again while that is away.
    """

    def __init__(
        self,
        store: Store,
        batches: Batches,
        reader: BatchReader | None,
        interval: float,
        patience: float,
        *,
        check: Callable[[Job], Awaitable[None]],
        patiently: Callable[[Callable[[], Awaitable[None]]], Awaitable[None]],
    ) -> None:
        self._store = store
        self._batches = batches
        self._reader = reader
        self._interval = interval
        self._patience = timedelta(seconds=patience)
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
        if waiting is not None and await self._waits(self._reader, job, run, waiting):
            return False
        return not await self._submitted(self._reader, job, run)

    async def _waits(self, reader: BatchReader, job: Job, run: Run, waiting: Submitted) -> bool:
        """Put a step back whose batch has not answered yet, and tell so; what one has answered is committed."""
        if waiting.name is None:
            return await self._looks_for(reader, job, waiting)
        if await self._goes_on(reader, job, waiting, waiting.name):
            delay = self._delay(waiting)
            await self._patiently(lambda: self._batches.wait(job, delay))
            return True
        await self._take_in(reader, job, run, waiting, waiting.name)
        return False

    async def _looks_for(self, reader: BatchReader, job: Job, intent: Submitted) -> bool:
        """Tell whether a step has to wait on for a batch that may have been taken; one that was not is forgotten."""
        kept = self._store.spool.find(intent.id)
        try:
            found = _Search(kept) if kept else await self._search(reader, intent)
        except ModelUnreachable as error:
            raise self._later(job, intent, error) from error
        if found.name is not None:
            await self._begin(job, intent.id, found.name, 0)
        elif found.undecided or datetime.now(UTC) < intent.submitted_at + self._patience:
            delay = self._delay(intent)
            await self._patiently(lambda: self._batches.wait(job, delay, _UNKNOWN))
        else:
            await self._patiently(lambda: self._batches.drop(job, intent.id))
            return False
        return True

    async def _search(self, reader: BatchReader, intent: Submitted) -> _Search:
        """Look for a batch among those of the key. Only the names of its requests prove which one it is, once it has ended."""
        try:
            listed = await reader.batches(intent.submitted_at - _SKEW)
        except BatchGone:
            return _Search()
        known, last = await self._batches.names(), intent.submitted_at + self._patience + _SKEW
        fitting = [
            one
            for one in listed
            if one.requests == intent.requests and one.created_at <= last and one.name not in known
        ]
        for one in fitting:
            if one.ended and await self._is_of(reader, one.name, intent.id):
                return _Search(one.name)
        return _Search(undecided=not all(one.ended for one in fitting))

    async def _is_of(self, reader: BatchReader, name: str, id: UUID) -> bool:
        try:
            return any(request.startswith(f"{id}-") for request in await reader.names(name))
        except BatchGone:
            return False

    async def _submitted(self, reader: BatchReader, job: Job, run: Run) -> bool:
        """Submit what is not read yet, and put the step back; False where everything is read."""
        total, pending = await self._pending(job, run)
        if not pending:
            return False
        run.check_budget(total - len(pending), NO_USAGE)
        chosen, id = await self._chosen(reader, run, pending), new_id()
        await self._patiently(lambda: self._batches.intend(job, id, len(chosen)))
        # Nothing may wait between this look and the call: meanwhile another worker could have the job.
        await self._check(job)
        try:
            name = await reader.submit(
                {f"{id}-{number}": one for number, one in chosen.items()}, run.ingestion.extractor
            )
        except (ModelBusy, ModelRefused):
            await self._patiently(lambda: self._batches.drop(job, id))
            raise
        self._store.spool.keep(id, name)
        await self._begin(job, id, name, self._interval)
        return True

    async def _chosen(self, reader: BatchReader, run: Run, pending: Mapping[int, ChunkText]) -> dict[int, BatchRequest]:
        """Return the requests of one batch: what fits into it, and is begun, by estimate, before the budget is spent."""
        chosen: dict[int, BatchRequest] = {}
        size, left = 0, run.left
        for number, text in pending.items():
            request = await reader.request(text, run.ingestion.extractor)
            size += request.size
            if chosen and (len(chosen) >= MOST_REQUESTS or size > MOST_BYTES or (left is not None and left <= 0)):
                break
            chosen[number] = request
            left = None if left is None else left - _tokens(request, text)
        return chosen

    async def _pending(self, job: Job, run: Run) -> tuple[int, dict[int, ChunkText]]:
        """Return how many chunks there are, and by their numbers those that are not read, or want a second look."""
        texts = await run.chunks()
        answers = await self._batches.answered(job.ingestion_id)
        known = {number: decode_extraction(answer) for number, answer in answers.items()}
        return len(texts), {
            number: replace(text, found=known.get(number))
            for number, text in enumerate(texts)
            if number not in known or known[number].unfinished
        }

    async def _begin(self, job: Job, id: UUID, name: str, delay: float) -> None:
        try:
            await self._patiently(lambda: self._batches.begin(job, id, name, delay))
        except LeaseLost:
            await self._patiently(lambda: self._batches.note(id, name))
            raise

    async def _goes_on(self, reader: BatchReader, job: Job, waiting: Submitted, name: str) -> bool:
        try:
            return not await reader.has_ended(name)
        except BatchGone:
            await self._settle(job, waiting, {}, NO_USAGE)
            raise
        except ModelUnreachable as error:
            raise self._later(job, waiting, error) from error

    async def _take_in(self, reader: BatchReader, job: Job, run: Run, waiting: Submitted, batch: str) -> None:
        """Commit what a batch has answered.

        Raises:
            ModelFailure: it has left something open, or was refused something.
        """
        total, pending = await self._pending(job, run)
        try:
            texts = {f"{waiting.id}-{number}": text for number, text in pending.items()}
            found = await reader.results(batch, texts)
        except BatchGone:
            await self._settle(job, waiting, {}, NO_USAGE)
            raise
        except ModelUnreachable as error:
            raise self._later(job, waiting, error) from error
        answers, failed, usage = {}, {}, NO_USAGE
        for name, result in found.items():
            number, first = int(name.rpartition("-")[2]), texts[name].found
            if isinstance(result, ModelFailure):
                failed[number] = result
                usage = usage.plus(result.usage)
            else:
                answers[number] = encode(result)
                usage = usage.plus(result.usage if first is None else result.usage.minus(first.usage))
        unfinished = sum(isinstance(one, Extraction) and one.unfinished for one in found.values())
        done = total - len(pending) + len(answers) - unfinished
        await self._settle(job, waiting, answers, usage, chunks_done=done, chunks_total=total)
        run.spent += usage.total
        if not found:
            raise ModelUnreachable("The batch ended without a result.")
        if failed:
            raise _worst(failed)

    async def _settle(
        self, job: Job, waiting: Submitted, answers: Mapping[int, str], usage: Usage, **progress: int
    ) -> None:
        # Before the commit: killed between the two, the batch is still noted, and its results can be read again.
        self._store.spool.drop([waiting.id])
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
        for one in await self._batches.abandoned():
            name = one.name or self._store.spool.find(one.id)
            if name is None and datetime.now(UTC) < one.submitted_at + _KEPT:
                continue  # Whoever has submitted it may yet be told its name. Which one it is cannot be told from here.
            try:
                if name is not None:
                    await self._reader.cancel(name)
            except (ModelBusy, ModelUnreachable) as error:
                _log.warning("The batch %s is not cancelled yet: %s", name, error.message)
                return max(pause, getattr(error, "wait", None) or 0.0)
            except ModelFailure as error:
                _log.info("The batch %s was not cancelled: %s", name, error.message)
            self._store.spool.drop([one.id])
            await self._batches.forget(one.id)
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
