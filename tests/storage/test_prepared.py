"""Prepared reads and the connections that they borrow, on both databases."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from asyncpg import InternalClientError
from sqlalchemy import select
from storage.test_pages import graph, new_volume

from server import models
from server.config import Settings
from server.errors import UpstreamUnavailable
from server.ids import new_id
from server.store import Store, inline, records
from server.store import relations as rel
from server.store.database import translated
from server.store.filters import FactFilter
from server.store.lines import Lines
from server.store.prepared import Line
from server.store.relations import Sorting, table_of
from server.store.selections import TABLES, End, columns_of


async def filled(store: Store) -> tuple[UUID, list[UUID]]:
    volume = await new_volume(store)
    entities = await graph(store, volume)
    at = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    async with store.write(volume, "test") as tx:
        tx.insert(
            models.Fact,
            subject_id=entities[0],
            content="dated",
            claim_key="dated",
            valid_from=at,
            valid_from_precision="DAY",
            importance=0.1,
        )
        tx.insert(models.Entity, name="P", match_key="p", type="x", properties={"a": [1, None, "é"]}, confidence=1.0)
    return volume, entities


@pytest.mark.parametrize("record", [records.EntityRecord, records.FactRecord, records.RelationshipRecord])
async def test_values_are_those_that_sqlalchemy_reads(store: Store, record: type[Any]) -> None:
    await filled(store)
    table = table_of(TABLES[record])
    expected = await store.read.rows(select(*columns_of(record)).order_by(table.c.id))
    found = await store.read.by_ids(record, [row[0] for row in expected])
    assert [tuple(row) for row in found if row is not None] == [tuple(row) for row in expected]
    types = [[type(value).__mro__[-2] for value in row] for row in expected]
    assert [[type(value).__mro__[-2] for value in row] for row in found if row is not None] == types


async def test_a_part_of_a_row_has_its_id_what_it_is_sorted_by_and_what_was_asked(store: Store) -> None:
    _, entities = await filled(store)
    sorting = Sorting(("importance",))
    (page,) = await store.read.pages(
        rel.FACTS_OF_ENTITY,
        entities[:1],
        FactFilter(),
        first=1,
        sorting=sorting,
        columns=frozenset({"content"}),
    )
    (row,) = page.rows
    assert row._fields == ("id", "content", "importance")
    assert (row.content, row.importance) == ("0.0", 0.0)
    with pytest.raises(AttributeError, match="PartOfFactRecord"):
        _ = row.status


async def test_the_entities_at_the_ends_come_with_the_rows(store: Store) -> None:
    _, (a, b, _c) = await filled(store)
    ends = (End("source", "source_id", frozenset({"name"})), End("target", "target_id", None))
    (page,) = await store.read.pages(
        rel.RELATIONSHIPS_OF_ENTITY[rel.Direction.OUT], [a], first=1, columns=frozenset({"type"}), ends=ends
    )
    row: Any = page.rows[0]
    assert row._fields == ("id", "type", "source", "target")
    assert (row.type, tuple(row.source)) == ("NEXT", (a, "E0"))
    assert row.target == (await store.read.by_ids(records.EntityRecord, [b]))[0]


async def test_a_cancelled_read_gives_its_connection_up_and_the_next_one_works(store: Store) -> None:
    _, entities = await filled(store)
    many = entities + [new_id() for _ in range(100)]  # too many for the event loop's own connection to SQLite
    for _ in range(12):  # more than there are connections
        task = asyncio.create_task(store.read.by_ids(records.EntityRecord, many))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    found = await store.read.by_ids(records.EntityRecord, entities)
    assert [row.name for row in found if row is not None] == ["E0", "E1", "E2"]


async def test_more_reads_than_connections_wait_their_turn(store: Store) -> None:
    _, entities = await filled(store)
    reads = [store.read.by_ids(records.EntityRecord, [entities[n % 3]]) for n in range(60)]
    found = await asyncio.gather(*reads)
    assert [row.name for (row,) in found if row is not None] == [f"E{n % 3}" for n in range(60)]


async def test_a_connection_that_its_server_is_ending_is_dropped_and_the_read_told_to_come_again(store: Store) -> None:
    """asyncpg refuses the statement with an error of its own between PostgreSQL's last word and the end of the connection."""
    with pytest.raises(UpstreamUnavailable), translated():
        async with store.database.lines.borrowed() as line:
            ended = line
            raise InternalClientError("cannot switch to state 11; another operation (2) is in progress")
    async with store.database.lines.borrowed() as line:
        assert line is not ended
    assert await store.read.by_ids(records.EntityRecord, [UUID(int=1)]) == [None]


async def test_a_read_that_gets_no_connection_in_time_is_told_to_come_again(settings: Settings) -> None:
    store = Store(settings.model_copy(update={"busy_timeout": 0.1, "pool_size": 1}))
    await store.migrate()
    async with store.database.lines.borrowed():
        with pytest.raises(UpstreamUnavailable, match="too busy"):
            async with store.database.lines.borrowed():
                pass
    assert await store.read.by_ids(records.EntityRecord, [UUID(int=1)]) == [None]
    await store.close()


async def borrowed_lines(store: Store, read: Callable[[], Awaitable[object]], monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many connections other than the event loop's own a read borrows."""
    borrowed = 0

    async def take() -> Line:
        nonlocal borrowed
        borrowed += 1
        return await Lines.take(store.database.lines)

    monkeypatch.setattr(store.database.lines, "take", take)
    await read()
    return borrowed


async def test_a_read_of_few_keys_takes_no_thread_of_sqlites(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    _, entities = await filled(store)
    few = entities[:1] * 9 + [new_id() for _ in range(inline.MOST_KEYS - 1)]
    borrowed = await borrowed_lines(store, lambda: store.read.by_ids(records.EntityRecord, few), monkeypatch)
    assert borrowed == (0 if store.database.dialect == "sqlite" else 1)
    many = [*few, new_id()]
    assert await borrowed_lines(store, lambda: store.read.by_ids(records.EntityRecord, many), monkeypatch) == 1


async def test_a_read_that_is_longer_than_it_seemed_goes_on_in_a_thread(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    volume, entities = await filled(store)
    async with store.write(volume, "test") as tx:
        for n in range(500):
            tx.insert(models.Fact, subject_id=entities[0], content="x", claim_key=str(n), confidence=0.5)
    monkeypatch.setattr(inline, "_TIMES", 2)
    found: list[Any] = []

    async def sure() -> None:
        sorting, sure = Sorting(("importance",)), FactFilter(min_confidence=0.9)
        found.extend(await store.read.pages(rel.FACTS_OF_ENTITY, entities[:1], sure, first=9, sorting=sorting))

    assert await borrowed_lines(store, sure, monkeypatch) == 1
    assert [row.content for row in found[0].rows] == ["0.0", "0.2", "dated", "0.1", "0.3"]


async def test_a_read_of_a_file_that_is_locked_waits_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data=tmp_path / "data", busy_timeout=5)
    store = Store(settings)
    await store.migrate()
    await store.close()
    holder = sqlite3.connect(settings.sqlite_path, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    asyncio.get_running_loop().call_later(0.2, holder.close)
    store, found = Store(settings), []

    async def read() -> None:
        found.extend(await store.read.by_ids(records.EntityRecord, [UUID(int=1)]))

    assert await borrowed_lines(store, read, monkeypatch) == 1
    assert found == [None]
    await store.close()
