"""Sifting what a search found: what a filter and a view let pass, of all kinds of nodes in one statement.

By itself a search shows what lists show: claims that are believed, entities and facts that no merge has set aside, memories that
are not obsolete, chunks of documents' current revisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Float,
    FromClause,
    Select,
    String,
    Uuid,
    bindparam,
    cast,
    column,
    func,
    literal,
    select,
    union_all,
)
from sqlalchemy.sql import CompoundSelect
from sqlmodel import SQLModel

from server import models
from server.ids import NodeKind
from server.store.filters import FactFilter
from server.store.reader import Reader
from server.store.relations import counting, table_of
from server.store.scopes import Scope, scope_of, view_values
from server.store.selections import conditions
from server.store.statements import LIMIT, keys_table, keys_value
from server.terms import Authority
from server.views import View

__all__ = ["KINDS", "SearchFilter", "Standing", "passing", "sifted"]

KINDS = (NodeKind.ENTITY, NodeKind.FACT, NodeKind.MEMORY, NodeKind.CHUNK, NodeKind.CODE_ARTIFACT)
"""What can be searched for."""
Condition = ColumnElement[bool]
_VOLUME: ColumnElement[UUID] = bindparam("volume", type_=Uuid)
_MIDDLE = 0.5
"""The importance of what has none of its own."""


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """What may be found. None means "not filtered by this". A kind that lacks what is filtered by is left out; only confidence
    is no bar to what has none.
    """

    types: tuple[str, ...] | None = None
    projects: tuple[UUID, ...] | None = None
    tags: tuple[str, ...] | None = None
    authorities: tuple[Authority, ...] | None = None
    min_confidence: float | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    include_obsolete: bool = False

    @property
    def narrows(self) -> bool:
        """Whether it lets less pass than a search shows by itself."""
        return replace(self, include_obsolete=False) != SearchFilter()

    def kinds(self, kinds: Sequence[NodeKind]) -> tuple[NodeKind, ...]:
        """Return those kinds of which anything can pass."""
        bars = {
            NodeKind.ENTITY: (self.tags, self.authorities),
            NodeKind.FACT: (self.tags,),
            NodeKind.MEMORY: (self.types, self.authorities),
            NodeKind.CHUNK: (self.types, self.tags),
            NodeKind.CODE_ARTIFACT: (self.types, self.projects, self.authorities),
        }
        return tuple(kind for kind in KINDS if kind in kinds and all(bar is None for bar in bars[kind]))


class Standing(NamedTuple):
    """How a node that passes stands: its importance from 0 to 1, and when it last changed."""

    importance: float
    updated_at: datetime


async def sifted(
    read: Reader,
    volume: UUID,
    kinds: tuple[NodeKind, ...],
    filter: SearchFilter,
    view: View | None,
    ids: Sequence[UUID],
) -> dict[UUID, Standing]:
    """Return those of these nodes that are of a volume and pass, each as it stands. One statement."""
    if not ids or not kinds:
        return {}
    statement = _sifting(read.dialect, kinds, filter, scope_of(view))
    values = {"keys": keys_value(read.dialect, ids), **view_values(view)}
    if filter.tags is not None:
        values["volume"] = volume
    rows = await read.fetch(statement, values)
    return {row[0]: Standing(row[1], row[2]) for row in rows if row[3] == volume}


async def passing(
    read: Reader, volume: UUID, kinds: tuple[NodeKind, ...], filter: SearchFilter, view: View | None, most: int
) -> list[UUID] | None:
    """Return the nodes of a volume that pass, or None where there are more than `most`. One statement."""
    if not kinds:
        return []
    statement = _passing(read.dialect, kinds, filter, scope_of(view))
    values = {"most": most + 1, "volume": volume, **view_values(view)}
    found = list(dict.fromkeys([row[0] for row in await read.fetch(statement, values)]))
    return None if len(found) > most else found


@lru_cache(256)
def _sifting(
    dialect: str, kinds: tuple[NodeKind, ...], filter: SearchFilter, scope: Scope | None
) -> Select[Any] | CompoundSelect[Any]:
    """The volume is no condition: the databases would rather go through all of its rows than look for these."""
    own = []
    for statement, row in _rows(dialect, kinds, filter, scope):
        keys = keys_table(dialect)
        here = statement.select_from(keys).where(row.c.id == keys.c.value)
        own.append(here.add_columns(row.c.volume_id))
    return own[0] if len(own) == 1 else union_all(*own)


@lru_cache(256)
def _passing(
    dialect: str, kinds: tuple[NodeKind, ...], filter: SearchFilter, scope: Scope | None
) -> Select[Any] | CompoundSelect[Any]:
    own = [
        one.with_only_columns(row.c.id).where(row.c.volume_id == _VOLUME)
        for one, row in _rows(dialect, kinds, filter, scope)
    ]
    return own[0].limit(LIMIT) if len(own) == 1 else union_all(*own).limit(LIMIT)


def _rows(
    dialect: str, kinds: Sequence[NodeKind], filter: SearchFilter, scope: Scope | None
) -> list[tuple[Select[Any], FromClause]]:
    """Return, for each kind, the select of the (id, importance, change) of what passes, and its row; of facts, that of each table of
    versions.
    """
    found: list[tuple[Select[Any], FromClause]] = []
    for kind in kinds:
        versions: tuple[type[SQLModel], ...] = (_MODELS[kind],)
        if kind is NodeKind.FACT and scope is not None and scope.known:
            versions = (models.Fact, models.FactVersion)
        rows = [table_of(model).alias() for model in versions]
        found += [(_of(kind, row, dialect, filter, scope), row) for row in rows]
    return found


_MODELS: dict[NodeKind, type[SQLModel]] = {
    NodeKind.ENTITY: models.Entity,
    NodeKind.FACT: models.Fact,
    NodeKind.MEMORY: models.Memory,
    NodeKind.CHUNK: models.Chunk,
    NodeKind.CODE_ARTIFACT: models.CodeArtifact,
}


def _of(kind: NodeKind, row: FromClause, dialect: str, filter: SearchFilter, scope: Scope | None) -> Select[Any]:
    document = table_of(models.Document).alias()
    dated = document if kind is NodeKind.CHUNK else row
    own: dict[NodeKind, list[Condition]] = {
        NodeKind.MEMORY: [] if filter.include_obsolete or kind is not NodeKind.MEMORY else [row.c.obsolete.is_(False)],
        NodeKind.FACT: _facts(row, filter, scope) if kind is NodeKind.FACT else [],
    }
    where = [*counting(row), *own.get(kind, [])]
    if filter.min_confidence is not None and kind is NodeKind.ENTITY:
        where.append(row.c.confidence >= filter.min_confidence)
    if filter.authorities is not None:
        where.append(dated.c.authority.in_(filter.authorities))
    where += _types(kind, row, filter.types) + _projects(kind, row, filter.projects)
    where += _tags(kind, row, filter.tags, dialect) + _dates(dated, filter)
    changed = document.c.created_at if kind is NodeKind.CHUNK else row.c.updated_at
    statement = select(row.c.id, _importance(kind, row).label("importance"), changed.label("changed"))
    if kind is NodeKind.CHUNK:
        current = (document.c.id == row.c.document_id) & (document.c.revision == row.c.revision)
        where.append(current)
    return statement.where(*where)


def _importance(kind: NodeKind, row: FromClause) -> ColumnElement[float]:
    if kind is NodeKind.MEMORY:
        return cast((row.c.importance - 1) / 9.0, Float)
    return row.c.importance if "importance" in row.c else literal(_MIDDLE, Float)


def _facts(row: FromClause, filter: SearchFilter, scope: Scope | None) -> list[Condition]:
    return list(conditions(FactFilter(min_confidence=filter.min_confidence), scope)(row))


def _types(kind: NodeKind, row: FromClause, types: Sequence[str] | None) -> list[Condition]:
    if types is None:
        return []
    if kind is NodeKind.ENTITY:
        return [row.c.type.in_(types)]
    subject = table_of(models.Entity).alias()
    return [select(subject.c.id).where(subject.c.id == row.c.subject_id, subject.c.type.in_(types)).exists()]


_HELD: dict[NodeKind, tuple[type[SQLModel], str, str]] = {
    NodeKind.ENTITY: (models.ProjectEntity, "entity_id", "id"),
    NodeKind.FACT: (models.ProjectEntity, "entity_id", "subject_id"),
    NodeKind.MEMORY: (models.MemoryProject, "memory_id", "id"),
    NodeKind.CHUNK: (models.ProjectDocument, "document_id", "document_id"),
}


def _projects(kind: NodeKind, row: FromClause, projects: Sequence[UUID] | None) -> list[Condition]:
    if projects is None:
        return []
    link, theirs, own = _HELD[kind]
    table = table_of(link).alias()
    return [row.c[own].in_(select(table.c[theirs]).where(table.c.project_id.in_(projects)))]


def _tags(kind: NodeKind, row: FromClause, tags: Sequence[str] | None, dialect: str) -> list[Condition]:
    if tags is None:
        return []
    if kind is NodeKind.MEMORY:
        tag = table_of(models.MemoryTag).alias()
        return [row.c.id.in_(select(tag.c.memory_id).where(tag.c.volume_id == _VOLUME, tag.c.tag.in_(tags)))]
    each = func.json_each(row.c.tags) if dialect == "sqlite" else func.json_array_elements_text(row.c.tags)
    listed = each.table_valued(column("value", String), name="t")
    listed = listed if dialect == "sqlite" else listed.render_derived(name="t")
    return [select(listed.c.value).where(listed.c.value.in_(tags)).exists()]


def _dates(dated: FromClause, filter: SearchFilter) -> list[Condition]:
    found: list[Condition] = []
    if filter.created_after is not None:
        found.append(dated.c.created_at >= filter.created_after)
    if filter.created_before is not None:
        found.append(dated.c.created_at < filter.created_before)
    return found
