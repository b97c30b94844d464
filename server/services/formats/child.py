"""The process that reads files: takes one, answers with its text or the reason why not, and waits for the next.

Whatever goes wrong beyond a reason ends it, and the server replaces it. It bounds its own memory and processor time, and ends
when the server does.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from server.errors import BadUserInput, LimitExceeded, ServerError
from server.services.formats.conversion import Allowed, convert
from server.services.formats.frames import receive, send
from server.services.formats.regular import read_regular

if sys.platform != "win32":  # where time alone is bounded
    import resource

OUT_OF_MEMORY = 71
_WATCH = 0.05
_GRACE = 5
_ROOM = 64 * 1024 * 1024


class _Watch:
    """Ends the process when the server is gone or too much memory is in use, from a thread of its own."""

    def __init__(self, parent: int) -> None:
        self._parent = parent
        self.most: int | None = None

    def run(self) -> None:
        while True:
            if os.name == "posix" and os.getppid() != self._parent:
                os._exit(1)
            if self.most is not None and _most_resident() > self.most:
                os._exit(OUT_OF_MEMORY)
            time.sleep(_WATCH)


def main() -> None:
    """Read files until the server closes our input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.excepthook = _fall
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not break the frames
    watch = _Watch(int(sys.argv[1]))
    threading.Thread(target=watch.run, daemon=True).start()
    started = False
    while (request := receive(requests)) is not None:
        head, body = request
        if not started:
            watch.most = _bound_memory(head["limits"]["memory"])
            started = True
        _bound_time(head["limits"]["seconds"])
        _answer(answers, head, body)


def _fall(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """End at once: without memory, what an interpreter does at its end can hang."""
    if issubclass(kind, MemoryError):
        os._exit(OUT_OF_MEMORY)
    sys.__excepthook__(kind, error, trace)
    os._exit(1)


def _answer(answers: IO[bytes], head: dict[str, Any], body: bytes) -> None:
    limits = head["limits"]
    allowed = Allowed(limits["pages"], limits["unpacked"], limits["characters"])
    try:
        data = read_regular(Path(head["path"])) if "path" in head else body
        found = convert(data, head["mime_type"], head["claimed"], allowed)
    except (BadUserInput, LimitExceeded) as refusal:
        send(answers, {"refused": refusal.code, "message": refusal.message})
    except OSError as error:
        send(answers, {"refused": ServerError.code, "message": str(error)})
    else:
        send(answers, {"text": found.text, "title": found.title})


def _most_resident() -> int:
    if sys.platform == "win32":
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _bound_memory(memory: int) -> int:
    """Bound address space where the system does that, and return how much may become resident.

    The bound has some room above: what grows slowly is seen in time, and a failed allocation leaves a process that may hang.
    """
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        most = used + memory + memory // 4 + _ROOM
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    return _most_resident() + memory


def _bound_time(seconds: float) -> None:
    """Bound processor time too, for the case that nobody is left to watch the clock."""
    if sys.platform != "win32":
        usage = resource.getrusage(resource.RUSAGE_SELF)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(usage.ru_utime + usage.ru_stime + seconds) + _GRACE, hard))


if __name__ == "__main__":
    main()
