"""Paths between two entities, through GraphQL: which one is found, by which relationships, in which view, and when none is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from api.conftest import Api

PATH = """path(from: $f, to: $t, types: $types, direction: $d, maxHops: $hops) {
    hops text truncated nodes { name } relationships { type source { name } } }"""


async def path(
    api: Api,
    start: str,
    goal: str,
    *,
    types: list[str] | None = None,
    direction: str = "BOTH",
    hops: int = 6,
    volume: str = "default",
) -> Any:
    """Return the path between two entities by name: the entities on it, the types of its relationships, and its text."""
    ends = [("EntityBy!", {"name": {"name": name}}) for name in (start, goal)]
    rest = {"types": ("[String!]", types), "d": ("Direction!", direction), "hops": ("Int!", hops)}
    found = (await api.volume(PATH, volume, f=ends[0], t=ends[1], **rest))["path"]
    if found is None:
        return None
    assert found["hops"] == len(found["relationships"]) == len(found["nodes"]) - 1
    assert found["truncated"] is False
    return [node["name"] for node in found["nodes"]], [edge["type"] for edge in found["relationships"]], found["text"]


@pytest.fixture
async def graph(api: Api) -> dict[str, str]:
    """Ada works at Acme, which is part of Holding; Bo knows Ada and founded Holding; Ada and Bo like Chess. Lone stands alone."""
    ids = {name: await api.entity(name) for name in ("Ada", "Acme", "Holding", "Bo", "Chess", "Lone")}
    for source, type, target, strength in (
        ("Ada", "WORKS_AT", "Acme", 0.9),
        ("Acme", "PART_OF", "Holding", 0.9),
        ("Bo", "KNOWS", "Ada", 0.8),
        ("Bo", "FOUNDED", "Holding", 1.0),
        ("Ada", "LIKES", "Chess", 1.0),
        ("Bo", "LIKES", "Chess", 0.5),
    ):
        await api.relationship(ids[source], type, ids[target], strength=strength)
    return ids


@pytest.mark.usefixtures("graph")
async def test_of_two_shortest_paths_the_one_with_the_higher_product_of_strengths_is_found(api: Api) -> None:
    told = "Ada works at Acme. Acme is part of Holding."
    assert await path(api, "Ada", "Holding") == (["Ada", "Acme", "Holding"], ["WORKS_AT", "PART_OF"], told)
    assert (await path(api, "Holding", "Ada"))[0] == ["Holding", "Acme", "Ada"]


@pytest.mark.usefixtures("graph")
async def test_one_strong_relationship_more_does_not_make_a_path_shorter(api: Api) -> None:
    assert (await path(api, "Chess", "Holding"))[0] == ["Chess", "Bo", "Holding"]
    assert await path(api, "Ada", "Bo") == (["Ada", "Bo"], ["KNOWS"], "Bo knows Ada.")


@pytest.mark.usefixtures("graph")
async def test_a_path_keeps_to_the_direction_that_is_asked_for(api: Api) -> None:
    assert (await path(api, "Ada", "Holding", direction="OUT"))[0] == ["Ada", "Acme", "Holding"]
    assert (await path(api, "Holding", "Ada", direction="IN"))[0] == ["Holding", "Acme", "Ada"]
    assert await path(api, "Holding", "Ada", direction="OUT") is None


@pytest.mark.usefixtures("graph")
async def test_a_path_keeps_to_the_types_that_are_asked_for_and_finds_a_type_by_its_inverse(api: Api) -> None:
    found = await path(api, "Ada", "Holding", types=["knows", "Founded"])
    assert found[:2] == (["Ada", "Bo", "Holding"], ["KNOWS", "FOUNDED"])
    employed = await path(api, "Holding", "Ada", types=["HAS_PART", "EMPLOYS"], direction="OUT")
    assert employed == (
        ["Holding", "Acme", "Ada"],
        ["PART_OF", "WORKS_AT"],
        "Acme is part of Holding. Ada works at Acme.",
    )
    assert await path(api, "Ada", "Holding", types=[]) is None


@pytest.mark.usefixtures("graph")
async def test_there_is_no_path_to_what_stands_alone_or_is_unknown_or_beyond_the_hops(api: Api) -> None:
    assert await path(api, "Ada", "Lone") is None
    assert await path(api, "Ada", "Nobody") is None
    assert await path(api, "Nobody", "Ada") is None
    assert await path(api, "Ada", "Holding", hops=1) is None


@pytest.mark.usefixtures("graph")
async def test_the_path_from_an_entity_to_itself_has_no_relationships(api: Api) -> None:
    assert await path(api, "Lone", "Lone") == (["Lone"], [], "")


async def test_an_id_of_another_volume_is_as_unknown_as_any(api: Api, graph: dict[str, str]) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    asked = "path(from: {id: $f}, to: {id: $t}) { hops }"
    ids = {"f": ("ID!", graph["Ada"]), "t": ("ID!", graph["Bo"])}
    assert (await api.volume(asked, **ids))["path"] == {"hops": 1}
    assert (await api.volume(asked, "other", **ids))["path"] is None
    assert await path(api, "Ada", "Bo", volume="other") is None


async def test_an_end_that_several_entities_are_called_is_refused_with_their_ids(api: Api) -> None:
    ids = [await api.entity("Li Wei", "person", sense=sense) for sense in ("of A", "of B")]
    body = await api.send('{ volume { path(from: {name: {name: "A"}}, to: {name: {name: "Li Wei"}}) { hops } } }')
    assert body["data"] == {"volume": {"path": None}}
    (error,) = body["errors"]
    assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("AMBIGUOUS", "to")
    assert sorted(error["extensions"]["candidates"]) == sorted(ids)


@pytest.mark.parametrize("hops", [0, -1, 101])
async def test_more_hops_than_a_hundred_or_none_are_refused(api: Api, hops: int) -> None:
    ends = 'from: {name: {name: "A"}}, to: {name: {name: "B"}}'
    (error,) = (await api.send(f"{{ volume {{ path({ends}, maxHops: {hops}) {{ hops }} }} }}"))["errors"]
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": "maxHops"}
    assert error["message"] == "maxHops must be from 1 to 100."


async def test_a_path_takes_only_what_its_view_shows(api: Api) -> None:
    ids = [await api.entity(name) for name in ("A", "B", "C")]
    dates = {"validFrom": "2020-01-01T00:00:00Z", "validTo": "2022-01-01T00:00:00Z"}
    await api.relationship(ids[0], "KNOWS", ids[1], confidence=0.8, **dates)
    await api.relationship(ids[1], "KNOWS", ids[2])
    asked = """query($a: AsOfInput, $c: Float!) { volume(asOf: $a, minConfidence: $c) {
        path(from: {name: {name: "A"}}, to: {name: {name: "C"}}) { hops nodes { id } relationships { confidence } } } }"""

    async def hops(valid: str | None, least: float) -> int | None:
        found = (await api.ask(asked, a=valid and {"valid": valid}, c=least))["volume"]["path"]
        return None if found is None else int(found["hops"])

    assert await hops(None, 0) == 2
    assert await hops("2021-06-01T00:00:00Z", 0) == 2
    assert await hops("2023-06-01T00:00:00Z", 0) is None
    assert await hops(None, 0.9) is None
    found = (await api.ask(asked, a={"valid": "2021-06-01T00:00:00Z"}, c=0))["volume"]["path"]
    brought = await api.ask("query($id: ID!) { node(id: $id) { id } }", id=found["nodes"][1]["id"])
    assert brought["node"]["id"] == found["nodes"][1]["id"] != ids[1]
    assert [edge["confidence"] for edge in found["relationships"]] == [0.8, 1.0]


async def test_retracted_and_pending_relationships_make_no_path(api: Api) -> None:
    ids = [await api.entity(name) for name in ("A", "B")]
    edge = await api.relationship(ids[0], "KNOWS", ids[1])
    assert (await path(api, "A", "B"))[0] == ["A", "B"]
    await api.do("retractRelationship", "relationship { id }", id=edge)
    await api.relationship(ids[0], "LIKES", ids[1], confidence=0.5)
    assert await path(api, "A", "B") is None


async def test_a_merged_entity_leads_on_as_its_survivor(api: Api, graph: dict[str, str]) -> None:
    await api.do("mergeEntities", "entity { id }", into=graph["Lone"], **{"from": [graph["Acme"]]})
    assert (await path(api, "Ada", "Lone"))[0] == ["Ada", "Lone"]
    assert (await path(api, "Acme", "Holding"))[0] == ["Lone", "Holding"]
