"""Mentions as a graph: which entities chunks name, and which chunks name entities, of what documents say at present.

An entity that is merged counts as the one that it is now. What only earlier revisions named is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, Select, func, select, true

from server import models
from server.store.prepared import Statement
from server.store.reader import Reader
from server.store.relations import table_of
from server.store.statements import LIMIT, PARENT, keys_table, keys_value

__all__ = ["Naming", "Titled", "chunks_naming", "named_in", "title_keys_of", "titled"]


class Naming(NamedTuple):
    """A chunk names an entity, so many times."""

    chunk: UUID
    entity: UUID
    times: int


async def named_in(read: Reader, chunks: Sequence[UUID]) -> list[Naming]:
    """Return what these chunks name, in no order. One statement."""
    if not chunks:
        return []
    rows = await read.fetch(_named_in(read.dialect), {"keys": keys_value(read.dialect, chunks)})
    return [Naming(*row) for row in rows]


async def chunks_naming(read: Reader, entities: Sequence[UUID], most: int) -> list[Naming]:
    """Return the chunks that name these entities, for each entity the oldest `most` of its own and of each that counts as it.

    Two statements.
    """
    if not entities:
        return []
    merged = await read.fetch(_members(read.dialect), {"keys": keys_value(read.dialect, entities)})
    counts_as = {id: id for id in entities} | dict(merged)
    values = {"keys": keys_value(read.dialect, list(counts_as)), "most": most}
    rows = await read.fetch(_chunks_naming(read.dialect), values)
    return [Naming(chunk, counts_as[entity], times) for chunk, entity, times in rows]


class Titled(NamedTuple):
    """A document with one of the titles that were asked for, and its first chunk."""

    title_key: str
    title: str
    chunk: UUID


async def titled(read: Reader, volume: UUID, keys: Sequence[str]) -> list[Titled]:
    """Return the documents of a volume with these title keys, oldest first. One statement for each 500 keys."""
    found: list[Titled] = []
    document, chunk = table_of(models.Document), table_of(models.Chunk)
    first = chunk.join(document, (document.c.id == chunk.c.document_id) & (document.c.revision == chunk.c.revision))
    columns = (document.c.title_key, document.c.title, chunk.c.id)
    for start in range(0, len(keys), 500):
        named = document.c.title_key.in_(list(keys[start : start + 500]))
        statement = (
            select(*columns).select_from(first).where(document.c.volume_id == volume, named, chunk.c.ordinal == 0)
        )
        found += [Titled(*row) for row in await read.rows(statement.order_by(document.c.id))]
    return found


async def title_keys_of(read: Reader, chunks: Sequence[UUID]) -> dict[UUID, str]:
    """Return the key of the title of each chunk's document. One statement."""
    if not chunks:
        return {}
    return dict(await read.fetch(_title_keys_of(read.dialect), {"keys": keys_value(read.dialect, chunks)}))


def _present(chunk: FromClause) -> tuple[FromClause, ColumnElement[bool]]:
    document = table_of(models.Document)
    return document, (document.c.id == chunk.c.document_id) & (document.c.revision == chunk.c.revision)


@cache
def _named_in(dialect: str) -> Statement:
    keys, mention, entity = keys_table(dialect), table_of(models.Mention), table_of(models.Entity)
    now = func.coalesce(entity.c.merged_into, entity.c.id, type_=entity.c.id.type)
    joined = keys.join(mention, mention.c.chunk_id == keys.c.value).join(entity, entity.c.id == mention.c.entity_id)
    statement = select(mention.c.chunk_id, now, func.count()).select_from(joined.join(*_present(mention)))
    return statement.group_by(mention.c.chunk_id, now)


@cache
def _members(dialect: str) -> Statement:
    keys, entity = keys_table(dialect), table_of(models.Entity)
    joined = keys.join(entity, entity.c.merged_into == keys.c.value)
    return select(entity.c.id, entity.c.merged_into).select_from(joined)


@cache
def _chunks_naming(dialect: str) -> Statement:
    """Return the statement for (chunk, entity, times): SQLite knows no LATERAL, so that it finds the chunks and then counts."""
    keys, mention, chunk = keys_table(dialect), table_of(models.Mention), table_of(models.Chunk)
    if dialect == "sqlite":
        own = mention.alias("own")
        found = select(own.c.chunk_id).distinct().where(own.c.entity_id == PARENT).order_by(own.c.chunk_id).limit(LIMIT)
        here = mention.alias("here")
        there = (here.c.entity_id == keys.c.value) & (here.c.chunk_id == chunk.c.id)
        times = select(func.count()).select_from(here).where(there).correlate(keys, chunk).scalar_subquery()
        joined = keys.join(chunk, chunk.c.id.in_(found))
        return select(chunk.c.id, keys.c.value, times).select_from(joined.join(*_present(chunk)))
    grouped: Select[tuple[UUID, int]] = select(mention.c.chunk_id, func.count().label("times"))
    grouped = grouped.where(mention.c.entity_id == PARENT).group_by(mention.c.chunk_id)
    few = grouped.order_by(mention.c.chunk_id).limit(LIMIT).lateral("few")
    joined = keys.join(few, true()).join(chunk, chunk.c.id == few.c.chunk_id)
    return select(chunk.c.id, keys.c.value, few.c.times).select_from(joined.join(*_present(chunk)))


@cache
def _title_keys_of(dialect: str) -> Statement:
    keys, chunk, document = keys_table(dialect), table_of(models.Chunk), table_of(models.Document)
    joined = keys.join(chunk, chunk.c.id == keys.c.value).join(document, document.c.id == chunk.c.document_id)
    return select(chunk.c.id, document.c.title_key).select_from(joined)
