"""Reading tables as they are: rows by their values, links, volumes, numbers, and all rows of a volume in turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlmodel import SQLModel

from server import models
from server.store import records, selections
from server.store.reads import Reads
from server.store.relations import Sorting, counting, table_of
from server.store.selections import TABLES, columns_of
from server.store.statements import KeysetValue, Page, Record, after_values

__all__ = ["Tables"]


class Tables(Reads):
    """The part of a reader that knows nothing of what the rows mean."""

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
