"""Subgraphs, through GraphQL: what is around entities and memories, hop by hop, with every edge between, within its bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from api.conftest import Api

SHOWN = """{ truncated nodes { __typename ... on Entity { name } ... on Memory { title } }
    relationships { type source { name } target { name } } memoryLinks { memory { title } other { title } }
    attachments { memory { title } entity { name } } }"""


async def subgraph(api: Api, arguments: str = "", volume: str = "default", **ids: list[str]) -> dict[str, Any]:
    """Return a subgraph in short: names of nodes, edges as words, links and attachments as pairs."""
    given = {name: ("[ID!]", value) for name, value in ids.items()}
    around = ["around: $around"] if ids else []
    asked = ", ".join([*around, *([arguments] if arguments else [])])
    found = (await api.volume(f"subgraph{f'({asked})' if asked else ''} {SHOWN}", volume, **given))["subgraph"]
    return {
        "nodes": [node.get("name", node.get("title")) for node in found["nodes"]],
        "edges": [f"{e['source']['name']} {e['type']} {e['target']['name']}" for e in found["relationships"]],
        "links": [{link["memory"]["title"], link["other"]["title"]} for link in found["memoryLinks"]],
        "attached": [(one["memory"]["title"], one["entity"]["name"]) for one in found["attachments"]],
        "truncated": found["truncated"],
    }


@pytest.fixture
async def graph(api: Api) -> dict[str, str]:
    """Ada works at Acme and founded it, which is part of Holding, which owns itself; one note about Ada is linked to another."""
    ids = {name: await api.entity(name) for name in ("Ada", "Acme", "Holding", "Lone")}
    for source, type, target, strength in (
        ("Ada", "WORKS_AT", "Acme", 0.9),
        ("Ada", "FOUNDED", "Acme", 0.4),
        ("Acme", "PART_OF", "Holding", 1.0),
        ("Holding", "OWNS", "Holding", 1.0),
    ):
        await api.relationship(ids[source], type, ids[target], strength=strength)
    ids["Note"] = await api.memory("Note", "about her", entities=[ids["Ada"]], importance=5)
    ids["Other"] = await api.memory("Other", "quite another thing")
    pair = {"memory": ids["Note"], "other": ids["Other"]}
    await api.do("linkMemories", "link { type }", type="FOLLOWS", **pair)
    return ids


async def test_one_hop_shows_what_hangs_on_an_entity_with_all_parallel_edges(api: Api, graph: dict[str, str]) -> None:
    assert await subgraph(api, "hops: 1", around=[graph["Ada"]]) == {
        "nodes": ["Ada", "Acme", "Note"],
        "edges": ["Ada WORKS_AT Acme", "Ada FOUNDED Acme"],
        "links": [],
        "attached": [("Note", "Ada")],
        "truncated": False,
    }


async def test_two_hops_show_loops_and_linked_memories_too(api: Api, graph: dict[str, str]) -> None:
    assert await subgraph(api, around=[graph["Ada"]]) == {
        "nodes": ["Ada", "Acme", "Holding", "Note", "Other"],
        "edges": ["Ada WORKS_AT Acme", "Ada FOUNDED Acme", "Acme PART_OF Holding", "Holding OWNS Holding"],
        "links": [{"Note", "Other"}],
        "attached": [("Note", "Ada")],
        "truncated": False,
    }


async def test_no_hops_show_the_nodes_themselves_and_what_is_between_them(api: Api, graph: dict[str, str]) -> None:
    found = await subgraph(api, "hops: 0", around=[graph["Acme"], graph["Ada"], graph["Note"], graph["Ada"]])
    assert found["nodes"] == ["Ada", "Acme", "Note"]
    assert found["edges"] == ["Ada WORKS_AT Acme", "Ada FOUNDED Acme"]
    assert found["attached"] == [("Note", "Ada")]


async def test_a_memory_leads_to_its_entities_and_its_links(api: Api, graph: dict[str, str]) -> None:
    assert (await subgraph(api, "hops: 1", around=[graph["Note"]]))["nodes"] == ["Ada", "Note", "Other"]
    assert (await subgraph(api, "hops: 1", around=[graph["Other"]]))["nodes"] == ["Other", "Note"]


async def test_an_obsolete_memory_is_left_out_unless_it_is_where_it_begins(api: Api, graph: dict[str, str]) -> None:
    await api.do("supersedeMemory", "memory { id }", id=graph["Note"], reason="It is over.")
    assert (await subgraph(api, "hops: 1", around=[graph["Ada"]]))["nodes"] == ["Ada", "Acme"]
    assert (await subgraph(api, "hops: 1", around=[graph["Other"]]))["nodes"] == ["Other"]
    assert (await subgraph(api, "hops: 1", around=[graph["Note"]]))["nodes"] == ["Ada", "Note", "Other"]


async def test_types_and_direction_choose_what_is_walked_and_shown(api: Api, graph: dict[str, str]) -> None:
    around = {"around": [graph["Acme"]]}
    employs = await subgraph(api, 'hops: 1, types: ["EMPLOYS"], direction: OUT', **around)
    assert (employs["nodes"], employs["edges"]) == (["Acme", "Ada"], ["Ada WORKS_AT Acme"])
    assert (await subgraph(api, "hops: 1, direction: OUT", **around))["nodes"] == ["Acme", "Holding"]
    assert (await subgraph(api, 'types: ["FOUNDED"]', around=[graph["Ada"]]))["nodes"] == ["Ada", "Acme"]


async def test_the_strongest_are_kept_where_there_is_no_room_for_all(api: Api, graph: dict[str, str]) -> None:
    found = await subgraph(api, "hops: 1, maxNodes: 2", around=[graph["Acme"]])
    assert (found["nodes"], found["truncated"]) == (["Acme", "Holding"], True)
    assert found["edges"] == ["Acme PART_OF Holding", "Holding OWNS Holding"]


@pytest.mark.usefixtures("graph")
async def test_without_a_beginning_it_is_the_most_connected_part(api: Api) -> None:
    found = await subgraph(api, "maxNodes: 2")
    assert (found["nodes"], found["truncated"]) == (["Acme", "Holding"], True)
    whole = await subgraph(api)
    assert (sorted(whole["nodes"]), whole["truncated"]) == (["Acme", "Ada", "Holding"], False)
    assert len(whole["edges"]) == 4
    assert (await subgraph(api, 'types: ["OWNS"]'))["nodes"] == ["Holding"]


async def test_unknown_and_foreign_ids_are_passed_over_alike(api: Api, graph: dict[str, str]) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    empty = {"nodes": [], "edges": [], "links": [], "attached": [], "truncated": False}
    ids = [graph["Ada"], graph["Note"], "nonsense", "ent_00000000000000000000000000"]
    assert await subgraph(api, volume="other", around=ids) == empty
    assert await subgraph(api, volume="other") == empty
    assert await subgraph(api, around=["nonsense"]) == empty


async def test_a_subgraph_shows_what_its_view_does(api: Api) -> None:
    ids = [await api.entity(name) for name in ("A", "B")]
    await api.relationship(ids[0], "KNOWS", ids[1], confidence=0.8, validTo="2022-01-01T00:00:00Z")
    asked = "query($a: AsOfInput, $c: Float!) { volume(asOf: $a, minConfidence: $c) { subgraph { nodes { id } } } }"

    async def nodes(valid: str | None, least: float) -> list[str]:
        found = (await api.ask(asked, a=valid and {"valid": valid}, c=least))["volume"]["subgraph"]
        return [node["id"] for node in found["nodes"]]

    assert sorted(await nodes(None, 0)) == sorted(ids)
    assert len(await nodes("2021-01-01T00:00:00Z", 0)) == 2
    assert await nodes("2023-01-01T00:00:00Z", 0) == []
    assert await nodes(None, 0.9) == []


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [("hops: 7", "hops"), ("hops: -1", "hops"), ("maxNodes: 0", "maxNodes"), ("maxNodes: 1001", "maxNodes")],
)
async def test_arguments_out_of_their_bounds_are_refused(api: Api, arguments: str, argument: str) -> None:
    (error,) = (await api.send(f"{{ volume {{ subgraph({arguments}) {{ truncated }} }} }}"))["errors"]
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": argument}


async def test_it_takes_as_many_statements_for_a_wide_graph_as_for_a_narrow_one(
    api: Api, graph: dict[str, str]
) -> None:
    asked = {"around": [graph["Ada"]]}
    await subgraph(api, "hops: 3", **asked)
    narrow = len(api.statements)
    for n in range(6):
        await api.relationship(graph["Ada"], "KNOWS", await api.entity(f"Friend {n}"))
    await subgraph(api, "hops: 3", **asked)
    assert len(api.statements) == narrow == 21
