"""Rankings that a search has frozen: what its pages are cut from, in whichever process the next one is asked for.

They hold no text. Each is kept for a while; whoever writes one drops those whose time is up.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from hashlib import blake2b
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from sqlalchemy import delete, select

from server import models
from server.ids import NodeKind
from server.store.database import Database
from server.store.reader import Reader
from server.store.relations import table_of
from server.store.transaction import Clock

__all__ = ["Hit", "Rankings", "named"]

_ranking = table_of(models.Ranking)


class Hit(NamedTuple):
    """A node in its place in a ranking; `vector_rank`, `text_rank` and `graph_rank` are its places by meaning, by words and by the walk
    alone.
    """

    id: UUID
    kind: NodeKind
    score: float
    vector_rank: int | None
    text_rank: int | None
    graph_rank: int | None = None


def _written(hits: Sequence[Hit]) -> list[list[Any]]:
    return [[hit.id.hex, hit.kind.value, *hit[2:]] for hit in hits]


def named(volume: UUID, hits: Sequence[Hit]) -> UUID:
    """Return the name of a ranking of a volume: equal ones have the same."""
    return UUID(bytes=blake2b(volume.bytes + orjson.dumps(_written(hits)), digest_size=16).digest())


class Rankings:
    """The rankings of one database, kept for so many `minutes`."""

    def __init__(self, database: Database, read: Reader, minutes: float, clock: Clock) -> None:
        self._database = database
        self._read = read
        self._kept = timedelta(minutes=minutes)
        self._clock = clock

    async def keep(self, volume: UUID, hits: Sequence[Hit]) -> None:
        """Freeze a ranking of a volume under its name, or keep it for longer."""
        now = self._clock()
        until = now + self._kept
        row = {"id": named(volume, hits), "volume_id": volume, "hits": _written(hits), "expires_at": until}
        new = self._database.insert(_ranking).on_conflict_do_update(index_elements=["id"], set_={"expires_at": until})
        async with self._database.writing(lasting=False) as connection:
            await connection.execute(delete(_ranking).where(_ranking.c.expires_at <= now))
            await connection.execute(new, [row])

    async def of(self, volume: UUID, id: UUID) -> list[Hit] | None:
        """Return a ranking of a volume, or None where there is none of this name, or its time is up. One statement."""
        own = (_ranking.c.id == id, _ranking.c.volume_id == volume, _ranking.c.expires_at > self._clock())
        rows: Any = await self._read.rows(select(_ranking.c.hits).where(*own))
        return [Hit(UUID(hit[0]), NodeKind(hit[1]), *hit[2:]) for hit in rows[0][0]] if rows else None
