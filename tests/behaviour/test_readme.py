"""The README is true: its queries give its answers over the sample, and its table of settings is current."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from conftest import copy_into
from reading import reading

from schema import build_schema
from schema.context import Context
from schema.limits import Limits
from server.auth import LOCAL
from server.config import Settings, settings_table
from server.sample import sample_documents
from server.services.documents import NewDocument
from server.services.knowledge import Knowledge
from server.terms import Authority

README = (Path(__file__).parents[2] / "README.md").read_text()
OTHERS = re.sub(
    r"## Knowledge that stays true\n.*?(?=\n## )", "", README, flags=re.DOTALL
)  # that is a story of its own
QUERIES = re.findall(r"```graphql\n(.*?)```(?:\s*```json\n(.*?)```)?", OTHERS, re.DOTALL)


@pytest.fixture
async def knowledge(tmp_path: Path, migrated: Path) -> AsyncIterator[Knowledge]:
    """The sample, read by the real extractor, and an empty volume "default"."""
    settings = Settings(data=tmp_path)
    copy_into(settings, migrated)
    async with reading(settings) as opened:
        sample = await opened.volumes.ensure("sample", "test")
        for text in sample_documents():
            new = NewDocument(text.title, text.text, text.mime_type, text.uri, Authority(text.authority))
            taken = await opened.documents.take(sample, new, "test")
            await opened.worker.finished(taken.ingestion_id)
        yield opened


async def ask(knowledge: Knowledge, query: str) -> dict[str, Any]:
    result = await build_schema(Limits()).execute(query, context_value=Context(knowledge, LOCAL))
    assert result.errors is None
    assert result.data is not None
    return result.data


async def test_every_query_of_the_readme_runs_and_gives_the_answer_that_stands_below_it(knowledge: Knowledge) -> None:
    assert len(QUERIES) == 11
    answers = [(await ask(knowledge, query), shown) for query, shown in QUERIES]
    shown = [(answer, json.loads(text)) for answer, text in answers if text]
    assert len(shown) == 6
    for answer, stands_there in shown:
        assert answer == stands_there


async def test_the_text_that_the_readme_ingests_says_who_joined_where_and_when(knowledge: Knowledge) -> None:
    (mutation,) = (query for query, _ in QUERIES if "ingestDocument" in query)
    payload = (await ask(knowledge, mutation))["ingestDocument"]
    assert payload["created"] is True
    assert payload["ingestion"] == {"status": "DONE", "rejected": []}
    entities = payload["document"]["entities"]["nodes"]
    assert [(entity["name"], entity["type"]) for entity in entities] == [
        ("Ada Lind", "person"),
        ("Northwind", "organization"),
    ]
    (fact,) = entities[0]["facts"]["nodes"]
    assert fact["validFrom"] == "2022-01-01T00:00:00Z"


def test_the_table_of_settings_is_the_one_that_the_settings_give() -> None:
    assert settings_table() in README
