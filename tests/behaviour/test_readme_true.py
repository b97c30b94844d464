"""The README's chapter on knowledge that stays true: its operations run one after the other, and give the answers below them."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from reading import reading

from schema import build_schema
from schema.context import Context
from schema.limits import Limits
from server.auth import LOCAL
from server.config import Settings
from server.services.knowledge import Knowledge

README = (Path(__file__).parents[2] / "README.md").read_text()
CHAPTER = README.partition("## Knowledge that stays true\n")[2].partition("\n## ")[0]
STEPS = re.findall(r"```graphql\n(.*?)```(?:\s*```json\n(.*?)```)?", CHAPTER, re.DOTALL)


@pytest.fixture
async def knowledge(settings: Settings) -> AsyncIterator[Knowledge]:
    """An empty volume "default" whose documents the real extractor reads."""
    async with reading(settings) as opened:
        yield opened


def without_ids(answer: Any) -> Any:
    """Return an answer as the README prints it: of an id only its kind."""
    if isinstance(answer, list):
        return [without_ids(one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    return {name: f"{value[:3]}_…" if name == "id" else without_ids(value) for name, value in answer.items()}


def variables(operation: str, answers: list[Any]) -> dict[str, str]:
    """Return what a reader puts in for an operation's variables, out of the answer before it."""
    if "$question" in operation:
        (review,) = answers[-1]["volume"]["reviewQueue"]["nodes"]
        return {"question": review["id"], "winner": review["conflict"]["claims"][1]["id"]}
    if "$into" in operation:
        (review,) = answers[-1]["volume"]["reviewQueue"]["nodes"]
        return {"into": review["left"]["id"], "from": review["right"]["id"]}
    return {"merge": answers[-1]["mergeEntities"]["merges"][0]["id"]} if "$merge" in operation else {}


async def test_the_chapter_on_knowledge_that_stays_true_gives_the_answers_that_it_prints(knowledge: Knowledge) -> None:
    schema, answers = build_schema(Limits()), list[Any]()
    assert len(STEPS) == 10
    for operation, printed in STEPS:
        given = variables(operation, answers)
        result = await schema.execute(operation, variable_values=given, context_value=Context(knowledge, LOCAL))
        assert result.errors is None
        answers.append(result.data)
        if printed:
            assert without_ids(result.data) == json.loads(printed)
    (fact,) = answers[5]["volume"]["entity"]["facts"]["nodes"]
    (evidence,) = fact["evidence"]
    assert evidence["document"]["content"][evidence["start"] : evidence["end"]] == evidence["quote"]
