"""Documents that Claude reads, through GraphQL and the real worker, on both databases, against a local Messages API."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from api.conftest import Api, served
from doubles import HashEmbedder, ScriptedExtractor
from messages import (
    BAD_KEY,
    BROKEN,
    HANGS_UP,
    NOTHING,
    OVERLOADED,
    STALLS,
    Messages,
    Reply,
    busy,
    cut_off,
    fenced,
    refuses,
    says,
    serving_messages,
)
from pydantic import SecretStr
from scripted import names
from workers import said_by, text_of

from server import models
from server.config import Settings
from server.ids import NodeKind, encode_id
from server.services.documents import Documents, NewDocument
from server.services.extraction.estimating import estimate
from server.services.extraction.pool import ExtractionPool
from server.services.extraction.protocol import ChunkText, Extraction, Term, Vocabulary
from server.services.extraction.readers import Readers
from server.services.ingestion.worker import IngestionWorker
from server.store.jobs import Limit
from server.store.records import VolumeRecord

TEXT = "Ada Lind joined Northwind in 2022. Northwind sells tea."
ADA = {
    "key": "e1",
    "name": "Ada Lind",
    "type": "person",
    "aliases": [],
    "description": None,
    "quote": "Ada Lind",
    "confidence": 1,
}
NORTHWIND = {**ADA, "key": "e2", "name": "Northwind", "type": "organization", "quote": "Northwind"}
SELLS = {
    "subject": "e2",
    "content": "Northwind sells tea.",
    "predicate": "SELLS",
    "value": "tea",
    "value_type": "TEXT",
    "category": None,
    "valid_from": None,
    "valid_to": None,
    "quote": "Northwind sells tea.",
    "importance": 0.5,
    "confidence": 1,
}
JOINED = {
    "source": "e1",
    "type": "WORKS_AT",
    "target": "e2",
    "description": None,
    "valid_from": "2022",
    "valid_to": None,
    "quote": "Ada Lind joined Northwind in 2022.",
    "confidence": 1,
}
ANSWER = {"entities": [ADA, NORTHWIND], "facts": [SELLS], "relationships": [JOINED]}
RUN = (
    "ingestion { id status error extractor inputTokens outputTokens entitiesFound factsFound relationshipsFound "
    "rejected { kind item reason } failedStep { error rawAnswer failures waits } }"
)

NOTED = "ingestion { status entitiesFound factsFound rejected { reason } notes { kind item reason } }"


@pytest.fixture
async def messages(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Messages]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with serving_messages() as server:
        server.answer = lambda _request: says(ANSWER)
        yield server


@pytest.fixture
def keyed(settings: Settings, messages: Messages) -> Settings:
    """Settings under which Claude reads."""
    more = {"anthropic_key": SecretStr("sk-1"), "anthropic_url": messages.url, "claude_timeout": 2}
    return settings.model_copy(update=more)


@pytest.fixture
async def api(keyed: Settings) -> AsyncIterator[Api]:
    readers = Readers(keyed)
    async with served(keyed, readers.name, readers.extract, ScriptedExtractor()) as client:
        yield client
    await readers.aclose()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again at once."""
    monkeypatch.setattr("server.services.ingestion.failing.PAUSE", 0.001)


async def read(api: Api, text: str = TEXT, **more: Any) -> dict[str, Any]:
    """Have a text read to the end; return its ingestion."""
    done = await api.do("ingestDocument", RUN, **{"title": "Notes", "text": text, "wait": True, **more})
    run: dict[str, Any] = done["ingestion"]
    return run


def outcome(run: dict[str, Any]) -> tuple[str, int, int, int, int, int]:
    """Status; entities, facts and relationships found; tokens sent and answered."""
    found = (run["entitiesFound"], run["factsFound"], run["relationshipsFound"])
    return (run["status"], *found, run["inputTokens"], run["outputTokens"])


async def test_what_claude_says_is_stored_with_its_words_and_its_tokens(api: Api, messages: Messages) -> None:
    run = await read(api)
    assert outcome(run) == ("DONE", 2, 1, 1, 100, 20)
    assert (run["error"], run["rejected"], run["extractor"]) == (None, [], "claude-haiku-5-5")
    assert await names(api) == [("Ada Lind", "person", []), ("Northwind", "organization", [])]
    volume = await api.volume(
        "facts { nodes { content value confidence evidence { quote start end verified } } } "
        "relationships { nodes { text validFrom validFromPrecision evidence { quote } } }"
    )
    (sells,) = volume["facts"]["nodes"]
    quoted = {"quote": "Northwind sells tea.", "start": 35, "end": 55, "verified": True}
    assert sells == {"content": "Northwind sells tea.", "value": "tea", "confidence": 0.8, "evidence": [quoted]}
    (joined,) = volume["relationships"]["nodes"]
    assert joined == {
        "text": "Ada Lind works at Northwind",
        "validFrom": "2022-01-01T00:00:00Z",
        "validFromPrecision": "YEAR",
        "evidence": [{"quote": "Ada Lind joined Northwind in 2022."}],
    }
    (request,) = messages.requests
    assert (request.body["model"], request.body["max_tokens"], request.chunk) == ("claude-haiku-5-5", 16_000, TEXT)


@pytest.mark.parametrize(
    "reply", [fenced(ANSWER), says(f"Sure: {json.dumps(ANSWER)} Done.")], ids=["fenced", "with prose"]
)
async def test_a_fence_or_prose_around_the_answer_loses_nothing(api: Api, messages: Messages, reply: Reply) -> None:
    messages.script = [reply]
    run = await read(api)
    assert (outcome(run), run["rejected"]) == (("DONE", 2, 1, 1, 100, 20), [])


async def test_what_fails_the_checks_is_listed_and_the_rest_is_stored(api: Api, messages: Messages) -> None:
    bad_fact, bad_edge = {**SELLS, "quote": "Northwind sells coffee."}, {**JOINED, "target": "e9"}
    unlisted = {**SELLS, "subject": "Southwind"}
    nameless = {**ADA, "key": "e3", "name": None}
    messages.script = [
        says(
            {
                "entities": [ADA, NORTHWIND, nameless],
                "facts": [SELLS, bad_fact, unlisted],
                "relationships": [JOINED, bad_edge],
            }
        )
    ]
    run = await read(api)
    assert outcome(run) == ("DONE", 2, 1, 1, 100, 20)
    assert run["rejected"] == [
        {"kind": "entity", "item": nameless, "reason": "name must be text."},
        {"kind": "fact", "item": bad_fact, "reason": "The quote does not occur in the text."},
        {"kind": "fact", "item": unlisted, "reason": "Its subject is not among the entities."},
        {"kind": "relationship", "item": bad_edge, "reason": "One of its ends is not among the entities."},
    ]


async def test_of_an_answer_that_was_cut_off_the_whole_items_are_stored(api: Api, messages: Messages) -> None:
    messages.script = [cut_off(ANSWER, '"WORKS_AT"')]
    run = await read(api)
    assert outcome(run) == ("DONE", 2, 1, 0, 100, 20)
    (piece,) = run["rejected"]
    assert (piece["kind"], piece["reason"]) == (
        "relationship",
        "The answer was cut off: raise LOREGRAPH_CLAUDE_MAX_TOKENS.",
    )


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("reply", "told", "raw"),
    [
        (says("I found nothing."), "The answer of Claude is no JSON of what was asked for.", "I found nothing."),
        (
            says({**NOTHING, "facts": [{**SELLS, "subject": "e9"}]}),
            "Nothing of the 1 items that Claude answered is sound: Its subject is not among the entities.",
            json.dumps({**NOTHING, "facts": [{**SELLS, "subject": "e9"}]}),
        ),
    ],
    ids=["no JSON", "nothing sound"],
)
async def test_an_unusable_answer_is_asked_for_again_and_five_end_the_ingestion_with_the_last(
    api: Api, messages: Messages, reply: Reply, told: str, raw: str
) -> None:
    messages.about = {"Ada": [reply]}
    run = await read(api)
    assert outcome(run) == ("FAILED", 0, 0, 0, 500, 100)
    assert (run["error"], run["failedStep"]) == (told, {"error": told, "rawAnswer": raw, "failures": 5, "waits": 0})
    assert len(messages.requests) == 5
    assert [await api.rows(table) for table in (models.Entity, models.Fact, models.Relationship, models.Rejection)] == [
        []
    ] * 4


@pytest.mark.usefixtures("hasty")
async def test_the_tokens_of_answers_that_were_of_no_use_count(api: Api, messages: Messages) -> None:
    messages.script = [
        says("No."),
        BROKEN,
        says("", usage={"input_tokens": 7, "cache_read_input_tokens": 3, "output_tokens": 1}),
    ]
    assert outcome(await read(api)) == ("DONE", 2, 1, 1, 210, 41)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("reply", [BROKEN, HANGS_UP, STALLS], ids=["500", "hangs up", "stalls"])
async def test_a_model_that_fails_hangs_up_or_stalls_is_asked_again(api: Api, messages: Messages, reply: Reply) -> None:
    messages.script = [reply]
    assert outcome(await read(api)) == ("DONE", 2, 1, 1, 100, 20)
    assert len(messages.requests) == 2


@pytest.mark.usefixtures("hasty")
async def test_a_model_that_stays_away_is_given_up_after_five_attempts(api: Api, messages: Messages) -> None:
    messages.about = {"Ada": [BROKEN]}
    run = await read(api)
    told = "Claude is failing (500: Internal server error)."
    assert (outcome(run), run["error"]) == (("FAILED", 0, 0, 0, 0, 0), told)
    assert run["failedStep"] == {"error": told, "rawAnswer": None, "failures": 5, "waits": 0}


@pytest.mark.parametrize(
    ("reply", "told", "raw", "tokens"),
    [
        (
            BAD_KEY,
            "Claude refused the key (401: invalid x-api-key). Set LOREGRAPH_ANTHROPIC_KEY to a valid one, then retryIngestion.",
            None,
            (0, 0),
        ),
        (
            refuses("It may be misused."),
            "Claude refused to answer (It may be misused.). Another model may: set LOREGRAPH_CLAUDE_MODEL.",
            "I would rather not.",
            (100, 20),
        ),
    ],
    ids=["key", "content"],
)
async def test_a_refusal_ends_the_ingestion_at_once_and_says_what_to_do(
    api: Api, messages: Messages, reply: Reply, told: str, raw: str | None, tokens: tuple[int, int]
) -> None:
    messages.about = {"Ada": [reply]}
    run = await read(api)
    assert outcome(run) == ("FAILED", 0, 0, 0, *tokens)
    assert (run["error"], run["failedStep"]) == (told, {"error": told, "rawAnswer": raw, "failures": 1, "waits": 0})
    assert len(messages.requests) == 1
    assert [await api.rows(table) for table in (models.Entity, models.Fact, models.Rejection)] == [[]] * 3


async def test_an_ingestion_that_failed_for_its_key_goes_on_with_a_good_one(api: Api, messages: Messages) -> None:
    messages.script = [BAD_KEY]
    run = await read(api)
    await api.do("retryIngestion", "ingestion { id }", id=run["id"])
    ended = await ended_of(api, run["id"])
    assert outcome(ended) == ("DONE", 2, 1, 1, 100, 20)


async def ended_of(api: Api, id: str) -> dict[str, Any]:
    """Return an ingestion once it has ended."""
    async with asyncio.timeout(20):
        while True:
            run = await api.node(id, RUN.removeprefix("ingestion { ").removesuffix(" }"))
            if run["status"] not in ("PENDING", "RUNNING"):
                return run
            await asyncio.sleep(0.05)


async def test_a_model_that_asks_to_wait_is_asked_again_when_it_said_and_that_is_no_failure(
    api: Api, messages: Messages
) -> None:
    messages.script = [busy("1"), OVERLOADED]
    began = time.monotonic()
    run = await read(api)
    # one second as asked, then, unasked, twice two for the second wait
    assert 5 <= time.monotonic() - began < 9
    assert outcome(run) == ("DONE", 2, 1, 1, 100, 20)
    assert len(messages.requests) == 3


async def test_while_the_model_asks_to_wait_nothing_else_is_asked_of_it(api: Api, messages: Messages) -> None:
    messages.script = [busy("2")]
    first = await api.do("ingestDocument", RUN, title="One", text=TEXT)
    async with asyncio.timeout(5):
        while not any(lane["free_at"] for lane in await api.rows(models.Lane)):
            await asyncio.sleep(0.02)
    began = time.monotonic()
    second = await read(api, f"{TEXT} Again.", title="Two")
    assert time.monotonic() - began > 1
    assert (second["status"], (await ended_of(api, first["ingestion"]["id"]))["status"]) == ("DONE", "DONE")
    assert len(messages.requests) == 3


@pytest.mark.usefixtures("hasty")
async def test_a_model_that_asks_to_wait_too_often_is_given_up(
    api: Api, messages: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.services.ingestion.failing.WAITS", 2)
    messages.about = {"Ada": [busy("0")]}
    run = await read(api)
    told = "Claude is over the limits of the key (429: Number of requests has exceeded your limit.). It has asked to wait 2 times."
    assert (run["status"], run["error"]) == ("FAILED", told)
    assert run["failedStep"] == {"error": told, "rawAnswer": None, "failures": 1, "waits": 1}


async def test_later_chunks_are_told_the_names_of_earlier_ones_and_may_refer_to_them(
    api: Api, messages: Messages
) -> None:
    founded = {
        "subject": "0:e2",
        "content": "Founded in 1949.",
        "quote": "It was founded in 1949.",
        "predicate": "FOUNDED_IN",
    }
    said = {**NOTHING, "facts": [{**SELLS, **founded, "value": "1949"}]}
    messages.script = [says(ANSWER), says(said)]
    run = await read(api, f"# One\n\n{TEXT}\n\n# Two\n\nIt was founded in 1949.", mimeType="text/markdown")
    assert outcome(run) == ("DONE", 2, 2, 1, 200, 40)
    known = [
        {"key": "0:e1", "name": "Ada Lind", "type": "person", "aliases": []},
        {"key": "0:e2", "name": "Northwind", "type": "organization", "aliases": []},
    ]
    about = json.loads(messages.requests[1].text.split("\n")[1])
    assert about == {"title": "Notes", "headings": ["Two"], "known": known}
    entity = await api.volume('entity(by: {name: {name: "Northwind"}}) { facts { nodes { content } } }')
    assert [one["content"] for one in entity["entity"]["facts"]["nodes"]] == [
        "Northwind sells tea.",
        "Founded in 1949.",
    ]


async def test_a_volumes_vocabulary_is_asked_for_and_what_is_not_in_it_is_kept_and_noted(
    api: Api, messages: Messages
) -> None:
    vocabulary = {
        "entityTypes": [{"name": "person"}, {"name": "shop", "description": "Sells things."}],
        "predicates": [{"name": "works at", "description": "Is employed by."}],
    }
    await api.do("updateVolume", "volume { id }", volume="default", vocabulary=vocabulary)
    text = f"# One\n\n{TEXT}\n\n# Two\n\n{TEXT}"
    done = await api.do("ingestDocument", NOTED, title="Notes", text=text, mimeType="text/markdown", wait=True)
    noted = "It is not in the volume's vocabulary. It was kept."
    assert done["ingestion"] == {
        "status": "DONE",
        "entitiesFound": 2,
        "factsFound": 1,
        "rejected": [],
        "notes": [
            {"kind": "type", "item": {"name": "organization"}, "reason": noted},
            {"kind": "predicate", "item": {"name": "SELLS"}, "reason": noted},
        ],
    }
    instructions, preferred = messages.requests[0].system
    assert instructions.startswith("You read one part of a document")
    assert preferred.split("\n") == [
        "This volume prefers the following names. Use them where they fit; use another where none does.",
        "entity types:",
        "- person",
        "- shop: Sells things.",
        "predicates and relationship types:",
        "- WORKS_AT: Is employed by.",
    ]


async def test_without_a_vocabulary_nothing_is_noted(api: Api, messages: Messages) -> None:
    done = await api.do("ingestDocument", NOTED, title="Notes", text=TEXT, wait=True)
    assert (done["ingestion"]["rejected"], done["ingestion"]["notes"]) == ([], [])
    assert len(messages.requests[0].system) == 1


RESUME = "# Experience\n\nAda Lind joined Northwind in 2022. She led five people. She cut costs by a third."
LED = {
    **SELLS,
    "subject": "e1",
    "content": "Ada Lind led five people at Northwind.",
    "predicate": None,
    "value": None,
    "value_type": "NONE",
    "category": "experience",
    "quote": "She led five people.",
}
CUT = {**LED, "content": "Ada Lind cut costs by a third at Northwind.", "quote": "She cut costs by a third."}
FIRST = {"entities": [ADA, NORTHWIND], "facts": [LED], "relationships": [JOINED]}


@pytest.fixture
async def thorough(keyed: Settings) -> AsyncIterator[Api]:
    """A server whose Claude looks twice at what stands in a résumé."""
    readers = Readers(keyed.model_copy(update={"claude_second_look": True}))
    async with served(keyed, readers.name, readers.extract, ScriptedExtractor()) as client:
        yield client
    await readers.aclose()


async def test_a_second_look_at_a_resume_adds_facts_and_none_twice(thorough: Api, messages: Messages) -> None:
    again, unfounded = (
        {**LED, "content": "ada lind led  five people at Northwind."},
        {**CUT, "quote": "She cut costs by half."},
    )
    messages.script = [says(FIRST), says({"facts": [again, CUT, unfounded]})]
    run = await read(thorough, RESUME, mimeType="text/markdown")
    assert outcome(run) == ("DONE", 2, 2, 1, 200, 40)
    assert [(one["kind"], one["reason"]) for one in run["rejected"]] == [
        ("fact", "The quote does not occur in the text.")
    ]
    volume = await thorough.volume("facts { nodes { content category evidence { quote } } }")
    assert volume["facts"]["nodes"] == [
        {"content": LED["content"], "category": "experience", "evidence": [{"quote": "She led five people."}]},
        {"content": CUT["content"], "category": "experience", "evidence": [{"quote": "She cut costs by a third."}]},
    ]
    first, second = messages.requests
    about = json.loads(second.text.split("\n")[1])
    assert about == {
        "title": "Notes",
        "headings": ["Experience"],
        "entities": [
            {"key": "e1", "name": "Ada Lind", "type": "person"},
            {"key": "e2", "name": "Northwind", "type": "organization"},
        ],
        "facts": [{"subject": "e1", "content": LED["content"]}],
        "relationships": [{"source": "e1", "type": "WORKS_AT", "target": "e2"}],
    }
    assert (first.chunk, second.chunk, "3 to 6 facts" in second.system[0]) == (RESUME, RESUME, True)


async def test_what_is_no_resume_is_looked_at_once(thorough: Api, messages: Messages) -> None:
    assert outcome(await read(thorough)) == ("DONE", 2, 1, 1, 100, 20)
    assert len(messages.requests) == 1


@pytest.mark.usefixtures("hasty")
async def test_a_second_look_that_fails_is_taken_again_without_the_first(thorough: Api, messages: Messages) -> None:
    messages.script = [says(FIRST), BROKEN, says({"facts": [CUT]})]
    assert outcome(await read(thorough, RESUME, mimeType="text/markdown")) == ("DONE", 2, 2, 1, 200, 40)
    assert ["3 to 6 facts" in request.system[0] for request in messages.requests] == [False, True, True]


async def test_a_second_look_that_is_of_no_use_takes_nothing_from_the_first(thorough: Api, messages: Messages) -> None:
    messages.script = [says(FIRST), says("Nothing else.")]
    run = await read(thorough, RESUME, mimeType="text/markdown")
    assert outcome(run) == ("DONE", 2, 1, 1, 200, 40)
    reason = "The answer of Claude is no JSON of what was asked for."
    assert run["rejected"] == [{"kind": "answer", "item": {"text": "Nothing else."}, "reason": reason}]


async def test_the_tokens_of_a_first_look_count_where_the_second_is_refused(thorough: Api, messages: Messages) -> None:
    messages.script = [says(FIRST), refuses()]
    assert outcome(await read(thorough, RESUME, mimeType="text/markdown")) == ("FAILED", 0, 0, 0, 200, 40)


PARTS = "\n\n".join(f"# Part {n}\n\n{TEXT}" for n in range(3))
SPENT = "Its budget of 150 tokens is spent: 240 went, and 2 chunks are read. retryIngestion goes on from there, with a larger budget."


async def test_a_budget_that_is_spent_stops_the_ingestion_and_a_larger_one_goes_on_from_there(
    api: Api, messages: Messages
) -> None:
    run = await read(api, PARTS, mimeType="text/markdown", budget=150)
    assert (outcome(run), run["error"], len(messages.requests)) == (("FAILED", 0, 0, 0, 200, 40), SPENT, 2)
    assert run["failedStep"] == {"error": SPENT, "rawAnswer": None, "failures": 1, "waits": 0}
    assert [await api.rows(table) for table in (models.Entity, models.Fact, models.Relationship)] == [[], [], []]
    await api.do("retryIngestion", "ingestion { id }", id=run["id"])
    assert ((await ended_of(api, run["id"]))["error"], len(messages.requests)) == (SPENT, 2)
    retried = await api.do("retryIngestion", "ingestion { status error budget chunksDone }", id=run["id"], budget=241)
    assert retried["ingestion"] == {"status": "PENDING", "error": None, "budget": 241, "chunksDone": 2}
    assert outcome(await ended_of(api, run["id"])) == ("DONE", 2, 1, 1, 300, 60)
    assert [json.loads(r.text.split("\n")[1])["headings"] for r in messages.requests] == [
        ["Part 0"],
        ["Part 1"],
        ["Part 2"],
    ]


@pytest.mark.parametrize("budget", [0, -1])
async def test_a_budget_of_nothing_is_refused(api: Api, budget: int) -> None:
    refused = await api.refused("ingestDocument", title="Notes", text=TEXT, budget=budget)
    assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "budget")
    assert refused["message"] == "budget must be from 1 to 2147483647."


async def test_a_budget_that_is_spent_already_is_refused(api: Api, messages: Messages) -> None:
    given = {"text": PARTS, "mimeType": "text/markdown"}
    run = await read(api, **given, budget=150)
    told = "It has taken 240 tokens already: budget must be larger, for it counts those too."
    for mutation, more in (("retryIngestion", {"id": run["id"]}), ("ingestDocument", {"title": "Notes", **given})):
        refused = await api.refused(mutation, **more, budget=240)
        assert (refused["code"], refused["argument"], refused["message"]) == ("BAD_USER_INPUT", "budget", told)
    assert len(messages.requests) == 2


async def test_where_documents_are_read_offline_a_budget_is_refused_and_the_settings_one_means_nothing(
    settings: Settings,
) -> None:
    offline, scripted = settings.model_copy(update={"claude_budget": 7}), ScriptedExtractor()
    async with served(offline, scripted.name, scripted.read, scripted) as api:
        told = (
            "A budget bounds the tokens that Claude takes, and documents are read offline here, which takes none. "
            "Leave it out, or set LOREGRAPH_ANTHROPIC_KEY."
        )
        run = await api.do("ingestDocument", "ingestion { id budget }", title="N", text=TEXT)
        assert run["ingestion"]["budget"] is None
        await api.do("cancelIngestion", "ingestion { id }", id=run["ingestion"]["id"])
        for mutation, more in (
            ("ingestDocument", {"title": "Notes", "text": TEXT}),
            ("retryIngestion", {"id": run["ingestion"]["id"]}),
        ):
            refused = await api.refused(mutation, **more, budget=1_000)
            assert (refused["code"], refused["argument"], refused["message"]) == ("BAD_USER_INPUT", "budget", told)


async def test_a_worker_without_a_key_leaves_what_claude_is_to_read_to_one_that_has_it_and_says_so(
    settings: Settings, keyed: Settings, messages: Messages
) -> None:
    keyless, scripted = settings.model_copy(update={"ingestion_lease": 0.2}), ScriptedExtractor()
    async with served(keyless, scripted.name, scripted.read, scripted) as api:
        (volume,) = await api.store.read.where(VolumeRecord, name="default")
        documents = Documents(api.store, HashEmbedder(), keyed.claude_model)
        taken = await documents.take(volume, NewDocument("Notes", TEXT), "test")
        id = encode_id(NodeKind.INGESTION, taken.ingestion_id)
        told = (
            "It waits for a worker that has a key of Claude: set LOREGRAPH_ANTHROPIC_KEY there. "
            "cancelIngestion and then retryIngestion have it read offline."
        )
        async with asyncio.timeout(20):
            while (await api.node(id, "error"))["error"] != told:
                await asyncio.sleep(0.05)
        assert outcome(await api.node(id, RUN.removeprefix("ingestion { ").removesuffix(" }")))[0] == "PENDING"
        await api.document("Other", "Nothing.")
        readers = Readers(keyed)
        with_key = IngestionWorker(api.store, HashEmbedder(), readers.extract, keyed)
        working = asyncio.create_task(with_key.run())
        run = await ended_of(api, id)
        assert (outcome(run), run["error"]) == (("DONE", 2, 1, 1, 100, 20), None)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        await readers.aclose()
    assert len(messages.requests) == 1


async def test_names_that_are_not_in_the_vocabulary_are_noted_offline_too(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def extract(_pool: ExtractionPool, chunk: ChunkText) -> Extraction:
        return said_by(chunk.text)[1]

    monkeypatch.setattr(ExtractionPool, "extract", extract)
    readers = Readers(settings)
    vocabulary = Vocabulary((Term("person"),), (Term("KNOWS"),))
    chunk = ChunkText(text_of(0), reader=readers.name, vocabulary=vocabulary)
    noted = [(one.kind, one.item, one.kept) for one in (await readers.extract(chunk)).rejected]
    assert noted == [("type", {"name": "organization"}, True), ("predicate", {"name": "MET"}, True)]
    assert (await readers.extract(replace(chunk, vocabulary=Vocabulary()))).rejected == []
    await readers.aclose()


async def test_what_claude_has_answered_of_an_ingestion_that_failed_is_not_asked_again(
    api: Api, messages: Messages
) -> None:
    messages.script = [says(ANSWER), BAD_KEY]
    run = await read(api, PARTS, mimeType="text/markdown")
    assert outcome(run) == ("FAILED", 0, 0, 0, 100, 20)
    await api.do("ingestDocument", RUN, title="Notes", text=PARTS, mimeType="text/markdown", wait=True)
    assert outcome(await ended_of(api, run["id"])) == ("DONE", 2, 1, 1, 300, 60)
    assert len(messages.requests) == 4


async def test_the_settings_budget_holds_where_a_document_has_none_of_its_own(
    keyed: Settings, messages: Messages
) -> None:
    frugal = keyed.model_copy(update={"claude_budget": 120})
    readers = Readers(frugal)
    async with served(frugal, readers.name, readers.extract, ScriptedExtractor()) as api:
        assert outcome(await read(api, PARTS, mimeType="text/markdown")) == ("FAILED", 0, 0, 0, 100, 20)
        assert len(messages.requests) == 1
        run = await read(api, f"{PARTS}\n", mimeType="text/markdown", budget=121, title="Own")
        assert outcome(run) == ("FAILED", 0, 0, 0, 200, 40)
    await readers.aclose()


async def test_as_many_calls_are_made_as_were_estimated(thorough: Api, messages: Messages) -> None:
    messages.script = [says(FIRST), says({"facts": [CUT]}), says(NOTHING)]
    text = f"{RESUME}\n\n# Travels\n\nNobody was led."
    told = await estimate("Notes", text, "text/markdown", chunk_size=1200, looks_twice=True)
    run = await read(thorough, text, mimeType="text/markdown")
    assert (told.calls, len(messages.requests), run["status"]) == (3, 3, "DONE")


async def test_calls_begin_no_faster_than_the_settings_say(keyed: Settings, messages: Messages) -> None:
    paced = keyed.model_copy(update={"claude_rate": 60})
    readers = Readers(paced)
    async with served(paced, readers.name, readers.extract, ScriptedExtractor()) as api:
        began = time.monotonic()
        assert outcome(await read(api, PARTS, mimeType="text/markdown")) == ("DONE", 2, 1, 1, 300, 60)
        assert (time.monotonic() - began >= 2, len(messages.requests)) == (True, 3)
    await readers.aclose()


async def test_no_more_calls_run_at_once_than_the_settings_say_over_all_workers(
    keyed: Settings, messages: Messages
) -> None:
    bounded = keyed.model_copy(update={"claude_concurrency": 2, "claude_timeout": 20})
    messages.answer = lambda _request: replace(says(ANSWER), delay=1)
    readers = Readers(bounded)
    async with served(bounded, readers.name, readers.extract, ScriptedExtractor()) as api:
        limits = {bounded.claude_model: Limit(2)}
        other = IngestionWorker(api.store, HashEmbedder(), readers.extract, bounded, limits)
        working = asyncio.create_task(other.run())
        runs = [await api.do("ingestDocument", RUN, title=f"N{n}", text=f"{TEXT} {n}") for n in range(6)]
        for run in runs:
            assert (await ended_of(api, run["ingestion"]["id"]))["status"] == "DONE"
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    await readers.aclose()
    assert (messages.most, len(messages.requests)) == (2, 6)
