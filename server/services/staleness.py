"""The sweep for stale claims: it asks a person about each, and lets the question go where new evidence has come.

One process sweeps at a time: whoever finds that a round is due takes it, and by that says when the next one is. So a process that
is killed costs one round at most.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from server.errors import ServerError
from server.ids import NodeKind
from server.services.claims import FACT, RELATIONSHIP, ClaimKind
from server.services.reviews import ReviewQuestion, close_reviews, open_reviews
from server.store import Store
from server.store.aging import StaleClaim, fresh_again, stale_claims
from server.store.believing import present
from server.terms import ReviewKind

__all__ = ["ACTOR", "Sweep", "Swept"]

ACTOR = "sweep"
_TURN = "staleness_sweep"
_MOST = 500
_KINDS = (FACT, RELATIONSHIP)
_log = logging.getLogger("loregraph.staleness")


class Swept(NamedTuple):
    """How many questions a round has opened, and how many it has closed."""

    opened: int = 0
    closed: int = 0


class Sweep:
    """Sweeps a store for as long as `run` runs; `clock` tells what time it is."""

    def __init__(self, store: Store, interval: float, clock: Callable[[], datetime] = present) -> None:
        self._store = store
        self._interval = timedelta(seconds=interval)
        self._clock = clock

    async def run(self) -> None:
        """Sweep until cancelled, where and when it is due."""
        pause = min(self._interval.total_seconds(), 60.0)
        while True:
            try:
                await self.step()
            except ServerError as error:
                _log.warning("The sweep for stale claims waits: %s", error.message)
            await asyncio.sleep(pause)

    async def step(self) -> Swept | None:
        """Do a round if one is due and no other process has taken it; None where not."""
        now = self._clock()
        if not await self._store.take_turn(_TURN, now, now + self._interval):
            return None
        return await self.round()

    async def round(self) -> Swept:
        """Ask about stale claims and let go what is fresh again: of each volume 500 facts and 500 relationships at most."""
        total, after = Swept(), None
        while True:
            page = await self._store.read.volumes(100, after)
            for volume in page.rows:
                found = await self._volume(volume.id)
                total = Swept(total.opened + found.opened, total.closed + found.closed)
            if not page.has_next:
                return total
            after = (page.rows[-1].name, page.rows[-1].id)

    async def _volume(self, volume: UUID) -> Swept:
        total = Swept()
        for kind in _KINDS:
            now, read = self._clock(), self._store.read
            due = await stale_claims(read, volume, kind.evidence, now, 1)
            over = await fresh_again(read, volume, kind.evidence, now, 1)
            if due or over:
                found = await self._write(volume, kind, now)
                total = Swept(total.opened + found.opened, total.closed + found.closed)
        return total

    async def _write(self, volume: UUID, kind: ClaimKind, now: datetime) -> Swept:
        """Look again inside a transaction, where nothing changes meanwhile, and write what is found."""
        async with self._store.write(volume, ACTOR) as tx:
            over = await fresh_again(tx.read, volume, kind.evidence, now, _MOST)
            closed = await close_reviews(tx, [(kind.node, id) for id in over], (ReviewKind.STALE,))
            due = await stale_claims(tx.read, volume, kind.evidence, now, _MOST)
            opened = await open_reviews(tx, [_question(kind.node, claim) for claim in due])
        return Swept(sum(id is not None for id in opened), len(closed))


def _question(node: NodeKind, claim: StaleClaim) -> ReviewQuestion:
    """Return the question whether a claim still holds; after new evidence it is another one."""
    since = claim.newest + timedelta(days=claim.half_life_days)
    about, occasion = ((node, claim.id),), claim.newest.isoformat()
    return ReviewQuestion(ReviewKind.STALE, about, claim.importance, due_since=since, occasion=occasion)
