"""The measuring: in each round every side has its turn with every query, so that a busy machine disturbs all alike."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from _query.driver import Connection, connected, drive, probe
from _query.processes import anonymous_mb, busy_seconds, cpu_seconds, peak_mb, tree
from _query.sides import Side

__all__ = ["CONNECTIONS", "Measured", "Turn", "measure"]

CONNECTIONS = (1, 16)
_AT_ONCE, _INTERVAL = 8, 0.005
_HEATING = 0.1
"""Part of a turn that is not measured: until then the caches of the CPU are those of the side before."""


class Turn(NamedTuple):
    """What one side did in one turn."""

    latencies: list[float]
    seconds: float
    server_cpu: float
    database_cpu: float


@dataclass
class Measured:
    """Everything that was measured, by side; turns also by query and number of connections.

    `stalls` are the latencies of the tiny request while eight Q1 were under way, a list for each round.
    """

    turns: dict[tuple[str, str, int], list[Turn]] = field(default_factory=lambda: defaultdict(list))
    stalls: dict[str, list[list[float]]] = field(default_factory=lambda: defaultdict(list))
    idle_mb: dict[str, float] = field(default_factory=dict)
    peak_mb: dict[str, float] = field(default_factory=dict)
    anonymous_mb: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    others: list[float] = field(default_factory=list)
    driver: list[float] = field(default_factory=list)
    """CPUs that other work took, and CPUs that the load itself took, in each turn."""


class Meter:
    """Reads the CPU of a side: of its server and of the PostgreSQL backends of its role."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def read(self, side: Side) -> tuple[float, float]:
        """Return the CPU seconds so far of the server and of its backends."""
        return cpu_seconds(tree(side.process.pid)), cpu_seconds(await self._backends(side))

    async def _backends(self, side: Side) -> list[int]:
        if side.role is None:
            return []
        rows = await self._connection.fetch("SELECT pid FROM pg_stat_activity WHERE usename = $1", side.role)
        return [row["pid"] for row in rows]


async def measure(sides: list[Side], connection: Any, rounds: int, seconds: float, warming: int) -> Measured:
    """Measure every side in turn, after rounds to warm up."""
    found, meter = Measured(), Meter(connection)
    found.idle_mb = {side.name: anonymous_mb(tree(side.process.pid)) for side in sides}
    for number in range(warming + rounds):
        kept = found if number >= warming else Measured()
        for query in sides[0].asks:
            for side in sides:
                for count in CONNECTIONS:
                    kept.turns[side.name, query, count].append(await _turn(side, query, count, seconds, meter, kept))
        for side in sides:
            kept.stalls[side.name].append(await _stalls(side, seconds))
            found.anonymous_mb[side.name] = max(found.anonymous_mb[side.name], anonymous_mb(tree(side.process.pid)))
    found.peak_mb = {side.name: peak_mb(tree(side.process.pid)) for side in sides}
    return found


async def _turn(side: Side, query: str, count: int, seconds: float, meter: Meter, found: Measured) -> Turn:
    async with connected(side.process.port, 1) as connections:
        await drive(connections, side.asks[query], seconds * _HEATING)
    async with connected(side.process.port, count) as connections:
        busy, own = busy_seconds(), time.process_time()
        server, database = await meter.read(side)
        load = await drive(connections, side.asks[query], seconds)
        server_after, database_after = await meter.read(side)
        own, busy = time.process_time() - own, busy_seconds() - busy
    turn = Turn(load.latencies, load.seconds, server_after - server, database_after - database)
    found.driver.append(own / load.seconds)
    found.others.append(max(0.0, busy - own - turn.server_cpu - turn.database_cpu) / load.seconds)
    return turn


async def _stalls(side: Side, seconds: float) -> list[float]:
    """Return the latencies of the tiny request while eight connections ask Q1, all at once and over again."""
    latencies: list[float] = []
    port = side.process.port
    async with (
        connected(port, _AT_ONCE) as connections,
        connected(port, 1) as (aside,),
        _probing(side, aside, latencies),
    ):
        await drive(connections, side.asks["Q1"], seconds)
    return latencies


@asynccontextmanager
async def _probing(side: Side, aside: Connection, latencies: list[float]) -> AsyncIterator[None]:
    await aside.ask(side.tiny)
    probing = asyncio.create_task(probe(aside, side.tiny, _INTERVAL, latencies))
    try:
        yield
    finally:
        probing.cancel()
        await asyncio.wait([probing])
