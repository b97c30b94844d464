"""The queue of jobs: workers claim one by a lease, and a fence keeps a late worker from committing.

The commit of one step makes the next, in one transaction, so that there is always exactly one open job of an ingestion that
has not ended. On PostgreSQL any number of workers share the queue (SKIP LOCKED) by the database's clock; on SQLite they
take turns by the machine's. Jobs and progress are not knowledge: they do not enter the change log.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeVar, cast
from uuid import UUID

from sqlalchemy import ColumnElement, Interval, bindparam, case, delete, func, insert, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from server import models
from server.errors import ServerError
from server.ids import new_id
from server.store.database import Database
from server.store.records import IngestionRecord
from server.store.relations import table_of
from server.store.transaction import Transaction, utc_now
from server.terms import NO_USAGE, UNFINISHED, IngestionStatus, JobKind, JobStatus, Usage

__all__ = [
    "BATCHES",
    "Job",
    "JobQueue",
    "LeaseLost",
    "Limit",
    "cancel",
    "enqueue",
    "restart",
]

_job, _ingestion, _lane = table_of(models.Job), table_of(models.Ingestion), table_of(models.Lane)
T = TypeVar("T")
BATCHES = "batches"
"""The lane of the steps that wait for Message Batches."""
_RUNNING, _READY = JobStatus.RUNNING.value, JobStatus.READY.value


class LeaseLost(ServerError):
    """Another worker has the job now, or it was cancelled or its document deleted: what was done here is dropped."""


class Job(NamedTuple):
    """A claimed step of an ingestion. `fence` is the number of this claim; it must still hold when the step commits."""

    id: UUID
    volume_id: UUID
    ingestion_id: UUID
    kind: str
    ordinal: int
    lane: str
    fence: int
    failures: int
    kills: int
    waits: int


class Limit(NamedTuple):
    """How many jobs of a lane may run at once, over all workers, and how many may start in a minute; None is unbounded."""

    concurrency: int | None = None
    per_minute: float | None = None


_columns = [_job.c[name] for name in Job._fields]


class JobQueue:
    """The jobs of one database, as one worker sees them: `owner` names it, `lease` is in seconds, `limits` are by lane.

    What stands in other lanes than `lanes`, where these are given, it leaves to other workers.
    """

    def __init__(
        self,
        database: Database,
        owner: str,
        lease: float,
        limits: Mapping[str, Limit] | None = None,
        lanes: Collection[str] | None = None,
    ) -> None:
        self._database = database
        self._lease = lease
        self._limits = {name: limit for name, limit in (limits or {}).items() if limit != Limit()}
        self._lanes = None if lanes is None else sorted(lanes)
        self._busy = False
        self._made: dict[object, Any] = {}
        self.owner = owner

    def _once(self, name: object, make: Callable[[], T]) -> T:
        """Return a statement that is made once: SQLAlchemy takes longer to make one than SQLite to answer it."""
        if name not in self._made:
            self._made[name] = make()
        return cast(T, self._made[name])

    def _in(self, seconds: float) -> ColumnElement[datetime]:
        """Return the instant so many seconds after a statement is sent, by the one clock that all workers share."""
        if self._database.dialect == "sqlite":
            after = timedelta(seconds=seconds)
            return bindparam(None, type_=_job.c.due_at.type, unique=True, callable_=lambda: utc_now() + after)
        now = func.timezone("UTC", func.clock_timestamp())
        return now + literal(timedelta(seconds=seconds), Interval())

    async def claim(self) -> Job | None:
        """Take the job of the oldest ingestion that waits or whose worker has died, or None.

        A job that is taken over counts a kill, which is no failure of it. None also where all that waits is in lanes that
        are full, or whose next job may not start yet.
        """
        if not self._busy and not await self._anything():
            return None
        self._busy = False
        async with self._database.writing(lasting=False) as connection:
            full = tuple(await self._full(connection))
            row = (await connection.execute(self._once(("claim", full), lambda: self._claiming(full)))).first()
            if row is None:
                return None
            job = Job._make(row)
            await self._begin(connection, job)
        self._busy = True
        return job

    def _claiming(self, full: Sequence[str]) -> Any:
        taken = {
            "status": _RUNNING,
            "lease_owner": self.owner,
            "lease_until": self._in(self._lease),
            "fence": _job.c.fence + 1,
            "kills": _job.c.kills + case((_job.c.status == _RUNNING, 1), else_=0),
        }
        chosen = func.coalesce(*self._oldest(full, lock=True))
        return update(_job).where(_job.c.id == chosen).values(taken).returning(*_columns)

    async def _anything(self) -> bool:
        """Look without writing: a worker that waits must not take turns with those that write."""
        looking = self._once("look", lambda: select(func.coalesce(*self._oldest([]))))
        async with self._database.reading() as connection:
            return (await connection.execute(looking)).scalar() is not None

    def _oldest(self, full: Sequence[str], *, lock: bool = False) -> tuple[Any, Any]:
        """Return the subqueries for the oldest job whose worker has died, and for the oldest that waits."""
        resting = select(_lane.c.name).where(_lane.c.free_at > self._in(0))
        free = _job.c.lane.not_in(resting) & _job.c.lane.not_in(full)
        if self._lanes is not None:
            free &= _job.c.lane.in_(self._lanes)
        due = or_(_job.c.due_at.is_(None), _job.c.due_at <= self._in(0))
        abandoned = (_job.c.status == _RUNNING) & (_job.c.lease_until < self._in(0))
        found = []
        for wanted in (abandoned, (_job.c.status == _READY) & due):
            oldest = select(_job.c.id).where(wanted & free).order_by(_job.c.ingestion_id).limit(1)
            found.append((oldest.with_for_update(skip_locked=True) if lock else oldest).scalar_subquery())
        return found[0], found[1]

    async def _full(self, connection: AsyncConnection) -> list[str]:
        """Lock the bounded lanes, so that no other worker counts them meanwhile, and return those that are full."""
        if not self._limits:
            return []
        names = sorted(self._limits)
        rows = [{"name": name} for name in names]
        await connection.execute(self._database.insert(_lane).on_conflict_do_nothing(), rows)
        await connection.execute(
            select(_lane.c.name).where(_lane.c.name.in_(names)).order_by(_lane.c.name).with_for_update()
        )
        live = (_job.c.status == _RUNNING) & (_job.c.lease_until >= self._in(0)) & _job.c.lane.in_(names)
        counted = select(_job.c.lane, func.count()).where(live).group_by(_job.c.lane)
        running = {row[0]: int(row[1]) for row in await connection.execute(counted)}
        return [n for n in names if running.get(n, 0) >= (self._limits[n].concurrency or running.get(n, 0) + 1)]

    async def _begin(self, connection: AsyncConnection, job: Job) -> None:
        rate = self._limits.get(job.lane, Limit()).per_minute
        if rate is not None:
            await connection.execute(update(_lane).where(_lane.c.name == job.lane).values(free_at=self._in(60 / rate)))
        began = {
            "status": IngestionStatus.RUNNING.value,
            "started_at": func.coalesce(_ingestion.c.started_at, self._in(0)),
        }
        beginning = self._once(
            "begin", lambda: update(_ingestion).where(_being(_RUN, IngestionStatus.PENDING)).values(began)
        )
        await connection.execute(beginning, {"run": job.ingestion_id})

    async def tell_left(self, told: str, before: Collection[UUID]) -> set[UUID]:
        """Note `told` as the error of what this worker leaves to others, where it was left `before` too; return what is left now.

        Those are ingestions that could go on now: each with a step that is due and that no worker has.
        """
        if self._lanes is None:
            return set()
        due = or_(_job.c.due_at.is_(None), _job.c.due_at <= self._in(0))
        waiting = (_job.c.status == _READY) & due & _job.c.lane.not_in(self._lanes)
        async with self._database.reading() as connection:
            left = {row[0] for row in await connection.execute(select(_job.c.ingestion_id).where(waiting))}
        if again := left.intersection(before):
            async with self._database.writing(lasting=False) as connection:
                pending = _ingestion.c.id.in_(sorted(again)[:500]) & (
                    _ingestion.c.status == IngestionStatus.PENDING.value
                )
                untold = _ingestion.c.error.is_distinct_from(told)
                await connection.execute(update(_ingestion).where(pending, untold).values(error=told))
        return left

    async def renew(self, ids: Sequence[UUID]) -> set[tuple[UUID, int]]:
        """Prolong the leases of these jobs; return (id, fence) of those that are still this worker's."""
        mine = _job.c.id.in_(list(ids)) & (_job.c.lease_owner == self.owner) & (_job.c.status == _RUNNING)
        prolonged = (
            update(_job).where(mine).values(lease_until=self._in(self._lease)).returning(_job.c.id, _job.c.fence)
        )
        async with self._database.writing(lasting=False) as connection:
            return {(row[0], row[1]) for row in await connection.execute(prolonged)}

    async def note(self, job: Job, **progress: int) -> None:
        """Say how far the ingestion of a job is.

        Raises:
            LeaseLost: the job is not this worker's any more.
        """
        async with self._database.writing(lasting=False) as connection:
            await self._progress(connection, job, progress)

    async def advance(
        self,
        job: Job,
        answer: str,
        kind: JobKind,
        ordinal: int,
        lane: str,
        usage: Usage = NO_USAGE,
        **progress: int,
    ) -> Job | None:
        """Commit what a step has answered, and make the next one: this worker's at once, unless its lane is bounded.

        `usage` is what a model took for the answer; it is added to what the ingestion took before.

        Raises:
            LeaseLost: the job is not this worker's any more; nothing is kept.
        """
        mine = lane not in self._limits
        values = {
            "id": new_id(),
            "volume_id": job.volume_id,
            "ingestion_id": job.ingestion_id,
            "kind": kind.value,
            "ordinal": ordinal,
            "lane": lane,
            "status": _RUNNING if mine else _READY,
            "lease_owner": self.owner if mine else None,
            "fence": 1 if mine else 0,
            "failures": 0,
            "kills": 0,
            "waits": 0,
        }
        until = self._in(self._lease) if mine else None
        async with self._database.writing(lasting=False) as connection:
            await self._only(connection, self._once("done", self._doing), {**_claim(job), "answer_": answer})
            await connection.execute(self._once(("next", mine), lambda: insert(_job).values(lease_until=until)), values)
            # Whoever cancels takes the jobs too: without progress to note, the ingestion need not be asked.
            if progress:
                await self._progress(connection, job, progress, usage, held=False)
        return Job._make(values[name] for name in Job._fields) if mine else None

    def _doing(self) -> Any:
        done: dict[str, Any] = {
            "status": JobStatus.DONE.value,
            "answer": bindparam("answer_"),
            "error": None,
            "lease_until": None,
        }
        return update(_job).where(_HELD).values(done).returning(_job.c.id)

    async def retry(self, job: Job, error: str, delay: float, usage: Usage = NO_USAGE) -> None:
        """Count a failure, and let the job be claimed again after `delay` seconds.

        Raises:
            LeaseLost: the job is not this worker's any more.
        """
        async with self._database.writing(lasting=False) as connection:
            await self._put_back(connection, job, error, delay, usage, failures=_job.c.failures + 1)

    async def wait(self, job: Job, error: str, delay: float) -> None:
        """Let a job be claimed again after `delay` seconds, and no other of its lane begin before: no failure of any of them.

        Raises:
            LeaseLost: the job is not this worker's any more.
        """
        until = self._in(delay)
        later = _lane.c.free_at.is_(None) | (_lane.c.free_at < until)
        async with self._database.writing(lasting=False) as connection:
            await connection.execute(self._database.insert(_lane).on_conflict_do_nothing(), [{"name": job.lane}])
            await connection.execute(update(_lane).where(_lane.c.name == job.lane, later).values(free_at=until))
            await self._put_back(connection, job, error, delay, NO_USAGE, waits=_job.c.waits + 1)

    @asynccontextmanager
    async def holding(self, job: Job, usage: Usage = NO_USAGE, **progress: int) -> AsyncIterator[AsyncConnection]:
        """Write in a transaction that commits only if a claim holds; count what a model took, and say how far it is.

        Raises:
            LeaseLost: the job is not this worker's any more.
        """
        async with self._database.writing(lasting=False) as connection:
            await self._only(connection, select(_job.c.id).where(_HELD).with_for_update(), _claim(job))
            await self._progress(connection, job, progress, usage)
            yield connection

    @asynccontextmanager
    async def putting_back(self, job: Job, delay: float, told: str | None = None) -> AsyncIterator[AsyncConnection]:
        """Write in a transaction that lets a job be claimed again after `delay` seconds: all is well, what it waits for goes on.

        `told` says what there is to say about that, if anything.

        Raises:
            LeaseLost: the job is not this worker's any more.
        """
        async with self._database.writing(lasting=False) as connection:
            again = {"status": _READY, "error": told, "due_at": self._in(delay), "kills": 0, "waits": 0, **_FREE}
            await self._only(connection, update(_job).where(_HELD).values(again).returning(_job.c.id), _claim(job))
            await self._end(connection, job, IngestionStatus.PENDING, NO_USAGE, error=told)
            yield connection

    async def _put_back(
        self, connection: AsyncConnection, job: Job, error: str, delay: float, usage: Usage, **counted: Any
    ) -> None:
        again = {"status": _READY, "error": error, "due_at": self._in(delay), **counted, **_FREE}
        await self._only(connection, update(_job).where(_HELD).values(again).returning(_job.c.id), _claim(job))
        await self._end(connection, job, IngestionStatus.PENDING, usage, error=error)

    async def bury(self, job: Job, error: str, raw: str | None = None, usage: Usage = NO_USAGE) -> None:
        """Give a job up, and with it the ingestion, which FAILED; the raw answer is kept with it.

        Raises:
            LeaseLost: the job is not this worker's any more.
        """
        last = {"failures": _job.c.failures + 1, "error": error, "raw": raw}
        async with self._database.writing(lasting=False) as connection:
            dead = update(_job).where(_HELD).values(status=JobStatus.DEAD.value, **last, **_FREE)
            await self._only(connection, dead.returning(_job.c.id), _claim(job))
            await self._end(connection, job, IngestionStatus.FAILED, usage, error=error, finished_at=self._in(0))

    async def release(self) -> None:
        """Give back all that this worker holds, so that the next one need not wait for the leases; no failure, no kill."""
        held = (_job.c.lease_owner == self.owner) & (_job.c.status == _RUNNING)
        async with self._database.writing(lasting=False) as connection:
            given = await connection.execute(
                update(_job).where(held).values(status=_READY, due_at=None, **_FREE).returning(_job.c.ingestion_id)
            )
            runs = [row[0] for row in given]
            running = _ingestion.c.id.in_(runs) & (_ingestion.c.status == IngestionStatus.RUNNING.value)
            await connection.execute(update(_ingestion).where(running).values(status=IngestionStatus.PENDING.value))

    async def finish(self, tx: Transaction, job: Job, **counts: int) -> None:
        """End an ingestion as DONE inside the transaction that writes what it found; its jobs go.

        Raises:
            LeaseLost: the job is not this worker's any more; the transaction must not commit.
        """
        if not await tx.read.rows(delete(_job).where(_HELD).returning(_job.c.id), _claim(job)):
            raise LeaseLost("Another worker has it.")
        if not await tx.read.rows(self._once("finish", self._finishing), {"run": job.ingestion_id, **counts}):
            raise LeaseLost("It was cancelled.")
        tx.delete_where(models.Job, ingestion_id=job.ingestion_id)

    def _finishing(self) -> Any:
        counts: dict[str, Any] = {
            name: bindparam(name) for name in ("entities_found", "facts_found", "relationships_found")
        }
        done = {"status": IngestionStatus.DONE.value, "error": None, "finished_at": self._in(0), **counts}
        return update(_ingestion).where(_being(_RUN, IngestionStatus.RUNNING)).values(done).returning(_ingestion.c.id)

    async def answers(self, ingestion_id: UUID, kind: JobKind) -> list[str]:
        """Return what the steps of a kind have answered, in order."""
        done = (_job.c.ingestion_id == ingestion_id) & (_job.c.kind == kind.value)
        chosen = select(_job.c.answer).where(done & (_job.c.status == JobStatus.DONE.value)).order_by(_job.c.ordinal)
        async with self._database.reading() as connection:
            return [row[0] for row in await connection.execute(chosen)]

    async def _only(self, connection: AsyncConnection, statement: Any, values: Mapping[str, Any] | None = None) -> None:
        if (await connection.execute(statement, values or {})).first() is None:
            raise LeaseLost("Another worker has it, or it was cancelled.")

    async def _progress(
        self,
        connection: AsyncConnection,
        job: Job,
        progress: Mapping[str, int],
        usage: Usage = NO_USAGE,
        *,
        held: bool = True,
    ) -> None:
        names = tuple(progress)
        noting = self._once((names, held), lambda: self._noting(names, held=held))
        told = {f"{name}_": value for name, value in progress.items()} | {
            "input_": usage.input,
            "output_": usage.output,
        }
        await self._only(connection, noting, {"run": job.ingestion_id, **(_claim(job) if held else {}), **told})

    def _noting(self, names: Sequence[str], *, held: bool) -> Any:
        running = _being(_RUN, IngestionStatus.RUNNING)
        if held:
            running = running & select(_job.c.id).where(_HELD).exists()
        spent = _spent(bindparam("input_"), bindparam("output_"))
        values: dict[str, Any] = {"error": None, **spent, **{name: bindparam(f"{name}_") for name in names}}
        return update(_ingestion).where(running).values(values).returning(_ingestion.c.id)

    async def _end(
        self, connection: AsyncConnection, job: Job, status: IngestionStatus, usage: Usage, **values: Any
    ) -> None:
        running = _being(job.ingestion_id, IngestionStatus.RUNNING)
        values |= _spent(usage.input, usage.output) if usage.total else {}
        await connection.execute(update(_ingestion).where(running).values(status=status.value, **values))


def _spent(input: Any, output: Any) -> dict[str, Any]:
    """Return the columns that count what a model took."""
    return {"input_tokens": _ingestion.c.input_tokens + input, "output_tokens": _ingestion.c.output_tokens + output}


_FREE = {"lease_owner": None, "lease_until": None}


_RUN: Any = bindparam("run")
_HELD: Any = (_job.c.id == bindparam("job_")) & (_job.c.fence == bindparam("fence_")) & (_job.c.status == _RUNNING)
"""The condition that a claim still holds."""


def _claim(job: Job) -> dict[str, Any]:
    """Return the values of a claim that `_HELD` asks for."""
    return {"job_": job.id, "fence_": job.fence}


def _being(ingestion_id: Any, *statuses: IngestionStatus) -> ColumnElement[bool]:
    """Return the condition that an ingestion has one of some statuses."""
    wanted = [status.value for status in statuses]
    own: ColumnElement[bool] = _ingestion.c.id == ingestion_id
    return own & (_ingestion.c.status == wanted[0] if len(wanted) == 1 else _ingestion.c.status.in_(wanted))


def enqueue(tx: Transaction, ingestion_id: UUID, lane: str, *, batch: bool = False) -> None:
    """Queue the first step of an ingestion, in the transaction that makes it: its first chunk, or all by a `batch`."""
    kind, own = (JobKind.BATCH, BATCHES) if batch else (JobKind.CHUNK, lane)
    tx.insert(models.Job, ingestion_id=ingestion_id, kind=kind.value, lane=own)


async def hold(tx: Transaction, ingestion_id: UUID) -> None:
    """Let no step of an ingestion be committed while this transaction lasts.

    Whoever works on a step locks it, and then the ingestion: who changes both from outside must do so in the same order, or
    each may come to wait for the other. A step that was being committed has left another one, so this looks again.
    """
    steps = select(_job.c.id).where(_job.c.ingestion_id == ingestion_id).with_for_update()
    held: set[UUID] | None = None
    found = {row[0] for row in await tx.read.rows(steps)}
    while found != held:
        held, found = found, {row[0] for row in await tx.read.rows(steps)}


async def cancel(tx: Transaction, ingestion_id: UUID, reason: str) -> bool:
    """End an ingestion that has not ended, as CANCELLED; whoever works on it cannot commit any more. False where it has ended."""
    await hold(tx, ingestion_id)
    running = _being(ingestion_id, *UNFINISHED)
    values = {"status": IngestionStatus.CANCELLED.value, "error": reason, "finished_at": utc_now()}
    if not await tx.read.rows(update(_ingestion).where(running).values(values).returning(_ingestion.c.id)):
        return False
    tx.delete_where(models.Job, ingestion_id=ingestion_id)
    return True


async def restart(
    tx: Transaction, run: IngestionRecord, lane: str, budget: int | None = None, *, batch: bool = False
) -> None:
    """Queue an ingestion that has failed or was cancelled anew, in the lane of what reads it now; `budget` replaces its own.

    What a model took before stays counted. What the same model has answered of one that has failed is kept: it goes on with
    the step that failed. Every other begins from its first step, by a `batch` if asked.
    """
    fresh: dict[str, Any] = {"error": None, "finished_at": None} | ({} if budget is None else {"budget": budget})
    dead = (_job.c.ingestion_id == run.id) & (_job.c.status == JobStatus.DEAD.value)
    paid = run.extractor == lane and (run.batch or run.input_tokens > 0)
    again = {"status": _READY, "failures": 0, "kills": 0, "waits": 0, "error": None, "raw": None, "due_at": None}
    if paid and await tx.read.rows(update(_job).where(dead).values(again).returning(_job.c.id)):
        tx.update(models.Ingestion, run.id, status=IngestionStatus.PENDING.value, **fresh)
        return
    fresh |= {"chunks_done": 0, "chunks_total": 0, "started_at": None, "extractor": lane, "batch": batch}
    tx.delete_where(models.Job, ingestion_id=run.id)
    tx.update(models.Ingestion, run.id, status=IngestionStatus.PENDING.value, **fresh)
    enqueue(tx, run.id, lane, batch=batch)
