"""The embedder behind HTTP, against a real server on 127.0.0.1 that answers as told, and the double that other tests use."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest
from doubles import HashEmbedder

from server.config import Settings
from server.embeddings import Embedder, open_embedder
from server.embeddings.endpoint import MAX_CHARACTERS, EndpointEmbedder
from server.errors import Misconfigured, UpstreamUnavailable


@dataclass
class Reply:
    """One scripted answer. `cut` ends the connection after so many bytes of the body; `stall` never answers."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    stall: bool = False


def vectors(*rows: list[float] | tuple[int, list[float]]) -> Reply:
    """An answer with these vectors; a pair gives its index too."""
    data = [{"index": row[0], "embedding": row[1]} if isinstance(row, tuple) else {"embedding": row} for row in rows]
    return Reply(body=json.dumps({"object": "list", "data": data}).encode())


class Endpoint:
    """A server that speaks POST /v1/embeddings. Unless `replies` says otherwise, a text's vector is (its length, 1, 0)."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.url = ""
        self._stalled: set[asyncio.StreamWriter] = set()

    @property
    def inputs(self) -> list[list[str]]:
        return [body["input"] for _, _, body in self.requests]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._answer(reader, writer):
                pass
        except asyncio.IncompleteReadError:
            pass  # the client hung up
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:-2])}
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        self.requests.append((head[0], headers, body))
        usual = vectors(*[(place, [float(len(text)), 1.0, 0.0]) for place, text in enumerate(body["input"])])
        reply = self.replies.pop(0) if self.replies else usual
        if reply.stall:
            await reader.read()  # until the client gives up
            return False
        fields = {"Content-Type": "application/json", "Content-Length": str(len(reply.body)), **reply.headers}
        lines = [f"HTTP/1.1 {reply.status} X", *(f"{name}: {value}" for name, value in fields.items())]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + reply.body[: reply.cut])
        await writer.drain()
        return reply.cut is None


@pytest.fixture
async def endpoint(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    endpoint = Endpoint()
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0)
    endpoint.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    yield endpoint
    server.close()
    await server.wait_closed()


@pytest.fixture
def pauses() -> list[float]:
    """The waits between tries, in seconds: noted instead of spent."""
    return []


@pytest.fixture
async def embedder(endpoint: Endpoint, pauses: list[float]) -> AsyncIterator[EndpointEmbedder]:
    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    embedder = EndpointEmbedder(endpoint.url, "tiny", dimension=3, key="sk-1", timeout=0.5, sleep=sleep)
    yield embedder
    await embedder.aclose()


async def test_a_request_carries_model_texts_and_key(endpoint: Endpoint, embedder: EndpointEmbedder) -> None:
    got = await embedder.embed(["abc", "d"])
    assert got.dtype == np.float32
    assert got.tolist() == pytest.approx(np.array([[3 / 10**0.5, 1 / 10**0.5, 0], [0.5**0.5, 0.5**0.5, 0]]), abs=1e-6)
    ((line, headers, body),) = endpoint.requests
    assert line == "POST /v1/embeddings HTTP/1.1"
    assert headers["authorization"] == "Bearer sk-1"
    assert body == {"model": "tiny", "input": ["abc", "d"]}
    assert embedder.name == "tiny@127.0.0.1"


async def test_without_key_no_authorization_is_sent(endpoint: Endpoint) -> None:
    embedder = EndpointEmbedder(endpoint.url + "/", "tiny", dimension=3)
    await embedder.embed(["a"])
    assert endpoint.requests[0][0] == "POST /v1/embeddings HTTP/1.1"
    assert "authorization" not in endpoint.requests[0][1]
    await embedder.aclose()


async def test_many_texts_go_in_batches_of_128_and_keep_their_order(
    endpoint: Endpoint, embedder: EndpointEmbedder
) -> None:
    got = await embedder.embed(["x" * length for length in range(1, 301)])
    assert [len(batch) for batch in endpoint.inputs] == [128, 128, 44]
    assert (got[:, 0] / got[:, 1]).tolist() == pytest.approx(list(range(1, 301)), rel=1e-5)


async def test_no_texts_give_an_empty_array_without_a_request(endpoint: Endpoint, embedder: EndpointEmbedder) -> None:
    assert (await embedder.embed([])).shape == (0, 3)
    assert endpoint.requests == []


async def test_reordered_vectors_are_put_in_the_order_of_their_indices(
    endpoint: Endpoint, embedder: EndpointEmbedder
) -> None:
    endpoint.replies = [vectors((2, [0, 0, 5]), (0, [5, 0, 0]), (1, [0, 5, 0]))]
    assert (await embedder.embed(["a", "b", "c"])).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


async def test_vectors_without_index_are_taken_in_order(endpoint: Endpoint, embedder: EndpointEmbedder) -> None:
    endpoint.replies = [vectors([0, 2, 0], [3, 0, 0])]
    assert (await embedder.embed(["a", "b"])).tolist() == [[0, 1, 0], [1, 0, 0]]


async def test_empty_broken_and_endless_texts_are_made_acceptable(
    endpoint: Endpoint, embedder: EndpointEmbedder
) -> None:
    await embedder.embed(["", "a\ud800b", "x" * 1_000_000, "\x00"])
    assert endpoint.inputs == [[" ", "a?b", "x" * MAX_CHARACTERS, "\x00"]]


async def test_the_dimension_is_asked_for_once_where_it_is_not_given(endpoint: Endpoint) -> None:
    embedder = await EndpointEmbedder.open(endpoint.url, "tiny")
    assert embedder.dimension == 3
    await embedder.embed(["a"])
    assert len(endpoint.requests) == 2
    await embedder.aclose()


async def test_a_given_dimension_is_not_asked_for(endpoint: Endpoint) -> None:
    embedder = await EndpointEmbedder.open(endpoint.url, "tiny", dimension=7)
    assert (embedder.dimension, endpoint.requests) == (7, [])
    await embedder.aclose()


async def test_the_settings_choose_the_endpoint(endpoint: Endpoint) -> None:
    settings = Settings.model_validate({"embeddings_url": endpoint.url, "embeddings_model": "m", "embeddings_key": "k"})
    embedder = await open_embedder(settings)
    assert (embedder.name, embedder.dimension) == ("m@127.0.0.1", 3)
    assert endpoint.requests[0][1]["authorization"] == "Bearer k"
    await embedder.aclose()


async def test_retry_after_is_obeyed(endpoint: Endpoint, embedder: EndpointEmbedder, pauses: list[float]) -> None:
    endpoint.replies = [Reply(429, headers={"Retry-After": "7"}), Reply(503, headers={"Retry-After": "0"})]
    assert (await embedder.embed(["a"])).shape == (1, 3)
    assert pauses == [7, 0]


async def test_retry_after_may_be_a_date(endpoint: Endpoint, embedder: EndpointEmbedder, pauses: list[float]) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=20), usegmt=True)
    endpoint.replies = [Reply(429, headers={"Retry-After": later}), Reply(429, headers={"Retry-After": past})]
    await embedder.embed(["a"])
    assert pauses == [pytest.approx(19.5, abs=1), 0]


@pytest.mark.parametrize(("asked", "told"), [("31", 31), ("3600", 3_600), ("9" * 400, 86_400)])
async def test_a_longer_retry_after_ends_the_call_at_once(
    endpoint: Endpoint, embedder: EndpointEmbedder, pauses: list[float], asked: str, told: int
) -> None:
    endpoint.replies = [Reply(429, headers={"Retry-After": asked})]
    with pytest.raises(UpstreamUnavailable, match=rf"rate limit \(429\): try again in {told} seconds or later"):
        await embedder.embed(["a"])
    assert (len(endpoint.requests), pauses) == (1, [])


@pytest.mark.parametrize("hint", [{}, {"Retry-After": "soon"}, {"Retry-After": "-1"}])
async def test_failures_are_retried_with_growing_pauses(
    endpoint: Endpoint, embedder: EndpointEmbedder, pauses: list[float], hint: dict[str, str]
) -> None:
    endpoint.replies = [Reply(500, headers=hint), Reply(502, headers=hint)]
    assert (await embedder.embed(["a"])).shape == (1, 3)
    assert pauses == [0.5, 1.0]


@pytest.mark.parametrize(
    ("status", "requests", "message"),
    [
        (500, 3, r"is failing \(500\): try again later"),
        (429, 3, r"rate limit \(429\): try again in 2 seconds or later"),
        (401, 1, r"refused the key \(401\): set LOREGRAPH_EMBEDDINGS_KEY"),
        (403, 1, r"refused the key \(403\): set LOREGRAPH_EMBEDDINGS_KEY"),
        (404, 1, r"\(404\): check LOREGRAPH_EMBEDDINGS_URL .* and LOREGRAPH_EMBEDDINGS_MODEL"),
        (301, 1, r"\(301\): check LOREGRAPH_EMBEDDINGS_URL"),
    ],
)
async def test_a_refusal_says_what_to_do(
    endpoint: Endpoint, embedder: EndpointEmbedder, status: int, requests: int, message: str
) -> None:
    endpoint.replies = [Reply(status, body=b"sk-1 is bad") for _ in range(3)]
    with pytest.raises(UpstreamUnavailable, match=message) as refusal:
        await embedder.embed(["a"])
    assert len(endpoint.requests) == requests
    assert "sk-1" not in refusal.value.message
    assert refusal.value.code == "UPSTREAM_UNAVAILABLE"


WHOLE = vectors((0, [1, 0, 0]), (1, [0, 1, 0])).body


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(body=WHOLE[:-9]), "something else than"),
        (Reply(body=b"<html>welcome</html>"), "something else than"),
        (Reply(body=b'{"data": null}'), "something else than"),
        (Reply(body=b'{"data": [{"embedding": null}, {"embedding": [1]}]}'), "something else than"),
        (vectors([1, 0, 0]), "1 vectors to 2 texts"),
        (vectors([1, 0, 0], [1, 0, 0], [1, 0, 0]), "3 vectors to 2 texts"),
        (vectors((0, [1, 0, 0]), (0, [1, 0, 0])), "indices"),
        (vectors((1, [1, 0, 0]), (2, [1, 0, 0])), "indices"),
        (vectors([1, 0, 0], [1, 0]), "different lengths"),
        (vectors([], []), "different lengths, or empty"),
        (vectors([1, 0, 0], [0, 0, 0]), "without direction"),
        (vectors([1, 0, 0], [1e200, 1e200, 0]), "without direction"),
        (
            Reply(body=b'{"data": [{"embedding": [NaN]}, {"embedding": [Infinity]}]}'),
            "(something else|without direction)",
        ),
        (vectors([1, 0], [0, 1]), "2 numbers instead of 3: set LOREGRAPH_EMBEDDINGS_DIMENSION"),
    ],
)
async def test_nonsense_is_refused(endpoint: Endpoint, embedder: EndpointEmbedder, reply: Reply, message: str) -> None:
    endpoint.replies = [reply]
    with pytest.raises(UpstreamUnavailable, match=message):
        await embedder.embed(["a", "b"])
    assert len(endpoint.requests) == 1


async def test_an_answer_cut_off_by_the_network_is_asked_for_again(
    endpoint: Endpoint, embedder: EndpointEmbedder, pauses: list[float]
) -> None:
    endpoint.replies = [Reply(body=WHOLE, cut=20)]
    assert (await embedder.embed(["a", "b"])).shape == (2, 3)
    assert pauses == [0.5]


async def test_a_server_that_stalls_ends_in_a_timeout(endpoint: Endpoint, embedder: EndpointEmbedder) -> None:
    endpoint.replies = [Reply(stall=True)]
    with pytest.raises(UpstreamUnavailable, match="did not answer in time"):
        await embedder.embed(["a"])
    assert len(endpoint.requests) == 1
    assert (await embedder.embed(["a"])).shape == (1, 3)


async def test_a_server_that_is_not_there_is_tried_three_times(endpoint: Endpoint, pauses: list[float]) -> None:
    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async with await asyncio.start_server(endpoint.serve, "127.0.0.1", 0) as closed:
        port = closed.sockets[0].getsockname()[1]
    with pytest.raises(UpstreamUnavailable, match="cannot be reached: check LOREGRAPH_EMBEDDINGS_URL"):
        await EndpointEmbedder.open(f"http://127.0.0.1:{port}/v1", "tiny", sleep=sleep)
    assert pauses == [0.5, 1.0]


@pytest.mark.parametrize(
    "url", ["", "localhost:11434/v1", "ftp://host/v1", "http://", "http://[::1/v1", "http://host:x/v1"]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(Misconfigured, match="LOREGRAPH_EMBEDDINGS_URL is not a URL"):
        EndpointEmbedder(url, "tiny", dimension=3)


@pytest.mark.parametrize("key", ["sk-1\n", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_refused(key: str) -> None:
    with pytest.raises(Misconfigured, match="LOREGRAPH_EMBEDDINGS_KEY"):
        EndpointEmbedder("http://127.0.0.1/v1", "tiny", dimension=3, key=key)


async def test_the_double_embeds_by_words_alone() -> None:
    double: Embedder = HashEmbedder()
    same, reordered, other, empty = await double.embed(["Ada met Bob", "bob MET ada!", "Quarterly revenue", ""])
    assert same.tolist() == reordered.tolist()
    assert same @ other < 0.9
    assert empty.tolist() == [1.0, *[0.0] * 15]
    assert np.linalg.norm([same, other], axis=1) == pytest.approx(1, abs=1e-6)
    assert (await double.embed([])).shape == (0, 16)


async def test_the_double_counts_its_calls() -> None:
    double = HashEmbedder(4)
    await double.embed(["a", "b"])
    await double.embed(["c"])
    assert (double.calls, double.embedded, double.dimension) == (2, ["a", "b", "c"], 4)
