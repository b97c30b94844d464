"""Reads that are prepared once: a statement's text, how its values are bound and how its columns become Python's.

SQLAlchemy makes the text; running it through SQLAlchemy each time takes ten times the CPU of the driver and the database
together, and converts row by row. Here the driver is asked directly, on the connection that SQLAlchemy's pool hands out, and
each column is converted as a whole. Listeners to `before_cursor_execute` hear of these statements as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID, SafeUUID

from asyncpg import InterfaceError
from sqlalchemy import Float, Select, Uuid
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.asyncio import AsyncConnection

__all__ = ["Line", "fetch"]

Convert = Callable[[Any], Any]
_new, _set, _UNKNOWN = object.__new__, object.__setattr__, SafeUUID.unknown


class _Prepared(NamedTuple):
    """A statement for a driver: `places` are the names of its values in order, `fixed` those that never change."""

    text: str
    places: tuple[str, ...]
    fixed: Mapping[str, Any]
    bind: Mapping[str, Convert | None]
    columns: tuple[Convert | None, ...]


class Line:
    """A connection to ask, and the driver's own below it."""

    __slots__ = ("connection", "driver")

    def __init__(self, connection: AsyncConnection, driver: Any) -> None:
        self.connection = connection
        self.driver = driver

    @staticmethod
    async def of(connection: AsyncConnection) -> Line:
        """Return the line of a connection."""
        return Line(connection, (await connection.get_raw_connection()).driver_connection)

    @property
    def is_dead(self) -> bool:
        """Whether the driver knows that its connection is closed."""
        return bool(self.driver.is_closed()) if self.connection.dialect.name != "sqlite" else False


async def fetch(line: Line, statement: Select[Any], values: Mapping[str, Any]) -> Sequence[Any]:
    """Return the rows of a statement, converted, as tuples.

    Where the driver's connection turns out to be closed, SQLAlchemy runs the statement, so that it learns of it.
    """
    connection = line.connection
    prepared = _prepare(statement, connection.dialect, tuple(values))
    given = [_bound(prepared, name, values) for name in prepared.places]
    _announce(connection, prepared.text)
    try:
        rows = await _ask(line.driver, connection.dialect.name, prepared.text, given)
    except (InterfaceError, ConnectionError, ValueError):
        result = await connection.execute(statement, dict(values))
        return [tuple(row) for row in result]
    return _converted(rows, prepared.columns)


async def _ask(driver: Any, dialect: str, text: str, values: Sequence[Any]) -> Sequence[Any]:
    if dialect == "sqlite":
        rows: Sequence[Any] = await driver.execute_fetchall(text, values)
        return rows
    found: Sequence[Any] = await driver.fetch(text, *values)
    return found


def _bound(prepared: _Prepared, name: str, values: Mapping[str, Any]) -> Any:
    value = values[name] if name in values else prepared.fixed[name]
    convert = prepared.bind[name]
    return convert(value) if convert is not None else value


def _announce(connection: AsyncConnection, text: str) -> None:
    sync = connection.sync_connection
    assert sync is not None
    for listener in sync.dispatch.before_cursor_execute:
        listener(sync, None, text, (), None, False)


def _converted(rows: Sequence[Any], convert: Sequence[Convert | None]) -> Sequence[Any]:
    if not rows:
        return rows
    columns = zip(*rows, strict=True)
    return list(zip(*(c if one is None else map(one, c) for c, one in zip(columns, convert, strict=True)), strict=True))


@lru_cache(1024)
def _prepare(statement: Select[Any], dialect: Dialect, names: tuple[str, ...]) -> _Prepared:
    """Return the statement for a driver; values other than those of `names` are its own and never change."""
    known: Any = statement.params(dict.fromkeys(names))
    compiled = known.compile(dialect=dialect)
    state = compiled.construct_expanded_state()
    expanded = {new: name for name, news in state.parameter_expansion.items() for new in news}
    places = tuple(state.positiontup or ())
    bind = {name: _binding(compiled.binds[expanded.get(name, name)].type, dialect) for name in places}
    columns = tuple(_conversion(column.type, dialect) for column in statement.selected_columns)
    return _Prepared(state.statement, places, dict(state.parameters), bind, columns)


def _binding(type_: Any, dialect: Dialect) -> Convert | None:
    found: Convert | None = type_.dialect_impl(dialect).bind_processor(dialect)
    return found


def _conversion(type_: Any, dialect: Dialect) -> Convert | None:
    if dialect.name == "sqlite" and type(type_) is Uuid:
        return _uuid
    if isinstance(type_, Float):
        return None  # both drivers answer floats; SQLAlchemy would have to be told PostgreSQL's number of the type
    found: Convert | None = type_.dialect_impl(dialect).result_processor(dialect, None)
    return found


def _uuid(text: str | None) -> UUID | None:
    """Return what UUID(hex=text) does, without looking for other spellings of it: a third of the time."""
    if text is None:
        return None
    made = _new(UUID)
    _set(made, "int", int(text, 16))
    _set(made, "is_safe", _UNKNOWN)
    return made
