"""Which entities share a key under which names that may be alike meet: the first few of each key, from the index alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    String,
    bindparam,
    column,
    func,
    literal_column,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.selectable import NamedFromClause

from server import models
from server.store.relations import table_of

__all__ = ["entities", "of_keys", "values"]

_KEY: ColumnElement[int] = literal_column("k.value", BigInteger())


def _keys(dialect: str) -> NamedFromClause:
    if dialect == "sqlite":
        rows = func.json_each(bindparam("keys", type_=String))
        return rows.table_valued(column("key", Integer), column("value", BigInteger), name="k")
    unnested = func.unnest(bindparam("keys", type_=ARRAY(BigInteger)))
    return unnested.table_valued(column("value", BigInteger), name="k").render_derived(name="k")


@cache
def of_keys(dialect: str) -> Select[Any]:
    """Return the statement for (key, entity) of a volume's entities under each key, at most `most` of each, the oldest."""
    block, keys = table_of(models.EntityBlock), _keys(dialect)
    own = block.alias("b")
    volume = bindparam("volume", type_=block.c.volume_id.type)
    first = (
        select(own.c.entity_id)
        .where(own.c.volume_id == volume, own.c.key == _KEY)
        .order_by(own.c.entity_id)
        .limit(bindparam("most", type_=Integer))
    )
    if dialect == "postgresql":
        rows = first.lateral("f")
        return select(_KEY, rows.c.entity_id).select_from(keys.join(rows, true()))
    # SQLite would walk the volume's keys for each of those asked for; as one value of each it looks them up.
    found = first.subquery("f")
    return select(_KEY, select(func.json_group_array(found.c.entity_id)).scalar_subquery()).select_from(keys)


def entities(dialect: str, found: Any) -> list[str]:
    """Return the entities, in hexadecimal, that a row of the statement says beside its key: one, or on SQLite all of the key."""
    if dialect == "postgresql":
        return [found.hex]
    listed: list[str] = orjson.loads(found)
    return listed


def values(dialect: str, volume: UUID, keys: Sequence[int], most: int) -> dict[str, Any]:
    """Return what is bound to the statement."""
    bound = list(keys) if dialect == "postgresql" else "[" + ",".join(map(str, keys)) + "]"
    return {"volume": volume, "keys": bound, "most": most}
