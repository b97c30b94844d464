"""Batched fields under the ordinary executor: the schema they make, and how often their functions are called."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any, Generic, TypeVar

import pytest
import strawberry
from strawberry import Info
from strawberry.permission import BasePermission
from strawberry.scalars import JSON

from schema.breadth import batched, computed

T = TypeVar("T")


@dataclass
class Context:
    width: int = 2
    loaders: dict[Any, Any] = field(default_factory=dict)
    calls: list[tuple[Any, ...]] = field(default_factory=list)


@strawberry.enum
class Sense(Enum):
    OUT = "out"
    IN = "in"


@strawberry.input
class Filter:
    words: list[str] | None = None
    least: float = 0.5


@strawberry.type
class Box(Generic[T]):
    items: list[T]

    @batched(description="Itself, through a generic type.")
    @staticmethod
    async def first_item(parents: list[Box[T]], info: Info[Any, Any]) -> list[T | None]:
        return [box.items[0] if box.items else None for box in parents]


class Nobody(BasePermission):
    message = "Nobody may."

    def has_permission(self, source: Any, info: Info[Any, Any], **arguments: Any) -> bool:
        return False


@strawberry.interface
class Named:
    name: str

    @batched(description="The name in capitals.")
    @staticmethod
    async def loud(parents: list[Named], info: Info[Any, Any]) -> list[str]:
        info.context.calls.append(("loud", len(parents)))
        return [parent.name.upper() for parent in parents]


@strawberry.type
class Leaf(Named):
    pass


@strawberry.type
class Tree(Named):
    @batched(description="The trees below.", deprecation_reason="For the test.")
    @staticmethod
    async def below(
        parents: list[Tree],
        info: Info[Any, Any],
        first: Annotated[int, strawberry.argument(description="How many.")] = 20,
        sense: Annotated[Sense, strawberry.argument(description="Which way.", name="direction")] = Sense.OUT,
        filter: Filter | None = None,
        types: list[str] | None = None,
        flag: bool | None = None,
    ) -> list[list[Tree]]:
        info.context.calls.append(("below", len(parents), first, sense, filter, types, flag))
        return [[Tree(name=f"{parent.name}.{i}") for i in range(info.context.width)] for parent in parents]

    @batched
    @staticmethod
    async def lone(parents: list[Tree], info: Info[Any, Any], word: str = "a") -> list[Box[Tree] | Exception | None]:
        info.context.calls.append(("lone", len(parents), word))
        return [ValueError(f"no {p.name}") if p.name.endswith("1") else Box(items=[p]) for p in parents]

    @batched
    @staticmethod
    async def echo(parents: list[Tree], info: Info[Any, Any], value: JSON) -> list[JSON]:
        return [value for _ in parents]

    @batched
    @staticmethod
    async def short(parents: list[Tree], info: Info[Any, Any]) -> list[int]:
        return [1]

    @batched(permission_classes=[Nobody])
    @staticmethod
    async def secret(parents: list[Tree], info: Info[Any, Any]) -> list[Annotated[Leaf, strawberry.lazy(__name__)]]:
        raise AssertionError("never reached")

    @computed(description="The name's length.")
    def length(self) -> int:
        return len(self.name)


@strawberry.type
class Query:
    @strawberry.field
    def tree(self) -> Tree:
        return Tree(name="t")

    @strawberry.field
    def named(self) -> list[Named]:
        return [Leaf(name="a"), Tree(name="b"), Leaf(name="c")]

    @batched
    @staticmethod
    async def root(parents: list[None], info: Info[Any, Any], fail: bool = False) -> list[int | Exception]:
        info.context.calls.append(("root", parents))
        return [ValueError("as asked") if fail else 7]


@strawberry.type
class Mutation:
    @batched
    @staticmethod
    async def count(parents: list[None], info: Info[Any, Any]) -> list[int]:
        info.context.calls.append(("count", parents))
        return [len(info.context.calls)]


SCHEMA = strawberry.Schema(Query, Mutation, types=[Leaf, Tree])


async def run(query: str, context: Context | None = None) -> tuple[Any, Context]:
    context = context or Context()
    result = await SCHEMA.execute(query, context_value=context)
    return result, context


def test_the_schema_shows_an_ordinary_field() -> None:
    tree = SCHEMA.as_str().split("type Tree implements Named {\n")[1].split("\n}")[0]
    assert (
        tree
        == '''\
  name: String!

  """The name in capitals."""
  loud: String!

  """The trees below."""
  below(
    """How many."""
    first: Int! = 20

    """Which way."""
    direction: Sense! = OUT
    filter: Filter = null
    types: [String!] = null
    flag: Boolean = null
  ): [Tree!]! @deprecated(reason: "For the test.")
  lone(word: String! = "a"): TreeBox
  echo(value: JSON!): JSON!
  short: Int!
  secret: Leaf!

  """The name's length."""
  length: Int!'''
    )


@pytest.mark.parametrize("width", [1, 10])
async def test_parents_of_one_level_are_one_call_whatever_its_width(width: int) -> None:
    result, context = await run("{ tree { below { below { below { name } } } } }", Context(width=width))
    assert result.errors is None
    assert [call[:2] for call in context.calls] == [("below", 1), ("below", width), ("below", width**2)]


async def test_arguments_arrive_as_python_values() -> None:
    query = '{ tree { below(first: 3, direction: IN, filter: {words: ["x"]}, types: ["A"], flag: true) { name } } }'
    _, context = await run(query)
    assert context.calls == [("below", 1, 3, Sense.IN, Filter(words=["x"], least=0.5), ["A"], True)]


async def test_equal_arguments_share_a_call_and_different_ones_do_not() -> None:
    query = """{ tree { a: lone(word: "x") { __typename } b: lone(word: "x") { __typename } c: lone { __typename }
      d: below(filter: {words: ["x"]}) { name } e: below(filter: {words: ["x"]}) { name } f: below(filter: {words: []}) { name }
      g: below(flag: true) { name } h: below(first: 1) { name } } }"""
    _, context = await run(query)
    assert sorted(call[1] for call in context.calls if call[0] == "lone") == [1, 2]
    assert sorted(call[1] for call in context.calls if call[0] == "below") == [1, 1, 1, 2]


async def test_arguments_that_are_equal_in_python_only_are_told_apart() -> None:
    result, _ = await run(
        "{ tree { a: echo(value: 1) b: echo(value: true) c: echo(value: [1]) d: echo(value: {x: [1]}) } }"
    )
    assert repr(result.data["tree"]) == "{'a': 1, 'b': True, 'c': [1], 'd': {'x': [1]}}"


async def test_an_exception_stands_for_its_position_alone() -> None:
    result, context = await run("{ tree { below { lone { firstItem { name } } } } }")
    assert result.data == {"tree": {"below": [{"lone": {"firstItem": {"name": "t.0"}}}, {"lone": None}]}}
    assert [(error.message, error.path) for error in result.errors] == [("no t.1", ["tree", "below", 1, "lone"])]
    assert context.calls[-1] == ("lone", 2, "a")


async def test_a_result_of_the_wrong_length_is_an_error_that_names_the_field() -> None:
    result, _ = await run("{ tree { below { short } } }")
    assert {error.message for error in result.errors} == {"Tree.short answered 1 results for 2 parents"}
    assert {type(error.original_error) for error in result.errors} == {RuntimeError}


async def test_a_root_field_goes_past_the_loader() -> None:
    result, context = await run("{ a: root b: root c: root(fail: true) }")
    assert context.loaders == {}
    assert context.calls == [("root", [None])] * 3
    assert [(error.message, error.path) for error in result.errors] == [("as asked", ["c"])]


async def test_two_equal_mutations_are_two_calls() -> None:
    result, _ = await run("mutation { a: count b: count }")
    assert result.data == {"a": 1, "b": 2}


async def test_a_field_of_an_interface_is_one_call_over_its_types() -> None:
    result, context = await run("{ named { loud } }")
    assert result.data == {"named": [{"loud": "A"}, {"loud": "B"}, {"loud": "C"}]}
    assert context.calls == [("loud", 3)]


async def test_a_permission_class_keeps_the_function_from_being_called() -> None:
    result, _ = await run("{ tree { secret { name } } }")
    assert [error.message for error in result.errors] == ["Nobody may."]


async def test_nothing_is_kept_from_one_call_to_the_next() -> None:
    context = Context()
    await asyncio.gather(*(run("{ tree { below { name } } }", context) for _ in range(2)))
    await run("{ tree { below { name } } }", context)
    assert [call[1] for call in context.calls] == [2, 1]


def test_the_batch_function_is_found_on_the_resolver() -> None:
    definition = SCHEMA.get_type_by_name("Tree")
    resolver: Any = next(f for f in definition.fields if f.name == "below").base_resolver.wrapped_func  # type: ignore
    assert resolver.__batched__.__qualname__ == "Tree.below"
    assert list(resolver.__batched__.__annotations__)[:2] == ["parents", "info"]


def test_annotations_may_be_objects_instead_of_strings() -> None:
    def annotated(returned: Any) -> Any:
        async def answers(parents: Any, info: Any) -> Any:
            return [1]

        answers.__annotations__["return"] = returned
        return batched(answers).base_resolver.type_annotation.raw_annotation

    assert annotated(list[int]) is int
    assert annotated(list[int | Exception]) is int
    assert annotated(list[int | Exception | None]) == int | None
    assert annotated("Sequence[Box[Tree] | None | Exception]") == "Box[Tree] | None"


@pytest.mark.parametrize("returned", [int, "int", "dict[str, int]", tuple[int]])
def test_a_function_that_returns_no_list_is_refused_at_declaration(returned: Any) -> None:
    async def answers(parents: Any, info: Any) -> Any:
        return [1]

    answers.__annotations__["return"] = returned
    with pytest.raises(TypeError, match="returns list"):
        batched(answers)


def test_a_function_of_another_shape_is_refused_at_declaration() -> None:
    def answers(parents: list[Any], info: Any) -> list[int]:
        return [1]

    async def infoless(parents: list[Any], first: int) -> list[int]:
        return [1]

    for function in (answers, infoless):
        with pytest.raises(TypeError, match="async def of"):
            batched(function)  # type: ignore[arg-type]
