"""GraphQL over HTTP, on a toy schema: status codes, media types, refusals, and what clients see of errors."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx
import pytest
import strawberry
from graphql import GraphQLError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from strawberry import Info
from strawberry.scalars import JSON

from schema import graphiql
from schema.breadth import batched
from schema.http import GraphQLEndpoint, negotiate
from schema.limits import Limits
from schema.operations import Schema
from server.errors import Ambiguous, BadUserInput, Misconfigured, NotFound, ServerError

GRAPHQL_JSON = "application/graphql-response+json"


@dataclass
class Context:
    actor: str
    loaders: dict[Any, Any] = field(default_factory=dict)


@strawberry.input(one_of=True)
class By:
    id: UUID | None = strawberry.UNSET
    name: str | None = strawberry.UNSET


@strawberry.type
class Thing:
    name: str

    @batched
    @staticmethod
    async def broken(parents: list[Thing], info: Info[Any, Any]) -> list[str | None]:
        raise ValueError("SELECT secret FROM /var/lib")


@strawberry.type
class Query:
    @strawberry.field
    def hello(self, name: str = "world") -> str:
        return f"hello {name}"

    @strawberry.field
    def actor(self, info: Info[Any, Any]) -> str:
        return str(info.context.actor)

    @strawberry.field
    def things(self) -> list[Thing]:
        return [Thing(name="a"), Thing(name="b"), Thing(name="c")]

    @strawberry.field
    def thing(self, by: By) -> str:
        return str(by.id or by.name)

    @strawberry.field
    def page(self, first: int = 20) -> int:
        return first

    @strawberry.field
    def any(self, kind: str) -> JSON | None:
        match kind:
            case "refused":
                raise NotFound("No such thing.", argument="id")
            case "ambiguous":
                raise Ambiguous("Several.", details={"candidates": ["x", "y"], "code": "SPOOFED"})
            case "coded":
                raise GraphQLError("May not.", extensions={"code": "FORBIDDEN"})
            case "uncoded":
                raise GraphQLError("Table facts is locked")
            case "misconfigured":
                raise Misconfigured("/etc/secret is missing")
            case "big":
                return JSON(2**70)
            case "surrogate":
                return JSON("\ud800")
        raise ZeroDivisionError(f"/home/{kind}")

    @strawberry.field
    def needed(self) -> str:
        return None  # type: ignore[return-value]


@strawberry.type
class Mutation:
    @strawberry.mutation
    def add(self, number: int) -> int:
        return number + 1


SCHEMA = Schema(Query, Mutation, limits=Limits())


async def context(request: Request) -> Context:
    if "x-actor" in request.headers and not request.headers["x-actor"]:
        raise BadUserInput("An empty actor.")
    return Context(request.headers.get("x-actor", "nobody"))


def application(schema: Schema = SCHEMA) -> Starlette:
    endpoint = GraphQLEndpoint(schema, context=context, page=graphiql.graphiql_page, body_limit=1024)
    return Starlette(routes=[Route("/graphql", endpoint)])


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(application())
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


async def ask(client: httpx.AsyncClient, query: Any, accept: str = GRAPHQL_JSON, **rest: Any) -> httpx.Response:
    return await client.post("/graphql", json={"query": query, **rest}, headers={"accept": accept})


async def test_a_query_is_answered_by_post_and_by_get(client: httpx.AsyncClient) -> None:
    query, variables = "query ($n: String!) { hello(name: $n) }", {"n": "Ada"}
    posted = await ask(client, query, "application/json", variables=variables)
    got = await client.get("/graphql", params={"query": query, "variables": json.dumps(variables)})
    for response in (posted, got):
        assert response.status_code == 200
        assert response.headers["content-type"] == "application/json; charset=utf-8"
        assert response.headers["cache-control"] == "no-store"
        assert response.content == b'{"data":{"hello":"hello Ada"}}'


async def test_a_mutation_is_run_by_post_and_refused_by_get(client: httpx.AsyncClient) -> None:
    assert (await ask(client, "mutation { add(number: 1) }")).json() == {"data": {"add": 2}}
    for accept in ("application/json", GRAPHQL_JSON):
        response = await client.get(
            "/graphql", params={"query": "mutation { add(number: 1) }"}, headers={"accept": accept}
        )
        assert (response.status_code, response.headers["allow"]) == (405, "POST")
        assert response.json() == {
            "errors": [{"message": "Mutations must be sent by POST.", "extensions": {"code": "BAD_USER_INPUT"}}]
        }


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
async def test_other_methods_are_refused(client: httpx.AsyncClient, method: str) -> None:
    response = await client.request(method, "/graphql")
    assert (response.status_code, response.headers["allow"]) == (405, "GET, POST")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"5",
        b"null",
        b"[]",
        b'"x"',
        b'[{"query":"{hello}"}]',
        b"\xff\xfe",
        b'{"query":"\\ud800"}',
        b"[" * 1000,
    ],
)
async def test_a_body_that_is_no_json_object_is_refused(client: httpx.AsyncClient, body: bytes) -> None:
    response = await client.post("/graphql", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            (name, value)
            for name in ("query", "operationName")
            for value in (0, False, 1.5, ["array"], {"an": "object"})
        ),
        *((name, value) for name in ("variables", "extensions") for value in (0, False, 1.5, ["array"], "", "text")),
        ("query", ""),
        ("query", None),
    ],
)
async def test_a_parameter_of_the_wrong_kind_is_refused_by_name(
    client: httpx.AsyncClient, name: str, value: Any
) -> None:
    response = await client.post("/graphql", json={"query": "{ hello }", name: value})
    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"] == {"code": "BAD_USER_INPUT", "argument": name}


@pytest.mark.parametrize("name", ["variables", "extensions"])
async def test_a_parameter_of_a_get_that_is_no_json_is_refused(client: httpx.AsyncClient, name: str) -> None:
    response = await client.get("/graphql", params={"query": "{ hello }", name: "{"})
    assert (response.status_code, response.json()["errors"][0]["message"]) == (
        400,
        f"The parameter {name} is not JSON.",
    )


async def test_json_that_is_nested_too_deep_to_be_read_is_refused_as_that(client: httpx.AsyncClient) -> None:
    response = await client.get("/graphql", params={"query": "{ hello }", "variables": "[" * 1100 + "]" * 1100})
    assert (response.status_code, response.json()["errors"][0]["message"]) == (
        400,
        "The request's JSON is nested too deep to be read. Flatten it.",
    )


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "application/json; charset=utf-16",
    ],
)
async def test_a_body_that_a_foreign_page_could_send_is_refused(client: httpx.AsyncClient, content_type: str) -> None:
    response = await client.post("/graphql", content=b'{"query":"{hello}"}', headers={"content-type": content_type})
    assert (response.status_code, response.headers["accept-post"]) == (415, "application/json")


async def test_a_body_over_the_limit_is_refused_however_it_is_sent(client: httpx.AsyncClient) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b" " * 512

    body = b'{"query": "{ hello }"}'
    fits = await client.post("/graphql", content=body.ljust(1024), headers={"content-type": "application/json"})
    assert fits.status_code == 200
    for content in (body.ljust(1025), chunks()):
        response = await client.post("/graphql", content=content, headers={"content-type": "application/json"})
        assert response.status_code == 413
        assert response.json()["errors"] == [
            {
                "message": "The request's body is over 1,024 bytes, the limit (LOREGRAPH_MAX_BODY).",
                "extensions": {"code": "LIMIT_EXCEEDED"},
            }
        ]


async def test_a_body_that_says_it_is_over_the_limit_is_not_read() -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        raise AssertionError("the body was read")

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-type", b"application/json"), (b"content-length", b"1025")]
    scope = {"type": "http", "method": "POST", "path": "/graphql", "query_string": b"", "headers": headers}
    await application()(scope, receive, send)
    assert sent[0]["status"] == 413


async def test_a_client_that_leaves_while_sending_is_no_error() -> None:
    sent: list[Any] = []
    messages: Iterator[dict[str, Any]] = iter(
        [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    )
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/graphql",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
    }

    async def send(message: Any) -> None:
        sent.append(message)

    await application()(scope, lambda: asyncio.sleep(0, next(messages)), send)
    assert sent[0]["status"] == 400


@pytest.mark.parametrize(
    ("query", "rest", "code"),
    [
        ("{ hello", {}, "GRAPHQL_PARSE_FAILED"),
        ("{ nothing }", {}, "GRAPHQL_VALIDATION_FAILED"),
        ('{ thing(by: {id: "x"}) }', {}, "GRAPHQL_VALIDATION_FAILED"),
        ('{ thing(by: {name: "x", id: "y"}) }', {}, "GRAPHQL_VALIDATION_FAILED"),
        ("fragment f on Query { hello }", {}, "BAD_USER_INPUT"),
        ("query A { hello } query B { hello }", {}, "BAD_USER_INPUT"),
        ("query A { hello }", {"operationName": "B"}, "BAD_USER_INPUT"),
        ("query ($n: String!) { hello(name: $n) }", {}, "BAD_USER_INPUT"),
        ("query ($n: String!) { hello(name: $n) }", {"variables": {"n": 5}}, "BAD_USER_INPUT"),
        ("query ($n: String!) { hello(name: $n) }", {"variables": {"n": "\0"}}, "BAD_USER_INPUT"),
        ("query ($b: By!) { thing(by: $b) }", {"variables": {"b": {"id": "x"}}}, "BAD_USER_INPUT"),
        ("query ($b: By!) { thing(by: $b) }", {"variables": {"b": {}}}, "BAD_USER_INPUT"),
        ("{" + "hello " * 301 + "}", {}, "LIMIT_EXCEEDED"),
    ],
)
async def test_a_request_error_has_a_code_and_no_data(
    client: httpx.AsyncClient, query: str, rest: dict[str, Any], code: str
) -> None:
    response = await ask(client, query, **rest) if len(query) < 900 else None
    response = response or await client.get("/graphql", params={"query": query}, headers={"accept": GRAPHQL_JSON})
    assert response.status_code == 400
    assert response.headers["content-type"] == f"{GRAPHQL_JSON}; charset=utf-8"
    assert "data" not in response.json()
    assert {error["extensions"]["code"] for error in response.json()["errors"]} == {code}
    as_json = await client.get(
        "/graphql",
        params={"query": query, **{name: json.dumps(value) for name, value in rest.items() if name == "variables"}}
        | {name: value for name, value in rest.items() if name == "operationName"},
    )
    assert (as_json.status_code, as_json.json()) == (200, response.json())


async def test_an_argument_that_a_variable_makes_null_is_the_callers_fault(client: httpx.AsyncClient) -> None:
    response = await ask(client, "query ($f: Int) { page(first: $f) }", variables={"f": None})
    (error,) = response.json()["errors"]
    assert (error["extensions"], error["path"]) == ({"code": "BAD_USER_INPUT"}, ["page"])
    assert "'first'" in error["message"]


async def test_a_refusal_keeps_its_words_code_argument_details_path_and_place(client: httpx.AsyncClient) -> None:
    response = await ask(client, '{ a: any(kind: "refused")\n b: any(kind: "ambiguous") c: any(kind: "coded") hello }')
    assert response.status_code == 200
    assert response.json() == {
        "errors": [
            {
                "message": "No such thing.",
                "locations": [{"line": 1, "column": 3}],
                "path": ["a"],
                "extensions": {"code": "NOT_FOUND", "argument": "id"},
            },
            {
                "message": "Several.",
                "locations": [{"line": 2, "column": 2}],
                "path": ["b"],
                "extensions": {"candidates": ["x", "y"], "code": "AMBIGUOUS"},
            },
            {
                "message": "May not.",
                "locations": [{"line": 2, "column": 28}],
                "path": ["c"],
                "extensions": {"code": "FORBIDDEN"},
            },
        ],
        "data": {"a": None, "b": None, "c": None, "hello": "hello world"},
    }


@pytest.mark.parametrize(
    "query", ['{ any(kind: "secret") }', '{ any(kind: "uncoded") }', '{ any(kind: "misconfigured") }']
)
async def test_a_defect_shows_an_id_and_logs_the_traceback_under_it(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture, query: str
) -> None:
    (error,) = (await ask(client, query)).json()["errors"]
    (record,) = caplog.records
    id = str(record.args[0])  # type: ignore[index]
    assert error["message"] == f"Internal error. The server's log has the details under {id}."
    assert (error["extensions"], error["path"]) == ({"code": "INTERNAL"}, ["any"])
    assert (record.levelno, record.name, record.exc_info is not None) == (logging.ERROR, "loregraph.errors", True)


async def test_a_missing_value_is_a_defect_that_makes_the_data_null(client: httpx.AsyncClient) -> None:
    response = await ask(client, "{ needed }")
    assert response.status_code == 200
    assert response.json()["data"] is None
    assert response.json()["errors"][0]["extensions"] == {"code": "INTERNAL"}


async def test_a_batch_that_fails_is_one_log_entry(client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture) -> None:
    errors = (await ask(client, "{ things { broken } }")).json()["errors"]
    assert len({error["message"] for error in errors}) == 1
    assert [error["path"] for error in errors] == [["things", i, "broken"] for i in range(3)]
    assert len(caplog.records) == 1


async def test_a_refusal_is_not_logged(client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture) -> None:
    await ask(client, '{ any(kind: "refused") nothing }')
    await ask(client, '{ any(kind: "refused") }')
    assert caplog.records == []


async def test_every_operation_has_its_own_context(client: httpx.AsyncClient) -> None:
    responses = [
        await client.post("/graphql", json={"query": "{ actor }"}, headers={"x-actor": name}) for name in ("ada", "bob")
    ]
    assert [response.json()["data"]["actor"] for response in responses] == ["ada", "bob"]
    refused = await client.post("/graphql", json={"query": "{ actor }"}, headers={"x-actor": ""})
    assert (refused.status_code, refused.json()["errors"][0]["message"]) == (400, "An empty actor.")


async def test_values_that_orjson_cannot_write_are_written_all_the_same(client: httpx.AsyncClient) -> None:
    assert (await ask(client, '{ any(kind: "big") }')).json() == {"data": {"any": 2**70}}
    assert (await ask(client, '{ any(kind: "surrogate") }')).content == b'{"data": {"any": "\\ud800"}}'


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("*/*", "application/json"),
        (f"*/*, {GRAPHQL_JSON}", GRAPHQL_JSON),
        ("application/*", "application/json"),
        (f"{GRAPHQL_JSON}, application/json", GRAPHQL_JSON),
        (f"application/json, {GRAPHQL_JSON}", "application/json"),
        (f"application/json;q=0.5, {GRAPHQL_JSON};q=0.9", GRAPHQL_JSON),
        (f"{GRAPHQL_JSON}; charset=utf-8, application/json;q=0.9", GRAPHQL_JSON),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
        ("application/json, text/html;q=0.9", "application/json"),
        ("application/json;q=0, */*", GRAPHQL_JSON),
        ("text/plain", None),
        ("application/json;q=x", None),
        ("", None),
    ],
)
def test_the_media_type_is_the_one_the_client_prefers(accept: str, media_type: str | None) -> None:
    assert negotiate(accept, ("application/json", GRAPHQL_JSON, "text/html")) == media_type


async def test_a_client_that_takes_no_json_is_refused(client: httpx.AsyncClient) -> None:
    response = await ask(client, "{ hello }", "text/plain")
    assert (response.status_code, response.headers["content-type"]) == (406, "application/json; charset=utf-8")


async def test_a_browser_gets_the_page_and_a_program_does_not(client: httpx.AsyncClient) -> None:
    page = await client.get("/graphql", headers={"accept": "text/html,*/*;q=0.8"})
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "<title>Loregraph</title>" in page.text
    assert (await client.get("/graphql")).status_code == 400
    assert (
        (await ask(client, "{ hello }", "text/html, */*;q=0.8")).headers["content-type"].startswith("application/json")
    )


@pytest.mark.parametrize("source", ["bundle", "cdn"])
def test_the_page_runs_nothing_but_its_own_scripts(source: str) -> None:
    page = graphiql._response_of(getattr(graphiql, f"_{source}")())
    text, policy = bytes(page.body).decode(), page.headers["content-security-policy"]
    scripts = policy.split("script-src ")[1].split(";")[0]
    assert "unsafe" not in scripts
    for inline in re.findall(r"<script[^>]*>(.+?)</script>", text):
        assert base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode() in scripts
    assert ("https://" in text) == ("https://" in policy) == ("is loaded from" in text) == (source == "cdn")


async def test_the_pages_files_are_served_beside_it() -> None:
    name = "bundle.js" if graphiql._BUNDLED else "page.js"
    transport = httpx.ASGITransport(Starlette(routes=graphiql.graphiql_routes()))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        response = await client.get(f"/graphiql/{name}")
        assert response.headers["content-type"].startswith("text/javascript")
        assert response.status_code == 200
        assert (await client.get("/graphiql/package.json")).status_code == 404


def test_every_refusal_has_a_code_of_the_contract() -> None:
    codes = {kind.code for kind in ServerError.__subclasses__()}
    assert codes <= {
        "BAD_USER_INPUT",
        "NOT_FOUND",
        "AMBIGUOUS",
        "CONFLICT",
        "UNAUTHENTICATED",
        "FORBIDDEN",
        "LIMIT_EXCEEDED",
        "UPSTREAM_UNAVAILABLE",
        "INTERNAL",
    }
