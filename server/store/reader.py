"""Reading: batched gets, first pages of many parents, and the lookups that decisions need.

Every read takes its own short connection, or the transaction's when it is a transaction's reader. Plural reads answer
one result per key, in key order. The number of statements of a call never depends on the number of keys.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Any
from uuid import UUID

from sqlalchemy import Executable, FromClause, Select, bindparam, func, or_, select, tuple_, union_all
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlmodel import SQLModel

from server import models
from server.store import blocks, records, selections
from server.store.believing import NOW, present
from server.store.filters import ChangeFilter, Everything, Filter
from server.store.prepared import Columns, Line, Statement, fetch
from server.store.relations import PAST, Relation, Sorting, counting, table_of
from server.store.scopes import scope_of, view_values
from server.store.selections import TABLES, End, columns_of
from server.store.sources import Sources
from server.store.statements import (
    PARENT,
    KeysetValue,
    Order,
    Page,
    Record,
    after_values,
    by_ordinal,
    first_of_each,
    keys_table,
    keys_value,
)
from server.terms import DEFAULT_VIEW
from server.views import View

Fetch = Callable[[Statement, Mapping[str, Any]], Awaitable[Columns]]
Connect = Callable[[], AbstractAsyncContextManager[AsyncConnection]]

_NOTHING = Everything()
_BY_ID = Sorting()


# Statements whose text never changes are made once: SQLAlchemy takes longer to make one than SQLite to answer it.
@cache
def _named() -> Any:
    """Return the statement for the entities, merged ones too, with these match keys of these volumes, as their own or as an alias."""
    entity, alias = table_of(models.Entity), table_of(models.Alias)
    columns = columns_of(records.EntityRecord)
    volumes: Any = bindparam("volumes", expanding=True)
    keys: Any = bindparam("names", expanding=True)
    own = select(entity.c.match_key, *columns)
    own = own.where(entity.c.volume_id.in_(volumes), entity.c.match_key.in_(keys))
    other = select(alias.c.match_key, *columns).select_from(alias.join(entity, entity.c.id == alias.c.entity_id))
    return union_all(own, other.where(alias.c.volume_id.in_(volumes), alias.c.match_key.in_(keys)))


@cache
def _ingested(*, content: bool) -> Any:
    """Return the statement for an ingestion and its document, with the content that it reads and the vocabulary, or without."""
    run, document = table_of(models.Ingestion), table_of(models.Document)
    revision, volume = table_of(models.DocumentRevision), table_of(models.Volume)
    columns = [*columns_of(records.IngestionRecord), *columns_of(records.DocumentRecord)]
    joined = run.join(document, document.c.id == run.c.document_id)
    if content:
        own = (revision.c.document_id == run.c.document_id) & (revision.c.number == run.c.revision)
        joined = joined.join(revision, own).join(volume, volume.c.id == run.c.volume_id)
        columns = [*columns, revision.c.content, volume.c.vocabulary]
    return select(*columns).select_from(joined).where(run.c.id == bindparam("ingestion"))


def _expanded(
    entries: Sequence[records.ChangeRecord], first: int, after: tuple[int, int] | None
) -> Page[tuple[records.ChangeRecord, int]]:
    """Return the first entries behind `after`, each node of a batch as one."""
    found: list[tuple[records.ChangeRecord, int]] = []
    for entry in entries:
        places = range(entry.size - 1, -1, -1)
        found += [(entry, n) for n in places if after is None or (entry.seq, n) < after][: first + 1 - len(found)]
    return Page(found[:first], len(found) > first)


def _run_and_document(row: Sequence[Any]) -> tuple[records.IngestionRecord, records.DocumentRecord]:
    middle = len(records.IngestionRecord._fields)
    end = middle + len(records.DocumentRecord._fields)
    return records.IngestionRecord._make(row[:middle]), records.DocumentRecord._make(row[middle:end])


class Reader(Sources):
    """Reads of one database. `dialect` is "sqlite" or "postgresql"; `columns` makes prepared reads, else `connect`'s connections do."""

    def __init__(self, connect: Connect, dialect: str, columns: Fetch | None = None) -> None:
        self._connect = connect
        self._columns = columns or self._own_columns
        self.dialect = dialect

    async def _own_columns(self, statement: Statement, values: Mapping[str, Any]) -> Columns:
        async with self._connect() as connection:
            return await fetch(await Line.of(connection), statement, values)

    async def rows(self, statement: Executable, values: Mapping[str, Any] | None = None) -> Sequence[Any]:
        """Return all rows of a statement."""
        async with self._connect() as connection:
            result = await connection.execute(statement, values or {})
            return result.all()

    async def fetch(self, statement: Statement, values: Mapping[str, Any]) -> Iterable[Any]:
        """Return all rows of a statement that was made once and for all, as tuples."""
        return zip(*await self._columns(statement, values), strict=True)

    async def _by_keys(self, statement: Executable, keys: Sequence[UUID]) -> Sequence[Any]:
        return await self.rows(statement, {"keys": keys_value(self.dialect, keys)})

    async def _of_keys(
        self, statement: Statement, keys: Sequence[UUID], values: Mapping[str, Any] = MappingProxyType({})
    ) -> Iterable[Any]:
        return await self.fetch(statement, {"keys": keys_value(self.dialect, keys), **values})

    async def by_ids(
        self,
        record: type[Record],
        ids: Sequence[UUID],
        columns: frozenset[str] | None = None,
        view: View | None = None,
    ) -> list[Record | None]:
        """Return the rows with these ids, None where there is none. One statement.

        Of rows that only some `columns` are wanted of, the others are missing, save the id. A claim is the version that a `view`
        knows; its dates and its confidence, as its status, keep it from no one who has its id.
        """
        if not ids:
            return []
        known = None if view is None or record not in PAST else view.known
        statement, make = selections.of_keys(self.dialect, record, columns, known=known is not None)
        values = {} if known is None else {"known": known}
        rows = await self._of_keys(statement, list(dict.fromkeys(ids)), values)
        found = {row[0]: make(row) for row in rows}
        return [found.get(id) for id in ids]

    async def lists(
        self,
        record: type[Record],
        column: str,
        keys: Sequence[UUID],
        *order: str,
        columns: frozenset[str] | None = None,
        known: datetime | None = None,
    ) -> list[list[Record]]:
        """Return all rows whose `column` is the key, ordered; for lists that are short by nature. One statement.

        Of rows that only some `columns` are wanted of, the others are missing, save the id. Of rows that are stamped, only those that
        were there at the `known` instant.
        """
        if not keys:
            return []
        statement, make = selections.lists_of_keys(
            self.dialect, record, columns, column, order, known=known is not None
        )
        lists: dict[UUID, list[Record]] = {key: [] for key in keys}
        for row in await self._of_keys(statement, list(lists), {} if known is None else {"known": known}):
            lists[row[0]].append(make(row[1:]))
        return [lists[key] for key in keys]

    async def pages(
        self,
        relation: Relation[Record],
        parents: Sequence[UUID],
        filter: Filter = _NOTHING,
        *,
        first: int,
        sorting: Sorting = _BY_ID,
        after: Sequence[KeysetValue] | None = None,
        columns: frozenset[str] | None = None,
        ends: tuple[End, ...] = (),
        view: View | None = None,
    ) -> list[Page[Record]]:
        """Return the first rows of each parent, behind `after` where given. One statement.

        Of rows that only some `columns` are wanted of, the others are missing, save the id and what the rows are sorted by. The
        entities of `ends` are read with the rows. Claims are those of a `view`, as it knows them.
        """
        if not parents:
            return []
        view = None if relation.past is None else view
        statement, make = selections.pages(
            self.dialect, relation, columns, filter, sorting, after is not None, ends, scope_of(view)
        )
        keys = list(dict.fromkeys(parents))
        values = {
            "keys": keys_value(self.dialect, keys),
            "most": first + 1,
            **after_values(after),
            **view_values(view),
        }
        ordinals, *rest = await self._columns(statement, values)
        lists = by_ordinal(self.dialect, len(keys), ordinals, make(rest))
        pages = [Page(found[:first], len(found) > first) for found in lists]
        if len(keys) == len(parents):
            return pages
        of_key = dict(zip(keys, pages, strict=True))
        return [of_key[parent] for parent in parents]

    async def counts(
        self,
        relation: Relation[Any],
        parents: Sequence[UUID],
        filter: Filter = _NOTHING,
        view: View | None = None,
    ) -> list[int]:
        """Return how many rows each parent has; of claims, how many are in the `view`. One statement."""
        if not parents:
            return []
        view = None if relation.past is None else view
        statement = selections.counts(self.dialect, relation, filter, scope_of(view))
        rows = await self._of_keys(statement, list(dict.fromkeys(parents)), view_values(view))
        found = {row[0]: row[1] for row in rows}
        return [found[parent] for parent in parents]

    async def one(self, record: type[Record], id: UUID) -> Record | None:
        """Return the row with this id, or None."""
        return (await self.by_ids(record, [id]))[0]

    async def where(self, record: type[Record], limit: int | None = None, **equal: Any) -> list[Record]:
        """Return the rows whose columns have these values (None: IS NULL), in the order of the primary key."""
        table = table_of(TABLES[record])
        conditions = [
            table.c[name].is_(None) if value is None else table.c[name] == value for name, value in equal.items()
        ]
        statement = select(*columns_of(record)).where(*conditions).order_by(*table.primary_key.columns).limit(limit)
        return [record._make(row) for row in await self.rows(statement)]  # type: ignore[attr-defined]

    async def linked(self, link: type[SQLModel], own: str, id: UUID, other: str, *, stated: bool = False) -> set[UUID]:
        """Return what a link table ties to a row: its `other` column wherever its `own` column is `id`, only where `stated` if so."""
        table = table_of(link)
        also = [table.c.stated] if stated else []
        return {row[0] for row in await self.rows(select(table.c[other]).where(table.c[own] == id, *also))}

    async def volume_named(self, name: str) -> records.VolumeRecord | None:
        """Return the volume with this exact name, or None."""
        found = await self.fetch(selections.named_volume(), {"name": name})
        return next(map(records.VolumeRecord._make, found), None)

    async def volumes(self, first: int, after: Sequence[KeysetValue] | None) -> Page[records.VolumeRecord]:
        """Return volumes by name."""
        table = table_of(models.Volume)
        order = Sorting(("name",)).order(table)
        statement: Select[Any] = select(*columns_of(records.VolumeRecord)).order_by(*order.clauses()).limit(first + 1)
        rows = await self.rows(statement if after is None else statement.where(order.after()), after_values(after))
        found = [records.VolumeRecord._make(row) for row in rows]
        return Page(found[:first], len(found) > first)

    async def count(self, model: type[SQLModel]) -> int:
        """Return how many rows a table has."""
        return int((await self.rows(select(func.count()).select_from(table_of(model))))[0][0])

    async def entities_named(self, volume: UUID, keys: Sequence[str]) -> dict[str, list[records.EntityRecord]]:
        """Return, for each match key, the entities that have it as their own or as an alias, oldest first, merged ones among them.

        One statement for each 500 keys.
        """
        return (await self.entities_named_in([volume], keys))[0]

    async def entities_named_in(
        self, volumes: Sequence[UUID], keys: Sequence[str]
    ) -> list[dict[str, list[records.EntityRecord]]]:
        """Return what `entities_named` does for each of several volumes, in as many statements."""
        wanted = list(dict.fromkeys(keys))
        found: dict[UUID, dict[str, dict[UUID, records.EntityRecord]]] = {
            v: {key: {} for key in wanted} for v in volumes
        }
        for start in range(0, len(wanted), 500):
            values = {"volumes": list(volumes), "names": wanted[start : start + 500]}
            for row in await self.rows(_named(), values):
                entity = records.EntityRecord._make(row[1:])
                found[entity.volume_id][row[0]][entity.id] = entity
        return [
            {key: [entities[id] for id in sorted(entities)] for key, entities in found[volume].items()}
            for volume in volumes
        ]

    async def other_names(self, entities: Sequence[UUID]) -> list[list[str]]:
        """Return the names of entities beside their own, in the order of their match keys: aliases, and all names of what was merged
        into them. One statement.
        """
        if not entities:
            return []
        found: dict[UUID, dict[str, str]] = {id: {} for id in entities}
        for id, key, name in await self._of_keys(selections.other_names(self.dialect), list(found)):
            found[id].setdefault(key, name)
        return [[names[key] for key in sorted(names)] for names in map(found.__getitem__, entities)]

    async def inverses(self, volumes: Sequence[UUID]) -> dict[UUID, dict[str, str]]:
        """Return, for each volume, its predicates that have another one as their inverse, each with that one. One statement."""
        found: dict[UUID, dict[str, str]] = {volume: {} for volume in volumes}
        for volume, name, inverse in await self._of_keys(selections.inverses(self.dialect), list(found)):
            found[volume][name] = inverse
        return found

    async def stale_entities(self, entities: Sequence[UUID]) -> set[UUID]:
        """Return those of these entities that a stale claim is about at present. One statement."""
        if not entities:
            return set()
        values = {"keys": keys_value(self.dialect, list(dict.fromkeys(entities))), NOW: present()}
        return {row[0] for row in await self.fetch(selections.stale_entities(self.dialect), values)}

    async def predicates_about(self, volume: UUID, names: Collection[str]) -> list[records.PredicateRecord]:
        """Return the volume's predicates of these names, and those that have one of them as their inverse. One statement for 500."""
        table, wanted = table_of(models.Predicate), sorted(names)
        found: dict[UUID, records.PredicateRecord] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            statement = select(*columns_of(records.PredicateRecord)).where(table.c.volume_id == volume)
            for row in await self.rows(statement.where(or_(table.c.name.in_(part), table.c.inverse.in_(part)))):
                found[row[0]] = records.PredicateRecord._make(row)
        return list(found.values())

    async def subjects_of_several(self, model: type[SQLModel], column: str, volume: UUID, predicate: str) -> list[UUID]:
        """Return the entities that several claims of a predicate are about, in order. One statement."""
        table = table_of(model)
        name = table.c.predicate if "predicate" in table.c else table.c.type
        wanted = (table.c.volume_id == volume, name == predicate, table.c.folded_into.is_(None))
        statement = select(table.c[column]).where(*wanted).group_by(table.c[column]).having(func.count() > 1)
        return [row[0] for row in await self.rows(statement.order_by(table.c[column]))]

    async def relationships_between(
        self, ends: Collection[tuple[UUID, UUID]], types: Collection[str]
    ) -> list[records.RelationshipRecord]:
        """Return the relationships of these types with just these (source, target), oldest first. One statement for 500.

        Those that are set aside are as with `same_relationships`.
        """
        table, pairs = table_of(models.Relationship), sorted(ends)
        found: list[records.RelationshipRecord] = []
        for start in range(0, len(pairs), 500):
            between = tuple_(table.c.source_id, table.c.target_id).in_(pairs[start : start + 500])
            there = or_(table.c.folded_into.is_(None), table.c.folded_into == table.c.id)
            wanted = (between, there, table.c.type.in_(sorted(types)))
            statement = select(*columns_of(records.RelationshipRecord)).where(*wanted)
            rows = await self.rows(statement.order_by(table.c.id))
            found += [records.RelationshipRecord._make(row) for row in rows]
        return found

    async def same_facts(
        self, subjects: Sequence[UUID], keys: Collection[str], by: str = "claim_key"
    ) -> list[records.FactRecord]:
        """Return the facts of these subjects with one of these claim keys, or predicates, oldest first. One statement per 500 subjects."""
        return await self._same(records.FactRecord, "subject_id", subjects, by, keys)

    async def same_relationships(
        self, sources: Sequence[UUID], types: Collection[str]
    ) -> list[records.RelationshipRecord]:
        """Return the relationships of these types that start at these entities, oldest first. One statement per 500.

        Those that are set aside because they would lead from an entity to itself are among them, from the ends they were stated for.
        """
        return await self._same(records.RelationshipRecord, "source_id", sources, "type", types)

    async def predicates_named(self, volume: UUID, names: Sequence[str]) -> list[records.PredicateRecord]:
        """Return the predicates and relationship types of a volume with these names. One statement per 500."""
        table, found = table_of(models.Predicate), list[records.PredicateRecord]()
        for start in range(0, len(names), 500):
            statement = select(*columns_of(records.PredicateRecord)).where(table.c.volume_id == volume)
            rows = await self.rows(statement.where(table.c.name.in_(list(names[start : start + 500]))))
            found += map(records.PredicateRecord._make, rows)
        return found

    async def _same(
        self, record: type[Record], column: str, ids: Sequence[UUID], name: str, values: Collection[str]
    ) -> list[Record]:
        table, wanted = table_of(TABLES[record]), set(values)
        found: list[Record] = []
        for start in range(0, len(ids), 500):
            statement = select(*columns_of(record)).where(table.c[column].in_(list(ids[start : start + 500])))
            itself = [table.c.folded_into == table.c.id] if record is records.RelationshipRecord else []
            statement = statement.where(or_(table.c.folded_into.is_(None), *itself))
            if len(wanted) <= 500:
                statement = statement.where(table.c[name].in_(sorted(wanted)))
            found += [record._make(row) for row in await self.rows(statement.order_by(table.c.id))]  # type: ignore[attr-defined]
        return [row for row in found if getattr(row, name) in wanted]

    async def earlier_versions(
        self, past: type[SQLModel], ids: Sequence[UUID], columns: Sequence[str]
    ) -> list[tuple[Any, ...]]:
        """Return (id, *columns) of each earlier version of these claims, in the order of ids and versions. One statement."""
        if not ids:
            return []
        keys, table = keys_table(self.dialect), table_of(past)
        statement = select(table.c.id, *(table.c[name] for name in columns))
        statement = statement.select_from(keys.join(table, table.c.id == keys.c.value))
        return [tuple(row) for row in await self._by_keys(statement.order_by(keys.c.key, table.c.version), ids)]

    async def neighbours(self, entities: Sequence[UUID]) -> dict[UUID, set[UUID]]:
        """Return the entities that share a live relationship with each of these. For a few entities; two statements."""
        edge = table_of(models.Relationship)
        found: dict[UUID, set[UUID]] = {id: set() for id in entities}
        for own, other in ((edge.c.source_id, edge.c.target_id), (edge.c.target_id, edge.c.source_id)):
            statement = select(own, other).where(own.in_(list(entities)), edge.c.status.in_(DEFAULT_VIEW))
            statement = statement.where(*counting(edge)).limit(10_000)
            for mine, neighbour in await self.rows(statement):
                found[mine].add(neighbour)
        return found

    async def blocked(self, volume: UUID, keys: Sequence[int], most: int) -> dict[int, list[UUID]]:
        """Return the entities that are stored under each of these keys of likeness, the oldest `most` of each. One statement."""
        found: dict[int, list[UUID]] = {}
        if keys:
            values = blocks.values(self.dialect, volume, keys, most)
            for key, entities in await self.rows(blocks.of_keys(self.dialect), values):
                found.setdefault(key, []).extend(blocks.entities(self.dialect, entities))
        return found

    async def ingested(self, id: UUID) -> tuple[records.IngestionRecord, records.DocumentRecord] | None:
        """Return an ingestion and its document as it is now, or None. One statement."""
        rows = await self.rows(_ingested(content=False), {"ingestion": id})
        return _run_and_document(rows[0]) if rows else None

    async def to_ingest(
        self, id: UUID
    ) -> tuple[records.IngestionRecord, records.DocumentRecord, str, dict[str, Any] | None] | None:
        """Return an ingestion, its document, the content that it reads and the volume's vocabulary, or None. One statement."""
        rows = await self.rows(_ingested(content=True), {"ingestion": id})
        return (*_run_and_document(rows[0]), rows[0][-2], rows[0][-1]) if rows else None

    async def contents(self, revisions: Sequence[tuple[UUID, int]]) -> list[str | None]:
        """Return the content of document revisions. One statement; contents can be large."""
        table, keys = table_of(models.DocumentRevision), keys_table(self.dialect)
        joined = keys.join(table, table.c.document_id == keys.c.value)
        statement = select(table.c.document_id, table.c.number, table.c.content).select_from(joined)
        statement = statement.where(table.c.number.in_({number for _, number in revisions}))
        documents = list(dict.fromkeys(document for document, _ in revisions))
        found = {(row[0], row[1]): row[2] for row in await self._by_keys(statement, documents)}
        return [found.get(revision) for revision in revisions]

    async def changes(
        self,
        volumes: Sequence[UUID],
        filter: ChangeFilter,
        first: int,
        after: tuple[int, int] | None,
        columns: frozenset[str] | None = None,
    ) -> list[Page[tuple[records.ChangeRecord, int]]]:
        """Return each volume's log entries, newest first, each with its place in its batch (0 where it stands alone).

        `after` is the (sequence number, place) of the last entry that was seen. Of entries that only some `columns` are wanted of, the
        others are missing, save the sequence number and the size. One statement.
        """
        record = selections.part_of(records.ChangeRecord, columns, ("seq", "size"))
        table = table_of(models.Change)
        row = table.alias()
        wanted = [row.c.volume_id == PARENT, *filter.conditions(row)]
        if after is not None:
            wanted.append(row.c.seq <= after[0])

        def own(names: Sequence[str]) -> Select[Any]:
            columns = (row.c[name] for name in names)
            return select(*columns).where(*wanted).order_by(row.c.seq.desc()).limit(first + 2)

        def newest(rows: FromClause) -> Order:
            return Order((rows.c.seq,), descending=True)

        statement = first_of_each(self.dialect, table, own, record._fields, newest, id_name="seq")
        rows = await self._by_keys(statement, list(volumes))
        made = (record._make(row[1:]) for row in rows)
        lists = by_ordinal(self.dialect, len(volumes), (row[0] for row in rows), made)
        return [_expanded(entries, first, after) for entries in lists]

    async def changes_numbered(self, numbers: Collection[int]) -> list[records.ChangeRecord]:
        """Return the log entries with these sequence numbers, in no order. For a page of them; one statement."""
        statement = select(*columns_of(records.ChangeRecord))
        found = await self.rows(statement.where(table_of(models.Change).c.seq.in_(sorted(numbers))))
        return [records.ChangeRecord._make(row) for row in found]

    async def count_changes(self, volumes: Sequence[UUID], filter: ChangeFilter) -> list[int]:
        """Return how many entries `changes` would list of each volume. One statement."""
        table = table_of(models.Change)
        statement = select(table.c.volume_id, func.sum(table.c.size)).where(table.c.volume_id.in_(list(volumes)))
        statement = statement.where(*filter.conditions(table)).group_by(table.c.volume_id)
        found = {row[0]: int(row[1]) for row in await self.rows(statement)}
        return [found.get(volume, 0) for volume in volumes]

    async def stream(self, record: type[Record], volume: UUID, batch: int = 1000) -> AsyncIterator[list[Record]]:
        """Yield the rows of a volume that count today in batches, in id order; each batch is a read of its own."""
        table = table_of(TABLES[record])
        last: UUID | None = None
        while True:
            statement: Select[Any] = select(*columns_of(record)).where(table.c.volume_id == volume, *counting(table))
            statement = statement if last is None else statement.where(table.c.id > last)
            rows = await self.rows(statement.order_by(table.c.id).limit(batch))
            if not rows:
                return
            yield [record._make(row) for row in rows]  # type: ignore[attr-defined]
            last = rows[-1][0]
