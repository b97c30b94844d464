"""Ids of what was read through a view: they carry it wherever it was reached, bring it back, and name the node itself in inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from api.test_isolation import inputs, world
from api.test_nodes import TYPES, a_world
from graphql import (
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    get_named_type,
    is_composite_type,
    is_required_argument,
)
from graphql import build_schema as parse_schema

from schema import build_schema
from schema.limits import Limits
from server.ids import NodeKind, decode_id, encode_id
from server.views import View, spelled

if TYPE_CHECKING:
    from api.conftest import Api

VIEWS = {
    'asOf: {known: "2999"}': "x",
    'asOf: {valid: "2999"}': "w",
    "minConfidence: 0.5": "y",
    'asOf: {valid: "2999", known: "2999"}, minConfidence: 0.5': "wxy",
}
NODES = "query($ids: [ID!]!) { nodes(ids: $ids) { __typename id %s } }"


def sdl() -> Any:
    return parse_schema(str(build_schema(Limits())))


def reached(type_: Any, depth: int = 5) -> str:
    """Return a selection of the ids of all nodes that can be reached from a type without passing through another node."""
    found = []
    for name, field in type_.fields.items():
        target = get_named_type(field.type)
        if depth and is_composite_type(target) and not any(map(is_required_argument, field.args.values())):
            below = "id" if is_node(target) else reached(target, depth - 1)
            found += [f"{name} {{ {below} }}"] if below else []
    return " ".join(found)


def is_node(type_: Any) -> bool:
    if not isinstance(type_, GraphQLObjectType | GraphQLInterfaceType):
        return False
    return type_.name == "Node" or "Node" in {one.name for one in type_.interfaces}


def ids_in(data: Any) -> Iterator[str]:
    if isinstance(data, list):
        for item in data:
            yield from ids_in(item)
    elif isinstance(data, dict):
        for key, value in data.items():
            if key == "id":
                yield value
            else:
                yield from ids_in(value)


def without_view(id: str) -> str:
    decoded = decode_id(id)
    assert decoded is not None
    return encode_id(decoded.kind, decoded.id)


async def one_of_each(api: Api, view: str = "") -> dict[str, str]:
    """Return the id of a node of each type, read through a view of the volume."""
    opening = "volume" if not view else f"volume({view})"
    found = {}
    for type_, place in TYPES.items():
        (found[type_],) = ids_in(await api.ask(f"{{ {place.replace('volume', opening, 1)} }}"))
    return found


@pytest.mark.parametrize("view", VIEWS)
async def test_what_is_reached_from_a_volume_carries_its_view(api: Api, view: str) -> None:
    await a_world(api)
    plain, viewed = await one_of_each(api), await one_of_each(api, view)
    for type_, id in viewed.items():
        body, suffix = id[:30], id[30:]
        assert body == plain[type_] == without_view(id), type_
        assert suffix.startswith("_"), type_
        assert [letter for letter in suffix if letter in "wxyz"] == list(VIEWS[view]), type_
    assert len({id[30:] for id in viewed.values()}) == 1


async def test_from_every_type_of_node_all_its_fields_carry_the_view_on(api: Api) -> None:
    await a_world(api)
    viewed, schema = await one_of_each(api, 'asOf: {known: "2999"}'), sdl()
    suffix = viewed["Volume"][30:]
    for type_, id in viewed.items():
        asked = reached(schema.type_map[type_])
        if asked:
            data = await api.ask(NODES % f"... on {type_} {{ {asked} }}", ids=[id])
            ids = list(ids_in(data))
            assert len(ids) > 1, type_
            assert {(one, one[30:]) for one in ids} == {(one, suffix) for one in ids}, type_


async def test_without_a_view_no_id_carries_one(api: Api) -> None:
    await a_world(api)
    plain, schema = await one_of_each(api), sdl()
    for type_, id in plain.items():
        asked = reached(schema.type_map[type_])
        data = await api.ask(NODES % (f"... on {type_} {{ {asked} }}" if asked else ""), ids=[id])
        assert {len(one) for one in ids_in(data)} == {30}, type_
    for nothing in (
        "asOf: {}",
        "asOf: null",
        "minConfidence: 0",
        "asOf: {valid: null, known: null}, minConfidence: 0.0",
    ):
        data = await api.ask(f"{{ volume({nothing}) {{ id }} }}")
        assert data == {"volume": {"id": plain["Volume"]}}


async def test_ids_bring_their_nodes_back_each_in_its_view(api: Api) -> None:
    await a_world(api)
    plain, viewed = await one_of_each(api), await one_of_each(api, 'asOf: {known: "2999"}, minConfidence: 0.5')
    ids = [id for pair in zip(plain.values(), viewed.values(), strict=True) for id in pair]
    data = await api.ask(NODES % "", ids=ids)
    assert [node["id"] for node in data["nodes"]] == ids
    assert [node["__typename"] for node in data["nodes"]] == [type_ for type_ in TYPES for _ in range(2)]


async def test_a_mangled_view_makes_an_id_unknown(api: Api) -> None:
    await a_world(api)
    id = (await one_of_each(api, 'asOf: {known: "2999"}'))["Entity"]
    wrong = [
        f"{id}0",
        id[:-1],
        id.upper(),
        f"{id}_",
        f"{id[:30]}_",
        f"{id[:30]}{id[31:]}",
        id.replace("_x", "_w" + "v" * 12 + "x"),
    ]
    data = await api.ask(NODES % "", ids=[id, *wrong])
    assert [node and node["id"] for node in data["nodes"]] == [id, *[None] * len(wrong)]


async def test_an_entity_by_its_id_is_read_in_the_view_of_the_volume_whatever_view_the_id_carries(api: Api) -> None:
    await a_world(api)
    plain, viewed = (await one_of_each(api))["Entity"], (await one_of_each(api, 'asOf: {known: "2999"}'))["Entity"]
    sure = encode_id(NodeKind.ENTITY, decoded(plain), View(min_confidence=0.5))
    for id in (plain, viewed, sure):
        query = "query($id: ID!) { now: volume { entity(by: {id: $id}) { id } } sure: volume(minConfidence: 0.5) { entity(by: {id: $id}) { id } } }"
        data = await api.ask(query, id=id)
        assert data == {"now": {"entity": {"id": plain}}, "sure": {"entity": {"id": sure}}}
    named = '{ volume(minConfidence: 0.5) { entity(by: {name: {name: "Thing 0000"}}) { id } } }'
    assert await api.ask(named) == {"volume": {"entity": {"id": sure}}}
    volumes = [
        encode_id(NodeKind.VOLUME, decoded((await one_of_each(api))["Volume"]), v)
        for v in (None, View(min_confidence=0.5))
    ]
    both = await api.ask(
        "query($ids: [ID!]!, $id: ID!) { nodes(ids: $ids) { ... on Volume { entity(by: {id: $id}) { id } } } }",
        ids=volumes,
        id=viewed,
    )
    assert [volume["entity"]["id"] for volume in both["nodes"]] == [plain, sure]


def decoded(id: str) -> UUID:
    found = decode_id(id)
    assert found is not None
    return found.id


def id_fields() -> set[tuple[str, str]]:
    """Return (mutation, input field) of every place in a mutation's input that takes an id, but for what makes things."""
    schema = sdl()
    found = set()
    for name, field in schema.mutation_type.fields.items():
        (argument,) = field.args.values()
        found |= {(name, place) for place in _id_fields(get_named_type(argument.type))}
    return found


def _id_fields(type_: GraphQLInputObjectType) -> Iterator[str]:
    for name, field in type_.fields.items():
        target = get_named_type(field.type)
        if target.name == "ID" or (isinstance(target, GraphQLInputObjectType) and any(_id_fields(target))):
            yield name


def read_through(id: str) -> str:
    """Return an id as it is read through a view."""
    found = decode_id(id)
    assert found is not None
    return encode_id(found.kind, found.id, View(min_confidence=0.5))


DELETING = ("deleteEntity", "deleteMemory", "deleteProject", "deleteCodeArtifact", "deleteDocument")


async def test_every_mutation_takes_an_id_with_a_view_for_the_node_itself(api: Api) -> None:
    own = await world(api, "default")
    viewed = {kind: read_through(id) for kind, id in own.items()}
    await api.fact(own["other"], "May sing", confidence=0.5)
    (item,) = ids_in(await api.ask("{ volume(minConfidence: 0.5) { reviewQueue { nodes { id } } } }"))
    others = [(mutation, {"id": viewed["ingestion"]}, "id") for mutation in ("cancelIngestion", "retryIngestion")]
    others.append(("resolveReview", {"items": [item], "action": "APPROVE"}, "items[0]"))
    others.append(("resolveReview", {"items": [item], "action": "MERGE", "winner": viewed["entity"]}, "winner"))
    merge = await merged(api)
    others.append(("unmergeEntities", {"merge": merge}, "merge"))
    into, other = [read_through(await api.entity(name)) for name in ("Two", "The same again")]
    others += [("mergeEntities", {"into": into, "from": [other]}, place) for place in ("into", "from")]
    cases = sorted([*others, *inputs(own, viewed)], key=lambda case: case[0] in DELETING)
    for mutation, input, argument in cases:
        kind = f"{mutation[0].upper()}{mutation[1:]}Input"
        body = await api.send(f"mutation($i: {kind}!) {{ {mutation}(input: $i) {{ __typename }} }}", i=input)
        codes = {error["extensions"]["code"] for error in body.get("errors", ())}
        assert codes <= {"BAD_USER_INPUT", "CONFLICT"}, (mutation, argument, body)
    assert {(mutation, argument.split("[")[0]) for mutation, _, argument in cases} >= id_fields() - UPLOADED
    left = await api.ask(NODES % "", ids=list(viewed.values()))
    assert {kind for kind, node in zip(viewed, left["nodes"], strict=True) if node} == {"other", "second"}


async def merged(api: Api) -> str:
    """Merge two entities, and return the id of the record as a view shows it."""
    into, other = await api.entity("One"), await api.entity("The same")
    await api.do("mergeEntities", "entity { id }", **{"into": into, "from": [other]})
    inner = 'entity(by: {name: {name: "One"}}) { mergedFrom { nodes { id } } }'
    (id,) = ids_in(await api.ask(f"{{ volume(minConfidence: 0.5) {{ {inner} }} }}"))
    return id


async def test_a_merge_in_a_view_leads_to_the_survivor_in_that_view(api: Api) -> None:
    merge = await merged(api)
    found = await api.ask(
        "query($id: ID!) { node(id: $id) { id ... on EntityMerge { name survivor { id name } } } }", id=merge
    )
    assert (found["node"]["id"], found["node"]["name"]) == (merge, "The same")
    assert found["node"]["survivor"]["name"] == "One"
    assert found["node"]["survivor"]["id"][30:] == merge[30:] == f"_{spelled(View(min_confidence=0.5))}"


UPLOADED = {("ingestDocument", "upload")}
"""What takes the id of a file, which is no node."""


async def test_a_payload_shows_the_node_of_today(api: Api) -> None:
    own = await world(api, "default")
    id = encode_id(NodeKind.FACT, decoded(own["fact"]), View(min_confidence=0.5))
    payload = await api.do("updateFact", "fact { id content subject { id } }", id=id, content="Hums")
    assert payload == {"fact": {"id": own["fact"], "content": "Hums", "subject": {"id": own["entity"]}}}
