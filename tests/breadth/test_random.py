"""Random operations, against the nasty schema: both executors answer alike. The seed of a failure is its name."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import pytest
from breadth.nasty import MANY, Context
from breadth.oracle import BESIDE_CORE, Oracle
from breadth.queries import MUTATION, QUERY, draw
from breadth.roots import build
from strawberry.extensions import DisableValidation

from schema.breadth import BreadthFirst

pytestmark = BESIDE_CORE
ORACLE = Oracle(partial(build, validation=DisableValidation), BreadthFirst, Context)
SCALARS: dict[str, list[Any]] = {
    "Int": [0, 1, 2, 3, 5, 7, 12, -1],
    "Float": [0, 0.5, -2, 1e300],
    "String": ["x", "", "closed", "crash", "boom", "odd", "é\n"],
    "Day": ["2026-01-02", "1999-12-31"],
    "ID": [*range(MANY), *map(str, range(MANY)), "zz", str(MANY)],
}
EACH = 20
"""How many seeds one test tries, so that it is worth its while."""


def values(random: Random, name: str, scalar: str) -> Any:
    return random.choice(SCALARS[scalar])


async def check(seed: int) -> None:
    """Compare the answers to the operation of a seed; every fourth may be a mutation."""
    schema: Any = ORACLE.core
    operation = draw(schema._schema, values, seed, [QUERY, QUERY, QUERY, MUTATION])
    try:
        answer = await ORACLE.check(operation.query, operation.variables)
        assert answer.declined == []
        assert answer.context.loaders == {}
    except AssertionError:
        print(f"The seed {seed}:\n{operation.query}\n{operation.variables}")
        raise


@pytest.mark.parametrize("first", range(0, 200, EACH))
async def test_a_random_operation_is_answered_as_by_graphql_core(first: int) -> None:
    for seed in range(first, first + EACH):
        await check(seed)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(1_000, 15_000, 100))
async def test_many_random_operations_are_answered_as_by_graphql_core(first: int) -> None:
    for seed in range(first, first + 100):
        await check(seed)
