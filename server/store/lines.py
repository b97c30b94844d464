"""Connections kept open for prepared reads, so that a read takes one from a list instead of asking the engine's pool.

There are at most so many; a read that finds all of them busy waits its turn. One that was closed from the other end, or whose read was
cancelled in the middle, is dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncEngine

from server.errors import UpstreamUnavailable
from server.store.prepared import Line

__all__ = ["Lines"]


class Lines:
    """At most `most` open connections of an engine, handed out last used first."""

    def __init__(self, engine: AsyncEngine, most: int, patience: float) -> None:
        self._engine = engine
        self._patience = patience
        self._idle: list[Line] = []
        self._free = asyncio.Semaphore(most)

    @asynccontextmanager
    async def borrowed(self) -> AsyncIterator[Line]:
        """Lend a line.

        Raises:
            UpstreamUnavailable: none became free in time.
        """
        if self._free.locked():
            await self._turn()
        else:
            await self._free.acquire()
        try:
            line = await self._open()
            try:
                yield line
            except BaseException:
                await line.connection.invalidate()
                await line.connection.close()
                raise
            self._idle.append(line)
        finally:
            self._free.release()

    async def _turn(self) -> None:
        try:
            async with asyncio.timeout(self._patience):
                await self._free.acquire()
        except TimeoutError:
            raise UpstreamUnavailable("The database is too busy. Try again in a moment.") from None

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
