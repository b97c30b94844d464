"""When the vector index is compacted, and that what a process leaves undone is known to the next one without opening the index."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from sqlalchemy import delete
from stores import add_entity, direction, new_volume, opened

from server import models
from server.config import Settings
from server.store import Store
from server.store.compaction import Compaction
from server.store.leftovers import Leftovers
from server.store.relations import table_of
from server.store.vectors import VectorIndex

NOBODY: Any = None


class Own(Leftovers):
    """A note that nobody else sees: something was left, and all of it is this process's."""

    def __init__(self) -> None:
        self.is_gone = False

    async def found(self) -> bool:
        return True

    async def note(self, connection: object) -> None:
        self.is_gone = False

    async def claim(self) -> bool:
        return True

    async def gone(self) -> None:
        self.is_gone = True


class CountingIndex(VectorIndex):
    """Counts compactions instead of making them; one takes as long as asked."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.compactions = 0
        self.seconds = 0.0
        self.retention = timedelta(seconds=0.1)

    async def compact(self) -> None:
        self.compactions += 1
        await asyncio.sleep(self.seconds)


class TestCompaction:
    async def test_it_runs_once_at_first_then_once_more_when_old_files_can_go(self) -> None:
        index = CountingIndex(Settings())
        compaction = Compaction(index, Own())
        await compaction.begin()
        for _ in range(5):
            await compaction.run_if_due(idle=True)
        assert index.compactions == 1
        await asyncio.sleep(0.12)
        for _ in range(5):
            await compaction.run_if_due(idle=True)
        assert index.compactions == 2

    async def test_it_waits_for_idle_times_or_many_writes(self) -> None:
        index = CountingIndex(Settings())
        compaction = Compaction(index, Own())
        await compaction.begin()
        for n in range(1, 128):
            await compaction.written(NOBODY)
            await compaction.run_if_due(idle=False)
            assert index.compactions == (0 if n < 63 else 1)
        await asyncio.sleep(0.01)
        await compaction.run_if_due(idle=True)
        assert index.compactions == 2

    async def test_it_rests_fifty_times_as_long_as_the_last_one_took(self) -> None:
        index = CountingIndex(Settings())
        index.seconds = 0.02
        compaction = Compaction(index, Own())
        await compaction.begin()
        await compaction.run_if_due(idle=True)
        index.retention = timedelta(hours=1)
        await compaction.written(NOBODY)
        await asyncio.sleep(0.5)
        compaction._clean_at = None
        await compaction.run_if_due(idle=True)
        assert index.compactions == 1
        await asyncio.sleep(0.9)
        await compaction.run_if_due(idle=True)
        assert index.compactions == 2

    async def test_nothing_is_left_once_it_ran_twice_with_no_write_between(self) -> None:
        index, own = CountingIndex(Settings()), Own()
        compaction = Compaction(index, own)
        await compaction.begin()
        index.retention = timedelta(0)
        await compaction.run_if_due(idle=True)
        await compaction.written(NOBODY)
        await compaction.run_if_due(idle=True)
        assert (index.compactions, own.is_gone) == (2, False)
        await compaction.run_if_due(idle=True)
        assert (index.compactions, own.is_gone) == (3, True)


def compactions_of(store: Store) -> list[int]:
    """Have the compactions of a store counted instead of made, and none of them rest; return the list that grows by them."""
    made: list[int] = []

    async def compact() -> None:
        made.append(len(made) + 1)

    store.index.compact = compact  # type: ignore[method-assign]
    store.index.retention = timedelta(0)
    return made


async def moved(store: Store) -> None:
    """Write a node and move it into the index, but for the compaction, as if the process died there."""
    compactions_of(store)
    store.follower._compaction._not_before = float("inf")
    await add_entity(store, await new_volume(store), "a", direction(0))
    assert await store.follower.step() == 1
    await store.follower.release()


async def test_a_process_that_has_nothing_to_move_or_to_compact_does_not_open_the_index(
    store: Store, settings: Settings
) -> None:
    await new_volume(store)
    assert await store.follower.step() == 0
    assert await store.log_positions() == (1, {"vectors": 1})
    await store.follower.release()
    async with opened(settings) as next_one:
        assert await next_one.follower.step() == 0
        assert (store.index.is_open, next_one.index.is_open) == (False, False)


async def test_what_a_process_has_written_and_not_compacted_the_next_one_compacts_at_its_start(
    store: Store, settings: Settings
) -> None:
    await moved(store)
    async with opened(settings) as next_one:
        made = compactions_of(next_one)
        for _ in range(4):
            await next_one.follower.step()
        assert made == [1, 2]
        await next_one.follower.release()
    async with opened(settings) as last:
        made = compactions_of(last)
        for _ in range(4):
            await last.follower.step()
        assert made == []


async def test_what_was_compacted_once_and_not_cleaned_the_next_one_compacts_too(
    store: Store, settings: Settings
) -> None:
    await moved(store)
    async with opened(settings) as next_one:
        made = compactions_of(next_one)
        next_one.index.retention = timedelta(hours=1)
        for _ in range(4):
            await next_one.follower.step()
        assert made == [1]
        await next_one.follower.release()
    async with opened(settings) as last:
        made = compactions_of(last)
        for _ in range(4):
            await last.follower.step()
        assert made == [1, 2]


async def test_of_several_that_start_together_one_compacts(store: Store, settings: Settings) -> None:
    await moved(store)
    async with opened(settings) as one, opened(settings) as other:
        made, elsewhere = compactions_of(one), compactions_of(other)
        one.index.retention = timedelta(hours=1)
        await one.follower.step()
        await one.follower.release()
        for _ in range(4):
            await other.follower.step()
        assert (made, elsewhere) == ([1], [])


async def test_what_is_written_while_another_compacts_is_not_forgotten(store: Store, settings: Settings) -> None:
    """The other's lease has run out on the way: its second pass does not take away the note of the first one's write."""
    await moved(store)
    async with opened(settings) as stalled:
        made = compactions_of(stalled)
        await stalled.follower._compaction.run_if_due(idle=True)
        volume = await new_volume(store, "w")
        await add_entity(store, volume, "b", direction(0))
        assert await store.follower.step() == 1
        await stalled.follower._compaction.run_if_due(idle=True)
        assert made == [1]
    async with opened(settings) as last:
        assert await last.follower._compaction._leftovers.found()


async def test_an_index_of_a_time_before_the_note_is_compacted_once(store: Store, settings: Settings) -> None:
    table = table_of(models.StoreSetting)
    await store.follower.step()
    await store.follower.release()
    async with store.database.writing() as connection:
        await connection.execute(delete(table).where(table.c.key == "vectors_to_compact"))
    async with opened(settings) as later:
        made = compactions_of(later)
        for _ in range(4):
            await later.follower.step()
        assert made == [1, 2]
