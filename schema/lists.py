"""Pages of a relation for all parents of a level: one statement for the rows, one more where the total is asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from uuid import UUID

from schema.breadth import needed, remembered, selected
from schema.context import Info
from schema.pagination import Connection, Counts, Cursors, check_first, decode_cursor
from schema.views import Seen, by_view, places_by_view
from server.errors import BadUserInput
from server.store.filters import Everything, Filter
from server.store.relations import PAST, Relation, Sorting
from server.store.selections import ENDS, End
from server.store.statements import KeysetValue, Page, Record
from server.views import View

T = TypeVar("T")
_ALL = Everything()
_ROW = "row."
_BY_ID = Sorting()
_new = object.__new__


class Parent(Seen, Protocol):
    """A node that lists belong to."""

    row: Any


@lru_cache(512)
def bound(field: str, filter: Hashable, sorting: Sorting = _BY_ID, view: View | None = None) -> str:
    """Return what a cursor belongs to: the field, its filter and its order, and the view that it is read through."""
    return f"{field}|{filter!r}|{sorting!r}" + ("" if view is None else f"|{view!r}")


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


class Level(NamedTuple, Generic[Record]):
    """The pages of a level's lists, each with its cursors, and their counts; `refused` are the places of cursors of other lists."""

    pages: list[Page[Record]]
    cursors: list[Cursors]
    counts: Counts
    refused: dict[int, BadUserInput]

    def connections(
        self, kind: Callable[..., T], after: str | None, own: Callable[[int, Page[Record]], Mapping[str, Any]]
    ) -> list[Any]:
        """Return a connection of a kind for each page, with what `own` makes of its place and the page; refusals in their places."""
        return [
            self.refused.get(position)
            or kind(
                **own(position, page),
                cursors=self.cursors[position],
                has_next=page.has_next,
                has_previous=after is not None,
                counts=self.counts,
                position=position,
            )
            for position, page in enumerate(self.pages)
        ]


async def pages(
    info: Info,
    field: str,
    parents: Sequence[Parent],
    relation: Relation[Record],
    *,
    first: int,
    after: str | None,
    filter: Filter = _ALL,
    sorting: Sorting = _BY_ID,
    columns: frozenset[str] | None = None,
    ends: tuple[End, ...] = (),
) -> Level[Record]:
    """Return the page of each parent; of rows only some `columns`, where those are all that is wanted, and the `ends` with them.

    One statement for each view among the parents.

    Raises:
        BadUserInput: `first` is out of its bounds, or the cursor is not of this list.
        LimitExceeded: the operation's lists would hold too many nodes.
    """
    size, places = check_first(first), places_by_view(parents)
    bounds = {view: bound(field, filter, sorting, view) for view in places}
    starts, refused = _starts(info, after, bounds)
    found: list[Page[Record]] = [Page([], False)] * len(parents)
    for view, start in starts.items():
        read = await info.context.store.read.pages(
            relation,
            [parents[place].row.id for place in places[view]],
            filter,
            first=size,
            sorting=sorting,
            after=start,
            columns=columns,
            ends=ends,
            view=view,
        )
        for place, page in zip(places[view], read, strict=True):
            found[place] = page
    info.context.spend(info, [len(page.rows) for page in found])
    cursors = {view: cursors_of(info, bound_to) for view, bound_to in bounds.items()}
    return Level(
        found,
        [cursors[parent.view] for parent in parents],
        counts(info, relation, parents, filter),
        {place: error for view, error in refused.items() for place in places[view]},
    )


def _starts(
    info: Info, after: str | None, bounds: Mapping[View | None, str]
) -> tuple[dict[View | None, list[KeysetValue] | None], dict[View | None, BadUserInput]]:
    """Return the sort key that a cursor holds in each view that it is of, and the refusal of each other one.

    Raises:
        BadUserInput: there is one view, and the cursor is not of its list.
    """
    starts: dict[View | None, list[KeysetValue] | None] = {}
    refused: dict[View | None, BadUserInput] = {}
    for view, bound_to in bounds.items():
        try:
            starts[view] = behind(info, after, bound_to)
        except BadUserInput as error:
            if len(bounds) == 1:
                raise
            refused[view] = error
    return starts, refused


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


def counts(info: Info, relation: Relation[Any], parents: Sequence[Parent], filter: Filter = _ALL) -> Counts:
    """Return the totals of a level's lists, read when the first is asked for."""

    async def count(some: Sequence[Parent], view: View | None) -> list[int]:
        return await info.context.store.read.counts(relation, [one.row.id for one in some], filter, view)

    return Counts(lambda: by_view(parents, count))


def made_of(kind: type[T], rows: Sequence[Any], view: View | None = None) -> list[T]:
    """Return objects of a type that has its row as `row` and else only the `view`, at a third of what their own making costs."""
    made: list[Any] = [_new(kind) for _ in rows]
    for one, row in zip(made, rows, strict=True):
        one.row = row
    if view is not None:
        for one in made:
            one.view = view
    return made


async def connections(
    info: Info,
    field: str,
    parents: Sequence[Parent],
    relation: Relation[Record],
    kind: type[T],
    *,
    first: int,
    after: str | None,
    filter: Filter = _ALL,
    sorting: Sorting = _BY_ID,
) -> list[Connection[T]]:
    """Return one connection per parent; its nodes are of a `kind` that is made of its row, and in the parent's view.

    Raises:
        BadUserInput: `first` is out of its bounds, or the cursor is not of this list.
    """
    level = await pages(
        info,
        field,
        parents,
        relation,
        first=first,
        after=after,
        filter=filter,
        sorting=sorting,
        columns=columns_of(info, ("nodes",), ("edges", "node")),
        ends=ends_of(info, relation),
    )
    nodes = _nodes(kind, level.pages, parents)
    return level.connections(
        Connection,
        after,
        lambda position, page: {"nodes": nodes[position], "keys": Keysets(page.rows, sorting)},
    )


def _nodes(kind: type[T], pages: Sequence[Page[Any]], parents: Sequence[Parent]) -> list[list[T]]:
    """Return the nodes of each page, all made at once where no parent has a view."""
    if any(parent.view for parent in parents):
        return [made_of(kind, page.rows, parent.view) for page, parent in zip(pages, parents, strict=True)]
    nodes = iter(made_of(kind, [row for page in pages for row in page.rows]))
    return [list(islice(nodes, len(page.rows))) for page in pages]


async def nodes_named(
    info: Info,
    kind: type[T],
    record: type[Record],
    ids: Sequence[UUID | None],
    views: Sequence[View | None],
    columns: frozenset[str] | None = None,
) -> list[T | None]:
    """Return the node with each id, in the view beside it, None where there is none; equal ones are one object.

    One statement; of claims, one for each view.
    """
    wanted = [None if id is None else (id, view) for id, view in zip(ids, views, strict=True)]
    read = info.context.store.read
    made: dict[tuple[UUID, View | None], T] = {}
    for version in dict.fromkeys(views) if record in PAST else (None,):
        asked = {one: None for one in wanted if one is not None and (one[1] == version or record not in PAST)}
        rows = await read.by_ids(record, [id for id, _ in asked], columns, version)
        for one, row in zip(asked, rows, strict=True):
            if row is not None:
                (made[one],) = made_of(kind, [row], one[1])
    return [None if one is None else made.get(one) for one in wanted]
