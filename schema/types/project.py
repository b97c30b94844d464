"""Projects and code artifacts."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from schema.arguments import After, First
from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import connections
from schema.pagination import Connection
from schema.types.node import Node, row_id
from server.ids import NodeKind
from server.store import filters
from server.store import relations as rel
from server.store.records import CodeArtifactRecord, ProjectRecord
from server.terms import ProjectStatus

if TYPE_CHECKING:
    from schema.types.document import Document
    from schema.types.entity import Entity
    from schema.types.memory import Memory

LazyDocument = Annotated["Document", strawberry.lazy("schema.types.document")]
LazyEntity = Annotated["Entity", strawberry.lazy("schema.types.entity")]
LazyMemory = Annotated["Memory", strawberry.lazy("schema.types.memory")]


@strawberry.type(description="A piece of work that memories, entities and documents belong to.")
class Project(Node):
    id: strawberry.ID = row_id(NodeKind.PROJECT, "The project's id.")
    name: str = attribute("row.name", description="Its name, the only one of this name in the volume.")
    description: str | None = attribute("row.description", description="What it is about.")
    status: ProjectStatus = attribute("row.status", description="How it stands.")
    version: int = attribute(
        "row.version", description="How often it was written; give it as expectedVersion of an update."
    )
    created_at: datetime = attribute("row.created_at", description="When it was made.")
    updated_at: datetime = attribute("row.updated_at", description="When it last changed.")
    row: strawberry.Private[ProjectRecord]

    @staticmethod
    def of(row: ProjectRecord) -> Project:
        return Project(row=row)

    @batched(needs=("row.id",), description="The memories that belong to it, obsolete ones left out, oldest first.")
    @staticmethod
    async def memories(
        parents: list[Project], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[LazyMemory]]:
        from schema.types.memory import Memory

        live = filters.MemoryFilter()
        return await connections(
            info, "Project.memories", parents, rel.MEMORIES_OF_PROJECT, Memory, first=first, after=after, filter=live
        )

    @batched(needs=("row.id",), description="The entities that it is about, oldest first.")
    @staticmethod
    async def entities(
        parents: list[Project], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[LazyEntity]]:
        from schema.types.entity import Entity

        return await connections(
            info, "Project.entities", parents, rel.ENTITIES_OF_PROJECT, Entity, first=first, after=after
        )

    @batched(needs=("row.id",), description="The documents that it holds, oldest first.")
    @staticmethod
    async def documents(
        parents: list[Project], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[LazyDocument]]:
        from schema.types.document import Document

        return await connections(
            info, "Project.documents", parents, rel.DOCUMENTS_OF_PROJECT, Document, first=first, after=after
        )


@strawberry.type(description="A piece of code worth keeping.")
class CodeArtifact(Node):
    id: strawberry.ID = row_id(NodeKind.CODE_ARTIFACT, "The code artifact's id.")
    title: str = attribute("row.title", description="What it is called.")
    language: str = attribute("row.language", description="The language it is written in, in lower case.")
    code: str = attribute("row.code", description="The code itself.")
    description: str | None = attribute("row.description", description="What it does.")
    tags: list[str] = attribute("row.tags", description="Its tags, in the order they were given.")
    version: int = attribute(
        "row.version", description="How often it was written; give it as expectedVersion of an update."
    )
    created_at: datetime = attribute("row.created_at", description="When it was made.")
    updated_at: datetime = attribute("row.updated_at", description="When it last changed.")
    row: strawberry.Private[CodeArtifactRecord]

    @staticmethod
    def of(row: CodeArtifactRecord) -> CodeArtifact:
        return CodeArtifact(row=row)
