"""What is read and through which driver: the reads of three queries, as the store makes them, and connections to ask them on."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from uuid import UUID

import asyncpg
from sqlalchemy import CompoundSelect, Select

from server.store import Store
from server.store import relations as rel
from server.store.filters import EntityFilter, FactFilter, RelationshipFilter
from server.store.prepared import Columns, Prepared, prepare
from server.store.reader import Reader
from server.store.records import EntityRecord
from server.store.relations import Sorting
from server.store.selections import End
from server.terms import Direction

__all__ = ["Read", "Side", "postgresql_sides", "requests", "sqlite_sides"]

Statement = tuple[Select[Any] | CompoundSelect[Any], Mapping[str, Any]]
_TARGETS = (End("target", "target_id", frozenset({"name"})),)
_OUT = rel.RELATIONSHIPS_OF_ENTITY[Direction.OUT]


@dataclass
class Read:
    """A statement and its values, for a driver and for the store."""

    prepared: Prepared
    values: Sequence[Any]
    statement: Statement


Ask = Callable[[Read], Awaitable[Any]]


@dataclass
class Side:
    """A way to read: as many connections as ask at once, and the processes of PostgreSQL behind them."""

    name: str
    asks: list[Ask]
    backends: list[int] = field(default_factory=list)


async def requests(store: Store, first: int) -> dict[str, list[list[Read]]]:
    """Return the reads of Q1, and of Q2 and Q3 for each of the first entities by name."""
    asked: list[Statement] = []

    async def columns(statement: Select[Any] | CompoundSelect[Any], values: Mapping[str, Any]) -> Columns:
        asked.append((statement, values))
        return await store.database.columns(statement, values)

    def taken() -> list[Read]:
        dialect = store.database.engines[0].dialect
        prepared = [(prepare(s, dialect, tuple(v)), (s, v)) for s, v in asked]
        asked.clear()
        return [Read(one, one.bound(given[1]), given) for one, given in prepared]

    read = Reader(store.database.reading, store.database.dialect, columns)
    ids = await _nested(read, first)
    found = {"Q1": [taken()], "Q2": [], "Q3": []}
    for id in ids:
        await _one(read, id)
        found["Q2"].append(taken())
        await _deep(read, id)
        found["Q3"].append(taken())
    return found


async def _facts(read: Reader, parents: Sequence[UUID], first: int, *columns: str) -> None:
    await read.pages(rel.FACTS_OF_ENTITY, parents, FactFilter(), first=first, columns=frozenset(columns))


async def _targets(read: Reader, parents: Sequence[UUID], first: int) -> list[UUID]:
    pages = await read.pages(
        _OUT, parents, RelationshipFilter(), first=first, columns=frozenset({"type"}), ends=_TARGETS
    )
    rows: list[Any] = [row for page in pages for row in page.rows]
    return [row.target.id for row in rows]


async def _nested(read: Reader, first: int) -> list[UUID]:
    volume = await read.volume_named("default")
    assert volume is not None
    (page,) = await read.pages(
        rel.ENTITIES_OF_VOLUME,
        [volume.id],
        EntityFilter(),
        first=first,
        sorting=Sorting(("match_key",)),
        columns=frozenset({"name", "type"}),
    )
    ids = [row.id for row in page.rows]
    await _facts(read, ids, 5, "content", "importance")
    await _facts(read, await _targets(read, ids, 5), 3, "content")
    return ids


async def _one(read: Reader, id: UUID) -> None:
    await read.by_ids(EntityRecord, [id], frozenset({"name", "type"}))
    await _facts(read, [id], 3, "content")


async def _deep(read: Reader, id: UUID) -> None:
    await read.by_ids(EntityRecord, [id], frozenset({"name"}))
    ids = [id]
    for _ in range(4):
        ids = await _targets(read, ids, 3)
    await _facts(read, ids, 3, "content")


@asynccontextmanager
async def postgresql_sides(url: str, number: int) -> AsyncIterator[list[Side]]:
    """Open asyncpg's connections, and psycopg's where it is installed, each with one plan for a statement as the store has it."""
    async with AsyncExitStack() as stack:
        ours = Side("asyncpg", [])
        for _ in range(number):
            one = await asyncpg.connect(url, server_settings={"plan_cache_mode": "force_generic_plan"})
            stack.push_async_callback(one.close)
            ours.asks.append(_asyncpg(one))
            ours.backends.append(one.get_server_pid())
        if find_spec("psycopg") is None:
            yield [ours]
            return
        psycopg, theirs = import_module("psycopg"), Side("psycopg", [])
        for _ in range(number):
            options = "-c plan_cache_mode=force_generic_plan"
            other = await psycopg.AsyncConnection.connect(url, autocommit=True, options=options, prepare_threshold=0)
            stack.push_async_callback(other.close)
            theirs.asks.append(_psycopg(psycopg.AsyncRawCursor(other)))
            theirs.backends.append(other.info.backend_pid)
        yield [ours, theirs]


def _asyncpg(connection: Any) -> Ask:
    async def ask(read: Read) -> Any:
        return await connection.fetch(read.prepared.text, *read.values)

    return ask


def _psycopg(cursor: Any) -> Ask:
    async def ask(read: Read) -> Any:
        await cursor.execute(read.prepared.text, read.values, binary=True)
        return await cursor.fetchall()

    return ask


@asynccontextmanager
async def sqlite_sides(store: Store, number: int) -> AsyncIterator[list[Side]]:
    """Open a connection in the event loop, four in threads, and the store, which uses both."""
    async with AsyncExitStack() as stack:
        own = sqlite3.connect(store.settings.sqlite_path)
        stack.callback(own.close)
        own.execute("PRAGMA mmap_size = 268435456")

        async def in_loop(read: Read) -> Any:
            return own.execute(read.prepared.text, read.values).fetchall()

        async def as_served(read: Read) -> Any:
            return await store.database.columns(*read.statement)

        lines = [await stack.enter_async_context(store.database.lines.borrowed()) for _ in range(2)]
        drivers = [line.driver for line in lines]

        def threaded(place: int) -> Ask:
            async def ask(read: Read) -> Any:
                return await drivers[place % len(drivers)].execute_fetchall(read.prepared.text, read.values)

            return ask

        yield [
            Side("SQLite in a thread", [threaded(n) for n in range(number)]),
            Side("SQLite in the loop", [in_loop] * number),
            Side("SQLite as served", [as_served] * number),
        ]
        await asyncio.sleep(0)
