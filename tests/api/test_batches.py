"""Documents that Claude reads by Message Batches, through GraphQL and the real worker, on both databases, against a local API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from api.conftest import Api, served
from doubles import ScriptedExtractor
from messages import (
    BAD_KEY,
    BROKEN,
    CANCELED,
    EXPIRED,
    HANGS_UP,
    OVERLOADED,
    STALLS,
    Batch,
    Messages,
    Reply,
    Request,
    busy,
    fails,
    refuses,
    says,
    serving_messages,
)
from pydantic import SecretStr
from sqlalchemy import insert

from server import models
from server.commands.ingesting import ingest
from server.commands.sources import find
from server.config import Settings
from server.ids import new_id
from server.services.extraction.readers import Readers
from server.terms import Authority

PEOPLE = ("Ada Lind", "Bo Ek", "Cy Falk")
PARTS = "\n\n".join(f"# Part {n}\n\n{name} joined Northwind." for n, name in enumerate(PEOPLE))
RUN = (
    "ingestion { id status error batch extractor inputTokens outputTokens chunksTotal chunksDone entitiesFound factsFound "
    "relationshipsFound rejected { kind reason } failedStep { step chunk error rawAnswer failures waits } }"
)
INVALID = fails(400, "invalid_request_error", "Too long.")


def said_of(name: str) -> dict[str, Any]:
    """Return what Claude says of a part."""
    entity = {"aliases": [], "description": None, "confidence": 1}
    return {
        "entities": [
            {**entity, "key": "e1", "name": name, "type": "person", "quote": name},
            {**entity, "key": "e2", "name": "Northwind", "type": "organization", "quote": "Northwind"},
        ],
        "facts": [],
        "relationships": [
            {"source": "e1", "type": "WORKS_AT", "target": "e2", "quote": f"{name} joined Northwind.", "confidence": 1}
        ],
    }


@pytest.fixture
async def messages(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Messages]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("server.services.ingestion.failing.PAUSE", 0.001)
    async with serving_messages() as server:
        server.about = {name: [says(said_of(name))] for name in PEOPLE}
        yield server


@pytest.fixture
def keyed(settings: Settings, messages: Messages) -> Settings:
    """Settings under which Claude reads, and batches are asked after at once."""
    more = {"anthropic_key": SecretStr("sk-1"), "anthropic_url": messages.url, "claude_timeout": 5}
    return settings.model_copy(update={**more, "claude_batch_interval": 0.05, "claude_batch_rate": 60_000})


@pytest.fixture
async def api(keyed: Settings) -> AsyncIterator[Api]:
    async with opened(keyed) as client:
        yield client


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Api]:
    readers = Readers(settings)
    async with served(settings, readers.name, readers.extract, ScriptedExtractor(), readers.batches) as client:
        yield client
    await readers.aclose()


async def read(api: Api, text: str = PARTS, **more: Any) -> dict[str, Any]:
    """Have a text read by batches to the end; return its ingestion."""
    given = {"title": "Notes", "text": text, "mimeType": "text/markdown", "batch": True, "wait": True, **more}
    run: dict[str, Any] = (await api.do("ingestDocument", RUN, **given))["ingestion"]
    return run


async def ended_of(api: Api, id: str) -> dict[str, Any]:
    """Return an ingestion once it has ended."""
    async with asyncio.timeout(20):
        while True:
            run = await api.node(id, RUN.removeprefix("ingestion { ").removesuffix(" }"))
            if run["status"] not in ("PENDING", "RUNNING"):
                return run
            await asyncio.sleep(0.05)


async def until_called(messages: Messages, *calls: str) -> None:
    """Wait until all of this was asked about batches."""
    async with asyncio.timeout(20):
        while not set(calls) <= set(messages.calls):
            await asyncio.sleep(0.01)


def outcome(run: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        run[name]
        for name in ("status", "chunksDone", "inputTokens", "outputTokens", "entitiesFound", "relationshipsFound")
    )


def asked_of(messages: Messages) -> list[list[int]]:
    """Return the parts that each batch asks about."""
    return [[int(chunk.split()[2]) for chunk in batch.chunks] for batch in messages.batches.values()]


READ = ("DONE", 3, 300, 60, 4, 3)


async def test_the_chunks_of_a_document_are_read_by_one_batch_and_none_by_a_call(api: Api, messages: Messages) -> None:
    messages.looks = 2
    run = await read(api)
    assert (outcome(run), run["error"], run["batch"], run["chunksTotal"]) == (READ, None, True, 3)
    assert run["extractor"] == "claude-haiku-5-5"
    assert (messages.calls, asked_of(messages)) == (["submit", "look", "look", "look", "results"], [[0, 1, 2]])
    assert messages.requests == []
    assert await api.rows(models.MessageBatch) == []
    entities = {row["id"]: row["name"] for row in await api.rows(models.Entity)}
    assert sorted(entities[row["entity_id"]] for row in await api.rows(models.Mention)) == [*PEOPLE, *["Northwind"] * 3]


async def test_a_request_of_a_batch_is_that_of_a_call_without_known_names(api: Api, messages: Messages) -> None:
    await read(api)
    (batch,) = messages.batches.values()
    note, _, number = list(batch.requests)[2].rpartition("-")
    assert (len(note), number) == (36, "2")
    third = batch.requests[f"{note}-2"]
    assert json.loads(third.text.split("\n")[1]) == {"title": "Notes", "headings": ["Part 2"]}
    await read(api, batch=False, text=f"{PARTS}\n\n")
    assert batch.requests[f"{note}-0"].body == messages.requests[0].body


@pytest.mark.parametrize(
    ("reply", "tokens"),
    [(BROKEN, 0), (OVERLOADED, 0), (EXPIRED, 0), (CANCELED, 0), (says("No."), 1)],
    ids=["errored", "overloaded", "expired", "canceled", "no JSON"],
)
async def test_what_a_batch_leaves_open_goes_into_another_one(
    api: Api, messages: Messages, reply: Reply, tokens: int
) -> None:
    messages.about["Bo Ek"] = [reply, says(said_of("Bo Ek"))]
    run = await read(api)
    assert outcome(run) == ("DONE", 3, 300 + 100 * tokens, 60 + 20 * tokens, 4, 3)
    assert asked_of(messages) == [[0, 1, 2], [1]]


async def test_what_five_batches_leave_open_ends_the_ingestion_and_what_they_answered_is_kept(
    api: Api, messages: Messages
) -> None:
    messages.about["Bo Ek"] = [EXPIRED]
    run = await read(api)
    told = "Chunk 1: The batch expired before Claude had read it."
    assert (outcome(run), run["error"]) == (("FAILED", 2, 200, 40, 0, 0), told)
    assert run["failedStep"] == {
        "step": "batch",
        "chunk": None,
        "error": told,
        "rawAnswer": None,
        "failures": 5,
        "waits": 0,
    }
    assert asked_of(messages) == [[0, 1, 2], [1], [1], [1], [1]]
    assert [await api.rows(table) for table in (models.Entity, models.Relationship)] == [[], []]
    messages.about["Bo Ek"] = [says(said_of("Bo Ek"))]
    await api.do("retryIngestion", "ingestion { id }", id=run["id"])
    assert outcome(await ended_of(api, run["id"])) == READ
    assert asked_of(messages)[5:] == [[1]]


@pytest.mark.parametrize(
    ("reply", "told", "raw", "tokens"),
    [
        (INVALID, "Chunk 1: Claude refused the request (invalid_request_error: Too long.).", None, 2),
        (
            refuses("It may be misused."),
            "Chunk 1: Claude refused to answer (It may be misused.). Another model may: set LOREGRAPH_CLAUDE_MODEL.",
            "I would rather not.",
            3,
        ),
    ],
    ids=["invalid", "refusal"],
)
async def test_a_refusal_in_a_batch_ends_the_ingestion_at_once(
    api: Api, messages: Messages, reply: Reply, told: str, raw: str | None, tokens: int
) -> None:
    messages.about["Bo Ek"] = [reply]
    run = await read(api)
    assert (outcome(run), run["error"]) == (("FAILED", 2, 100 * tokens, 20 * tokens, 0, 0), told)
    assert (run["failedStep"]["rawAnswer"], run["failedStep"]["failures"]) == (raw, 1)
    assert asked_of(messages) == [[0, 1, 2]]


async def test_sound_items_of_a_batch_are_kept_and_others_listed(api: Api, messages: Messages) -> None:
    said = said_of("Bo Ek")
    said["relationships"].append({**said["relationships"][0], "quote": "Bo Ek left Northwind."})
    messages.about["Bo Ek"] = [says(said)]
    run = await read(api)
    assert outcome(run) == READ
    assert run["rejected"] == [{"kind": "relationship", "reason": "The quote does not occur in the text."}]


@pytest.mark.parametrize(
    ("at", "reply"),
    [*((at, reply) for at in (1, 2, 3) for reply in (BROKEN, HANGS_UP)), (1, STALLS)],
    ids=["look 500", "look hangs up", "again 500", "again hangs up", "results 500", "results hangs up", "stalls"],
)
async def test_a_batch_that_cannot_be_asked_after_is_asked_after_again_and_none_is_submitted(
    api: Api, messages: Messages, reply: Reply, at: int
) -> None:
    messages.about_batches = [*[None] * at, reply]
    run = await read(api)
    assert (outcome(run), asked_of(messages)) == (READ, [[0, 1, 2]])


async def test_a_submission_that_is_refused_for_now_waits_as_asked(api: Api, messages: Messages) -> None:
    messages.about_batches = [busy("1"), None, busy("1")]
    began = asyncio.get_running_loop().time()
    run = await read(api)
    assert asyncio.get_running_loop().time() - began >= 2
    assert (outcome(run), asked_of(messages)) == (READ, [[0, 1, 2]])


async def test_a_bad_key_ends_the_ingestion_and_with_a_good_one_the_same_batch_is_asked_after(
    api: Api, messages: Messages
) -> None:
    messages.about_batches = [None, BAD_KEY]
    run = await read(api)
    told = "Claude refused the key (401: invalid x-api-key). Set LOREGRAPH_ANTHROPIC_KEY to a valid one, then retryIngestion."
    assert (run["status"], run["error"]) == ("FAILED", told)
    await asyncio.sleep(0.2)
    await api.do("retryIngestion", "ingestion { id }", id=run["id"])
    assert outcome(await ended_of(api, run["id"])) == READ
    assert (asked_of(messages), "cancel" in messages.calls) == ([[0, 1, 2]], False)


async def test_a_batch_that_is_not_there_any_more_is_submitted_again(api: Api, messages: Messages) -> None:
    messages.about_batches = [None, fails(404, "not_found_error", "No such batch.")]
    assert outcome(await read(api)) == READ
    assert asked_of(messages) == [[0, 1, 2], [0, 1, 2]]


async def test_a_batch_whose_answer_was_lost_is_found_again_and_paid_once(api: Api, messages: Messages) -> None:
    messages.about_batches = [HANGS_UP]
    messages.looks = 2
    run = await read(api)
    assert (outcome(run), run["error"], asked_of(messages)) == (READ, None, [[0, 1, 2]])
    # in progress twice; ended, whose it is; then as any other
    assert messages.calls == ["submit", "list", "list", "list", "results", "look", "results"]
    assert (await api.rows(models.MessageBatch), api.store.spool.jobs()) == ([], [])


@pytest.fixture
async def brisk(keyed: Settings) -> AsyncIterator[Api]:
    """A server that takes a batch for not taken soon."""
    async with opened(keyed.model_copy(update={"claude_timeout": 0.5})) as client:
        yield client


@pytest.mark.parametrize("lists", [True, False], ids=["listed", "not listed"])
async def test_a_batch_that_was_not_taken_is_submitted_again_once_that_is_sure(
    brisk: Api, messages: Messages, lists: bool
) -> None:
    messages.about_batches, messages.lists = [BROKEN], lists
    assert outcome(await read(brisk)) == READ
    calls = [call for n, call in enumerate(messages.calls) if call != "list" or messages.calls[n - 1] != "list"]
    assert calls == ["submit", "list", "submit", "look", "look", "results"]
    assert asked_of(messages) == [[0, 1, 2]]


async def test_batches_that_were_lost_together_are_told_apart_by_their_requests(api: Api, messages: Messages) -> None:
    messages.about_batches = [HANGS_UP] * 3
    messages.looks = 3
    runs = [await read(api, f"{PARTS}\n\nNo {n}.", wait=False, title=f"N{n}") for n in range(3)]
    assert [outcome(await ended_of(api, run["id"])) for run in runs] == [READ] * 3
    assert asked_of(messages) == [[0, 1, 2]] * 3


async def test_a_batch_of_somebody_else_is_neither_taken_for_a_lost_one_nor_touched(
    brisk: Api, messages: Messages
) -> None:
    theirs = {f"own-{n}": Request("", {}, {}) for n in range(3)}
    messages.batches["theirs"] = Batch("theirs", theirs, dict.fromkeys(theirs, says("Hello.")), 3)
    messages.about_batches = [BROKEN]
    run = await read(brisk, wait=False)
    told = []
    async with asyncio.timeout(20):
        while not told or told[-1] != "DONE":
            now = await brisk.node(run["id"], "status error")
            told.append(now["error"] if now["error"] and "not known" in now["error"] else now["status"])
            await asyncio.sleep(0.02)
    unknown = "Whether its batch was taken is not known, for the answer did not come. It is looked for among those of the key."
    assert unknown in told
    assert ("results" in messages.calls[: messages.calls.index("look")], messages.calls.count("submit")) == (True, 2)
    assert [batch.cancelled for batch in messages.batches.values()] == [False, False]


async def test_a_batch_whose_ingestion_is_cancelled_while_it_is_submitted_is_cancelled(
    api: Api, messages: Messages
) -> None:
    messages.about_batches = [Reply(body=b'{"id": "msgbatch_1"}', delay=0.5)]
    run = await read(api, wait=False)
    await until_called(messages, "submit")
    await api.do("cancelIngestion", "ingestion { status }", id=run["id"])
    await until_called(messages, "cancel")
    assert [batch.cancelled for batch in messages.batches.values()] == [True]
    assert messages.calls == ["submit", "cancel"]


async def test_a_batch_whose_ingestion_was_cancelled_before_its_name_was_noted_is_cancelled_after_a_restart(
    keyed: Settings, messages: Messages
) -> None:
    async with opened(keyed.model_copy(update={"anthropic_key": None, "extractor": "offline"})) as api:
        row = {"requests": 3, "submitted_at": datetime.now(UTC)}
        lost, spooled = sorted(new_id() for _ in range(2))
        async with api.store.database.writing() as connection:
            for id in (lost, spooled):
                await connection.execute(insert(models.MessageBatch), [{**row, "id": id, "job_id": new_id()}])
        api.store.spool.keep(spooled, "msgbatch_7")
        await api.store.sweep_spool()
    messages.batches["msgbatch_7"] = Batch("msgbatch_7", {}, {}, 1_000)
    async with opened(keyed) as api:
        await until_called(messages, "cancel")
        async with asyncio.timeout(5):
            while len(left := await api.rows(models.MessageBatch)) > 1:
                await asyncio.sleep(0.02)
        # Of the other one the name may yet come, from who has submitted it.
        assert ([one["id"] for one in left], api.store.spool.jobs()) == ([lost], [])
    assert ([batch.cancelled for batch in messages.batches.values()], messages.calls) == ([True], ["cancel"])


async def test_a_cancelled_ingestion_cancels_its_batch_and_begins_anew_when_it_is_retried(
    api: Api, messages: Messages
) -> None:
    messages.looks = 1_000
    run = await read(api, wait=False)
    await until_called(messages, "submit", "look")
    await api.do("cancelIngestion", "ingestion { status }", id=run["id"])
    await until_called(messages, "cancel")
    assert [batch.cancelled for batch in messages.batches.values()] == [True]
    async with asyncio.timeout(5):
        while await api.rows(models.MessageBatch):
            await asyncio.sleep(0.02)
    messages.looks = 0
    retried = await api.do("retryIngestion", "ingestion { batch }", id=run["id"])
    assert retried["ingestion"] == {"batch": True}
    assert outcome(await ended_of(api, run["id"])) == READ
    assert asked_of(messages) == [[0, 1, 2], [0, 1, 2]]


async def test_a_document_that_is_deleted_cancels_its_batch(api: Api, messages: Messages) -> None:
    messages.looks = 1_000
    done = await api.do(
        "ingestDocument", "document { id }", title="Notes", text=PARTS, mimeType="text/markdown", batch=True
    )
    await until_called(messages, "submit", "look")
    await api.do("deleteDocument", "deletedId", id=done["document"]["id"])
    await until_called(messages, "cancel")
    assert [batch.cancelled for batch in messages.batches.values()] == [True]


async def test_while_a_batch_is_answered_its_ingestion_waits_without_a_lease(api: Api, messages: Messages) -> None:
    messages.looks = 1_000
    run = await read(api, wait=False)
    await until_called(messages, "look")
    other = await read(api, f"{PARTS}\n", batch=False, title="Other")
    assert other["status"] == "DONE"
    async with asyncio.timeout(5):
        while (await api.node(run["id"], "status"))["status"] != "PENDING":
            await asyncio.sleep(0.01)
    await api.do("cancelIngestion", "ingestion { status }", id=run["id"])


async def test_a_batch_holds_what_its_budget_is_estimated_to_allow(api: Api, messages: Messages) -> None:
    run = await read(api, budget=130)
    spent = "Its budget of 130 tokens is spent: 240 went, and 2 chunks are read. retryIngestion goes on from there, with a larger budget."
    assert (outcome(run), run["error"]) == (("FAILED", 2, 200, 40, 0, 0), spent)
    assert asked_of(messages) == [[0], [1]]
    await api.do("retryIngestion", "ingestion { id }", id=run["id"], budget=100_000)
    assert outcome(await ended_of(api, run["id"])) == READ
    assert asked_of(messages) == [[0], [1], [2]]


async def test_what_does_not_fit_into_one_batch_goes_into_the_next(
    api: Api, messages: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.services.ingestion.batching.MOST_REQUESTS", 2)
    assert outcome(await read(api)) == READ
    assert asked_of(messages) == [[0, 1], [2]]


async def test_batches_that_would_be_too_large_are_cut(
    api: Api, messages: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.services.ingestion.batching.MOST_BYTES", 1)
    assert outcome(await read(api)) == READ
    assert asked_of(messages) == [[0], [1], [2]]


async def test_a_second_look_at_a_resume_is_taken_by_a_second_batch(keyed: Settings, messages: Messages) -> None:
    fact = {"subject": "e1", "value": None, "value_type": "NONE", "importance": 0.5, "confidence": 1}
    led = {**fact, "content": "Ada Lind led five people at Northwind.", "quote": "She led five people."}
    said = {**said_of("Ada Lind"), "facts": []}
    messages.about = {"Ada Lind": [says(said), says({"facts": [led]})]}
    async with opened(keyed.model_copy(update={"claude_second_look": True})) as api:
        run = await read(api, "# Experience\n\nAda Lind joined Northwind. She led five people.")
        assert (outcome(run), run["factsFound"]) == (("DONE", 1, 200, 40, 2, 1), 1)
    systems = [["3 to 6 facts" in one.system[0] for one in b.requests.values()] for b in messages.batches.values()]
    assert systems == [[False], [True]]


async def test_without_claude_a_batch_is_refused(settings: Settings) -> None:
    offline = settings.model_copy(update={"extractor": "offline"})
    async with opened(offline) as api:
        refused = await api.refused("ingestDocument", title="Notes", text=PARTS, batch=True)
        assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "batch")
        assert await api.rows(models.Document) == []


async def test_files_of_one_run_are_all_submitted_before_any_is_waited_for(
    keyed: Settings, messages: Messages, tmp_path: Path
) -> None:
    for n, name in enumerate(PEOPLE):
        (tmp_path / f"{n}.md").write_text(f"{name} joined Northwind.")
    messages.looks = 2
    outcomes = await ingest(
        keyed, find([str(tmp_path)], None, "").sources, "default", Authority.UNKNOWN, lambda _: None, batch=True
    )
    assert [(one.status, one.entities, one.relationships, one.error) for one in outcomes] == [("DONE", 2, 1, None)] * 3
    assert sorted(chunk for batch in messages.batches.values() for chunk in batch.chunks) == [
        f"{name} joined Northwind." for name in PEOPLE
    ]
    assert messages.requests == []
