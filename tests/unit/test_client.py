"""The client of a server: one that is away for a moment, and what cannot be sent."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from server.commands.client import Away, Client
from server.commands.outcomes import as_json
from server.commands.patience import Exhausted, Patience
from server.commands.sources import Source, find
from server.errors import BadUserInput
from server.terms import Authority

COUNTS = {"entitiesFound": 2, "factsFound": 0, "relationshipsFound": 1}
RUN = {"id": "i", "status": "DONE", "error": None, "rejected": [], **COUNTS}
PAYLOAD = {"data": {"ingestDocument": {"created": True, "document": {"id": "d"}, "ingestion": RUN}}}


def source(name: str) -> Source:
    return Source(name, name, "text/plain", None, None, "A text.")


async def client_of(answer: Callable[[httpx.Request], httpx.Response]) -> Client:
    client = Client("http://127.0.0.1:9", "default", Authority.UNKNOWN, Patience(tries=3, pause=0))
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


BUSY = {"errors": [{"message": "The database is too busy.", "extensions": {"code": "UPSTREAM_UNAVAILABLE"}}]}


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(503, json=BUSY),
        httpx.Response(200, json=BUSY | {"data": None}),
        httpx.Response(429, json={"errors": [{"message": "Slower."}]}, headers={"retry-after": "0"}),
        httpx.Response(502, text="<html>Bad gateway</html>"),
    ],
    ids=["unavailable", "unavailable-in-graphql", "too-many", "proxy"],
)
async def test_a_server_that_is_too_busy_is_asked_again(reply: httpx.Response) -> None:
    replies = [httpx.Response(200, json={"id": "u"}), reply, httpx.Response(200, json={"id": "u"})]
    replies += [httpx.Response(200, json=PAYLOAD), httpx.Response(200, json={"id": "u"})]
    client = await client_of(lambda request: replies.pop(0))
    assert (await client.ingest(source("a"))).status == "DONE"
    assert len(replies) == 1
    await client.close()


async def test_a_server_that_stays_too_busy_is_given_up_with_what_to_do() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(503, json=BUSY)

    client = await client_of(answer)
    with pytest.raises(
        Exhausted, match=r"^The database is too busy\. The same command takes it up when it is run again\.$"
    ):
        await client.ingest(source("a"))
    assert asked == ["/documents"] * 3
    await client.close()


async def test_a_file_whose_name_is_not_utf_8_is_sent_and_told_of(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"bad\xff\xfe.txt")).write_text("A text.")
    sent: list[tuple[str, bytes]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append((request.url.query.decode(), request.content))
        return httpx.Response(200, json={"id": "u"} if request.url.path == "/documents" else PAYLOAD)

    client = await client_of(answer)
    (found,) = find([str(tmp_path)]).sources
    outcome = await client.ingest(replace(found, path=os.fsdecode(b"bad\xff\xfe.txt")))
    await client.close()
    assert sent[0] == ("volume=default&name=bad%3F%3F.txt", b"A text.")
    assert f'"uri":"{tmp_path.as_uri()}/bad%FF%FE.txt"'.encode() in sent[1][1]
    assert as_json(outcome) == (
        '{"path":"bad\\\\udcff\\\\udcfe.txt","document":"d","ingestion":"i","status":"DONE","created":true,"entities":2,'
        '"facts":0,"relationships":1,"rejected":0,"error":null,"busy":false}'
    )


@pytest.mark.parametrize("field", ["title", "uri", "claimed"])
async def test_what_is_no_unicode_is_refused_before_it_is_sent(field: str) -> None:
    client = await client_of(lambda request: httpx.Response(200, json={"id": "u"}))
    with pytest.raises(BadUserInput) as refused:
        await client.ingest(replace(source("a"), **{field: "a\udcff"}))
    await client.close()
    assert refused.value.message == (
        "'\\udcff' cannot be sent in title, uri, type or volume: give them in valid Unicode, the type in ASCII."
    )
