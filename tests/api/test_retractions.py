"""What a person has retracted is not believed again in silence: a person is asked, once, where another source says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripted import edge, fact, ingest, thing

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

SAID = [thing("Ada"), thing("Bob")]
RUM, MET = "Ada likes rum.", "Ada met Bob."
SHOWN = "{ nodes { id status confidence evidence { current document { title } } } }"
ALL = "(filter: {statuses: [CURRENT, PENDING_REVIEW, REJECTED, RETRACTED]})"
QUEUE = "reviewQueue { nodes { id ... on LowConfidenceReview { reasons claim { id } } } }"


async def says(api: Api, title: str, words: str = "") -> dict[str, Any]:
    """Have a document say that Ada likes rum and met Bob."""
    text = f"{words} {RUM} {MET}".strip()
    items = [*SAID, fact("Ada", "Likes rum", RUM), edge("Ada", "MET", "Bob", MET)]
    return await ingest(api, text, *items, title=title, uri=title)


async def claims(api: Api) -> list[dict[str, Any]]:
    """Return the fact and the relationship: there is never another one."""
    found = await api.volume(f"facts{ALL} {SHOWN} relationships{ALL} {SHOWN}")
    (one,), (other,) = found["facts"]["nodes"], found["relationships"]["nodes"]
    return [one, other]


async def statuses(api: Api) -> list[tuple[str, float]]:
    return [(one["status"], one["confidence"]) for one in await claims(api)]


async def retracted(api: Api) -> tuple[str, str]:
    """Have one document say both, and a person retract them, one with a reason."""
    await says(api, "One")
    likes, met = [one["id"] for one in await claims(api)]
    await api.do("retractFact", "fact { id }", id=likes, reason="It was her sister.")
    await api.do("retractRelationship", "relationship { id }", id=met)
    return likes, met


async def queue(api: Api) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = (await api.volume(QUEUE))["reviewQueue"]["nodes"]
    return nodes


async def test_another_document_that_says_it_asks_a_person_once_and_names_the_reason(api: Api) -> None:
    likes, met = await retracted(api)
    await says(api, "One", "Again:")
    assert (await statuses(api), await queue(api)) == ([("RETRACTED", 0.8)] * 2, [])
    await says(api, "Two", "We know:")
    asked = await queue(api)
    assert [(one["claim"]["id"], one["reasons"]) for one in asked] == [
        (likes, ["A person has retracted it: It was her sister."]),
        (met, ["A person has retracted it."]),
    ]
    assert await statuses(api) == [("PENDING_REVIEW", 0.8)] * 2
    assert (await api.volume("facts { nodes { id } }"))["facts"]["nodes"] == []
    evidence = (await claims(api))[0]["evidence"]
    assert [(row["document"]["title"], row["current"]) for row in evidence][-1] == ("Two", True)
    assert {row["current"] for row in evidence[:-1]} == {False}
    await says(api, "Three", "Everybody knows:")
    await says(api, "Two", "We still know:")
    assert await statuses(api) == [("PENDING_REVIEW", 0.96)] * 2
    assert await queue(api) == asked


async def test_approved_it_is_believed_again_and_rejected_it_is_asked_no_more(api: Api) -> None:
    likes, _ = await retracted(api)
    await says(api, "Two", "We know:")
    first, second = [one["id"] for one in await queue(api)]
    await api.do("resolveReview", "items { id }", items=[first], action="APPROVE")
    await api.do("resolveReview", "items { id }", items=[second], action="REJECT", reason="No.")
    await says(api, "Three", "Everybody knows:")
    assert await statuses(api) == [("CURRENT", 1.0), ("REJECTED", 0.8)]
    assert [row["status_reason"] for row in await api.rows(models.Fact)] == [None]
    assert await queue(api) == []
    await api.do("retractFact", "fact { id }", id=likes, reason="Never.")
    await says(api, "Four", "As I said:")
    assert [(one["claim"]["id"], one["reasons"]) for one in await queue(api)] == [
        (likes, ["A person has retracted it: Never."])
    ]


async def test_a_person_who_states_it_brings_it_back_under_its_id(api: Api) -> None:
    likes, met = await retracted(api)
    ada, bob = [one["id"] for one in (await api.volume("entities { nodes { id name } }"))["entities"]["nodes"]]
    assert await api.fact(ada, "Likes rum") == likes
    assert await api.relationship(ada, "MET", bob, validFrom="2020") == met
    assert await statuses(api) == [("CURRENT", 1.0)] * 2
    assert (await api.node(met, "validFrom"))["validFrom"] == "2020-01-01T00:00:00Z"
    assert await queue(api) == []
    await says(api, "Two", "We know:")
    assert await statuses(api) == [("CURRENT", 1.0)] * 2


async def test_a_person_who_is_not_sure_is_asked(api: Api) -> None:
    likes, _ = await retracted(api)
    ada = (await api.volume("entities { nodes { id } }"))["entities"]["nodes"][0]["id"]
    assert await api.fact(ada, "Likes rum", confidence=0.5) == likes
    assert (await statuses(api))[0] == ("PENDING_REVIEW", 0.5)
    assert [one["claim"]["id"] for one in await queue(api)] == [likes]


async def test_an_edit_settles_it_and_a_retraction_takes_it_back_again(api: Api) -> None:
    _, met = await retracted(api)
    await says(api, "Two", "We know:")
    first, _ = [one["id"] for one in await queue(api)]
    await api.do("resolveReview", "items { id }", items=[first], action="EDIT", edit={"content": "Likes good rum"})
    await api.do("retractRelationship", "relationship { id }", id=met, reason="Still no.")
    assert await statuses(api) == [("CURRENT", 1.0), ("RETRACTED", 0.8)]
    assert [row["status_reason"] for row in await api.rows(models.Fact)] == [None]
    assert await queue(api) == []


async def test_what_asked_gone_it_is_retracted_as_before(api: Api) -> None:
    likes, met = await retracted(api)
    await says(api, "Two", "We know:")
    await ingest(api, "Nothing is known.", *SAID, title="Two", uri="Two")
    assert await statuses(api) == [("RETRACTED", 0.8)] * 2
    reasons = [row["status_reason"] for model in (models.Fact, models.Relationship) for row in await api.rows(model)]
    assert reasons == ["It was her sister.", None]
    assert await queue(api) == []
    await says(api, "Three", "Everybody knows:")
    assert [one["claim"]["id"] for one in await queue(api)] == [likes, met]


async def test_of_another_time_it_is_another_claim(api: Api) -> None:
    ada, bob = await api.entity("Ada"), await api.entity("Bob")
    first = await api.relationship(ada, "WORKED_WITH", bob, validFrom="2001", validTo="2003")
    await api.do("retractRelationship", "relationship { id }", id=first)
    assert await api.relationship(ada, "WORKED_WITH", bob, validFrom="2010") != first
    assert (await api.node(first, "status"))["status"] == "RETRACTED"
