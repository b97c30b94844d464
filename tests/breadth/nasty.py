"""A schema made to be nasty: every kind of field, value and failure that an executor has to answer for.

What goes wrong depends on a thing's number alone, so that a query has one answer. Batched fields note how many parents each
call had in `Context.calls`, mutations what they did in `Context.written`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Annotated, Any, Generic, TypeVar

import strawberry
from graphql import GraphQLError
from strawberry.permission import BasePermission, PermissionExtension
from strawberry.types.scalar import ScalarDefinition

from schema.breadth import batched, computed

T = TypeVar("T")
MANY = 60
"""How many things there are; their numbers go round."""


@dataclass
class Context:
    loaders: dict[Any, Any] = field(default_factory=dict)
    calls: list[tuple[str, int]] = field(default_factory=list)
    written: list[str] = field(default_factory=list)


Info = strawberry.Info[Context, Any]


class Boom(Exception):
    """What resolvers raise."""


RELAYED = GraphQLError("From another operation.", path=["far", 1])
"""An error that has a path already, raised for many parents."""


class Stranger:
    """An object that is of no type of the schema."""

    def __repr__(self) -> str:
        return "<Stranger>"


class Promise:
    """An awaitable, for an item of a list. Unlike a coroutine it may be left alone."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __await__(self) -> Generator[Any, None, Any]:
        yield from asyncio.sleep(0).__await__()
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


def _shown_day(value: Any) -> str | None:
    if value == date.max:
        return None
    return str(value.isoformat())


def _read_day(value: Any) -> date:
    if value == "never":
        raise Boom("never is no day")
    return date.fromisoformat(value)


Day: ScalarDefinition = strawberry.scalar(name="Day", serialize=_shown_day, parse_value=_read_day)


@strawberry.enum
class Mood(Enum):
    CALM = "calm"
    WILD = "wild"


@strawberry.input
class Filter:
    minimum: int = 0
    moods: list[Mood] | None = None
    word: str | None = "x"


@strawberry.input
class Wish:
    """An input object with everything in it: nested ones, lists, defaults, and a name that Python keeps for itself."""

    number: int | None = 1
    ratio: float | None = None
    words: list[str] = strawberry.field(default_factory=lambda: ["w"])
    mood: Mood | None = Mood.CALM
    day: date | None = None
    inner: Wish | None = None
    wishes: list[Wish] | None = strawberry.UNSET
    origin: str | None = strawberry.field(name="from", default="here")


def shown_wish(wish: Wish | None) -> str:
    """Return all that arrived of a wish, as text."""
    if wish is None:
        return "none"
    inner = "" if wish.inner is None else f" inner=({shown_wish(wish.inner)})"
    wishes = repr(wish.wishes)
    if wish.wishes:
        wishes = f"[{', '.join(map(shown_wish, wish.wishes))}]"
    mood = wish.mood and wish.mood.name
    return f"{wish.number!r} {wish.ratio!r} {wish.words!r} {mood} {wish.day} {wishes} {wish.origin!r}{inner}"


class OfTheSource(BasePermission):
    message = "Every fifth is closed."

    def has_permission(self, source: Any, info: Info, **arguments: Any) -> bool:
        return bool(source.number % 5 != 1)


class OfTheArgument(BasePermission):
    """Depends on an argument, and takes its time."""

    message = "Not with this word."
    error_extensions = {"code": "FORBIDDEN"}  # noqa: RUF012 - as Strawberry declares it

    async def has_permission(self, source: Any, info: Info, **arguments: Any) -> bool:
        await asyncio.sleep(0)
        if arguments["word"] == "crash":
            raise Boom("the permission itself")
        if arguments["word"] == "odd":
            return "yes"  # type: ignore[return-value]
        return bool(arguments["word"] != "closed")


def noted(info: Info, parents: list[Any]) -> None:
    """Note a call of a batched field."""
    field = info._raw_info
    info.context.calls.append((f"{field.parent_type.name}.{field.field_name}", len(parents)))


@strawberry.type
class PageInfo:
    has_next_page: bool
    start_cursor: str | None


@strawberry.type
class Edge(Generic[T]):
    node: T
    place: strawberry.Private[int]

    @computed()
    def cursor(self) -> str:
        if self.place % 19 == 7:
            raise Boom(f"cursor {self.place}")
        return f"c{self.place}"


@strawberry.type
class Connection(Generic[T]):
    nodes: list[T]
    places: strawberry.Private[list[int]]
    key: strawberry.Private[int]

    @computed()
    def edges(self) -> list[Edge[T]]:
        return [Edge(node=node, place=place) for node, place in zip(self.nodes, self.places, strict=True)]

    @computed()
    def page_info(self) -> PageInfo:
        return PageInfo(has_next_page=self.key % 2 == 0, start_cursor=f"c{self.places[0]}" if self.places else None)

    @batched
    @staticmethod
    async def total_count(parents: list[Connection[T]], info: Info) -> list[int]:
        noted(info, parents)
        return [None if page.key % 23 == 9 else page.key for page in parents]  # type: ignore[misc]


def related(number: int, first: int = 9, minimum: int = 0) -> list[Node]:
    """Return the things that a thing is related to: up to four, by its number."""
    numbers = [(number * 5 + j**3 + 1) % MANY for j in range(number % 5)]
    return [THINGS[n] for n in numbers if n >= minimum][:first]


def _fixed() -> str:
    return "the same for all"


def _rooted(root: Any) -> str | None:
    return str(root.name.title())


@strawberry.interface
class Node:
    id: strawberry.ID
    name: str | None
    trouble: int | None
    number: strawberry.Private[int]

    @batched
    @staticmethod
    async def related(
        parents: list[Node], info: Info, first: int = 3, filter: Filter | None = None
    ) -> list[list[Node] | Exception]:
        noted(info, parents)
        least = filter.minimum if filter else 0
        return [Boom(f"related {p.number}") if p.number % 14 == 6 else related(p.number, first, least) for p in parents]

    @batched
    @staticmethod
    async def maybe(parents: list[Node], info: Info, fail: bool = False) -> list[list[Node | None] | None]:
        noted(info, parents)
        if fail:
            raise Boom("the whole batch")
        return [None if p.number % 8 == 2 else [_maybe(node) for node in related(p.number)] for p in parents]

    @batched
    @staticmethod
    async def page(parents: list[Node], info: Info, first: int = 2) -> list[Connection[Node] | None]:
        noted(info, parents)
        await asyncio.sleep(0)
        return [_page(p.number, first) for p in parents]

    @batched
    @staticmethod
    async def thing(parents: list[Node], info: Info) -> list[Thing | None]:
        noted(info, parents)
        return [Stranger() if p.number % 16 == 5 else _parent(p.number) for p in parents]  # type: ignore[misc]

    @batched
    @staticmethod
    async def parent(parents: list[Node], info: Info) -> list[Node | None]:
        noted(info, parents)
        return [_parent(p.number) for p in parents]

    @batched
    @staticmethod
    async def must(parents: list[Node], info: Info) -> list[Node]:
        noted(info, parents)
        return [_parent(p.number) for p in parents]

    @batched(permission_classes=[OfTheSource])
    @staticmethod
    async def secret(parents: list[Node], info: Info) -> list[Node | None]:
        noted(info, parents)
        return [THINGS[(p.number + 1) % MANY] for p in parents]

    @batched(permission_classes=[OfTheSource])
    @staticmethod
    async def strict_secret(parents: list[Node], info: Info) -> list[Node]:
        noted(info, parents)
        return [THINGS[(p.number + 2) % MANY] for p in parents]

    @batched(permission_classes=[OfTheArgument, OfTheSource])
    @staticmethod
    async def guarded(parents: list[Node], info: Info, word: str = "open") -> list[str | None]:
        noted(info, parents)
        if word == "boom":
            raise Boom("the function behind the permissions")
        return [f"{word} {p.number}" for p in parents]

    @batched
    @staticmethod
    async def told(parents: list[Node], info: Info, wish: Wish | None = None) -> list[str]:
        noted(info, parents)
        return [f"{p.number}: {shown_wish(wish)}" for p in parents]

    @batched
    @staticmethod
    async def few(parents: list[Node], info: Info) -> list[int | None]:
        noted(info, parents)
        return [1] * (len(parents) - 1)

    @batched
    @staticmethod
    async def refused(parents: list[Node], info: Info) -> list[int | Exception | None]:
        noted(info, parents)
        return [
            GraphQLError(f"No {p.number}.", extensions={"code": "REFUSED", "n": p.number})
            if p.number % 3 == 0
            else p.number
            for p in parents
        ]

    @batched
    @staticmethod
    async def relayed(parents: list[Node], info: Info) -> list[int | Exception | None]:
        noted(info, parents)
        return [RELAYED if p.number % 3 == 1 else p.number for p in parents]

    @batched
    @staticmethod
    async def promised(parents: list[Node], info: Info) -> list[list[int | None] | None]:
        noted(info, parents)
        return [_promised(p.number) for p in parents]

    @batched
    @staticmethod
    async def promises(parents: list[Node], info: Info) -> list[list[Node]]:
        noted(info, parents)
        return [[Promise(node) for node in related(p.number)] for p in parents]  # type: ignore[misc]

    @strawberry.field
    async def greet(self, info: Info, hi: str = "hi", mood: Mood = Mood.CALM) -> str:
        await asyncio.sleep(0)
        if self.number % 15 == 8:
            raise Boom("greet")
        return f"{hi} {self.number} {mood.value} {info.field_name}"

    @computed()
    def upper(self) -> str | None:
        return self.name.upper()  # type: ignore[union-attr]

    @computed()
    async def later(self) -> int | None:
        await asyncio.sleep(0)
        if self.number % 6 == 4:
            raise Boom(f"later {self.number}")
        return None if self.number % 6 == 3 else self.number

    @batched(
        extensions=[
            PermissionExtension(permissions=[OfTheSource()]),
            PermissionExtension(permissions=[OfTheArgument()], fail_silently=True),
        ]
    )
    @staticmethod
    async def hushed(parents: list[Node], info: Info, word: str = "open") -> list[list[str] | None]:
        noted(info, parents)
        return [[word, str(p.number)] for p in parents]

    @computed()
    def here(self, info: Info) -> str:
        return f"{info.field_name} of {self.number}"

    fixed: str = strawberry.field(resolver=_fixed)
    rooted: str | None = strawberry.field(resolver=_rooted)

    @strawberry.field
    def waited(self) -> list[int | None] | None:
        return _promised(self.number + 1)  # type: ignore[no-any-return]


def _maybe(node: Node) -> Any:
    if node.number % 12 == 7:
        return Boom(f"item {node.number}")
    return None if node.number % 7 == 0 else node


def _page(number: int, first: int) -> Any:
    if number % 10 == 9:
        return None
    nodes = related(number, first)
    return Connection(nodes=nodes, places=[node.number for node in nodes], key=number)


def _parent(number: int) -> Any:
    return THINGS[number * 7 % MANY] if number % 6 else None


def _promised(number: int) -> Any:
    if number % 7 == 3:
        return [1, Promise(Boom(f"promise {number}")), Promise(None)]
    return [Promise(number), number + 1, Promise(2**40 if number % 7 == 5 else None)][: number % 4]


@strawberry.type
class Person(Node):
    score: int
    mood: Mood
    born: date
    tags: list[str] | None


@strawberry.type
class Org(Node):
    weight: float
    flag: bool
    score: int | None
    mood: Mood | None
    matrix: list[list[int] | None]


@strawberry.type
class Doc(Node):
    born: date | None
    tags: list[str | None] | None
    weight: float | None

    @computed()
    def title(self) -> str:
        return self.name  # type: ignore[return-value]


@dataclass(eq=False)
class Machine:
    """What a Robot is made of: an object of a class that is not Strawberry's."""

    id: str
    name: str | None
    trouble: Any
    number: int
    power: Any


@strawberry.type
class Robot(Node):
    power: float | None

    @classmethod
    def is_type_of(cls, value: Any, info: Any) -> bool:
        if isinstance(value, Machine) and value.number % 20 == 19:
            raise Boom("is it a robot?")
        return isinstance(value, Machine)


Thing = Annotated[Person | Org | Doc, strawberry.union("Thing")]


def _made(n: int) -> Any:
    name = None if n % 11 == 3 else f"n{n}"
    trouble: Any = Boom(f"trouble {n}") if n % 9 == 4 else n
    shared: dict[str, Any] = {"id": strawberry.ID(str(n)), "name": name, "trouble": trouble, "number": n}
    score, mood = 2**40 if n % 13 == 5 else n * 3, [Mood.CALM, Mood.WILD, "bogus"][n % 9 // 4]
    weight = float("nan") if n % 17 == 4 else n / 2
    born: Any = [date(2026, 1, 1 + n % 28), "no date", date.max][(n % 10 == 0) + 2 * (n % 10 == 5)]
    tags = None if n % 5 == 1 else [f"t{j}" if (n + j) % 9 else None for j in range(n % 4)]
    if n % 4 == 3:
        return Machine(**shared, power=weight)
    if n % 4 == 0:
        return Person(**shared, score=score, mood=mood, born=born, tags=tags)  # type: ignore[arg-type]
    if n % 4 == 1:
        matrix: Any = [[1, 2], None, [n, None if n % 3 == 0 else 5, 2**35 if n % 8 == 1 else 6]] if n % 5 else []
        return Org(**shared, weight=weight, flag=n % 2 == 0, score=score, mood=mood, matrix=matrix)  # type: ignore[arg-type]
    return Doc(**shared, born=born, tags=tags, weight=weight)


THINGS: list[Any] = [_made(n) for n in range(MANY)]
