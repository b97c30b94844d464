"""Relationships through GraphQL: ends, types, directions, parallel edges, validity, history and retraction."""

from __future__ import annotations

import asyncio
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from server import models
from server.services.extraction.protocol import ExtractedEntity, ExtractedRelationship, Extraction

if TYPE_CHECKING:
    from api.conftest import Api

SAID = "id type description confidence strength bidirectional properties status version"
ENDS = "source { id name type } target { id name type }"
EVIDENCE = "evidence { quote start end authority confidence verified document { id } }"


def named(name: str, type: str | None = None) -> dict[str, Any]:
    """Return an end by its name."""
    return {"name": {"name": name, "type": type}}


def knowing(quote: str, confidence: float = 0.8) -> Extraction:
    """Return an extraction that says that Ada knows Bob."""
    people = [ExtractedEntity(name, name, "person", name) for name in ("Ada", "Bob")]
    return Extraction(people, [], [ExtractedRelationship("Ada", "knows", "Bob", quote, confidence=confidence)])


async def edges(api: Api, entity: str, direction: str | None = None, types: list[str] | None = None) -> list[str]:
    """Return an entity's relationships in words, and check that its neighbours are those of the same edges."""
    query = """query($id: ID!, $d: Direction! = BOTH, $t: [String!]) { node(id: $id) { ... on Entity {
        relationships(direction: $d, types: $t) { nodes { id text source { id } target { id } bidirectional } totalCount }
        neighbors(direction: $d, types: $t) { edges { node { id } relationship { id } direction } nodes { id } totalCount }
    } } }"""
    node = (await api.ask(query, id=entity, t=types, **({} if direction is None else {"d": direction})))["node"]
    found, beside = node["relationships"]["nodes"], node["neighbors"]["edges"]
    assert node["relationships"]["totalCount"] == node["neighbors"]["totalCount"] == len(found)
    assert [edge["relationship"]["id"] for edge in beside] == [edge["id"] for edge in found]
    assert node["neighbors"]["nodes"] == [edge["node"] for edge in beside]
    for edge, neighbor in zip(found, beside, strict=True):
        out = edge["source"]["id"] == entity
        assert neighbor["node"]["id"] == edge["target" if out else "source"]["id"]
        assert neighbor["direction"] == ("BOTH" if edge["bidirectional"] else "OUT" if out else "IN")
    return [edge["text"] for edge in found]


async def test_a_relationship_by_hand_is_current_sure_and_rests_on_its_own_sentence(api: Api) -> None:
    ada, acme = await api.entity("Ada", "person"), await api.entity("Acme", "organization")
    made = await api.do(
        "createRelationship",
        f"duplicateOf {{ id }} relationship {{ {SAID} {ENDS} {EVIDENCE} text knownFrom createdAt }}",
        source={"id": ada},
        target={"id": acme},
        type="worksAt",
    )
    edge = made["relationship"]
    assert made["duplicateOf"] is None
    assert edge == {
        "id": edge["id"],
        "type": "WORKS_AT",
        "text": "Ada works at Acme",
        "description": None,
        "confidence": 1.0,
        "strength": 1.0,
        "bidirectional": False,
        "properties": {},
        "status": "CURRENT",
        "version": 1,
        "source": {"id": ada, "name": "Ada", "type": "person"},
        "target": {"id": acme, "name": "Acme", "type": "organization"},
        "knownFrom": edge["createdAt"],
        "createdAt": edge["createdAt"],
        "evidence": [
            {
                "quote": "Ada works at Acme",
                "start": None,
                "end": None,
                "authority": "USER",
                "confidence": 1.0,
                "verified": False,
                "document": None,
            }
        ],
    }
    predicates = (await api.volume("predicates { nodes { name cardinality inverse symmetric } }"))["predicates"][
        "nodes"
    ]
    assert predicates == [{"name": "WORKS_AT", "cardinality": "MANY", "inverse": "EMPLOYS", "symmetric": False}]


async def test_an_end_that_is_named_is_met_or_made(api: Api) -> None:
    acme = await api.entity("Acme", "organization", aliases=["The Firm"])
    made = await api.do(
        "createRelationship",
        f"relationship {{ {ENDS} }}",
        source=named("Ada", "Person"),
        target=named("firm"),
        type="AT",
    )
    edge = made["relationship"]
    assert edge["source"] == {"id": edge["source"]["id"], "name": "Ada", "type": "person"}
    assert edge["target"] == {"id": acme, "name": "Acme", "type": "organization"}
    made = await api.do(
        "createRelationship", f"relationship {{ {ENDS} }}", source=named("Ada"), target=named("Loom"), type="USES"
    )
    assert made["relationship"]["source"]["id"] == edge["source"]["id"]
    assert made["relationship"]["target"]["type"] == "concept"
    assert [row["name"] for row in await api.rows(models.Entity)] == ["Acme", "Ada", "Loom"]
    log = (await api.volume("changes(first: 2) { nodes { kind node { __typename } } }"))["changes"]["nodes"]
    assert [(change["kind"], change["node"]["__typename"]) for change in log] == [
        ("CREATED", "Relationship"),
        ("CREATED", "Entity"),
    ]


async def test_a_refused_relationship_makes_no_entity_of_its_ends(api: Api) -> None:
    person, place = await api.entity("Jordan", "person"), await api.entity("Jordan", "place")
    refused = await api.refused("createRelationship", source=named("New"), target=named("Jordan"), type="AT")
    assert (refused["code"], refused["argument"], refused["candidates"]) == ("AMBIGUOUS", "target", [person, place])
    for field, value, argument in (
        ("source", named(""), "source"),
        ("target", named("x" * 501), "target"),
        ("target", named("x", "y" * 101), "target"),
        ("type", "", "type"),
        ("type", "x" * 101, "type"),
        ("description", "x" * 10_001, "description"),
        ("strength", 1.1, "strength"),
        ("strength", -0.1, "strength"),
        ("confidence", 1.1, "confidence"),
        ("properties", [], "properties"),
        ("validTo", "2020", "validTo"),
    ):
        stated = {"source": named("New"), "target": named("Newer"), "type": "AT", "validFrom": "2021", field: value}
        refused = await api.refused("createRelationship", **stated)
        assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", argument), field
    for ends in ({}, {"id": person, **named("Jordan")}):
        refused = await api.refused("createRelationship", source=ends, target={"id": person}, type="AT")
        assert refused["code"] == "BAD_USER_INPUT"


async def test_directions_tell_source_from_target_and_a_bidirectional_edge_matches_both(api: Api) -> None:
    ada, bob, cat = [await api.entity(name) for name in ("Ada", "Bob", "Cat")]
    await api.relationship(ada, "feeds", cat)
    await api.relationship(bob, "likes", ada)
    await api.relationship(bob, "married to", ada, bidirectional=True)
    await api.relationship(bob, "owns", cat)
    feeds, likes, married, owns = "Ada feeds Cat", "Bob likes Ada", "Bob is married to Ada", "Bob owns Cat"
    assert await edges(api, ada) == [feeds, likes, married]
    assert await edges(api, ada, "BOTH") == [feeds, likes, married]
    assert await edges(api, ada, "OUT") == [feeds, married]
    assert await edges(api, ada, "IN") == [likes, married]
    assert await edges(api, bob, "OUT") == [likes, married, owns]
    assert await edges(api, bob, "IN") == [married]
    assert await edges(api, cat, "OUT") == []
    assert await edges(api, cat, "IN") == [feeds, owns]


async def test_parallel_edges_stay_several_in_every_view(api: Api) -> None:
    ada, bob = await api.entity("Ada"), await api.entity("Bob")
    await api.relationship(ada, "KNOWS", bob)
    await api.relationship(ada, "TRUSTS", bob)
    await api.relationship(bob, "KNOWS", ada)
    await api.relationship(ada, "LED", bob, validFrom="2001", validTo="2002")
    await api.relationship(ada, "LED", bob, validFrom="2005")
    texts = ["Ada knows Bob", "Ada trusts Bob", "Bob knows Ada", "Ada led Bob", "Ada led Bob"]
    assert await edges(api, ada) == texts
    assert await edges(api, bob) == texts
    listed = (await api.volume("relationships { nodes { text } totalCount }"))["relationships"]
    assert listed == {"nodes": [{"text": text} for text in texts], "totalCount": 5}
    explained = (await api.node(ada, "explanation"))["explanation"].split("\n")
    assert explained[1:] == ["KNOWS -> Bob", "TRUSTS -> Bob", "LED -> Bob [from 2001, until the end of 2002]", "LED -> Bob [from 2005]",
                             "Bob -> KNOWS"]  # fmt: skip


async def test_a_self_loop_is_one_edge_from_each_side(api: Api) -> None:
    ada = await api.entity("Ada")
    await api.relationship(ada, "TRUSTS", ada)
    for direction in ("OUT", "IN", "BOTH"):
        query = "query($id: ID!, $d: Direction!) { node(id: $id) { ... on Entity { relationships(direction: $d) { nodes { text } totalCount } } } }"
        found = (await api.ask(query, id=ada, d=direction))["node"]["relationships"]
        assert found == {"nodes": [{"text": "Ada trusts Ada"}], "totalCount": 1}
    neighbors = (await api.node(ada, "neighbors { edges { node { id } } totalCount }"))["neighbors"]
    assert neighbors == {"edges": [{"node": {"id": ada}}], "totalCount": 1}
    made = await api.do(
        "createRelationship", f"relationship {{ {ENDS} }}", source=named("Self"), target=named("self"), type="IS"
    )
    assert made["relationship"]["source"] == made["relationship"]["target"]
    assert len(await api.rows(models.Entity)) == 2
    await api.do("deleteEntity", "deletedId", id=ada)
    assert len(await api.rows(models.Relationship)) == 1


async def test_types_are_met_in_any_case_and_spacing(api: Api) -> None:
    ada, acme = await api.entity("Ada"), await api.entity("Acme")
    first = await api.relationship(ada, "works at", acme)
    for spelling in ("WORKS_AT", "worksAt", "Works-At", "works  at", "WorksAt!"):
        assert await api.relationship(ada, spelling, acme) == first
        assert await edges(api, ada, types=[spelling]) == ["Ada works at Acme"]
        found = await api.volume(
            "relationships(filter: $f) { totalCount }", f=("RelationshipFilter", {"types": [spelling]})
        )
        assert found == {"relationships": {"totalCount": 1}}
    assert await edges(api, ada, types=["WORKED_AT"]) == []
    assert await edges(api, ada, types=[]) == []


async def test_the_same_edge_gains_evidence_and_a_return_is_a_new_one(api: Api) -> None:
    ada, acme = await api.entity("Ada"), await api.entity("Acme")
    first = await api.relationship(ada, "WORKS_AT", acme, validFrom="2021", validTo="2023", confidence=0.8)
    again = await api.do(
        "createRelationship",
        "relationship { id confidence version evidence { quote } } duplicateOf { id }",
        source={"id": ada},
        target=named("ACME"),
        type="works at",
        description="Ada was an engineer at Acme",
        validFrom="2022",
    )
    assert again == {
        "relationship": {
            "id": first,
            "confidence": 1.0,
            "version": 2,
            "evidence": [{"quote": "Ada works at Acme"}, {"quote": "Ada was an engineer at Acme"}],
        },
        "duplicateOf": {"id": first},
    }
    back = await api.relationship(ada, "WORKS_AT", acme, validFrom="2025")
    assert back != first
    assert await api.relationship(acme, "WORKS_AT", ada) not in (first, back)
    when = "validFrom validFromPrecision validTo validToPrecision"
    assert await api.node(first, when) == {
        "validFrom": "2021-01-01T00:00:00Z",
        "validFromPrecision": "YEAR",
        "validTo": "2024-01-01T00:00:00Z",
        "validToPrecision": "YEAR",
    }


async def test_independent_documents_raise_an_unsure_edge_out_of_its_wait(api: Api) -> None:
    first = await api.document("One", "Ada knows Bob.", knowing("Ada knows Bob", 0.6))
    ada = (await api.volume('entity(by: {name: {name: "Ada"}}) { id }'))["entity"]["id"]
    assert await edges(api, ada) == []
    assert "KNOWS" not in (await api.node(ada, "explanation"))["explanation"]
    assert (await api.node(first, "relationships { totalCount }"))["relationships"]["totalCount"] == 0
    waiting = {"statuses": ["PENDING_REVIEW"]}
    found = await api.volume(
        "relationships(filter: $f) { nodes { text confidence } }", f=("RelationshipFilter", waiting)
    )
    assert found["relationships"]["nodes"] == [{"text": "Ada knows Bob", "confidence": 0.6}]
    await api.document("Two", "It is said that Ada knows Bob.", knowing("Ada knows Bob", 0.5), authority="OFFICIAL")
    assert await edges(api, ada) == ["Ada knows Bob"]
    (row,) = await api.rows(models.Relationship)
    assert (row["confidence"], row["status"], row["authority"], row["version"]) == (0.8, "CURRENT", "OFFICIAL", 2)


async def test_a_quote_must_occur_in_its_document(api: Api) -> None:
    text = "🙂 Ada  knows\nBob."
    document = await api.document("Notes", text)
    ada, bob = await api.entity("Ada"), await api.entity("Bob")
    ends = {"source": {"id": ada}, "target": {"id": bob}, "type": "KNOWS", "document": document}
    refused = await api.refused("createRelationship", quote="Ada likes Bob", **ends)
    assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "quote")
    made = await api.do("createRelationship", f"relationship {{ {EVIDENCE} }}", quote="Ada knows Bob", **ends)
    (evidence,) = made["relationship"]["evidence"]
    assert (evidence["quote"], evidence["start"], evidence["end"]) == ("Ada  knows\nBob", 2, 16)
    assert (evidence["verified"], evidence["document"]) == (True, {"id": document})


async def test_an_update_opens_a_new_known_interval_under_the_same_id(api: Api) -> None:
    ada, acme = await api.entity("Ada"), await api.entity("Acme")
    id = await api.relationship(ada, "WORKS_AT", acme, description="d", properties={"a": 1}, validFrom="2020")
    await api.do("updateRelationship", "relationship { id }", id=id, strength=0.25, expectedVersion=1)
    done = await api.do(
        "updateRelationship",
        f"relationship {{ {SAID} validFrom validTo }}",
        id=id,
        type="led by",
        description=None,
        properties={"b": [1, None]},
        bidirectional=True,
        validFrom=None,
        validTo="2024-06",
    )
    assert done["relationship"] == {
        "id": id,
        "type": "LED_BY",
        "description": None,
        "confidence": 1.0,
        "strength": 0.25,
        "bidirectional": True,
        "properties": {"b": [1, None]},
        "status": "CURRENT",
        "version": 3,
        "validFrom": None,
        "validTo": "2024-07-01T00:00:00Z",
    }
    instants = [row["at"] for row in await api.rows(models.Change, node_kind="rel")]
    history = await api.rows(models.RelationshipVersion)
    assert [(row["known_from"], row["known_to"]) for row in history] == list(pairwise(instants))
    assert [(row["version"], row["type"], row["strength"]) for row in history] == [
        (1, "WORKS_AT", 1.0),
        (2, "WORKS_AT", 0.25),
    ]
    (row,) = await api.rows(models.Relationship)
    assert row["known_from"] == instants[-1]
    async with api.unchanged():
        await api.do(
            "updateRelationship", "relationship { id }", id=id, type="Led By", validTo="2024-06", strength=0.25
        )


async def test_an_update_is_refused_where_a_field_or_the_version_is_wrong(api: Api) -> None:
    ada, acme = await api.entity("Ada"), await api.entity("Acme")
    id = await api.relationship(ada, "WORKS_AT", acme, validFrom="2020")
    for field in ("type", "strength", "confidence", "bidirectional"):
        refused = await api.refused("updateRelationship", id=id, **{field: None})
        assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", field)
    for field, value in (("type", "?"), ("strength", 2), ("confidence", -1), ("properties", 5), ("validTo", "2019")):
        refused = await api.refused("updateRelationship", id=id, **{field: value})
        assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", field)
    for mutation, rest in {"updateRelationship": {"strength": 0.5}, "retractRelationship": {}}.items():
        refused = await api.refused(mutation, id=id, expectedVersion=2, **rest)
        assert (refused["code"], refused["argument"]) == ("CONFLICT", "expectedVersion")


async def test_an_update_never_makes_an_edge_the_same_as_another(api: Api) -> None:
    ada, acme = await api.entity("Ada"), await api.entity("Acme")
    first = await api.relationship(ada, "WORKS_AT", acme, validFrom="2021", validTo="2023")
    await api.relationship(ada, "WORKS_AT", acme, validFrom="2025")
    refused = await api.refused("updateRelationship", id=first, validTo="2025")
    assert refused["code"] == "CONFLICT"
    other = await api.relationship(ada, "WORKED_AT", acme, validFrom="2024", validTo="2024")
    done = await api.do("updateRelationship", "relationship { type }", id=other, type="WORKS_AT")
    assert done["relationship"]["type"] == "WORKS_AT"
    refused = await api.refused("updateRelationship", id=other, validFrom="2023")
    assert refused["code"] == "CONFLICT"


async def test_a_retracted_edge_leaves_the_lists_and_stays_in_the_history(api: Api) -> None:
    ada, acme = await api.entity("Ada"), await api.entity("Acme")
    id = await api.relationship(ada, "WORKS_AT", acme)
    done = await api.do("retractRelationship", "relationship { id status version }", id=id, reason="Never true.")
    assert done == {"relationship": {"id": id, "status": "RETRACTED", "version": 2}}
    assert await edges(api, ada) == []
    assert await edges(api, acme) == []
    shown = "relationships(filter: {statuses: [RETRACTED]}) { nodes { id } totalCount }"
    assert (await api.volume(shown))["relationships"] == {"nodes": [{"id": id}], "totalCount": 1}
    (change,) = (await api.volume("changes(first: 1) { nodes { kind after at } }"))["changes"]["nodes"]
    assert (change["kind"], change["after"]) == ("RETRACTED", {"status": "RETRACTED", "statusReason": "Never true."})
    (past,) = await api.rows(models.RelationshipVersion)
    assert (past["status"], past["known_to"]) == ("CURRENT", datetime.fromisoformat(change["at"]))
    async with api.unchanged():
        assert await api.do("retractRelationship", "relationship { id status version }", id=id) == done
    refused = await api.refused("updateRelationship", id=id, strength=0.5)
    assert (refused["code"], refused["argument"]) == ("CONFLICT", "id")
    assert await api.relationship(ada, "WORKS_AT", acme) == id


async def test_the_same_edge_stated_many_times_at_once_is_one_row_between_two_entities(api: Api) -> None:
    document = "mutation($i: CreateRelationshipInput!) { createRelationship(input: $i) { relationship { id } duplicateOf { id } } }"
    ends = [
        {"source": named(a), "target": named(b), "type": t}
        for a, b, t in [("Ada", "Acme", "at"), ("ADA", "acme, Inc.", "AT")]
    ]
    answers = await asyncio.gather(*(api.ask(document, i=edge) for edge in ends * 6))
    payloads = [answer["createRelationship"] for answer in answers]
    assert len({payload["relationship"]["id"] for payload in payloads}) == 1
    assert sum(payload["duplicateOf"] is None for payload in payloads) == 1
    assert len(await api.rows(models.Entity)) == 2


@pytest.mark.parametrize("direction", ["OUT", "IN", "BOTH"])
async def test_pages_of_edges_and_neighbours_neither_lose_nor_repeat(api: Api, direction: str) -> None:
    hub = await api.entity("Hub")
    others = [await api.entity(f"N{n}") for n in range(5)]
    for n, other in enumerate(others):
        ends = (hub, other) if n % 2 else (other, hub)
        await api.relationship(ends[0], "KNOWS", ends[1], bidirectional=n == 2)
    query = """query($id: ID!, $d: Direction!, $a: String, $b: String) { node(id: $id) { ... on Entity {
        relationships(direction: $d, first: 2, after: $a) { nodes { id } pageInfo { hasNextPage endCursor } }
        neighbors(direction: $d, first: 2, after: $b) { edges { node { name } relationship { id } } pageInfo { hasNextPage endCursor } }
    } } }"""
    pages: list[list[str]] = []
    names: list[str] = []
    cursors: dict[str, str | None] = {"a": None, "b": None}
    more = True
    while more:
        node = (await api.ask(query, id=hub, d=direction, **cursors))["node"]
        edges, neighbors = node["relationships"], node["neighbors"]
        pages.append([edge["id"] for edge in edges["nodes"]])
        assert [edge["relationship"]["id"] for edge in neighbors["edges"]] == pages[-1]
        names += [edge["node"]["name"] for edge in neighbors["edges"]]
        more = edges["pageInfo"]["hasNextPage"]
        assert neighbors["pageInfo"]["hasNextPage"] == more
        cursors = {"a": edges["pageInfo"]["endCursor"], "b": neighbors["pageInfo"]["endCursor"]}
    expected = {"OUT": ["N1", "N2", "N3"], "IN": ["N0", "N2", "N4"], "BOTH": ["N0", "N1", "N2", "N3", "N4"]}
    assert names == expected[direction]
    assert [len(page) for page in pages] == {"OUT": [2, 1], "IN": [2, 1], "BOTH": [2, 2, 1]}[direction]
