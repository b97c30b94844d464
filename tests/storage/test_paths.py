"""The search for paths over real rows: against a search that tries everything, along a long chain, past hubs, and at its limits."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from uuid import UUID

import pytest
from stores import new_volume

from server import models
from server.errors import LimitExceeded
from server.services import paths
from server.services.paths import shortest
from server.store import Store
from server.terms import Direction

Edge = tuple[int, int, float]


async def new_graph(store: Store, nodes: int, edges: Sequence[Edge]) -> list[UUID]:
    """Make entities and relationships (source, target, strength) between them; return the entities' ids."""
    volume = await new_volume(store, "graph")
    async with store.write(volume, "test") as tx:
        ids = [
            tx.insert(models.Entity, name=f"N{n}", match_key=f"n{n}", type="concept", importance=0.5)
            for n in range(nodes)
        ]
        for source, target, strength in edges:
            tx.insert(models.Relationship, source_id=ids[source], target_id=ids[target], type="NEXT", strength=strength)
    return ids


def by_trying(edges: Sequence[Edge], start: int, goal: int, most: int, *, both: bool) -> tuple[int, float] | None:
    """Return the hops of the shortest path and the highest product of strengths among those, found level by level from one end."""
    leads = defaultdict(list)
    for source, target, strength in edges:
        leads[source].append((target, strength))
        if both:
            leads[target].append((source, strength))
    level, seen = {start: 1.0}, {start}
    for hops in range(most + 1):
        if goal in level:
            return hops, level[goal]
        following: dict[int, float] = {}
        for node, weight in level.items():
            for other, strength in leads[node]:
                if other not in seen:
                    following[other] = max(following.get(other, 0.0), weight * strength)
        seen |= following.keys()
        level = following
    return None


@pytest.mark.parametrize("seed", range(4))
async def test_the_path_is_as_short_and_as_strong_as_the_best_that_trying_finds(store: Store, seed: int) -> None:
    chance = random.Random(seed)
    edges = [(chance.randrange(30), chance.randrange(30), chance.choice([0.25, 0.5, 1.0])) for _ in range(36)]
    ids = await new_graph(store, 30, edges)
    place = {id: n for n, id in enumerate(ids)}
    strengths = defaultdict(list)
    for source, target, strength in edges:
        strengths[source, target].append(strength)
    found = 0
    for start, goal in [(chance.randrange(30), chance.randrange(30)) for _ in range(25)]:
        for direction in (Direction.OUT, Direction.BOTH):
            both = direction is Direction.BOTH
            expected = by_trying(edges, start, goal, 6, both=both)
            route = await shortest(store.read, ids[start], ids[goal], max_hops=6, direction=direction)
            if route is None:
                assert expected is None
                continue
            found += 1
            weight = 1.0
            for one, other in pairwise(place[node] for node in route.nodes):
                weight *= max(strengths[one, other] + (strengths[other, one] if both else []))
            assert (len(route.edges), weight, route.cut) == (*(expected or ()), False)
    assert found > 10


async def test_a_chain_of_fifty_is_found_with_one_statement_for_each_hop(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await new_graph(store, 51, [(n, n + 1, 1.0) for n in range(50)])
    read, asked = paths.edges_from, []

    async def counted(*args: object, **named: object) -> object:
        asked.append(args)
        return await read(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(paths, "edges_from", counted)
    route = await shortest(store.read, ids[0], ids[50], max_hops=50, direction=Direction.OUT)
    assert route is not None
    assert route.nodes == ids
    assert len(asked) == 50
    assert await shortest(store.read, ids[0], ids[50], max_hops=49, direction=Direction.OUT) is None


async def test_two_hubs_of_three_thousand_are_passed_in_as_few_statements(store: Store) -> None:
    rays = [(0, n, 1.0) for n in range(2, 3002)] + [(1, n, 1.0) for n in range(3001, 6001)]
    ids = await new_graph(store, 6003, [*rays, (6001, 0, 1.0), (1, 6002, 1.0)])
    route = await shortest(store.read, ids[6001], ids[6002], max_hops=6)
    assert route is not None
    assert route.nodes == [ids[6001], ids[0], ids[3001], ids[1], ids[6002]]
    assert route.cut is False


async def test_a_path_found_although_a_hop_was_cut_says_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = await new_graph(store, 11, [*((0, n, 1.0) for n in range(1, 10)), *((n, 10, 1.0) for n in range(1, 10))])
    monkeypatch.setattr(paths, "MOST_EDGES", 8)
    route = await shortest(store.read, ids[0], ids[10], max_hops=6, direction=Direction.OUT)
    assert route is not None
    assert (route.nodes[0], route.nodes[2], len(route.edges), route.cut) == (ids[0], ids[10], 2, True)


async def test_a_search_that_was_cut_and_found_nothing_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await new_graph(store, 12, [*((0, n, 1.0) for n in range(1, 10)), (9, 10, 1.0)])
    assert await shortest(store.read, ids[0], ids[11], max_hops=6) is None
    monkeypatch.setattr(paths, "MOST_EDGES", 8)
    with pytest.raises(LimitExceeded, match="No path was found among the 10 entities"):
        await shortest(store.read, ids[0], ids[11], max_hops=6)
    monkeypatch.setattr(paths, "MOST_EDGES", 100)
    monkeypatch.setattr(paths, "MOST_VISITED", 10)
    with pytest.raises(LimitExceeded, match="No path was found among the 11 entities"):
        await shortest(store.read, ids[0], ids[10], max_hops=6)
