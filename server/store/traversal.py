"""Traversal: what hangs on many entities or memories in one statement, for walks over the graph that take it hop by hop.

Unlike a page, the limit is for all of them together, so that a hub costs what it has and no more than is bearable.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import CompoundSelect, FromClause, Integer, Select, Uuid, bindparam, func, select, true, union_all

from server import models
from server.store.filters import Everything, Filter, MemoryFilter, RelationshipFilter
from server.store.prepared import Statement
from server.store.reader import Reader
from server.store.records import RelationshipRecord
from server.store.relations import (
    ENTITIES_OF_MEMORY,
    LINKS_OF_MEMORY,
    MEMORIES_OF_ENTITY,
    Relation,
    counting,
    table_of,
)
from server.store.scopes import Scope, scope_of, view_values
from server.store.selections import conditions
from server.store.statements import LIMIT, keys_table, keys_value
from server.views import View

__all__ = [
    "Leading",
    "attachments_between",
    "edges_between",
    "edges_from",
    "entities_of",
    "links_of",
    "memories_of",
    "most_connected",
]

_RECENT = 100_000
_BELIEVED = RelationshipFilter()


class Leading(NamedTuple):
    """What leads from one of the nodes that were asked for to another one. `id` is the relationship or the link, or None where the two are
    just attached; the higher its `weight`, the stronger it is: of a relationship strength times confidence, of a link similarity.
    """

    origin: UUID
    id: UUID | None
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
    names = ("id", "source_id", "target_id", "strength", "confidence")
    rows, more = await _rows(read, entities, relation, names, _BELIEVED, view, most)
    return [
        Leading(origin, id, target if source == origin else source, strength * confidence)
        for origin, id, source, target, strength, confidence in rows
    ], more


async def links_of(read: Reader, memories: Sequence[UUID], *, most: int) -> tuple[list[Leading], bool]:
    """Return the links of these memories to others that are not obsolete, as `edges_from` does; those by hand are as strong as can be."""
    names = ("id", "left_id", "right_id", "similarity")
    rows, more = await _rows(read, memories, LINKS_OF_MEMORY, names, Everything(), None, most)
    return [
        Leading(origin, id, right if left == origin else left, 1.0 if similarity is None else similarity)
        for origin, id, left, right, similarity in rows
    ], more


async def memories_of(read: Reader, entities: Sequence[UUID], *, most: int) -> tuple[list[Leading], bool]:
    """Return the memories about these entities that are not obsolete, the strength of each being a tenth of its importance."""
    rows, more = await _rows(read, entities, MEMORIES_OF_ENTITY, ("id", "importance"), MemoryFilter(), None, most)
    return [Leading(origin, None, memory, importance / 10) for origin, memory, importance in rows], more


async def entities_of(read: Reader, memories: Sequence[UUID], *, most: int) -> tuple[list[Leading], bool]:
    """Return the entities that these memories are about, the strength of each being its importance."""
    rows, more = await _rows(read, memories, ENTITIES_OF_MEMORY, ("id", "importance"), Everything(), None, most)
    return [Leading(origin, None, entity, importance) for origin, entity, importance in rows], more


async def _rows(
    read: Reader,
    keys: Sequence[UUID],
    relation: Relation[Any],
    names: tuple[str, ...],
    filter: Filter,
    view: View | None,
    most: int,
) -> tuple[list[Any], bool]:
    if not keys:
        return [], False
    claims = relation.past is not None
    statement = _of_each(read.dialect, relation, names, filter, scope_of(view) if claims else None)
    given = view_values(view) if claims else {}
    rows = list(await read.fetch(statement, {"keys": keys_value(read.dialect, keys), "most": most + 1, **given}))
    return rows[:most], len(rows) > most


@lru_cache(512)
def _of_each(
    dialect: str, relation: Relation[Any], names: tuple[str, ...], filter: Filter, scope: Scope | None
) -> Select[Any] | CompoundSelect[Any]:
    """Return the statement for (key, columns) of the rows that belong to given keys."""
    versions = scope is not None and scope.known
    where, parts = conditions(filter, scope), []
    for one in relation.versions() if versions else [relation]:
        for branch in one.branches:
            keys = keys_table(dialect)
            statement, row, _ = branch.select(one.table)
            source: FromClause = statement.get_final_froms()[0]
            statement = statement.select_from(keys.join(source, true())).where(*where(row))
            parts.append(statement.add_columns(keys.c.value, *(row.c[name] for name in names)))
    return parts[0].limit(LIMIT) if len(parts) == 1 else union_all(*parts).limit(LIMIT)


async def edges_between(
    read: Reader, entities: Collection[UUID], filter: RelationshipFilter, view: View | None = None, *, most: int
) -> tuple[list[UUID], bool]:
    """Return at most so many of the relationships that begin and end at these entities, loops too, oldest first, and whether there are
    more. One statement.
    """
    if not entities:
        return [], False
    values = {"keys": keys_value(read.dialect, list(entities)), "most": most + 1, **view_values(view)}
    rows = [row[0] for row in await read.fetch(_edges_between(read.dialect, filter, scope_of(view)), values)]
    return rows[:most], len(rows) > most


@lru_cache(256)
def _edges_between(dialect: str, filter: RelationshipFilter, scope: Scope | None) -> Statement:
    past = scope is not None and scope.known
    where, parts = conditions(filter, scope), []
    for model in (models.Relationship, models.RelationshipVersion) if past else (models.Relationship,):
        row, keys = table_of(model).alias("r"), keys_table(dialect)
        ends = keys.join(row, row.c.source_id == keys.c.value)
        here = row.c.target_id.in_(select(keys_table(dialect).alias("o").c.value))
        parts.append(select(row.c.id.label("id")).select_from(ends).where(here, *counting(row), *where(row)))
    if len(parts) == 1:
        return parts[0].order_by(parts[0].selected_columns.id).limit(LIMIT)
    both = union_all(*parts).subquery()
    return select(both.c.id).order_by(both.c.id).limit(LIMIT)


async def attachments_between(
    read: Reader, memories: Collection[UUID], entities: Collection[UUID]
) -> list[tuple[UUID, UUID]]:
    """Return the (memory, entity) of these that are attached to each other, in order. One statement."""
    if not memories or not entities:
        return []
    values = {"keys": keys_value(read.dialect, list(memories))}
    wanted = set(entities)
    return [(m, e) for m, e in await read.fetch(_attachments(read.dialect), values) if e in wanted]


@cache
def _attachments(dialect: str) -> Statement:
    keys, link = keys_table(dialect), table_of(models.MemoryEntity)
    statement = select(link.c.memory_id, link.c.entity_id)
    statement = statement.select_from(keys.join(link, link.c.memory_id == keys.c.value))
    return statement.order_by(link.c.memory_id, link.c.entity_id)


async def most_connected(
    read: Reader, volume: UUID, filter: RelationshipFilter, view: View | None = None, *, most: int
) -> tuple[list[UUID], bool]:
    """Return the entities with the most believed relationships among the latest 100,000 of the volume, most first, and whether there are
    more. One statement.
    """
    values = {"volume": volume, "most": most + 1, "recent": _RECENT, **view_values(view)}
    rows = [row[0] for row in await read.fetch(_most_connected(filter, scope_of(view)), values)]
    return rows[:most], len(rows) > most


@lru_cache(256)
def _most_connected(filter: RelationshipFilter, scope: Scope | None) -> Statement:
    past = scope is not None and scope.known
    where, parts = conditions(filter, scope), []
    for model in (models.Relationship, models.RelationshipVersion) if past else (models.Relationship,):
        row = table_of(model)
        own = row.c.volume_id == bindparam("volume", type_=Uuid())
        latest = select(row.c.source_id, row.c.target_id).where(own, *counting(row), *where(row))
        parts.append(latest.order_by(row.c.id.desc()).limit(bindparam("recent", type_=Integer)).subquery())
    ends = [select(part.c[name].label("entity")) for part in parts for name in ("source_id", "target_id")]
    all_ends = union_all(*ends).subquery()
    number = func.count().label("number")
    statement = select(all_ends.c.entity, number).group_by(all_ends.c.entity)
    return statement.order_by(number.desc(), all_ends.c.entity).limit(LIMIT)
