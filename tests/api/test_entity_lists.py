"""The list of entities, the statistics of a volume and the explanation of an entity through GraphQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from api.conftest import Api


async def test_the_list_is_filtered_by_text_type_project_and_confidence(api: Api) -> None:
    project = (await api.do("createProject", "project { id }", name="P"))["project"]["id"]
    await api.entity("Open AI", "organization", projects=[project], confidence=0.9)
    await api.entity("Robert", "person", aliases=["Openhand"], confidence=0.5)
    await api.entity("100% pure_x", "Brand")
    select = "entities(filter: $f) { nodes { name } totalCount }"

    async def names(**filter: Any) -> list[str]:
        found = (await api.volume(select, f=("EntityFilter", filter)))["entities"]
        assert found["totalCount"] == len(found["nodes"])
        return [node["name"] for node in found["nodes"]]

    assert await names() == ["100% pure_x", "Open AI", "Robert"]
    assert await names(text="open") == ["Open AI", "Robert"]
    assert await names(text="PENA") == ["Open AI"]
    assert await names(text="%") == ["100% pure_x"]
    assert await names(text="_") == ["100% pure_x"]
    assert await names(text="\\") == []
    assert await names(types=["ORGANIZATION", "brand"]) == ["100% pure_x", "Open AI"]
    assert await names(types=[]) == []
    assert await names(projects=[project]) == ["Open AI"]
    assert await names(minConfidence=0.9) == ["100% pure_x", "Open AI"]
    assert await names(minConfidence=0.5, text="o", types=["person"]) == ["Robert"]
    for filter, argument in (
        ({"minConfidence": 1.1}, "minConfidence"),
        ({"text": ""}, "text"),
        ({"types": ["t"] * 101}, "types"),
        ({"types": [""]}, "types"),
    ):
        (error,) = (await api.send(f"query($f: EntityFilter) {{ volume {{ {select} }} }}", f=filter))["errors"]
        assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("BAD_USER_INPUT", argument)


async def test_the_list_is_ordered_as_asked_and_pages_on(api: Api) -> None:
    for name, importance in (("b", 0.1), ("A", 0.9), ("The C", 0.5), ("d", 0.5)):
        await api.entity(name, importance=importance)
    first = await api.entity("e", importance=0.3)
    await api.do("updateEntity", "entity { id }", id=first, description="Changed last.")
    select = "entities(orderBy: $o, first: 2, after: $a) { nodes { name } pageInfo { endCursor hasNextPage } }"

    async def names(field: str, direction: str) -> list[str]:
        found, after, more = [], None, True
        while more:
            order = {"field": field, "direction": direction}
            page = (await api.volume(select, o=("EntityOrder", order), a=("String", after)))["entities"]
            found += [node["name"] for node in page["nodes"]]
            after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
        return found

    assert await names("NAME", "ASC") == ["A", "b", "The C", "d", "e"]
    assert await names("NAME", "DESC") == ["e", "d", "The C", "b", "A"]
    assert await names("CREATED_AT", "ASC") == ["b", "A", "The C", "d", "e"]
    assert await names("UPDATED_AT", "DESC") == ["e", "d", "The C", "A", "b"]
    assert await names("IMPORTANCE", "DESC") == ["A", "d", "The C", "e", "b"]
    assert await names("IMPORTANCE", "ASC") == ["b", "e", "The C", "d", "A"]


async def test_statistics_count_by_type(api: Api) -> None:
    ids = [await api.entity(name, type) for name, type in (("A", "person"), ("B", "Person"), ("C", "place"))]
    await api.relationship(ids[0], "knows", ids[1])
    await api.relationship(ids[0], "Lives In", ids[2])
    select = "statistics { entities relationships entitiesByType relationshipsByType }"
    assert (await api.volume(select))["statistics"] == {
        "entities": 3,
        "relationships": 2,
        "entitiesByType": {"person": 2, "place": 1},
        "relationshipsByType": {"KNOWS": 1, "LIVES_IN": 1},
    }


async def test_the_explanation_tells_the_entity_with_its_live_claims(api: Api) -> None:
    ada = await api.entity("Ada", "person", sense="the mathematician", description="Wrote programs.")
    engine = await api.entity("Analytical Engine", "machine")
    bob = await api.entity("Bob", "person")
    await api.fact(ada, "Born in London", validFrom="1815-12-10")
    gone = await api.fact(ada, "Never said")
    await api.do("retractFact", "fact { id }", id=gone)
    await api.fact(ada, "Only guessed", confidence=0.6)
    await api.relationship(ada, "PROGRAMMED", engine, validFrom="1842", validTo="1843")
    await api.relationship(bob, "MARRIED_TO", ada, bidirectional=True)
    await api.relationship(bob, "ADMIRES", ada)
    assert (await api.node(ada, "explanation"))["explanation"].split("\n") == [
        "Ada (person, the mathematician)",
        "Wrote programs.",
        "- Born in London [from 1815-12-10]",
        "PROGRAMMED -> Analytical Engine [from 1842, until the end of 1843]",
        "MARRIED_TO -> Bob",
        "Bob -> ADMIRES",
    ]
