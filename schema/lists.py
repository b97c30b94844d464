"""Pages of a relation for all parents of a level: one statement for the rows, one more where the total is asked for."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar
from uuid import UUID

from schema.breadth import needed, remembered, selected
from schema.context import Info
from schema.pagination import Connection, Counts, Cursors, check_first, decode_cursor
from server.store.filters import Everything, Filter
from server.store.relations import Relation, Sorting
from server.store.selections import ENDS, End
from server.store.statements import KeysetValue, Page, Record

T = TypeVar("T")
_ALL = Everything()
_ROW = "row."
_BY_ID = Sorting()
_new = object.__new__


@lru_cache(512)
def bound(field: str, filter: Hashable, sorting: Sorting = _BY_ID) -> str:
    """Return what a cursor belongs to: the field, its filter and its order."""
    return f"{field}|{filter!r}|{sorting!r}"


def keyset(row: Any, sorting: Sorting) -> tuple[KeysetValue, ...]:
    """Return the sort key of a row."""
    if not sorting.names:
        return (row.id,)
    return (*(getattr(row, name) for name in sorting.names), row.id)


class Keysets(Sequence[tuple[KeysetValue, ...]]):
    """The sort keys of a page's rows, made only where a cursor is asked for."""

    __slots__ = ("_rows", "_sorting")

    def __init__(self, rows: Sequence[Any], sorting: Sorting) -> None:
        self._rows = rows
        self._sorting = sorting

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return keyset(self._rows[index], self._sorting)


def cursors_of(info: Info, bound_to: str) -> Cursors:
    """Return the cursors of a list."""
    return Cursors(bound_to, info.context.store.cursor_secret)


def behind(info: Info, after: str | None, bound_to: str) -> list[KeysetValue] | None:
    """Return the sort key that a cursor holds, or None without one.

    Raises:
        BadUserInput: the cursor is not of this list.
    """
    if after is None:
        return None
    return list(decode_cursor(after, bound_to=bound_to, secret=info.context.store.cursor_secret))


async def pages(
    info: Info,
    parents: Sequence[UUID],
    relation: Relation[Record],
    *,
    bound_to: str,
    first: int,
    after: str | None,
    filter: Filter = _ALL,
    sorting: Sorting = _BY_ID,
    columns: frozenset[str] | None = None,
    ends: tuple[End, ...] = (),
) -> list[Page[Record]]:
    """Return the page of each parent; of rows only some `columns`, where those are all that is wanted, and the `ends` with them.

    Raises:
        BadUserInput: `first` is out of its bounds, or the cursor is not of this list.
        LimitExceeded: the operation's lists would hold too many nodes.
    """
    size, start = check_first(first), behind(info, after, bound_to)
    found = await info.context.store.read.pages(
        relation, parents, filter, first=size, sorting=sorting, after=start, columns=columns, ends=ends
    )
    info.context.spend(info, [len(page.rows) for page in found])
    return found


def columns_of(info: Info, *paths: tuple[str, ...], always: frozenset[str] = frozenset()) -> frozenset[str] | None:
    """Return the columns of its rows that a field's selection reads below these paths, and those `always` read; None: any of them.

    Of a type that is not made of its row, any may be read.
    """
    return remembered(info, ("columns", paths, always), lambda: _columns_of(info, paths, always))


def _columns_of(info: Info, paths: Sequence[tuple[str, ...]], always: frozenset[str]) -> frozenset[str] | None:
    found = set(always)
    for path in paths:
        attributes = needed(info, *path)
        if attributes is None or any(not one.startswith(_ROW) for one in attributes):
            return None
        found.update(one.removeprefix(_ROW) for one in attributes)
    return frozenset(found)


def ends_of(info: Info, relation: Relation[Any]) -> tuple[End, ...]:
    """Return the entities at the ends of a connection's nodes that the operation asks for: they come with the nodes' rows."""
    return remembered(info, ("ends", relation.record), lambda: _ends_of(info, relation.record))


def _ends_of(info: Info, record: type[Any]) -> tuple[End, ...]:
    asked = (selected(info, "nodes") or frozenset()) | (selected(info, "edges", "node") or frozenset())
    return tuple(
        End(name, column, columns_of(info, ("nodes", name), ("edges", "node", name)))
        for name, column in ENDS.get(record, {}).items()
        if name in asked
    )


def counts(info: Info, relation: Relation[Any], parents: Sequence[UUID], filter: Filter = _ALL) -> Counts:
    """Return the totals of a level's lists, read when the first is asked for."""
    return Counts(lambda: info.context.store.read.counts(relation, parents, filter))


def made_of(kind: type[T], rows: Sequence[Any]) -> list[T]:
    """Return objects of a type that has its row as `row` and nothing else, at a third of what their own making costs."""
    made: list[Any] = [_new(kind) for _ in rows]
    for one, row in zip(made, rows, strict=True):
        one.row = row
    return made


async def connections(
    info: Info,
    field: str,
    parents: Sequence[UUID],
    relation: Relation[Record],
    kind: type[T],
    *,
    first: int,
    after: str | None,
    filter: Filter = _ALL,
    sorting: Sorting = _BY_ID,
) -> list[Connection[T]]:
    """Return one connection per parent; its nodes are of a `kind` that is made of its row.

    Raises:
        BadUserInput: `first` is out of its bounds, or the cursor is not of this list.
    """
    bound_to = bound(field, filter, sorting)
    found = await pages(
        info,
        parents,
        relation,
        bound_to=bound_to,
        first=first,
        after=after,
        filter=filter,
        sorting=sorting,
        columns=columns_of(info, ("nodes",), ("edges", "node")),
        ends=ends_of(info, relation),
    )
    totals, cursors = counts(info, relation, parents, filter), cursors_of(info, bound_to)
    goes_back = after is not None
    nodes = iter(made_of(kind, [row for page in found for row in page.rows]))
    return [
        Connection(
            nodes=list(islice(nodes, len(page.rows))),
            keys=Keysets(page.rows, sorting),
            cursors=cursors,
            has_next=page.has_next,
            has_previous=goes_back,
            counts=totals,
            position=position,
        )
        for position, page in enumerate(found)
    ]
