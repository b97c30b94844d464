"""What becomes of a step that has failed: it waits, it is tried again, or it is given up.

A model that asks to wait is no failure: the step waits, and its whole lane with it, for as long as the model says, and a
hundred times before it is given up. A refusal is final at once. Everything else is tried five times, ever later.
"""

from __future__ import annotations

from dataclasses import dataclass

from server.errors import ServerError
from server.llm import ModelBusy, ModelFailure, ModelRefused, ModelUnreachable
from server.store.jobs import Job
from server.terms import NO_USAGE, Usage

__all__ = ["ATTEMPTS", "WAITS", "GiveUp", "TryAgain", "Wait", "consequence"]

ATTEMPTS = 5
WAITS = 100
PAUSE = 0.5
_SHORTEST, _LONGEST = 1.0, 3_600.0
_LONGEST_UNASKED = 60.0


@dataclass(frozen=True, slots=True)
class Wait:
    """Claim the step again after so many seconds, and none of its lane before; no failure."""

    delay: float
    error: str


@dataclass(frozen=True, slots=True)
class TryAgain:
    """Count a failure, and claim the step again after so many seconds."""

    delay: float
    error: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The ingestion has FAILED; `raw` is the last answer, if there was one."""

    error: str
    raw: str | None
    usage: Usage


def consequence(job: Job, error: ServerError, attempts: int = ATTEMPTS) -> Wait | TryAgain | GiveUp:
    """Return what becomes of a step. Bounded: Retry-After is obeyed up to an hour, and an unasked wait is a minute at most."""
    usage, raw = (error.usage, error.raw) if isinstance(error, ModelFailure) else (NO_USAGE, None)
    if isinstance(error, ModelBusy):
        if job.waits + 1 < WAITS:
            return Wait(_wait(error.wait, job.waits), error.message)
        return GiveUp(f"{error.message} It has asked to wait {WAITS} times.", raw, usage)
    if isinstance(error, ModelRefused) or job.failures + 1 >= attempts:
        return GiveUp(error.message, raw, usage)
    # A network that is away comes back later than a worker process: 2, 8, 32 and 128 seconds, for 1, 2, 4 and 8.
    delay = PAUSE * (4 if isinstance(error, ModelUnreachable) else 2) ** (job.failures + 1)
    return TryAgain(delay, error.message, usage)


def _wait(asked: float | None, waits: int) -> float:
    if asked is None:
        return float(min(2 ** min(waits + 1, 10), _LONGEST_UNASKED))
    return min(max(asked, _SHORTEST), _LONGEST)
