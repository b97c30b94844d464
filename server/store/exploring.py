"""What an exploration follows, step by step: of many nodes the strongest things that each leads to, and how many there are in all.

Unlike a walk's (server/store/traversal.py), the limit is each node's own, so that a hub does not crowd out the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Float,
    FromClause,
    Integer,
    Select,
    case,
    cast,
    func,
    literal,
    literal_column,
    select,
    true,
    union_all,
)
from sqlmodel import SQLModel

from server import models
from server.ids import NodeKind
from server.store.filters import Everything, Filter, MemoryFilter, RelationshipFilter
from server.store.prepared import Statement
from server.store.reader import Reader
from server.store.relations import (
    ENTITIES_OF_PROJECT,
    LINKS_OF_MEMORY,
    MEMORIES_OF_ENTITY,
    RELATIONSHIPS_OF_ENTITY,
    Relation,
    counting,
    table_of,
)
from server.store.scopes import Scope, scope_of, view_values
from server.store.selections import conditions
from server.store.statements import LIMIT, ROWID, count_of_each, keys_table, keys_value
from server.terms import Direction
from server.views import View

__all__ = [
    "Attached",
    "Led",
    "Steps",
    "attachments_of",
    "entities_of_projects",
    "hits_lead_to",
    "links_of_memories",
    "memories_of_entities",
    "relationships_of_entities",
]


class Led(NamedTuple):
    """What a node leads to. `id` is the row's own, `other` the node at its other end, where it has one; `weight` is from 0 to 1."""

    origin: UUID
    id: UUID
    other: UUID
    weight: float


class Steps(NamedTuple):
    """What some nodes lead to, of each the strongest in order, and how many things each leads to in all."""

    found: list[Led]
    numbers: dict[UUID, int]


class _Way(NamedTuple):
    """How rows are followed from a key: the columns it takes, the node at the other end and the weight, by which they are ordered;
    None: the newest first.
    """

    relation: Relation[Any]
    names: tuple[str, ...]
    other: Callable[[FromClause, ColumnElement[Any]], ColumnElement[Any]]
    weight: Callable[[FromClause], ColumnElement[float]] | None
    filter: Filter = Everything()


def _own_id(row: FromClause, _key: ColumnElement[Any]) -> ColumnElement[Any]:
    return row.c.id


_LINKS = _Way(
    LINKS_OF_MEMORY,
    ("left_id", "right_id", "similarity"),
    lambda row, key: case((row.c.left_id == key, row.c.right_id), else_=row.c.left_id),
    lambda row: func.coalesce(row.c.similarity, 1.0, type_=Float),
)
_EDGES = _Way(
    RELATIONSHIPS_OF_ENTITY[Direction.BOTH],
    ("source_id", "target_id", "strength", "confidence"),
    lambda row, key: case((row.c.source_id == key, row.c.target_id), else_=row.c.source_id),
    lambda row: row.c.strength * row.c.confidence,
    RelationshipFilter(),
)
_MEMORIES = _Way(MEMORIES_OF_ENTITY, (), _own_id, None, MemoryFilter())
_MEMBERS = _Way(ENTITIES_OF_PROJECT, ("importance",), _own_id, lambda row: row.c.importance)


async def links_of_memories(read: Reader, memories: Sequence[UUID], most: int) -> Steps:
    """Return the links of each of these memories to others that are not obsolete, most similar first; one by hand weighs 1. One statement."""
    return await _steps(read, _LINKS, memories, most)


async def relationships_of_entities(read: Reader, entities: Sequence[UUID], most: int, view: View | None) -> Steps:
    """Return the believed relationships of each of these entities either way, as a view has them, highest product of strength and
    confidence first; a loop leads to its own end. One statement.
    """
    return await _steps(read, _EDGES, entities, most, view)


async def memories_of_entities(read: Reader, entities: Sequence[UUID], most: int) -> Steps:
    """Return the memories about each of these entities that are not obsolete, the newest first. One statement."""
    return await _steps(read, _MEMORIES, entities, most)


async def entities_of_projects(read: Reader, projects: Sequence[UUID], most: int) -> Steps:
    """Return the entities of each of these projects, most important first. One statement."""
    return await _steps(read, _MEMBERS, projects, most)


async def _steps(read: Reader, way: _Way, keys: Sequence[UUID], most: int, view: View | None = None) -> Steps:
    if not keys:
        return Steps([], {})
    claims = way.relation.past is not None
    statement = _following(read.dialect, way, scope_of(view) if claims else None)
    values = {"keys": keys_value(read.dialect, keys), "most": most, **(view_values(view) if claims else {})}
    found: dict[UUID, list[Led]] = {key: [] for key in keys}
    numbers = dict.fromkeys(keys, 0)
    for origin, number, id, other, weight in await read.fetch(statement, values):
        if number < 0:
            found[origin].append(Led(origin, id, other, weight))
        else:
            numbers[origin] = number
    return Steps([led for key in keys for led in _first(found[key], most)], numbers)


def _first(led: list[Led], most: int) -> Iterable[Led]:
    """Return the strongest, ties the newest first; versions of claims that were known come from two tables."""
    return sorted(sorted(led, key=lambda one: one.id, reverse=True), key=lambda one: -one.weight)[:most]


@lru_cache(64)
def _following(dialect: str, way: _Way, scope: Scope | None) -> Statement:
    """Return the statement for (key, -1, id, other end, weight) of the first rows of each key, and (key, number, key, key, 0) of each."""
    where = conditions(way.filter, scope)
    versions = scope is not None and scope.known
    sources = way.relation.versions() if versions else [way.relation]
    counted = count_of_each(dialect, way.relation.ids(where, versions=versions))
    key, number = counted.selected_columns
    counts = counted.with_only_columns(key, number, key, key, literal_column("0.0", Float))
    return union_all(*(_first_of_each(dialect, way, one, where) for one in sources), counts)


def _first_of_each(dialect: str, way: _Way, relation: Relation[Any], where: Any) -> Select[Any]:
    keys, rows = keys_table(dialect), relation.table
    if dialect == "sqlite":
        source: FromClause = rows
        here = literal_column(f"{rows.name}.{ROWID}").in_(_strongest(way, relation, where, (ROWID,)))
        joined = keys.join(source, here)
    else:
        source = _strongest(way, relation, where, ("id", *way.names)).lateral("c")
        joined = keys.join(source, true())
    weight = literal(0.0, Float) if way.weight is None else cast(way.weight(source), Float)
    columns = (keys.c.value, literal_column("-1", Integer), source.c.id, way.other(source, keys.c.value), weight)
    return select(*columns).select_from(joined)


def _strongest(way: _Way, relation: Relation[Any], where: Any, names: Sequence[str]) -> Select[Any]:
    """Return the select of columns of the first rows that belong to a key."""
    parts = []
    for branch in relation.branches:
        statement, row, id_column = branch.select(relation.table)
        own = {"id": id_column.label("id"), ROWID: literal_column(f"r.{ROWID}").label(ROWID)}
        columns = [own[name] if name in own else row.c[name] for name in dict.fromkeys(("id", *names))]
        weight = literal(0.0, Float) if way.weight is None else way.weight(row)
        parts.append(statement.add_columns(*columns, weight.label("weight")).where(*where(row)))
    merged = (parts[0] if len(parts) == 1 else union_all(*parts)).subquery()
    order = [merged.c.id.desc()] if way.weight is None else [merged.c.weight.desc(), merged.c.id.desc()]
    return select(*(merged.c[name] for name in names)).order_by(*order).limit(LIMIT)


class Attached(NamedTuple):
    """A node that belongs to a memory or a hit, and its kind."""

    origin: UUID
    kind: NodeKind
    id: UUID


_ATTACHED: tuple[tuple[NodeKind, type[SQLModel], str], ...] = (
    (NodeKind.PROJECT, models.MemoryProject, "project_id"),
    (NodeKind.ENTITY, models.MemoryEntity, "entity_id"),
    (NodeKind.DOCUMENT, models.MemoryDocument, "document_id"),
    (NodeKind.CODE_ARTIFACT, models.MemoryCodeArtifact, "code_artifact_id"),
)


async def attachments_of(read: Reader, memories: Sequence[UUID]) -> list[Attached]:
    """Return the projects, entities, documents and code artifacts of these memories, in no order; entities that a merge has set aside are
    none. One statement.
    """
    if not memories:
        return []
    rows = await read.fetch(_attachments(read.dialect), {"keys": keys_value(read.dialect, memories)})
    return [Attached(origin, _ATTACHED[place][0], id) for origin, place, id in rows]


@cache
def _attachments(dialect: str) -> Statement:
    parts, entity = [], table_of(models.Entity)
    for place, (_, model, column) in enumerate(_ATTACHED):
        keys, link = keys_table(dialect), table_of(model)
        joined = keys.join(link, link.c.memory_id == keys.c.value)
        own = select(keys.c.value, literal_column(str(place), Integer), link.c[column])
        if model is models.MemoryEntity:
            joined = joined.join(entity, entity.c.id == link.c.entity_id)
            own = own.where(*counting(entity))
        parts.append(own.select_from(joined))
    return union_all(*parts)


_HIT_KINDS = (NodeKind.ENTITY, NodeKind.DOCUMENT)


async def hits_lead_to(read: Reader, hits: Sequence[UUID]) -> list[Attached]:
    """Return whom these facts are about, and what these chunks name and which documents they are of, in no order. One statement.

    An entity that is merged counts as the one that it is now. One that a chunk names twice stands here twice.
    """
    if not hits:
        return []
    rows = await read.fetch(_leading(read.dialect), {"keys": keys_value(read.dialect, hits)})
    return [Attached(origin, _HIT_KINDS[place], id) for origin, place, id in rows]


@cache
def _leading(dialect: str) -> Statement:
    fact, chunk = table_of(models.Fact), table_of(models.Chunk)
    mention, entity = table_of(models.Mention), table_of(models.Entity)
    keys = [keys_table(dialect) for _ in range(3)]
    now = func.coalesce(entity.c.merged_into, entity.c.id, type_=entity.c.id.type)
    named = keys[1].join(mention, mention.c.chunk_id == keys[1].c.value)
    named = named.join(entity, entity.c.id == mention.c.entity_id)
    return union_all(
        select(keys[0].c.value, literal_column("0", Integer), fact.c.subject_id).select_from(
            keys[0].join(fact, fact.c.id == keys[0].c.value)
        ),
        select(keys[1].c.value, literal_column("0", Integer), now).select_from(named),
        select(keys[2].c.value, literal_column("1", Integer), chunk.c.document_id).select_from(
            keys[2].join(chunk, chunk.c.id == keys[2].c.value)
        ),
    )
