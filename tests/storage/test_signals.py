"""Signals: what one process commits wakes another."""

from __future__ import annotations

import asyncio
from uuid import UUID

from server import models
from server.config import Settings
from server.ids import NodeKind, new_id
from server.store import Store
from server.terms import ChangeKind


async def commit(store: Store, volume: UUID) -> None:
    async with store.write_new_volume(volume, "test") as tx:
        tx.insert(models.Volume, id=volume, name=str(volume))
        tx.log(ChangeKind.CREATED, NodeKind.VOLUME, volume)


async def test_a_commit_of_another_process_wakes_this_one(store: Store, settings: Settings) -> None:
    other = Store(settings)
    woken = asyncio.Event()
    other.signals.subscribe(woken.set)
    listening = asyncio.create_task(other.signals.run())
    await woken.wait()
    await asyncio.sleep(0.3)
    woken.clear()
    await commit(store, new_id())
    async with asyncio.timeout(5):
        await woken.wait()
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    await other.close()


async def test_a_commit_wakes_its_own_process_without_listening(store: Store) -> None:
    woken = asyncio.Event()
    store.signals.subscribe(woken.set)
    await commit(store, new_id())
    assert woken.is_set()


async def test_an_idle_follower_writes_nothing(store: Store) -> None:
    await commit(store, new_id())
    await store.follower.drain()
    for _ in range(20):
        await store.follower.step()
    await asyncio.sleep(store.index.retention.total_seconds() + 0.1)
    for _ in range(20):
        await store.follower.step()
    before = await store.read.rows(models.Follower.__table__.select())
    for _ in range(5):
        assert await store.follower.step() == 0
    assert await store.read.rows(models.Follower.__table__.select()) == before
