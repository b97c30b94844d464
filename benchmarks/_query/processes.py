"""Server processes: how they start, and what /proc says of their CPU and memory, children included. Linux only."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Process", "anonymous_mb", "busy_seconds", "cpu_seconds", "peak_mb", "started", "tree"]

_ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)")
_PATIENCE = 60


class Process:
    """A running server: its process and the port that it told."""

    def __init__(self, running: subprocess.Popen[bytes], port: int) -> None:
        self.pid = running.pid
        self.port = port


@contextmanager
def started(command: Sequence[str], environment: Mapping[str, str], log: Path, cwd: Path) -> Iterator[Process]:
    """Start a server that prints its address; end it at the end."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LOREGRAPH_")}
    with log.open("wb") as out:
        running = subprocess.Popen(command, env={**clean, **environment}, stdout=out, stderr=out, cwd=cwd)
    try:
        yield Process(running, _port(running, log))
    finally:
        running.terminate()
        try:
            running.wait(10)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def _port(running: subprocess.Popen[bytes], log: Path) -> int:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and running.poll() is None:
        if told := _ADDRESS.search(log.read_text()):
            return int(told[1])
        time.sleep(0.05)
    raise SystemExit(f"A server has not started: {' '.join(map(str, running.args))}\n{log.read_text()[-2_000:]}")  # type: ignore[arg-type]


def tree(pid: int) -> list[int]:
    """Return a process and all that it has started."""
    children: list[int] = []
    for task in _tasks(pid):
        children += map(int, _read(task / "children").split())
    return [pid, *(one for child in children for one in tree(child))]


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the CPU time that processes have used: the scheduler's own account of each thread, in nanoseconds."""
    times = (_read(task / "schedstat").split() for pid in pids for task in _tasks(pid))
    return sum(int(found[0]) for found in times if found) / 1e9


def peak_mb(pids: Iterable[int]) -> float:
    """Return the peaks of resident memory (VmHWM), pages of mapped files included, added up."""
    return sum(_status(pid, "VmHWM") for pid in pids)


def anonymous_mb(pids: Iterable[int]) -> float:
    """Return the resident memory at this moment that is no page of a file (RssAnon), added up."""
    return sum(_status(pid, "RssAnon") for pid in pids)


def busy_seconds() -> float:
    """Return the CPU time that the whole machine has used, stolen time included."""
    user, nice, system, _idle, _waiting, *rest = map(int, _read(Path("/proc/stat")).split("\n")[0].split()[1:9])
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")


def _status(pid: int, name: str) -> float:
    found = re.search(rf"{name}:\s+(\d+)", _read(Path(f"/proc/{pid}/status")))
    return int(found[1]) / 1024 if found else 0.0


def _tasks(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except FileNotFoundError:
        return []


def _read(path: Path) -> str:
    """Return a file of /proc, empty where its process has ended."""
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
