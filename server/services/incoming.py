"""Files that are arriving: each lies in the data folder until it is read, and goes with whoever waits for it.

A file is locked for as long as its process lives, so that what a killed process left can be told from what another receives.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO

from server.errors import LimitExceeded, UpstreamUnavailable

if sys.platform != "win32":
    import fcntl

__all__ = ["Incoming", "IncomingFile"]

_AT_A_TIME = 262_144
_SUFFIX = ".part"


class IncomingFile:
    """A file that grows up to a limit of bytes."""

    def __init__(self, file: IO[bytes], path: Path, limit: int) -> None:
        self.path = path
        self.size = 0
        self._file = file
        self._limit = limit
        self._unwritten = bytearray()

    async def write(self, piece: bytes) -> None:
        """Append a piece. It is on the disk after `finish`.

        Raises:
            LimitExceeded: the file would have more bytes than the limit.
            UpstreamUnavailable: the disk takes no more.
        """
        self.size += len(piece)
        if self.size > self._limit:
            raise LimitExceeded(f"The file has over {self._limit:,} bytes, the limit (LOREGRAPH_MAX_UPLOAD).")
        self._unwritten += piece
        if len(self._unwritten) >= _AT_A_TIME:
            await self.finish()

    async def finish(self) -> None:
        """Bring everything to the file.

        Raises:
            UpstreamUnavailable: the disk takes no more.
        """
        piece, self._unwritten = self._unwritten, bytearray()
        try:
            await asyncio.to_thread(self._append, piece)
        except OSError as error:
            raise UpstreamUnavailable(f"The file cannot be stored here: {error.strerror}.") from error

    def _append(self, piece: bytearray) -> None:
        self._file.write(piece)
        self._file.flush()


class Incoming:
    """The arriving files of one folder, which all processes on the data folder share."""

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self._limit = limit

    @asynccontextmanager
    async def file(self) -> AsyncIterator[IncomingFile]:
        """Open an empty file of at most `limit` bytes; it is gone after the block, however that ends.

        Raises:
            UpstreamUnavailable: the folder cannot be written to.
        """
        try:
            # On the event loop, as the removal below: a thread would go on making the file after its caller was cancelled.
            file, path = self._create()
        except OSError as error:
            raise UpstreamUnavailable(f"The file cannot be stored here: {error.strerror}.") from error
        try:
            yield IncomingFile(file, path, self._limit)
        finally:
            with suppress(OSError):
                file.close()
            path.unlink(missing_ok=True)

    def sweep(self) -> int:
        """Remove what killed processes left; return how many files that were. Blocks."""
        removed = 0
        for path in self._folder.glob(f"*{_SUFFIX}"):
            with suppress(OSError), path.open("rb") as file:
                if _lock(file):
                    path.unlink()
                    removed += 1
        return removed

    def _create(self) -> tuple[IO[bytes], Path]:
        self._folder.mkdir(parents=True, exist_ok=True)
        while True:
            handle, name = tempfile.mkstemp(suffix=_SUFFIX, dir=self._folder)
            file = os.fdopen(handle, "wb")
            if _lock(file) and os.fstat(handle).st_nlink:  # else a sweep came in between
                return file, Path(name)
            file.close()


def _lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed or its process dies; return whether nobody else had it."""
    if sys.platform == "win32":
        return True  # it refuses to remove what is open
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
