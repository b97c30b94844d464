"""What the breadth-first executor leaves to graphql-core, saying why, and what it has to execute however odd it looks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import strawberry
from breadth.nasty import THINGS, Context
from breadth.oracle import BESIDE_CORE, Oracle, declining
from breadth.roots import Query, build
from strawberry.extensions import DisableValidation, FieldExtension, SchemaExtension
from strawberry.schema.config import StrawberryConfig

from schema.breadth import BreadthFirst, batched

pytestmark = BESIDE_CORE
ORACLE = Oracle(build, BreadthFirst, Context)
UNCHECKED = Oracle(partial(build, validation=DisableValidation), BreadthFirst, Context)


@pytest.mark.parametrize(
    ("query", "data"),
    [
        ("{ __schema { queryType { name } } version }", {"__schema": {"queryType": {"name": "Query"}}, "version": "1"}),
        ('{ node(id: 3) { id } x: __type(name: "Step") { name } }', {"node": {"id": "3"}, "x": {"name": "Step"}}),
        ("{ ...F } fragment F on Query { ... { __schema { description } } }", {"__schema": {"description": None}}),
    ],
)
async def test_introspection_is_left_to_graphql_core(query: str, data: Any) -> None:
    answer = await ORACLE.check(query)
    assert (answer.data, answer.errors) == (data, [])
    assert len(answer.declined) == 1


@pytest.mark.parametrize("query", ["query @x { version }", "{ version @x }", "{ ... @x(a: 1) { version } }"])
async def test_unknown_directives_are_left_to_graphql_core(query: str) -> None:
    answer = await UNCHECKED.check(query)
    assert (answer.data, answer.errors) == ({"version": "1"}, [])
    assert len(answer.declined) == 1


async def test_an_operation_is_declined_by_what_it_is_every_time() -> None:
    for _ in range(3):
        answer = await ORACLE.ask(ORACLE.breadth, "{ __schema { description } }")
        assert len(answer.declined) == 1


async def test_the_operation_beside_one_that_is_declined_is_not() -> None:
    document = "query A { version } query B { __schema { description } }"
    assert len((await ORACLE.check(document, name="B")).declined) == 1
    assert (await ORACLE.check(document, name="A")).declined == []


async def test_the_type_s_name_is_no_introspection() -> None:
    answer = await ORACLE.check("{ __typename node(id: 3) { __typename } }")
    assert answer.data == {"__typename": "Query", "node": {"__typename": "Robot"}}
    assert answer.declined == []


async def test_a_subscription_is_left_to_graphql_core() -> None:
    query = "subscription { ticks { id told parent { id refused } trouble } }"
    answers = []
    for schema in (ORACLE.core, ORACLE.breadth):
        with declining() as declined:
            events: Any = await schema.subscribe(query, context_value=Context())
            answers.append([(event.data, [error.message for error in event.errors]) async for event in events])
    parent = {"id": "28", "refused": 28}
    told = {"id": "4", "told": "4: none", "parent": parent, "trouble": None}
    assert answers == [[({"ticks": told}, ["trouble 4"])]] * 2
    assert len(declined) >= 1


class Loud(FieldExtension):
    def resolve(self, next_: Callable[..., Any], source: Any, info: Any, **arguments: Any) -> Any:
        return str(next_(source, info, **arguments)).upper()

    async def resolve_async(self, next_: Callable[..., Any], source: Any, info: Any, **arguments: Any) -> Any:
        return str(await next_(source, info, **arguments)).upper()


class Doubling(SchemaExtension):
    async def resolve(self, _next: Callable[..., Any], root: Any, info: Any, *rest: Any, **arguments: Any) -> Any:
        value = _next(root, info, *rest, **arguments)
        value = await value if hasattr(value, "__await__") else value
        return value * 2 if isinstance(value, str) else value


@strawberry.type
class Odd:
    word: str
    said: str = strawberry.field(default="hush", extensions=[Loud()])

    @batched(extensions=[Loud()])
    @staticmethod
    async def loud(parents: list[Odd], info: strawberry.Info[Any, Any]) -> list[str]:
        return [parent.word for parent in parents]


@strawberry.type
class OddQuery:
    words: list[str]

    @strawberry.field
    def odd(self) -> list[Odd]:
        return [Odd(word=word) for word in self.words]


async def test_a_field_with_an_extension_of_its_own_is_resolved_through_it() -> None:
    for executor in (None, BreadthFirst):
        schema = strawberry.Schema(OddQuery, execution_context_class=executor)
        root = OddQuery(words=["a", "b"])
        result = await schema.execute("{ words odd { word loud said } }", context_value=Context(), root_value=root)
        assert result.errors is None
        assert result.data == {
            "words": ["a", "b"],
            "odd": [{"word": w, "loud": w.upper(), "said": "HUSH"} for w in "ab"],
        }


async def test_an_extension_that_resolves_every_field_sees_every_field() -> None:
    for executor in (None, BreadthFirst):
        schema = strawberry.Schema(OddQuery, execution_context_class=executor, extensions=[Doubling])
        root = OddQuery(words=["a"])
        result = await schema.execute("{ odd { word loud } }", context_value=Context(), root_value=root)
        assert (result.data, result.errors) == ({"odd": [{"word": "aa", "loud": "AA"}]}, None)


async def test_a_schema_that_reads_attributes_in_its_own_way_is_asked() -> None:
    config = StrawberryConfig(default_resolver=lambda source, name: [f"{name} of {type(source).__name__}"])
    for executor in (None, BreadthFirst):
        schema = strawberry.Schema(OddQuery, execution_context_class=executor, config=config)
        result = await schema.execute("{ words }", context_value=Context(), root_value=OddQuery(words=[]))
        assert (result.data, result.errors) == ({"words": ["words of OddQuery"]}, None)


@strawberry.interface
class Shape:
    name: str

    @classmethod
    def resolve_type(cls, value: Any, info: Any, type_: Any) -> str:
        return "Square" if value.name.startswith("s") else "Circle"


@strawberry.type
class Square(Shape):
    pass


@strawberry.type
class Circle(Shape):
    pass


@strawberry.type
class Shapes:
    @strawberry.field
    def of_one_class(self) -> list[Shape]:
        return [Square(name="c1"), Square(name="s1")]

    @strawberry.field
    def of_two(self) -> list[Shape]:
        return [Square(name="c1"), Circle(name="s1")]


async def test_an_interface_that_tells_its_objects_types_is_asked() -> None:
    for executor in (None, BreadthFirst):
        schema = strawberry.Schema(Shapes, types=[Square, Circle], execution_context_class=executor)
        result = await schema.execute("{ ofOneClass { __typename } ofTwo { __typename } }", context_value=Context())
        types = [{"__typename": "Circle"}, {"__typename": "Square"}]
        assert (result.data, result.errors) == ({"ofOneClass": types, "ofTwo": types}, None)


async def test_a_root_value_is_the_roots_parent() -> None:
    for schema in (ORACLE.core, ORACLE.breadth):
        result = await schema.execute("{ greeting }", context_value=Context(), root_value=Query(greeting="hello"))
        assert (result.data, result.errors) == ({"greeting": "hello"}, None)


async def test_a_schema_without_mutations_refuses_one() -> None:
    for executor in (None, BreadthFirst):
        schema = strawberry.Schema(OddQuery, execution_context_class=executor, extensions=[DisableValidation])
        result = await schema.execute("mutation { a }", context_value=Context())
        assert result.data is None
        assert [error.message for error in result.errors or []] == [
            "Schema is not configured to execute mutation operation."
        ]


def chain(type_: str, length: int, each: str, last: str) -> str:
    """Return fragments of which each holds the next."""
    fragments = [f"fragment F{n} on {type_} {{ {each.replace('*', f'...F{n + 1}')} }}" for n in range(length)]
    return " ".join([*fragments, f"fragment F{length} on {type_} {{ {last} }}"])


async def test_what_is_nested_deep_is_answered() -> None:
    below = chain("Node", 300, "parent { * }", "id")
    answer = await UNCHECKED.check("{ node(id: 1) { ...F0 } } " + below)
    depth, data = 0, answer.data["node"]
    while "parent" in data:
        depth, data = depth + 1, data["parent"]
    assert (depth, data) == (300, {"id": THINGS[1].id})
    assert (answer.errors, answer.declined) == ([], [])


async def test_what_is_nested_too_deep_at_the_root_is_an_error_of_the_operation() -> None:
    answer = await UNCHECKED.check("{ ...F0 } " + chain("Query", 2000, "*", "version"))
    assert answer.data is None
    assert list(map(str, answer.errors)) == ["1:1 Selections are nested too deeply. Execution aborted."]


async def test_what_is_nested_too_deep_below_is_an_error_of_its_field() -> None:
    answer = await UNCHECKED.check("{ version node(id: 1) { ...F0 } } " + chain("Node", 2000, "*", "id"))
    assert answer.data == {"version": "1", "node": None}
    assert [(error.path, error.locations) for error in answer.errors] == [(("node",), ((1, 11),))]
