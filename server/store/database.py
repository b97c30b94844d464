"""The connection to the database: engines for reading and for writing, on SQLite and PostgreSQL.

A read is a statement on a connection of its own, outside any transaction; reads and writes have connections apart, so
that no read waits behind writers that wait for each other. A write transaction is BEGIN IMMEDIATE on SQLite, where one
writer at a time waits for the busy timeout, and an ordinary transaction on PostgreSQL, where the same timeout bounds
each wait for a lock.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import Any

import orjson
from asyncpg import InternalClientError, PostgresError
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InterfaceError, MissingGreenlet, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from server.config import Settings
from server.errors import Busy
from server.store.driver import driver
from server.store.inline import Inline
from server.store.lines import Lines
from server.store.prepared import Columns, Statement, fetch
from server.store.turns import Turns

# A transaction that its process has left open this long is given up: a machine that vanished must not keep a lock.
_ABANDONED_MS = 60_000
# SQLSTATE classes and codes of PostgreSQL that say "not now": connection lost, no resources, shut down or starting,
# deadlock or serialization failure, lock timeout, abandoned transaction.
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_NOT_NOW = ("08", "53", "57P", "40", "55P03", "25P03")

# A connection for reads holds no transaction, so none has to be rolled back when it goes back to its pool.
_READING: dict[str, Any] = {"isolation_level": "AUTOCOMMIT", "skip_autocommit_rollback": True}
# PostgreSQL plans a prepared read once for a connection, whatever is bound. Left to itself it keeps planning reads of relationships
# anew, which takes longer than to answer them for one parent, and for many parents ends in plans that read whole tables.
_ONE_PLAN = MappingProxyType({"plan_cache_mode": "force_generic_plan"})


def _dumps(value: Any) -> str:
    return orjson.dumps(value, default=str).decode()


def _open_sqlite(connection: Any, _record: Any, *, busy_ms: int) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        "journal_mode = WAL",
        "foreign_keys = ON",
        f"busy_timeout = {busy_ms}",
        "secure_delete = ON",
        "synchronous = NORMAL",
        "cache_size = -16384",
        "temp_store = MEMORY",
        "mmap_size = 268435456",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _connect_sqlite(engine: AsyncEngine, url: str) -> sqlite3.Connection:
    """Return a connection of the event loop's own, which does not wait for anybody."""
    arguments, options = engine.dialect.create_connect_args(make_url(url))
    connect: Any = sqlite3.connect
    connection: sqlite3.Connection = connect(*arguments, **options, timeout=0)
    try:
        _open_sqlite(connection, None, busy_ms=0)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _end_transaction(connection: Any, _record: Any, _error: BaseException | None) -> None:
    """Roll back before a connection is closed because its task was cancelled.

    SQLite keeps a closed connection, and its lock, for as long as a statement of it is anywhere in memory.
    """
    with suppress(MissingGreenlet, DBAPIError, sqlite3.Error, ValueError):
        connection.rollback()


def insert_of(dialect: str) -> Callable[[Any], Any]:
    """Return a dialect's own insert, which can pass over rows that are there."""
    return sqlite.insert if dialect == "sqlite" else postgresql.insert


class Database:
    """The two engines of a process. `dialect` is "sqlite" or "postgresql"."""

    def __init__(self, settings: Settings) -> None:
        url = settings.database_url or f"sqlite+aiosqlite:///{settings.sqlite_path}"
        self.dialect = make_url(url).get_backend_name()
        self.busy_timeout = settings.busy_timeout
        self._fsync = settings.fsync
        self._inline: Inline | None = None
        self._turns = Turns()
        options: dict[str, Any] = {"json_serializer": _dumps, "json_deserializer": orjson.loads}
        if self.dialect == "sqlite":
            settings.data.mkdir(parents=True, exist_ok=True)
            self._writer = self._sqlite(url, settings, pool_size=1, **options)
            lines = min(settings.pool_size, 4)
            self._reader = self._sqlite(url, settings, pool_size=2 * lines, **_READING, **options)
            self._inline = Inline(self._reader.sync_engine, partial(_connect_sqlite, self._reader, url))
            event.listen(self._writer.sync_engine, "begin", lambda c: c.exec_driver_sql("BEGIN IMMEDIATE"))
            event.listen(self._writer.sync_engine.pool, "invalidate", _end_transaction)
        else:
            writers = max(1, settings.pool_size // 2)
            self._writer = self._postgresql(url, settings, pool_size=writers, **options)
            readers = max(2, settings.pool_size - writers)
            lines = (readers + 1) // 2
            self._reader = self._postgresql(url, settings, planning=_ONE_PLAN, pool_size=readers, **_READING, **options)
        self.lines = Lines(self._reader, lines, settings.busy_timeout)

    @staticmethod
    def _postgresql(
        url: str, settings: Settings, planning: Mapping[str, str] = MappingProxyType({}), **options: Any
    ) -> AsyncEngine:
        limits = {
            "lock_timeout": str(int(settings.busy_timeout * 1000)),
            "idle_in_transaction_session_timeout": str(_ABANDONED_MS),
            **planning,
        }
        return create_async_engine(
            url,
            max_overflow=0,
            pool_timeout=settings.busy_timeout,
            connect_args={"server_settings": limits},
            **options,
        )

    @staticmethod
    def _sqlite(url: str, settings: Settings, *, pool_size: int, **options: Any) -> AsyncEngine:
        engine = create_async_engine(
            url,
            module=driver(),
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=settings.busy_timeout,
            connect_args={"timeout": settings.busy_timeout},
            **options,
        )
        busy_ms = int(settings.busy_timeout * 1000)
        event.listen(engine.sync_engine, "connect", lambda c, r: _open_sqlite(c, r, busy_ms=busy_ms))
        return engine

    @property
    def insert(self) -> Callable[[Any], Any]:
        """The dialect's own insert, which can pass over rows that are there."""
        return insert_of(self.dialect)

    @property
    def engines(self) -> tuple[AsyncEngine, AsyncEngine]:
        """The reading and the writing engine, for those who count statements."""
        return self._reader, self._writer

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Open a connection for reads; each statement sees what was committed when it began."""
        with translated():
            async with self._reader.connect() as connection:
                yield connection

    async def columns(self, statement: Statement, values: Mapping[str, Any]) -> Columns:
        """Return the columns of a prepared read; it sees what was committed when it began."""
        with translated():
            found = None
            if self._inline is not None:
                found = self._inline.columns(statement, values)
                if found is not None and self._inline.was_small:
                    return found
            if found is None:
                async with self.lines.borrowed() as line:
                    found = await fetch(line, statement, values)
        await self._turns.take()
        return found

    @asynccontextmanager
    async def writing(self, *, lasting: bool = True, rebuilding: bool = False) -> AsyncIterator[AsyncConnection]:
        """Open a write transaction; it commits when the block ends and rolls back when it raises.

        On SQLite the commit waits for the disk, so that a power cut takes nothing that was answered; not so if it need not be
        `lasting`: what is worked out again by itself, leases and progress. `rebuilding` is for migrations: SQLite drops
        and makes anew a table whose columns change, and must not take that for the deletion of its rows.
        """
        with translated():
            async with self._writer.connect() as connection:
                if self.dialect == "sqlite":
                    await _synchronize(connection, lasting and self._fsync)
                async with _unreferenced(connection, rebuilding), connection.begin():
                    yield connection

    async def close(self) -> None:
        """Close all connections."""
        if self._inline is not None:
            self._inline.close()
        await self.lines.close()
        await self._reader.dispose()
        await self._writer.dispose()


async def _synchronize(connection: AsyncConnection, full: bool) -> None:
    """Have SQLite wait for the disk at commits, or not; it can be told so only outside a transaction."""
    if connection.info.get("full", False) != full:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        await driver.execute_fetchall("PRAGMA synchronous = FULL" if full else "PRAGMA synchronous = NORMAL")
        connection.info["full"] = full


@asynccontextmanager
async def _unreferenced(connection: AsyncConnection, rebuilding: bool) -> AsyncIterator[None]:
    """Have SQLite follow no foreign keys for the transaction inside; it can be told so only before one begins."""
    if not rebuilding or connection.dialect.name != "sqlite":
        yield
        return
    driver: Any = (await connection.get_raw_connection()).driver_connection
    await driver.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        await driver.execute("PRAGMA foreign_keys = ON")


class translated:  # noqa: N801  used like contextlib's, but a generator would cost what a small read does
    """Turn "the database does not answer" into Busy; a broken statement stays what it is: a defect."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        said = None if error is None else _said(error)
        if said is not None:
            raise Busy(f"The database {said}") from error


def _said(error: BaseException) -> str | None:
    """Return what is wrong with the database, or None where the error is another's."""
    match error:
        case PoolTimeout():
            return "is too busy. Try again in a moment."
        case DBAPIError():
            busy = unavailable(error)
        case sqlite3.OperationalError():
            busy = error.sqlite_errorcode & 0xFF in _BUSY
        case PostgresError():  # while connecting or in a prepared read, where SQLAlchemy does not wrap them
            busy = _not_now(error)
        case InternalClientError():  # PostgreSQL has just said that it ends the connection
            return "does not answer. Try again in a moment."
        case ConnectionError():
            return "cannot be reached. Check LOREGRAPH_DATABASE_URL."
        case _:
            return None
    return "does not answer or is too busy. Try again in a moment." if busy else None


def unavailable(error: DBAPIError) -> bool:
    """Return whether the database failed to answer, as opposed to refusing a statement."""
    if isinstance(error.orig, sqlite3.OperationalError):
        return error.orig.sqlite_errorcode & 0xFF in _BUSY
    if error.connection_invalidated or isinstance(error, InterfaceError | OperationalError):
        return True
    return _not_now(error.orig)


def _not_now(error: BaseException | None) -> bool:
    """Return whether PostgreSQL might well do later what it did not do now."""
    return str(getattr(error, "sqlstate", None) or "").startswith(_NOT_NOW)
