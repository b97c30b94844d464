"""The client of a server that is away for a moment."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from server.commands.client import Away, Client
from server.commands.sources import Source
from server.terms import Authority

COUNTS = {"entitiesFound": 2, "factsFound": 0, "relationshipsFound": 1}
RUN = {"id": "i", "status": "DONE", "error": None, "rejected": [], **COUNTS}
PAYLOAD = {"data": {"ingestDocument": {"created": True, "document": {"id": "d"}, "ingestion": RUN}}}


def source(name: str) -> Source:
    return Source(name, name, "text/plain", None, None, "A text.")


async def client_of(answer: Callable[[httpx.Request], httpx.Response]) -> Client:
    client = Client("http://127.0.0.1:9", "default", Authority.UNKNOWN)
    await client._http.aclose()
    client._http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    return client


async def test_a_server_that_has_answered_and_is_away_is_waited_for() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        if len(asked) in (3, 5):
            raise httpx.ConnectError("All connection attempts failed.")
        return httpx.Response(200, json={"id": "u"} if request.url.path == "/documents" else PAYLOAD)

    client = await client_of(answer)
    assert (await client.ingest(source("a"))).status == "DONE"
    assert (await client.ingest(source("b"))).status == "DONE"
    assert asked == ["/documents", "/graphql", "/documents", "/documents", "/graphql", "/documents", "/graphql"]
    await client.close()


async def test_a_server_that_never_answered_is_not_waited_for() -> None:
    def answer(_request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("All connection attempts failed.")

    client = await client_of(answer)
    with pytest.raises(Away, match=r"^http://127.0.0.1:9/documents does not answer: All connection attempts failed\.$"):
        await client.ingest(source("a"))
    await client.close()
