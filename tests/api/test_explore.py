"""Explorations, through GraphQL: what each depth brings, within a token budget, in views, and at a constant number of statements."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from explored import Notes, ledger, wide

from server import models
from server.ids import NodeKind, encode_id, new_id
from server.services.extraction.protocol import ExtractedEntity, ExtractedRelationship, Extraction, Span
from server.services.tokens import count

if TYPE_CHECKING:
    from api.conftest import Api

FULL = """{ memories { how hops score via { __typename ... on Memory { title } ... on Entity { name } }
        memory { id title content context keywords tags importance } }
    entities { relationshipCount memoryCount entity { id name type description aliases } }
    relationships { id type text description strength confidence status validFrom validTo source { id name type } target { id name type } }
    documents { id title uri } codeArtifacts { id title language description code tags } projects { id name description }
    totalNodes themes suggestedQueries tokens truncated omitted { kind reason count } }"""
"""What a client asks for that shows everything."""
TYPES = {
    "depth": "ExplorationDepth!",
    "first": "Int!",
    "linksPerMemory": "Int!",
    "projects": "[ID!]",
    "tokenBudget": "Int!",
}
TYPES |= {"context": "String"}


async def explore(api: Api, query: str, volume: str = "default", view: str = "", **arguments: Any) -> dict[str, Any]:
    """Return an exploration with all of its fields."""
    declared = "".join(f", ${name}: {TYPES[name]}" for name in arguments)
    given = "".join(f", {name}: ${name}" for name in arguments)
    asked = (
        f"query($q: String!, $v: String!{declared}) {{ volume(name: $v{view}) {{ explore(query: $q{given}) {FULL} }} }}"
    )
    found: dict[str, Any] = (await api.ask(asked, q=query, v=volume, **arguments))["volume"]["explore"]
    return found


def brief(found: dict[str, Any]) -> dict[str, Any]:
    """Return what an exploration found, by names."""
    return {
        "memories": [
            (one["memory"]["title"], one["how"], one["hops"], one["via"] and next(iter(list(one["via"].values())[1:])))
            for one in found["memories"]
        ],
        "entities": [
            (one["entity"]["name"], one["relationshipCount"], one["memoryCount"]) for one in found["entities"]
        ],
        "relationships": [one["text"] for one in found["relationships"]],
        "others": [one["title"] for name in ("documents", "codeArtifacts") for one in found[name]]
        + [one["name"] for one in found["projects"]],
        "omitted": {(one["kind"], one["reason"]): one["count"] for one in found["omitted"]},
    }


async def default(api: Api) -> UUID:
    volume = await api.store.volume("default")
    assert volume is not None
    return volume.id


@pytest.fixture
async def ids(api: Api) -> dict[str, UUID]:
    """The notes on a ledger, in the volume "default"."""
    return await ledger(api.store, await default(api))


MEMORIES = [("ledger design", "PRIMARY", 0, None), ("retries", "LINKED", 1, "ledger design")]
ENTITIES = [("Ledger", 5, 2), ("Queue", 4, 1), ("Ada", 1, 0), ("Archive", 0, 1)]
EDGES = ["Ledger calls Ledger", "Ledger reads Queue", "Ledger uses Queue", "Queue feeds Ledger", "Ada owns Ledger"]
OTHERS = ["Specification", "posting", "Payments"]


@pytest.mark.usefixtures("ids")
async def test_a_shallow_one_shows_memories_their_links_and_what_they_refer_to(api: Api) -> None:
    found = await explore(api, "ledger design", first=1)
    assert brief(found) == {
        "memories": MEMORIES,
        "entities": [],
        "relationships": [],
        "others": OTHERS,
        "omitted": {},
    }
    assert [one["score"] for one in found["memories"]] == [1.0, pytest.approx(0.72)]
    assert (found["totalNodes"], found["truncated"], found["themes"]) == (5, False, ["books", "Accounts"])
    assert found["suggestedQueries"] == ["What is known about books?", "What is known about Accounts?"]


@pytest.mark.usefixtures("ids")
async def test_a_medium_one_shows_entities_and_all_their_relationships_through_cycles_and_loops(api: Api) -> None:
    found = await explore(api, "ledger design", first=1, depth="MEDIUM")
    assert brief(found) == {
        "memories": MEMORIES,
        "entities": ENTITIES,
        "relationships": [*EDGES, "Queue runs on Cluster"],
        "others": OTHERS,
        "omitted": {},
    }
    last = found["relationships"][-1]
    assert (last["source"]["name"], last["target"]["name"], last["target"]["type"]) == ("Queue", "Cluster", "service")
    assert found["themes"] == ["books", "Accounts", "Ledger", "Queue"]
    assert found["suggestedQueries"][:2] == ["What is known about Cluster?", "What is known about Queue?"]


@pytest.mark.usefixtures("ids")
async def test_a_deep_one_also_shows_memories_about_the_entities_as_long_as_they_matter(api: Api) -> None:
    found = brief(await explore(api, "ledger design", first=1, depth="DEEP"))
    assert found["memories"] == [*MEMORIES, ("audit", "ENTITY_LINKED", 1, "Ledger")]
    assert (found["entities"], found["omitted"]) == (ENTITIES, {("MEMORY", "RELEVANCE"): 1})


@pytest.mark.usefixtures("ids")
async def test_each_memory_stands_once_by_its_shortest_way(api: Api) -> None:
    found = brief(await explore(api, "ledger design", first=100, depth="DEEP"))
    assert sorted(found["memories"]) == [
        (title, "PRIMARY", 0, None) for title in ("audit", "holiday", "ledger design", "retries")
    ]


async def test_an_obsolete_memory_is_left_out_until_it_is_restored(api: Api, ids: dict[str, UUID]) -> None:
    gone = encode_id(NodeKind.MEMORY, ids["gone"])
    await api.do("restoreMemory", "memory { id }", id=gone)
    found = brief(await explore(api, "ledger design", first=1, depth="DEEP"))
    assert found["memories"] == [
        MEMORIES[0],
        ("gone", "LINKED", 1, "ledger design"),
        MEMORIES[1],
        ("audit", "ENTITY_LINKED", 1, "Ledger"),
    ]
    await api.do("supersedeMemory", "memory { id }", id=encode_id(NodeKind.MEMORY, ids["ledger design"]))
    assert "ledger design" not in [one[0] for one in brief(await explore(api, "ledger design"))["memories"]]


async def test_what_was_merged_stands_once(api: Api, ids: dict[str, UUID]) -> None:
    into, merged = (encode_id(NodeKind.ENTITY, ids[name]) for name in ("Ledger", "Queue"))
    await api.do("mergeEntities", "entity { id }", into=into, **{"from": [merged]})
    found = brief(await explore(api, "ledger design", first=1, depth="DEEP"))
    assert found["entities"][0] == ("Ledger", 3, 3)
    assert sorted(name for name, _, _ in found["entities"]) == ["Ada", "Archive", "Ledger"]
    assert sorted(found["relationships"]) == ["Ada owns Ledger", "Ledger calls Ledger", "Ledger runs on Cluster"]


@pytest.mark.usefixtures("ids")
async def test_links_beyond_those_that_were_asked_for_are_counted(api: Api) -> None:
    for links, shown in ((0, MEMORIES[:1]), (1, MEMORIES)):
        found = brief(await explore(api, "ledger design", first=1, linksPerMemory=links))
        assert (found["memories"], found["omitted"]) == (shown, {} if links else {("MEMORY_LINK", "LIMIT"): 1})


@pytest.mark.usefixtures("ids")
async def test_it_says_the_same_each_time(api: Api) -> None:
    first = await explore(api, "ledger design", depth="DEEP", tokenBudget=100)
    assert await explore(api, "ledger design", depth="DEEP", tokenBudget=100) == first


async def test_fields_below_its_nodes_are_those_of_the_nodes(api: Api, ids: dict[str, UUID]) -> None:
    below = """memories { memory { id links { nodes { title } } documents { nodes { title } } entities { nodes { name } } } }
        entities { entity { name relationships(direction: OUT) { totalCount } } }"""
    found = (await api.volume(f'explore(query: "ledger design", first: 1, depth: MEDIUM) {{ {below} }}'))["explore"]
    assert found["memories"][0]["memory"] == {
        "id": encode_id(NodeKind.MEMORY, ids["ledger design"]),
        "links": {"nodes": [{"title": "retries"}]},
        "documents": {"nodes": [{"title": "Specification"}]},
        "entities": {"nodes": [{"name": "Ledger"}]},
    }
    assert found["entities"][0]["entity"] == {"name": "Ledger", "relationships": {"totalCount": 3}}


def tokens_of(found: dict[str, Any]) -> int:
    """Return how many tokens the text of an exploration has."""
    memories = [one["memory"] for one in found["memories"]]
    texts = [text for m in memories for text in (m["title"], m["content"], m["context"], *m["keywords"], *m["tags"])]
    texts += [one["entity"][name] for one in found["entities"] for name in ("name", "type", "description")]
    texts += [one[name] for one in found["relationships"] for name in ("text", "description")]
    texts += [one[name] for one in found["documents"] for name in ("title", "uri")]
    texts += [one[name] for one in found["codeArtifacts"] for name in ("title", "language", "description", "code")]
    texts += [tag for one in found["codeArtifacts"] for tag in one["tags"]]
    texts += [one[name] for one in found["projects"] for name in ("name", "description")]
    return sum(count(text) for text in [*texts, *found["themes"], *found["suggestedQueries"]] if text)


def numbers(found: dict[str, Any]) -> dict[str, int]:
    """Return how many of each kind an exploration shows or has no room for."""
    kinds = {"MEMORY": "memories", "ENTITY": "entities", "RELATIONSHIP": "relationships", "DOCUMENT": "documents"}
    kinds |= {"CODE_ARTIFACT": "codeArtifacts", "PROJECT": "projects"}
    left = {one["kind"]: one["count"] for one in found["omitted"] if one["reason"] == "TOKEN_BUDGET"}
    return {kind: len(found[name]) + left.get(kind, 0) for kind, name in kinds.items()}


async def test_it_never_has_more_tokens_than_its_budget_and_counts_what_has_no_room(api: Api) -> None:
    await wide(api.store, await default(api), 40)
    whole = await explore(api, "pump note", depth="DEEP", tokenBudget=100_000)
    assert (whole["truncated"], whole["tokens"]) == (False, tokens_of(whole))
    everything = numbers(whole)
    for budget in (100, 137, 250, 500, 900, 1_500, whole["tokens"] - 1):
        found = await explore(api, "pump note", depth="DEEP", tokenBudget=budget)
        assert found["tokens"] == tokens_of(found) <= budget
        assert found["truncated"]
        assert numbers(found) == everything
        titles = {one["memory"]["title"] for one in found["memories"]} | {
            one["entity"]["name"] for one in found["entities"]
        }
        assert all(one["via"] is None or set(one["via"].values()) & titles for one in found["memories"])
        entries = [one for one in found["memories"] if one["how"] == "PRIMARY"]
        assert len(entries) == 5 or not found["relationships"]


async def test_what_fits_comes_in_though_something_stronger_does_not_but_nothing_that_only_that_leads_to(
    api: Api, ids: dict[str, UUID]
) -> None:
    async with api.store.write(await default(api), "test") as tx:
        notes = Notes(tx, dict(ids))
        notes.memory("ledger long", "word " * 399)
        notes.link("ledger long", "audit")
        await notes.index()
    for first, shown, left in ((1, [], 2), (100, ["audit", "holiday", "ledger design", "retries"], 1)):
        found = await explore(api, "word", first=first, tokenBudget=100)
        assert sorted(one["memory"]["title"] for one in found["memories"]) == shown
        assert brief(found)["omitted"] == {("MEMORY", "TOKEN_BUDGET"): left}
        assert found["truncated"]


async def test_of_a_hub_ten_relationships_and_memories_are_followed_and_the_others_counted(api: Api) -> None:
    async with api.store.write(await default(api), "test") as tx:
        notes = Notes(tx)
        notes.entity("Hub")
        for n in range(25):
            notes.entity(f"Spoke {n:02}")
            notes.edge("Hub", "HAS", f"Spoke {n:02}", strength=1 - n / 100)
            notes.memory(f"far {n}", f"thing {n}", ["Hub"])
        notes.memory("hub entry", "hub entry", ["Hub"])
        await notes.index()
    found = brief(await explore(api, "hub entry", first=1, depth="MEDIUM"))
    assert found["entities"][0] == ("Hub", 25, 26)
    assert [text for text in found["relationships"] if "Hub has Spoke" in text][:10] == found["relationships"][:10]
    shown = len(found["relationships"])
    assert found["omitted"] == {("RELATIONSHIP", "LIMIT"): 25 - shown}
    assert 10 <= shown < 25


async def test_a_volume_with_only_documents_is_explored_by_the_entities_that_answer(api: Api) -> None:
    text = "The red pump is made by Acme. Nobody else makes one."
    said = Extraction(
        entities=[
            ExtractedEntity("p", "red pump", "product", "red pump", mentions=(Span(4, 12),)),
            ExtractedEntity("a", "Acme", "organization", "Acme", mentions=(Span(24, 28),)),
        ],
        relationships=[ExtractedRelationship("p", "MADE_BY", "a", "The red pump is made by Acme.")],
    )
    await api.document("Catalogue", text, said)
    await api.entity("Far Away", "place")
    found = brief(await explore(api, "Who makes the red pump?"))
    assert [name for name, _, _ in found["entities"]][:2] == ["red pump", "Acme"]
    assert found["relationships"] == ["red pump made by Acme"]
    assert (found["memories"], found["others"]) == ([], ["Catalogue"])
    assert [one[0] for one in brief(await explore(api, "red pump", first=1))["entities"]] == ["red pump"]


@pytest.mark.usefixtures("ids")
async def test_entities_fill_the_places_that_memories_leave_free(api: Api) -> None:
    assert brief(await explore(api, "Cluster", first=4))["entities"] == []
    assert brief(await explore(api, "Cluster", first=5))["entities"] == [("Cluster", 1, 0)]


async def test_memories_come_in_though_more_of_other_kinds_answers_better(api: Api) -> None:
    async with api.store.write(await default(api), "test") as tx:
        notes = Notes(tx)
        for n in range(230):
            notes.entity(f"valve {n}", "valve", "valve valve")
        notes.memory("unlike it", "some other thing")
        notes.memory("close to it", "valve valve valve and words")
        await notes.index()
    found = await explore(api, "valve", first=2)
    assert [(one["memory"]["title"], one["score"] <= 0.1) for one in found["memories"]] == [
        ("close to it", True),
        ("unlike it", True),
    ]
    assert found["memories"][0]["score"] > found["memories"][1]["score"]


async def test_relationships_are_those_of_the_view(api: Api, ids: dict[str, UUID]) -> None:
    async with api.store.write(await default(api), "test") as tx:
        ended = {"valid_to": datetime(2022, 1, 1, tzinfo=UTC), "valid_to_precision": "DAY", "confidence": 0.99}
        ends = {"source_id": ids["Ada"], "target_id": ids["Queue"]}
        tx.insert(models.Relationship, type="WROTE", **ends, **ended)

    async def edges(view: str) -> tuple[list[str], list[int]]:
        found = await explore(api, "ledger design", view=view, first=1, depth="MEDIUM")
        assert all("y" in one["id"] or "w" in one["id"] or not view for one in found["relationships"])
        counted = {one["entity"]["name"]: one["relationshipCount"] for one in found["entities"]}
        return sorted(one["text"] for one in found["relationships"]), [counted["Ada"], counted["Queue"]]

    assert await edges("") == (sorted([*EDGES, "Queue runs on Cluster", "Ada wrote Queue"]), [2, 5])
    assert await edges(", minConfidence: 0.95") == (["Ada wrote Queue"], [1, 1])
    assert await edges(', asOf: {valid: "2023-01-01T00:00:00Z"}') == (sorted([*EDGES, "Queue runs on Cluster"]), [1, 4])
    assert await edges(', asOf: {known: "2020-01-01T00:00:00Z"}') == ([], [0, 0])


async def test_projects_bound_where_it_begins(api: Api, ids: dict[str, UUID]) -> None:
    held = {"projects": [encode_id(NodeKind.PROJECT, ids["Payments"])]}
    found = brief(await explore(api, "holiday Cluster", **held))
    assert (found["memories"], sorted(found["entities"])) == (MEMORIES, [("Ada", 1, 0), ("Archive", 0, 1)])
    for none in ([], [encode_id(NodeKind.PROJECT, new_id())]):
        found = brief(await explore(api, "ledger design", depth="DEEP", projects=none))
        assert found == {"memories": [], "entities": [], "relationships": [], "others": [], "omitted": {}}


async def test_another_volume_shows_nothing_of_this_one(api: Api, ids: dict[str, UUID]) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    empty = {"memories": [], "entities": [], "relationships": [], "others": [], "omitted": {}}
    project = encode_id(NodeKind.PROJECT, ids["Payments"])
    assert brief(await explore(api, "ledger design Ledger", "other", depth="DEEP")) == empty
    assert brief(await explore(api, "ledger design Ledger", "other", depth="DEEP", projects=[project])) == empty


REFUSED = {
    'query: "x", first: 0': "first",
    'query: "x", first: 101': "first",
    'query: "x", linksPerMemory: -1': "linksPerMemory",
    'query: "x", linksPerMemory: 21': "linksPerMemory",
    'query: "x", tokenBudget: 99': "tokenBudget",
    'query: "x", tokenBudget: 100001': "tokenBudget",
    'query: " "': "query",
    f'query: "{"x" * 4001}"': "query",
    f'query: "x", context: "{"x" * 4001}"': "context",
    'query: "x", projects: ["nonsense"]': "projects",
}


async def test_arguments_out_of_their_bounds_are_refused(api: Api) -> None:
    for arguments, argument in REFUSED.items():
        (error,) = (await api.send(f"{{ volume {{ explore({arguments}) {{ tokens }} }} }}"))["errors"]
        code = "NOT_FOUND" if argument == "projects" else "BAD_USER_INPUT"
        assert error["extensions"] == {"code": code, "argument": argument}


async def test_it_takes_as_many_statements_for_a_wide_volume_as_for_a_narrow_one(api: Api) -> None:
    volume, view = await default(api), ", minConfidence: 0.1"
    await ledger(api.store, volume)
    counted = []
    for width in (2, 90):
        await wide(api.store, volume, width, f"pump{width}")
        for depth, seen in (("SHALLOW", ""), ("MEDIUM", ""), ("DEEP", ""), ("DEEP", view)):
            await explore(api, f"pump{width} note", depth=depth, first=2, tokenBudget=100_000, view=seen)
            counted.append(len(api.statements))
    assert counted == [9, 19, 20, 21] * 2
    found = await explore(api, "pump90 note", depth="DEEP", first=100, tokenBudget=100_000, view=view)
    assert (len(found["memories"]), len(api.statements)) == (96, 23)
    for query in (" ".join(f"Name{n}'s" for n in range(300)), "東京大学" * 900):
        await explore(api, query, depth="DEEP", tokenBudget=100_000, view=view)
        assert len(api.statements) <= 23
