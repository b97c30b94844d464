"""The endpoint that serves a schema by the GraphQL-over-HTTP specification: POST for all, GET for queries.

It reads the request within its limits, negotiates the media type and chooses the status code. What is answered is the
schema's matter, who asks is the context's. Only JSON is taken by POST, so that no form of a foreign page reaches it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from strawberry.schema import BaseSchema
from strawberry.schema.exceptions import InvalidOperationTypeError
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType

from schema.errors import about_operation
from schema.responses import JSON, Refused, json_response, refused_response, shown
from server.errors import BadUserInput, LimitExceeded, ServerError

__all__ = ["GraphQLEndpoint", "negotiate"]

GRAPHQL_JSON = "application/graphql-response+json"
HTML = "text/html"
_LONG = re.compile(rb"[0-9]{19}")
BODY_LIMIT = 256 * 1024
_ALLOWED = {"GET": {OperationType.QUERY}, "POST": {OperationType.QUERY, OperationType.MUTATION}}


class _Parameters(NamedTuple):
    query: str
    variables: dict[str, Any] | None
    operation_name: str | None
    extensions: dict[str, Any] | None


class GraphQLEndpoint:
    """An ASGI application for one path.

    `context` is called for each operation and answers what resolvers find as `info.context`; a ServerError that it raises
    is the answer. `page` answers browsers that ask for HTML; without it they get JSON.
    """

    def __init__(
        self,
        schema: BaseSchema,
        *,
        context: Callable[[Request], Awaitable[Any]],
        page: Callable[[], Response] | None = None,
        body_limit: int = BODY_LIMIT,
    ) -> None:
        self._schema = schema
        self._context = context
        self._page = page
        self._body_limit = body_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._respond(Request(scope, receive))
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        html = (HTML,) if self._page and request.method == "GET" else ()
        media_type = negotiate(request.headers.get("accept", "*/*"), (JSON, GRAPHQL_JSON, *html))
        if self._page and media_type == HTML:
            return self._page()
        try:
            if media_type is None:
                raise Refused(406, BadUserInput(f"Accept {GRAPHQL_JSON} or {JSON}."))
            result = await self._execute(request)
        except Refused as refused:
            return refused_response(refused, media_type or JSON)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is left to read it
        return json_response(_body(result), _status(result, media_type), media_type)

    async def _execute(self, request: Request) -> ExecutionResult:
        parameters = await self._parameters(request)
        try:
            return await self._schema.execute(
                parameters.query,
                variable_values=parameters.variables,
                context_value=await self._context(request),
                operation_name=parameters.operation_name,
                allowed_operation_types=_ALLOWED[request.method],
                operation_extensions=parameters.extensions,
            )
        except InvalidOperationTypeError as error:
            allow = {"allow": "POST"} if error.operation_type is OperationType.MUTATION else None
            raise Refused(405 if allow else 400, about_operation(error), allow) from None
        except ServerError as error:
            raise Refused(400, error) from None

    async def _parameters(self, request: Request) -> _Parameters:
        if request.method == "GET":
            given: Any = dict(request.query_params)
            for name in ("variables", "extensions"):
                if name in given:
                    given[name] = _parsed(given[name], f"The parameter {name} is not JSON.")
        elif request.method == "POST":
            if not _is_json(request.headers.get("content-type", "")):
                raise Refused(415, BadUserInput(f"Send the request's body as {JSON} in UTF-8."), {"accept-post": JSON})
            given = _parsed(await self._body(request), "The request's body is not JSON in UTF-8.")
        else:
            raise Refused(
                405, BadUserInput("Send GraphQL requests by POST, or queries by GET."), {"allow": "GET, POST"}
            )
        return _checked(given)

    async def _body(self, request: Request) -> bytes:
        too_long = Refused(
            413,
            LimitExceeded(f"The request's body is over {self._body_limit:,} bytes, the limit (LOREGRAPH_MAX_BODY)."),
        )
        length = request.headers.get("content-length", "0")
        if length.isdigit() and int(length) > self._body_limit:
            raise too_long
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self._body_limit:
                raise too_long
        return bytes(body)


@lru_cache(256)
def negotiate(accept: str, offered: tuple[str, ...]) -> str | None:
    """Return the media type of `offered` that an Accept header prefers, or None where it takes none of them.

    The highest weight wins, then the more specific range, then the range named first, then the type offered first.
    """
    ranges = [_range(part) for part in accept.split(",")]
    best: tuple[tuple[float, int, int, int], str] | None = None
    for position, media_type in enumerate(offered):
        matching = [
            (specificity, weight, -index)
            for index, (name, weight) in enumerate(ranges)
            if (specificity := _specificity(name, media_type))
        ]
        if matching:
            specificity, weight, index = max(matching)
            rank = (weight, specificity, index, -position)
            if weight > 0 and (best is None or rank > best[0]):
                best = (rank, media_type)
    return best[1] if best else None


def _range(part: str) -> tuple[str, float]:
    name, *parameters = (piece.strip().lower() for piece in part.split(";"))
    weight = next((parameter[2:] for parameter in parameters if parameter.startswith("q=")), "1")
    try:
        return name, float(weight)
    except ValueError:
        return name, 0.0


def _specificity(name: str, media_type: str) -> int:
    """Return 3 for the type itself, 2 for its family, 1 for anything, 0 where the range does not hold the type."""
    return {media_type: 3, media_type.split("/")[0] + "/*": 2, "*/*": 1}.get(name, 0)


@lru_cache(256)
def _is_json(content_type: str) -> bool:
    name, *parameters = (piece.strip().lower() for piece in content_type.split(";"))
    charset = next((parameter[8:].strip('"') for parameter in parameters if parameter.startswith("charset=")), "utf-8")
    return name == JSON and charset in {"utf-8", "utf8"}


def _parsed(text: bytes | str, message: str) -> Any:
    try:
        parsed = orjson.loads(text)
        # It reads integers beyond 64 bits as floats, which would change them in silence.
        return json.loads(text) if _LONG.search(text if isinstance(text, bytes) else text.encode()) else parsed
    except ValueError as error:
        if str(error).startswith("depth limit exceeded"):
            message = "The request's JSON is nested too deep to be read. Flatten it."
        raise Refused(400, BadUserInput(message)) from None


def _checked(given: Any) -> _Parameters:
    if not isinstance(given, dict):
        raise Refused(400, BadUserInput("The request's body is a JSON object with the document as its `query`."))
    query = given.get("query")
    if not isinstance(query, str) or not query:
        raise Refused(400, BadUserInput("`query` is the document: a string that is not empty.", argument="query"))
    kinds: dict[str, type] = {"variables": dict, "operationName": str, "extensions": dict}
    for name, kind in kinds.items():
        if not isinstance(given.get(name), kind | None):
            shape = "a string" if kind is str else "an object"
            raise Refused(400, BadUserInput(f"`{name}` is {shape}, or null.", argument=name))
    return _Parameters(query, *(given.get(name) for name in kinds))


def _is_request_error(result: ExecutionResult) -> bool:
    """Tell whether nothing was executed: errors of fields have paths, those of the request have none."""
    return result.data is None and all(error.path is None for error in result.errors or ())


def _status(result: ExecutionResult, media_type: str) -> int:
    if media_type == JSON or not _is_request_error(result):
        return 200
    codes = {(error.extensions or {}).get("code") for error in result.errors or ()}
    return 500 if "INTERNAL" in codes else 400


def _body(result: ExecutionResult) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if result.errors:
        body["errors"] = shown(result.errors)
    if not _is_request_error(result):
        body["data"] = result.data
    if result.extensions:
        body["extensions"] = result.extensions
    return body
