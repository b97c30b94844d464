"""How often batched functions are called: once per selection and level, with each parent once."""

from __future__ import annotations

from typing import Any

import pytest
from breadth.nasty import Context
from breadth.oracle import BESIDE_CORE, Oracle
from breadth.roots import build

from schema.breadth import BreadthFirst

pytestmark = BESIDE_CORE
ORACLE = Oracle(build, BreadthFirst, Context)
Calls = list[tuple[str, int]]


async def calls(query: str, variables: dict[str, Any] | None = None) -> Calls:
    """Return the field's name and the number of parents of each call, in order; the answer is as graphql-core's."""
    answer = await ORACLE.check(query, variables)
    assert answer.declined == []
    assert answer.context.loaders == {}
    return [(field.split(".")[1], parents) for field, parents in answer.context.calls]


@pytest.mark.parametrize("width", [1, 10, 100])
async def test_a_level_is_one_call_whatever_its_width(width: int) -> None:
    query = "query($n: Int!) { same(id: 14, times: $n) { page { nodes { parent { parent { id } } } } } }"
    assert await calls(query, {"n": width}) == [("page", 1), ("parent", 2), ("parent", 1)]


async def test_a_field_of_an_interface_is_one_call_over_its_types() -> None:
    assert await calls("{ nodes(start: 0, first: 5) { parent { id } } }") == [("nodes", 1), ("parent", 5)]
    assert await calls("{ lists { gaps { told } } nodes(start: 1, first: 2) { told } }") == [
        *(("nodes", 1), ("told", 2), ("told", 2)),
    ]


async def test_a_field_of_a_union_is_one_call_over_its_types() -> None:
    assert await calls("{ things(first: 3) { ... on Node { told } } }") == [("things", 1), ("told", 3)]


async def test_equal_parents_are_passed_once() -> None:
    query = "{ same(id: 3, times: 5) { related { id } parent { parent { id } } } }"
    assert sorted(await calls(query)) == [("parent", 1), ("parent", 1), ("related", 1)]


async def test_parents_that_are_equal_through_different_lists_are_passed_once() -> None:
    query = "{ lists { gaps { id parent { told } } } }"  # of 1 and 2, and of 1 again
    assert await calls(query) == [("parent", 2), ("told", 2)]


async def test_parents_that_are_equal_but_not_the_same_are_passed_each() -> None:
    assert await calls("{ twins { at node { id } } }") == [("node", 2)]


async def test_selections_of_one_field_with_equal_arguments_share_a_call() -> None:
    query = "{ nodes(first: 2) { a: told(wish: {number: 3}) b: told(wish: {number: 3}) c: told(wish: {number: 4}) } }"
    assert sum(parents for field, parents in await calls(query) if field == "told") == 6
    assert len(await calls(query)) <= 4


async def test_merged_selections_are_one_call() -> None:
    query = """{ nodes(first: 2) { ...A ...B parent { id } } }
      fragment A on Node { parent { name } } fragment B on Doc { parent { parent { id } } }"""
    assert await calls(query) == [("nodes", 1), ("parent", 2), ("parent", 1)]


async def test_nothing_is_called_for_no_parents() -> None:
    assert await calls("{ nodes(first: 0) { related { must { id } } page { totalCount } } }") == [("nodes", 1)]
    assert await calls("{ node(id: 12) { parent { must { id } } } }") == [("node", 1), ("parent", 1)]
    assert await calls("{ node(id: 3) { ... on Doc { must { id } } } }") == [("node", 1)]


async def test_nothing_is_called_that_is_skipped() -> None:
    query = "query($a: Boolean!) { nodes(first: 2) { parent @skip(if: $a) { id } told @include(if: $a) } }"
    assert await calls(query, {"a": True}) == [("nodes", 1), ("told", 2)]
    assert await calls(query, {"a": False}) == [("nodes", 1), ("parent", 2)]


async def test_parents_without_permission_are_not_passed() -> None:
    query = "{ lists { gaps { secret { id } } } }"
    assert await calls(query) == [("secret", 1)]
    assert await calls('{ nodes(first: 3) { guarded(word: "closed") } }') == [("nodes", 1)]


async def test_an_error_of_an_argument_keeps_the_function_from_being_called() -> None:
    query = "query($n: Int = 4) { nodes(first: 2) { page(first: $n) { totalCount } } }"
    assert await calls(query, {"n": None}) == [("nodes", 1)]


async def test_errors_of_a_level_go_no_deeper() -> None:
    query = "{ lists(of: 6) { gaps { must { id } } } nodes(start: 6, first: 1) { maybe(fail: true) { told } } }"
    assert await calls(query) == [("nodes", 1), ("maybe", 1)]


async def test_serial_mutations_are_called_one_by_one() -> None:
    answer = await ORACLE.check("mutation { a: mustSet(n: 5) { parent { id } } b: mustSet(n: 5) { parent { id } } }")
    assert answer.context.written == ["must 5", "must 5"]
    assert answer.context.calls == [("Org.parent", 1), ("Org.parent", 1)]
