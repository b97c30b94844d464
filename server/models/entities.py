"""Entities, the names they go by, and where documents mention them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Index, text
from sqlmodel import Field, SQLModel

from server.models.columns import Identified, Json, SortableText, Stamped, Versioned, few, one_of, within
from server.terms import Origin

_UNMERGED = text("merged_into IS NULL")


class Entity(Identified, Versioned, table=True):
    """Something the volume knows: one row per (match key, type, sense) of those that are not merged.

    `described_by` is the document that the description comes from, NULL when a person wrote it. `type_stated` says that a
    person or the grammar stated the type; a type that was only guessed gives way to a stated one. `merged_into` is the entity
    that it counts as since a merge, through any chain; it keeps its own columns, and no list shows it.
    """

    __table_args__ = (
        Index(
            "entity_identity",
            "volume_id",
            "match_key",
            "type",
            "sense",
            unique=True,
            sqlite_where=_UNMERGED,
            postgresql_where=_UNMERGED,
        ),
        few("entity_merged", "merged_into"),
        Index("entity_by_name", "volume_id", "match_key", "id"),
        Index("entity_by_type", "volume_id", "type", "match_key", "id"),
        Index("entity_by_importance", "volume_id", "importance", "id"),
        Index("entity_by_update", "volume_id", "updated_at", "id"),
        within("confidence", 0, 1),
        within("importance", 0, 1),
        one_of("origin", Origin),
    )

    name: str
    match_key: str = Field(sa_type=SortableText)
    type: str = Field(sa_type=SortableText)
    type_stated: bool = True
    sense: str = ""
    description: str | None = None
    described_by: UUID | None = Field(default=None, foreign_key="document.id", ondelete="SET NULL", index=True)
    properties: dict[str, Any] = Field(default_factory=dict, sa_type=Json, nullable=False)
    confidence: float = 1.0
    importance: float = 0.5
    origin: str = Origin.STATED
    merged_into: UUID | None = Field(default=None, foreign_key="entity.id", ondelete="CASCADE")


class Alias(Stamped, table=True):
    """Another name of an entity; `document_id` is the document that stated it, NULL when a person did."""

    __table_args__ = (Index("alias_by_key", "volume_id", "match_key"),)

    entity_id: UUID = Field(primary_key=True, foreign_key="entity.id", ondelete="CASCADE")
    match_key: str = Field(primary_key=True, sa_type=SortableText)
    volume_id: UUID = Field(foreign_key="volume.id", ondelete="CASCADE")
    name: str
    document_id: UUID | None = Field(default=None, foreign_key="document.id", ondelete="CASCADE", index=True)


class EntityBlock(SQLModel, table=True):
    """A key under which an entity meets others that may be alike: a hash of a part of one of its names."""

    __tablename__ = "entity_block"
    __table_args__ = (Index("block_of_entity", "entity_id"),)

    volume_id: UUID = Field(primary_key=True, foreign_key="volume.id", ondelete="CASCADE")
    key: int = Field(primary_key=True, sa_type=BigInteger)
    entity_id: UUID = Field(primary_key=True, foreign_key="entity.id", ondelete="CASCADE")


class Mention(Identified, table=True):
    """A place where a document names an entity, merged since or not: [start, end) in code points of that revision's content."""

    __table_args__ = (Index("mention_of_entity", "entity_id", "chunk_id"),)

    entity_id: UUID = Field(foreign_key="entity.id", ondelete="CASCADE")
    document_id: UUID = Field(foreign_key="document.id", ondelete="CASCADE", index=True)
    chunk_id: UUID = Field(foreign_key="chunk.id", ondelete="CASCADE", index=True)
    revision: int
    start: int
    end: int
    note: str | None = None


class DocumentEntity(SQLModel, table=True):
    """SOURCE_OF: the document mentions the entity at least once. `live` is False where only earlier revisions of it did.

    `stated` is the same of the entity alone, without those that were merged into it; None: it has named only those.
    """

    __tablename__ = "document_entity"
    __table_args__ = (Index("document_of_entity", "entity_id", "document_id"),)

    document_id: UUID = Field(primary_key=True, foreign_key="document.id", ondelete="CASCADE")
    entity_id: UUID = Field(primary_key=True, foreign_key="entity.id", ondelete="CASCADE")
    live: bool = True
    stated: bool | None = True
