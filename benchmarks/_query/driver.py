"""Load over HTTP: connections that are kept, each of which asks anew as soon as it is answered.

It runs in the benchmark's process, apart from all servers, and its CPU is nobody's.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import cycle
from typing import NamedTuple, cast

import httptools

__all__ = ["Connection", "Load", "connected", "drive", "probe"]


_PATIENCE = 120


class Unanswered(Exception):
    """A request was not answered as it should be."""


class Connection(asyncio.Protocol):
    """One HTTP connection, one request at a time."""

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._answer: asyncio.Future[bytes] | None = None
        self._parts: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is none, and behaves as one

    async def ask(self, request: bytes) -> bytes:
        """Send a request and return the body of its answer.

        Raises:
            Unanswered: it was not answered with 200, or not at all.
        """
        if self.transport.is_closing():
            raise Unanswered("The server has closed the connection.")
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self._answer

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        self._parts.append(body)

    def on_message_complete(self) -> None:
        body, answer, self._parts, self._answer = b"".join(self._parts), self._answer, [], None
        if answer is None or answer.cancelled():
            return
        if (status := self._parser.get_status_code()) == 200:
            answer.set_result(body)
        else:
            answer.set_exception(Unanswered(f"A request was answered with {status}: {body[:500]!r}"))

    def connection_lost(self, error: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(Unanswered("The server has closed the connection."))


@asynccontextmanager
async def connected(port: int, count: int) -> AsyncIterator[list[Connection]]:
    """Open connections; close them at the end."""
    loop = asyncio.get_running_loop()
    opened = [(await loop.create_connection(Connection, "127.0.0.1", port))[1] for _ in range(count)]
    try:
        yield opened
    finally:
        for connection in opened:
            connection.transport.close()


class Load(NamedTuple):
    """What a stretch of load has shown: seconds from asking to answer of each request, and seconds in all."""

    latencies: list[float]
    seconds: float


async def drive(connections: Sequence[Connection], asks: Sequence[bytes], seconds: float) -> Load:
    """Ask in turn on all connections for some seconds, and wait for the last answers."""
    latencies: list[float] = []
    began, turn = time.perf_counter(), cycle(asks)
    async with asyncio.timeout(seconds + _PATIENCE):
        await asyncio.gather(*(_keep_asking(one, turn, began + seconds, latencies) for one in connections))
    return Load(latencies, time.perf_counter() - began)


async def _keep_asking(connection: Connection, turn: Iterator[bytes], until: float, latencies: list[float]) -> None:
    now = time.perf_counter()
    while now < until:
        asked = now
        await connection.ask(next(turn))
        now = time.perf_counter()
        latencies.append(now - asked)


async def probe(connection: Connection, tiny: bytes, interval: float, latencies: list[float]) -> None:
    """Ask for next to nothing, once in each interval, until cancelled: what takes long has waited for the event loop."""
    due = time.perf_counter()
    while True:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        asked = time.perf_counter()
        await connection.ask(tiny)
        latencies.append(time.perf_counter() - asked)
        due = max(due + interval, time.perf_counter())
