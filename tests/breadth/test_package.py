"""What the breadth-first executor does beside answering like graphql-core: bounds, declining, plans, spans, permissions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pytest
import strawberry
from graphql import GraphQLError, execute, parse
from strawberry.extensions import DisableValidation
from strawberry.permission import BasePermission

from schema.breadth import BreadthFirst, attribute, batched, occurrences, selected
from schema.breadth import executor as executor_module


@dataclass
class Context:
    loaders: dict[Any, Any] = field(default_factory=dict)
    calls: list[Any] = field(default_factory=list)


Info = strawberry.Info[Context, None]


class Once(BasePermission):
    message = "not now"
    of_source = False

    def has_permission(self, source: Any, info: strawberry.Info, **kwargs: Any) -> bool:
        info.context.calls.append(("permission", source))
        return True


def _half(box: Box) -> int:
    if box.row % 2:
        raise ValueError(f"{box.row} is odd")
    return box.row // 2


def _halves(boxes: Sequence[Box]) -> list[int]:
    COLUMNS.append(len(boxes))
    return [_half(box) for box in boxes]


COLUMNS: list[int] = []


@strawberry.type
class Box:
    row: strawberry.Private[int]
    number: int = attribute("row")
    name: str = attribute(lambda box: f"box {box.row}")
    half: int | None = attribute(_half, column=_halves)

    @batched
    @staticmethod
    async def others(parents: list[Box], info: Info, first: int = 2) -> list[list[Box]]:
        info.context.calls.append(("others", [box.row for box in parents], occurrences(info), selected(info)))
        return [SHARED[:first] for _ in parents]

    @batched(permission_classes=[Once])
    @staticmethod
    async def guarded(parents: list[Box], info: Info) -> list[str]:
        return [f"guarded {box.row}" for box in parents]

    @batched
    @staticmethod
    async def crash(parents: list[Box], info: Info) -> list[str]:
        raise asyncio.CancelledError

    @batched
    @staticmethod
    async def waits(parents: list[Box], info: Info) -> list[str]:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            info.context.calls.append("cancelled")
            raise
        return []


SHARED = [Box(row=n) for n in range(10)]


@strawberry.type
class Lid:
    size: int

    @classmethod
    def is_type_of(cls, value: Any, info: strawberry.Info) -> bool:
        info.context.calls.append(info)
        return isinstance(value, Lid)


@strawberry.enum
class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@strawberry.type
class Pot:
    row: strawberry.Private[str]
    colour: Colour | None = attribute("row")


@strawberry.type
class Query:
    @batched
    @staticmethod
    async def boxes(parents: list[None], info: Info, first: int = 3) -> list[list[Box]]:
        return [[Box(row=n) for n in range(first)]]

    @batched
    @staticmethod
    async def pots(parents: list[None], info: Info, colours: list[str]) -> list[list[Pot]]:
        return [[Pot(row=colour) for colour in colours]]

    @batched
    @staticmethod
    async def lids(parents: list[None], info: Info) -> list[list[Lid]]:
        return [[Lid(size=n) for n in range(3)]]

    @strawberry.field
    def version(self) -> str:
        return "1"


class Bounded(BreadthFirst):
    @property
    def max_fields(self) -> float:
        return 100

    @property
    def max_characters(self) -> float:
        return 200


SPANS: list[tuple[str, str, int]] = []


class Traced(BreadthFirst):
    @classmethod
    def span(cls, parent: str, field: str, parents: int) -> AbstractContextManager[object]:
        @contextmanager
        def noted() -> Iterator[None]:
            SPANS.append((parent, field, parents))
            yield

        return noted()


def build(executor: type[BreadthFirst]) -> strawberry.Schema:
    return strawberry.Schema(query=Query, execution_context_class=executor)


async def run(executor: type[BreadthFirst], query: str, context: Context | None = None, **variables: Any) -> Any:
    return await build(executor).execute(query, variable_values=variables, context_value=context or Context())


async def test_equal_parents_are_passed_once_with_how_often_each_stands_in_the_answer() -> None:
    context = Context()
    result = await run(BreadthFirst, "{ boxes { others { others(first: 1) { number } } } }", context)
    inner = {"others": [{"number": 0}]}
    assert result.data == {"boxes": [{"others": [inner, inner]}] * 3}
    assert context.calls == [
        ("others", [0, 1, 2], None, frozenset({"others"})),
        ("others", [0, 1], [3, 3], frozenset({"number"})),
    ]


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("{ boxes(first: 24) { a: number b: number c: number } }", True),  # 1 + 24 items + 72 fields
        ("{ boxes(first: 25) { a: number b: number c: number } }", False),
        ("{ boxes(first: 2) { others(first: 2) { others(first: 9) { number } } } }", True),
        ("{ boxes(first: 3) { others(first: 2) { others(first: 8) { number } } } }", False),
        ("{ boxes(first: 35) { name } }", True),  # 10 names of 5 characters and 25 of 6
        ("{ boxes(first: 36) { name } }", False),
    ],
)
async def test_an_answer_beyond_its_bounds_fails_as_a_whole(query: str, fits: bool) -> None:
    """Shared parts count as often as they stand in the answer."""
    result = await run(Bounded, query)
    if fits:
        assert result.errors is None
    else:
        assert result.data is None
        assert [(error.message, error.path) for error in result.errors] == [
            ("The answer is too large. Ask for less at once.", None)
        ]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("{ version __schema { queryType { name } } }", "it asks for __schema"),
        ('{ __type(name: "Box") { name } }', "it asks for __type"),
        ("{ version @unheard }", None),
    ],
)
async def test_what_is_not_known_is_left_to_graphql_core_with_the_reason(
    query: str, why: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "schema.breadth"):
        result = await run(BreadthFirst, query)
    said = [record.getMessage() for record in caplog.records if record.name == "schema.breadth"]
    assert said == ([] if why is None else [f"Left to graphql-core: {why}"])
    assert (result.data is None) is (why is None)


async def test_an_operation_that_is_executed_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "schema.breadth"):
        assert (await run(BreadthFirst, "{ version }")).data == {"version": "1"}
    assert [record for record in caplog.records if record.name == "schema.breadth"] == []


async def test_plans_are_kept_for_a_bounded_number_of_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor_module, "_PLANS", 3)
    monkeypatch.setattr(executor_module, "_operations", type(executor_module._operations)())
    schema = build(BreadthFirst)
    for n in range(8):
        await schema.execute(f"{{ v{n}: version }}", context_value=Context())
        assert len(executor_module._operations) == min(n + 1, 3)


async def test_of_one_operation_only_the_plans_of_a_few_outcomes_are_kept() -> None:
    names = "abcdefgh"
    variables = " ".join(f"${name}: Boolean!" for name in names)
    fields = " ".join(f"{name}: version @include(if: ${name})" for name in names)
    schema, document = build(BreadthFirst), parse(f"query({variables}) {{ {fields} }}")
    operation: Any = document.definitions[0]
    for number in range(40):
        outcome = {name: bool(number >> bit & 1) for bit, name in enumerate(names)}
        result: Any = await execute(
            schema._schema, document, variable_values=outcome, context_value=Context(), executor_class=BreadthFirst
        )
        assert result.data == {name: "1" for name, included in outcome.items() if included}
    assert len(executor_module._operations[id(operation), id(schema._schema)].plans) == 16


async def test_one_span_is_entered_for_each_field_that_is_resolved() -> None:
    SPANS.clear()
    await run(Traced, "{ boxes { number others { name others(first: 1) { number } } } }")
    assert SPANS == [("Query", "boxes", 1), ("Box", "others", 3), ("Box", "others", 2)]


async def test_an_attribute_is_read_as_a_column_where_it_can_be() -> None:
    COLUMNS.clear()
    assert (await run(BreadthFirst, "{ boxes(first: 1) { half others(first: 1) { half } } }")).data == {
        "boxes": [{"half": 0, "others": [{"half": 0}]}]
    }
    result = await run(BreadthFirst, "{ boxes { half } }")
    assert result.data == {"boxes": [{"half": 0}, {"half": None}, {"half": 1}]}
    assert [(error.path, error.message) for error in result.errors or []] == [(["boxes", 1, "half"], "1 is odd")]
    assert COLUMNS == [1, 1, 3]


async def test_a_permission_that_does_not_look_at_the_source_is_asked_once() -> None:
    context = Context()
    result = await run(BreadthFirst, "{ boxes { guarded } }", context)
    assert result.data == {"boxes": [{"guarded": f"guarded {n}"} for n in range(3)]}
    assert context.calls == [("permission", None)]


async def test_the_objects_of_a_column_are_asked_for_their_type_with_one_info() -> None:
    context = Context()
    result = await run(BreadthFirst, "{ lids { size } }", context)
    assert result.data == {"lids": [{"size": 0}, {"size": 1}, {"size": 2}]}
    assert len(set(map(id, context.calls))) == 1


async def test_the_texts_of_an_enum_are_coerced_once_each_and_an_unknown_one_is_an_error_wherever_it_stands() -> None:
    schema, asked = build(BreadthFirst), list[str]()
    type_: Any = schema._schema.type_map["Colour"]
    coerce = type_.coerce_output_value
    type_.coerce_output_value = lambda value: asked.append(value) or coerce(value)
    query = '{ pots(colours: ["red", "grey", "blue", "red", "grey"]) { colour } }'
    result = await schema.execute(query, context_value=Context())
    assert result.data == {"pots": [{"colour": name} for name in ("RED", None, "BLUE", "RED", None)]}
    assert [error.path for error in result.errors or []] == [["pots", 1, "colour"], ["pots", 4, "colour"]]
    assert asked == ["red", "grey", "blue"]


async def test_what_is_nested_too_deep_below_a_function_that_asks_for_it_is_an_error_of_each_object() -> None:
    """The function is told that nothing is asked for, and its results fail."""
    fragments = " ".join(f"fragment F{n} on Box {{ ...F{n + 1} }}" for n in range(2000))
    query = f"{{ boxes(first: 2) {{ others(first: 1) {{ ...F0 }} }} }} {fragments} fragment F2000 on Box {{ number }}"
    schema = strawberry.Schema(Query, execution_context_class=BreadthFirst, extensions=[DisableValidation])
    context = Context()
    result = await schema.execute(query, context_value=context)
    assert [(error.path, type(error.original_error)) for error in result.errors or []] == [
        (["boxes", 0, "others", 0], RecursionError)
    ]
    assert context.calls == [("others", [0, 1], None, frozenset())]


async def test_what_stands_side_by_side_is_cancelled_together() -> None:
    context = Context()
    with pytest.raises(asyncio.CancelledError):
        await run(BreadthFirst, "{ boxes { waits crash } }", context)
    assert context.calls == ["cancelled"]


async def test_a_cancelled_operation_cancels_its_fields() -> None:
    context = Context()
    task = asyncio.create_task(run(BreadthFirst, "{ boxes { waits } }", context))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert context.calls == ["cancelled"]


async def test_an_error_of_the_bounds_may_be_any_exception() -> None:
    class Refusing(Bounded):
        def exceeded(self) -> Exception:
            return ValueError("too much")

    result = await run(Refusing, "{ boxes(first: 99) { number } }")
    (error,) = result.errors
    assert isinstance(error, GraphQLError)
    assert (error.message, type(error.original_error), result.data) == ("too much", ValueError, None)
