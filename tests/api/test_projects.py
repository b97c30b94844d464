"""Projects through GraphQL: making, editing, deleting and listing, and what belongs to one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

ALL = "id name description status version"


async def project(api: Api, name: str, **rest: Any) -> str:
    """Create a project and return its id."""
    return str((await api.do("createProject", "project { id }", name=name, **rest))["project"]["id"])


async def test_what_is_stated_of_a_project_is_answered_and_read_back(api: Api) -> None:
    stated = {"description": "To the moon.", "status": "ARCHIVED"}
    made = (await api.do("createProject", f"project {{ {ALL} }}", name="  Apollo \n 11 ", **stated))["project"]
    assert made == {"id": made["id"], "name": "Apollo 11", **stated, "version": 1}
    assert await api.node(made["id"], ALL) == made
    plain = (await api.do("createProject", f"project {{ {ALL} }}", name="Gemini"))["project"]
    assert (plain["description"], plain["status"]) == (None, "ACTIVE")


async def test_a_name_is_taken_once_in_a_volume(api: Api) -> None:
    await project(api, "Apollo")
    other = await project(api, "Gemini")
    refused = await api.refused("createProject", name=" Apollo ")
    assert (refused["code"], refused["argument"]) == ("CONFLICT", "name")
    refused = await api.refused("updateProject", id=other, name="Apollo")
    assert (refused["code"], refused["argument"]) == ("CONFLICT", "name")
    await api.do("createVolume", "volume { id }", name="elsewhere")
    assert await project(api, "Apollo", volume="elsewhere")
    document = 'mutation { createProject(input: {name: "Once"}) { project { id } } }'
    answers = await asyncio.gather(*(api.send(document) for _ in range(6)))
    assert sorted("errors" in answer for answer in answers) == [False, *[True] * 5]


async def test_an_update_keeps_what_is_left_out_and_clears_what_is_null(api: Api) -> None:
    id = await project(api, "Apollo", description="d")
    done = await api.do("updateProject", f"project {{ {ALL} }}", id=id, status="COMPLETED", expectedVersion=1)
    now = {"id": id, "name": "Apollo", "description": "d", "status": "COMPLETED", "version": 2}
    assert done["project"] == now
    done = await api.do("updateProject", f"project {{ {ALL} }}", id=id, description=None, name="Apollo 13")
    assert done["project"] == {**now, "name": "Apollo 13", "description": None, "version": 3}
    async with api.unchanged():
        await api.do("updateProject", "project { id }", id=id, name="Apollo 13", status="COMPLETED")
    for field in ("name", "status"):
        refused = await api.refused("updateProject", id=id, **{field: None})
        assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", field)
    for mutation, rest in {"updateProject": {"name": "x"}, "deleteProject": {}}.items():
        refused = await api.refused(mutation, id=id, expectedVersion=2, **rest)
        assert (refused["code"], refused["argument"]) == ("CONFLICT", "expectedVersion")


async def test_a_field_one_past_its_bounds_is_refused(api: Api) -> None:
    id = await project(api, "Known")
    names = [("name", name) for name in ("", "\u200b", "x" * 501, "a\x00b")]
    async with api.unchanged():
        for field, value in [*names, ("description", "x" * 10_001), ("description", "\x00")]:
            created = await api.refusal("createProject", **{"name": "New", field: value})
            updated = await api.refusal("updateProject", **{"id": id, field: value})
            for refused in (created, updated):
                assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", field), value


async def test_what_belongs_to_a_project_is_seen_from_both_ends_and_outlives_it(api: Api) -> None:
    id, other = await project(api, "Apollo", description="zebra"), await project(api, "Gemini")
    ada = await api.entity("Ada", projects=[id, other])
    memory = await api.memory("m", projects=[id])
    document = await api.document("D", "Some text.", projects=[id])
    members = "entities { nodes { id } totalCount } memories { nodes { id } totalCount } documents { nodes { id } totalCount }"
    pages = {"entities": ada, "memories": memory, "documents": document}
    assert await api.node(id, members) == {
        name: {"nodes": [{"id": node}], "totalCount": 1} for name, node in pages.items()
    }
    assert await api.node(ada, "projects { nodes { name } }") == {
        "projects": {"nodes": [{"name": "Apollo"}, {"name": "Gemini"}]}
    }
    for node in (memory, document):
        assert await api.node(node, "projects { nodes { id } }") == {"projects": {"nodes": [{"id": id}]}}
    await api.do("updateProject", "project { id }", id=id, description="A zebra again.")
    assert await api.do("deleteProject", "deletedId", id=id, expectedVersion=2) == {"deletedId": id}
    assert await api.holding("zebra") == []
    assert await api.node(ada, "projects { nodes { name } }") == {"projects": {"nodes": [{"name": "Gemini"}]}}
    for node in (memory, document):
        assert await api.node(node, "projects { totalCount }") == {"projects": {"totalCount": 0}}
    (change,) = (await api.volume("changes(first: 1) { nodes { kind actor before after node { id } } }"))["changes"][
        "nodes"
    ]
    assert change == {"kind": "DELETED", "actor": "local", "before": None, "after": None, "node": None}
    refused = await api.refused("deleteProject", id=id)
    assert (refused["code"], refused["argument"]) == ("NOT_FOUND", "id")
    assert await project(api, "Apollo") != id


async def test_a_known_entity_and_a_known_document_join_further_projects_once(api: Api) -> None:
    first, second = await project(api, "1"), await project(api, "2")
    ada = await api.entity("Ada", projects=[first])
    document = await api.document("D", "Some text.", projects=[first])
    for _ in range(2):
        assert await api.entity("ADA", projects=[first, second]) == ada
        assert await api.document("D", "Some text.", projects=[second, first]) == document
    for node in (ada, document):
        found = (await api.node(node, "projects { nodes { id } totalCount }"))["projects"]
        assert found == {"nodes": [{"id": first}, {"id": second}], "totalCount": 2}


async def test_projects_are_filtered_by_status(api: Api) -> None:
    for name, status in (("a", "ACTIVE"), ("b", "COMPLETED"), ("c", "ARCHIVED"), ("d", "ACTIVE")):
        await project(api, name, status=status)

    async def names(**filter: Any) -> list[str]:
        found = (await api.volume("projects(filter: $f) { nodes { name } totalCount }", f=("ProjectFilter", filter)))[
            "projects"
        ]
        assert found["totalCount"] == len(found["nodes"])
        return [node["name"] for node in found["nodes"]]

    assert await names() == ["a", "b", "c", "d"]
    assert await names(statuses=["ACTIVE"]) == ["a", "d"]
    assert await names(statuses=["COMPLETED", "ARCHIVED"]) == ["b", "c"]
    assert await names(statuses=[]) == []
    assert len(await api.rows(models.Project)) == 4
