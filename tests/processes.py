"""Other processes on a test's store: what they do, and how a test starts them, talks to them and sees them end.

They are forked from a server that has imported everything, so that one costs milliseconds instead of seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import random
import re
import signal
import sys
import warnings
from collections.abc import Awaitable, Callable
from functools import cache
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Any
from uuid import UUID

from sqlalchemy import event
from stores import add_entity, direction, opened

from server import models
from server.config import Settings
from server.ids import NodeKind
from server.store import Store
from server.terms import ChangeKind

Job = Callable[..., Awaitable[None]]
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["processes", "workers"])


@cache
def _start_server() -> None:
    """Start what is forked from; it finds its modules by the environment alone (Python 3.11 hands it no path)."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(part for part in sys.path if part)
    forkserver.ensure_running()
    del os.environ["PYTHONPATH"]
    if before is not None:
        os.environ["PYTHONPATH"] = before


def _run(job: Job, settings: Settings, line: Connection, arguments: tuple[Any, ...]) -> None:
    asyncio.run(job(settings, line, *arguments))  # type: ignore[arg-type]


class Child:
    """A process that runs a job. `job(settings, line, *arguments)` talks to the test over `line`."""

    def __init__(self, job: Job, settings: Settings, arguments: tuple[Any, ...]) -> None:
        _start_server()
        self._line, theirs = _forks.Pipe()
        self._process: ForkServerProcess = _forks.Process(target=_run, args=(job, settings, theirs, arguments))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._process.start()
        theirs.close()

    async def heard(self) -> Any:
        """Return what it says next; None where it ended without a word."""
        try:
            return await asyncio.to_thread(self._line.recv)
        except (EOFError, ConnectionResetError):
            return None

    def tell(self, said: Any) -> None:
        """Say something to it."""
        self._line.send(said)

    def kill(self) -> None:
        """End it as kill -9 does."""
        self._process.kill()

    def stop(self) -> None:
        """Have it stand still, as SIGSTOP does; it may have ended by itself."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on after `stop`."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process.pid is not None
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, number)

    async def end(self) -> int:
        """Wait until it ends, at most 60 seconds; return its exit status, negative for a signal."""
        await asyncio.to_thread(self._process.join, 60)
        status = self._process.exitcode
        assert status is not None
        return status


async def start(job: Job, settings: Settings, *arguments: tuple[Any, ...]) -> list[Child]:
    """Start one process for each tuple of arguments, and wait until each has said that it is ready."""
    children = [Child(job, settings, own) for own in arguments]
    assert await asyncio.gather(*(child.heard() for child in children)) == ["ready"] * len(children)
    return children


async def migrate(settings: Settings, line: Connection) -> None:
    """Bring the tables up to date, at the moment when it is told to, so that several do it at once."""
    store = Store(settings)
    line.send("ready")
    line.recv()
    await store.migrate()
    await store.close()


async def write(settings: Settings, line: Connection, volume: UUID, number: int) -> None:
    """Write transactions of one to four log entries, each held open for a moment before and after its rows are sent."""
    chance = random.Random(volume.int)
    async with opened(settings) as store:
        line.send("ready")
        for n in range(number):
            async with store.write(volume, "child") as tx:
                for part in range(chance.randint(1, 4)):
                    name = f"{n}.{part}"
                    id = tx.insert(models.Entity, name=name, match_key=name, type="concept")
                    tx.log(ChangeKind.CREATED, NodeKind.ENTITY, id, after={"name": name})
                await asyncio.sleep(chance.random() * 0.01)
                await tx.apply()
                await asyncio.sleep(chance.random() * 0.01)


async def meet(settings: Settings, line: Connection, volume: UUID, number: int) -> None:
    """Look names up and make the entities that are missing. A sense of their own gets them by the unique key."""
    async with opened(settings) as store:
        line.send("ready")
        line.recv()
        for n in range(number):
            async with store.write(volume, "child") as tx:
                key = f"name {n}"
                if not (await tx.read.entities_named(volume, [key]))[key]:
                    tx.insert(models.Entity, name=key, match_key=key, type="concept", sense=str(os.getpid()))


async def write_and_follow(settings: Settings, line: Connection, volume: UUID) -> None:
    """Write entities with vectors without end, following at the same time; say the name of each that was committed."""
    async with opened(settings) as store:
        store.start()
        line.send("ready")
        n = 0
        while True:
            name = f"{os.getpid()} {n}"
            await add_entity(store, volume, name, direction(n / 10))
            line.send(name)
            n += 1


class KillPoints:
    """Counts the moments between steps, and kills this process at the one that was chosen; 0 is none."""

    def __init__(self, chosen: int) -> None:
        self._chosen = chosen
        self.passed: list[str] = []

    def at(self, moment: str) -> None:
        """Pass a moment."""
        self.passed.append(moment)
        if len(self.passed) == self._chosen:
            os.kill(os.getpid(), signal.SIGKILL)

    def around_statements(self, store: Store) -> None:
        """Place moments around every statement of a write transaction, and around its commit."""
        engine = store.database.engines[1].sync_engine
        event.listen(engine, "before_cursor_execute", lambda *given: self.at(f"before {_verb(given[2])}"))
        event.listen(engine, "after_cursor_execute", lambda *given: self.at(f"after {_verb(given[2])}"))
        event.listen(engine, "commit", lambda _connection: self.at("before commit"))
        event.listen(engine.pool, "checkin", lambda _connection, _record: self.at("after commit"))

    def around(self, owner: Any, name: str) -> None:
        """Place moments before and after a method."""
        act = getattr(owner, name)

        async def between(*arguments: Any) -> Any:
            self.at(f"before {name}")
            result = await act(*arguments)
            self.at(f"after {name}")
            return result

        setattr(owner, name, between)


def _verb(statement: str) -> str:
    written = re.search(r"\b(INSERT INTO|(?<!FOR )UPDATE|DELETE FROM) \w+", statement)
    return written.group() if written else " ".join(statement.split()[:3])


async def live_until(settings: Settings, line: Connection, volume: UUID, chosen: int) -> None:
    """Write, follow, write again, follow and tidy up; say what was committed, and at the end what moments there were."""
    points = KillPoints(chosen)
    async with opened(settings) as store:
        line.send("ready")
        points.around_statements(store)
        for name in ("upsert", "delete", "compact"):
            points.around(store.index, name)
        points.around(store.follower, "_embed")
        async with store.write(volume, "first") as tx:
            a = tx.insert(models.Entity, name="a", match_key="a", type="concept", description="old")
            fact = tx.insert(models.Fact, subject_id=a, content="x", claim_key="x")
            memory = tx.insert(models.Memory, title="m", content="x")
            for n, (kind, id) in enumerate(((NodeKind.ENTITY, a), (NodeKind.FACT, fact), (NodeKind.MEMORY, memory))):
                tx.log(ChangeKind.CREATED, kind, id)
                tx.index(kind, id, f"{kind}", direction(n + 0.25))
            points.at("before flush")
        line.send("first")
        while await store.follower.step():
            points.at("between steps")
        async with store.write(volume, "second") as tx:
            tx.update(models.Entity, a, description="new")
            tx.log(ChangeKind.UPDATED, NodeKind.ENTITY, a)
            tx.index(NodeKind.ENTITY, a, "new", direction(1.25), again=True)
            tx.delete_ids(models.Fact, [fact])
            tx.log(ChangeKind.DELETED, NodeKind.FACT, fact)
            tx.unindex(NodeKind.FACT, [fact])
            late = tx.insert(models.Entity, name="b", match_key="b", type="concept")
            tx.log(ChangeKind.CREATED, NodeKind.ENTITY, late)
            tx.index(NodeKind.ENTITY, late, "late", None)
            points.at("before flush")
        line.send("second")
        await store.follower.step()
        points.at("between steps")
        await asyncio.sleep(settings.read_interval * 2.2)
        store.follower._compaction._writes += 1
        store.follower._compaction._not_before = 0.0
        await store.follower.step()
        points.at("at the end")
    line.send(points.passed)


async def migrate_until(settings: Settings, line: Connection, chosen: int) -> None:
    """Migrate, and die at a statement on the way."""
    points = KillPoints(chosen)
    store = Store(settings)
    points.around_statements(store)
    line.send("ready")
    await store.migrate()
