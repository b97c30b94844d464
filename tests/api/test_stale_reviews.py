"""A claim without new evidence for long is a question in the queue: confirming it is new evidence, else it is taken back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scripted import fact, ingest, thing

from server import models
from server.ids import NodeKind, decode_id
from server.services.reviews import ReviewQuestion, open_review
from server.terms import ReviewKind

if TYPE_CHECKING:
    from api.conftest import Api

SINCE = datetime(2026, 3, 1, tzinfo=UTC)
ITEM = "__typename id decision ... on StaleReview { dueSince claim { id status } }"


async def due(api: Api, fact_id: str, since: datetime = SINCE) -> bool:
    """Ask about a fact as a sweep does; return whether it is asked about now."""
    volume, decoded = await api.store.volume("default"), decode_id(fact_id)
    assert volume is not None
    assert decoded is not None
    about = ((NodeKind.FACT, decoded.id),)
    question = ReviewQuestion(ReviewKind.STALE, about, 0.5, due_since=since, occasion=since.isoformat())
    async with api.store.write(volume.id, "sweep") as tx:
        return await open_review(tx, question) is not None


async def queue(api: Api, arguments: str = "") -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = (await api.volume(f"reviewQueue{arguments} {{ nodes {{ {ITEM} }} }}"))["reviewQueue"][
        "nodes"
    ]
    return nodes


async def stale(api: Api) -> tuple[str, str]:
    """Make a fact that is stale; return its id and that of its item."""
    id = await api.fact(await api.entity("Ada"), "Lives in Oslo")
    assert await due(api, id)
    (item,) = await queue(api)
    return id, item["id"]


async def test_it_says_since_when_its_claim_is_stale(api: Api) -> None:
    id, item = await stale(api)
    claim = {"id": id, "status": "CURRENT"}
    expected = {"__typename": "StaleReview", "id": item, "decision": None, "dueSince": "2026-03-01T00:00:00Z"}
    assert await queue(api) == [{**expected, "claim": claim}]
    assert not await due(api, id)


async def test_approved_it_has_new_evidence_and_is_asked_again_only_when_it_is_due_again(api: Api) -> None:
    id, item = await stale(api)
    done = await api.do("resolveReview", "claims { id status confidence }", items=[item], action="APPROVE")
    assert done["claims"] == [{"id": id, "status": "CURRENT", "confidence": 1.0}]
    evidence = await api.rows(models.Evidence)
    assert [(row["quote"], row["confidence"], row["document_id"]) for row in evidence] == [
        ("Lives in Oslo", 1.0, None)
    ] * 2
    assert evidence[1]["created_at"] > evidence[0]["created_at"]
    assert not await due(api, id)
    assert await due(api, id, datetime(2026, 9, 1, tzinfo=UTC))


async def test_rejected_it_is_retracted_and_a_person_is_asked_where_another_document_says_it(api: Api) -> None:
    id, item = await stale(api)
    done = await api.do("resolveReview", "claims { id status }", items=[item], action="REJECT", reason="She moved.")
    assert done["claims"] == [{"id": id, "status": "RETRACTED"}]
    text = "Ada lives in Oslo."
    await ingest(api, text, thing("Ada"), fact("Ada", "Lives in Oslo", text))
    (again,) = (await api.volume("facts(filter: {statuses: [PENDING_REVIEW]}) { nodes { id status } }"))["facts"][
        "nodes"
    ]
    assert again == {"id": id, "status": "PENDING_REVIEW"}


async def test_edited_it_holds_as_it_is_corrected(api: Api) -> None:
    id, item = await stale(api)
    edit = {"content": "Lives in Bergen"}
    done = await api.do("resolveReview", "claims { id text status }", items=[item], action="EDIT", edit=edit)
    assert done["claims"] == [{"id": id, "text": "Lives in Bergen", "status": "CURRENT"}]


async def test_it_lapses_when_its_claim_is_retracted(api: Api) -> None:
    id, _ = await stale(api)
    await api.do("retractFact", "fact { id }", id=id)
    assert [item["decision"] for item in await queue(api, "(filter: {states: [OPEN, LAPSED]})")] == ["LAPSED"]
