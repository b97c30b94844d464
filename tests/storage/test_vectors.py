"""Finding by vector: what was committed is found at once and from everywhere, what was replaced or deleted is not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from math import cos
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st
from stores import (
    add_entity,
    direction,
    entity_ids,
    found,
    new_volume,
    opened,
    pending_rows,
    remove_entity,
    reword_entity,
)

from server import models
from server.config import Settings
from server.errors import Misconfigured, UpstreamUnavailable
from server.ids import NodeKind, new_id
from server.store import Store
from server.store.lance import LanceTable
from server.store.vectors import IndexRow

Look = Callable[[], Awaitable[None]]


def near(*pairs: tuple[UUID, float]) -> list[tuple[UUID, float]]:
    """Return what is found where these nodes have these angles to what is sought, nearest first."""
    return sorted(((id, round(cos(angle), 4)) for id, angle in pairs), key=lambda pair: (-pair[1], pair[0]))


def look_between_steps(store: Store, look: Look) -> None:
    """Have `look` called before and after everything that the follower does to the index."""
    for name in ("upsert", "delete", "delete_volume", "compact"):

        def between(act: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
            async def step(*arguments: Any) -> None:
                await look()
                await act(*arguments)
                await look()

            return step

        setattr(store.index, name, between(getattr(store.index, name)))


@pytest.fixture
async def other(store: Store, settings: Settings) -> AsyncIterator[Store]:
    """Another process's view of the same store, whose index is a read interval behind."""
    async with opened(settings) as elsewhere:
        yield elsewhere


async def finish(store: Store) -> None:
    """Follow until nothing is pending any more."""
    await store.follower.drain()
    async with asyncio.timeout(10):
        while await pending_rows(store):
            await asyncio.sleep(0.03)
            await store.follower.step()


async def test_what_was_committed_is_found_at_every_moment_of_its_way_into_the_index(
    store: Store, other: Store
) -> None:
    volume = await new_volume(store)
    looks = 0
    expected: list[tuple[UUID, float]] = []

    async def look() -> None:
        nonlocal looks
        looks += 1
        for reader in (store, other):
            assert await found(reader, volume, 0.0) == expected

    look_between_steps(store, look)
    a = await add_entity(store, volume, "a", direction(0.2))
    b = await add_entity(store, volume, "b", direction(1.0))
    expected = near((a, 0.2), (b, 1.0))
    await look()
    await store.follower.step()
    await look()
    c = await add_entity(store, volume, "c", direction(0.5))
    await reword_entity(store, volume, a, "a anew", direction(0.8))
    await remove_entity(store, volume, b)
    expected = near((c, 0.5), (a, 0.8))
    await look()
    await finish(store)
    await look()
    await asyncio.sleep(0.12)
    await look()
    assert looks > 12
    assert await store.index.node_ids() == {a, c}


async def test_an_updated_node_is_found_by_its_new_vector_only(store: Store, other: Store) -> None:
    volume = await new_volume(store)
    a = await add_entity(store, volume, "a", direction(0.0))
    await finish(store)
    await reword_entity(store, volume, a, "a", direction(1.0))
    await reword_entity(store, volume, a, "a", direction(2.0))
    for reader in (store, other):
        assert await found(reader, volume, 2.0) == [(a, 1.0)]
        assert await found(reader, volume, 0.0) == near((a, 2.0))
    await finish(store)
    for reader in (store, other):
        assert await found(reader, volume, 2.0) == [(a, 1.0)]
    assert await store.index.count() == 1


async def test_an_update_before_the_follower_came_leaves_one_pending_row(store: Store) -> None:
    volume = await new_volume(store)
    a = await add_entity(store, volume, "a", direction(0.0))
    await reword_entity(store, volume, a, "a", direction(1.0))
    assert await pending_rows(store) == [(a, False)]
    await remove_entity(store, volume, a)
    assert await pending_rows(store) == [(a, False)]
    await finish(store)
    assert await store.index.node_ids() == set()


async def test_volumes_and_kinds_are_kept_apart(store: Store) -> None:
    volume, another = await new_volume(store, "v"), await new_volume(store, "w")
    kinds = [NodeKind.ENTITY, NodeKind.FACT, NodeKind.MEMORY, NodeKind.CHUNK, NodeKind.CODE_ARTIFACT]
    ids = {(place, kind): new_id() for place in (volume, another) for kind in kinds}

    async def exact() -> None:
        for place in (volume, another):
            for wanted in ([NodeKind.FACT], [NodeKind.MEMORY, NodeKind.CHUNK], kinds):
                close = await store.nearest(place, direction(0), wanted, 100)
                assert {(n.id, n.kind) for n in close} == {(ids[place, kind], kind) for kind in wanted}

    for place in (volume, another):
        async with store.write(place, "test") as tx:
            for kind in kinds:
                tx.index(kind, ids[place, kind], "x", direction(0.1))
    await exact()
    await finish(store)
    await exact()


async def test_a_filter_keeps_its_recall_where_few_nodes_pass_it(store: Store) -> None:
    """The nearest of a small volume are found though a large one has nearer nodes."""
    small, large = await new_volume(store, "small"), await new_volume(store, "large")
    async with store.write(large, "test") as tx:
        for n in range(1500):
            tx.index(NodeKind.ENTITY, new_id(), str(n), direction(n / 100_000))
    ids = [await add_entity(store, small, str(n), direction(1.5 + n / 10)) for n in range(5)]
    await finish(store)
    assert [id for id, _ in await found(store, small, 0.0, 5)] == ids


@pytest.mark.parametrize(
    "text", ["it's", 'a "b"', "C:\\a\\b", "100%", "_", "'; DROP TABLE nodes; --", "x\n\ty", "東京 é"]
)
async def test_a_text_is_stored_as_it_is(store: Store, text: str) -> None:
    volume = await new_volume(store)
    async with store.write(volume, "test") as tx:
        id = tx.insert(models.Entity, name=text, match_key=text, type=text)
        tx.index(NodeKind.ENTITY, id, text, direction(0))
    await finish(store)
    rows = await store.index.rows("node_id", "text")
    assert rows == [{"node_id": id.hex, "text": text}]
    assert await found(store, volume, 0.0) == [(id, 1.0)]


async def test_a_deleted_volume_is_found_no_more_at_once_and_leaves_the_index(store: Store, other: Store) -> None:
    volume, kept = await new_volume(store, "v"), await new_volume(store, "w")
    await add_entity(store, volume, "a", direction(0))
    b = await add_entity(store, kept, "b", direction(0))
    await finish(store)
    await add_entity(store, volume, "c", direction(0))
    async with store.write(volume, "test") as tx:
        for model in (models.Entity, models.PendingVector):
            tx.delete_where(model, volume_id=volume)
        tx.delete_where(models.Volume, id=volume)
        tx.unindex(NodeKind.VOLUME, [volume])
    for reader in (store, other):
        assert await found(reader, volume, 0.0) == []
        assert await found(reader, kept, 0.0) == [(b, 1.0)]
    await finish(store)
    assert await store.index.node_ids() == {b}
    assert await found(other, volume, 0.0) == []


async def test_no_more_than_k_are_found_and_ties_go_by_id(store: Store) -> None:
    volume = await new_volume(store)
    ids = [await add_entity(store, volume, str(n), direction(0.5)) for n in range(6)]
    await store.follower.step()
    await asyncio.sleep(0.06)
    ids += [await add_entity(store, volume, str(n), direction(0.5)) for n in range(6, 9)]
    assert await found(store, volume, 0.5, 20) == [(id, 1.0) for id in sorted(ids)]
    assert len(await found(store, volume, 0.5, 4)) == 4


async def test_k_nodes_are_found_behind_nearer_ones_that_were_deleted_or_moved_away(store: Store) -> None:
    volume = await new_volume(store)
    ids = [await add_entity(store, volume, str(n), direction(n / 10)) for n in range(8)]
    await finish(store)
    await remove_entity(store, volume, ids[0])
    await reword_entity(store, volume, ids[1], "away", direction(3.0))
    await remove_entity(store, volume, ids[2])
    assert [id for id, _ in await found(store, volume, 0.0, 3)] == ids[3:6]


async def test_a_transaction_finds_what_was_committed_before_it(store: Store) -> None:
    volume = await new_volume(store)
    a = await add_entity(store, volume, "a", direction(0))
    async with store.write(volume, "test") as tx:
        close = await store.nearest(volume, direction(0), [NodeKind.ENTITY], 5, read=tx.read)
        assert [n.id for n in close] == [a]


async def test_a_deleted_text_leaves_the_files_of_the_index(store: Store, settings: Settings) -> None:
    """Also where it was one of a hundred in its file, which LanceDB by itself would keep."""
    volume = await new_volume(store)
    async with store.write(volume, "test") as tx:
        ids = [tx.insert(models.Entity, name=str(n), match_key=str(n), type="concept") for n in range(100)]
        for n, id in enumerate(ids):
            tx.index(NodeKind.ENTITY, id, "quokkazebra" if n == 50 else f"text {n}", direction(n / 100))

    def holding() -> list[Path]:
        files = [path for path in (settings.data / "vectors").rglob("*") if path.is_file()]
        return [path for path in files if b"quokkazebra" in path.read_bytes()]

    await finish(store)
    assert holding()
    await remove_entity(store, volume, ids[50])
    await store.follower.drain()
    store.index.retention = timedelta(milliseconds=1)
    await store.index.compact()
    await asyncio.sleep(0.01)
    await store.index.compact()
    assert holding() == []
    assert await store.index.count() == 99
    assert {id for id, _ in await found(store, volume, 0.0)} == set(ids) - {ids[50]}


async def test_an_index_that_cannot_be_read_is_unavailable(store: Store, settings: Settings) -> None:
    volume = await new_volume(store)
    await add_entity(store, volume, "a", direction(0))
    await store.follower.drain()
    away = settings.data / "away"
    (settings.data / "vectors").rename(away)
    await asyncio.sleep(0.06)
    with pytest.raises(UpstreamUnavailable, match="vector index"):
        await found(store, volume, 0.0)
    away.rename(settings.data / "vectors")
    assert len(await found(store, volume, 0.0)) == 1


async def test_an_index_of_another_model_is_refused_by_name(store: Store, settings: Settings) -> None:
    elsewhere = Store(settings)
    for model, dimension in (("hash@2", 16), ("hash@1", 32)):
        with pytest.raises(Misconfigured, match=r"hash@1 \(16\).*Run: loregraph reindex"):
            await elsewhere.open(model, dimension, lambda texts: None)  # type: ignore[arg-type, return-value]
    await elsewhere.close()


async def test_the_first_uses_at_once_open_the_index_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    open_table = LanceTable.open.__func__

    async def counted(cls: type[LanceTable], uri: str, *arguments: Any) -> LanceTable:
        opened.append(uri)
        return cast("LanceTable", await open_table(cls, uri, *arguments))

    monkeypatch.setattr(LanceTable, "open", classmethod(counted))
    assert not store.index.is_open
    assert await asyncio.gather(*(store.index.count() for _ in range(5))) == [0] * 5
    assert opened == [store.settings.vectors_uri]


async def test_whoever_gives_up_while_it_opens_leaves_it_to_the_next(store: Store) -> None:
    first = asyncio.create_task(store.index.count())
    await asyncio.sleep(0)
    second = asyncio.create_task(store.index.count())
    await asyncio.sleep(0)
    first.cancel()
    assert await second == 0


async def test_an_index_of_vectors_of_another_length_is_refused_at_its_first_use(
    store: Store, settings: Settings
) -> None:
    """SQL knows of which model the index is, so that can only be where the folder is another store's."""
    interval = timedelta(seconds=1)
    (await LanceTable.open(settings.vectors_uri, interval, 7)).close()
    for _ in range(2):
        with pytest.raises(
            UpstreamUnavailable, match=r"^The vector index holds vectors of 7 numbers, .* makes 16\. Run: "
        ):
            await store.index.count()
    assert not store.index.is_open


async def test_an_index_whose_files_are_broken_does_not_answer(store: Store, settings: Settings) -> None:
    (await LanceTable.open(settings.vectors_uri, timedelta(seconds=1), 16)).close()
    for path in (settings.data / "vectors").rglob("*.manifest"):
        path.write_bytes(b"nothing of the kind")
    with pytest.raises(UpstreamUnavailable, match=r"^The vector index does not answer\."):
        await store.index.count()


@dataclass
class Step:
    """One step of a random story: what is done, to which of the nodes that are there, and where it is to be found."""

    act: str
    which: int
    angle: float
    embedded: bool


steps = st.builds(
    Step,
    st.sampled_from(["insert", "insert", "update", "update", "delete", "follow", "follow", "wait", "restart", "both"]),
    st.integers(0, 50),
    st.floats(0, 3, width=16),
    st.sampled_from([True, True, True, False]),
)


@given(st.lists(steps, min_size=4, max_size=14))
@hypothesis(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_any_story_ends_with_an_index_that_equals_the_rows(
    store: Store, settings: Settings, story: list[Step]
) -> None:
    """On the way, everything whose vector is known is found exactly, from two processes, one of them a reader only."""
    volume = await new_volume(store, str(new_id()))
    angles: dict[UUID, float | None] = {}
    async with AsyncExitStack() as stack:
        worker = await stack.enter_async_context(opened(settings))
        reader = await stack.enter_async_context(opened(settings))
        for n, step in enumerate(story):
            vector = direction(step.angle) if step.embedded else None
            node = list(angles)[step.which % len(angles)] if angles else None
            if step.act == "insert" or (node is None and step.act == "update"):
                node = await add_entity(store, volume, f"{n}", vector)
                angles[node] = step.angle if step.embedded else None
            elif step.act == "update" and node is not None:
                await reword_entity(store, volume, node, f"{n}", vector)
                angles[node] = step.angle if step.embedded else None
            elif step.act == "delete" and node is not None:
                await remove_entity(store, volume, node)
                del angles[node]
            elif step.act == "follow":
                await worker.follower.step()
            elif step.act == "both":
                await asyncio.gather(worker.follower.step(), store.follower.step())
            elif step.act == "wait":
                await asyncio.sleep(0.06)
            elif step.act == "restart":
                await worker.follower.release()
                worker = await stack.enter_async_context(opened(settings))
            known = {id: angle for id, angle in angles.items() if angle is not None}
            for one in (store, worker, reader):
                assert {(i, s) for i, s in await found(one, volume, 0.0) if i in known or i not in angles} == {
                    (id, round(float(direction(angle)[0]), 4)) for id, angle in known.items()
                }
        await worker.follower.release()
        await store.follower.drain()
        await asyncio.sleep(
            settings.read_interval * 2
        )  # what another process has written shows in the index itself only then
        rows = await store.index.rows("node_id", "volume_id", "vector")
        held = [row for row in rows if row["volume_id"] == volume.hex]
        assert sorted(UUID(row["node_id"]) for row in held) == sorted(angles)
        for row in held:
            angle = angles[UUID(row["node_id"])]
            if angle is not None:
                assert np.allclose(row["vector"], direction(angle))
        await store.follower.release()


async def test_the_index_takes_any_number_of_nodes_at_once(store: Store) -> None:
    volume = await new_volume(store)
    ids = [new_id() for _ in range(1203)]
    await store.index.upsert([IndexRow(id, volume, "ent", "x", direction(0)) for id in ids])
    await store.index.upsert([IndexRow(id, volume, "ent", "y", direction(1)) for id in ids])
    assert await store.index.count() == 1203
    await store.index.delete(ids[:1100])
    assert await store.index.node_ids() == set(ids[1100:])
    await store.index.upsert([])
    await store.index.delete([])
    assert await store.index.count() == 103
    assert await entity_ids(store) == set()


class Preempted:
    """A table whose merges lose to another process's a number of times."""

    def __init__(self, table: Any, times: int) -> None:
        self._table = table
        self.left = times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    async def optimize(self, **options: Any) -> Any:
        if self.left:
            self.left -= 1
            raise RuntimeError("lance error: Retryable commit conflict for version 2: preempted by concurrent Rewrite")
        return await self._table.optimize(**options)


async def test_a_compaction_that_another_process_preempts_looks_again(store: Store) -> None:
    index = store.index
    await index.ready()
    lance = index._table
    assert lance is not None
    table, lance._table = lance._table, Preempted(lance._table, 2)
    await index.compact()
    assert lance._table.left == 0
    lance._table = Preempted(table, 3)
    with pytest.raises(UpstreamUnavailable):
        await index.compact()
