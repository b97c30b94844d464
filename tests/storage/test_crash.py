"""kill -9 between any two steps: after a restart rows, log and vectors agree, and what was committed is there."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from processes import Child, live_until, migrate_until, start, write_and_follow
from sqlalchemy import select
from stores import direction, entity_ids, new_volume, numbers, opened, pending_rows

from server import models
from server.config import Settings
from server.ids import new_id
from server.store import Store
from server.store.relations import table_of
from server.terms import ChangeKind

SAMPLE = 14
KILLED = -9


@pytest.fixture
async def crashing(settings: Settings) -> Settings:
    """Settings of a migrated store whose lease runs out soon."""
    short = settings.model_copy(update={"follower_lease": 0.2})
    store = Store(short)
    await store.migrate()
    await store.close()
    return short


async def recover(store: Store) -> None:
    """Follow until nothing is pending and the whole log was read, as the next process does by itself once the lease runs out."""
    await store.follower.drain()
    async with asyncio.timeout(20):
        while await pending_rows(store) or await behind(store):
            await asyncio.sleep(0.02)
            await store.follower.step()


async def behind(store: Store) -> bool:
    head, followers = await store.log_positions()
    return followers["vectors"] != head


async def indexed(store: Store) -> dict[UUID, list[float]]:
    """Return the vector of every node in the index; no node twice."""
    rows = await store.index.rows("node_id", "vector")
    vectors = {UUID(row["node_id"]): row["vector"] for row in rows}
    assert len(vectors) == len(rows)
    return vectors


async def rows_of(store: Store, volume: UUID) -> dict[UUID, Any]:
    """Return the rows of a volume that the index is to know, by id."""
    found: dict[UUID, Any] = {}
    for model in (models.Entity, models.Fact, models.Memory):
        table = table_of(model)
        found |= {row.id: row for row in await store.read.rows(select(table).where(table.c.volume_id == volume))}
    return found


async def logged(store: Store, volume: UUID) -> list[Any]:
    """Return the log entries of a volume, but for the one of the volume itself, in order."""
    table = table_of(models.Change)
    statement = select(table).where(table.c.volume_id == volume, table.c.node_id != volume).order_by(table.c.seq)
    return list(await store.read.rows(statement))


def standing(entries: list[Any]) -> set[UUID]:
    """Return the nodes that the log says are there."""
    made = {entry.node_id for entry in entries if entry.kind == ChangeKind.CREATED}
    return made - {entry.node_id for entry in entries if entry.kind == ChangeKind.DELETED}


async def check(store: Store, volume: UUID, acknowledged: list[str]) -> str:
    """Compare rows, log and vectors of a volume that `live_until` wrote to; return how far it came."""
    rows, entries = await rows_of(store, volume), await logged(store, volume)
    vectors = {id: vector for id, vector in (await indexed(store)).items() if id in rows}
    transactions = list(dict.fromkeys(entry.actor for entry in entries))
    assert transactions in ([], ["first"], ["first", "second"])
    assert len(entries) == 3 * len(transactions)
    assert transactions[: len(acknowledged)] == acknowledged
    assert standing(entries) == set(rows) == set(vectors)
    if transactions:
        a = next(row for row in rows.values() if getattr(row, "match_key", "") == "a")
        done = "second" in transactions
        assert a.description == ("new" if done else "old")
        assert np.allclose(vectors[a.id], direction(1.25 if done else 0.25))
    return "".join(transactions)


async def said(child: Child) -> list[Any]:
    """Return everything that a process said until its end."""
    words: list[Any] = []
    while (word := await child.heard()) is not None:
        words.append(word)
    return words


async def killed_at(settings: Settings, chosen: int) -> str:
    """Have a process die at a moment, restart, and compare; return how far it came."""
    async with opened(settings) as before:
        volume = await new_volume(before, str(new_id()))
    (child,) = await start(live_until, settings, (volume, chosen))
    acknowledged = await said(child)
    assert await child.end() == KILLED
    async with opened(settings) as after:
        await recover(after)
        reached = await check(after, volume, acknowledged)
        assert set(await indexed(after)) == await nodes(after)
        assert await numbers(after) == list(range(1, len(await numbers(after)) + 1))
        await after.follower.release()
    return reached


async def nodes(store: Store) -> set[UUID]:
    """Return the ids of all rows that the index is to know, of all volumes."""
    found: set[UUID] = set()
    for model in (models.Entity, models.Fact, models.Memory):
        found |= {row[0] for row in await store.read.rows(select(table_of(model).c.id))}
    return found


async def moments(settings: Settings) -> list[str]:
    """Return the moments of a process that lives to its end."""
    async with opened(settings) as before:
        volume = await new_volume(before, str(new_id()))
    (child,) = await start(live_until, settings, (volume, 0))
    *acknowledged, passed = await said(child)
    assert await child.end() == 0
    async with opened(settings) as after:
        await recover(after)
        assert await check(after, volume, acknowledged) == "firstsecond"
        await after.follower.release()
    return list(passed)


async def test_the_moments_lie_around_every_step(crashing: Settings) -> None:
    passed = await moments(crashing)
    for step in ("commit", "upsert", "delete", "compact", "_embed", "INSERT INTO change", "UPDATE pending_vector"):
        assert any(moment.startswith(f"before {step}") for moment in passed), (step, passed)
        assert any(moment.startswith(f"after {step}") for moment in passed), step
    assert passed.count("after commit") >= 8
    assert passed[-1] != "before commit"


async def test_a_process_killed_at_some_moments_leaves_everything_in_agreement(crashing: Settings) -> None:
    """One moment of each stretch of the way, drawn anew with the length of the way."""
    passed = await moments(crashing)
    chance = random.Random(len(passed))
    edges = [round(n * len(passed) / SAMPLE) for n in range(SAMPLE + 1)]
    reached = {await killed_at(crashing, chance.randint(low + 1, high)) for low, high in pairwise(edges)}
    assert reached == {"", "first", "firstsecond"}


@pytest.mark.soak
@pytest.mark.timeout(0)
async def test_a_process_killed_at_any_moment_leaves_everything_in_agreement(crashing: Settings) -> None:
    for chosen in range(1, len(await moments(crashing)) + 1):
        await killed_at(crashing, chosen)


async def killed_while_working(settings: Settings, seconds: list[float]) -> None:
    """Kill two processes that write and follow, over and over; whatever was said to be committed is there."""
    async with opened(settings) as before:
        volume = await new_volume(before, "working")
    names: set[str] = set()
    for pause in seconds:
        children = await start(write_and_follow, settings, (volume,), (volume,))
        await asyncio.sleep(pause)
        for child in children:
            child.kill()
        for child in children:
            names.update(await said(child))
            assert await child.end() == KILLED
    async with opened(settings) as after:
        await recover(after)
        rows = await rows_of(after, volume)
        assert names <= {row.name for row in rows.values()}
        assert len(names) > len(seconds)
        assert (
            standing(await logged(after, volume)) == set(rows) == set(await indexed(after)) == await entity_ids(after)
        )
        assert await numbers(after) == list(range(1, len(rows) + 2))
        vectors = await indexed(after)
        for row in rows.values():
            assert np.allclose(vectors[row.id], direction(int(row.name.split()[1]) / 10), atol=1e-6)


async def test_processes_killed_while_they_work_lose_and_double_nothing(crashing: Settings) -> None:
    await killed_while_working(crashing, [0.3, 0.1, 0.45])


@pytest.mark.soak
@pytest.mark.timeout(0)
async def test_processes_killed_over_and_over_lose_and_double_nothing(crashing: Settings) -> None:
    chance = random.Random(9)
    await killed_while_working(crashing, [chance.random() for _ in range(60)])


@pytest.mark.parametrize("statement", [3, 60, 150])
async def test_a_migration_that_was_killed_is_run_again(empty: Settings, statement: int) -> None:
    (child,) = await start(migrate_until, empty, (statement,))
    assert await child.end() == KILLED
    store = Store(empty)
    await store.migrate()
    await store.close()
    async with opened(empty) as again:
        await new_volume(again)
        assert await numbers(again) == [1]
