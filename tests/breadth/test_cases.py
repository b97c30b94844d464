"""Every case is answered as written, by graphql-core as by the breadth-first executor, and by the latter without help."""

from __future__ import annotations

import pytest
from breadth.case import CASES, Case
from breadth.nasty import Context
from breadth.oracle import BESIDE_CORE, Answer, Oracle, typed
from breadth.roots import build

from schema.breadth import BreadthFirst

pytestmark = BESIDE_CORE
ORACLE = Oracle(build, BreadthFirst, Context)


def check_as_written(case: Case, answer: Answer) -> None:
    assert typed(answer.data) == typed(case.data)
    assert list(map(str, answer.errors)) == case.errors
    assert answer.context.written == case.written
    assert answer.declined == []
    assert answer.context.loaders == {}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_both_executors_answer_as_written(case: Case) -> None:
    check_as_written(case, await ORACLE.check(case.query, case.variables, case.operation))
