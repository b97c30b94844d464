"""What writes to the vector index have left in its files for a compaction to take out: noted in SQL.

So a process knows at its start, without opening the index, whether the one before it died between writing and compacting.
The note is a token that every write makes anew: whoever compacts takes away only the note that it has seen before.
"""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from server import models
from server.store.database import Database
from server.store.reader import Reader
from server.store.relations import table_of

__all__ = ["Leftovers", "note"]

_KEY, _NOTHING = "vectors_to_compact", ""
_setting = table_of(models.StoreSetting)
_value = select(_setting.c.value).where(_setting.c.key == _KEY)


async def note(database: Database, connection: AsyncConnection) -> str:
    """Note, in the transaction that goes with a write to the index, that there is something; return the token."""
    token = uuid4().hex
    statement = database.insert(_setting).values(key=_KEY, value=token)
    await connection.execute(statement.on_conflict_do_update(index_elements=["key"], set_={"value": token}))
    return token


class Leftovers:
    """The note as one process knows it: what it has found at its start, or has written since."""

    def __init__(self, database: Database, read: Reader) -> None:
        self._database = database
        self._read = read
        self._token = _NOTHING

    async def found(self) -> bool:
        """Return whether the processes before have left anything. Of an index older than the note that is not known: yes."""
        rows = await self._read.rows(_value)
        if not rows:
            rows = await self._begin()
        self._token = rows[0][0]
        return self._token != _NOTHING

    async def _begin(self) -> list[tuple[str]]:
        table = table_of(models.Follower)
        followed = await self._read.rows(select(table.c.name).limit(1))
        first = uuid4().hex if followed else _NOTHING
        async with self._database.writing() as connection:
            statement = self._database.insert(_setting).values(key=_KEY, value=first)
            await connection.execute(statement.on_conflict_do_nothing())
        return [(row[0],) for row in await self._read.rows(_value)]

    async def note(self, connection: AsyncConnection) -> None:
        """Note a write of this process."""
        self._token = await note(self._database, connection)

    async def claim(self) -> bool:
        """Take it upon this process to compact; False where another has, or has written since: then it is that one's to do."""
        return self._token != _NOTHING and await self._replace(uuid4().hex)

    async def gone(self) -> None:
        """Note that there is nothing any more, unless something was written meanwhile."""
        await self._replace(_NOTHING)

    async def _replace(self, token: str) -> bool:
        seen = update(_setting).where(_setting.c.key == _KEY, _setting.c.value == self._token)
        async with self._database.writing(lasting=False) as connection:
            done = await connection.execute(seen.values(value=token))
        self._token = token
        return done.rowcount == 1
