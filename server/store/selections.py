"""What is read of rows: parts of records, the entities at the ends of claims, and the statements that read them.

Statements are made once and kept: SQLAlchemy takes longer to make one than SQLite to answer it. What differs from call to call (the keys,
the size of a page, where it begins) is bound.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple, cast

from sqlalchemy import ColumnElement, Select, bindparam, select
from sqlmodel import SQLModel

from server import models
from server.store import records
from server.store.filters import Filter
from server.store.prepared import Columns
from server.store.relations import Relation, Sorting, table_of
from server.store.statements import Joined, Record, count_of_each, first_of_each, keys_table

__all__ = [
    "ENDS",
    "TABLES",
    "End",
    "Pages",
    "columns_of",
    "counts",
    "lists_of_keys",
    "named_volume",
    "of_keys",
    "pages",
    "part_of",
]

TABLES: dict[type[Any], type[SQLModel]] = {
    records.VolumeRecord: models.Volume,
    records.EntityRecord: models.Entity,
    records.AliasRecord: models.Alias,
    records.FactRecord: models.Fact,
    records.RelationshipRecord: models.Relationship,
    records.EvidenceRecord: models.Evidence,
    records.PredicateRecord: models.Predicate,
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
) -> type[Record]:
    """Return a record with only some of the columns, and with ends; to read another column of it is an error."""
    if columns is None and not ends:
        return record
    fields = record._fields  # type: ignore[attr-defined]
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
    """How pages are read: the statement, and how records are made of its columns behind the first, the parents' ordinals."""

    statement: Select[Any]
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
) -> Pages:
    """Return how a page of each parent is read."""
    record = part_of(relation.record, columns, sorting.names, ends)
    own = partial(relation.first, dialect, filter.conditions, sorting, behind=behind)
    names = [name for name in record._fields if name in relation.table.c]
    joins = [
        Joined(end.column, table_of(models.Entity).alias(), part_of(records.EntityRecord, end.columns)._fields)
        for end in ends
    ]
    statement = first_of_each(dialect, relation.table, own, names, sorting.order, joins=joins)
    return Pages(statement, _making(record, ends))


@lru_cache(256)
def of_keys(dialect: str, record: Any, columns: frozenset[str] | None) -> tuple[Select[Any], Callable[[Any], Any]]:
    """Return the statement for the rows with given ids, and how a record is made of one."""
    keys, table, part = keys_table(dialect), table_of(TABLES[record]), part_of(record, columns)
    statement = select(*(table.c[name] for name in part._fields))
    return statement.select_from(keys.join(table, table.c.id == keys.c.value)), partial(tuple.__new__, part)


@cache
def named_volume() -> Select[Any]:
    """Return the statement for the volume with a name."""
    table = table_of(models.Volume)
    return select(*columns_of(records.VolumeRecord)).where(table.c.name == bindparam("name", type_=table.c.name.type))


@lru_cache(256)
def lists_of_keys(
    dialect: str, record: Any, columns: frozenset[str] | None, column: str, order: tuple[str, ...]
) -> tuple[Select[Any], Callable[[Any], Any]]:
    """Return the statement for all rows whose column is one of the keys, ordered, and how a record is made of one behind its key."""
    keys, table, part = keys_table(dialect), table_of(TABLES[record]), part_of(record, columns)
    statement = select(table.c[column], *(table.c[name] for name in part._fields))
    statement = statement.select_from(keys.join(table, table.c[column] == keys.c.value))
    return statement.order_by(*(table.c[name] for name in order)), partial(tuple.__new__, part)


@lru_cache(256)
def counts(dialect: str, relation: Relation[Any], filter: Filter) -> Select[Any]:
    """Return the statement for how many rows each parent has."""
    return count_of_each(dialect, relation.ids(filter.conditions))
