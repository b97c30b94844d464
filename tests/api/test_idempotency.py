"""Idempotency keys: the same create, sent twice, is done once and answered alike; another request is refused."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from server import models

if TYPE_CHECKING:
    from api.conftest import Api


async def creates(api: Api) -> dict[str, tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return, for each create, what to ask of its payload, an input, and what to change to make it another request."""
    ada = await api.entity("Ada")
    project = (await api.do("createProject", "project { id }", name="P"))["project"]["id"]
    ends = {"source": {"id": ada}, "target": {"name": {"name": "Acme"}}}
    code = {"title": "t", "language": "python", "code": "pass"}
    known = {"key": "a", "name": "Imported", "type": "person"}
    return {
        "createEntity": ("created entity { id }", {"name": "Bob", "type": "person", "properties": {"a": 1, "b": 2}}, {"type": "robot"}),
        "createFact": ("fact { id } duplicateOf { id }", {"subject": ada, "content": "Sings", "validFrom": "2020"}, {"validFrom": "2021"}),
        "createRelationship": ("relationship { id } duplicateOf { id }", {"type": "at", **ends}, {"bidirectional": True}),
        "createMemory": ("memory { id } links { similarity } similar { similarity }", {"title": "t", "content": "c"}, {"importance": 6}),
        "createProject": ("project { id }", {"name": "Q"}, {"status": "COMPLETED"}),
        "createCodeArtifact": ("codeArtifact { id }", code, {"code": "return"}),
        "importGraph": ("entitiesCreated entities { key entity { id } }", {"entities": [known]}, {"entities": [{**known, "key": "b"}]}),
        "ingestDocument": ("created document { id }", {"title": "D", "text": "Some text.", "wait": True}, {"projects": [project]}),
    }  # fmt: skip


NAMES = [
    "createEntity",
    "createFact",
    "createRelationship",
    "createMemory",
    "createProject",
    "createCodeArtifact",
    "importGraph",
]
NAMES.append("ingestDocument")


@pytest.mark.parametrize("mutation", NAMES)
async def test_the_same_request_with_the_same_key_is_done_once_and_answered_alike(api: Api, mutation: str) -> None:
    asked, input, other = (await creates(api))[mutation]
    first = await api.do(mutation, asked, idempotencyKey="k", **input)
    async with api.unchanged():
        assert await api.do(mutation, asked, idempotencyKey="k", **input) == first
    refused = await api.refused(mutation, idempotencyKey="k", **{**input, **other})
    assert (refused["code"], refused["argument"]) == ("CONFLICT", "idempotencyKey")
    (kept,) = await api.rows(models.IdempotentResult)
    assert kept["key"] == "k"


@pytest.mark.parametrize("mutation", NAMES)
async def test_a_request_that_is_sent_several_times_at_once_is_done_once(api: Api, mutation: str) -> None:
    asked, input, _ = (await creates(api))[mutation]
    kind = f"{mutation[0].upper()}{mutation[1:]}Input"
    document = f"mutation($i: {kind}!) {{ {mutation}(input: $i) {{ {asked} }} }}"
    answers = await asyncio.gather(*(api.ask(document, i={**input, "idempotencyKey": "k"}) for _ in range(5)))
    assert [answer == answers[0] for answer in answers] == [True] * 5
    assert len(await api.rows(models.IdempotentResult)) == 1


async def test_without_a_key_the_same_request_is_done_again(api: Api) -> None:
    first, second = [await api.memory("t", "c") for _ in range(2)]
    assert first != second


async def test_a_key_is_used_up_by_one_action_of_one_volume(api: Api) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    first = await api.memory("t", "c", idempotencyKey="k")
    refused = await api.refused("createProject", name="P", idempotencyKey="k")
    assert (refused["code"], refused["argument"]) == ("CONFLICT", "idempotencyKey")
    assert await api.memory("t", "c", volume="other", idempotencyKey="k") != first
    assert await api.memory("t", "c", idempotencyKey="K") != first


async def test_a_request_that_was_refused_does_not_use_up_its_key(api: Api) -> None:
    refused = await api.refused("createMemory", title="t", content="", idempotencyKey="k")
    assert refused["argument"] == "content"
    refused = await api.refused("createMemory", title="t", content="c", entities=["nonsense"], idempotencyKey="k")
    assert refused["argument"] == "entities"
    assert await api.memory("t", "c", idempotencyKey="k")


@pytest.mark.parametrize("key", ["", "k" * 201])
async def test_a_key_has_one_to_two_hundred_characters(api: Api, key: str) -> None:
    refused = await api.refused("createMemory", title="t", content="c", idempotencyKey=key)
    assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "idempotencyKey")
    for fits in ("k", "🔑" * 200):
        assert await api.memory("t", "c", idempotencyKey=fits) == await api.memory("t", "c", idempotencyKey=fits)


async def test_the_order_of_keys_in_json_does_not_make_another_request(api: Api) -> None:
    ada = {"id": await api.entity("Ada")}
    edge = {"source": ada, "target": ada, "type": "at", "idempotencyKey": "e"}
    first = await api.do(
        "createRelationship", "relationship { id }", properties={"a": 1, "b": {"c": 2, "d": 3}}, **edge
    )
    again = await api.do(
        "createRelationship", "relationship { id }", properties={"b": {"d": 3, "c": 2}, "a": 1}, **edge
    )
    assert again == first
    note = {"title": "t", "content": "c", "idempotencyKey": "m"}
    made = await api.do("createMemory", "memory { id }", provenance={"a": 1, "b": 2}, **note)
    assert await api.do("createMemory", "memory { id }", provenance={"b": 2, "a": 1}, **note) == made


async def test_the_answer_names_the_links_that_were_made_then(api: Api) -> None:
    await api.memory("ab", ".")
    asked = "memory { id } links { other { title } similarity } similar { similarity }"
    input = {"title": "ab", "content": "..", "idempotencyKey": "k"}
    first = await api.do("createMemory", asked, **input)
    assert (len(first["links"]), len(first["similar"])) == (1, 1)
    await api.memory("ab", "...")
    assert await api.do("createMemory", asked, **input) == first


async def test_what_was_made_and_is_gone_since_is_refused_and_not_made_again(api: Api) -> None:
    for create, delete, asked, input in (
        ("createEntity", "deleteEntity", "entity", {"name": "Ada", "type": "person"}),
        ("createMemory", "deleteMemory", "memory", {"title": "t", "content": "c"}),
        ("createProject", "deleteProject", "project", {"name": "P"}),
        ("createCodeArtifact", "deleteCodeArtifact", "codeArtifact", {"title": "t", "language": "c", "code": "c"}),
    ):
        made = await api.do(create, f"{asked} {{ id }}", idempotencyKey=create, **input)
        await api.do(delete, "deletedId", id=made[asked]["id"])
        refused = await api.refused(create, idempotencyKey=create, **input)
        assert refused["code"] == "NOT_FOUND"


async def test_keys_are_forgotten_after_their_days(api: Api) -> None:
    first = await api.memory("t", "c", idempotencyKey="old")
    clock = api.store._clock
    api.store._clock = lambda: clock() - timedelta(days=8)
    await api.memory("t", "c", idempotencyKey="older")
    api.store._clock = clock
    assert [row["key"] for row in await api.rows(models.IdempotentResult)] == ["old", "older"]
    assert await api.memory("t", "c", idempotencyKey="old") == first
