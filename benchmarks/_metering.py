"""Metering: which part of this program used the CPU, by process, thread and coroutine, and how much memory it holds.

Reads /proc, so it works on Linux only. Threads are told apart by what made them; on the thread of the event loop the
time of the coroutines named to `Meter.watch` is taken out.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Any

LOOP = "event loop, the rest"
_TICK = os.sysconf("SC_CLK_TCK")
_OWN = Path("/proc/self/task")


class Meter:
    """CPU seconds by stage since it was made."""

    def __init__(self) -> None:
        self._coroutines: dict[str, float] = defaultdict(float)
        self._running: list[str] = []
        self._began = self._now()

    def watch(self, owner: type, names: str, stage: str) -> None:
        """Count what the coroutine methods of a class use on the event loop for `stage`, unless another is within it."""
        for name in names.split():
            method = getattr(owner, name)

            @functools.wraps(method)
            async def metered(*args: Any, _method: Any = method, **options: Any) -> Any:
                return await _Steps(self, stage, _method(*args, **options))

            setattr(owner, name, metered)

    def step(self, stage: str, advance: Callable[[], Any]) -> Any:
        """Run one step of a coroutine, on account of `stage`; its own caller's account stands still meanwhile."""
        self._running.append(stage)
        began = time.thread_time()
        try:
            return advance()
        finally:
            used = time.thread_time() - began
            self._running.pop()
            self._coroutines[stage] += used
            if self._running:
                self._coroutines[self._running[-1]] -= used

    def stages(self) -> dict[str, float]:
        """Return the CPU seconds of each stage."""
        now = self._now()
        found = {stage: now[stage] - self._began.get(stage, 0.0) for stage in now} | self._coroutines
        found[LOOP] -= sum(self._coroutines.values())
        return found

    def _now(self) -> dict[str, float]:
        return _threads() | {"extraction": _children_cpu()}


class _Steps:
    """Awaits a coroutine, each of its steps metered."""

    def __init__(self, meter: Meter, stage: str, inner: Awaitable[Any]) -> None:
        self._meter = meter
        self._stage = stage
        self._inner = inner.__await__()

    def __await__(self) -> Generator[Any, Any, Any]:
        advance: Callable[[], Any] = functools.partial(next, self._inner)
        while True:
            try:
                waits_for = self._meter.step(self._stage, advance)
            except StopIteration as end:
                return end.value
            try:
                advance = functools.partial(self._inner.send, (yield waits_for))
            except BaseException as error:  # noqa: BLE001 - cancellation too is for whoever is inside
                advance = functools.partial(self._inner.throw, error)


def _threads() -> dict[str, float]:
    """Return the CPU seconds of this process by stage."""
    python = {thread.native_id: thread.name for thread in threading.enumerate()}
    seconds: dict[str, float] = defaultdict(float)
    for task in _OWN.iterdir():
        try:
            own, used = (task / "comm").read_text().strip(), int((task / "schedstat").read_text().split()[0]) / 1e9
        except OSError:
            continue
        seconds[_stage_of(python.get(int(task.name)), own)] += used
    return dict(seconds)


def _stage_of(name: str | None, own: str) -> str:
    if name == "MainThread":
        return LOOP
    if name is None and own != (_OWN / str(os.getpid()) / "comm").read_text().strip():
        return "LanceDB"  # its threads carry names of their own; those of onnxruntime are called like the process
    if name is None or name.startswith("minilm"):
        return "embedding"
    return "SQLite" if "connection_worker" in name else "other threads"


def children() -> list[int]:
    """Return the processes that this one started and that still run."""
    return [int(pid) for task in _OWN.iterdir() for pid in (task / "children").read_text().split()]


def _children_cpu() -> float:
    """Return the CPU seconds of the children, those that have ended included."""
    ended = os.times()
    total = ended.children_user + ended.children_system
    for pid in children():
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += sum(map(int, fields[11:15])) / _TICK
    return total


def resident(pid: int | None = None) -> float:
    """Return the MB of memory that are a process's own, this one's unless told.

    Pages of mapped files are left out: the system takes them back when it wants, and each connection to SQLite counts them anew.
    """
    lines = Path(f"/proc/{pid or 'self'}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("RssAnon")).split()[1]) / 1e3
