"""The change log through GraphQL: what was written, newest first, with actor, before and after, page by page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from server import models
from server.services.extraction.protocol import ExtractedEntity, ExtractedFact, Extraction

if TYPE_CHECKING:
    from api.conftest import Api

ENTRY = "kind actor before after node { __typename id }"


async def log(api: Api, first: int = 100, **filter: Any) -> list[dict[str, Any]]:
    """Return the newest entries of the log, and check their total."""
    asked = f"changes(first: {first}, filter: $f) {{ nodes {{ {ENTRY} }} totalCount }}"
    found = (await api.volume(asked, f=("ChangeFilter", filter)))["changes"]
    assert found["totalCount"] == len(found["nodes"]) or len(found["nodes"]) == first
    entries: list[dict[str, Any]] = found["nodes"]
    return entries


async def newest(api: Api) -> dict[str, Any]:
    """Return the newest entry with its node's id alone."""
    (entry,) = await log(api, first=1)
    assert entry.pop("actor") == "local"
    node = entry.pop("node")
    return {**entry, "node": node and node["id"]}


async def test_each_action_on_an_entity_is_one_entry_with_what_changed(api: Api) -> None:
    id = await api.entity("Ada", "person", aliases=["Countess"], importance=0.75)
    created = {"name": "Ada", "type": "person", "sense": "", "description": None, "properties": {}, "confidence": 1.0}
    after = {**created, "importance": 0.75, "aliases": ["Countess"]}
    assert await newest(api) == {"kind": "CREATED", "before": None, "after": after, "node": id}
    await api.do(
        "updateEntity", "entity { id }", id=id, description="d", aliases=["Countess", "A. L."], importance=0.75
    )
    before = {"description": None, "aliases": ["Countess"]}
    after = {"description": "d", "aliases": ["A. L.", "Countess"]}
    assert await newest(api) == {"kind": "UPDATED", "before": before, "after": after, "node": id}
    await api.entity("Ada", "person", aliases=["Lady"])
    before, after = {"aliases": ["A. L.", "Countess"]}, {"aliases": ["A. L.", "Countess", "Lady"]}
    assert await newest(api) == {"kind": "UPDATED", "before": before, "after": after, "node": id}
    await api.do("deleteEntity", "deletedId", id=id)
    assert await newest(api) == {"kind": "DELETED", "before": None, "after": None, "node": None}
    assert [(entry["kind"], entry["before"], entry["after"]) for entry in (await log(api))[:-1]] == [
        ("DELETED", None, None),
        ("UPDATED", None, None),
        ("UPDATED", None, None),
        ("CREATED", None, None),
    ]


async def test_each_action_on_a_claim_is_one_entry_with_what_changed(api: Api) -> None:
    ada, bob = await api.entity("Ada"), await api.entity("Bob")
    fact = await api.fact(ada, "Earns", predicate="earns", value="$5", valueType="MONEY", validFrom="2020")
    assert await newest(api) == {
        "kind": "CREATED",
        "before": None,
        "after": {
            "subject": ada,
            "content": "Earns",
            "category": None,
            "predicate": "EARNS",
            "value": "5 USD",
            "valueType": "MONEY",
            "confidence": 1.0,
            "status": "CURRENT",
            "validFrom": "2020-01-01T00:00:00+00:00",
            "validTo": None,
        },
        "node": fact,
    }
    await api.do("updateFact", "fact { id }", id=fact, confidence=0.75)
    before, after = {"confidence": 1.0}, {"confidence": 0.75}
    assert await newest(api) == {"kind": "UPDATED", "before": before, "after": after, "node": fact}
    edge = await api.relationship(ada, "knows", bob, description="since school")
    entry = await newest(api)
    assert (entry["kind"], entry["node"]) == ("CREATED", edge)
    assert {name: entry["after"][name] for name in ("source", "type", "target", "description")} == {
        "source": ada,
        "type": "KNOWS",
        "target": bob,
        "description": "since school",
    }
    await api.do("retractRelationship", "relationship { id }", id=edge, reason="No.")
    before, after = {"status": "CURRENT", "statusReason": None}, {"status": "RETRACTED", "statusReason": "No."}
    assert await newest(api) == {"kind": "RETRACTED", "before": before, "after": after, "node": edge}


async def test_each_action_on_a_memory_is_one_entry_with_what_changed(api: Api) -> None:
    ada = await api.entity("Ada")
    other, id = await api.memory("other", "words"), await api.memory("m", "c", tags=["t"])
    created = {"title": "m", "content": "c", "context": None, "keywords": [], "tags": ["t"], "importance": 5}
    assert await newest(api) == {"kind": "CREATED", "before": None, "after": {**created, "provenance": {}}, "node": id}
    await api.do("updateMemory", "memory { id }", id=id, tags=["u"], title="m")
    assert await newest(api) == {"kind": "UPDATED", "before": {"tags": ["t"]}, "after": {"tags": ["u"]}, "node": id}
    await api.do("attachToMemory", "memory { id }", id=id, entities=[ada])
    attached = {"attached": {"entities": [ada]}}
    assert await newest(api) == {"kind": "UPDATED", "before": None, "after": attached, "node": id}
    await api.do("detachFromMemory", "memory { id }", id=id, entities=[ada])
    assert await newest(api) == {"kind": "UPDATED", "before": attached, "after": None, "node": id}
    await api.do("linkMemories", "link { type }", memory=id, other=other)
    linked = {"linked": other, "type": "RELATED"}
    assert await newest(api) == {"kind": "UPDATED", "before": None, "after": linked, "node": id}
    await api.do("unlinkMemories", "removed", memory=id, other=other)
    entry = await newest(api)
    assert (entry["kind"], entry["before"]["linked"], entry["after"], entry["node"]) == ("UPDATED", other, None, id)
    await api.do("supersedeMemory", "memory { id }", id=id, by=other, reason="Old.")
    before = {"obsolete": False, "obsoleteReason": None, "supersededBy": None}
    after = {"obsolete": True, "obsoleteReason": "Old.", "supersededBy": other}
    assert await newest(api) == {"kind": "SUPERSEDED", "before": before, "after": after, "node": id}
    await api.do("restoreMemory", "memory { id }", id=id)
    assert await newest(api) == {"kind": "UPDATED", "before": after, "after": before, "node": id}


async def test_an_ingestion_is_logged_by_what_it_found_and_never_with_the_content(api: Api) -> None:
    text = "Ada sings. The zebra does not."
    found = Extraction([ExtractedEntity("a", "Ada", "person", "Ada")], [ExtractedFact("a", "Sings", "Ada sings")])
    document = await api.document("Notes", text, found)
    entries = await log(api)
    assert [(entry["kind"], entry["node"]["__typename"]) for entry in reversed(entries)] == [
        ("CREATED", "Volume"),
        ("CREATED", "Document"),
        ("CREATED", "Entity"),
        ("CREATED", "Fact"),
    ]
    assert entries[2]["node"]["id"] == document
    assert "zebra" not in str(await api.rows(models.Change))
    async with api.unchanged():
        await api.document("Notes", text, found)


async def test_entries_come_newest_first_with_strictly_decreasing_instants(api: Api) -> None:
    ids = [await api.entity(name) for name in "abc"]
    found = (await api.volume("changes { nodes { at node { id } } }"))["changes"]["nodes"]
    assert [entry["node"]["id"] for entry in found[:-1]] == ids[::-1]
    instants = [entry["at"] for entry in found]
    assert instants == sorted(set(instants), reverse=True)
    assert all(instant.endswith("Z") for instant in instants)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
async def test_pages_walk_through_batches_and_are_right_under_writes_in_between(api: Api, size: int) -> None:
    await api.entity("First")
    imported = [{"key": f"k{n}", "name": f"Imported {n}", "type": "t"} for n in range(5)]
    done = await api.do("importGraph", "entities { entity { id } }", entities=imported)
    await api.entity("Last")
    everything = [entry["node"]["id"] for entry in await log(api)]
    assert {item["entity"]["id"] for item in done["entities"]} == {*everything[1:6]}
    seen: list[str] = []
    after, more = None, True
    asked = f"changes(first: {size}, after: $a) {{ edges {{ cursor node {{ node {{ id }} }} }} pageInfo {{ hasNextPage endCursor }} totalCount }}"
    while more:
        page = (await api.volume(asked, a=("String", after)))["changes"]
        assert page["totalCount"] == len(await api.rows(models.Change)) + 4
        assert page["edges"][-1]["cursor"] == page["pageInfo"]["endCursor"]
        seen += [edge["node"]["node"]["id"] for edge in page["edges"]]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
        await api.entity(f"Meanwhile {len(seen)}")
    assert seen == everything
    assert len(set(seen)) == 8


async def test_the_log_is_filtered_by_kind_and_actor(api: Api) -> None:
    ada = await api.entity("Ada")
    fact = await api.fact(ada, "Sings")
    await api.do("updateEntity", "entity { id }", id=ada, description="d")
    await api.do("retractFact", "fact { id }", id=fact)
    assert [entry["kind"] for entry in await log(api)] == ["RETRACTED", "UPDATED", "CREATED", "CREATED", "CREATED"]
    assert [entry["kind"] for entry in await log(api, kinds=["UPDATED", "RETRACTED"])] == ["RETRACTED", "UPDATED"]
    assert await log(api, kinds=["SUPERSEDED"]) == []
    assert await log(api, kinds=[]) == []
    assert len(await log(api, actors=["local"])) == 4
    assert [entry["node"]["__typename"] for entry in await log(api, actors=["test"])] == ["Volume"]
    assert [entry["kind"] for entry in await log(api, actors=["local"], kinds=["UPDATED"])] == ["UPDATED"]
    assert await log(api, actors=["Local", "' OR 1=1 --"]) == []


async def test_a_cursor_that_was_tampered_with_or_is_of_another_list_is_refused(api: Api) -> None:
    for name in "abc":
        await api.entity(name)
    page = await api.volume(
        "changes(first: 1) { pageInfo { endCursor } } entities(first: 1) { pageInfo { endCursor } }"
    )
    own, other = (page[name]["pageInfo"]["endCursor"] for name in ("changes", "entities"))
    middle = len(own) // 2
    tampered = own[:middle] + ("A" if own[middle] != "A" else "B") + own[middle + 1 :]
    query = "query($a: String, $f: ChangeFilter) { volume { changes(first: 1, after: $a, filter: $f) { totalCount } } }"
    for cursor, filter in (
        (other, None),
        (tampered, None),
        ("", None),
        ("nonsense", None),
        (own, {"kinds": ["CREATED"]}),
    ):
        (error,) = (await api.send(query, a=cursor, f=filter))["errors"]
        assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("BAD_USER_INPUT", "after")


@pytest.mark.parametrize("first", [0, -1, 101])
async def test_a_page_has_one_to_a_hundred_entries(api: Api, first: int) -> None:
    (error,) = (await api.send(f"{{ volume {{ changes(first: {first}) {{ totalCount }} }} }}"))["errors"]
    assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("BAD_USER_INPUT", "first")
    (error,) = (await api.send(f"{{ volume {{ facts(first: {first}) {{ totalCount }} }} }}"))["errors"]
    assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("BAD_USER_INPUT", "first")


async def test_an_entry_is_found_again_by_its_id_and_by_its_cursor(api: Api) -> None:
    ids = [await api.entity(name) for name in "abc"]
    await api.do("importGraph", "entitiesCreated", entities=[{"key": n, "name": n, "type": "t"} for n in "de"])
    entries = (await api.volume("changes { nodes { id cursor node { id } } }"))["changes"]["nodes"]
    assert len({entry["id"] for entry in entries}) == len(entries) == 6
    asked = "query($i: [ID!]!) { nodes(ids: $i) { id ... on Change { kind node { id } } } }"
    found = (await api.ask(asked, i=[entry["id"] for entry in entries]))["nodes"]
    assert [(node["id"], node["kind"], node["node"]) for node in found] == [
        (entry["id"], "CREATED", entry["node"]) for entry in entries
    ]
    rest = await api.volume("changes(after: $a) { nodes { node { id } } }", a=("String", entries[2]["cursor"]))
    assert [entry["node"]["id"] for entry in rest["changes"]["nodes"][:-1]] == [ids[1], ids[0]]
