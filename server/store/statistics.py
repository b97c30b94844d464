"""How much volumes hold: counts over whole tables, one statement for all volumes; of claims, of those that lists show by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import FromClause, Select, Table, func, select, union_all
from sqlmodel import SQLModel

from server import models
from server.store.filters import ClaimFilter, Everything, FactFilter, RelationshipFilter
from server.store.reader import Reader
from server.store.relations import EARLIER, counting, table_of
from server.store.scopes import scope_of, view_values
from server.store.selections import conditions
from server.views import View

__all__ = ["numbers_by_type", "numbers_of_volumes"]

_SHOWN: dict[type[SQLModel], ClaimFilter] = {models.Fact: FactFilter(), models.Relationship: RelationshipFilter()}


async def numbers_of_volumes(
    read: Reader, model: type[SQLModel], volumes: Sequence[UUID], view: View | None = None
) -> list[int]:
    """Return how many rows of a table each volume has; of claims, as many as lists have without a filter. One statement."""
    rows = _rows(model, volumes, ("volume_id",), view)
    statement = select(rows.c.volume_id, func.count()).group_by(rows.c.volume_id)
    found = {row[0]: row[1] for row in await read.rows(statement, view_values(view))}
    return [found.get(volume, 0) for volume in volumes]


async def numbers_by_type(
    read: Reader, model: type[SQLModel], volumes: Sequence[UUID], view: View | None = None
) -> list[dict[str, int]]:
    """Return how many of these rows of each type each volume has, types in order. One statement."""
    rows = _rows(model, volumes, ("volume_id", "type"), view)
    statement = select(rows.c.volume_id, rows.c.type, func.count()).group_by(rows.c.volume_id, rows.c.type)
    found: dict[UUID, dict[str, int]] = {volume: {} for volume in volumes}
    for volume, type, number in await read.rows(statement.order_by(rows.c.type), view_values(view)):
        found[volume][type] = number
    return [found[volume] for volume in volumes]


def _rows(model: type[SQLModel], volumes: Sequence[UUID], names: Sequence[str], view: View | None) -> FromClause:
    """Return columns of the rows of some volumes; of claims, of the versions that lists of the view show."""
    shown = _SHOWN.get(model)
    scope = scope_of(view) if shown is not None else None
    there = conditions(Everything() if shown is None else shown, scope)
    tables = [table_of(model), *([table_of(EARLIER[model])] if scope is not None and scope.known else [])]

    def own(table: Table) -> Select[Any]:
        found = select(*(table.c[name] for name in names)).where(table.c.volume_id.in_(list(volumes)))
        return found.where(*counting(table), *there(table))

    return own(tables[0]).subquery() if len(tables) == 1 else union_all(*map(own, tables)).subquery()
