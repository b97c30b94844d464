"""The rows of the answers by hand: one SQL statement a level, on SQLite and on PostgreSQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import orjson

__all__ = ["PostgresqlRows", "Row", "Rows", "SqliteRows"]

Row = Sequence[Any]


class Rows(Protocol):
    """A database by hand. Pages hold one row more than is asked for, to tell whether the list goes on."""

    async def entities(self, first: int) -> Sequence[Row]:
        """Return id, name and type of the first entities by name."""

    async def entity(self, id: str) -> Row:
        """Return id, name and type of one."""

    async def facts(self, parents: list[str], first: int) -> Iterable[Row]:
        """Return parent, id, content and importance of the first facts of each parent."""

    async def relationships(self, parents: list[str], first: int) -> Iterable[Row]:
        """Return parent, id, type, target and the target's name of the first relationships of each parent."""


_BELIEVED = "status IN ('CURRENT', 'DISPUTED')"


class SqliteRows:
    """SQLite by hand, in the event loop."""

    _FACTS = f"""SELECT k.value, t.id, t.content, t.importance FROM json_each(?) k CROSS JOIN fact t
        ON t.id IN (SELECT id FROM fact WHERE subject_id = k.value AND {_BELIEVED} ORDER BY id LIMIT ?)
        ORDER BY k.key, t.id"""
    _RELATIONSHIPS = f"""SELECT k.value, t.id, t.type, t.target_id, e.name FROM json_each(?) k CROSS JOIN relationship t
        ON t.id IN (SELECT id FROM relationship WHERE source_id = k.value AND {_BELIEVED} ORDER BY id LIMIT ?)
        JOIN entity e ON e.id = t.target_id ORDER BY k.key, t.id"""
    _ENTITIES = """SELECT id, name, type FROM entity WHERE volume_id = (SELECT id FROM volume WHERE name = 'default')
        ORDER BY match_key, id LIMIT ?"""

    def __init__(self, path: Path) -> None:
        self._read = sqlite3.connect(path).execute

    async def entities(self, first: int) -> Sequence[Row]:
        return self._read(self._ENTITIES, (first + 1,)).fetchall()

    async def entity(self, id: str) -> Row:
        row: Row = self._read("SELECT id, name, type FROM entity WHERE id = ?", (id,)).fetchone()
        return row

    async def facts(self, parents: list[str], first: int) -> Iterable[Row]:
        return self._read(self._FACTS, (orjson.dumps(parents).decode(), first + 1))

    async def relationships(self, parents: list[str], first: int) -> Iterable[Row]:
        return self._read(self._RELATIONSHIPS, (orjson.dumps(parents).decode(), first + 1))


class PostgresqlRows:
    """PostgreSQL by hand, by asyncpg; ids are read as text, which orjson writes as they are."""

    _EACH = "FROM unnest($1::uuid[]) WITH ORDINALITY k(id, n) CROSS JOIN LATERAL"
    _FACTS = f"""SELECT k.id::text, t.id::text, t.content, t.importance {_EACH} (SELECT id, content, importance FROM fact
        WHERE subject_id = k.id AND {_BELIEVED} ORDER BY id LIMIT $2) t ORDER BY k.n, t.id"""
    _RELATIONSHIPS = f"""SELECT k.id::text, t.id::text, t.type, t.target_id::text, e.name {_EACH} (SELECT id, type, target_id
        FROM relationship WHERE source_id = k.id AND {_BELIEVED} ORDER BY id LIMIT $2) t
        JOIN entity e ON e.id = t.target_id ORDER BY k.n, t.id"""
    _ENTITIES = """SELECT id::text, name, type FROM entity
        WHERE volume_id = (SELECT id FROM volume WHERE name = 'default') ORDER BY match_key, entity.id LIMIT $1"""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    async def entities(self, first: int) -> Sequence[Row]:
        rows: Sequence[Row] = await self._pool.fetch(self._ENTITIES, first + 1)
        return rows

    async def entity(self, id: str) -> Row:
        row: Row = await self._pool.fetchrow("SELECT id::text, name, type FROM entity WHERE id = $1", id)
        return row

    async def facts(self, parents: list[str], first: int) -> Iterable[Row]:
        rows: Iterable[Row] = await self._pool.fetch(self._FACTS, parents, first + 1)
        return rows

    async def relationships(self, parents: list[str], first: int) -> Iterable[Row]:
        rows: Iterable[Row] = await self._pool.fetch(self._RELATIONSHIPS, parents, first + 1)
        return rows
