"""Token vectors of what the index holds: the signs of each token's numbers, in SQL beside the rows, not in the index.

Some fifty rows are read by their ids at a time, which SQL does in a millisecond and LanceDB in ten. They are of the text that the index
has: the follower replaces and drops them in the transaction in which it has moved the text, and what it has not moved yet is not
asked for here. 48 bytes a token, at most 12 KB a node.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from server import models
from server.store.reader import Reader
from server.store.relations import table_of
from server.store.statements import keys_table, keys_value

__all__ = ["Sign", "forget", "replace", "signs_of"]

Sign = Callable[[Sequence[str]], Awaitable[list[bytes]]]
"""Makes the signs of texts."""
_table = table_of(models.TokenVectors)
_MOST = 500


async def signs_of(read: Reader, ids: Sequence[UUID]) -> dict[UUID, bytes]:
    """Return the signs of the nodes that have any. One statement."""
    if not ids:
        return {}
    keys = keys_table(read.dialect)
    statement = select(_table.c.node_id, _table.c.signs).select_from(keys).where(_table.c.node_id == keys.c.value)
    rows = await read.rows(statement, {"keys": keys_value(read.dialect, ids)})
    return {row[0]: row[1] for row in rows}


async def replace(
    connection: AsyncConnection, ids: Sequence[UUID], rows: Sequence[tuple[UUID, UUID, bytes]] = ()
) -> None:
    """Drop what there is of nodes, and write (node, volume, signs) anew."""
    for start in range(0, len(ids), _MOST):
        await connection.execute(delete(_table).where(_table.c.node_id.in_(ids[start : start + _MOST])))
    if rows:
        new = [{"node_id": node, "volume_id": volume, "signs": signs} for node, volume, signs in rows]
        await connection.execute(insert(_table), new)


async def forget(connection: AsyncConnection, volume: UUID | None = None) -> None:
    """Drop those of a volume, or all."""
    statement = delete(_table)
    await connection.execute(statement if volume is None else statement.where(_table.c.volume_id == volume))
