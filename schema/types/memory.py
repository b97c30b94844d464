"""Memories and their links."""

from __future__ import annotations

from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from schema.arguments import After, First
from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import columns_of, connections, made_of, nodes_named, pages
from schema.pagination import Connection, Counts, Cursors, PageInfo, page_info, totals
from schema.types.node import Node, row_id
from schema.types.project import CodeArtifact, Project
from server.ids import NodeKind
from server.store import relations as rel
from server.store.records import MemoryLinkRecord, MemoryRecord
from server.store.statements import Page

if TYPE_CHECKING:
    from schema.types.document import Document
    from schema.types.entity import Entity

LazyDocument = Annotated["Document", strawberry.lazy("schema.types.document")]
LazyEntity = Annotated["Entity", strawberry.lazy("schema.types.entity")]
_ENDS = frozenset({"left_id", "right_id"})


@strawberry.type(description="One idea that an agent or a person noted down.")
class Memory(Node):
    id: strawberry.ID = row_id(NodeKind.MEMORY, "The memory's id.")
    title: str = attribute("row.title", description="What it is about, in a few words.")
    content: str = attribute("row.content", description="The idea itself.")
    context: str | None = attribute("row.context", description="Why it matters and when it applies.")
    keywords: list[str] = attribute("row.keywords", description="Words to find it by.")
    tags: list[str] = attribute("row.tags", description="Its tags, in the order they were given.")
    importance: int = attribute("row.importance", description="How much it matters: 1 to 10.")
    obsolete: bool = attribute(
        "row.obsolete", description="Whether it no longer holds. Lists leave it out unless asked."
    )
    obsolete_reason: str | None = attribute("row.obsolete_reason", description="Why it no longer holds.")
    provenance: JSON = attribute("row.provenance", description="Where it comes from, as a JSON object.")
    version: int = attribute(
        "row.version", description="How often it was written; give it as expectedVersion of an update."
    )
    created_at: datetime = attribute("row.created_at", description="When it was written.")
    updated_at: datetime = attribute("row.updated_at", description="When it last changed.")
    row: strawberry.Private[MemoryRecord]

    @staticmethod
    def of(row: MemoryRecord) -> Memory:
        return Memory(row=row)

    @batched(needs=("row.superseded_by_id",), description="The memory that has taken its place, if one has.")
    @staticmethod
    async def superseded_by(parents: list[Memory], info: Info) -> list[Memory | None]:
        ids = [m.row.superseded_by_id for m in parents]
        return await nodes_named(info, Memory, MemoryRecord, ids, [m.view for m in parents], columns_of(info, ()))

    @batched(needs=("row.id",), description="The memories whose place it has taken, oldest first.")
    @staticmethod
    async def supersedes(parents: list[Memory], info: Info) -> list[list[Memory]]:
        keys = [m.row.id for m in parents]
        columns = columns_of(info, ())
        lists = await info.context.store.read.lists(MemoryRecord, "superseded_by_id", keys, "id", columns=columns)
        return [made_of(Memory, rows, m.view) for m, rows in zip(parents, lists, strict=True)]

    @batched(
        needs=("row.id",), description="The memories that it is linked to, obsolete ones left out, oldest link first."
    )
    @staticmethod
    async def links(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[MemoryLinkConnection]:
        columns = columns_of(info, ("edges",), always=_ENDS)
        level = await pages(
            info, "Memory.links", parents, rel.LINKS_OF_MEMORY, first=first, after=after, columns=columns
        )
        pairs = [(m, row) for m, page in zip(parents, level.pages, strict=True) for row in page.rows]
        ids, views = [_other(row, m.row.id) for m, row in pairs], [m.view for m, _ in pairs]
        others = await nodes_named(
            info, Memory, MemoryRecord, ids, views, columns_of(info, ("nodes",), ("edges", "node"))
        )
        found = iter(others)

        def edges(page: Page[MemoryLinkRecord], cursors: Cursors) -> list[MemoryLinkEdge]:
            known = [(row, next(found)) for row in page.rows]
            return [MemoryLinkEdge(row=row, other=m, cursors=cursors) for row, m in known if m is not None]

        return level.connections(
            MemoryLinkConnection, after, lambda position, page: {"edges": edges(page, level.cursors[position])}
        )

    @batched(needs=("row.id",), description="The entities that it is about, oldest first.")
    @staticmethod
    async def entities(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[LazyEntity]]:
        from schema.types.entity import Entity

        return await connections(
            info, "Memory.entities", parents, rel.ENTITIES_OF_MEMORY, Entity, first=first, after=after
        )

    @batched(needs=("row.id",), description="The documents that it refers to, oldest first.")
    @staticmethod
    async def documents(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[LazyDocument]]:
        from schema.types.document import Document

        return await connections(
            info, "Memory.documents", parents, rel.DOCUMENTS_OF_MEMORY, Document, first=first, after=after
        )

    @batched(needs=("row.id",), description="The code artifacts that it refers to, oldest first.")
    @staticmethod
    async def code_artifacts(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[CodeArtifact]]:
        return await connections(
            info, "Memory.codeArtifacts", parents, rel.CODE_ARTIFACTS_OF_MEMORY, CodeArtifact, first=first, after=after
        )

    @batched(needs=("row.id",), description="The projects that it belongs to, oldest first.")
    @staticmethod
    async def projects(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Project]]:
        return await connections(
            info, "Memory.projects", parents, rel.PROJECTS_OF_MEMORY, Project, first=first, after=after
        )


def _other(row: MemoryLinkRecord, key: UUID) -> UUID:
    return row.right_id if row.left_id == key else row.left_id


def _cursor(edge: MemoryLinkEdge) -> str:
    return edge.cursors.of((edge.row.id,))


@strawberry.type(description="A memory that another one is linked to, with the link.")
class MemoryLinkEdge:
    node: Memory = attribute(attrgetter("other"), needs=(), description="The memory at the other end.")
    type: str = attribute("row.type", description="What kind of link it is; automatic ones are RELATED.")
    similarity: float | None = attribute(
        "row.similarity", description="How near the two are in meaning, at most 1; null for links by hand."
    )
    automatic: bool = attribute("row.automatic", description="Whether the link was made when the memory was written.")
    row: strawberry.Private[MemoryLinkRecord]
    other: strawberry.Private[Memory]
    cursors: strawberry.Private[Cursors]
    cursor: str = attribute(
        _cursor, needs=("row.id",), description="The link's place in this list; opaque. Give it as `after`."
    )


def _linked(page: MemoryLinkConnection) -> list[Memory]:
    return [edge.other for edge in page.edges]


@strawberry.type(description="One page of a memory's links.")
class MemoryLinkConnection:
    edges: list[MemoryLinkEdge] = strawberry.field(description="The linked memories, each with its link.")
    cursors: strawberry.Private[Cursors]
    has_next: strawberry.Private[bool]
    has_previous: strawberry.Private[bool]
    counts: strawberry.Private[Counts]
    position: strawberry.Private[int]

    nodes: list[Memory] = attribute(_linked, description="The linked memories.")
    page_info: PageInfo = page_info()

    @property
    def keys(self) -> list[tuple[UUID]]:
        return [(edge.row.id,) for edge in self.edges]

    @batched(description="How many links the memory has. Counted only when it is asked for.")
    @staticmethod
    async def total_count(parents: list[MemoryLinkConnection], info: Info) -> list[int]:
        return await totals([(parent.counts, parent.position) for parent in parents])


@strawberry.type(description="A link between two memories; it has no direction.")
class MemoryLink:
    type: str = attribute("row.type", description="What kind of link it is; automatic ones are RELATED.")
    similarity: float | None = attribute(
        "row.similarity", description="How near the two are in meaning, at most 1; null for links by hand."
    )
    automatic: bool = attribute("row.automatic", description="Whether the link was made when the memory was written.")
    row: strawberry.Private[MemoryLinkRecord]
    memory: Memory = strawberry.field(description="One of the two: the one that was written or named first.")
    other: Memory = strawberry.field(description="The other one.")


@strawberry.type(description="A memory that is nearly the same as the one just written.")
class SimilarMemory:
    memory: Memory = strawberry.field(description="The memory that was there before.")
    similarity: float = strawberry.field(description="How near the two are in meaning, at most 1.")
