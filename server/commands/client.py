"""A client of a running server: sends files to POST /documents and has them ingested by GraphQL over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from server.commands.outcomes import Outcome
from server.commands.patience import Patience
from server.commands.sources import Source
from server.errors import BadUserInput, Busy, ServerError, UpstreamUnavailable
from server.retry_after import parse_retry_after
from server.services.formats import open_regular
from server.terms import Authority

__all__ = ["Client"]

_INGEST = """
mutation Ingest($input: IngestDocumentInput!) {
  ingestDocument(input: $input) {
    created
    document { id }
    ingestion { id status error entitiesFound factsFound relationshipsFound rejected { reason } }
  }
}
"""
_CREATE = "mutation Create($input: CreateVolumeInput!) { createVolume(input: $input) { volume { id } } }"
_HOUR = 3600.0  # a long document is read while the request waits
_AT_A_TIME = 262_144
_BUSY = (429, 502, 503, 504)  # what a server answers, or a proxy before it, that may take the same request later


class Away(Busy):
    """The server cannot be reached, or went while it was asked, or asks to be left alone for a while."""


class Refused(ServerError):
    """What the server said; details["codes"] has the codes of its errors."""

    @classmethod
    def by(cls, errors: list[dict[str, Any]]) -> Refused:
        """Return the refusal that errors of the server make."""
        codes = [(error.get("extensions") or {}).get("code") for error in errors]
        return cls("; ".join(str(error.get("message")) for error in errors), details={"codes": codes})


def endpoint(url: str) -> httpx.URL:
    """Return the address of the GraphQL endpoint of a server: /graphql, where the url names no path.

    Raises:
        BadUserInput: it is no address of a web server.
    """
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise BadUserInput(f"{url} is no url: {error}.") from error
    if address.scheme not in ("http", "https") or not address.host:
        raise BadUserInput(f"{url} is no url: write http://127.0.0.1:8000/graphql, say.")
    return address if address.path not in ("", "/") else address.copy_with(path="/graphql")


class Client:
    """Ingests into one volume of a server. Close it after use."""

    concurrency = 4

    def __init__(self, url: str, volume: str, authority: Authority, patience: Patience | None = None) -> None:
        self._graphql = endpoint(url)
        self._documents = self._graphql.join("documents")
        self._volume = volume
        self._shared = {"volume": volume, "authority": authority.value, "wait": True}
        local = self._graphql.host in ("localhost", "127.0.0.1", "::1")
        self._patience = patience or Patience()
        self._patience.hopeful = False
        # A proxy that the environment names is for the network, not for this machine.
        self._http = httpx.AsyncClient(timeout=httpx.Timeout(10.0, read=_HOUR), trust_env=not local)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def ingest(self, source: Source) -> Outcome:
        """Have a file ingested, and wait for it; make the volume where it is missing.

        A server that has answered once and then is away or too busy is waited for, some minutes at most: it may be being
        restarted. What it had taken is known by its content when it is sent again.

        Raises:
            BadUserInput: the file cannot be read, or what is said of it cannot be sent.
            Refused: the server refuses it.
            Exhausted: the server stayed too busy.
            UpstreamUnavailable: the server does not answer, or not as Loregraph does.
        """
        content = await asyncio.to_thread(source.content)  # once, for standard input is read once
        return await self._patience.tried(partial(self._ingest, source, content))

    async def _ingest(self, source: Source, content: Path | bytes) -> Outcome:
        input = {"title": source.title, "upload": await self._upload(source, content), **self._shared}
        if source.uri is not None:
            input["uri"] = source.uri
        payload = (await self._execute(_INGEST, input))["ingestDocument"]
        ingestion = payload["ingestion"]
        return Outcome(
            source.path,
            document=payload["document"]["id"],
            ingestion=ingestion["id"],
            status=ingestion["status"],
            created=payload["created"],
            entities=ingestion["entitiesFound"],
            facts=ingestion["factsFound"],
            relationships=ingestion["relationshipsFound"],
            rejected=len(ingestion["rejected"]),
            error=ingestion["error"],
        )

    async def _upload(self, source: Source, content: Path | bytes) -> str:
        try:
            return await self._send(source, content)
        except Refused as refused:
            if refused.details["codes"] != ["NOT_FOUND"]:
                raise
        await self._make_volume()
        return await self._send(source, content)

    async def _send(self, source: Source, content: Path | bytes) -> str:
        size = len(content) if isinstance(content, bytes) else (await asyncio.to_thread(content.stat)).st_size
        headers = {"content-length": str(size), "content-type": source.claimed or "application/octet-stream"}
        parameters = {"volume": self._volume, "name": source.title.rpartition("/")[2]}
        answer = await self._post(self._documents, params=parameters, headers=headers, content=_pieces(content))
        if not isinstance(answer.get("id"), str):
            raise UpstreamUnavailable(f"{self._documents} is no Loregraph server: its answer has no id.")
        return str(answer["id"])

    async def _make_volume(self) -> None:
        try:
            await self._execute(_CREATE, {"name": self._volume})
        except Refused as refused:
            if refused.details["codes"] != ["CONFLICT"]:  # somebody made it meanwhile
                raise

    async def _execute(self, query: str, input: dict[str, Any]) -> dict[str, Any]:
        answer = await self._post(
            self._graphql,
            json={"query": query, "variables": {"input": input}},
            headers={"accept": "application/graphql-response+json, application/json"},
        )
        data = answer.get("data")
        if not isinstance(data, dict):
            raise UpstreamUnavailable(f"{self._graphql} is no GraphQL server: its answer has no data.")
        return data

    async def _post(self, address: httpx.URL, **request: Any) -> dict[str, Any]:
        try:
            response = await self._http.post(address, **request)
            answer = _read(address, response)
        except httpx.HTTPError as error:
            told = str(error).rstrip(".") or type(error).__name__
            raise Away(f"{address} does not answer: {told}.") from error
        except UnicodeEncodeError as error:  # nothing was sent; it is a ValueError too
            raise BadUserInput(
                f"{error.object[error.start : error.end]!a} cannot be sent in title, uri, type or volume: "
                "give them in valid Unicode, the type in ASCII."
            ) from error
        self._patience.hopeful = True
        if answer.get("errors"):
            raise _refusal(response, answer["errors"])
        return answer


def _read(address: httpx.URL, response: httpx.Response) -> dict[str, Any]:
    try:
        answer = response.json()
    except ValueError as error:
        if response.status_code in _BUSY:  # a proxy's own page
            raise Away(f"{address} is too busy ({response.status_code}).", wait=_wait(response)) from error
        raise UpstreamUnavailable(f"{address} is no Loregraph server: it answers no JSON.") from error
    if not isinstance(answer, dict):
        raise UpstreamUnavailable(f"{address} is no Loregraph server: it answers no object.")
    return answer


def _refusal(response: httpx.Response, errors: list[dict[str, Any]]) -> ServerError:
    """Return what the server refused by; Busy where it lacked something that may be back in a moment."""
    refused = Refused.by(errors)
    if "UPSTREAM_UNAVAILABLE" in refused.details["codes"] or response.status_code in _BUSY:
        return Busy(refused.message, wait=_wait(response))
    return refused


def _wait(response: httpx.Response) -> float | None:
    return parse_retry_after(response.headers.get("retry-after", ""))


async def _pieces(content: Path | bytes) -> AsyncIterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with await asyncio.to_thread(open_regular, content) as file:
        while piece := await asyncio.to_thread(file.read, _AT_A_TIME):
            yield piece
