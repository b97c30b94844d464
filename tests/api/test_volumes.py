"""Volumes through GraphQL: making, renaming and deleting bodies of knowledge."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from server import models

if TYPE_CHECKING:
    from api.conftest import Api


async def test_a_new_volume_is_empty_and_is_logged(api: Api) -> None:
    made = await api.do("createVolume", "volume { id name description version }", name="Acme", description="Tenant.")
    volume = made["volume"]
    assert volume == {"id": volume["id"], "name": "Acme", "description": "Tenant.", "version": 1}
    assert volume["id"].startswith("vol_")
    counted = "statistics { entities facts relationships memories documents entitiesByType relationshipsByType }"
    read = await api.volume(f"id {counted} changes {{ nodes {{ kind actor before after node {{ id }} }} }}", "Acme")
    assert read["id"] == volume["id"]
    assert read["statistics"] == {
        "entities": 0,
        "facts": 0,
        "relationships": 0,
        "memories": 0,
        "documents": 0,
        "entitiesByType": {},
        "relationshipsByType": {},
    }
    assert read["changes"]["nodes"] == [
        {
            "kind": "CREATED",
            "actor": "local",
            "before": None,
            "after": {"name": "Acme", "description": "Tenant."},
            "node": {"id": volume["id"]},
        }
    ]


async def test_a_name_that_is_taken_is_a_conflict_for_making_and_for_renaming(api: Api) -> None:
    await api.do("createVolume", "volume { id }", name="Acme")
    refused = await api.refused("createVolume", name=" Acme ")
    assert (refused["code"], refused["argument"]) == ("CONFLICT", "name")
    refused = await api.refused("updateVolume", volume="Acme", name="default")
    assert (refused["code"], refused["argument"]) == ("CONFLICT", "name")


async def test_many_that_make_the_same_volume_at_once_make_one(api: Api) -> None:
    document = 'mutation { createVolume(input: {name: "Acme"}) { volume { id } } }'
    answers = await asyncio.gather(*(api.send(document) for _ in range(20)))
    codes = [answer["errors"][0]["extensions"]["code"] if "errors" in answer else "MADE" for answer in answers]
    assert sorted(set(codes)) == ["CONFLICT", "MADE"]
    assert codes.count("MADE") == 1
    assert len(await api.rows(models.Volume, name="Acme")) == 1


async def test_a_name_that_cannot_be_one_is_refused(api: Api) -> None:
    async with api.unchanged():
        for name in ("", "   ", "\u200b", "a\x00b", "a\x07b", "x" * 101):
            created = await api.refusal("createVolume", name=name)
            renamed = await api.refusal("updateVolume", volume="default", name=name)
            for refused in (created, renamed):
                assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "name"), name


async def test_a_hundred_characters_of_any_script_are_a_name(api: Api) -> None:
    name = "東" * 100
    assert (await api.do("createVolume", "volume { name }", name=name))["volume"]["name"] == name
    assert (await api.volume("name", name))["name"] == name


async def test_an_update_keeps_what_is_left_out_and_clears_what_is_null(api: Api) -> None:
    made = (await api.do("createVolume", "volume { id }", name="Acme", description="Tenant."))["volume"]["id"]
    selection = "volume { id name description version }"
    renamed = await api.do("updateVolume", selection, volume="Acme", name="Acme Corp")
    assert renamed["volume"] == {"id": made, "name": "Acme Corp", "description": "Tenant.", "version": 2}
    cleared = await api.do("updateVolume", selection, volume="Acme Corp", description=None, expectedVersion=2)
    assert cleared["volume"] == {"id": made, "name": "Acme Corp", "description": None, "version": 3}
    async with api.unchanged():
        same = await api.do("updateVolume", selection, volume="Acme Corp", name="Acme Corp")
    assert same == cleared
    refused = await api.refused("updateVolume", volume="Acme Corp", name=None)
    assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "name")
    refused = await api.refused("updateVolume", volume="Acme Corp", description="x", expectedVersion=2)
    assert (refused["code"], refused["argument"]) == ("CONFLICT", "expectedVersion")
    assert await api.ask('{ volume(name: "Acme") { id } }') == {"volume": None}


async def test_the_deletion_of_a_volume_asks_for_its_name_twice(api: Api) -> None:
    await api.do("createVolume", "volume { id }", name="Acme")
    for confirm in ("", "acme", "default"):
        refused = await api.refused("deleteVolume", volume="Acme", confirm=confirm)
        assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "confirm")


async def test_a_deleted_volume_takes_everything_along_and_leaves_the_others_alone(api: Api) -> None:
    await api.entity("Ada", "person", description="Kept.")
    made = (await api.do("createVolume", "volume { id }", name="Gone", description="zebra"))["volume"]["id"]
    ada = await api.entity("Zebra", "animal", volume="Gone", aliases=["zebra two"], description="zebra")
    other = await api.entity("Other zebra", "animal", volume="Gone")
    fact = await api.fact(ada, "A zebra has stripes", volume="Gone", predicate="ZEBRA", value="zebra")
    await api.do("updateFact", "fact { id }", volume="Gone", id=fact, content="Every zebra has stripes")
    edge = await api.relationship(ada, "ZEBRA_OF", other, volume="Gone", description="zebra")
    project = (await api.do("createProject", "project { id }", volume="Gone", name="zebra"))["project"]["id"]
    await api.memory("zebra", "a zebra", volume="Gone", entities=[ada], projects=[project], idempotencyKey="k")
    await api.memory("zebra again", "a zebra", volume="Gone")
    document = await api.document("zebra", "A zebra ran.", volume="Gone", projects=[project])
    code = {"title": "zebra", "language": "zebra", "code": "zebra"}
    await api.do("createCodeArtifact", "codeArtifact { id }", volume="Gone", **code)

    assert await api.do("deleteVolume", "deletedId", volume="Gone", confirm="Gone") == {"deletedId": made}

    assert await api.ask('{ volume(name: "Gone") { id } }') == {"volume": None}
    ids = [made, ada, other, fact, edge, project, document]
    assert await api.ask("query($i: [ID!]!) { nodes(ids: $i) { id } }", i=ids) == {"nodes": [None] * 7}
    assert await api.holding("zebra") == []
    (entry,) = await api.rows(models.Change, kind="DELETED")
    assert (entry["node_kind"], entry["actor"], entry["before"], entry["after"]) == ("vol", "local", None, None)
    kept = await api.volume("statistics { entities } entities { nodes { name description } }")
    assert kept == {"statistics": {"entities": 1}, "entities": {"nodes": [{"name": "Ada", "description": "Kept."}]}}

    again = (await api.do("createVolume", "volume { id version }", name="Gone"))["volume"]
    assert again["version"] == 1
    assert again["id"] != made


async def test_every_mutation_into_a_volume_that_is_not_there_is_not_found(api: Api) -> None:
    for mutation, input in {
        "createEntity": {"name": "Ada", "type": "person"},
        "createMemory": {"title": "t", "content": "c"},
        "createProject": {"name": "p"},
        "createCodeArtifact": {"title": "t", "language": "c", "code": "c"},
        "importGraph": {"entities": [{"key": "a", "name": "Ada", "type": "person"}]},
        "ingestDocument": {"title": "t", "text": "Some text."},
        "updateVolume": {"description": "x"},
        "deleteVolume": {"confirm": "nowhere"},
    }.items():
        refused = await api.refused(mutation, volume="nowhere", **input)
        assert (refused["code"], refused["argument"]) == ("NOT_FOUND", "volume"), mutation


async def test_volumes_are_listed_by_name_page_by_page_and_counted(api: Api) -> None:
    for name in ("b", "a", "C"):
        await api.do("createVolume", "volume { id }", name=name)
    page = "{ nodes { name } totalCount pageInfo { hasNextPage endCursor } }"
    first = (await api.ask(f"{{ volumes(first: 3) {page} }}"))["volumes"]
    assert [volume["name"] for volume in first["nodes"]] == ["C", "a", "b"]
    assert (first["totalCount"], first["pageInfo"]["hasNextPage"]) == (4, True)
    await api.do("createVolume", "volume { id }", name="aa")
    query = f"query($a: String) {{ volumes(first: 3, after: $a) {page} }}"
    rest = (await api.ask(query, a=first["pageInfo"]["endCursor"]))["volumes"]
    assert [volume["name"] for volume in rest["nodes"]] == ["default"]
    assert (rest["totalCount"], rest["pageInfo"]["hasNextPage"]) == (5, False)


async def test_a_volume_is_made_once_for_one_key_and_the_key_is_no_licence_for_another_request(api: Api) -> None:
    made = await api.do("createVolume", "volume { id }", name="Once", description="A", idempotencyKey="k")
    again = await api.do("createVolume", "volume { id }", name="Once", description="A", idempotencyKey="k")
    assert again == made
    other = await api.refused("createVolume", name="Once", description="B", idempotencyKey="k")
    keyless = await api.refused("createVolume", name="Once", description="A")
    assert (other["code"], other["argument"]) == ("CONFLICT", "idempotencyKey")
    assert (keyless["code"], keyless["argument"]) == ("CONFLICT", "name")


VOCABULARY = "vocabulary { entityTypes { name description } predicates { name description } }"


async def test_a_volume_has_a_vocabulary_in_the_form_in_which_its_names_are_stored(api: Api) -> None:
    given = {
        "entityTypes": [{"name": " Space  Ship ", "description": "Flies."}, {"name": "person"}],
        "predicates": [{"name": "docked at", "description": " "}],
    }
    made = await api.do("createVolume", f"volume {{ version {VOCABULARY} }}", name="Fleet", vocabulary=given)
    stored = {
        "entityTypes": [{"name": "space ship", "description": "Flies."}, {"name": "person", "description": None}],
        "predicates": [{"name": "DOCKED_AT", "description": None}],
    }
    assert made["volume"] == {"version": 1, "vocabulary": stored}
    kept = await api.do("updateVolume", f"volume {{ version {VOCABULARY} }}", volume="Fleet", description="Ships.")
    assert kept["volume"] == {"version": 2, "vocabulary": stored}
    same = await api.do("updateVolume", f"volume {{ version {VOCABULARY} }}", volume="Fleet", vocabulary=given)
    assert same["volume"] == {"version": 2, "vocabulary": stored}
    cleared = await api.do("updateVolume", f"volume {{ version {VOCABULARY} }}", volume="Fleet", vocabulary=None)
    assert cleared["volume"] == {"version": 3, "vocabulary": {"entityTypes": [], "predicates": []}}
    assert await api.volume(VOCABULARY) == {"vocabulary": {"entityTypes": [], "predicates": []}}
    log = await api.volume("changes { nodes { before after } }", "Fleet")
    column = {"types": [["space ship", "Flies."], ["person", None]], "predicates": [["DOCKED_AT", None]]}
    assert log["changes"]["nodes"] == [
        {"before": {"vocabulary": column}, "after": {"vocabulary": None}},
        {"before": {"description": None}, "after": {"description": "Ships."}},
        {"before": None, "after": {"name": "Fleet", "description": None, "vocabulary": column}},
    ]


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"entityTypes": [{"name": " "}]}, "entityTypes[0].name is blank: give at least one visible character."),
        ({"predicates": [{"name": "works at"}, {"name": "WORKS_AT"}]}, "WORKS_AT comes twice in the vocabulary."),
        (
            {"entityTypes": [{"name": f"t{n}"} for n in range(201)]},
            "A vocabulary has at most 200 names of a kind; there are 201.",
        ),
        (
            {"entityTypes": [{"name": "t", "description": "x" * 501}]},
            "entityTypes[0].description has 501 characters; at most 500 fit.",
        ),
        (
            {"predicates": [{"name": "met"}, {"name": "!"}]},
            'predicates[1].name: Name the relation by at least one letter or digit, such as "WORKS_AT".',
        ),
        (
            {"entityTypes": [{"name": "t"}, {"name": "x" * 101}]},
            "entityTypes[1].name: A type has at most 100 characters; this one has 101.",
        ),
    ],
)
async def test_a_vocabulary_that_cannot_be_one_is_refused(api: Api, terms: dict[str, Any], told: str) -> None:
    refused = await api.refused("updateVolume", volume="default", vocabulary=terms)
    assert (refused["code"], refused["argument"], refused["message"]) == ("BAD_USER_INPUT", "vocabulary", told)
    refused = await api.refused("createVolume", name="Fleet", vocabulary=terms)
    assert (refused["code"], refused["argument"], refused["message"]) == ("BAD_USER_INPUT", "vocabulary", told)
