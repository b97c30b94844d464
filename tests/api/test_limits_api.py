"""Limits over HTTP: what is refused costs no statement, and says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from graphql import get_introspection_query

if TYPE_CHECKING:
    from api.conftest import Api

GRAPHQL_JSON = "application/graphql-response+json"


def nested(depth: int) -> str:
    """Return a query of the real schema with this many levels of fields."""
    inner = "name"
    for _ in range((depth - 4) // 2):
        inner = f"name neighbors {{ nodes {{ {inner} }} }}"
    return f"{{ volume {{ entities {{ nodes {{ {inner} }} }} }} }}"


def aliased(number: int, field: str = "viewer { actor }") -> str:
    return "{ " + " ".join(f"a{n}: {field}" for n in range(number)) + " }"


async def refusal(api: Api, query: str, **variables: Any) -> dict[str, Any]:
    """Return the only error of a request that ran nothing."""
    body = await api.send(query, **variables)
    assert body.keys() == {"errors"}
    assert api.statements == []
    (error,) = body["errors"]
    return {"message": error["message"], **error["extensions"]}


@pytest.mark.parametrize(
    ("passes", "refused", "message"),
    [
        (nested(20), nested(22), "The document has 22 levels of fields; the limit is 20. Ask in several requests."),
        (aliased(15), aliased(16), "The document has 16 aliases; the limit is 15. Ask in several requests."),
        (
            "{ volume { " + "name " * 299 + "} }",
            "{ volume { " + "name " * 300 + "} }",
            "The document has 301 fields, fragments expanded; the limit is 300. Ask for less at once.",
        ),
        (
            "{ nodes(ids: [" + '"x" ' * 900 + "]) { id } }",
            "{ nodes(ids: [" + '"x" ' * 1000 + "]) { id } }",
            "The document has more than 1,000 tokens; the limit is 1,000. Move values to variables.",
        ),
    ],
    ids=["depth", "aliases", "fields", "tokens"],
)
async def test_a_document_at_a_limit_passes_and_one_beyond_it_is_refused(
    api: Api, passes: str, refused: str, message: str
) -> None:
    answer = await api.send(passes)
    assert [e["extensions"]["code"] for e in answer.get("errors", [])] in ([], ["BAD_USER_INPUT"])
    assert "data" in answer
    assert await refusal(api, refused) == {"message": message, "code": "LIMIT_EXCEEDED"}


async def test_fragments_do_not_hide_fields(api: Api) -> None:
    bomb = "query { volume { ...a } }" + "".join(
        f" fragment {one} on Volume {{ " + f"...{other} " * 10 + "}" for one, other in zip("abc", "bcd", strict=True)
    )
    found = await refusal(api, bomb + " fragment d on Volume { name }")
    assert found["message"].startswith("The document has 1,001 fields, fragments expanded; the limit is 300.")


async def test_many_writes_in_one_document_are_refused_together(api: Api) -> None:
    field = 'createProject(input: {name: "P"}) { project { id } }'
    found = await refusal(api, "mutation " + aliased(16, field))
    assert found["code"] == "LIMIT_EXCEEDED"
    assert (await api.ask("{ volume { projects { totalCount } } }"))["volume"]["projects"]["totalCount"] == 0


async def test_the_introspection_query_passes_and_costs_no_statement(api: Api) -> None:
    data = await api.ask(get_introspection_query())
    assert {t["name"] for t in data["__schema"]["types"]} >= {"Volume", "Entity", "Change"}
    assert api.statements == []


@pytest.mark.parametrize(("accept", "status"), [(GRAPHQL_JSON, 400), ("application/json", 200)])
async def test_a_refused_document_has_the_status_of_its_media_type(api: Api, accept: str, status: int) -> None:
    response = await api.http.post("/graphql", json={"query": aliased(16)}, headers={"accept": accept})
    assert response.status_code == status
    assert response.headers["content-type"] == f"{accept}; charset=utf-8"
    assert response.json()["errors"][0]["extensions"] == {"code": "LIMIT_EXCEEDED"}


async def test_a_body_over_256_kibibytes_is_refused(api: Api) -> None:
    room = 256 * 1024 - len(b'{"query":"","variables":{"a":""}}') - len("{ viewer { actor } }")

    async def sent(length: int) -> tuple[int, Any]:
        text = f'{{"query":"{{ viewer {{ actor }} }}","variables":{{"a":"{"x" * length}"}}}}'
        response = await api.http.post("/graphql", content=text, headers={"content-type": "application/json"})
        return response.status_code, response.json()

    assert await sent(room) == (200, {"data": {"viewer": {"actor": "local"}}})
    status, body = await sent(room + 1)
    assert status == 413
    assert body == {
        "errors": [
            {
                "message": "The request's body is over 262,144 bytes, the limit (LOREGRAPH_MAX_BODY).",
                "extensions": {"code": "LIMIT_EXCEEDED"},
            }
        ]
    }


async def test_what_cannot_be_stored_is_refused_wherever_it_stands(api: Api) -> None:
    create = "mutation($i: CreateEntityInput!) { createEntity(input: $i) { entity { id } } }"
    for place in (
        {"name": "a\0", "type": "t"},
        {"name": "a", "type": "t", "aliases": ["b", "c\0"]},
        {"name": "a", "type": "t", "properties": {"deep": [{"deeper": "\0"}]}},
        {"name": "a", "type": "t", "properties": {"\0": 1}},
    ):
        found = await refusal(api, create, i=place)
        assert found["code"] == "BAD_USER_INPUT"
        assert "U+0000" in found["message"]
    half = '{"query": "query($id: ID!) { node(id: $id) { id } }", "variables": {"id": "\\ud800"}}'
    response = await api.http.post("/graphql", content=half, headers={"content-type": "application/json"})
    assert response.json()["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"


async def test_values_nested_deeper_than_documents_are_refused(api: Api) -> None:
    deep: Any = "x"
    for _ in range(40):
        deep = [deep]
    create = "mutation($i: CreateEntityInput!) { createEntity(input: $i) { entity { id } } }"
    found = await refusal(api, create, i={"name": "a", "type": "t", "properties": {"deep": deep}})
    assert found == {
        "message": "deep is nested deeper than 20 levels. Flatten it.",
        "code": "BAD_USER_INPUT",
        "argument": "deep",
    }


FILTERS = [
    ("entities(filter: {types: $v}) { totalCount }", "types", "person"),
    ("facts(filter: {predicates: $v}) { totalCount }", "predicates", "COSTS"),
    ("facts(filter: {categories: $v}) { totalCount }", "categories", "price"),
    ("relationships(filter: {types: $v}) { totalCount }", "types", "IS"),
    ("memories(filter: {tags: $v}) { totalCount }", "tags", "tag"),
    ("documents(filter: {mimeTypes: $v}) { totalCount }", "mimeTypes", "text/plain"),
    ("codeArtifacts(filter: {languages: $v}) { totalCount }", "languages", "go"),
    ("changes(filter: {actors: $v}) { totalCount }", "actors", "test"),
]


async def test_a_filter_takes_a_hundred_values(api: Api) -> None:
    for list, argument, value in FILTERS:
        query = f"query($v: [String!]) {{ volume {{ {list} }} }}"
        await api.ask(query, v=[value] * 100)
        (error,) = (await api.send(query, v=[value] * 101))["errors"]
        assert error["message"] == f"At most 100 {argument} fit into a filter."
        assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": argument}


async def test_a_filter_takes_a_hundred_projects(api: Api) -> None:
    made = await api.do("createProject", "project { id }", name="P")
    for list in ("entities", "memories", "documents"):
        query = f"query($v: [ID!]) {{ volume {{ {list}(filter: {{projects: $v}}) {{ totalCount }} }} }}"
        await api.ask(query, v=[made["project"]["id"]] * 100)
        (error,) = (await api.send(query, v=[made["project"]["id"]] * 101))["errors"]
        assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": "projects"}


async def test_an_import_is_refused_as_a_whole_beyond_its_limit(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.knowledge, "settings", api.knowledge.settings.model_copy(update={"import_limit": 3}))
    items = [{"key": f"k{n}", "name": f"N{n}", "type": "concept"} for n in range(4)]
    done = await api.do("importGraph", "entitiesCreated", entities=items[:3])
    assert done == {"entitiesCreated": 3}
    assert await api.refused("importGraph", entities=items) == {
        "message": "An import takes at most 3 items, this has 4. Send it in parts.",
        "code": "LIMIT_EXCEEDED",
        "argument": "input",
    }


async def test_lists_that_multiply_beyond_the_limit_of_nodes_are_refused_before_they_are_answered(api: Api) -> None:
    hub = await api.entity("Hub")
    for n in range(30):
        await api.relationship(hub, "LINKS", await api.entity(f"Spoke {n}"))
    deep = "neighbors(first: 100) { nodes { " * 6 + "id" + " } }" * 6
    body = await api.send("{ volume { entities(first: 100) { nodes { " + deep + " } } } }")
    assert body["data"] == {"volume": None}
    assert {error["extensions"]["code"] for error in body["errors"]} == {"LIMIT_EXCEEDED"}
    assert body["errors"][0]["message"].startswith(
        "The lists of this operation hold more than 25,000 nodes, the limit."
    )
    two = "neighbors(first: 100) { nodes { " * 2 + "id" + " } }" * 2
    assert "errors" not in await api.send("{ volume { entities(first: 100) { nodes { " + two + " } } } }")
