"""Write transactions: one per volume at a time, all or nothing, and a pool that survives errors, cancellation and outages."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from processes import meet, start
from sqlalchemy import select
from stores import add_entity, direction, entity_ids, found, new_volume, number_of, numbers, opened

from server import models
from server.config import Settings
from server.errors import NotFound, UpstreamUnavailable
from server.ids import NodeKind, new_id
from server.store import Store
from server.store.relations import table_of
from server.terms import ChangeKind

if TYPE_CHECKING:
    from conftest import Cluster


async def test_two_transactions_of_a_volume_do_not_overlap(store: Store) -> None:
    volume = await new_volume(store)
    inside = 0
    most = 0

    async def write() -> None:
        nonlocal inside, most
        async with store.write(volume, "test") as tx:
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.01)
            tx.log(ChangeKind.UPDATED, NodeKind.VOLUME, volume)
            inside -= 1

    await asyncio.gather(*(write() for _ in range(10)))
    assert most == 1
    assert len(await numbers(store)) == 11


async def test_fifty_tasks_that_look_up_and_insert_a_name_make_one_entity(store: Store) -> None:
    """Each insert would get by the unique key: only what it saw keeps it from inserting."""
    volume = await new_volume(store)

    async def meet(n: int) -> UUID:
        async with store.write(volume, "test") as tx:
            known = (await tx.read.entities_named(volume, ["ada"]))["ada"]
            if known:
                return known[0].id
            await asyncio.sleep(0.005)
            return tx.insert(models.Entity, name="Ada", match_key="ada", type="person", sense=str(n))

    met = await asyncio.gather(*(meet(n) for n in range(50)))
    assert len(set(met)) == 1
    assert await entity_ids(store) == {met[0]}


async def test_processes_that_look_up_and_insert_the_same_names_make_one_entity_of_each(
    store: Store, settings: Settings
) -> None:
    volume = await new_volume(store)
    children = await start(meet, settings, *[(volume, 25)] * 3)
    for child in children:
        child.tell("go")
    assert await asyncio.gather(*(child.end() for child in children)) == [0, 0, 0]
    entity = table_of(models.Entity)
    keys = [row[0] for row in await store.read.rows(select(entity.c.match_key))]
    assert sorted(keys) == sorted(f"name {n}" for n in range(25))


async def test_errors_leave_nothing_behind_and_the_pool_usable(store: Store, settings: Settings) -> None:
    volume = await new_volume(store)

    async def write_and_fail(n: int) -> None:
        async with store.write(volume, "test") as tx:
            id = tx.insert(models.Entity, name=str(n), match_key=str(n), type="concept")
            tx.log(ChangeKind.CREATED, NodeKind.ENTITY, id)
            tx.index(NodeKind.ENTITY, id, "x", direction(0))
            await (tx.flush() if n % 2 else tx.apply())
            raise ZeroDivisionError

    for n in range(settings.pool_size * 2):
        with pytest.raises(ZeroDivisionError):
            await write_and_fail(n)
    with pytest.raises(NotFound):
        await add_entity(store, new_id(), "a")
    assert await entity_ids(store) == set()
    assert await found(store, volume, 0) == []
    id = await add_entity(store, volume, "a", direction(0))
    assert await found(store, volume, 0) == [(id, 1.0)]
    assert await numbers(store) == [1, 2]


async def test_a_task_cancelled_at_any_moment_has_written_all_or_nothing_and_holds_no_lock(store: Store) -> None:
    volume = await new_volume(store)
    finished = whole = 0
    took = 1.0
    for n in range(50):
        started = time.perf_counter()
        await add_entity(store, volume, f"whole {n}", direction(0))
        whole += 1
        took = min(took, time.perf_counter() - started)
        task = asyncio.create_task(add_entity(store, volume, f"e{n}", direction(0)))
        await asyncio.sleep(took * 1.5 * n / 50)
        task.cancel()
        async with asyncio.timeout(2):
            with suppress(asyncio.CancelledError):
                await task
                finished += 1
    assert 0 < finished < 50
    ids = await entity_ids(store)
    assert len(ids) >= whole + finished
    assert await numbers(store) == list(range(1, len(ids) + 2))
    assert {row[0] for row in await found(store, volume, 0)} == ids
    async with asyncio.timeout(2):
        last = await add_entity(store, volume, "last", direction(0))
    assert await entity_ids(store) == ids | {last}


async def test_a_task_cancelled_while_it_reads_in_a_transaction_gives_the_lock_back_at_once(store: Store) -> None:
    """Where a row was read and the next not yet, SQLite would keep the lock of a connection that is closed."""
    volume = await new_volume(store)
    kept: list[BaseException] = []

    async def read() -> None:
        async with store.write(volume, "test") as tx:
            while True:
                await tx.read.count(models.Volume)

    for n in range(20):
        task = asyncio.create_task(read())
        await asyncio.sleep(0.005 + n / 5000)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError as error:
            kept.append(error)
        async with asyncio.timeout(2):
            await add_entity(store, volume, str(n))
    assert len(kept) == 20


async def test_tasks_cancelled_while_they_wait_for_a_writer_give_way(store: Store) -> None:
    volume = await new_volume(store)
    release = asyncio.Event()

    async def hold() -> None:
        async with store.write(volume, "test"):
            await release.wait()

    holder = asyncio.create_task(hold())
    await asyncio.sleep(0.05)
    waiting = [asyncio.create_task(add_entity(store, volume, f"e{n}")) for n in range(12)]
    await asyncio.sleep(0.1)
    for task in waiting:
        task.cancel()
    assert [type(r) for r in await asyncio.gather(*waiting, return_exceptions=True)] == [asyncio.CancelledError] * 12
    release.set()
    await holder
    last = await asyncio.wait_for(add_entity(store, volume, "last"), 5)
    assert await entity_ids(store) == {last}


async def test_reads_do_not_wait_behind_writers(store: Store, settings: Settings) -> None:
    volume = await new_volume(store)
    release = asyncio.Event()

    async def hold() -> None:
        async with store.write(volume, "test"):
            await release.wait()

    writers = [asyncio.create_task(hold()) for _ in range(settings.pool_size * 2)]
    await asyncio.sleep(0.1)
    async with asyncio.timeout(2):
        assert await asyncio.gather(*(number_of(store, models.Volume) for _ in range(20))) == [1] * 20
    release.set()
    await asyncio.gather(*writers)


@asynccontextmanager
async def busy(settings: Settings, volume: UUID) -> AsyncIterator[None]:
    """Hold what a writer of the volume needs, as another process that hangs would."""
    if settings.database_url is None:
        other = sqlite3.connect(settings.sqlite_path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")
        other.close()
        return
    async with opened(settings) as other_store, other_store.write(volume, "other"):
        yield


async def test_a_writer_that_waited_for_the_busy_timeout_is_refused(settings: Settings) -> None:
    short = settings.model_copy(update={"busy_timeout": 0.4})
    setup = Store(settings)
    await setup.migrate()
    await setup.close()
    async with opened(short) as store:
        volume = await new_volume(store)
        async with busy(settings, volume):
            started = time.perf_counter()
            with pytest.raises(UpstreamUnavailable, match="too busy"):
                await add_entity(store, volume, "a")
            assert 0.3 < time.perf_counter() - started < 3
            assert await entity_ids(store) == set()
        id = await add_entity(store, volume, "a")
        assert await entity_ids(store) == {id}


async def test_a_writer_waits_for_another_one_within_the_busy_timeout(store: Store, settings: Settings) -> None:
    volume = await new_volume(store)
    async with busy(settings, volume):
        task = asyncio.create_task(add_entity(store, volume, "a"))
        await asyncio.sleep(0.3)
        assert not task.done()
    made = await task
    assert await entity_ids(store) == {made}


@pytest.mark.parametrize("settings", ["postgresql"], indirect=True)
@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_a_database_that_is_away_is_unavailable_until_it_is_back(
    store: Store, settings: Settings, cluster: Cluster, mode: str
) -> None:
    volume = await new_volume(store)
    id = await add_entity(store, volume, "a", direction(0))
    async with opened(settings) as following:
        following.start()
        cluster.stop(mode)
        try:
            for attempt in (add_entity(store, volume, "b"), entity_ids(store), found(store, volume, 0)):
                with pytest.raises(UpstreamUnavailable):
                    await attempt
            await asyncio.sleep(0.3)
        finally:
            cluster.start()
        assert await entity_ids(store) == {id}
        second = await add_entity(store, volume, "b", direction(0))
        assert sorted(row[0] for row in await found(store, volume, 0)) == [id, second]
        async with asyncio.timeout(10):
            while await store.follower.backlog():
                await asyncio.sleep(0.1)
    assert await store.index.node_ids() == {id, second}


@pytest.mark.parametrize("settings", ["postgresql"], indirect=True)
async def test_a_restart_between_two_requests_costs_at_most_one_refusal_of_each_pool(
    store: Store, cluster: Cluster
) -> None:
    volume = await new_volume(store)
    await asyncio.gather(*(number_of(store, models.Volume) for _ in range(4)))
    cluster.stop()
    cluster.start()
    with suppress(UpstreamUnavailable):
        await entity_ids(store)
    assert await asyncio.gather(*(entity_ids(store) for _ in range(8))) == [set()] * 8
    with suppress(UpstreamUnavailable):
        await add_entity(store, volume, "a")
    await add_entity(store, volume, "b")
    assert len(await entity_ids(store)) in (1, 2)


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
class TestSQLite:
    async def test_the_pragmas_hold_on_every_connection(self, store: Store, settings: Settings) -> None:
        expected = {
            "journal_mode": "wal",
            "foreign_keys": 1,
            "secure_delete": 1,
            "busy_timeout": int(settings.busy_timeout * 1000),
            "synchronous": 1,
        }
        reader, writer = store.database.engines
        for engine, size in ((reader, 4), (writer, 1)):
            connections = [await engine.connect() for _ in range(size)]
            for connection in connections:
                held: dict[str, Any] = {
                    name: (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar() for name in expected
                }
                assert held == expected
                await connection.close()

    async def test_a_deleted_text_is_in_no_byte_of_the_files_after_a_checkpoint(
        self, store: Store, settings: Settings
    ) -> None:
        volume = await new_volume(store)
        words = ["quokkazebra" * 3, "quokkazebra" * 900]
        async with store.write(volume, "test") as tx:
            ids = [
                tx.insert(models.Entity, name="e", match_key=str(n), type="concept", description=text)
                for n, text in enumerate(words)
            ]
            for id, text in zip(ids, words, strict=True):
                tx.log(ChangeKind.CREATED, NodeKind.ENTITY, id, after={"description": text})
                tx.index(NodeKind.ENTITY, id, text, direction(0))
        await store.checkpoint()
        files = [path for path in Path(settings.data).glob("loregraph.sqlite*") if path.suffix != ".sqlite-shm"]
        assert any(b"quokkazebra" in path.read_bytes() for path in files)
        async with store.write(volume, "test") as tx:
            tx.delete_ids(models.Entity, ids)
            tx.unindex(NodeKind.ENTITY, ids)
            tx.redact_log(ids)
        await store.checkpoint()
        assert [path.name for path in files if b"quokkazebra" in path.read_bytes()] == []
        assert settings.sqlite_path.with_suffix(".sqlite-wal").stat().st_size == 0
