"""Atomic memories, their undirected links, and what they are attached to."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from server.models.columns import Identified, Json, SortableText, Stamped, Versioned, within


class Memory(Identified, Versioned, table=True):
    """One idea that an agent or a person noted down."""

    __table_args__ = (
        Index("memory_in_volume", "volume_id", "id"),
        Index("memory_by_importance", "volume_id", "importance", "id"),
        Index("memory_by_update", "volume_id", "updated_at", "id"),
        within("importance", 1, 10),
        CheckConstraint("superseded_by_id <> id", name="not_by_itself"),
    )

    title: str
    content: str
    context: str | None = None
    keywords: list[str] = Field(default_factory=list, sa_type=Json, nullable=False)
    tags: list[str] = Field(default_factory=list, sa_type=Json, nullable=False)
    importance: int = 5
    obsolete: bool = False
    obsolete_reason: str | None = None
    superseded_by_id: UUID | None = Field(default=None, foreign_key="memory.id", ondelete="SET NULL", index=True)
    provenance: dict[str, Any] = Field(default_factory=dict, sa_type=Json, nullable=False)


class MemoryLink(Identified, Stamped, table=True):
    """An undirected link; the smaller id stands left, so a pair has one row per type."""

    __tablename__ = "memory_link"
    __table_args__ = (
        UniqueConstraint("left_id", "right_id", "type", name="memory_link_pair"),
        CheckConstraint("left_id < right_id", name="ordered_pair"),
        Index("memory_link_right", "right_id", "id"),
        Index("memory_link_left", "left_id", "id"),
    )

    left_id: UUID = Field(foreign_key="memory.id", ondelete="CASCADE")
    right_id: UUID = Field(foreign_key="memory.id", ondelete="CASCADE")
    type: str
    similarity: float | None = None
    automatic: bool = False


class MemoryTag(SQLModel, table=True):
    """A tag of a memory, for filtering; Memory.tags keeps their order."""

    __tablename__ = "memory_tag"
    __table_args__ = (Index("memory_tag_in_volume", "volume_id", "tag", "memory_id"),)

    memory_id: UUID = Field(primary_key=True, foreign_key="memory.id", ondelete="CASCADE")
    tag: str = Field(primary_key=True, sa_type=SortableText)
    volume_id: UUID = Field(foreign_key="volume.id", ondelete="CASCADE")


class MemoryEntity(SQLModel, table=True):
    """The memory is about the entity. Not `stated`: about one that was merged into it."""

    __tablename__ = "memory_entity"
    __table_args__ = (Index("memory_of_entity", "entity_id", "memory_id"),)

    memory_id: UUID = Field(primary_key=True, foreign_key="memory.id", ondelete="CASCADE")
    entity_id: UUID = Field(primary_key=True, foreign_key="entity.id", ondelete="CASCADE")
    stated: bool = True


class MemoryDocument(SQLModel, table=True):
    """The memory refers to the document."""

    __tablename__ = "memory_document"
    __table_args__ = (Index("memory_of_document", "document_id", "memory_id"),)

    memory_id: UUID = Field(primary_key=True, foreign_key="memory.id", ondelete="CASCADE")
    document_id: UUID = Field(primary_key=True, foreign_key="document.id", ondelete="CASCADE")


class MemoryCodeArtifact(SQLModel, table=True):
    """The memory refers to the code artifact."""

    __tablename__ = "memory_code_artifact"
    __table_args__ = (Index("memory_of_code_artifact", "code_artifact_id", "memory_id"),)

    memory_id: UUID = Field(primary_key=True, foreign_key="memory.id", ondelete="CASCADE")
    code_artifact_id: UUID = Field(primary_key=True, foreign_key="code_artifact.id", ondelete="CASCADE")


class MemoryProject(SQLModel, table=True):
    """The memory belongs to the project."""

    __tablename__ = "memory_project"
    __table_args__ = (Index("memory_of_project", "project_id", "memory_id"),)

    memory_id: UUID = Field(primary_key=True, foreign_key="memory.id", ondelete="CASCADE")
    project_id: UUID = Field(primary_key=True, foreign_key="project.id", ondelete="CASCADE")
