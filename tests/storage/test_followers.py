"""The vector follower: what it embeds, when it forgets, who runs it, and what it survives."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest
from doubles import HashEmbedder
from numpy.typing import NDArray
from sqlalchemy import select, text
from stores import (
    DIMENSION,
    add_entity,
    direction,
    found,
    new_volume,
    opened,
    pending_rows,
    remove_entity,
    reword_entity,
)

from server import models
from server.config import Settings
from server.errors import UpstreamUnavailable
from server.ids import NodeKind, new_id
from server.store import Store
from server.store.relations import table_of
from server.store.vectors import IndexRow


@pytest.fixture
async def other(store: Store, settings: Settings) -> AsyncIterator[Store]:
    """A second process on the same store."""
    async with opened(settings) as elsewhere:
        yield elsewhere


class SlowEmbedder(HashEmbedder):
    """Embeds when it is let."""

    def __init__(self) -> None:
        super().__init__(DIMENSION)
        self.asked = asyncio.Event()
        self.let = asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.set()
        await self.let.wait()
        return await super().embed(texts)


async def test_rows_without_a_vector_are_embedded_in_one_call_by_their_texts(settings: Settings, store: Store) -> None:
    volume = await new_volume(store)
    embedder = HashEmbedder(DIMENSION)
    async with opened(settings, embedder=embedder) as following:
        a = await add_entity(store, volume, "alpha beta")
        b = await add_entity(store, volume, "given", direction(1.0))
        c = await add_entity(store, volume, "gamma")
        await following.follower.step()
        assert embedder.embedded == ["alpha beta", "gamma"]
        assert embedder.calls == 1
        (vector,) = await embedder.embed(["beta alpha"])
        close = await following.nearest(volume, vector, [NodeKind.ENTITY], 1)
        assert [(n.id, round(n.similarity, 5)) for n in close] == [(a, 1.0)]
        assert await following.index.node_ids() == {a, b, c}


async def test_of_the_texts_that_wait_for_a_node_only_the_last_is_embedded(settings: Settings, store: Store) -> None:
    volume = await new_volume(store)
    embedder = HashEmbedder(DIMENSION)
    async with opened(settings, embedder=embedder) as following:
        a = await add_entity(store, volume, "first")
        await reword_entity(store, volume, a, "second", None)
        b = await add_entity(store, volume, "gone")
        await remove_entity(store, volume, b)
        await following.follower.drain()
        assert embedder.embedded == ["second"]
        assert await following.index.node_ids() == {a}


async def test_a_moved_row_stays_for_two_read_intervals(settings: Settings, store: Store) -> None:
    volume = await new_volume(store)
    async with opened(settings.model_copy(update={"read_interval": 0.5})) as slow:
        a = await add_entity(store, volume, "a", direction(0))
        assert await slow.follower.step() == 1
        moved = time.monotonic()
        rows = [(a, True)]
        while rows:
            assert await slow.follower.step() == 0
            before, rows = rows, await pending_rows(store)
            await asyncio.sleep(0.02)
        assert before == [(a, True)]
        assert 0.95 < time.monotonic() - moved < 3
        assert await found(slow, volume, 0.0) == [(a, 1.0)]


async def test_moved_rows_go_while_others_keep_coming(store: Store) -> None:
    """A search reads all rows that are there: under a long load they must not pile up."""
    volume = await new_volume(store)
    a = await add_entity(store, volume, "a", direction(0))
    await store.follower.step()
    await asyncio.sleep(0.15)
    b = await add_entity(store, volume, "b", direction(1))
    await store.follower.step()
    assert await pending_rows(store) == [(b, True)]
    assert await store.index.node_ids() == {a, b}


async def test_commits_are_moved_together_at_most_once_in_a_third_of_the_lease(store: Store) -> None:
    volume = await new_volume(store)
    store.start()
    writes: list[int] = []
    upsert = store.index.upsert

    async def counted(rows: Sequence[IndexRow]) -> None:
        writes.append(len(rows))
        await upsert(rows)

    store.index.upsert = counted  # type: ignore[method-assign]
    began = time.monotonic()
    for n in range(30):
        await add_entity(store, volume, str(n), direction(n / 10))
    async with asyncio.timeout(10):
        while await store.follower.backlog():
            await asyncio.sleep(0.02)
    assert sum(writes) == 30
    assert len(writes) <= 1 + 3 * (time.monotonic() - began)


async def test_batches_go_in_the_order_of_the_log(store: Store) -> None:
    """A transaction of more nodes than a batch, followed by changes of the same nodes, ends with the newest."""
    volume = await new_volume(store)
    ids = [new_id() for _ in range(700)]
    for angle in (0.5, 1.0):
        async with store.write(volume, "test") as tx:
            for id in ids:
                tx.index(NodeKind.ENTITY, id, "x", direction(angle))
    assert [await store.follower.step() for _ in range(4)] == [512, 512, 376, 0]
    assert store.follower.moved == 512 + 512 + 376
    rows = await store.index.rows("vector")
    assert len(rows) == 700
    assert np.allclose([row["vector"] for row in rows], direction(1.0))


async def test_the_position_is_the_last_entry_of_which_everything_was_moved(store: Store) -> None:
    volume = await new_volume(store)
    assert await store.log_positions() == (1, {})
    await store.follower.step()
    assert await store.log_positions() == (1, {"vectors": 1})
    await add_entity(store, volume, "a", direction(0))
    await add_entity(store, volume, "no vector", indexed=False)
    assert await store.log_positions() == (3, {"vectors": 1})
    await store.follower.step()
    assert await store.log_positions() == (3, {"vectors": 1})
    await store.follower.step()
    assert await store.log_positions() == (3, {"vectors": 3})


async def test_one_of_two_works_and_the_other_takes_over_when_the_lease_runs_out(settings: Settings) -> None:
    short = settings.model_copy(update={"follower_lease": 0.4})
    setup = Store(short)
    await setup.migrate()
    await setup.close()
    async with opened(short) as first, opened(short) as second:
        volume = await new_volume(first)
        assert await first.follower.acquire()
        await add_entity(first, volume, "a", direction(0))
        assert await second.follower.step() == 0
        assert await pending_rows(first) == [(next(iter(await pending_rows(first)))[0], False)]
        assert await first.follower.step() == 1
        await add_entity(first, volume, "b", direction(0))
        assert await second.follower.step() == 0
        await asyncio.sleep(0.45)
        assert await second.follower.step() == 1
        assert await first.follower.acquire() is False
        assert (first.follower.moved, second.follower.moved) == (1, 1)


async def test_a_lease_that_was_given_back_is_free_at_once(store: Store, other: Store) -> None:
    assert await store.follower.acquire()
    assert await other.follower.acquire() is False
    await other.follower.release()
    assert await other.follower.acquire() is False
    await store.follower.release()
    assert await other.follower.acquire()


async def test_two_that_run_share_the_work_without_doubling_any(store: Store, other: Store) -> None:
    volume = await new_volume(store)
    store.start()
    other.start()
    ids = {await add_entity(store, volume, str(n), direction(n / 10)) for n in range(30)}
    async with asyncio.timeout(10):
        while await store.follower.backlog():
            await asyncio.sleep(0.02)
    assert [await follower.step() for follower in (store.follower, other.follower)] == [0, 0]
    assert store.follower.moved + other.follower.moved == 30
    assert await store.index.node_ids() == ids
    assert await store.index.count() == 30


async def test_one_that_was_stopped_for_longer_than_its_lease_overwrites_nothing(settings: Settings) -> None:
    """It had read its rows before it stopped; meanwhile another has moved newer ones and forgotten them."""
    short = settings.model_copy(update={"follower_lease": 0.2, "read_interval": 0.02})
    setup = Store(short)
    await setup.migrate()
    await setup.close()
    slow = SlowEmbedder()
    async with opened(short, embedder=slow) as stopped, opened(short) as other:
        volume = await new_volume(other)
        a = await add_entity(other, volume, "old", None)
        b = await add_entity(other, volume, "gone", None)
        stale = asyncio.create_task(stopped.follower.step())
        await slow.asked.wait()
        await asyncio.sleep(0.25)
        await reword_entity(other, volume, a, "new", direction(1.0))
        await remove_entity(other, volume, b)
        async with asyncio.timeout(10):
            while await pending_rows(other) or await other.log_positions() != (5, {"vectors": 5}):
                await other.follower.step()
                await asyncio.sleep(0.02)
        slow.let.set()
        assert await stale == 0
        assert stopped.follower.moved == 0
        assert await other.index.node_ids() == {a}
        assert await found(other, volume, 1.0) == [(a, 1.0)]


async def test_steps_of_one_process_do_not_overlap(settings: Settings, store: Store) -> None:
    slow = SlowEmbedder()
    volume = await new_volume(store)
    async with opened(settings, embedder=slow) as following:
        a = await add_entity(store, volume, "old", None)
        first = asyncio.create_task(following.follower.step())
        await slow.asked.wait()
        await reword_entity(store, volume, a, "new", direction(1.0))
        second = asyncio.create_task(following.follower.step())
        await asyncio.sleep(0.05)
        slow.let.set()
        assert await asyncio.gather(first, second) == [1, 1]
        await asyncio.sleep(0.06)
        (row,) = await following.index.rows("vector")
        assert np.allclose(row["vector"], direction(1.0))


@pytest.mark.parametrize("settings", ["postgresql"], indirect=True)
async def test_rows_that_a_transaction_is_replacing_are_left_to_it(store: Store) -> None:
    """Waiting for that transaction would be a deadlock where it in turn wants a row that the follower has marked."""
    volume = await new_volume(store)
    a = await add_entity(store, volume, "a", direction(0))
    b = await add_entity(store, volume, "b", direction(1))
    table = table_of(models.PendingVector)
    replacing = select(table).where(table.c.node_id == a).with_for_update()
    async with store.database.writing() as connection:
        await connection.execute(replacing)
        async with asyncio.timeout(3):
            await store.follower.step()
        assert await pending_rows(store) == [(a, False), (b, True)]
    await store.follower.step()
    await asyncio.sleep(0.12)
    async with store.database.writing() as connection:
        await connection.execute(replacing)
        async with asyncio.timeout(3):
            await store.follower.step()
        assert await pending_rows(store) == [(a, True)]
    await store.follower.step()
    assert await pending_rows(store) == []


async def test_updates_under_a_running_follower_all_arrive(store: Store, other: Store) -> None:
    volume = await new_volume(store)
    ids = [await add_entity(store, volume, str(n), direction(0)) for n in range(12)]
    other.start()

    async def reword(part: Sequence[int]) -> None:
        for round in range(1, 5):
            for n in part:
                await reword_entity(store, volume, ids[n], f"{n}.{round}", direction(round * 0.5 + n / 10))

    async def as_last_written() -> None:
        close = await found(store, volume, 2.0, 12)
        assert [id for id, _ in close] == ids
        assert [similarity for _, similarity in close] == pytest.approx([np.cos(n / 10) for n in range(12)], abs=1e-3)

    await asyncio.gather(reword(range(12)), reword(range(11, -1, -1)))
    await as_last_written()
    async with asyncio.timeout(10):
        while await pending_rows(store):
            await asyncio.sleep(0.05)
    await asyncio.sleep(0.06)
    await as_last_written()
    assert await store.index.count() == 12


async def test_a_follower_outlives_an_index_that_cannot_be_written(store: Store, settings: Settings) -> None:
    volume = await new_volume(store)
    store.start()
    a = await add_entity(store, volume, "a", direction(0))
    async with asyncio.timeout(10):
        while await store.follower.backlog():
            await asyncio.sleep(0.02)
    away = settings.data / "away"
    (settings.data / "vectors").rename(away)
    b = await add_entity(store, volume, "b", direction(0))
    await asyncio.sleep(0.6)
    assert await store.follower.backlog() == 1
    away.rename(settings.data / "vectors")
    async with asyncio.timeout(10):
        while await store.follower.backlog():
            await asyncio.sleep(0.05)
    assert await store.index.node_ids() == {a, b}


async def test_an_embedder_that_does_not_answer_delays_and_loses_nothing(settings: Settings, store: Store) -> None:
    class Failing(HashEmbedder):
        async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.calls < 2:
                self.calls += 1
                raise UpstreamUnavailable("The model does not answer.")
            return await super().embed(texts)

    volume = await new_volume(store)
    a = await add_entity(store, volume, "a", None)
    async with opened(settings, embedder=Failing(DIMENSION)) as following:
        following.start()
        async with asyncio.timeout(10):
            while await store.follower.backlog():
                await asyncio.sleep(0.05)
        assert await following.index.node_ids() == {a}


async def test_closing_gives_the_lease_back(store: Store, settings: Settings) -> None:
    async with opened(settings) as running:
        running.start()
        await asyncio.sleep(0.1)
        assert await store.follower.acquire() is False
    assert await store.follower.acquire()
    rows = await store.read.rows(text("SELECT count(*) FROM follower"))
    assert [tuple(row) for row in rows] == [(1,)]
