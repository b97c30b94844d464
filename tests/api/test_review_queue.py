"""The review queue: what is not sure enough waits there, wherever it was written, until it is sure, taken back or gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scripted import edge, fact, ingest, thing

if TYPE_CHECKING:
    from api.conftest import Api

CLAIM = "claim { __typename id text confidence status }"
ITEM = f"__typename id importance decision decidedBy ... on LowConfidenceReview {{ {CLAIM} }}"
ALL = "filter: {states: [OPEN, DECIDED, LAPSED]}"


async def queue(api: Api, arguments: str = "", selection: str = ITEM) -> list[dict[str, Any]]:
    """Return the nodes of the queue."""
    given = f"({arguments})" if arguments else ""
    nodes: list[dict[str, Any]] = (await api.volume(f"reviewQueue{given} {{ nodes {{ {selection} }} }}"))[
        "reviewQueue"
    ]["nodes"]
    return nodes


async def texts(api: Api, arguments: str = "") -> list[str]:
    """Return what the claims in the queue say."""
    return [item["claim"]["text"] for item in await queue(api, arguments)]


async def decisions(api: Api) -> list[str | None]:
    """Return how each item stands, open or not."""
    return [item["decision"] for item in await queue(api, ALL)]


async def test_a_fact_that_is_not_sure_enough_waits_with_its_claim(api: Api) -> None:
    ada = await api.entity("Ada")
    await api.fact(ada, "Likes tea", confidence=0.7)
    id = await api.fact(ada, "Likes rum", confidence=0.69, importance=0.8)
    (item,) = await queue(api)
    assert item == {
        "__typename": "LowConfidenceReview",
        "id": item["id"],
        "importance": 0.8,
        "decision": None,
        "decidedBy": None,
        "claim": {"__typename": "Fact", "id": id, "text": "Likes rum", "confidence": 0.69, "status": "PENDING_REVIEW"},
    }
    assert item["id"].startswith("rev_")


async def test_a_relationship_is_as_important_as_the_more_important_of_its_ends(api: Api) -> None:
    ada, acme = await api.entity("Ada", importance=0.25), await api.entity("Acme", importance=0.75)
    id = await api.relationship(ada, "WORKS_AT", acme, confidence=0.5)
    made = {"source": {"name": {"name": "Bob"}}, "target": {"id": ada}, "type": "KNOWS", "confidence": 0.1}
    await api.do("createRelationship", "relationship { id }", **made)
    first, second = await queue(api)
    assert (first["importance"], first["claim"]["id"], first["claim"]["__typename"]) == (0.75, id, "Relationship")
    assert (second["importance"], second["claim"]["confidence"]) == (0.5, 0.1)


async def test_the_queue_is_in_the_order_of_importance_and_then_of_age(api: Api) -> None:
    ada = await api.entity("Ada")
    for n, importance in enumerate((0.5, 1.0, 0.0, 0.5, 1.0)):
        await api.fact(ada, f"Fact {n}", confidence=0.1, importance=importance)
    in_order = ["Fact 1", "Fact 4", "Fact 0", "Fact 3", "Fact 2"]
    assert await texts(api) == in_order
    seen: list[str] = []
    after = None
    while after is not None or not seen:
        page = (
            await api.volume(
                f"reviewQueue(first: 2, after: $a) {{ totalCount pageInfo {{ hasNextPage endCursor }} edges {{ node {{ {ITEM} }} }} }}",
                a=("String", after),
            )
        )["reviewQueue"]
        assert page["totalCount"] == 5
        seen += [each["node"]["claim"]["text"] for each in page["edges"]]
        after = page["pageInfo"]["endCursor"] if page["pageInfo"]["hasNextPage"] else None
    assert seen == in_order


async def test_filters_by_kind_standing_importance_and_time(api: Api) -> None:
    ada = await api.entity("Ada")
    for n in range(3):
        last = await api.fact(ada, f"Fact {n}", confidence=0.1, importance=n / 2)
    await api.do("retractFact", "fact { id }", id=last)
    assert await texts(api) == ["Fact 1", "Fact 0"]
    assert await texts(api, "filter: {minImportance: 0.5}") == ["Fact 1"]
    assert await texts(api, "filter: {states: [LAPSED]}") == ["Fact 2"]
    assert await texts(api, ALL) == ["Fact 2", "Fact 1", "Fact 0"]
    assert await texts(api, "filter: {states: []}") == await texts(api, "filter: {kinds: []}") == []
    assert await texts(api, "filter: {states: [DECIDED]}") == await texts(api, "filter: {kinds: [STALE]}") == []
    assert await texts(api, "filter: {kinds: [LOW_CONFIDENCE, STALE]}") == ["Fact 1", "Fact 0"]
    (_, oldest) = await queue(api, "", f"{ITEM} openedAt")
    assert await texts(api, f'filter: {{openedSince: "{oldest["openedAt"]}"}}') == ["Fact 1", "Fact 0"]
    assert await texts(api, f'filter: {{openedBefore: "{oldest["openedAt"]}"}}') == []
    assert (await api.volume("statistics { reviewsByKind }"))["statistics"] == {"reviewsByKind": {"LOW_CONFIDENCE": 2}}


async def test_an_item_is_found_by_its_id_and_in_its_volume_alone(api: Api) -> None:
    ada = await api.entity("Ada")
    await api.fact(ada, "Likes rum", confidence=0.1)
    (item,) = await queue(api)
    query = f"query($id: ID!) {{ node(id: $id) {{ ... on ReviewItem {{ {ITEM} }} }} }}"
    assert (await api.ask(query, id=item["id"]))["node"] == item
    await api.do("createVolume", "volume { name }", name="other")
    other = await api.volume("reviewQueue { nodes { id } totalCount } statistics { reviewsByKind }", "other")
    assert other == {"reviewQueue": {"nodes": [], "totalCount": 0}, "statistics": {"reviewsByKind": {}}}


async def test_the_log_says_that_a_review_was_opened_and_that_it_lapsed(api: Api) -> None:
    ada = await api.entity("Ada")
    id = await api.fact(ada, "Likes rum", confidence=0.1)
    await api.do("retractFact", "fact { id }", id=id)
    (item,) = await queue(api, ALL)
    data = await api.volume("changes(first: 5) { nodes { kind before after node { id } } }")
    first, _, opened, _, _ = data["changes"]["nodes"]
    assert opened == {"kind": "CREATED", "before": None, "after": None, "node": {"id": item["id"]}}
    assert first == {
        "kind": "UPDATED",
        "before": {"decision": None},
        "after": {"decision": "LAPSED"},
        "node": {"id": item["id"]},
    }


class TestWhereverClaimsAreWritten:
    async def test_by_an_import(self, api: Api) -> None:
        ada, bob = (
            {"key": "a", "name": "Ada", "type": "person", "importance": 0.9},
            {"key": "b", "name": "Bob", "type": "person"},
        )
        facts = [{"subject": "a", "content": f"Fact {n}", "confidence": 0.6 + n / 10} for n in range(2)]
        edges = [{"source": "a", "target": "b", "type": "KNOWS", "confidence": 0.2}]
        await api.do("importGraph", "entitiesCreated", entities=[ada, bob], facts=facts, relationships=edges)
        assert [(i["claim"]["confidence"], i["importance"]) for i in await queue(api)] == [(0.2, 0.9), (0.6, 0.5)]

    async def test_by_an_ingestion(self, api: Api) -> None:
        text = "Ada met Bob and likes rum."
        items = (
            thing("Ada"),
            thing("Bob"),
            fact("Ada", "Likes rum", text, confidence=0.3),
            edge("Ada", "MET", "Bob", "Ada met Bob", confidence=0.4),
        )
        await ingest(api, text, *items)
        assert [item["claim"]["confidence"] for item in await queue(api)] == [0.3, 0.4]

    async def test_by_an_update(self, api: Api) -> None:
        ada, bob = await api.entity("Ada"), await api.entity("Bob")
        id, edge_id = await api.fact(ada, "Likes rum"), await api.relationship(ada, "KNOWS", bob)
        await api.do("updateFact", "fact { id }", id=id, confidence=0.5)
        await api.do("updateRelationship", "relationship { id }", id=edge_id, confidence=0.6)
        assert [item["claim"]["confidence"] for item in await queue(api)] == [0.5, 0.6]
        await api.do("updateFact", "fact { id }", id=id, confidence=0.9)
        await api.do("updateRelationship", "relationship { id }", id=edge_id, confidence=0.9)
        assert await decisions(api) == ["LAPSED", "LAPSED"]

    async def test_by_a_revision_that_takes_the_better_source_away(self, api: Api) -> None:
        """The claim waits once nothing but the weak source says it, and is retracted once that does not either."""
        weak = fact("Ada", "Likes rum", "Ada likes rum", confidence=0.4)
        await ingest(api, "Ada likes rum.", thing("Ada"), weak, title="Weak", uri="w")
        await ingest(
            api, "It is said that Ada likes rum.", thing("Ada"), fact("Ada", "Likes rum", "Ada likes rum"), uri="s"
        )
        assert await decisions(api) == ["LAPSED"]
        await ingest(api, "It is said that Ada came.", thing("Ada"), uri="s")
        assert [(i["decision"], i["claim"]["status"]) for i in await queue(api)] == [(None, "PENDING_REVIEW")]
        await ingest(api, "Ada came.", thing("Ada"), title="Weak", uri="w")
        assert [(i["decision"], i["claim"]["status"]) for i in await queue(api, ALL)] == [("LAPSED", "RETRACTED")]
        await ingest(api, "Ada likes rum.", thing("Ada"), weak, title="Weak", uri="w")
        assert [(i["decision"], i["claim"]["status"]) for i in await queue(api)] == [(None, "PENDING_REVIEW")]


class TestAReviewCloses:
    async def test_when_an_independent_document_makes_its_claim_sure_enough(self, api: Api) -> None:
        """1 - 0.5 * 0.5 = 0.75; a copy of a text, or the same document, counts once and changes nothing."""
        said = [thing("Ada"), fact("Ada", "Likes rum", "Ada likes rum", confidence=0.5)]
        await ingest(api, "Ada likes rum.", *said, title="One")
        await ingest(api, "Ada likes rum.", *said, title="A copy", uri="copy")
        assert [(i["claim"]["confidence"], i["claim"]["status"]) for i in await queue(api)] == [(0.5, "PENDING_REVIEW")]
        await ingest(api, "We know that Ada likes rum.", *said, title="Two")
        assert await queue(api) == []
        (item,) = await queue(api, ALL)
        assert item["decision"] == "LAPSED"
        assert (item["claim"]["confidence"], item["claim"]["status"]) == (0.75, "CURRENT")

    async def test_when_its_claim_is_retracted(self, api: Api) -> None:
        ada, bob = await api.entity("Ada"), await api.entity("Bob")
        id, edge_id = (
            await api.fact(ada, "x", confidence=0.1),
            await api.relationship(ada, "KNOWS", bob, confidence=0.1),
        )
        await api.do("retractFact", "fact { id }", id=id)
        await api.do("retractRelationship", "relationship { id }", id=edge_id)
        assert await decisions(api) == ["LAPSED", "LAPSED"]

    async def test_when_its_entity_is_deleted(self, api: Api) -> None:
        ada, bob = await api.entity("Ada"), await api.entity("Bob")
        await api.fact(ada, "x", confidence=0.1)
        await api.relationship(bob, "KNOWS", ada, confidence=0.1)
        items = await queue(api)
        await api.do("deleteEntity", "deletedId", id=ada)
        assert await queue(api, ALL) == []
        for item in items:
            assert (await api.ask("query($id: ID!) { node(id: $id) { id } }", id=item["id"]))["node"] is None

    async def test_when_the_document_that_alone_supports_its_claim_is_deleted(self, api: Api) -> None:
        text = "Ada met Bob and likes rum."
        items = (
            thing("Ada"),
            thing("Bob"),
            fact("Ada", "Likes rum", text, confidence=0.3),
            edge("Ada", "MET", "Bob", "Ada met Bob", confidence=0.4),
        )
        payload = await ingest(api, text, *items)
        await api.do("deleteDocument", "claimsRemoved", id=payload["document"]["id"])
        assert await queue(api, ALL) == []

    async def test_and_one_opens_when_a_deleted_document_leaves_weak_support(self, api: Api) -> None:
        await ingest(api, "Ada likes rum.", thing("Ada"), fact("Ada", "Likes rum", "Ada likes rum", confidence=0.4))
        strong = await ingest(api, "Yes, Ada likes rum.", thing("Ada"), fact("Ada", "Likes rum", "Ada likes rum"))
        await api.do("deleteDocument", "claimsRemoved", id=strong["document"]["id"])
        assert [(i["claim"]["confidence"], i["decision"]) for i in await queue(api)] == [(0.4, None)]


@pytest.mark.parametrize("width", [1, 40])
async def test_a_page_of_the_queue_costs_the_same_number_of_statements_whatever_its_width(api: Api, width: int) -> None:
    ada, bob = await api.entity("Ada"), await api.entity("Bob")
    for n in range(width):
        await api.fact(ada, f"Fact {n}", confidence=0.1)
        await api.relationship(ada, f"KNOWS_{n}", bob, confidence=0.1)
    inner = "claim { id evidence { quote } ... on Fact { subject { name } } ... on Relationship { source { name } target { name } } }"
    asked = f"reviewQueue(first: 100) {{ totalCount nodes {{ id ... on LowConfidenceReview {{ {inner} }} }} }}"
    found = await api.volume(asked)
    assert found["reviewQueue"]["totalCount"] == len(found["reviewQueue"]["nodes"]) == 2 * width
    assert len([one for one in api.statements if one.lstrip().upper().startswith(("SELECT", "WITH"))]) == 10
