"""Reads that are prepared once: a statement's text, how its values are bound and how its columns become Python's.

SQLAlchemy makes the text; running it through SQLAlchemy each time takes ten times the CPU of the driver and the database
together, and converts row by row. Here the driver is asked directly, on the connection that SQLAlchemy's pool hands out, and
each column is converted as a whole. Listeners to `before_cursor_execute` hear of these statements as well.

The driver of PostgreSQL is asyncpg: for these reads psycopg takes 1.5 to 2.7 times the CPU (benchmarks/drivers.py). SQLite's runs in a
thread, but for small reads (server/store/inline.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from asyncpg import InterfaceError
from asyncpg.pgproto.pgproto import UUID
from sqlalchemy import CompoundSelect, Float, Select, Uuid
from sqlalchemy.engine import Connection, Dialect, Engine
from sqlalchemy.ext.asyncio import AsyncConnection

__all__ = ["Columns", "Line", "Prepared", "Statement", "fetch", "prepare"]

Columns = Sequence[Iterable[Any]]
"""The columns of an answer, each to be gone through once."""

Statement = Select[Any] | CompoundSelect[Any]
Convert = Callable[[Any], Any]


class Prepared(NamedTuple):
    """A statement for a driver: `values` in the driver's order, of which those at `places` are given by name each time."""

    text: str
    values: Sequence[Any]
    places: Sequence[tuple[int, str, Convert | None]]
    columns: Sequence[Convert | None]

    def bound(self, given: Mapping[str, Any]) -> Sequence[Any]:
        """Return the values for the driver."""
        values = [*self.values]
        for place, name, convert in self.places:
            values[place] = given[name] if convert is None else convert(given[name])
        return values

    def converted(self, rows: Sequence[Any]) -> Columns:
        """Return the columns of a driver's rows."""
        if not rows:
            return [()] * len(self.columns)
        columns = zip(*rows, strict=True)
        return [c if one is None else map(one, c) for c, one in zip(columns, self.columns, strict=True)]

    def announce(self, to: Connection | Engine) -> None:
        """Tell listeners that the statement is about to be run."""
        for listener in to.dispatch.before_cursor_execute:
            listener(to, None, self.text, (), None, False)


class Line:
    """A connection to ask, and the driver's own below it."""

    __slots__ = ("_sync", "connection", "dialect", "driver")

    def __init__(self, connection: AsyncConnection, driver: Any) -> None:
        self.connection = connection
        self.dialect = connection.dialect
        self.driver = driver
        self._sync = connection.sync_connection

    @staticmethod
    async def of(connection: AsyncConnection) -> Line:
        """Return the line of a connection."""
        return Line(connection, (await connection.get_raw_connection()).driver_connection)

    @property
    def is_dead(self) -> bool:
        """Whether the driver knows that its connection is closed."""
        return bool(self.driver.is_closed()) if self.dialect.name != "sqlite" else False

    async def ask(self, prepared: Prepared, values: Mapping[str, Any]) -> Sequence[Any]:
        """Return the driver's rows."""
        given = prepared.bound(values)
        assert self._sync is not None
        prepared.announce(self._sync)
        if self.dialect.name == "sqlite":
            rows: Sequence[Any] = await self.driver.execute_fetchall(prepared.text, given)
        else:
            rows = await self.driver.fetch(prepared.text, *given)
        return rows


async def fetch(line: Line, statement: Statement, values: Mapping[str, Any]) -> Columns:
    """Return the columns of a statement's rows, converted.

    Where the driver's connection turns out to be closed, SQLAlchemy runs the statement, so that it learns of it.
    """
    prepared = prepare(statement, line.dialect, tuple(values))
    try:
        return prepared.converted(await line.ask(prepared, values))
    except (InterfaceError, ConnectionError, ValueError):
        result = await line.connection.execute(statement, dict(values))
        return list(zip(*result, strict=True)) or [()] * len(prepared.columns)


@lru_cache(1024)
def prepare(statement: Statement, dialect: Dialect, names: tuple[str, ...]) -> Prepared:
    """Return the statement for a driver; values other than those of `names` are its own and never change."""
    known: Any = statement.params(dict.fromkeys(names))
    compiled = known.compile(dialect=dialect)
    state = compiled.construct_expanded_state()
    expanded = {new: name for name, news in state.parameter_expansion.items() for new in news}
    bind = {name: _binding(compiled.binds[expanded.get(name, name)].type, dialect) for name in state.parameters}
    values, places = [], []
    for place, name in enumerate(state.positiontup or ()):
        value, convert = state.parameters[name], bind[name]
        if name in names:
            places.append((place, name, convert))
        values.append(value if convert is None or name in names else convert(value))
    columns = [_conversion(column, dialect) for column in statement.selected_columns]
    return Prepared(state.statement, values, places, columns)


def _binding(type_: Any, dialect: Dialect) -> Convert | None:
    found: Convert | None = type_.dialect_impl(dialect).bind_processor(dialect)
    return found


def _conversion(column: Any, dialect: Dialect) -> Convert | None:
    if dialect.name == "sqlite" and type(column.type) is Uuid:
        # What PostgreSQL's driver makes: made, compared and hashed in a third of the time of Python's own.
        return _uuid_or_none if getattr(column, "nullable", True) else UUID
    if isinstance(column.type, Float):
        return None  # both drivers answer floats; SQLAlchemy would have to be told PostgreSQL's number of the type
    found: Convert | None = column.type.dialect_impl(dialect).result_processor(dialect, None)
    return found


def _uuid_or_none(text: str | None) -> UUID | None:
    return None if text is None else UUID(text)
