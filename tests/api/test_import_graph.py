"""importGraph: all or nothing, local keys, identity as by hand, one log entry, counts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

COUNTS = "entitiesCreated factsCreated relationshipsCreated memoriesCreated"
PAYLOAD = f"{COUNTS} entities {{ key entity {{ id name }} }}"


def entity(key: str, name: str | None = None, type: str = "person", **rest: Any) -> dict[str, Any]:
    """Return an entity to import."""
    return {"key": key, "name": name or key, "type": type, **rest}


def graph() -> dict[str, list[dict[str, Any]]]:
    """Return a graph of each kind of item."""
    return {
        "entities": [
            entity("ada", "Ada", description="d", aliases=["Countess"], properties={"a": 1}),
            entity("bob", "Bob"),
        ],
        "facts": [
            {"subject": "ada", "content": "Sings", "category": "arts", "validFrom": "2020", "validTo": "2021"},
            {
                "subject": "bob",
                "content": "Earns",
                "predicate": "earns",
                "value": "$5",
                "valueType": "MONEY",
                "confidence": 0.5,
            },
        ],
        "relationships": [{"source": "ada", "target": "bob", "type": "knows", "properties": {"b": 2}, "strength": 0.5}],
        "memories": [{"title": "m", "content": "c", "tags": ["t"], "importance": 7, "entities": ["ada", "bob"]}],
    }


async def test_a_graph_is_written_as_by_hand_and_tied_together_by_its_keys(api: Api) -> None:
    done = await api.do("importGraph", PAYLOAD, **graph())
    ada, bob = (item["entity"]["id"] for item in done["entities"])
    assert done == {
        "entitiesCreated": 2,
        "factsCreated": 2,
        "relationshipsCreated": 1,
        "memoriesCreated": 1,
        "entities": [
            {"key": "ada", "entity": {"id": ada, "name": "Ada"}},
            {"key": "bob", "entity": {"id": bob, "name": "Bob"}},
        ],
    }
    evidence = "evidence { quote authority confidence verified document { id } }"
    own = {"authority": "USER", "verified": False, "document": None}
    read = await api.node(
        ada,
        f"""type description aliases properties confidence importance version
        facts {{ nodes {{ content category predicate valueType validFrom validTo confidence status {evidence} }} }}
        relationships {{ nodes {{ type target {{ id }} properties strength status {evidence} }} }}
        memories {{ nodes {{ title content tags importance entities {{ nodes {{ id }} }} links {{ totalCount }} }} }}""",
    )
    assert read == {
        "type": "person",
        "description": "d",
        "aliases": ["Countess"],
        "properties": {"a": 1},
        "confidence": 1.0,
        "importance": 0.5,
        "version": 1,
        "facts": {
            "nodes": [
                {
                    "content": "Sings",
                    "category": "arts",
                    "predicate": None,
                    "valueType": "NONE",
                    "validFrom": "2020-01-01T00:00:00Z",
                    "validTo": "2022-01-01T00:00:00Z",
                    "confidence": 1.0,
                    "status": "CURRENT",
                    "evidence": [{"quote": "Sings", "confidence": 1.0, **own}],
                }
            ]
        },
        "relationships": {
            "nodes": [
                {
                    "type": "KNOWS",
                    "target": {"id": bob},
                    "properties": {"b": 2},
                    "strength": 0.5,
                    "status": "CURRENT",
                    "evidence": [{"quote": "Ada knows Bob", "confidence": 1.0, **own}],
                }
            ]
        },
        "memories": {
            "nodes": [
                {
                    "title": "m",
                    "content": "c",
                    "tags": ["t"],
                    "importance": 7,
                    "entities": {"nodes": [{"id": ada}, {"id": bob}]},
                    "links": {"totalCount": 0},
                }
            ]
        },
    }
    waiting = "facts(filter: {statuses: [PENDING_REVIEW]}) { nodes { predicate value valueType confidence } }"
    unsure = {"predicate": "EARNS", "value": "5 USD", "valueType": "MONEY", "confidence": 0.5}
    assert await api.node(bob, waiting) == {"facts": {"nodes": [unsure]}}
    assert (await api.volume("predicates { nodes { name } }"))["predicates"]["nodes"] == [
        {"name": "EARNS"},
        {"name": "KNOWS"},
    ]


async def test_what_is_imported_is_found_once_its_vectors_are_made(api: Api) -> None:
    await api.do("importGraph", COUNTS, **graph())
    pending = await api.rows(models.PendingVector)
    assert [(row["kind"], row["vector"]) for row in sorted(pending, key=lambda row: row["kind"])] == [
        (kind, None) for kind in ("ent", "ent", "fct", "fct", "mem")
    ]
    await api.store.follower.drain()
    assert await api.store.index.count() == 5


async def test_the_same_graph_again_makes_nothing_and_changes_nothing(api: Api) -> None:
    first = await api.do("importGraph", PAYLOAD, **graph())
    again = {name: items for name, items in graph().items() if name != "memories"}
    async with api.unchanged():
        second = await api.do("importGraph", PAYLOAD, **again)
    assert second == {
        "entitiesCreated": 0,
        "factsCreated": 0,
        "relationshipsCreated": 0,
        "memoriesCreated": 0,
        "entities": first["entities"],
    }


async def test_an_import_meets_known_entities_and_adds_what_they_lack(api: Api) -> None:
    known = await api.entity("OpenAI", "organization", properties={"kept": 1})
    fact = await api.fact(known, "Makes models", confidence=0.5)
    done = await api.do(
        "importGraph",
        PAYLOAD,
        entities=[
            entity("o", "Open AI, Inc.", "company", aliases=["OAI"], description="A lab.", properties={"lost": 1})
        ],
        facts=[{"subject": "o", "content": "makes models."}, {"subject": known, "content": "Is in the city"}],
        memories=[{"title": "m", "content": "c", "entities": [known]}],
    )
    assert done["entities"] == [{"key": "o", "entity": {"id": known, "name": "OpenAI"}}]
    assert (done["entitiesCreated"], done["factsCreated"], done["memoriesCreated"]) == (0, 1, 1)
    read = await api.node(
        known,
        "name type description aliases properties version facts { nodes { content confidence } } memories { totalCount }",
    )
    assert read == {
        "name": "OpenAI",
        "type": "organization",
        "description": "A lab.",
        "aliases": ["OAI"],
        "properties": {"kept": 1},
        "version": 2,
        "facts": {
            "nodes": [{"content": "Makes models", "confidence": 1.0}, {"content": "Is in the city", "confidence": 1.0}]
        },
        "memories": {"totalCount": 1},
    }
    assert (await api.node(fact, "version status")) == {"version": 2, "status": "CURRENT"}
    changes = "changes(filter: {kinds: [UPDATED]}) { nodes { before after node { id } } }"
    logged = {change["node"]["id"]: change for change in (await api.volume(changes))["changes"]["nodes"]}
    (review,) = logged.keys() - {known, fact}
    assert logged[review]["after"] == {"decision": "LAPSED"}
    assert logged[known]["before"] == {"aliases": [], "description": None}
    assert logged[known]["after"] == {"aliases": ["OAI"], "description": "A lab."}
    assert logged[fact]["before"] == {"confidence": 0.5, "status": "PENDING_REVIEW"}
    assert logged[fact]["after"] == {"confidence": 1.0, "status": "CURRENT"}


async def test_items_of_one_import_that_are_one_entity_by_name_alias_or_rule_are_one(api: Api) -> None:
    done = await api.do(
        "importGraph",
        PAYLOAD,
        entities=[
            entity("a", "Robert", aliases=["Bob"]),
            entity("b", "BOB", description="d"),
            entity("c", "Go", "technology"),
            entity("d", "go", "language", aliases=["Golang"]),
            entity("e", "Jordan", "person"),
            entity("f", "Jordan", "place"),
            entity("g", "C"),
            entity("h", "C++"),
        ],
    )
    ids = {item["key"]: item["entity"]["id"] for item in done["entities"]}
    assert done["entitiesCreated"] == 6
    assert ids["a"] == ids["b"]
    assert ids["c"] == ids["d"]
    assert len(set(ids.values())) == 6
    assert await api.node(ids["a"], "name description aliases") == {
        "name": "Robert",
        "description": "d",
        "aliases": ["Bob"],
    }
    assert await api.node(ids["c"], "name type aliases") == {"name": "Go", "type": "technology", "aliases": ["Golang"]}


async def test_claims_that_are_the_same_within_one_import_are_one_with_its_evidence(api: Api) -> None:
    facts = [
        {"subject": "a", "content": "Sings", "confidence": 0.5},
        {"subject": "a", "content": "sings!", "confidence": 0.75},
    ]
    edges = [{"source": "a", "target": "b", "type": t} for t in ("knows", "KNOWS")]
    edges.append({"source": "a", "target": "b", "type": "knows", "validFrom": "2020", "validTo": "2021"})
    done = await api.do("importGraph", COUNTS, entities=[entity("a"), entity("b")], facts=facts, relationships=edges)
    assert (done["factsCreated"], done["relationshipsCreated"]) == (1, 1)
    read = (await api.volume("facts { nodes { content confidence evidence { quote } } }"))["facts"]["nodes"]
    assert read == [{"content": "Sings", "confidence": 0.75, "evidence": [{"quote": "Sings"}, {"quote": "sings!"}]}]


async def test_the_log_has_one_entry_that_reads_as_one_for_each_node(api: Api) -> None:
    await api.do("importGraph", COUNTS, entities=[entity("a"), entity("b")], memories=graph()["memories"][:0])
    (row,) = await api.rows(models.Change, kind="CREATED", node_kind=None)
    assert (row["size"], len(row["batch"]), row["actor"]) == (2, 2, "local")
    changes = "changes(first: 3) { nodes { kind before after actor at node { __typename } } totalCount }"
    found = (await api.volume(changes))["changes"]
    assert found["totalCount"] == 3
    common = {"kind": "CREATED", "actor": "local", "before": None}
    at = found["nodes"][0]["at"]
    assert found["nodes"][:2] == [{**common, "after": None, "at": at, "node": {"__typename": "Entity"}}] * 2
    assert found["nodes"][2]["node"] == {"__typename": "Volume"}


WRONG: list[tuple[str, dict[str, Any], str, str]] = [
    ("entities", entity("x", " "), "BAD_USER_INPUT", "entities[2].name"),
    ("entities", entity("x", "X", ""), "BAD_USER_INPUT", "entities[2].type"),
    ("entities", entity("ada", "Again"), "BAD_USER_INPUT", "entities[2].key"),
    ("entities", entity("x", "X", importance=2), "BAD_USER_INPUT", "entities[2].importance"),
    ("entities", entity("x", "X", properties=[1]), "BAD_USER_INPUT", "entities[2].properties"),
    ("entities", entity("x", "X", aliases=["y" * 501]), "BAD_USER_INPUT", "entities[2].aliases"),
    ("facts", {"subject": "nobody", "content": "c"}, "BAD_USER_INPUT", "facts[2].subject"),
    ("facts", {"subject": "ada", "content": ""}, "BAD_USER_INPUT", "facts[2].content"),
    ("facts", {"subject": "ada", "content": "c", "validFrom": "2021", "validTo": "2020"}, "BAD_USER_INPUT", "facts[2].validTo"),
    ("facts", {"subject": "ada", "content": "c", "value": "x", "valueType": "MONEY"}, "BAD_USER_INPUT", "facts[2].value"),
    ("facts", {"subject": "ada", "content": "c", "confidence": -1}, "BAD_USER_INPUT", "facts[2].confidence"),
    ("relationships", {"source": "nobody", "target": "ada", "type": "t"}, "BAD_USER_INPUT", "relationships[1].source"),
    ("relationships", {"source": "ada", "target": "nobody", "type": "t"}, "BAD_USER_INPUT", "relationships[1].target"),
    ("relationships", {"source": "ada", "target": "bob", "type": "?"}, "BAD_USER_INPUT", "relationships[1].type"),
    ("relationships", {"source": "ada", "target": "bob", "type": "t", "strength": 9}, "BAD_USER_INPUT", "relationships[1].strength"),
    ("memories", {"title": "t" * 201, "content": "c"}, "BAD_USER_INPUT", "memories[1].title"),
    ("memories", {"title": "t", "content": "c", "importance": 11}, "BAD_USER_INPUT", "memories[1].importance"),
    ("memories", {"title": "t", "content": "c", "entities": ["ada", "nobody"]}, "BAD_USER_INPUT", "memories[1].entities"),
]  # fmt: skip


async def test_one_wrong_item_refuses_the_whole_import_under_its_place(api: Api) -> None:
    async with api.unchanged():
        for kind, item, code, argument in WRONG:
            whole = graph()
            whole[kind].append(item)
            refused = await api.refusal("importGraph", idempotencyKey="k", **whole)
            assert (refused["code"], refused["argument"]) == (code, argument)


async def test_an_id_that_is_unknown_foreign_or_of_another_kind_refuses_the_whole_import(api: Api) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    foreign = await api.entity("Foreign", volume="other")
    fact = await api.fact(await api.entity("Local"), "Is here")
    unknown = foreign[:-1] + ("0" if foreign[-1] != "0" else "g")
    for id in (foreign, fact, unknown):
        for kind, item, argument in (
            ("facts", {"subject": id, "content": "c"}, "facts[2].subject"),
            ("relationships", {"source": id, "target": "ada", "type": "t"}, "relationships[1].source"),
            ("relationships", {"source": "ada", "target": id, "type": "t"}, "relationships[1].target"),
            ("memories", {"title": "t", "content": "c", "entities": ["ada", id]}, "memories[1].entities"),
        ):
            whole = graph()
            whole[kind].append(item)
            refused = await api.refused("importGraph", **whole)
            assert (refused["code"], refused["argument"]) == ("NOT_FOUND", argument)


async def test_a_name_of_several_entities_refuses_the_whole_import(api: Api) -> None:
    ids = [await api.entity("Li Wei", "person", sense=sense) for sense in ("CFO of A", "CFO of B")]
    whole = graph()
    whole["entities"].append(entity("li", "li wei"))
    refused = await api.refused("importGraph", **whole)
    assert (refused["code"], refused["argument"], refused["candidates"]) == ("AMBIGUOUS", "entities[2].name", ids)
    whole["entities"][-1]["sense"] = "CFO of B"
    done = await api.do("importGraph", PAYLOAD, **whole)
    assert done["entities"][-1] == {"key": "li", "entity": {"id": ids[1], "name": "Li Wei"}}


async def test_an_import_past_the_limit_of_its_items_is_refused(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = api.knowledge.settings.model_copy(update={"import_limit": 6})
    monkeypatch.setattr(api.knowledge, "settings", settings)
    whole = graph()
    whole["memories"].append({"title": "t", "content": "c"})
    refused = await api.refused("importGraph", **whole)
    assert (refused["code"], refused["argument"]) == ("LIMIT_EXCEEDED", "input")
    assert (await api.do("importGraph", COUNTS, **graph()))["entitiesCreated"] == 2


async def test_an_empty_import_writes_nothing(api: Api) -> None:
    async with api.unchanged():
        done = await api.do("importGraph", COUNTS)
    assert done == dict.fromkeys(COUNTS.split(), 0)


async def test_the_number_of_statements_does_not_grow_with_the_items(api: Api) -> None:
    def sized(n: int, prefix: str) -> dict[str, Any]:
        keys = [f"{prefix}{i}" for i in range(n)]
        return {
            "entities": [entity(key) for key in keys],
            "facts": [{"subject": key, "content": f"About {key}"} for key in keys],
            "relationships": [{"source": a, "target": b, "type": "t"} for a, b in pairwise(keys)],
        }

    counted = []
    for n, prefix in ((2, "a"), (2, "b"), (40, "c")):
        await api.do("importGraph", COUNTS, **sized(n, prefix))
        counted.append(len(api.statements))
    assert counted == [counted[1] + 1, counted[1], counted[1]], "the first one makes the type known"
