"""The endpoint that files are sent to ahead of their document: POST /documents, as they are or in a form.

A body goes to the disk as it arrives, within a limit of bytes and of time. The file's content tells its type. Pages of
other sites are refused: a browser lets them send forms to any address, and says where they come from.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Protocol
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from schema.context import Context
from schema.multipart import FileForm, boundary_of
from schema.responses import Refused, json_response, refused_response
from server.errors import BadUserInput, Forbidden, LimitExceeded, ServerError
from server.ids import NodeKind, encode_id
from server.services.incoming import IncomingFile
from server.services.uploads import Received

__all__ = ["UploadEndpoint"]

_STATUS = {
    "NOT_FOUND": 404,
    "FORBIDDEN": 403,
    "UNAUTHENTICATED": 401,
    "LIMIT_EXCEEDED": 413,
    "UPSTREAM_UNAVAILABLE": 503,
}
_FORM_OVERHEAD = 16_384
_PARAMETERS = {"volume", "name"}
_NO_CLAIM = {"", "application/octet-stream", "application/x-www-form-urlencoded"}
"""What clients write who were not told a type, curl --data-binary among them."""


class Body(Protocol):
    """What tells the file from the body that it comes in. `name` and `claimed` are known when the body has ended."""

    @property
    def name(self) -> str | None: ...

    @property
    def claimed(self) -> str | None: ...

    def feed(self, piece: bytes) -> bytes: ...

    def end(self) -> None: ...


class WholeBody:
    """A body that is the file."""

    name = None

    def __init__(self, claimed: str | None) -> None:
        self.claimed = claimed

    def feed(self, piece: bytes) -> bytes:
        """Return the piece."""
        return piece

    def end(self) -> None:
        """Do nothing: every end is right."""


class UploadEndpoint:
    """An ASGI application for one path. `context` is called as by the GraphQL endpoint, and refuses whom that refuses."""

    def __init__(self, context: Callable[[Request], Awaitable[Context]]) -> None:
        self._context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._respond(Request(scope, receive))
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        try:
            received = await self._take(request)
        except Refused as refused:
            return refused_response(refused)
        except ServerError as error:
            return refused_response(Refused(_STATUS.get(error.code, 400), error, _connection(request)))
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is left to read it
        told = {"mimeType": received.mime_type, "title": received.title, "characters": received.characters}
        return json_response({"id": encode_id(NodeKind.UPLOAD, received.id), **told}, 201)

    async def _take(self, request: Request) -> Received:
        if request.method != "POST":
            raise Refused(405, BadUserInput("Send a file by POST."), {"allow": "POST"})
        _refuse_other_sites(request)
        context = await self._context(request)
        body, knowledge = _body_of(request), context.knowledge
        volume = await knowledge.volumes.named(request.query_params.get("volume", "default"))
        async with knowledge.uploads.incoming.file() as file:
            seconds = knowledge.settings.upload_timeout
            try:
                async with asyncio.timeout(seconds):
                    await _receive(request, body, file, knowledge.settings.max_upload)
            except TimeoutError:
                late = LimitExceeded(
                    f"The file took over {seconds:g} s to arrive, the limit (LOREGRAPH_UPLOAD_TIMEOUT)."
                )
                raise Refused(408, late, {"connection": "close"}) from None
            name = _without_folders(request.query_params.get("name") or body.name)
            return await knowledge.uploads.take(
                volume, file.path, context.viewer.actor, name=name, claimed=_claim(body.claimed)
            )


def _refuse_other_sites(request: Request) -> None:
    """Refuse what a browser sends for a page of another origin; other clients say nothing of where they come from.

    Raises:
        Forbidden: it does.
    """
    origin, fetched = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
    if fetched not in ("none", "same-origin") or (
        origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    ):
        raise Forbidden("Pages of other sites may not send files here.")


def _body_of(request: Request) -> Body:
    """Return how to read the body.

    Raises:
        Refused: it is in a form or coding that is not read.
        BadUserInput: a parameter of the address is unknown, or the form names no boundary.
    """
    unknown = sorted(request.query_params.keys() - _PARAMETERS)
    if unknown:
        raise BadUserInput("The address takes volume and name only.", argument=unknown[0])
    content_type = request.headers.get("content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused(415, BadUserInput("Send the file's bytes as they are, without Content-Encoding."))
    if kind == "multipart/form-data":
        return FileForm(boundary_of(content_type))
    if kind.startswith("multipart/"):
        raise Refused(415, BadUserInput("Send the file as the body, or in a form as multipart/form-data."))
    return WholeBody(content_type)


async def _receive(request: Request, body: Body, file: IncomingFile, limit: int) -> None:
    """Write the file that arrives; of a body that says itself that it is too large nothing is read.

    Raises:
        LimitExceeded: the file, or what a form puts around it, is too large.
        BadUserInput: the form is broken.
    """
    length = request.headers.get("content-length", "0")
    if length.isdigit() and int(length) > limit + (_FORM_OVERHEAD if isinstance(body, FileForm) else 0):
        raise LimitExceeded(f"The file has over {limit:,} bytes, the limit (LOREGRAPH_MAX_UPLOAD).")
    around = 0
    async with aclosing(request.stream()) as pieces:
        async for piece in pieces:
            found = body.feed(piece)
            around += len(piece) - len(found)
            if around > _FORM_OVERHEAD:
                raise LimitExceeded("The form holds too much beside its file.")
            await file.write(found)
    body.end()
    await file.finish()


def _connection(request: Request) -> dict[str, str]:
    """Have the connection closed after a refusal where the client waits to be asked for the body, which nobody will."""
    return {"connection": "close"} if "expect" in request.headers else {}


def _claim(claimed: str | None) -> str | None:
    return None if (claimed or "").partition(";")[0].strip().lower() in _NO_CLAIM else claimed


def _without_folders(name: str | None) -> str | None:
    return None if name is None else name.replace("\\", "/").rpartition("/")[2]
