"""How many keys become one statement: batched gets, the first rows of many parents, and counts.

The keys of a level travel as one bound value (a JSON array on SQLite, an array on PostgreSQL), so the text of a
statement, and with it every cache, is the same for one key and for a hundred. The first rows of each parent come from
a correlated sub-select with LIMIT that walks an index per parent; a window function would read every row of a hub.
PostgreSQL takes the rows' columns from that sub-select, which halves its work; SQLite knows no LATERAL, so that it finds
where the rows are and then the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar, cast
from uuid import UUID

import orjson
from sqlalchemy import (
    ColumnElement,
    FromClause,
    Integer,
    Select,
    String,
    Table,
    Uuid,
    bindparam,
    column,
    func,
    literal_column,
    select,
    true,
    tuple_,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.selectable import NamedFromClause

Record = TypeVar("Record", bound=tuple[Any, ...])
KeysetValue = str | int | float | datetime | UUID | None


class Page(NamedTuple, Generic[Record]):
    """Some rows in order, and whether more follow."""

    rows: list[Record]
    has_next: bool


@dataclass(frozen=True)
class Order:
    """A total order over the rows of a table: the columns to compare, the last of them unique."""

    columns: tuple[ColumnElement[Any], ...]
    descending: bool = False

    def clauses(self) -> list[ColumnElement[Any]]:
        """Return the ORDER BY."""
        return [c.desc() if self.descending else c.asc() for c in self.columns]

    def after(self) -> ColumnElement[bool]:
        """Return the condition for the rows behind the row with the values bound by `after_values`."""
        bound = [bindparam(f"after_{n}", type_=c.type) for n, c in enumerate(self.columns)]
        if len(bound) == 1:
            here = self.columns[0]
            return here < bound[0] if self.descending else here > bound[0]
        left, right = tuple_(*self.columns), tuple_(*bound)
        return left < right if self.descending else left > right


def after_values(values: Sequence[KeysetValue] | None) -> dict[str, Any]:
    """Return the bound values of `Order.after`."""
    return {f"after_{n}": value for n, value in enumerate(values or ())}


LIMIT: ColumnElement[int] = bindparam("most", type_=Integer)
"""How many rows of each parent a statement answers at most."""


def hex_keys(ids: Iterable[UUID]) -> str:
    """Return ids as SQLite takes them: a JSON array of the stored text."""
    return orjson.dumps([id.hex for id in ids]).decode()


def keys_table(dialect: str) -> NamedFromClause:
    """Return the keys of a level as a table with the columns `ordinal` (the position, not always from 0) and `value`."""
    if dialect == "sqlite":
        return func.json_each(bindparam("keys", type_=String)).table_valued(
            column("key", Integer), column("value", Uuid), name="k"
        )
    unnested = func.unnest(bindparam("keys", type_=ARRAY(Uuid))).table_valued(
        column("value", Uuid), with_ordinality="key", name="k"
    )
    return unnested.render_derived(name="k")


def by_ordinal(dialect: str, number: int, ordinals: Iterable[int], records: Iterable[Record]) -> list[list[Record]]:
    """Return the records of each of `number` keys, told which key each record belongs to."""
    start = 0 if dialect == "sqlite" else 1
    lists: list[list[Record]] = [[] for _ in range(start + number)]
    for ordinal, record in zip(ordinals, records, strict=True):
        lists[ordinal].append(record)
    return lists[start:]


def keys_value(dialect: str, ids: Sequence[UUID]) -> Any:
    """Return the bound value of `keys_table`."""
    return hex_keys(ids) if dialect == "sqlite" else list(ids)


PARENT: ColumnElement[UUID] = literal_column("k.value", Uuid())
"""The key of the level that a correlated sub-select belongs to."""
ROWID = "rowid"
"""The column by which SQLite finds a row without a look into the index of its ids."""


class Joined(NamedTuple):
    """A row that each row names by a column, and which of its columns are read."""

    by: str
    table: FromClause
    names: Sequence[str]


def first_of_each(
    dialect: str,
    table: Table,
    own: Callable[[Sequence[str]], Select[Any]],
    names: Sequence[str],
    order: Callable[[FromClause], Order],
    id_name: str = ROWID,
    joins: Sequence[Joined] = (),
) -> Select[Any]:
    """Return the statement for the first rows of each key: (ordinal of the key, columns), in the order of keys and rows.

    The columns are the rows' `names` and then those of `joins`. `own` selects given columns of the rows of `table` that belong to
    PARENT, ordered and limited; SQLite finds the rows by `id_name`.
    """
    keys, rows = keys_table(dialect), cast(FromClause, table)
    if dialect == "sqlite":
        joined = keys.join(rows, literal_column(f"{table.name}.{id_name}").in_(own((id_name,))))
    else:
        rows = own(tuple(dict.fromkeys((*names, *(join.by for join in joins))))).lateral("c")
        joined = keys.join(rows, true())
    columns = [rows.c[name] for name in names]
    for by, other, theirs in joins:
        joined = joined.join(other, other.c.id == rows.c[by])
        columns += [other.c[name] for name in theirs]
    return select(keys.c.key, *columns).select_from(joined).order_by(keys.c.key, *order(rows).clauses())


def count_of_each(dialect: str, own: Select[Any]) -> Select[Any]:
    """Return the statement for (key, number of rows that `own` selects) of each key."""
    keys = keys_table(dialect)
    number = select(func.count()).select_from(own.subquery("c")).scalar_subquery()
    return select(keys.c.value, number).select_from(keys)
