"""Claude as a judge: it merges one of numbered candidates or keeps all apart, says why, and overrides no veto."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest
from doubles import HashEmbedder
from messages import says, serving_messages
from pydantic import SecretStr
from stores import DIMENSION, new_volume

from server import models
from server.commands.duplicates import Counted, Found, find
from server.config import Settings
from server.llm import NO_USAGE, Filled, Prompt, UnusableAnswer
from server.services.decisions import Reviews
from server.services.duplicates import Candidate, Seen, scan
from server.services.entities import Entities, NewEntity
from server.services.judging import Verdict, judge
from server.services.likeness import Likeness, Look
from server.store import Store
from server.store.records import EntityRecord, MergeRecord, ReviewRecord

SURE = "The description says so."


class Court:
    """A volume with three people, of whom the last looks like the two others, and a judge that answers as it is told."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.prompts: list[Prompt] = []
        self.answer: object = {}

    async def start(self) -> None:
        await new_volume(self.store)
        volume = await self.store.volume("v")
        assert volume is not None
        self.volume, entities = volume, Entities(self.store, HashEmbedder(DIMENSION))
        told = {"John Doe": None, "Jane Doe": "a nurse", "J. Doe": "a nurse"}
        for name, description in told.items():
            await entities.create(volume, NewEntity(name, "person", description), "test")

    async def ask(self, prompt: Prompt, result: type[Verdict]) -> Filled[Verdict]:
        self.prompts.append(prompt)
        return Filled(json.dumps(self.answer), result, NO_USAGE)

    async def found(self) -> list[tuple[Candidate, UUID]]:
        pairs = [pair async for _, pairs in scan(self.store.read, self.volume.id) for pair in pairs]
        reviews = {row.question: row.id for row in await self.store.read.where(ReviewRecord)}
        return [(pair, reviews[pair.question.text]) for pair in pairs]

    async def rule(self, choice: int, *, sure: bool = True) -> tuple[str | None, str] | None:
        self.answer = {"choice": choice, "sure": sure, "reason": SURE}
        ruled = await judge(self.ask, Reviews(self.store), self.volume, await self.found())
        return None if ruled is None else (ruled[0].other.look.name if ruled[0] else None, ruled[1])

    async def decisions(self) -> list[tuple[str | None, str | None]]:
        rows = await self.store.read.where(ReviewRecord)
        return sorted(((row.decision, row.decided_by) for row in rows), key=str)


@pytest.fixture
async def court(store: Store) -> Court:
    own = Court(store)
    await own.start()
    return own


async def test_the_candidate_that_it_chooses_is_merged_with_its_reason(court: Court) -> None:
    chosen, reason = await court.rule(1) or ("", "")
    assert (chosen, reason) == ("Jane Doe", f"Claude: {SURE}")
    (merge,) = await court.store.read.where(MergeRecord)
    assert (merge.actor, merge.reason) == ("claude", reason)
    merged = {one.name: one.merged_into for one in await court.store.read.where(EntityRecord)}
    assert [name for name, into in merged.items() if into is not None] == ["J. Doe"]
    assert ("MERGED", "claude") in await court.decisions()


async def test_where_it_chooses_none_all_are_kept_apart(court: Court) -> None:
    assert await court.rule(0) == (None, f"Claude: {SURE}")
    assert await court.decisions() == [("KEPT_APART", "claude")] * 2
    assert await court.store.read.where(MergeRecord) == []


async def test_what_it_is_not_sure_of_waits_for_a_person(court: Court) -> None:
    assert await court.rule(1, sure=False) is None
    assert await court.decisions() == [(None, None)] * 2
    assert await court.store.read.where(MergeRecord) == []


@pytest.mark.parametrize("choice", [-1, 3])
async def test_a_candidate_that_is_not_there_changes_nothing(court: Court, choice: int) -> None:
    with pytest.raises(UnusableAnswer, match="not there"):
        await court.rule(choice)
    assert await court.decisions() == [(None, None)] * 2
    assert await court.store.read.where(MergeRecord) == []


async def test_what_is_vetoed_it_is_not_even_asked_about(court: Court) -> None:
    (pair, review), *_ = await court.found()
    numbered = Candidate(
        Seen(pair.one.id, Look("mlp-332")), Seen(pair.other.id, Look("mlp-333")), Likeness(1.0, ("the same words",))
    )
    assert await judge(court.ask, Reviews(court.store), court.volume, [(numbered, review)]) is None
    assert court.prompts == []


async def test_it_is_told_of_the_entity_and_its_numbered_candidates_as_data(court: Court) -> None:
    await court.rule(1, sure=False)
    (prompt,) = court.prompts
    opening, *lines, closing = prompt.text.splitlines()
    assert closing == f"</{opening[1:]}"
    assert json.loads("\n".join(lines)) == {
        "entry": {"name": "J. Doe", "type": "person", "description": "a nurse"},
        "candidates": [
            {"number": 1, "name": "Jane Doe", "type": "person", "description": "a nurse",
             "alike": ["an initial", "descriptions alike"]},
            {"number": 2, "name": "John Doe", "type": "person", "alike": ["an initial"]},
        ],
    }  # fmt: skip


async def test_where_it_is_switched_on_the_strong_model_decides_what_is_proposed(
    court: Court, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with court.store.write(court.volume.id, "test") as tx:
        tx.delete_where(models.Review, volume_id=court.volume.id)
    counted, found = Counted(), list[Found]()
    told: dict[str, Any] = {"total": lambda _: None, "progress": lambda _: None, "found": found.append}
    async with serving_messages() as claude:
        claude.script = [says({"choice": 1, "sure": True, "reason": SURE})]
        own = {"claude_judges": True, "anthropic_key": SecretStr("sk-1"), "anthropic_url": claude.url}
        await find(settings.model_copy(update=own), "v", None, proposing=True, counted=counted, **told)
    assert [request.body["model"] for request in claude.requests] == ["claude-opus-5-5"]
    assert (len(found), counted.proposed, counted.decided) == (2, 2, 1)
    assert ("MERGED", "claude") in await court.decisions()
