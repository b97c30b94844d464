"""SQLite's driver for SQLAlchemy, with one step to the connection's thread and back for each statement.

SQLAlchemy's own adapter of aiosqlite takes four: it opens a cursor, executes, fetches and closes, and each step wakes the thread
and then the event loop. That cost more than the statements themselves. Statements here never stream: their rows are fetched
in the step that runs them.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import aiosqlite
from sqlalchemy.dialects.sqlite.aiosqlite import (
    AsyncAdapt_aiosqlite_connection,
    AsyncAdapt_aiosqlite_cursor,
    AsyncAdapt_aiosqlite_dbapi,
)
from sqlalchemy.util.concurrency import await_

__all__ = ["driver"]


class _Outcome(NamedTuple):
    rows: Sequence[Any]
    description: Any
    rowcount: int
    lastrowid: int


_NOTHING = _Outcome((), None, -1, 0)


def _run(connection: sqlite3.Connection, many: bool, operation: str, parameters: Any) -> _Outcome:
    cursor = connection.cursor()
    try:
        if many:
            cursor.executemany(operation, parameters)
        elif parameters is None:
            cursor.execute(operation)
        else:
            cursor.execute(operation, parameters)
        rows = () if cursor.description is None else cursor.fetchall()
        return _Outcome(rows, cursor.description, cursor.rowcount, cursor.lastrowid or 0)
    finally:
        cursor.close()


class _Cursor(AsyncAdapt_aiosqlite_cursor):
    """A cursor of one statement at a time, which has no counterpart in the thread between statements."""

    __slots__ = ("_outcome",)
    _awaitable_cursor_close = False

    def __init__(self, adapt_connection: Any) -> None:
        self._adapt_connection = adapt_connection
        self._connection = adapt_connection._connection
        self._outcome = _NOTHING
        self._rows = deque()

    async def _execute_async(self, operation: Any, parameters: Any) -> Any:
        await self._step(False, operation, parameters)

    async def _executemany_async(self, operation: Any, seq_of_parameters: Any) -> Any:
        await self._step(True, operation, seq_of_parameters)

    async def _step(self, many: bool, operation: str, parameters: Any) -> None:
        inner: Any = self._connection
        async with self._adapt_connection._execute_mutex:
            self._outcome = await inner._execute(_run, inner._conn, many, operation, parameters)
        self._rows = deque(self._outcome.rows)

    @property
    def description(self) -> Any:
        return self._outcome.description

    @property
    def rowcount(self) -> int:
        return self._outcome.rowcount

    @property
    def lastrowid(self) -> int:
        return self._outcome.lastrowid

    async def _async_soft_close(self) -> None:
        return None

    def close(self) -> None:
        self._rows.clear()


class _Connection(AsyncAdapt_aiosqlite_connection):
    __slots__ = ()
    _cursor_cls = _Cursor


class _Driver(AsyncAdapt_aiosqlite_dbapi):
    def connect(self, *arg: Any, **kw: Any) -> AsyncAdapt_aiosqlite_connection:
        connection = aiosqlite.connect(*arg, **kw)
        connection._thread.daemon = True
        opened: Any = await_(connection)
        return _Connection(self, opened)


def driver() -> AsyncAdapt_aiosqlite_dbapi:
    """Return the module that an engine takes as its DBAPI."""
    return _Driver(aiosqlite, sqlite3)
