"""Small reads of SQLite in the event loop.

A step to a thread and back costs 70 microseconds of CPU, three times the read of an entity and its facts. So a read of few keys
runs where it was asked for, on a connection of its own that waits for nothing. One that turns out to be long is given up and left to a
thread, so that the loop never stands still for longer than a millisecond. A read holds no transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy.engine import Engine

from server.store.prepared import Columns, Statement, prepare

__all__ = ["Inline"]

MOST_KEYS = 32
_LONGEST = MOST_KEYS * len('"0123456789abcdef0123456789abcdef",') + 1
# SQLite does some 16 of its operations in a microsecond; it is asked after each so many whether to go on, so many times.
_OPERATIONS, _TIMES = 1_000, 16
_FEW = 16
_LEFT = (sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class Inline:
    """The connection of the event loop, opened by `connect` when it is first asked."""

    def __init__(self, engine: Engine, connect: Callable[[], sqlite3.Connection]) -> None:
        self._engine = engine
        self._connect = connect
        self._connection: sqlite3.Connection | None = None
        self._times = 0
        self.was_small = True
        """Whether the last read was so small that nothing of length can follow from it."""

    def columns(self, statement: Statement, values: Mapping[str, Any]) -> Columns | None:
        """Return the columns of a statement's rows, or None where it has many keys, takes long or would have to wait."""
        if len(values.get("keys", "")) > _LONGEST:
            return None
        prepared = prepare(statement, self._engine.dialect, tuple(values))
        try:
            connection = self._connection or self._opened()
            self._times = _TIMES
            rows = connection.execute(prepared.text, prepared.bound(values)).fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF in _LEFT:
                return None
            raise
        prepared.announce(self._engine)
        self.was_small = len(rows) <= _FEW and self._times >= _TIMES - 1
        return prepared.converted(rows)

    def _opened(self) -> sqlite3.Connection:
        self._connection = self._connect()
        self._connection.set_progress_handler(self._has_enough, _OPERATIONS)
        return self._connection

    def _has_enough(self) -> bool:
        self._times -= 1
        return self._times < 0

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
