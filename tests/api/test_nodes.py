"""Finding things by their ids: every kind of node, and what is no node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from graphql import build_schema as parse_schema
from worlds import World, new_volume, new_world

from schema import build_schema
from schema.limits import Limits
from server import models
from server.ids import NodeKind, encode_id, new_id

if TYPE_CHECKING:
    from api.conftest import Api

NODES = "query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }"
TYPES = {
    "Volume": "volume { id }",
    "Entity": "volume { entities(first: 1) { nodes { id } } }",
    "EntityMerge": "volume { entities(first: 1) { nodes { mergedFrom { nodes { id } } } } }",
    "Fact": "volume { facts(first: 1) { nodes { id } } }",
    "Relationship": "volume { relationships(first: 1) { nodes { id } } }",
    "Memory": "volume { memories(first: 1) { nodes { id } } }",
    "Document": "volume { documents(first: 1) { nodes { id } } }",
    "Chunk": "volume { documents(first: 1) { nodes { chunks { nodes { id } } } } }",
    "CodeArtifact": "volume { codeArtifacts(first: 1) { nodes { id } } }",
    "Project": "volume { projects(first: 1) { nodes { id } } }",
    "Ingestion": "volume { ingestions(first: 1) { nodes { id } } }",
    "LowConfidenceReview": "volume { reviewQueue(first: 1, filter: {kinds: [LOW_CONFIDENCE]}) { nodes { id } } }",
    "StaleReview": "volume { reviewQueue(first: 1, filter: {kinds: [STALE]}) { nodes { id } } }",
    "DuplicateReview": "volume { reviewQueue(first: 1, filter: {kinds: [DUPLICATE]}) { nodes { id } } }",
    "ConflictReview": "volume { reviewQueue(filter: {kinds: [CONFLICT]}, first: 1) { nodes { id } } }",
    "Conflict": "volume { facts(first: 1) { nodes { conflicts { id } } } }",
    "Change": "volume { changes(first: 1) { nodes { id } } }",
}
"""Every type that is a node, with a place where one is found."""


async def a_world(api: Api, width: int = 2) -> World:
    volume = await api.store.volume("default")
    assert volume is not None
    world = await new_world(api.store, volume.id, width)
    async with api.store.write(volume.id, "test") as tx:
        first = world.entities[0]
        merged = tx.insert(models.Entity, name="Merged", match_key="merged", type="concept", merged_into=first)
        tx.insert(models.EntityMerge, survivor_id=first, merged_id=merged, actor="test")
    return world


async def id_at(api: Api, query: str) -> str:
    """Return the only id in an answer."""
    found: Any = await api.ask(f"{{ {query} }}")
    while not isinstance(found, str):
        (found,) = found if isinstance(found, list) else found.values()
    return found


def test_the_table_names_every_type_that_is_a_node() -> None:
    schema = parse_schema(build_schema(Limits()).as_str())
    node = schema.type_map["Node"]
    assert {type.name for type in schema.get_implementations(node).objects} == TYPES.keys()  # type: ignore[arg-type]


@pytest.mark.parametrize("type", TYPES)
async def test_a_node_is_found_by_the_id_that_it_shows(api: Api, type: str) -> None:
    await a_world(api)
    id = await id_at(api, TYPES[type])
    assert await api.ask("query($id: ID!) { node(id: $id) { __typename id } }", id=id) == {
        "node": {"__typename": type, "id": id}
    }


async def test_nodes_of_all_kinds_come_in_the_order_asked_for_one_statement_a_kind(api: Api) -> None:
    await a_world(api)
    ids = [await id_at(api, query) for query in TYPES.values()]
    found = await api.ask(NODES, ids=[*reversed(ids), *ids])
    names = list(TYPES)
    assert [node["__typename"] for node in found["nodes"]] == [*reversed(names), *names]
    assert [node["id"] for node in found["nodes"]] == [*reversed(ids), *ids]
    assert len(api.statements) == len(TYPES) - 3  # the four kinds of reviews are of one table


async def test_what_is_unknown_or_malformed_is_null_in_its_place(api: Api) -> None:
    world = await a_world(api)
    entity = encode_id(NodeKind.ENTITY, world.entities[0])
    body = entity.partition("_")[2]
    wrong = [
        "",
        "ent",
        "ent_",
        "_",
        body,
        f"fct_{body}",
        f"xyz_{body}",
        entity.upper(),
        entity + "0",
        entity[:-1],
        entity[:-1] + "v",
        f" {entity}",
        f"{entity}\n",
        str(world.entities[0]),
        "ent_" + "é" * 26,
        *(encode_id(kind, new_id()) for kind in NodeKind),
    ]
    found = await api.ask(NODES, ids=[*wrong, entity])
    assert found["nodes"] == [None] * len(wrong) + [{"__typename": "Entity", "id": entity}]
    for id in wrong:
        assert await api.ask("query($id: ID!) { node(id: $id) { id } }", id=id) == {"node": None}


async def test_at_most_a_hundred_ids_are_taken(api: Api) -> None:
    world = await a_world(api)
    id = encode_id(NodeKind.ENTITY, world.entities[0])
    assert len((await api.ask(NODES, ids=[id] * 100))["nodes"]) == 100
    (error,) = (await api.send(NODES, ids=[id] * 101))["errors"]
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": "ids"}
    assert await api.ask(NODES, ids=[]) == {"nodes": []}
    assert api.statements == []


async def test_a_deleted_node_is_null(api: Api) -> None:
    made = await api.do("createEntity", "entity { id }", name="Ada", type="person")
    id = made["entity"]["id"]
    assert (await api.ask(NODES, ids=[id]))["nodes"] == [{"__typename": "Entity", "id": id}]
    await api.do("deleteEntity", "deletedId", id=id)
    assert (await api.ask(NODES, ids=[id]))["nodes"] == [None]


async def test_an_id_is_also_a_number_where_a_client_sends_one(api: Api) -> None:
    assert await api.ask("{ node(id: 17) { id } }") == {"node": None}


async def test_an_entry_of_the_log_tells_by_its_id_what_it_tells_in_the_list(api: Api) -> None:
    await a_world(api, 3)
    selection = "id cursor kind before after actor at node { id }"
    listed = await api.ask(f"{{ volume {{ changes(first: 100) {{ nodes {{ {selection} }} }} }} }}")
    entries = listed["volume"]["changes"]["nodes"]
    assert len(entries) == 1 + 3 + 9
    found = await api.ask(
        f"query($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on Change {{ {selection} }} }} }}",
        ids=[entry["id"] for entry in entries],
    )
    assert found["nodes"] == entries


async def test_no_id_stands_for_an_entry_that_the_log_does_not_have(api: Api) -> None:
    await a_world(api, 1)
    newest = await id_at(api, TYPES["Change"])

    def entry(seq: int, place: int) -> str:
        return encode_id(NodeKind.CHANGE, UUID(int=seq << 64 | place))

    last = (await api.store.log_positions())[0]
    assert newest == entry(last, 2)  # the world's three facts are one entry of the log
    ids = [entry(last, 3), entry(last - 1, 1), entry(last + 1, 0), entry(0, 0), entry(2**63, 0), entry(2**64 - 1, 0)]
    assert (await api.ask(NODES, ids=ids))["nodes"] == [None] * 6


async def test_the_cursor_of_an_entry_leads_on_in_the_log_without_a_filter(api: Api) -> None:
    await a_world(api, 3)
    page = "query($a: String) { volume { changes(after: $a, first: 100) { edges { cursor node { id cursor } } } } }"
    edges = (await api.ask(page))["volume"]["changes"]["edges"]
    assert [edge["cursor"] for edge in edges] == [edge["node"]["cursor"] for edge in edges]
    behind = (await api.ask(page, a=edges[4]["node"]["cursor"]))["volume"]["changes"]["edges"]
    assert behind == edges[5:]


async def test_evidence_and_text_are_read_through_the_interface_of_claims(api: Api) -> None:
    world = await a_world(api, 1)
    ids = [encode_id(NodeKind.RELATIONSHIP, world.relationships[0]), encode_id(NodeKind.FACT, world.facts[1])]
    found = await api.ask(
        "query($ids: [ID!]!) { nodes(ids: $ids) { ... on Claim { text evidence { quote document { title } } } } }",
        ids=ids,
    )
    document = {"title": "Document 0000"}
    assert found["nodes"] == [
        {"text": "Thing 0000 step 1 Thing 0000", "evidence": [{"quote": "Document", "document": document}]},
        {
            "text": "Thing 0000 has property 1",
            "evidence": [{"quote": "Thing 0000 has property 1", "document": document}],
        },
    ]


async def test_an_entity_of_another_volume_is_not_found_through_this_one(api: Api) -> None:
    other = await new_world(api.store, await new_volume(api.store, "other"), 1)
    id = encode_id(NodeKind.ENTITY, other.entities[0])
    query = "query($v: String!, $id: ID!) { volume(name: $v) { entity(by: {id: $id}) { id } } }"
    assert await api.ask(query, v="default", id=id) == {"volume": {"entity": None}}
    assert await api.ask(query, v="other", id=id) == {"volume": {"entity": {"id": id}}}
