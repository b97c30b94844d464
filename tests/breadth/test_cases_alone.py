"""Every case again, on the breadth-first executor alone: it leaves nothing behind, and answers the same from its plan."""

from __future__ import annotations

import asyncio

import pytest
from breadth.case import CASES, Case
from breadth.nasty import Context
from breadth.oracle import Fault
from breadth.roots import build

from schema.breadth import BreadthFirst

SCHEMA = build(BreadthFirst)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_an_operation_is_answered_again_from_its_plan(case: Case) -> None:
    for _ in range(2):
        result = await SCHEMA.execute(
            case.query, case.variables, context_value=Context(), operation_name=case.operation
        )
        assert result.data == case.data
        assert [str(Fault.of(error)) for error in result.errors or []] == case.errors
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_all_operations_at_the_same_time_are_answered_as_each_alone() -> None:
    running = [
        SCHEMA.execute(case.query, case.variables, context_value=Context(), operation_name=case.operation)
        for case in CASES.values()
    ]
    results = await asyncio.gather(*running)
    assert [result.data for result in results] == [case.data for case in CASES.values()]
    errors = [[str(Fault.of(error)) for error in result.errors or []] for result in results]
    assert errors == [case.errors for case in CASES.values()]
