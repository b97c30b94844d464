"""Responses of the endpoints: JSON that no cache keeps, and requests that are refused before anything of them is done."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from graphql import GraphQLError
from starlette.responses import Response

from schema.errors import refusal
from server.errors import ServerError

__all__ = ["JSON", "Refused", "json_response", "refused_response", "shown"]

JSON = "application/json"


class Refused(Exception):
    """The request is answered with this status and error, and nothing is done."""

    def __init__(self, status: int, error: ServerError, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(error.message)
        self.status = status
        self.error = error
        self.headers = headers or {}


def shown(errors: Sequence[GraphQLError]) -> list[Any]:
    """Return errors as they stand in a response."""
    return [error.formatted for error in errors]


def refused_response(refused: Refused, media_type: str = JSON) -> Response:
    """Return the answer to a request that is refused: an error of the form that GraphQL has."""
    body = {"errors": shown([refusal(refused.error)])}
    return json_response(body, refused.status, media_type, refused.headers)


def json_response(
    body: Mapping[str, Any], status: int, media_type: str = JSON, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a response with a JSON object."""
    try:
        content = orjson.dumps(body)
    except orjson.JSONEncodeError:
        content = json.dumps(body).encode()  # it can write integers beyond 64 bits and halves of surrogate pairs
    kept = {"content-type": f"{media_type}; charset=utf-8", "cache-control": "no-store", "vary": "accept"}
    return Response(content, status, {**kept, "x-content-type-options": "nosniff", **(headers or {})})
