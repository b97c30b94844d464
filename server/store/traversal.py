"""Traversal: the edges of many entities in one statement, for walks over the graph that take it hop by hop.

Unlike a page, the limit is for all of them together, so that a hub costs what it has and no more than is bearable.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import CompoundSelect, Select, true, union_all

from server.store.filters import RelationshipFilter
from server.store.reader import Reader
from server.store.records import RelationshipRecord
from server.store.relations import Relation
from server.store.scopes import Scope, scope_of, view_values
from server.store.selections import conditions
from server.store.statements import LIMIT, keys_table, keys_value
from server.views import View

__all__ = ["Leading", "edges_from"]


class Leading(NamedTuple):
    """A relationship as it leads from one of the entities that were asked for; `weight` is its strength times its confidence."""

    origin: UUID
    id: UUID
    other: UUID
    weight: float


async def edges_from(
    read: Reader,
    entities: Sequence[UUID],
    relation: Relation[RelationshipRecord],
    view: View | None = None,
    *,
    most: int,
) -> tuple[list[Leading], bool]:
    """Return at most so many of the believed relationships that a relation finds for these entities, in no order, and whether there are
    more. A loop leads to its own end. One statement.
    """
    if not entities:
        return [], False
    statement = _leading(read.dialect, relation, RelationshipFilter(), scope_of(view))
    values = {"keys": keys_value(read.dialect, entities), "most": most + 1, **view_values(view)}
    rows = list(await read.fetch(statement, values))
    found = [
        Leading(origin, id, target if source == origin else source, strength * confidence)
        for origin, id, source, target, strength, confidence in rows[:most]
    ]
    return found, len(rows) > most


@lru_cache(512)
def _leading(
    dialect: str, relation: Relation[Any], filter: RelationshipFilter, scope: Scope | None
) -> Select[Any] | CompoundSelect[Any]:
    """Return the statement for (entity, relationship, source, target, strength, confidence) of given entities' relationships."""
    versions = scope is not None and scope.known
    where = conditions(filter, scope)
    parts = []
    for one in relation.versions() if versions else [relation]:
        for branch in one.branches:
            keys = keys_table(dialect)
            statement, row, _ = branch.select(one.table)
            columns = (row.c[name] for name in ("id", "source_id", "target_id", "strength", "confidence"))
            statement = statement.select_from(keys.join(row, true())).where(*where(row))
            parts.append(statement.add_columns(keys.c.value, *columns))
    return parts[0].limit(LIMIT) if len(parts) == 1 else union_all(*parts).limit(LIMIT)
