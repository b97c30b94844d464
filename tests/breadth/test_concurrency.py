"""Operations that wait: what runs side by side, what is cancelled with what, and several operations of one document."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
import strawberry

from schema.breadth import BreadthFirst, batched, computed


@dataclass
class Context:
    """`log` lists what began and how it ended. Fields wait for `gate`, and each lets `begun` through."""

    loaders: dict[Any, Any] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def wait(self, name: str) -> None:
        self.log.append(name)
        self.begun.release()
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.log.append(f"{name} is cancelled")
            raise
        self.log.append(f"{name} ends")


Info = strawberry.Info[Context, Any]


class Crash(BaseException):
    """What is no error of a field: the operation itself breaks down."""


@strawberry.type
class Item:
    name: str

    @batched
    @staticmethod
    async def slow(parents: list[Item], info: Info, word: str = "slow") -> list[str]:
        await info.context.wait(f"{word} {len(parents)}")
        return [f"{word} {parent.name}" for parent in parents]

    @batched
    @staticmethod
    async def crash(parents: list[Item], info: Info) -> list[str | None]:
        for _ in range(5):
            await asyncio.sleep(0)
        raise Crash

    @strawberry.field
    async def breaks(self, info: Info) -> str | None:
        if self.name.endswith("0"):
            for _ in range(5):
                await asyncio.sleep(0)
            raise Crash
        await info.context.wait(f"breaks {self.name}")
        return None

    @batched
    @staticmethod
    async def fails(parents: list[Item], info: Info) -> list[str | None]:
        raise ValueError("fails")

    @strawberry.field
    async def each(self, info: Info) -> str:
        await info.context.wait(f"each {self.name}")
        return self.name

    @computed()
    async def quick(self) -> str:
        return self.name

    @batched
    @staticmethod
    async def items(parents: list[Item], info: Info) -> list[list[Item]]:
        return [[Item(name=f"{parent.name}{n}") for n in range(2)] for parent in parents]


@strawberry.type
class Query:
    @batched
    @staticmethod
    async def item(parents: list[None], info: Info, name: str = "i") -> list[Item]:
        return [Item(name=name)]

    @batched
    @staticmethod
    async def slow(parents: list[None], info: Info, word: str = "root") -> list[str]:
        await info.context.wait(word)
        return [word]


@strawberry.type
class Mutation:
    @batched
    @staticmethod
    async def write(parents: list[None], info: Info, word: str) -> list[Item]:
        await info.context.wait(word)
        return [Item(name=word)]


SCHEMAS = {
    "core": strawberry.Schema(Query, Mutation),
    "breadth": strawberry.Schema(Query, Mutation, execution_context_class=BreadthFirst),
}
SIDE_BY_SIDE = '{ slow item { slow items { each b: slow(word: "b") } quick } }'


@pytest.fixture(params=SCHEMAS)
def schema(request: pytest.FixtureRequest) -> strawberry.Schema:
    """One executor after the other: what is said of the one holds for the other."""
    return SCHEMAS[request.param]


def started(schema: strawberry.Schema, query: str, context: Context, name: str | None = None) -> asyncio.Task[Any]:
    return asyncio.create_task(schema.execute(query, context_value=context, operation_name=name))


async def test_what_stands_side_by_side_runs_side_by_side(schema: strawberry.Schema) -> None:
    context = Context()
    running = started(schema, SIDE_BY_SIDE, context)
    for _ in range(5):
        await context.begun.acquire()
    assert sorted(context.log) == ["b 2", "each i0", "each i1", "root", "slow 1"]
    context.gate.set()
    result = await running
    assert result.errors is None
    below = [{"each": f"i{n}", "b": f"b i{n}"} for n in range(2)]
    assert result.data == {"slow": "root", "item": {"slow": "slow i", "items": below, "quick": "i"}}


async def test_a_cancelled_operation_cancels_all_that_it_runs(schema: strawberry.Schema) -> None:
    context = Context()
    running = started(schema, SIDE_BY_SIDE, context)
    for _ in range(5):
        await context.begun.acquire()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    for _ in range(5):
        await asyncio.sleep(0)
    names = ["b 2", "each i0", "each i1", "root", "slow 1"]
    assert sorted(context.log[5:]) == [f"{name} is cancelled" for name in names]
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize(
    "query",
    ["{ slow item { crash slow } }", "{ slow item { items { crash each } } }", "{ slow item { items { breaks } } }"],
)
async def test_a_breakdown_leaves_nothing_running(query: str) -> None:
    context = Context()
    with pytest.raises(Crash):
        await SCHEMAS["breadth"].execute(query, context_value=context)
    begun = [line for line in context.log if not line.endswith("is cancelled")]
    assert len(begun) >= 2
    assert sorted(context.log) == sorted([*begun, *(f"{name} is cancelled" for name in begun)])
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_deadline_ends_an_operation(schema: strawberry.Schema) -> None:
    context, deadline = Context(), asyncio.timeout(None)

    async def answered_in_time() -> None:
        async with deadline:
            await schema.execute("{ slow item { slow } }", context_value=context)

    running = asyncio.create_task(answered_in_time())
    for _ in range(2):
        await context.begun.acquire()
    deadline.reschedule(asyncio.get_running_loop().time())
    with pytest.raises(TimeoutError):
        await running
    assert sorted(context.log) == ["root", "root is cancelled", "slow 1", "slow 1 is cancelled"]


async def test_an_error_of_a_field_cancels_nothing(schema: strawberry.Schema) -> None:
    context = Context()
    running = started(schema, "{ item { fails slow } }", context)
    await context.begun.acquire()
    context.gate.set()
    result = await running
    assert result.data == {"item": {"fails": None, "slow": "slow i"}}
    assert [(error.message, error.path) for error in result.errors] == [("fails", ["item", "fails"])]


async def test_a_mutation_begins_when_the_one_before_has_ended(schema: strawberry.Schema) -> None:
    context = Context()
    query = 'mutation { a: write(word: "a") { slow } b: write(word: "b") { name } }'
    running = started(schema, query, context)
    await context.begun.acquire()
    for _ in range(10):
        await asyncio.sleep(0)
    assert context.log == ["a"]
    context.gate.set()
    result = await running
    assert result.data == {"a": {"slow": "slow a"}, "b": {"name": "b"}}
    assert context.log == ["a", "a ends", "slow 1", "slow 1 ends", "b", "b ends"]


async def test_a_cancelled_mutation_keeps_the_next_from_running(schema: strawberry.Schema) -> None:
    context = Context()
    running = started(schema, 'mutation { a: write(word: "a") { name } b: write(word: "b") { name } }', context)
    await context.begun.acquire()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert context.log == ["a", "a is cancelled"]


DOCUMENT = """
  query A { item { name items { ...F } } }
  query B($w: String = "w") { item(name: $w) { ...F slow(word: $w) } }
  mutation C { write(word: "c") { ...F } }
  fragment F on Item { quick }
"""
ANSWERS = {
    "A": {"item": {"name": "i", "items": [{"quick": "i0"}, {"quick": "i1"}]}},
    "B": {"item": {"quick": "w", "slow": "w w"}},
    "C": {"write": {"quick": "c"}},
}


async def test_operations_of_one_document_one_after_the_other(schema: strawberry.Schema) -> None:
    for name in "ABCCBA":
        context = Context()
        context.gate.set()
        result = await schema.execute(DOCUMENT, context_value=context, operation_name=name)
        assert (result.data, result.errors) == (ANSWERS[name], None)


async def test_operations_of_one_document_at_the_same_time(schema: strawberry.Schema) -> None:
    names = "ABCABCBB"
    contexts = [Context() for _ in names]
    running = [started(schema, DOCUMENT, *each) for each in zip(contexts, names, strict=True)]
    for context, name in zip(contexts, names, strict=True):
        if name != "A":
            await context.begun.acquire()
    for context in contexts:
        context.gate.set()
    assert [(await one).data for one in running] == [ANSWERS[name] for name in names]


async def test_one_operation_at_the_same_time_with_different_variables(schema: strawberry.Schema) -> None:
    query = "query($w: String!, $a: Boolean!) { item(name: $w) { name @include(if: $a) slow(word: $w) } }"
    contexts = [Context() for _ in range(6)]
    running = [
        asyncio.create_task(schema.execute(query, {"w": f"w{n}", "a": n % 2 == 0}, context_value=context))
        for n, context in enumerate(contexts)
    ]
    for context in contexts:
        await context.begun.acquire()
        context.gate.set()
    for n, one in enumerate(running):
        name = {"name": f"w{n}"} if n % 2 == 0 else {}
        assert (await one).data == {"item": {**name, "slow": f"w{n} w{n}"}}
