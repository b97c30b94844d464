"""The roots of the nasty schema: what can be asked and done, and lists and leaves of every shape."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from datetime import date
from math import inf, nan
from typing import Annotated, Any

import strawberry
from breadth.nasty import (
    MANY,
    THINGS,
    Boom,
    Day,
    Doc,
    Filter,
    Info,
    Mood,
    Node,
    Org,
    Person,
    Promise,
    Robot,
    Stranger,
    Thing,
    Wish,
    noted,
    shown_wish,
)
from graphql import Executor, GraphQLError
from strawberry.extensions import ParserCache, SchemaExtension, ValidationCache
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext as Operation

from schema.breadth import batched, computed


class Yielding:
    """An iterable that fails in the middle."""

    def __iter__(self) -> Iterator[Any]:
        yield [1]
        raise Boom("the second item")


async def _later(*items: Any) -> AsyncIterator[Any]:
    for item in items:
        await asyncio.sleep(0)
        if isinstance(item, Exception):
            raise item
        yield item


LISTS: list[Any] = [
    [[1, 2], [3]],
    [],
    [[]],
    None,
    [None],
    [[1, None], [2]],
    [[1], None, [2]],
    [[1, Boom("a number")], [2]],
    [[1], Boom("a row"), [2]],
    Boom("all rows"),
    7,
    "text",
    [7, [8]],
    [[1, 2**31], ["x"]],
    ((1, 2), range(2)),
    {5: 1},
    [{1}, {2: 3}],
    Yielding(),
    [Promise([1, Promise(2)]), [Promise(None)], Promise(None)],
    [Promise(Boom("a promised row")), [1]],
    lambda: (row for row in [[1], (n for n in [2, None])]),
    lambda: iter([Promise([1]), [Promise(2), None], [3]]),
    lambda: [[1], iter([2, Promise(3)])],
    lambda: _later([1], Promise([2]), [Promise(3)]),
    lambda: [_later(1, None, Promise(2)), [3]],
    lambda: _later([1], Boom("later")),
    [[0, -(2**31) - 1], [5]],
]
"""What a list of lists of numbers may be, right and wrong; a function makes one that can be read once."""

GRIDS: list[Any] = [
    [[THINGS[1], THINGS[2]], [THINGS[1]]],
    [],
    None,
    [None, [THINGS[4]]],
    [[THINGS[4], None], [THINGS[5], None]],
    [[Stranger()], [THINGS[8]]],
    [[Boom("a node")], Boom("a row of nodes")],
    THINGS[3],
    [[THINGS[7], Promise(THINGS[7])], Promise([THINGS[9], THINGS[3]])],
]
"""What a list of lists of nodes may be."""

LEAVES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**53, 10**40, 1.0, 1.5, 1e300, nan, inf),
    *(
        "",
        "7",
        "1.5",
        "calm",
        "CALM",
        "text",
        b"bytes",
        Mood.WILD,
        date(2026, 2, 3),
        date.max,
        [],
        [1],
        {},
        (),
        Stranger(),
    ),
    *(Boom("a leaf"), GraphQLError("a leaf refused", extensions={"code": "LEAF"})),
]
"""What may be given to a scalar to show."""


@strawberry.type
class Lists:
    """One value as a list of lists of every strictness."""

    a: list[list[int | None] | None] | None
    b: list[list[int | None] | None]
    c: list[list[int | None]] | None
    d: list[list[int] | None] | None
    e: list[list[int]] | None
    f: list[list[int]]
    flat: list[int | None] | None
    grid: list[list[Node]] | None
    gaps: list[list[Node | None] | None] | None


@strawberry.type
class Leaves:
    """All values as a list of every scalar, and one of each where none may be null."""

    ints: list[int | None]
    floats: list[float | None]
    strings: list[str | None]
    booleans: list[bool | None]
    ids: list[strawberry.ID | None]
    moods: list[Mood | None]
    days: list[date | None]
    one_int: int
    one_float: float
    one_string: str
    one_boolean: bool
    one_id: strawberry.ID
    one_mood: Mood
    one_day: date


def _lists(of: int) -> Lists:
    rows, grid = LISTS[of % len(LISTS)], GRIDS[of % len(GRIDS)]
    made = {name: rows() if callable(rows) else rows for name in ("a", "b", "c", "d", "e", "f", "flat")}
    return Lists(**made, grid=grid, gaps=grid)


def _leaves(of: int) -> Leaves:
    names = ("ints", "floats", "strings", "booleans", "ids", "moods", "days")
    ones = [f"one_{name[:-1]}" for name in names]
    return Leaves(**dict.fromkeys(names, LEAVES), **dict.fromkeys(ones, LEAVES[of % len(LEAVES)]))  # type: ignore[arg-type]


@strawberry.type
class Step:
    at: int

    @computed()
    async def later(self, info: Info) -> int:
        await asyncio.sleep(0)
        return len(info.context.written)

    @batched
    @staticmethod
    async def node(parents: list[Step], info: Info) -> list[Node | None]:
        noted(info, parents)
        await asyncio.sleep(0)
        return [THINGS[len(info.context.written)]]


@strawberry.type
class Query:
    greeting: str | None

    @batched
    @staticmethod
    async def nodes(
        parents: list[None], info: Info, start: int = 0, first: int = 5, filter: Filter | None = None
    ) -> list[list[Node]]:
        noted(info, parents)
        least = filter.minimum if filter else 0
        return [[THINGS[(start + least + j * 2) % MANY] for j in range(first)]]

    @batched
    @staticmethod
    async def node(parents: list[None], info: Info, id: strawberry.ID, fail: bool = False) -> list[Node | None]:
        noted(info, parents)
        if fail:
            raise Boom("root")
        return [THINGS[int(id)] if id.isdigit() and int(id) < MANY else None]

    @batched
    @staticmethod
    async def things(parents: list[None], info: Info, first: int = 6) -> list[list[Thing] | None]:
        noted(info, parents)
        return [[THINGS[j] for j in range(MANY) if j % 4 != 3][:first]]

    @batched
    @staticmethod
    async def persons(parents: list[None], info: Info) -> list[list[Person]]:
        return [[thing for thing in THINGS if isinstance(thing, Person)][:6]]

    @batched
    @staticmethod
    async def orgs(parents: list[None], info: Info, moods: list[Mood] = [Mood.CALM]) -> list[list[Org] | None]:  # noqa: B006
        return [[thing for thing in THINGS if isinstance(thing, Org) and thing.mood in moods][:6]]

    @batched
    @staticmethod
    async def wrong(parents: list[None], info: Info) -> list[list[Person | None] | None]:
        return [[THINGS[0], THINGS[1], None, THINGS[3], Stranger()]]  # type: ignore[list-item]

    @batched
    @staticmethod
    async def strangers(parents: list[None], info: Info) -> list[list[Node | None] | None]:
        return [[THINGS[2], Stranger(), None, 5, THINGS[19], Boom("a stranger"), THINGS[3]]]  # type: ignore[list-item]

    @batched
    @staticmethod
    async def outsiders(parents: list[None], info: Info) -> list[list[Thing | None] | None]:
        return [[THINGS[2], THINGS[3], _lists(0), None, Stranger(), THINGS[0]]]  # type: ignore[list-item]

    @batched
    @staticmethod
    async def same(parents: list[None], info: Info, id: strawberry.ID, times: int = 3) -> list[list[Node]]:
        return [[THINGS[int(id) % MANY]] * times]

    @batched
    @staticmethod
    async def lists(parents: list[None], info: Info, of: int = 0) -> list[Lists]:
        return [_lists(of)]

    @strawberry.field
    def plain_lists(self, of: int = 0) -> Lists | None:
        return _lists(of)

    @strawberry.field
    def leaves(self, of: int = 4) -> Leaves | None:
        return _leaves(of)

    @strawberry.field
    def version(self) -> str:
        return "1"

    @strawberry.field
    async def echo(self, value: int | None = 3, text: str = "a") -> str | None:
        await asyncio.sleep(0)
        return f"{value}{text}"

    @strawberry.field
    def named(self, function: str = "f", row: str = "r", source: str = "s", run: str = "x", executor: str = "e") -> str:
        return f"{function}{row}{source}{run}{executor}"

    @strawberry.field
    def twins(self) -> list[Step]:
        return [Step(at=1), Step(at=1)]

    @batched(name="class")
    @staticmethod
    async def keyword(
        parents: list[None],
        info: Info,
        origin: Annotated[str | None, strawberry.argument(name="from")] = None,
        power: Annotated[int, strawberry.argument(name="lambda")] = 2,
    ) -> list[str | None]:
        return [f"{origin} {power}"]

    @strawberry.field
    def mirror(self, wish: Wish | None = None) -> str:
        return shown_wish(wish)


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def set(self, info: Info, n: int, boom: bool = False) -> Node | None:
        info.context.written.append(f"set {n}")
        await asyncio.sleep(0)
        if boom:
            raise Boom("set")
        return THINGS[n % MANY]  # type: ignore[no-any-return]

    @batched
    @staticmethod
    async def must_set(parents: list[None], info: Info, n: int) -> list[Node]:
        info.context.written.append(f"must {n}")
        return [THINGS[n % MANY] if n % 2 else None]  # type: ignore[list-item]

    @batched
    @staticmethod
    async def add(parents: list[None], info: Info, wish: Wish) -> list[str | None]:
        info.context.written.append(shown_wish(wish))
        return [info.context.written[-1]]

    @strawberry.mutation
    def step(self, info: Info) -> Step:
        info.context.written.append("step")
        return Step(at=len(info.context.written))


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def ticks(self) -> AsyncGenerator[Node, None]:
        yield THINGS[4]


class Quiet(strawberry.Schema):
    """A schema that logs no errors: here they are meant to be."""

    def process_errors(self, errors: list[GraphQLError], execution_context: Operation | None = None) -> None:
        pass


def build(
    executor: type[Executor[Any]] | None, validation: type[SchemaExtension] = ValidationCache
) -> strawberry.Schema:
    """Return the nasty schema over an executor; None stands for graphql-core's own."""
    return Quiet(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        types=[Person, Org, Doc, Robot],
        execution_context_class=executor,
        extensions=[ParserCache, validation],
        config=StrawberryConfig(scalar_map={date: Day}),
    )
