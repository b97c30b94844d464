"""Turns of the event loop, so that answers of the database that come at once are worked on one after the other.

What follows from an answer (records, objects, the next level) runs in one go for some milliseconds. Of eight large queries whose
answers arrive together all would run before anything else does; with turns a small request waits for one of them at most.
"""

from __future__ import annotations

from asyncio import Future, get_running_loop
from collections import deque

__all__ = ["Turns"]


class Turns:
    """Gives one turn in each iteration of the loop, first come, first served."""

    def __init__(self) -> None:
        self._waiting: deque[Future[None]] = deque()
        self._taken = False

    async def take(self) -> None:
        """Wait for a turn. It costs a microsecond where nobody else waits."""
        loop = get_running_loop()
        if self._taken:
            turn: Future[None] = loop.create_future()
            self._waiting.append(turn)
            await turn
        else:
            self._taken = True
            loop.call_soon(self._next)

    def _next(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # its task was cancelled
                turn.set_result(None)
                get_running_loop().call_soon(self._next)
                return
        self._taken = False
