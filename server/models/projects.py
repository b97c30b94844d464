"""Projects, code artifacts, and what a project holds."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from server.models.columns import Identified, Json, SortableText, Versioned, one_of
from server.terms import ProjectStatus


class Project(Identified, Versioned, table=True):
    """A piece of work that memories, entities and documents belong to; its name is unique in the volume."""

    __table_args__ = (
        UniqueConstraint("volume_id", "name", name="project_name"),
        Index("project_in_volume", "volume_id", "id"),
        one_of("status", ProjectStatus),
    )

    name: str = Field(sa_type=SortableText)
    description: str | None = None
    status: str = ProjectStatus.ACTIVE


class CodeArtifact(Identified, Versioned, table=True):
    """A piece of code worth keeping."""

    __tablename__ = "code_artifact"
    __table_args__ = (Index("code_artifact_in_volume", "volume_id", "id"),)

    title: str
    language: str = Field(sa_type=SortableText)
    code: str
    description: str | None = None
    tags: list[str] = Field(default_factory=list, sa_type=Json, nullable=False)


class ProjectEntity(SQLModel, table=True):
    """The project is about the entity. Not `stated`: about one that was merged into it."""

    __tablename__ = "project_entity"
    __table_args__ = (Index("project_of_entity", "entity_id", "project_id"),)

    project_id: UUID = Field(primary_key=True, foreign_key="project.id", ondelete="CASCADE")
    entity_id: UUID = Field(primary_key=True, foreign_key="entity.id", ondelete="CASCADE")
    stated: bool = True


class ProjectDocument(SQLModel, table=True):
    """The project holds the document."""

    __tablename__ = "project_document"
    __table_args__ = (Index("project_of_document", "document_id", "project_id"),)

    project_id: UUID = Field(primary_key=True, foreign_key="project.id", ondelete="CASCADE")
    document_id: UUID = Field(primary_key=True, foreign_key="document.id", ondelete="CASCADE")
