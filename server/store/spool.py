"""The spool: answers that came back and are not yet committed, one file each, so that kill -9 repeats no call.

An answer is written the moment it is there, before anything else can happen, under the id of its job; a rename makes it
whole or absent. It goes when its job has committed, or has no use for it any more. It outlives the process, not the
power: nothing waits for the disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from uuid import UUID


class Spool:
    """The answers kept in one folder, which all workers on it share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, job: UUID, answer: str) -> None:
        """Write the answer of a job. Does not wait: call it in the tick in which the answer came."""
        self._folder.mkdir(parents=True, exist_ok=True)
        part = self._folder / f"{job}.{os.getpid()}.part"
        part.write_text(answer, encoding="utf-8", errors="surrogatepass")
        part.replace(self._path(job))

    def find(self, job: UUID) -> str | None:
        """Return the answer that is kept for a job, or None."""
        with suppress(FileNotFoundError):
            return self._path(job).read_text(encoding="utf-8", errors="surrogatepass")
        return None

    def drop(self, jobs: Iterable[UUID]) -> None:
        """Remove the answers of these jobs, where there are any."""
        for job in jobs:
            self._path(job).unlink(missing_ok=True)

    def jobs(self) -> list[UUID]:
        """Return the jobs that an answer is kept for."""
        found = []
        with suppress(FileNotFoundError):
            for path in self._folder.glob("*.json"):
                with suppress(ValueError):
                    found.append(UUID(path.stem))
        return found

    def tidy(self, *, older_than: float) -> None:
        """Remove what a process that was killed had begun to write, so many seconds ago or more."""
        before = time.time() - older_than
        with suppress(FileNotFoundError):
            for part in self._folder.glob("*.part"):
                if part.stat().st_mtime <= before:
                    part.unlink(missing_ok=True)

    def _path(self, job: UUID) -> Path:
        return self._folder / f"{job}.json"
