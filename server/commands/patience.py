"""Patience with a store or a server that is busy: whom a command waits for, how long, and when it gives up.

It is shared by all files of one command. A store that takes nothing any more is so waited for once, not once for each file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from random import uniform
from time import monotonic
from typing import TypeVar

from server.errors import Busy, ServerError

__all__ = ["AGAIN", "LONGEST", "Exhausted", "Patience"]

T = TypeVar("T")

LONGEST = 600.0  # seconds that a server may ask to be left alone; one that asks for more is given up

AGAIN = "The same command takes it up when it is run again."


class Exhausted(ServerError):
    """What is asked for was not done, for lack of time alone: asked for again later, it may well be."""


@dataclass(slots=True)
class Patience:
    """Tries again what a busy store refused: `tries` times in all, ever later, at most `longest` seconds apart unless it asks for more.

    Where everything has been refused for `lasts` seconds, nothing is tried again. `hopeful` is whether there is somebody to wait
    for: a server that has never answered is not.
    """

    tries: int = 10
    pause: float = 0.5
    longest: float = 30.0
    lasts: float = 120.0
    hopeful: bool = True
    _since: float | None = field(default=None, init=False)

    async def tried(self, act: Callable[[], Awaitable[T]]) -> T:
        """Do something, and where a store is too busy for it, do it again, later.

        Raises:
            Exhausted: it stayed too busy.
            Busy: it is, and there is no hope that it will change.
        """
        for number in count():
            try:
                done = await act()
            except Busy as busy:
                if not self.hopeful:
                    raise
                wait = self._wait(number, busy)
                if wait is None:
                    raise Exhausted(f"{busy.message} {AGAIN}") from busy
            else:
                self._since = None
                return done
            await asyncio.sleep(wait)
        raise AssertionError("unreachable: it is tried until it is done or given up")

    def _wait(self, number: int, busy: Busy) -> float | None:
        """Return how many seconds to wait after a try, None where none is left."""
        now = monotonic()
        self._since = now if self._since is None else self._since
        asked = busy.wait or 0.0
        if number + 1 >= self.tries or asked > LONGEST or now >= self._since + self.lasts:
            return None
        # Drawn by lot, so that files which were refused together do not come back together.
        return max(asked, min(self.longest, self.pause * 2.0**number) * uniform(0.5, 1.0))
