"""The change log: its instants and numbers, what its entries hold, and how it is read."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from doubles import HashEmbedder, ScriptedExtractor
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st
from processes import Child, start, write
from sqlalchemy import func, select
from stores import add_entity, new_volume, numbers, opened

from server import models
from server.config import Settings
from server.ids import NodeKind, new_id
from server.services.documents import NewDocument
from server.services.extraction.protocol import ExtractedEntity, ExtractedFact, Extraction
from server.services.knowledge import Knowledge
from server.store import Store
from server.store.filters import ChangeFilter
from server.store.relations import table_of
from server.terms import ChangeKind

MICROSECOND = timedelta(microseconds=1)
START = datetime(2030, 1, 1, tzinfo=UTC)
_change = table_of(models.Change)
instants = st.lists(
    st.integers(-3, 3).map(lambda n: n * MICROSECOND) | st.timedeltas(timedelta(-900), timedelta(900)),
    min_size=1,
    max_size=6,
)


@example([timedelta(0)] * 3)
@example([timedelta(0), timedelta(days=-1), timedelta(days=-1), timedelta(days=1)])
@given(instants)
@hypothesis(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_the_log_says_what_the_clock_says_or_one_microsecond_after_the_last_instant(
    settings: Settings, offsets: list[timedelta]
) -> None:
    clocks = iter([START + offset for offset in [timedelta(0), *offsets]])
    setup = Store(settings)
    await setup.migrate()
    await setup.close()
    async with opened(settings, clock=lambda: next(clocks)) as store:
        earlier = len(await numbers(store))
        volume = await new_volume(store, str(new_id()))
        for n in range(len(offsets)):
            await add_entity(store, volume, f"e{n}")
        times = (await numbers(store, "at"))[max(earlier - 1, 0) :]
    expected = [times[0]]
    for clock in [START, *(START + offset for offset in offsets)][0 if earlier else 1 :]:
        expected.append(max(clock, expected[-1] + MICROSECOND))
    assert times == expected


async def test_a_transaction_has_one_instant_and_numbers_in_a_row(store: Store) -> None:
    volume = await new_volume(store)
    async with store.write(volume, "ann") as tx:
        ids = [tx.insert(models.Entity, name=n, match_key=n, type="concept") for n in "abc"]
        for id in ids:
            tx.log(ChangeKind.CREATED, NodeKind.ENTITY, id)
        await tx.apply()
        assert await tx.read.count(models.Entity) == 3
    assert await numbers(store) == [1, 2, 3, 4]
    assert (await numbers(store, "at"))[1:] == [tx.at] * 3
    assert {row[0] for row in await store.read.rows(select(table_of(models.Entity).c.created_at))} == {tx.at}


async def test_a_write_that_was_refused_takes_no_number(store: Store) -> None:
    volume = await new_volume(store)
    await add_entity(store, volume, "a")

    async def write_and_fail() -> None:
        async with store.write(volume, "test") as tx:
            tx.log(ChangeKind.CREATED, NodeKind.ENTITY, new_id())
            await tx.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write_and_fail()
    await add_entity(store, volume, "b")
    assert await numbers(store) == [1, 2, 3]
    assert (await store.log_positions())[0] == 3


async def test_vectors_without_an_entry_take_a_number_of_their_own(store: Store) -> None:
    volume = await new_volume(store)
    async with store.write(volume, "test") as tx:
        tx.index(NodeKind.ENTITY, new_id(), "again", None)
    await add_entity(store, volume, "a")
    assert await numbers(store) == [1, 3]
    pending = table_of(models.PendingVector)
    assert [row[0] for row in await store.read.rows(select(pending.c.seq).order_by(pending.c.seq))] == [2, 3]


async def polled(store: Store, writers: list[asyncio.Task[None]]) -> int:
    """Read the log while others write to it: whatever is visible begins at 1 and has no gap. Return the last number."""
    statement = select(func.count(), func.coalesce(func.max(_change.c.seq), 0))
    rounds, last = 0, 0
    while not all(writer.done() for writer in writers):
        ((count, last),) = await store.read.rows(statement)
        assert count == last
        rounds += 1
        await asyncio.sleep(0.002)
    await asyncio.gather(*writers)
    assert rounds > 20
    ((count, last),) = await store.read.rows(statement)
    assert count == last
    return int(last)


async def test_numbers_become_visible_in_order_under_eight_concurrent_writers(settings: Settings) -> None:
    busy = settings.model_copy(update={"pool_size": 20})
    setup = Store(busy)
    await setup.migrate()
    await setup.close()
    chance = random.Random(8)
    written = 0

    async def write(volume: UUID) -> None:
        nonlocal written
        for n in range(6):
            entries = chance.randint(1, 3)
            async with store.write(volume, "test") as tx:
                for _ in range(entries):
                    tx.log(ChangeKind.UPDATED, NodeKind.ENTITY, new_id(), after={"n": n})
                await asyncio.sleep(chance.random() * 0.02)
                if chance.random() < 0.5:
                    await tx.apply()
                    await asyncio.sleep(chance.random() * 0.02)
            written += entries

    async with opened(busy) as store:
        volumes = [await new_volume(store, str(n)) for n in range(8)]
        last = await polled(store, [asyncio.create_task(write(volume)) for volume in volumes])
        assert last == 8 + written
        times = await numbers(store, "at")
        assert times == sorted(times)


async def test_numbers_become_visible_in_order_under_writing_processes(store: Store, settings: Settings) -> None:
    volumes = [await new_volume(store, str(n)) for n in range(2)]
    children = await start(write, settings, *((volume, 30) for volume in volumes))

    async def end(child: Child) -> None:
        assert await child.end() == 0

    last = await polled(store, [asyncio.create_task(end(child)) for child in children])
    assert last == 2 + await store.read.count(models.Entity)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(1, 4))
@hypothesis(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_pages_go_through_batches_node_by_node(store: Store, sizes: list[int], first: int) -> None:
    volume = await new_volume(store, str(new_id()))
    logged = []
    for size in sizes:
        nodes = [(NodeKind.FACT, new_id()) for _ in range(size)]
        async with store.write(volume, "test") as tx:
            if size == 1:
                tx.log(ChangeKind.UPDATED, *nodes[0], before={"a": None}, after={"a": 1})
            else:
                tx.log_batch(ChangeKind.UPDATED, nodes)
        logged += [id.hex for _, id in nodes]
    only = ChangeFilter(kinds=("UPDATED",))
    read: list[str] = []
    after = None
    while True:
        (page,) = await store.read.changes([volume], only, first, after)
        for change, place in page.rows:
            read.append(UUID(change.batch[place][1]).hex if change.batch else change.node_id.hex)  # type: ignore[union-attr]
        assert len(page.rows) <= first
        if not page.has_next:
            break
        last, place = page.rows[-1]
        after = (last.seq, place)
    assert read == logged[::-1]
    assert await store.read.count_changes([volume], only) == [len(logged)]


async def test_an_entry_has_the_changed_fields_before_and_after(store: Store) -> None:
    volume = await new_volume(store)
    id = await add_entity(store, volume, "a")
    async with store.write(volume, "bob") as tx:
        tx.log(ChangeKind.UPDATED, NodeKind.ENTITY, id, before={"b": None, "a": "x"}, after={"b": [1], "a": "ü"})
    (page,) = await store.read.changes([volume], ChangeFilter(actors=("bob",)), 5, None)
    ((change, place),) = page.rows
    assert place == 0
    assert (change.kind, change.node_kind, change.node_id, change.actor) == ("UPDATED", "ent", id, "bob")
    assert (change.before, change.after) == ({"b": None, "a": "x"}, {"b": [1], "a": "ü"})
    assert list(change.before or {}) == ["b", "a"]


async def test_the_log_never_holds_the_words_of_a_document(store: Store, settings: Settings) -> None:
    """While the document is there no entry has its content; once it is gone no entry has a word of it."""
    text = "The quokka of zebra town sleeps."
    extractor = ScriptedExtractor()
    extractor.answers[text] = Extraction(
        entities=[ExtractedEntity("q", "quokka", "animal", text)],
        facts=[ExtractedFact("q", "Sleeps in zebra town", text)],
    )
    knowledge = Knowledge(settings, store, HashEmbedder(), extractor.name, extractor.read)
    volume = await knowledge.volumes.ensure("default", "test")
    taken = await knowledge.documents.take(volume, NewDocument(title="Animals", text=text, uri="file:///a"), "ann")
    assert await knowledge.worker.step()
    assert await store.read.count(models.Fact) == 1
    entries = await store.read.rows(select(_change))
    assert len(entries) > 2
    assert "of zebra" not in repr(entries)
    await knowledge.documents.delete(volume, taken.document_id, "ann")
    entries = await store.read.rows(select(_change))
    assert not any(word in repr(entries) for word in ("quokka", "zebra", "Animals", "file:///a"))
    (page,) = await store.read.changes([volume.id], ChangeFilter(kinds=("DELETED",)), 50, None)
    assert (taken.document_id, "ann") in [(change.node_id, change.actor) for change, _ in page.rows]
