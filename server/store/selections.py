"""What is read of rows: parts of records, the entities at the ends of claims, and the statements that read them.

Statements are made once and kept: SQLAlchemy takes longer to make one than SQLite to answer it. What differs from call to call (the keys,
the size of a page, where it begins) is bound.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple, cast

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    FromClause,
    Select,
    bindparam,
    literal_column,
    null,
    select,
    type_coerce,
    union_all,
)
from sqlmodel import SQLModel, UTCDateTime

from server import models
from server.store import records
from server.store.aging import has_stale_claim
from server.store.filters import ClaimFilter, Filter
from server.store.prepared import Columns
from server.store.relations import PAST, Relation, Sorting, table_of
from server.store.scopes import KNOWN, Scope, versions_known
from server.store.statements import Joined, Record, count_of_each, first_of_each, keys_table

__all__ = [
    "ENDS",
    "TABLES",
    "End",
    "Pages",
    "columns_of",
    "counts",
    "inverses",
    "lists_of_keys",
    "named_volume",
    "of_keys",
    "other_names",
    "pages",
    "part_of",
    "stale_entities",
]

TABLES: dict[type[Any], type[SQLModel]] = {
    records.VolumeRecord: models.Volume,
    records.EntityRecord: models.Entity,
    records.MergeRecord: models.EntityMerge,
    records.ApartRecord: models.ClaimApart,
    records.AliasRecord: models.Alias,
    records.FactRecord: models.Fact,
    records.RelationshipRecord: models.Relationship,
    records.EvidenceRecord: models.Evidence,
    records.PredicateRecord: models.Predicate,
    records.ConflictRecord: models.Conflict,
    records.ConflictClaimRecord: models.ConflictClaim,
    records.MemoryRecord: models.Memory,
    records.MemoryLinkRecord: models.MemoryLink,
    records.DocumentRecord: models.Document,
    records.CopyRecord: models.DocumentCopy,
    records.ChunkRecord: models.Chunk,
    records.IngestionRecord: models.Ingestion,
    records.RejectionRecord: models.Rejection,
    records.UploadRecord: models.Upload,
    records.ReviewRecord: models.Review,
    records.ProjectRecord: models.Project,
    records.CodeArtifactRecord: models.CodeArtifact,
    records.ChangeRecord: models.Change,
}


def columns_of(record: type[Any]) -> list[ColumnElement[Any]]:
    """Return the columns of a record's table, in the record's order."""
    table = table_of(TABLES[record])
    return [table.c[name] for name in record._fields]


class End(NamedTuple):
    """The entity that a column of a row names, read with the row as the field `name`; of it only some `columns`, or all."""

    name: str
    column: str
    columns: frozenset[str] | None


ENDS: dict[type[Any], dict[str, str]] = {
    records.FactRecord: {"subject": "subject_id"},
    records.RelationshipRecord: {"source": "source_id", "target": "target_id"},
}
"""The entities that a row can be read with, and the columns that name them."""


def part_of(
    record: type[Record],
    columns: frozenset[str] | None,
    sorted_by: tuple[str, ...] = (),
    ends: tuple[End, ...] = (),
    *,
    past: bool = False,
) -> type[Record]:
    """Return a record with only some of the columns, and with ends; to read another column of it is an error. One that may be a
    `past` version of a claim also says until when it was known.
    """
    if columns is None and not ends and not past:
        return record
    fields = (*record._fields, *((_UNTIL,) if past else ()))  # type: ignore[attr-defined]
    wanted = set(fields) if columns is None else columns | {"id", *sorted_by}
    kept = (*(name for name in fields if name in wanted), *(end.name for end in ends))
    return cast("type[Record]", _named_tuple(record.__name__, kept))


@lru_cache(512)
def _named_tuple(name: str, fields: tuple[str, ...]) -> type[Any]:
    return namedtuple(f"PartOf{name}", fields)


def _making(record: type[Record], ends: tuple[End, ...]) -> Callable[[Columns], Iterable[Record]]:
    """Return how records are made of their own columns and then those of their ends."""
    new = partial(tuple.__new__, record)
    if not ends:
        return lambda columns: map(new, zip(*columns, strict=True))
    own = len(record._fields) - len(ends)  # type: ignore[attr-defined]
    places, start = [], own
    for end in ends:
        part = part_of(records.EntityRecord, end.columns)
        places.append((partial(tuple.__new__, part), start, start + len(part._fields)))
        start += len(part._fields)

    def make(columns: Columns) -> Iterable[Record]:
        theirs = [map(of, zip(*columns[a:b], strict=True)) for of, a, b in places]
        return map(new, zip(*columns[:own], *theirs, strict=True))

    return make


class Pages(NamedTuple):
    """How pages are read: the statement, and how records are made of its columns behind the first, the parents' ordinals.

    Of a known instant it answers up to twice as many rows of each parent as it is limited to.
    """

    statement: Select[Any] | CompoundSelect[Any]
    make: Callable[[Columns], Iterable[Any]]


@lru_cache(512)
def pages(
    dialect: str,
    relation: Relation[Any],
    columns: frozenset[str] | None,
    filter: Filter,
    sorting: Sorting,
    behind: bool,
    ends: tuple[End, ...],
    scope: Scope | None = None,
) -> Pages:
    """Return how a page of each parent is read."""
    past = scope is not None and scope.known
    record = part_of(relation.record, columns, sorting.names, ends, past=past)
    joins = [
        Joined(end.column, table_of(models.Entity).alias(), part_of(records.EntityRecord, end.columns)._fields)
        for end in ends
    ]

    def part(of: Relation[Any]) -> Select[Any]:
        own = partial(of.first, dialect, conditions(filter, scope), sorting, behind=behind)
        names = [name for name in record._fields if name in of.table.c]
        return first_of_each(dialect, of.table, own, names, sorting.order, joins=joins)

    if not past:
        return Pages(part(relation), _making(record, ends))
    present, earlier = map(part, relation.versions())
    places = [2 + record._fields.index(name) for name in (*sorting.names, "id")]
    keyset: list[ColumnElement[Any]] = [literal_column(str(place)) for place in places]
    order = [literal_column("1"), *(place.desc() if sorting.descending else place for place in keyset)]
    until = 1 + len(record._fields) - len(ends) if _UNTIL in record._fields else 0
    return Pages(_merged(present, earlier, until).order_by(*order), _making(record, ends))


_UNTIL = "known_to"


def _merged(present: Select[Any], earlier: Select[Any], until: int) -> CompoundSelect[Any]:
    """Return both selects as one; the present versions get an open end as the last of the first `until` columns, unless that is 0."""
    columns: list[ColumnElement[Any]] = list(present.selected_columns)
    if until:
        columns.insert(until - 1, type_coerce(null(), UTCDateTime).label(_UNTIL))
    return union_all(present.with_only_columns(*columns).order_by(None), earlier.order_by(None))


def conditions(filter: Filter, scope: Scope | None) -> Callable[[FromClause], list[ColumnElement[bool]]]:
    """Return the conditions of a filter over a row that is read in a scope."""
    if scope is None:
        return filter.conditions
    own = partial(filter.conditions, dated=scope.valid) if isinstance(filter, ClaimFilter) else filter.conditions
    return lambda row: [*own(row), *scope.conditions(row)]


@lru_cache(256)
def of_keys(
    dialect: str, record: Any, columns: frozenset[str] | None, *, known: bool = False
) -> tuple[Select[Any] | CompoundSelect[Any], Callable[[Any], Any]]:
    """Return the statement for the rows with given ids, and how a record is made of one; of the versions of claims that were
    `known`, if so.
    """
    keys, part = keys_table(dialect), part_of(record, columns, past=known)

    def own(model: type[SQLModel]) -> Select[Any]:
        table = table_of(model)
        names = [name for name in part._fields if name in table.c]
        found = select(*(table.c[name] for name in names)).select_from(keys.join(table, table.c.id == keys.c.value))
        return found.where(*versions_known(table)) if known else found

    if not known:
        return own(TABLES[record]), partial(tuple.__new__, part)
    until = len(part._fields) if _UNTIL in part._fields else 0
    return _merged(own(TABLES[record]), own(PAST[record]), until), partial(tuple.__new__, part)


@cache
def named_volume() -> Select[Any]:
    """Return the statement for the volume with a name."""
    table = table_of(models.Volume)
    return select(*columns_of(records.VolumeRecord)).where(table.c.name == bindparam("name", type_=table.c.name.type))


@cache
def other_names(dialect: str) -> Any:
    """Return the statement for (entity, match key, name) of the names of entities beside their own, the nearest first."""
    entity, alias = table_of(models.Entity), table_of(models.Alias)
    parts = []
    for place in range(3):
        keys, own, merged = keys_table(dialect), entity.alias("own"), entity.alias("merged")
        rows = keys.join(own, own.c.id == keys.c.value)
        named: Any = alias if place != 1 else merged
        if place:
            rows = rows.join(merged, merged.c.merged_into == own.c.id)
        if named is alias:
            rows = rows.join(alias, alias.c.entity_id == (merged if place else own).c.id)
        columns = (own.c.id, named.c.match_key, named.c.name)
        parts.append(select(*columns).select_from(rows).where(named.c.match_key != own.c.match_key))
    return union_all(*parts)


@cache
def stale_entities(dialect: str) -> Select[Any]:
    """Return the statement for those of given entities that a stale claim is about."""
    keys = keys_table(dialect)
    return select(keys.c.value).where(has_stale_claim(keys.c.value))


@cache
def inverses(dialect: str) -> Select[Any]:
    """Return the statement for (volume, name, inverse) of the predicates of given volumes that another one is the inverse of."""
    keys, table = keys_table(dialect), table_of(models.Predicate)
    joined = keys.join(table, table.c.volume_id == keys.c.value)
    statement = select(table.c.volume_id, table.c.name, table.c.inverse).select_from(joined)
    return statement.where(table.c.inverse.is_not(None), table.c.inverse != table.c.name)


@lru_cache(256)
def lists_of_keys(
    dialect: str,
    record: Any,
    columns: frozenset[str] | None,
    column: str,
    order: tuple[str, ...],
    *,
    known: bool = False,
) -> tuple[Select[Any], Callable[[Any], Any]]:
    """Return the statement for all rows whose column is one of the keys, ordered, and how a record is made of one behind its key;
    of those that were there at the `known` instant that is bound, if so.
    """
    keys, table, part = keys_table(dialect), table_of(TABLES[record]), part_of(record, columns)
    statement = select(table.c[column], *(table.c[name] for name in part._fields))
    statement = statement.select_from(keys.join(table, table.c[column] == keys.c.value))
    statement = statement.where(table.c.created_at <= KNOWN) if known else statement
    return statement.order_by(*(table.c[name] for name in order)), partial(tuple.__new__, part)


@lru_cache(256)
def counts(dialect: str, relation: Relation[Any], filter: Filter, scope: Scope | None = None) -> Select[Any]:
    """Return the statement for how many rows each parent has."""
    versions = scope is not None and scope.known
    return count_of_each(dialect, relation.ids(conditions(filter, scope), versions=versions))
