"""What clients see when something fails, over HTTP on the real schema: codes, places, and nothing of the inside."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text
from worlds import new_volume, new_world

from server.errors import UpstreamUnavailable
from server.ids import NodeKind, encode_id, new_id

if TYPE_CHECKING:
    from api.conftest import Api

CREATE = "mutation($i: CreateEntityInput!) { createEntity(input: $i) { entity { name } } }"
ENTITY = {"name": "Ada", "type": "person"}


async def code(api: Api, query: str, **variables: Any) -> tuple[str, bool]:
    """Return the only code among the errors, and whether anything was run."""
    body = await api.send(query, **variables)
    (found,) = {error["extensions"]["code"] for error in body["errors"]}
    return found, "data" in body


WRONG_DOCUMENTS = [
    ("{ volume", "GRAPHQL_PARSE_FAILED"),
    ("{ volume { } }", "GRAPHQL_PARSE_FAILED"),
    ('{ node(id: "\\q") { id } }', "GRAPHQL_PARSE_FAILED"),
    ("{ nothing }", "GRAPHQL_VALIDATION_FAILED"),
    ("{ volume { secret } }", "GRAPHQL_VALIDATION_FAILED"),
    ("{ volume { ...unknown } }", "GRAPHQL_VALIDATION_FAILED"),
    ("{ volume }", "GRAPHQL_VALIDATION_FAILED"),
    ("{ node { id } }", "GRAPHQL_VALIDATION_FAILED"),
    ("{ node(id: $id) { id } }", "GRAPHQL_VALIDATION_FAILED"),
    ("query($id: Int!) { node(id: $id) { id } }", "GRAPHQL_VALIDATION_FAILED"),
    ("query($id: Nothing!) { node(id: $id) { id } }", "GRAPHQL_VALIDATION_FAILED"),
    ("query($unused: ID) { viewer { actor } }", "GRAPHQL_VALIDATION_FAILED"),
    ("{ volume { entity(by: {}) { id } } }", "GRAPHQL_VALIDATION_FAILED"),
    ('{ volume { entity(by: {id: "x", name: {name: "y"}}) { id } } }', "GRAPHQL_VALIDATION_FAILED"),
    ("{ volume { entity(by: {id: null}) { id } } }", "GRAPHQL_VALIDATION_FAILED"),
    ("{ volume { entities(orderBy: {field: SIZE}) { totalCount } } }", "GRAPHQL_VALIDATION_FAILED"),
    ('{ volume { entities(orderBy: {field: "NAME"}) { totalCount } } }', "GRAPHQL_VALIDATION_FAILED"),
    ("{ volume { entities(first: 2147483648) { totalCount } } }", "GRAPHQL_VALIDATION_FAILED"),
    ('{ volume { entities(first: "1") { totalCount } } }', "GRAPHQL_VALIDATION_FAILED"),
    ("{ volume { entities(first: 1.5) { totalCount } } }", "GRAPHQL_VALIDATION_FAILED"),
    ("{ volume { entities(size: 1) { totalCount } } }", "GRAPHQL_VALIDATION_FAILED"),
    (
        'mutation { createFact(input: {subject: "x", content: "y", validTo: "never"}) { fact { id } } }',
        "GRAPHQL_VALIDATION_FAILED",
    ),
    ("subscription { volume { id } }", "BAD_USER_INPUT"),
    ("query A { viewer { actor } } query B { viewer { actor } }", "BAD_USER_INPUT"),
]


async def test_a_document_that_is_wrong_is_not_run(api: Api) -> None:
    for query, expected in WRONG_DOCUMENTS:
        assert await code(api, query) == (expected, False), query
        assert api.statements == []


BY = "query($v: EntityBy!) { volume { entity(by: $v) { id } } }"
ORDER = "query($v: EntityOrder) { volume { entities(orderBy: $v) { totalCount } } }"
FIRST = "query($v: Int!) { volume { entities(first: $v) { totalCount } } }"
FILTER = "query($v: EntityFilter) { volume { entities(filter: $v) { totalCount } } }"
FACT = "mutation($v: CreateFactInput!) { createFact(input: $v) { fact { id } } }"


WRONG_VARIABLES: list[tuple[str, Any]] = [
    (BY, {}),
    (BY, {"id": "x", "name": {"name": "y"}}),
    (BY, {"id": None}),
    (BY, {"name": {}}),
    (BY, None),
    (ORDER, {"field": "SIZE"}),
    (ORDER, {"field": 1}),
    (ORDER, {"field": "NAME", "way": "ASC"}),
    (FIRST, 2_147_483_648),
    (FIRST, -2_147_483_649),
    (FIRST, 10**30),
    (FIRST, 1.5),
    (FIRST, "1"),
    (FIRST, True),
    (FIRST, None),
    (FIRST, [1, 2]),
    (FILTER, {"minConfidence": "high"}),
    (FILTER, {"types": [None]}),
    (FILTER, []),
    (FACT, {"subject": "x", "content": "y", "validFrom": "yesterday"}),
    (FACT, {"subject": "x", "content": "y", "validFrom": 2024}),
    (FACT, {"subject": "x", "content": "y", "validFrom": "2024-13"}),
    (FACT, {"subject": "x"}),
    (FACT, {"subject": ["x"], "content": "y"}),
]


async def test_a_variable_that_is_wrong_runs_nothing(api: Api) -> None:
    for query, value in WRONG_VARIABLES:
        body = await api.send(query, v=value)
        assert body.keys() == {"errors"}, value
        assert {error["extensions"]["code"] for error in body["errors"]} == {"BAD_USER_INPUT"}
        assert all(re.search(r"\$v|EntityBy|member field 'id'", error["message"]) for error in body["errors"])
        assert api.statements == []


async def test_a_time_that_is_none_is_refused_at_its_place(api: Api) -> None:
    body = await api.send(FACT, v={"subject": "x", "content": "y", "validFrom": "2024", "validTo": "later"})
    (error,) = body["errors"]
    assert error["extensions"] == {"code": "BAD_USER_INPUT"}
    assert "at .validTo: Expected value of type 'DateTime'" in error["message"]
    assert "write a year (2024), a month (2024-03), a day (2024-03-05) or an ISO 8601 time" in error["message"]


async def test_a_required_variable_that_is_left_out_is_named(api: Api) -> None:
    body = await api.send("query($id: ID!) { node(id: $id) { id } }")
    (error,) = body["errors"]
    assert error["extensions"] == {"code": "BAD_USER_INPUT"}
    assert "$id" in error["message"]


async def test_a_variable_that_the_document_does_not_declare_is_passed_over(api: Api) -> None:
    assert await api.ask("{ viewer { actor role } }", other=1) == {"viewer": {"actor": "local", "role": "ADMIN"}}


async def test_a_refused_mutation_does_not_blank_its_siblings(api: Api) -> None:
    unknown = encode_id(NodeKind.ENTITY, new_id())
    body = await api.send(
        """mutation($id: ID!) {
            first: createEntity(input: {name: "Ada", type: "person"}) { entity { name } }
            second: updateEntity(input: {id: $id, name: "Grace"}) { entity { name } }
            third: createProject(input: {name: "P"}) { project { name } }
            fourth: createProject(input: {name: "P"}) { project { name } }
            fifth: deleteVolume(input: {volume: "default", confirm: "other"}) { deletedId }
            sixth: createEntity(input: {name: "ada", type: "person"}) { created entity { name } }
        }""",
        id=unknown,
    )
    assert body["data"] == {
        "first": {"entity": {"name": "Ada"}},
        "second": None,
        "third": {"project": {"name": "P"}},
        "fourth": None,
        "fifth": None,
        "sixth": {"created": False, "entity": {"name": "Ada"}},
    }
    assert [(e["path"], e["extensions"]) for e in body["errors"]] == [
        (["second"], {"code": "NOT_FOUND", "argument": "id"}),
        (["fourth"], {"code": "CONFLICT", "argument": "name"}),
        (["fifth"], {"code": "BAD_USER_INPUT", "argument": "confirm"}),
    ]
    assert all(error["locations"] for error in body["errors"])


async def test_a_name_that_several_have_is_refused_with_the_candidates_beside_what_else_was_asked(api: Api) -> None:
    ids = []
    for sense in ("CFO of Acme", "CFO of Bolt"):
        made = await api.do("createEntity", "entity { id }", name="Li Wei", type="person", sense=sense)
        ids.append(made["entity"]["id"])
    body = await api.send('{ volume { name entity(by: {name: {name: "li wei"}}) { id } } }')
    assert body["data"] == {"volume": {"name": "default", "entity": None}}
    (error,) = body["errors"]
    assert error["path"] == ["volume", "entity"]
    assert error["extensions"] == {"code": "AMBIGUOUS", "argument": "by", "candidates": ids}


async def test_ids_of_another_volume_are_refused_as_unknown_ones_are(api: Api) -> None:
    other = await new_world(api.store, await new_volume(api.store, "other"), 1)
    foreign, unknown = encode_id(NodeKind.ENTITY, other.entities[0]), encode_id(NodeKind.ENTITY, new_id())
    wrong_kind = encode_id(NodeKind.FACT, other.facts[0])
    refusals = [
        await api.refused("createFact", subject=id, content="It is.") for id in (foreign, unknown, wrong_kind, "ent_1")
    ]
    assert refusals[0]["code"] == "NOT_FOUND"
    assert refusals[0]["argument"] == "subject"
    assert all(found == refusals[0] for found in refusals)
    nowhere = await api.refused("createEntity", **ENTITY, volume="nowhere")
    assert (nowhere["code"], nowhere["argument"]) == ("NOT_FOUND", "volume")


INTERNAL = re.compile(r"Internal error\. The server's log has the details under ([0-9a-f]{8})\.")


def masked(body: dict[str, Any], caplog: pytest.LogCaptureFixture, cause: str) -> None:
    """Check that every error of a body is INTERNAL under one id, which the log has once, with the cause."""
    messages = {error["message"] for error in body["errors"]}
    assert len(messages) == 1
    found = INTERNAL.fullmatch(messages.pop())
    assert found
    assert all(error["extensions"] == {"code": "INTERNAL"} for error in body["errors"])
    (record,) = [r for r in caplog.records if r.name == "loregraph.errors"]
    assert record.levelno == logging.ERROR
    assert found[1] in record.getMessage()
    assert record.exc_info is not None
    assert cause in str(record.exc_info[1])
    assert not re.search(r"select|insert|/srv|traceback|sqlalchemy|sqlite|asyncpg|\.py", str(body), re.IGNORECASE)


async def test_a_defect_of_a_service_shows_an_id_and_is_logged_once(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("SELECT secret FROM /srv/data/loregraph.sqlite3")

    monkeypatch.setattr(api.knowledge.entities, "create", broken)
    body = await api.send(
        f"""mutation($i: CreateEntityInput!) {{ before: createProject(input: {{name: "P"}}) {{ project {{ name }} }}
        {CREATE.partition("{")[2].rpartition("}")[0]}
        after: createProject(input: {{name: "Q"}}) {{ project {{ name }} }} }}""",
        i=ENTITY,
    )
    assert body["data"] == {
        "before": {"project": {"name": "P"}},
        "createEntity": None,
        "after": {"project": {"name": "Q"}},
    }
    assert body["errors"][0]["path"] == ["createEntity"]
    masked(body, caplog, "SELECT secret")


async def test_a_statement_that_the_database_refuses_is_not_shown(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    async with api.store.database.writing() as connection:
        await connection.execute(text("ALTER TABLE predicate RENAME TO moved"))
    body = await api.send("{ volume { name predicates { totalCount nodes { name } } } }")
    assert body["data"] == {"volume": None}
    masked(body, caplog, "predicate")


async def test_a_level_that_fails_is_one_entry_of_the_log(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: Any, **__: Any) -> None:
        raise KeyError("/srv/data")

    volume = await api.store.volume("default")
    assert volume is not None
    world = await new_world(api.store, volume.id, 3)
    monkeypatch.setattr(api.store.read, "other_names", broken)
    ids = [encode_id(NodeKind.ENTITY, id) for id in world.entities]
    query = "query($ids: [ID!]!) { nodes(ids: $ids) { id ... on Entity { aliases } } }"
    body = await api.send(query, ids=ids)
    assert body["data"] == {"nodes": [None, None, None]}
    assert [error["path"] for error in body["errors"]] == [["nodes", n, "aliases"] for n in range(3)]
    masked(body, caplog, "/srv/data")


async def test_a_refusal_is_not_logged(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    await api.refused("createEntity", name="", type="person")
    await api.send("{ nothing }")
    assert [r for r in caplog.records if r.name == "loregraph.errors"] == []


async def test_what_does_not_answer_is_named_and_nothing_is_written(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(_: Any) -> None:
        raise UpstreamUnavailable("The embedding endpoint does not answer. Try again in a moment.")

    monkeypatch.setattr(api.knowledge.embedder, "embed", away)
    assert await api.refused("createMemory", title="T", content="C") == {
        "message": "The embedding endpoint does not answer. Try again in a moment.",
        "code": "UPSTREAM_UNAVAILABLE",
    }


async def test_a_failed_field_of_a_request_keeps_its_status_and_a_failed_request_does_not(api: Api) -> None:
    accept = {"accept": "application/graphql-response+json"}
    for query, status in (
        ('{ volume { entity(by: {name: {name: ""}}) { id } } }', 200),
        ("{ nothing }", 400),
        ("{", 400),
    ):
        response = await api.http.post("/graphql", json={"query": query}, headers=accept)
        assert response.status_code == status
        assert response.json()["errors"]
