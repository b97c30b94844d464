"""Regular files: what is opened by its path to be read. Pipes, sockets and devices are not: they may have no end, and opening one may wait."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

__all__ = ["open_regular", "read_regular"]

_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def open_regular(path: Path) -> BinaryIO:
    """Return a regular file, open for reading. It never waits, even where the path comes to be a pipe meanwhile.

    Raises:
        OSError: there is none, it may not be read, or it is no regular file.
    """
    _check(path, os.stat(path))  # first, for to open a device can be to use it
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | _AT_ONCE))  # noqa: SIM115
    try:
        _check(path, os.fstat(file.fileno()))
    except OSError:
        file.close()
        raise
    return file


def read_regular(path: Path, most: int = -1) -> bytes:
    """Return what a regular file holds, or its first `most` bytes.

    Raises:
        OSError: as `open_regular`.
    """
    with open_regular(path) as file:
        return file.read(most)


def _check(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
