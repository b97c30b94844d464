"""Which rows belong to which parents: every list that can be paged, declared once.

A relation finds the rows of a table that belong to a parent by one or more branches: a foreign key, a condition, or a
link table. No row is found by two, so that nothing need be told apart. Filters and orders are the caller's; a branch walks an
index, so a parent costs what its page costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Generic, cast
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    Table,
    and_,
    column,
    false,
    literal,
    literal_column,
    not_,
    or_,
    select,
    union_all,
)
from sqlmodel import SQLModel

from server import models
from server.store import records
from server.store.scopes import written_by
from server.store.statements import LIMIT, PARENT, ROWID, Order, Record
from server.terms import Direction

_ROW = "r"
"""The name of a row in the select of a parent's rows."""
Conditions = Callable[[FromClause], Sequence[ColumnElement[bool]]]
Condition = Callable[[FromClause, ColumnElement[Any]], ColumnElement[bool]]


def table_of(model: type[SQLModel]) -> Table:
    """Return the table of a model."""
    return cast(Table, model.__table__)  # type: ignore[attr-defined]


def counting(row: FromClause) -> list[ColumnElement[bool]]:
    """Return the conditions under which a row is there at all today: an entity that is merged is not, nor a claim that is set aside."""
    return [row.c[name].is_(None) for name in ("merged_into", "folded_into") if name in row.c]


@dataclass(frozen=True, slots=True)
class Sorting:
    """Columns to sort a relation by; the id is added as the last one."""

    names: tuple[str, ...] = ()
    descending: bool = False

    def order(self, source: FromClause, id_column: ColumnElement[Any] | None = None) -> Order:
        """Return the total order over `source`."""
        last = source.c.id if id_column is None else id_column
        return Order((*(source.c[name] for name in self.names), last), self.descending)


@dataclass(frozen=True, slots=True)
class Branch:
    """One way to a row: `condition(row, parent)`, or a link table with its two columns.

    `then` is the condition of a known instant, where it is another.
    """

    condition: Condition | None = None
    link: tuple[Table, str, str] | None = None
    then: Condition | None = None

    def select(self, table: Table) -> tuple[Select[Any], FromClause, ColumnElement[Any]]:
        """Return a select without columns, the row's alias and the column that holds the row's id."""
        row = table.alias(_ROW)
        there = counting(row)
        if self.link is None:
            assert self.condition is not None
            return select().select_from(row).where(self.condition(row, PARENT), *there), row, row.c.id
        link, parent, child = self.link
        alias = link.alias()
        joined = alias.join(row, row.c.id == alias.c[child])
        # What only earlier revisions of a document named is history.
        live = [alias.c.live] if "live" in link.c else []
        return select().select_from(joined).where(alias.c[parent] == PARENT, *live, *there), row, alias.c[child]


@dataclass(frozen=True, eq=False)
class Relation(Generic[Record]):
    """The rows of `table` that belong to a parent, read as `record`. Of claims, `past` is the table of earlier versions."""

    table: Table
    record: type[Record]
    branches: tuple[Branch, ...]
    past: Table | None = None

    def versions(self) -> list[Relation[Record]]:
        """Return the relations to all versions of claims that belong to a parent, the present ones and the earlier ones."""
        assert self.past is not None
        branches = tuple(replace(branch, condition=branch.then or branch.condition) for branch in self.branches)
        return [Relation(table, self.record, branches) for table in (self.table, self.past)]

    def first(
        self, dialect: str, where: Conditions, sorting: Sorting, names: Sequence[str], *, behind: bool = False
    ) -> Select[Any]:
        """Return the select of the columns `names` of the rows that belong to PARENT, ordered and limited by LIMIT; of those
        `behind` the bound values of `after_values`, if so.

        PostgreSQL must be kept from reading all rows of several branches to sort them; SQLite merges them as it reads, unless kept
        from it by a limit.
        """
        if len(self.branches) == 1:
            statement, order = self._branch(self.branches[0], where, sorting, names, behind)
            return statement.order_by(*order.clauses()).limit(LIMIT)
        kept = tuple(dict.fromkeys((*names, "id", *sorting.names)))
        parts = [self._branch(branch, where, sorting, kept, behind) for branch in self.branches]
        whole = dialect == "sqlite"
        union = union_all(*(s if whole else s.order_by(*o.clauses()).limit(LIMIT) for s, o in parts))
        order = Order(tuple(column(name) for name in (*sorting.names, "id")), sorting.descending)
        merged = union.order_by(*order.clauses()).limit(LIMIT).subquery()
        return select(*(merged.c[name] for name in names))

    def _branch(
        self, branch: Branch, where: Conditions, sorting: Sorting, names: Sequence[str], behind: bool
    ) -> tuple[Select[Any], Order]:
        statement, row, id_column = branch.select(self.table)
        order = sorting.order(row, id_column)
        own = {"id": id_column.label("id"), ROWID: literal_column(f"{_ROW}.{ROWID}").label(ROWID)}
        statement = statement.add_columns(*(own[n] if n in own else row.c[n] for n in names))
        return statement.where(*where(row), *([order.after()] if behind else [])), order

    def ids(self, where: Conditions, *, versions: bool = False) -> Select[Any]:
        """Return the select of the ids of all rows that belong to PARENT; of all `versions` of claims, if so."""
        sources = self.versions() if versions else [self]
        parts = [one._branch(branch, where, Sorting(), ("id",), False)[0] for one in sources for branch in one.branches]
        return parts[0] if len(parts) == 1 else select(union_all(*parts).subquery().c.id)


PAST: dict[type[Any], type[SQLModel]] = {
    records.FactRecord: models.FactVersion,
    records.RelationshipRecord: models.RelationshipVersion,
}
"""The tables of the earlier versions of claims, by what they are read as."""
EARLIER: dict[type[SQLModel], type[SQLModel]] = {
    models.Fact: models.FactVersion,
    models.Relationship: models.RelationshipVersion,
}
"""The same, by the tables of the present versions."""


def _by(column: str, *, but: str | None = None) -> Branch:
    """Return the branch of the rows that name the parent in `column`, `but` not those that name it in another as well."""
    if but is None:
        return Branch(lambda row, parent: row.c[column] == parent)
    return Branch(lambda row, parent: (row.c[column] == parent) & (row.c[but] != parent))


def _through(model: type[SQLModel], parent: str, child: str) -> Branch:
    return Branch(link=(table_of(model), parent, child))


def _relation(model: type[SQLModel], record: type[Record], *branches: Branch) -> Relation[Record]:
    past = PAST.get(record)
    return Relation(table_of(model), record, branches, None if past is None else table_of(past))


def _evidenced(link_column: str) -> Branch:
    evidence = table_of(models.Evidence)

    def condition(counts: Conditions) -> Condition:
        def stated(row: FromClause, parent: ColumnElement[Any]) -> ColumnElement[bool]:
            own = evidence.alias()
            by = select(own.c[link_column]).where(own.c.document_id == parent, own.c[link_column].is_not(None))
            return row.c.id.in_(by.where(*counts(own)))

        return stated

    return Branch(condition(lambda own: [own.c.live]), then=condition(written_by))


def _linked_to_live(own: str, other: str) -> Branch:
    memory = table_of(models.Memory)

    def condition(row: FromClause, parent: ColumnElement[Any]) -> ColumnElement[bool]:
        end = memory.alias()
        live = select(end.c.id).where(end.c.id == row.c[other], end.c.obsolete.is_(False)).exists()
        return (row.c[own] == parent) & live

    return Branch(condition)


def _from_both_ends(row: FromClause) -> ColumnElement[bool]:
    return or_(row.c.bidirectional, row.c.mutual)


def _either_way(column: str, *, but: str) -> Branch:
    return Branch(lambda row, parent: and_(row.c[column] == parent, _from_both_ends(row), row.c[but] != parent))


def _merged_into() -> Branch:
    entity = table_of(models.Entity)

    def condition(row: FromClause, parent: ColumnElement[Any]) -> ColumnElement[bool]:
        own = entity.alias()
        return row.c.undone_at.is_(None) & row.c.merged_id.in_(select(own.c.id).where(own.c.merged_into == parent))

    return Branch(condition)


_IN_VOLUME = _by("volume_id")

ENTITIES_OF_VOLUME = _relation(models.Entity, records.EntityRecord, _IN_VOLUME)
FACTS_OF_VOLUME = _relation(models.Fact, records.FactRecord, _IN_VOLUME)
RELATIONSHIPS_OF_VOLUME = _relation(models.Relationship, records.RelationshipRecord, _IN_VOLUME)
MEMORIES_OF_VOLUME = _relation(models.Memory, records.MemoryRecord, _IN_VOLUME)
DOCUMENTS_OF_VOLUME = _relation(models.Document, records.DocumentRecord, _IN_VOLUME)
CODE_ARTIFACTS_OF_VOLUME = _relation(models.CodeArtifact, records.CodeArtifactRecord, _IN_VOLUME)
PROJECTS_OF_VOLUME = _relation(models.Project, records.ProjectRecord, _IN_VOLUME)
PREDICATES_OF_VOLUME = _relation(models.Predicate, records.PredicateRecord, _IN_VOLUME)
REVIEWS_OF_VOLUME = _relation(models.Review, records.ReviewRecord, _IN_VOLUME)
INGESTIONS_OF_VOLUME = _relation(models.Ingestion, records.IngestionRecord, _IN_VOLUME)

SUPERSEDED_BY: dict[type[Any], Relation[Any]] = {
    records.FactRecord: _relation(models.Fact, records.FactRecord, _by("superseded_by")),
    records.RelationshipRecord: _relation(models.Relationship, records.RelationshipRecord, _by("superseded_by")),
}
"""The claims that a claim supersedes."""

FACTS_OF_ENTITY = _relation(models.Fact, records.FactRecord, _by("subject_id"))
RELATIONSHIPS_OF_ENTITY = {
    Direction.OUT: _relation(
        models.Relationship,
        records.RelationshipRecord,
        _by("source_id"),
        _either_way("target_id", but="source_id"),
    ),
    Direction.IN: _relation(
        models.Relationship,
        records.RelationshipRecord,
        _by("target_id"),
        _either_way("source_id", but="target_id"),
    ),
    Direction.BOTH: _relation(
        models.Relationship, records.RelationshipRecord, _by("source_id"), _by("target_id", but="source_id")
    ),
}
MERGES_OF_ENTITY = _relation(models.EntityMerge, records.MergeRecord, _merged_into())
Types = tuple[str, ...]
Turned = tuple[tuple[UUID | None, Types], ...]
"""Types whose inverse is asked for: those of a volume, or of all where none is named."""


def of_turned(
    row: FromClause, turned: Turned, but: Types = (), type: ColumnElement[str] | None = None
) -> ColumnElement[bool]:
    """Return the condition that a row is of one of these types, but not of some."""
    type = row.c.type if type is None else type
    return or_(
        false(),
        *(
            type.in_(names) if volume is None else and_(row.c.volume_id == volume, type.in_(names))
            for volume, all_names in turned
            if (names := tuple(name for name in all_names if name not in but))
        ),
    )


@lru_cache(512)
def relationships_of_entity(
    direction: Direction, types: Types | None, turned: Turned = ()
) -> Relation[records.RelationshipRecord]:
    """Return the relationships of these types of an entity, and of those `turned`, whose inverse they are: seen from the other end."""
    if types is None:
        return RELATIONSHIPS_OF_ENTITY[direction]
    if direction is Direction.BOTH:
        ways = (_by("source_id"), _by("target_id", but="source_id"))
        return _edges(*(_typed(way, lambda row: or_(row.c.type.in_(types), of_turned(row, turned))) for way in ways))
    own, other = ("source_id", "target_id") if direction is Direction.OUT else ("target_id", "source_id")
    straight = (
        _typed(_by(own), lambda row: row.c.type.in_(types)),
        _typed(_either_way(other, but=own), lambda row: _past_the_index(row).in_(types)),
    )
    if not turned:
        return _edges(*straight)

    def only_turned(row: FromClause) -> ColumnElement[bool]:
        return of_turned(row, turned, types, _past_the_index(row))

    def only_from_here(row: FromClause, parent: ColumnElement[Any]) -> ColumnElement[bool]:
        asked, either, loop = row.c.type.in_(types), _from_both_ends(row), row.c[own] == parent
        found = or_(and_(either, asked), and_(loop, or_(either, asked)))
        return and_(row.c[other] == parent, of_turned(row, turned), not_(found))

    return _edges(
        *straight,
        Branch(only_from_here),
        _typed(Branch(lambda row, parent: and_(row.c[own] == parent, _from_both_ends(row))), only_turned),
    )


def _past_the_index(row: FromClause) -> ColumnElement[str]:
    """Return a row's type, but not as the column: few count from both ends, and their index is to be walked, not that of the type."""
    return row.c.type + literal("")


def _typed(way: Branch, of_type: Callable[[FromClause], ColumnElement[bool]]) -> Branch:
    met = way.condition
    assert met is not None
    return Branch(lambda row, parent: and_(met(row, parent), of_type(row)))


def _edges(*branches: Branch) -> Relation[records.RelationshipRecord]:
    return _relation(models.Relationship, records.RelationshipRecord, *branches)


MEMORIES_OF_ENTITY = _relation(
    models.Memory, records.MemoryRecord, _through(models.MemoryEntity, "entity_id", "memory_id")
)
DOCUMENTS_OF_ENTITY = _relation(
    models.Document, records.DocumentRecord, _through(models.DocumentEntity, "entity_id", "document_id")
)
PROJECTS_OF_ENTITY = _relation(
    models.Project, records.ProjectRecord, _through(models.ProjectEntity, "entity_id", "project_id")
)

LINKS_OF_MEMORY = _relation(
    models.MemoryLink,
    records.MemoryLinkRecord,
    _linked_to_live("left_id", "right_id"),
    _linked_to_live("right_id", "left_id"),
)
ENTITIES_OF_MEMORY = _relation(
    models.Entity, records.EntityRecord, _through(models.MemoryEntity, "memory_id", "entity_id")
)
DOCUMENTS_OF_MEMORY = _relation(
    models.Document, records.DocumentRecord, _through(models.MemoryDocument, "memory_id", "document_id")
)
CODE_ARTIFACTS_OF_MEMORY = _relation(
    models.CodeArtifact,
    records.CodeArtifactRecord,
    _through(models.MemoryCodeArtifact, "memory_id", "code_artifact_id"),
)
PROJECTS_OF_MEMORY = _relation(
    models.Project, records.ProjectRecord, _through(models.MemoryProject, "memory_id", "project_id")
)

ENTITIES_OF_DOCUMENT = _relation(
    models.Entity, records.EntityRecord, _through(models.DocumentEntity, "document_id", "entity_id")
)
FACTS_OF_DOCUMENT = _relation(models.Fact, records.FactRecord, _evidenced("fact_id"))
RELATIONSHIPS_OF_DOCUMENT = _relation(models.Relationship, records.RelationshipRecord, _evidenced("relationship_id"))
MEMORIES_OF_DOCUMENT = _relation(
    models.Memory, records.MemoryRecord, _through(models.MemoryDocument, "document_id", "memory_id")
)
PROJECTS_OF_DOCUMENT = _relation(
    models.Project, records.ProjectRecord, _through(models.ProjectDocument, "document_id", "project_id")
)
CHUNKS_OF_DOCUMENT = _relation(models.Chunk, records.ChunkRecord, _by("document_id"))

MEMORIES_OF_PROJECT = _relation(
    models.Memory, records.MemoryRecord, _through(models.MemoryProject, "project_id", "memory_id")
)
ENTITIES_OF_PROJECT = _relation(
    models.Entity, records.EntityRecord, _through(models.ProjectEntity, "project_id", "entity_id")
)
DOCUMENTS_OF_PROJECT = _relation(
    models.Document, records.DocumentRecord, _through(models.ProjectDocument, "project_id", "document_id")
)
