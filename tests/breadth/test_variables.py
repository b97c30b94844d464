"""Whatever a client sends as variables: both executors read it alike, or refuse it with the same words."""

from __future__ import annotations

import asyncio
from typing import Any

from breadth.nasty import Context
from breadth.oracle import BESIDE_CORE, Oracle
from breadth.roots import build
from hypothesis import given, settings
from hypothesis import strategies as st

from schema.breadth import BreadthFirst

pytestmark = BESIDE_CORE
ORACLE = Oracle(build, BreadthFirst, Context)
FIELDS = ["number", "ratio", "words", "mood", "day", "inner", "wishes", "from", "other"]
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**33), 2**33),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["CALM", "WILD", "calm", "2026-01-02", "never", "7"]),
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=10,
)
WISH: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "number": st.none() | st.integers(-5, 5),
        "ratio": st.none() | st.floats(-2, 2) | st.integers(-2, 2),
        "words": st.lists(st.text(max_size=3), max_size=2) | st.text(max_size=3),
        "mood": st.sampled_from(["CALM", "WILD", None]),
        "inner": st.just({}) | st.none(),
        "wishes": st.lists(st.just({"number": None}), max_size=2) | st.none(),
        "from": st.none() | st.text(max_size=3),
    },
)
QUERY = """query($w: Wish, $n: Int, $m: [Mood!], $a: Boolean = false, $i: ID = 3) {
  mirror(wish: $w)
  node(id: $i) { id told(wish: {number: $n, inner: $w}) page(first: $n) @skip(if: $a) { totalCount } }
  orgs(moods: $m) { id }
}"""


def check(variables: dict[str, Any]) -> None:
    assert asyncio.run(ORACLE.check(QUERY, variables)).declined == []


@settings(max_examples=60, deadline=None)
@given(variables=st.fixed_dictionaries({}, optional=dict.fromkeys("wnmai", JSON)))
def test_any_variables(variables: dict[str, Any]) -> None:
    check(variables)


@settings(max_examples=60, deadline=None)
@given(wish=WISH, number=st.integers(0, 3), skipped=st.booleans())
def test_variables_of_the_right_types(wish: dict[str, Any], number: int, skipped: bool) -> None:
    check({"w": wish, "n": number, "a": skipped, "m": ["WILD"]})
