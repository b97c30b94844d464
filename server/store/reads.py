"""How the store is asked: one statement, on a short connection of its own, or on a transaction's.

What is asked is the modules' that are made into a Reader (server/store/reader.py).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType
from typing import Any
from uuid import UUID

from sqlalchemy import Executable
from sqlalchemy.ext.asyncio import AsyncConnection

from server.store.prepared import Columns, Line, Statement, fetch
from server.store.statements import keys_value

__all__ = ["Connect", "Fetch", "Reads"]

Fetch = Callable[[Statement, Mapping[str, Any]], Awaitable[Columns]]
Connect = Callable[[], AbstractAsyncContextManager[AsyncConnection]]


class Reads:
    """Statements of one database. `dialect` is "sqlite" or "postgresql"; `columns` makes prepared reads, else `connect`'s connections do."""

    def __init__(self, connect: Connect, dialect: str, columns: Fetch | None = None) -> None:
        self._connect = connect
        self._columns = columns or self._own_columns
        self.dialect = dialect

    async def _own_columns(self, statement: Statement, values: Mapping[str, Any]) -> Columns:
        async with self._connect() as connection:
            return await fetch(await Line.of(connection), statement, values)

    async def rows(self, statement: Executable, values: Mapping[str, Any] | None = None) -> Sequence[Any]:
        """Return all rows of a statement."""
        async with self._connect() as connection:
            result = await connection.execute(statement, values or {})
            return result.all()

    async def fetch(self, statement: Statement, values: Mapping[str, Any]) -> Iterable[Any]:
        """Return all rows of a statement that was made once and for all, as tuples."""
        return zip(*await self._columns(statement, values), strict=True)

    async def _by_keys(self, statement: Executable, keys: Sequence[UUID]) -> Sequence[Any]:
        return await self.rows(statement, {"keys": keys_value(self.dialect, keys)})

    async def _of_keys(
        self, statement: Statement, keys: Sequence[UUID], values: Mapping[str, Any] = MappingProxyType({})
    ) -> Iterable[Any]:
        return await self.fetch(statement, {"keys": keys_value(self.dialect, keys), **values})
