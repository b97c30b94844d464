"""Drivers: asyncpg against psycopg, and SQLite in the event loop against a thread, for the reads of Q1, Q2 and Q3 of `query.py`.

    .venv/bin/python benchmarks/drivers.py [--entities 1000] [--rounds 10] [--seconds 0.3]

The statements are those that the store makes, with the same values for each driver, one after another without GraphQL. psycopg is
measured where it is installed (`pip install "psycopg[binary]"`); the server does not need it. It reads /proc, so it needs Linux.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections import defaultdict
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import uvloop
from _drivers import Read, Side, postgresql_sides, requests, sqlite_sides
from _measure import show
from _query.databases import Databases, loaded

from server.config import Settings
from server.store import Store

_AT_ONCE, _TICK, _FIRST = 16, 0.001, 50
Requests = dict[str, list[list[Read]]]


class Turn(NamedTuple):
    """What one side did with one query for a while."""

    latencies: list[float]
    cpu: float
    database_cpu: float
    stop: float


def _scheduled(pids: list[int]) -> float:
    """Return the CPU seconds of processes so far."""
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids) / 1e9


async def _longest_stop(until: float) -> float:
    """Return the longest that the event loop did not come round."""
    longest = 0.0
    while (now := time.perf_counter()) < until:
        await asyncio.sleep(_TICK)
        longest = max(longest, time.perf_counter() - now - _TICK)
    return longest


async def _turn(side: Side, asked: list[list[Read]], at_once: int, seconds: float) -> Turn:
    """Have so many of a side's connections answer requests, one after another."""
    latencies: list[float] = []
    turns, until = count(), time.perf_counter() + seconds

    async def keep_asking(place: int) -> None:
        while (began := time.perf_counter()) < until:
            for read in asked[next(turns) % len(asked)]:
                await side.asks[place](read)
            latencies.append(time.perf_counter() - began)
            await asyncio.sleep(0)

    cpu, database_cpu = time.process_time(), _scheduled(side.backends)
    watch = asyncio.ensure_future(_longest_stop(until))
    await asyncio.gather(*(keep_asking(place) for place in range(at_once)))
    stop = await watch
    return Turn(latencies, time.process_time() - cpu, _scheduled(side.backends) - database_cpu, stop)


async def measured(sides: list[Side], asked: Requests, rounds: int, seconds: float) -> list[dict[str, Any]]:
    """Return the rows of a table; all sides take turns, and the first round is not counted."""
    turns: dict[tuple[str, str, int], list[Turn]] = defaultdict(list)
    for number in range(rounds + 1):
        for query, reads in asked.items():
            for side in sides:
                for at_once in (1, _AT_ONCE):
                    turn = await _turn(side, reads, at_once, seconds)
                    if number:
                        turns[query, side.name, at_once].append(turn)
    return [_row(query, side.name, turns) for query in asked for side in sides]


def _row(query: str, side: str, turns: dict[tuple[str, str, int], list[Turn]]) -> dict[str, Any]:
    row: dict[str, Any] = {"what": f"{query}, {side}"}
    alone = turns[query, side, 1]
    row["cpu_ms"] = round(statistics.median(t.cpu / len(t.latencies) for t in alone) * 1e3, 3)
    row["db_cpu_ms"] = round(statistics.median(t.database_cpu / len(t.latencies) for t in alone) * 1e3, 3)
    for at_once in (1, _AT_ONCE):
        latencies = [latency for turn in turns[query, side, at_once] for latency in turn.latencies]
        cuts = statistics.quantiles(latencies, n=100)
        row |= {f"p50_{at_once}": round(cuts[49] * 1e3, 2), f"p99_{at_once}": round(cuts[98] * 1e3, 2)}
    row["stop_ms"] = round(statistics.median(t.stop for t in turns[query, side, _AT_ONCE]) * 1e3, 1)
    return row


async def compare(databases: Databases, rounds: int, seconds: float) -> None:
    """Measure and show both databases' drivers."""
    rows: list[dict[str, Any]] = []
    if databases.cluster is not None:
        url = databases.url("postgres")
        store = Store(Settings(data=databases.folder, database_url=url.replace(":", "+asyncpg:", 1)))
        async with postgresql_sides(url, _AT_ONCE) as sides:
            rows += await measured(sides, await requests(store, _FIRST), rounds, seconds)
        await store.close()
    store = Store(Settings(data=databases.sqlite))
    async with sqlite_sides(store, _AT_ONCE) as sides:
        rows += await measured(sides, await requests(store, _FIRST), rounds, seconds)
    await store.close()
    show("drivers", rows)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entities", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=0.3, help="of each turn")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        async with loaded(Path(folder), given.entities, ["drivers"]) as databases:
            await compare(databases, given.rounds, given.seconds)


if __name__ == "__main__":
    uvloop.run(main())
