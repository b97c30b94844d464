"""Merges of entities whose relationships are stated from either end: what is one while they are, and whose it is after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

COUNTED = {"version", "updated_at", "known_from"}
CLAIMS = (models.Relationship, models.Evidence, models.ClaimApart)


@pytest.fixture
async def ids(api: Api) -> dict[str, str]:
    """Ada and Ada Lind, who are one, an organization and a friend."""
    return {name: await api.entity(name) for name in ("Ada", "Ada Lind", "Acme", "Bo")}


async def merged(api: Api, into: str, source: str) -> str:
    """Merge two entities and return the record's id."""
    done = await api.do("mergeEntities", "merges { id }", into=into, **{"from": [source]})
    (merge,) = done["merges"]
    return str(merge["id"])


async def stored(api: Api) -> list[list[dict[str, Any]]]:
    """Return the rows of relationships and their evidence, but for what counts their writes."""
    found = [await api.rows(model) for model in CLAIMS]
    return [[{n: v for n, v in row.items() if n not in COUNTED} for row in rows] for rows in found]


async def told(api: Api, entity: str) -> list[tuple[str, float, list[str]]]:
    """Return an entity's relationships: as sentences, how sure they are, and what they rest on."""
    asked = "relationships { nodes { text confidence evidence { quote } } }"
    edges = (await api.node(entity, asked))["relationships"]["nodes"]
    return [(one["text"], one["confidence"], [row["quote"] for row in one["evidence"]]) for one in edges]


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (("Ada", "WORKS_AT", "Acme"), ("Acme", "EMPLOYS", "Ada Lind")),
        (("Acme", "EMPLOYS", "Ada"), ("Ada Lind", "WORKS_AT", "Acme")),
        (("Ada", "SIBLING_OF", "Bo"), ("Bo", "SIBLING_OF", "Ada Lind")),
    ],
)
async def test_what_two_state_from_opposite_ends_is_one_edge_and_two_again_to_the_row(
    api: Api, ids: dict[str, str], own: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    first = await api.relationship(ids[own[0]], own[1], ids[own[2]], confidence=0.8)
    second = await api.relationship(ids[other[0]], other[1], ids[other[2]], confidence=0.75)
    before = await stored(api)
    merge = await merged(api, ids["Ada"], ids["Ada Lind"])
    found = (await api.volume("relationships { totalCount nodes { id evidence { quote } } }"))["relationships"]
    assert (found["totalCount"], [one["id"] for one in found["nodes"]]) == (1, [first])
    assert len(found["nodes"][0]["evidence"]) == 2
    assert (await api.ask("query($id: ID!) { node(id: $id) { id } }", id=second))["node"] == {"id": first}
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert await stored(api) == before


async def test_what_is_said_after_a_merge_from_the_other_end_goes_to_the_edge_that_says_so(
    api: Api, ids: dict[str, str]
) -> None:
    await api.relationship(ids["Ada"], "WORKS_AT", ids["Acme"], confidence=0.8)
    await api.relationship(ids["Acme"], "EMPLOYS", ids["Ada Lind"], confidence=0.8)
    merge = await merged(api, ids["Ada"], ids["Ada Lind"])
    for _ in range(2):  # said again, it is no more evidence
        await api.relationship(ids["Ada Lind"], "WORKS_AT", ids["Acme"], confidence=0.9)
        await api.relationship(ids["Acme"], "EMPLOYS", ids["Ada Lind"], confidence=0.8)
    said = ["Ada works at Acme", "Acme employs Ada Lind", "Ada Lind works at Acme"]
    assert await told(api, ids["Ada"]) == [("Ada works at Acme", 0.9, said)]
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert await told(api, ids["Ada"]) == [("Ada works at Acme", 0.8, said[:1])]
    assert await told(api, ids["Ada Lind"]) == [("Acme employs Ada Lind", 0.9, said[1:])]


async def test_what_is_said_after_a_merge_goes_to_an_edge_that_the_other_one_has_by_then(
    api: Api, ids: dict[str, str]
) -> None:
    await api.relationship(ids["Acme"], "EMPLOYS", ids["Ada"], confidence=0.8)
    merge = await merged(api, ids["Ada"], ids["Ada Lind"])
    await api.relationship(ids["Ada Lind"], "WORKS_AT", ids["Acme"], confidence=0.9)
    assert len(await api.rows(models.Relationship)) == 1
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert await told(api, ids["Ada"]) == [("Acme employs Ada", 0.8, ["Acme employs Ada"])]
    assert await told(api, ids["Ada Lind"]) == [("Acme employs Ada Lind", 0.9, ["Ada Lind works at Acme"])]


async def test_a_symmetric_edge_that_is_said_the_other_way_round_after_a_merge_goes_back(
    api: Api, ids: dict[str, str]
) -> None:
    await api.relationship(ids["Ada"], "MARRIED_TO", ids["Bo"], confidence=0.8)
    await api.relationship(ids["Bo"], "MARRIED_TO", ids["Ada Lind"], confidence=0.8)
    merge = await merged(api, ids["Ada"], ids["Ada Lind"])
    await api.relationship(ids["Ada Lind"], "MARRIED_TO", ids["Bo"], confidence=0.9)
    assert len(await told(api, ids["Ada"])) == 1
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert await told(api, ids["Ada"]) == [("Ada is married to Bo", 0.8, ["Ada is married to Bo"])]
    assert await told(api, ids["Ada Lind"]) == [
        ("Bo is married to Ada Lind", 0.9, ["Bo is married to Ada Lind", "Ada Lind is married to Bo"])
    ]
