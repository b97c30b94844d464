"""Connections kept open for prepared reads, so that a read takes one from a list instead of asking the engine's pool.

There are at most so many; a read that finds all of them busy waits its turn. One that was closed from the other end, or whose read was
cancelled in the middle, is dropped.
"""

from __future__ import annotations

import asyncio
from types import TracebackType

from sqlalchemy.ext.asyncio import AsyncEngine

from server.errors import Busy
from server.store.prepared import Line

__all__ = ["Lines"]


class Lines:
    """At most `most` open connections of an engine, handed out last used first."""

    def __init__(self, engine: AsyncEngine, most: int, patience: float) -> None:
        self._engine = engine
        self._patience = patience
        self._idle: list[Line] = []
        self._free = asyncio.Semaphore(most)

    def borrowed(self) -> _Loan:
        """Lend a line for a block.

        Raises:
            Busy: none became free in time.
        """
        return _Loan(self)

    async def take(self) -> Line:
        """Return a line; it must be given back, or dropped."""
        if self._free.locked():
            await self._turn()
        else:
            await self._free.acquire()
        try:
            return await self._open()
        except BaseException:
            self._free.release()
            raise

    def give(self, line: Line) -> None:
        """Take a line back."""
        self._idle.append(line)
        self._free.release()

    async def drop(self, line: Line) -> None:
        """Close a line that cannot be used any more."""
        try:
            await line.connection.invalidate()
            await line.connection.close()
        finally:
            self._free.release()

    async def _turn(self) -> None:
        try:
            async with asyncio.timeout(self._patience):
                await self._free.acquire()
        except TimeoutError:
            raise Busy("The database is too busy. Try again in a moment.") from None

    async def _open(self) -> Line:
        while self._idle:
            line = self._idle.pop()
            if not line.is_dead:
                return line
            await line.connection.invalidate()
            await line.connection.close()
        return await Line.of(await self._engine.connect())

    async def close(self) -> None:
        """Close all that are idle."""
        while self._idle:
            await self._idle.pop().connection.close()


class _Loan:
    """A line for a block: what a generator would be, without its cost, which is that of a small read."""

    __slots__ = ("_line", "_lines")

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def __aenter__(self) -> Line:
        self._line = await self._lines.take()
        return self._line

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._lines.give(self._line)
        else:
            await self._lines.drop(self._line)
