"""Inverse and symmetric relationships: one stored row answers from both ends, by both names, on every surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from server import models
from server.services.extraction.protocol import ExtractedEntity, ExtractedRelationship, Extraction, Span

if TYPE_CHECKING:
    from api.conftest import Api

BOTH_LISTS = """relationships(direction: $d, types: $t) { totalCount nodes { type source { name } target { name } } }
    neighbors(direction: $d, types: $t) { totalCount edges { direction node { name } } }"""


async def edges(api: Api, name: str, direction: str, *types: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the relationships of an entity as they are stored, and its neighbours with how each edge leads."""
    asked = f"entity(by: {{name: {{name: {name!r}}}}}) {{ {BOTH_LISTS} }}".replace("'", '"')
    given = {"d": ("Direction!", direction), "t": ("[String!]", list(types) or None)}
    found = (await api.volume(asked, **given))["entity"]
    stated = [f"{e['source']['name']} {e['type']} {e['target']['name']}" for e in found["relationships"]["nodes"]]
    led = [(e["direction"], e["node"]["name"]) for e in found["neighbors"]["edges"]]
    assert found["relationships"]["totalCount"] == found["neighbors"]["totalCount"] == len(stated) == len(led)
    return stated, led


@pytest.fixture
async def people(api: Api) -> dict[str, str]:
    """John works at Google and Ann at Acme; Google is part of Alphabet; John is married to Ann and knows her."""
    ids = {name: await api.entity(name) for name in ("John", "Ann", "Google", "Acme", "Alphabet")}
    for source, type, target in (
        ("John", "WORKS_AT", "Google"),
        ("Ann", "WORKS_AT", "Acme"),
        ("Google", "PART_OF", "Alphabet"),
        ("John", "MARRIED_TO", "Ann"),
        ("John", "KNOWS", "Ann"),
    ):
        await api.relationship(ids[source], type, ids[target])
    return ids


@pytest.mark.usefixtures("people")
async def test_an_edge_is_found_by_the_inverse_of_its_type_and_leads_the_other_way(api: Api) -> None:
    stored = ["John WORKS_AT Google"]
    assert await edges(api, "Google", "OUT", "EMPLOYS") == (stored, [("OUT", "John")])
    assert await edges(api, "Google", "BOTH", "employs") == (stored, [("OUT", "John")])
    assert await edges(api, "Google", "IN", "EMPLOYS") == ([], [])
    assert await edges(api, "John", "IN", "EMPLOYS") == (stored, [("IN", "Google")])
    assert await edges(api, "John", "OUT", "EMPLOYS") == ([], [])
    assert await edges(api, "Alphabet", "OUT", "HAS_PART") == (["Google PART_OF Alphabet"], [("OUT", "Google")])


@pytest.mark.usefixtures("people")
async def test_an_edge_is_found_by_its_own_type_as_before(api: Api) -> None:
    stored = ["John WORKS_AT Google"]
    assert await edges(api, "Google", "IN", "WORKS_AT") == (stored, [("IN", "John")])
    assert await edges(api, "John", "OUT", "WORKS_AT") == (stored, [("OUT", "Google")])
    assert await edges(api, "Google", "OUT", "WORKS_AT") == ([], [])


@pytest.mark.usefixtures("people")
async def test_an_edge_that_is_asked_for_by_both_names_is_found_once(api: Api) -> None:
    stored = ["John WORKS_AT Google"]
    assert await edges(api, "Google", "BOTH", "EMPLOYS", "WORKS_AT") == (stored, [("IN", "John")])
    assert await edges(api, "Google", "OUT", "EMPLOYS", "WORKS_AT") == (stored, [("OUT", "John")])
    assert await edges(api, "Google", "IN", "EMPLOYS", "WORKS_AT") == (stored, [("IN", "John")])


@pytest.mark.usefixtures("people")
async def test_an_edge_of_a_symmetric_type_is_found_from_both_ends(api: Api) -> None:
    stored = ["John MARRIED_TO Ann"]
    for direction in ("OUT", "IN", "BOTH"):
        assert await edges(api, "John", direction, "MARRIED_TO") == (stored, [("BOTH", "Ann")])
        assert await edges(api, "Ann", direction, "MARRIED_TO") == (stored, [("BOTH", "John")])
    everything = ["Ann WORKS_AT Acme", "John MARRIED_TO Ann"]
    assert await edges(api, "Ann", "OUT") == (everything, [("OUT", "Acme"), ("BOTH", "John")])
    assert await edges(api, "Ann", "IN") == (
        ["John MARRIED_TO Ann", "John KNOWS Ann"],
        [("BOTH", "John"), ("IN", "John")],
    )


@pytest.mark.usefixtures("people")
async def test_the_list_of_a_volume_takes_either_name(api: Api) -> None:
    async def types(*asked: str) -> list[str]:
        asking = "relationships(filter: {types: $t}) { totalCount nodes { type } }"
        found = (await api.volume(asking, t=("[String!]", list(asked))))["relationships"]
        assert found["totalCount"] == len(found["nodes"])
        return [node["type"] for node in found["nodes"]]

    assert await types("EMPLOYS") == ["WORKS_AT", "WORKS_AT"]
    assert await types("WORKS_AT") == ["WORKS_AT", "WORKS_AT"]
    assert await types("EMPLOYS", "HAS_PART") == ["WORKS_AT", "WORKS_AT", "PART_OF"]
    assert await types() == []


async def test_volumes_that_name_inverses_otherwise_are_read_at_once(api: Api) -> None:
    """One asks for the inverse in two volumes of which one knows none: what is found is each one's own."""
    for volume, inverse in (("default", "EMPLOYS"), ("other", None)):
        await api.knowledge.volumes.ensure(volume, "test")
        ends = [await api.entity(name, volume=volume) for name in ("John", "Google")]
        await api.relationship(ends[0], "WORKS_AT", ends[1], volume=volume)
        if inverse is None:
            stored = await api.store.volume(volume)
            assert stored is not None
            async with api.store.write(stored.id, "test") as tx:
                tx.set_among(models.Predicate, "volume_id", [stored.id], {"inverse": None})
    asked = """{ volumes { nodes { name relationships(filter: {types: ["EMPLOYS"]}) { totalCount }
        entities { nodes { neighbors(types: ["EMPLOYS"]) { edges { direction node { name } } } } } } } }"""
    default, other = (await api.ask(asked))["volumes"]["nodes"]
    assert default["relationships"] == {"totalCount": 1}
    assert other["relationships"] == {"totalCount": 0}
    assert [e["neighbors"]["edges"] for e in default["entities"]["nodes"]] == [
        [{"direction": "OUT", "node": {"name": "John"}}],
        [{"direction": "IN", "node": {"name": "Google"}}],
    ]
    assert [e["neighbors"]["edges"] for e in other["entities"]["nodes"]] == [[], []]
    assert len(api.statements) == 7


async def stated(api: Api, source: str, type: str, target: str, **rest: Any) -> dict[str, Any]:
    selection = """relationship { id type source { name } target { name } bidirectional evidence { quote } }
        duplicateOf { id }"""
    ends = {"source": {"name": {"name": source}}, "target": {"name": {"name": target}}}
    return await api.do("createRelationship", selection, type=type, **ends, **rest)


async def test_the_inverse_of_what_is_stored_adds_evidence_to_it(api: Api) -> None:
    first = await stated(api, "John", "works at", "Google")
    again = await stated(api, "Google", "employs", "John")
    assert again == {
        "relationship": {
            "id": first["relationship"]["id"],
            "type": "WORKS_AT",
            "source": {"name": "John"},
            "target": {"name": "Google"},
            "bidirectional": False,
            "evidence": [{"quote": "John works at Google"}, {"quote": "Google employs John"}],
        },
        "duplicateOf": {"id": first["relationship"]["id"]},
    }
    assert len(await api.rows(models.Relationship)) == 1
    other = await stated(api, "John", "EMPLOYS", "Google")
    assert other["duplicateOf"] is None
    assert len(await api.rows(models.Relationship)) == 2


async def test_what_is_stated_first_by_the_inverse_stays_as_it_was_stated(api: Api) -> None:
    await stated(api, "Google", "EMPLOYS", "John")
    again = await stated(api, "John", "WORKS_AT", "Google")
    assert (again["relationship"]["type"], again["relationship"]["source"]) == ("EMPLOYS", {"name": "Google"})
    assert await edges(api, "John", "OUT", "WORKS_AT") == (["Google EMPLOYS John"], [("OUT", "Google")])


async def test_a_symmetric_one_stated_the_other_way_round_adds_evidence(api: Api) -> None:
    first = await stated(api, "John", "MARRIED_TO", "Ann")
    again = await stated(api, "Ann", "MARRIED_TO", "John")
    assert again["duplicateOf"] == {"id": first["relationship"]["id"]}
    assert [e["quote"] for e in again["relationship"]["evidence"]] == [
        "John is married to Ann",
        "Ann is married to John",
    ]
    assert len(await api.rows(models.Relationship)) == 1


async def test_the_inverse_at_another_time_is_another_relationship(api: Api) -> None:
    await stated(api, "John", "WORKS_AT", "Google", validFrom="2019", validTo="2020")
    later = await stated(api, "Google", "EMPLOYS", "John", validFrom="2022")
    assert later["duplicateOf"] is None
    assert later["relationship"]["type"] == "EMPLOYS"
    assert len(await api.rows(models.Relationship)) == 2


async def test_of_two_inverses_the_one_of_which_there_is_one_is_the_stored(api: Api) -> None:
    """France HAS_CAPITAL Paris competes with what else Paris is the capital of, so it is stored by that name."""
    done = await stated(api, "France", "HAS_CAPITAL", "Paris")
    edge = done["relationship"]
    assert (edge["type"], edge["source"], edge["target"]) == ("CAPITAL_OF", {"name": "Paris"}, {"name": "France"})
    assert await edges(api, "France", "OUT", "HAS_CAPITAL") == (["Paris CAPITAL_OF France"], [("OUT", "Paris")])


async def test_an_import_that_states_both_ends_makes_one_row_of_each(api: Api) -> None:
    entities = [{"key": name, "name": name, "type": "concept"} for name in ("John", "Google", "Ann")]
    said = [
        ("John", "WORKS_AT", "Google"),
        ("Google", "EMPLOYS", "John"),
        ("Ann", "SIBLING_OF", "John"),
        ("John", "SIBLING_OF", "Ann"),
    ]
    stated = [{"source": source, "type": type, "target": target} for source, type, target in said]
    for made in (2, 0):
        done = await api.do("importGraph", "relationshipsCreated", entities=entities, relationships=stated)
        assert done == {"relationshipsCreated": made}
    rows = await api.rows(models.Relationship)
    assert [(row["type"], row["mutual"]) for row in rows] == [("WORKS_AT", False), ("SIBLING_OF", True)]


async def test_a_document_that_states_the_inverse_supports_what_is_stored(api: Api) -> None:
    await stated(api, "John", "WORKS_AT", "Google")
    text = "Google employs John."
    found = Extraction(
        entities=[
            ExtractedEntity("g", "Google", "concept", mentions=(Span(0, 6),), quote=text),
            ExtractedEntity("j", "John", "concept", mentions=(Span(15, 19),), quote=text),
        ],
        relationships=[ExtractedRelationship("g", "EMPLOYS", "j", quote=text)],
    )
    document = await api.document("Staff", text, found)
    assert (await api.node(document, "facts { totalCount } relationships { nodes { type source { name } } }")) == {
        "facts": {"totalCount": 0},
        "relationships": {"nodes": [{"type": "WORKS_AT", "source": {"name": "John"}}]},
    }
    assert len(await api.rows(models.Relationship)) == 1


async def test_an_edge_cannot_be_corrected_into_the_inverse_of_another(api: Api, people: dict[str, str]) -> None:
    other = await api.relationship(people["Google"], "PAYS", people["John"])
    refusal = await api.refused("updateRelationship", id=other, type="EMPLOYS")
    assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "type")


async def test_an_edge_that_becomes_symmetric_counts_from_both_ends(api: Api, people: dict[str, str]) -> None:
    edge = await api.relationship(people["Acme"], "WORKS_WITH", people["Google"])
    assert await edges(api, "Google", "OUT", "WORKS_WITH") == ([], [])
    await api.do("updateRelationship", "relationship { type }", id=edge, type="PARTNERS_WITH")
    assert await edges(api, "Google", "OUT", "PARTNERS_WITH") == (["Acme PARTNERS_WITH Google"], [("BOTH", "Acme")])
    await api.do("updateRelationship", "relationship { type }", id=edge, type="WORKS_WITH")
    assert await edges(api, "Google", "OUT", "WORKS_WITH") == ([], [])
    assert [p["name"] for p in await api.rows(models.Predicate) if p["symmetric"]] == ["MARRIED_TO", "PARTNERS_WITH"]


async def test_types_of_every_level_are_resolved_by_one_statement(api: Api, people: dict[str, str]) -> None:
    asked = """{ volume { entities { nodes { neighbors(types: ["EMPLOYS"]) { nodes { name
        relationships(types: ["WORKS_AT", "HAS_PART"]) { nodes { type } } } } } } } }"""
    await api.ask(asked)
    read = [statement for statement in api.statements if "FROM predicate" in statement or "JOIN predicate" in statement]
    assert len(read) == 1
    assert len(api.statements) == 6
    assert people
