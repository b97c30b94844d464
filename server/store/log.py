"""Reading the change log: pages of it, entries by their numbers, and how many there are. A batch counts as its nodes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import FromClause, Select, func, select

from server import models
from server.store import records, selections
from server.store.filters import ChangeFilter
from server.store.reads import Reads
from server.store.relations import table_of
from server.store.selections import columns_of
from server.store.statements import PARENT, Order, Page, by_ordinal, first_of_each

__all__ = ["Log"]


def _expanded(
    entries: Sequence[records.ChangeRecord], first: int, after: tuple[int, int] | None
) -> Page[tuple[records.ChangeRecord, int]]:
    """Return the first entries behind `after`, each node of a batch as one."""
    found: list[tuple[records.ChangeRecord, int]] = []
    for entry in entries:
        places = range(entry.size - 1, -1, -1)
        found += [(entry, n) for n in places if after is None or (entry.seq, n) < after][: first + 1 - len(found)]
    return Page(found[:first], len(found) > first)


class Log(Reads):
    """The part of a reader that is about the change log."""

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
