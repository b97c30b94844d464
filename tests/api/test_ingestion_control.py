"""Ingestions that are stopped, begun anew, and looked at after they have failed, through GraphQL."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from api.conftest import Api
from scripted import extraction, fact, thing

from server import models
from server.errors import UpstreamUnavailable
from server.ids import decode_id
from server.services.extraction.protocol import UnusableAnswer

ADA = "Ada likes tea."
SAID = extraction([thing("Ada"), fact("Ada", "Likes tea", ADA)])
STATE = "ingestion { id status error chunksDone factsFound }"


async def begun(api: Api, text: str = ADA) -> str:
    """Have a document taken in, and return its ingestion while the extractor holds it."""
    api.extractor.gate.clear()
    api.extractor.answers[text] = SAID
    seen = len(api.extractor.chunks)
    done = await api.do("ingestDocument", STATE, title="Notes", text=text)
    async with asyncio.timeout(10):
        while len(api.extractor.chunks) == seen:
            await asyncio.sleep(0.01)
    return str(done["ingestion"]["id"])


async def ended(api: Api, id: str) -> dict[str, Any]:
    """Wait until an ingestion has ended and return it."""
    named = decode_id(id)
    assert named is not None
    await api.knowledge.worker.finished(named.id)
    return await api.node(
        id, "status error chunksDone factsFound failedStep { step chunk error rawAnswer failures kills }"
    )


async def test_a_cancelled_ingestion_writes_nothing_even_if_it_is_being_read(api: Api) -> None:
    run = await begun(api)
    done = await api.do("cancelIngestion", STATE, id=run)
    assert done["ingestion"] == {
        "id": run,
        "status": "CANCELLED",
        "error": "It was cancelled.",
        "chunksDone": 0,
        "factsFound": 0,
    }
    api.extractor.gate.set()
    other = await api.document("Other", "Nothing is here.")
    assert other
    assert await api.rows(models.Fact) == []
    assert await api.rows(models.Job) == []
    assert (await ended(api, run))["status"] == "CANCELLED"
    assert api.store.spool.jobs() == []


async def test_cancelling_twice_is_as_cancelling_once(api: Api) -> None:
    run = await begun(api)
    first = await api.do("cancelIngestion", STATE, id=run)
    async with api.unchanged():
        assert await api.do("cancelIngestion", STATE, id=run) == first


async def test_what_has_ended_cannot_be_cancelled(api: Api) -> None:
    await api.document("Notes", ADA, SAID)
    (row,) = (await api.volume("ingestions { nodes { id } }"))["ingestions"]["nodes"]
    refusal = await api.refused("cancelIngestion", id=row["id"])
    assert refusal == {
        "code": "CONFLICT",
        "argument": "id",
        "message": "It has ended already, as DONE: there is nothing to cancel.",
    }


@pytest.mark.parametrize("mutation", ["cancelIngestion", "retryIngestion"])
async def test_an_ingestion_of_another_volume_is_unknown(api: Api, mutation: str) -> None:
    run = await begun(api)
    await api.do("createVolume", "volume { id }", name="other")
    refusal = await api.refused(mutation, id=run, volume="other")
    unknown = await api.refused(mutation, id=run[:-1] + ("0" if run[-1] != "0" else "1"))
    assert refusal == {**unknown, "message": refusal["message"]}
    assert refusal["code"] == "NOT_FOUND"


async def test_a_cancelled_ingestion_is_read_when_it_is_retried(api: Api) -> None:
    run = await begun(api)
    await api.do("cancelIngestion", STATE, id=run)
    api.extractor.gate.set()
    again = await api.do("retryIngestion", "ingestion { id status error }", id=run)
    assert (again["ingestion"]["id"], again["ingestion"]["error"]) == (run, None)
    after = await ended(api, run)
    assert (after["status"], after["error"], after["chunksDone"], after["factsFound"]) == ("DONE", None, 1, 1)


async def test_a_cancelled_document_is_read_when_its_content_is_given_again(api: Api) -> None:
    run = await begun(api)
    await api.do("cancelIngestion", STATE, id=run)
    api.extractor.gate.set()
    done = await api.do("ingestDocument", f"created {STATE}", title="Notes", text=ADA, wait=True)
    assert (done["created"], done["ingestion"]["id"], done["ingestion"]["status"]) == (False, run, "DONE")


async def test_only_what_has_failed_or_was_cancelled_is_retried(api: Api) -> None:
    run = await begun(api)
    (row,) = (await api.volume("ingestions { nodes { status } }"))["ingestions"]["nodes"]
    assert row["status"] == "RUNNING"
    refusal = await api.refused("retryIngestion", id=run)
    assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "id")
    assert refusal["message"] == "It is RUNNING: only what has failed or was cancelled is retried."


async def test_the_ingestion_of_an_older_revision_is_not_retried(api: Api) -> None:
    api.extractor.gate.clear()
    first = await api.do("ingestDocument", STATE, title="Notes", text=ADA, uri="a")
    await api.do("ingestDocument", STATE, title="Notes", text="Bob is here.", uri="a")
    api.extractor.gate.set()
    assert (await ended(api, first["ingestion"]["id"]))["status"] == "CANCELLED"
    refusal = await api.refusal("retryIngestion", id=first["ingestion"]["id"])
    assert refusal["message"] == "Its document has a newer revision, which has an ingestion of its own."


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a step up at its first failure."""
    monkeypatch.setattr("server.services.ingestion.worker.ATTEMPTS", 1)


@pytest.mark.usefixtures("impatient")
async def test_a_failed_ingestion_shows_the_step_and_the_raw_answer(api: Api) -> None:
    text = "# One\n\nAda is here.\n\n# Two\n\nBob is here."
    api.extractor.answers["# Two\n\nBob is here."] = UnusableAnswer("The answer is no JSON.", '{"entities": [{"na')
    done = await api.do("ingestDocument", STATE, title="N", text=text, mimeType="text/markdown", wait=True)
    run = done["ingestion"]
    assert (run["status"], run["error"], run["chunksDone"]) == ("FAILED", "The answer is no JSON.", 1)
    assert (await ended(api, run["id"]))["failedStep"] == {
        "step": "chunk",
        "chunk": 1,
        "error": "The answer is no JSON.",
        "rawAnswer": '{"entities": [{"na',
        "failures": 1,
        "kills": 0,
    }


@pytest.mark.usefixtures("impatient")
async def test_a_failed_ingestion_that_is_retried_forgets_how_it_failed(api: Api) -> None:
    api.extractor.answers[ADA] = UpstreamUnavailable("The model is away.")
    done = await api.do("ingestDocument", STATE, title="N", text=ADA, wait=True)
    run = done["ingestion"]["id"]
    assert (await ended(api, run))["failedStep"]["rawAnswer"] is None
    api.extractor.answers[ADA] = SAID
    await api.do("retryIngestion", STATE, id=run)
    after = await ended(api, run)
    assert (after["status"], after["error"], after["failedStep"]) == ("DONE", None, None)
    assert await api.rows(models.Job) == []


@pytest.mark.usefixtures("impatient")
async def test_the_raw_answer_goes_with_its_document(api: Api) -> None:
    api.extractor.answers[ADA] = UnusableAnswer("The answer is no JSON.", "secretword")
    done = await api.do("ingestDocument", "document { id }", title="N", text=ADA, wait=True)
    assert await api.holding("secretword") != []
    await api.do("deleteDocument", "deletedId", id=done["document"]["id"])
    assert await api.holding("secretword") == []


async def test_a_spooled_answer_goes_with_its_document(api: Api) -> None:
    await begun(api)
    (job,) = await api.rows(models.Job)
    api.store.spool.keep(job["id"], "secretword")
    (document,) = (await api.volume("documents { nodes { id } }"))["documents"]["nodes"]
    await api.do("deleteDocument", "deletedId", id=document["id"])
    assert api.store.spool.jobs() == []
