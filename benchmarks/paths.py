"""Paths: the shortest path between any two entities of a graph of a million relationships with hubs of ten thousand.

    .venv/bin/python benchmarks/paths.py [--edges 1000000] [--hubs 20] [--pairs 200] [--postgresql]

Entities have four relationships on average, made from a seed; each hub leads to ten thousand of them. Ends are drawn at random, and
from the neighbours of hubs. Printed for each kind: hops, CPU of this process and wall milliseconds at the median and at worst, how many
relationships were read at most, and how many searches were cut at their limits. The limit, in the same run: a search from one end
only, over the same statement, for a part of the pairs.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from _measure import show

from server import models
from server.config import Settings
from server.errors import LimitExceeded
from server.ids import new_id
from server.services import paths
from server.store import Store
from server.store.relations import relationships_of_entity
from server.store.traversal import Leading, edges_from
from server.terms import Direction

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from clusters import Cluster

HUB = 10_000
PART = 50_000


async def fill(store: Store, edges: int, hubs: int, seed: int = 7) -> tuple[list[UUID], list[UUID]]:
    """Make the graph; return its entities, hubs first, and the entities that only a hub's neighbours are."""
    chance, volume = random.Random(seed), new_id()
    async with store.write_new_volume(volume, "benchmark") as tx:
        tx.insert(models.Volume, id=volume, name="paths")
    ids = [new_id() for _ in range(max(edges // 4, HUB + hubs))]
    for start in range(0, len(ids), PART):
        async with store.write(volume, "benchmark") as tx:
            for n, id in enumerate(ids[start : start + PART], start):
                tx.insert(models.Entity, id=id, name=f"N{n}", match_key=f"n{n}", type="concept")
    near = [ids[hubs + (hub * HUB + n) % (len(ids) - hubs)] for hub in range(hubs) for n in range(HUB)]
    ends = [(ids[n // HUB], other) for n, other in enumerate(near)][:edges]
    ends += [(chance.choice(ids), chance.choice(ids)) for _ in range(edges - len(ends))]
    for start in range(0, edges, PART):
        async with store.write(volume, "benchmark") as tx:
            for source, target in ends[start : start + PART]:
                strength = chance.randrange(1, 11) / 10
                tx.insert(models.Relationship, source_id=source, target_id=target, type="KNOWS", strength=strength)
        print(f"{min(start + PART, edges):,} of {edges:,} relationships", file=sys.stderr)
    return ids, near


async def _embed(texts: Sequence[str]) -> Any:
    raise NotImplementedError("nothing here has a vector")


class Counted:
    """What searches read: the relationships of the present one."""

    def __init__(self) -> None:
        self.read = 0

    async def edges_from(self, *args: Any, **named: Any) -> tuple[list[Leading], bool]:
        """Do what the search's own does, and count."""
        found, more = await edges_from(*args, **named)
        self.read += len(found)
        return found, more


async def from_one_end(store: Store, start: UUID, goal: UUID) -> int | None:
    """Return the hops from one entity to another, found from one end only, with the same limits."""
    relation = relationships_of_entity(Direction.BOTH, None)
    seen, frontier, hops = {start}, [start], 0
    while frontier and hops < 6 and len(seen) <= paths.MOST_VISITED:
        rows, _ = await edges_from(store.read, frontier, relation, most=paths.MOST_EDGES)
        hops += 1
        frontier = list({row.other for row in rows} - seen)
        seen.update(frontier)
        if goal in seen:
            return hops
    return None


async def measured(
    what: str, pairs: Sequence[tuple[UUID, UUID]], find: Callable[[UUID, UUID], Awaitable[int | None]], counted: Counted
) -> dict[str, Any]:
    """Search for each pair; return a row of the table."""
    cpu, wall, hops, read, cut = [], [], [], [], 0
    for start, goal in pairs:
        counted.read = 0
        before, began = time.process_time(), time.perf_counter()
        try:
            found = await find(start, goal)
        except LimitExceeded:
            found, cut = None, cut + 1
        cpu.append((time.process_time() - before) * 1000)
        wall.append((time.perf_counter() - began) * 1000)
        read.append(counted.read)
        hops += [] if found is None else [found]
    return {
        "what": what,
        "searches": len(pairs),
        "found": len(hops),
        "hops p50": statistics.median(hops) if hops else None,
        "cpu ms p50": round(statistics.median(cpu), 1),
        "cpu ms max": round(max(cpu), 1),
        "ms p50": round(statistics.median(wall), 1),
        "ms max": round(max(wall), 1),
        "edges read max": max(read),
        "cut": cut,
    }


async def run(settings: Settings, edges: int, hubs: int, number: int) -> list[dict[str, Any]]:
    """Fill a store, search it, and return the rows of the table."""
    store = Store(settings)
    await store.migrate()
    await store.open("none", 8, _embed)
    ids, near = await fill(store, edges, hubs)
    chance, counted = random.Random(1), Counted()
    setattr(paths, "edges_from", counted.edges_from)  # noqa: B010

    async def both(start: UUID, goal: UUID) -> int | None:
        route = await paths.shortest(store.read, start, goal, max_hops=6)
        return None if route is None else len(route.edges)

    async def one(start: UUID, goal: UUID) -> int | None:
        return await from_one_end(store, start, goal)

    anywhere = [(chance.choice(ids), chance.choice(ids)) for _ in range(number)]
    by_hubs = [(chance.choice(near), chance.choice(near)) for _ in range(number)]
    between = [(chance.choice(ids[:hubs]), chance.choice(ids[:hubs])) for _ in range(number // 4)]
    rows = [
        await measured("two entities at random", anywhere, both, counted),
        await measured("two neighbours of hubs", by_hubs, both, counted),
        await measured("two hubs", between, both, counted),
        await measured("two at random, from one end", anywhere[: number // 10], one, counted),
    ]
    await store.close()
    return rows


async def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--edges", type=int, default=1_000_000)
    arguments.add_argument("--hubs", type=int, default=20)
    arguments.add_argument("--pairs", type=int, default=200)
    arguments.add_argument("--postgresql", action="store_true")
    given = arguments.parse_args()
    folder = Path(tempfile.mkdtemp())
    cluster = Cluster() if given.postgresql else None
    try:
        url = None if cluster is None else await cluster.create("paths")
        settings = Settings(data=folder, database_url=url)
        rows = await run(settings, given.edges, given.hubs, given.pairs)
        show(f"Paths over {given.edges:,} relationships, {'PostgreSQL' if cluster else 'SQLite'}", rows)
    finally:
        if cluster is not None:
            cluster.stop("immediate")
            shutil.rmtree(cluster.folder, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    asyncio.run(main())
