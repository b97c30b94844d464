"""When the vector index is compacted: soon after writing, but never for more than a small part of the time.

Compacting rewrites the fragments that it merges, which takes longer the larger the index is; so the next one waits for a
multiple of what the last one took. The files that a compaction replaced can be dropped only when no reader uses them any
more, so a second pass follows. What a process before has left behind counts as a write.
"""

from __future__ import annotations

from time import monotonic

from sqlalchemy.ext.asyncio import AsyncConnection

from server.store.leftovers import Leftovers
from server.store.vectors import VectorIndex

_MANY = 64
_REST = 50


class Compaction:
    """Compacts one index, for the process that writes to it."""

    def __init__(self, index: VectorIndex, leftovers: Leftovers) -> None:
        self._index = index
        self._leftovers = leftovers
        self._writes = 0
        self._not_before = 0.0
        self._clean_at: float | None = None

    async def begin(self) -> None:
        """Find out whether a process before has left anything to do."""
        self._writes += await self._leftovers.found()

    async def written(self, connection: AsyncConnection) -> None:
        """Count a write to the index, whose transaction this is."""
        await self._leftovers.note(connection)
        self._writes += 1

    def due(self, *, idle: bool) -> bool:
        """Return whether it is time: when nothing else is to be done after any write, else after many."""
        now = monotonic()
        return self._merges(now, idle) or (idle and self._clean_at is not None and now >= self._clean_at)

    def _merges(self, now: float, idle: bool) -> bool:
        return self._writes >= (1 if idle else _MANY) and now >= self._not_before

    async def run_if_due(self, *, idle: bool) -> None:
        """Compact where it is time."""
        if not self.due(idle=idle):
            return
        if await self._leftovers.claim():
            await self._compact()
        else:
            self._writes, self._clean_at = 0, None

    async def _compact(self) -> None:
        """Compact; once there were no more writes since the pass before, no file is left to drop."""
        began, writes = monotonic(), self._writes
        await self._index.compact()
        done = monotonic()
        self._writes -= writes
        self._not_before = done + _REST * (done - began)
        self._clean_at = done + self._index.retention.total_seconds() if writes else None
        if not writes:
            await self._leftovers.gone()
