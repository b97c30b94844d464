"""Quoting: which claims chunks are quoted for, which of them a view shows, and what stands against a disputed one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import CompoundSelect, Select, select, union_all

from server import models
from server.store.filters import FactFilter, RelationshipFilter
from server.store.prepared import Statement
from server.store.reader import Reader
from server.store.records import FactRecord, RelationshipRecord
from server.store.relations import PAST, counting, table_of
from server.store.scopes import Scope, scope_of, view_values
from server.store.selections import TABLES, conditions
from server.store.statements import Record, keys_table, keys_value
from server.terms import ConflictStatus
from server.views import View

__all__ = ["Quoted", "quoted_in", "rivals_of", "shown"]

_BELIEVED: dict[type[Any], FactFilter | RelationshipFilter] = {
    FactRecord: FactFilter(),
    RelationshipRecord: RelationshipFilter(),
}
_COLUMNS = {FactRecord: "fact_id", RelationshipRecord: "relationship_id"}


class Quoted(NamedTuple):
    """A claim, a fact or a relationship, is quoted from [start, end) of the content that a chunk is of, in code points."""

    chunk: UUID
    fact: UUID | None
    relationship: UUID | None
    start: int
    end: int

    @property
    def claims(self) -> tuple[UUID, ...]:
        """The claim, by itself."""
        return tuple(id for id in (self.fact, self.relationship) if id is not None)


async def quoted_in(read: Reader, chunks: Sequence[UUID]) -> list[Quoted]:
    """Return what these chunks are quoted for, also for claims that nobody is shown, in order of chunks and places. One statement."""
    if not chunks:
        return []
    rows = await read.fetch(_quoted_in(read.dialect), {"keys": keys_value(read.dialect, chunks)})
    return sorted((Quoted(*row) for row in rows), key=lambda one: (one.chunk, one.start, one.end, str(one[1:3])))


@cache
def _quoted_in(dialect: str) -> Statement:
    keys, chunk, evidence = keys_table(dialect), table_of(models.Chunk), table_of(models.Evidence)
    here = (evidence.c.document_id == chunk.c.document_id) & (evidence.c.revision == chunk.c.revision)
    overlaps = (evidence.c.start < chunk.c.end) & (evidence.c.end > chunk.c.start)
    joined = keys.join(chunk, chunk.c.id == keys.c.value).join(evidence, here & overlaps)
    columns = (evidence.c.fact_id, evidence.c.relationship_id, evidence.c.start, evidence.c.end)
    return select(chunk.c.id, *columns).select_from(joined)


async def shown(read: Reader, record: type[Record], ids: Sequence[UUID], view: View | None) -> list[Record]:
    """Return those of these claims that lists of the view show by themselves, as it knows them, oldest first. One statement."""
    if not ids:
        return []
    statement = _shown(read.dialect, record, scope_of(view))
    values = {"keys": keys_value(read.dialect, list(dict.fromkeys(ids))), **view_values(view)}
    rows = await read.fetch(statement, values)
    return sorted((tuple.__new__(record, row) for row in rows), key=lambda row: row[0])


@lru_cache(64)
def _shown(dialect: str, record: type[Any], scope: Scope | None) -> Select[Any] | CompoundSelect[Any]:
    past = scope is not None and scope.known
    where, parts = conditions(_BELIEVED[record], scope), []
    for model in (TABLES[record], PAST[record]) if past else (TABLES[record],):
        keys, row = keys_table(dialect), table_of(model).alias("r")
        names = [name for name in record._fields if name in row.c]
        found = select(*(row.c[name] for name in names)).select_from(keys.join(row, row.c.id == keys.c.value))
        parts.append(found.where(*counting(row), *where(row)))
    return parts[0] if len(parts) == 1 else union_all(*parts)


async def rivals_of(read: Reader, record: type[Any], ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """Return what stands against each of these claims in a conflict that is open today, oldest first. One statement."""
    if not ids:
        return {}
    found: dict[UUID, list[UUID]] = {}
    values = {"keys": keys_value(read.dialect, list(dict.fromkeys(ids)))}
    for own, other in sorted(await read.fetch(_rivals_of(read.dialect, _COLUMNS[record]), values)):
        found.setdefault(own, []).append(other)
    return found


@cache
def _rivals_of(dialect: str, column: str) -> Statement:
    keys, conflict = keys_table(dialect), table_of(models.Conflict)
    own, other = (table_of(models.ConflictClaim).alias(name) for name in ("own", "other"))
    against = (other.c.conflict_id == own.c.conflict_id) & (other.c[column] != own.c[column])
    joined = keys.join(own, own.c[column] == keys.c.value).join(other, against)
    joined = joined.join(conflict, conflict.c.id == own.c.conflict_id)
    open_ones = (conflict.c.status == ConflictStatus.OPEN, own.c.takes_part, other.c.takes_part)
    return select(keys.c.value, other.c[column]).select_from(joined).where(*open_ones)
