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
from schema.lists import bound, columns_of, connections, counts, cursors_of, pages
from schema.pagination import Connection, Counts, Cursors, PageInfo, page_info, totals
from schema.types.node import Node, row_id
from schema.types.project import CodeArtifact, Project
from server.ids import NodeKind
from server.store import relations as rel
from server.store.records import MemoryLinkRecord, MemoryRecord
from server.store.relations import Sorting

if TYPE_CHECKING:
    from schema.types.document import Document
    from schema.types.entity import Entity

LazyDocument = Annotated["Document", strawberry.lazy("schema.types.document")]
LazyEntity = Annotated["Entity", strawberry.lazy("schema.types.entity")]
_BY_ID = Sorting()
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
        found = await _by_id(info, [id for id in ids if id is not None], columns_of(info, ()))
        return [None if id is None else found.get(id) for id in ids]

    @batched(needs=("row.id",), description="The memories whose place it has taken, oldest first.")
    @staticmethod
    async def supersedes(parents: list[Memory], info: Info) -> list[list[Memory]]:
        keys = [m.row.id for m in parents]
        columns = columns_of(info, ())
        lists = await info.context.store.read.lists(MemoryRecord, "superseded_by_id", keys, "id", columns=columns)
        return [[Memory.of(row) for row in rows] for rows in lists]

    @batched(
        needs=("row.id",), description="The memories that it is linked to, obsolete ones left out, oldest link first."
    )
    @staticmethod
    async def links(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[MemoryLinkConnection]:
        keys, bound_to = [m.row.id for m in parents], bound("Memory.links", None)
        columns = columns_of(info, ("edges",), always=_ENDS)
        found = await pages(
            info, keys, rel.LINKS_OF_MEMORY, bound_to=bound_to, first=first, after=after, columns=columns
        )
        totals, cursors = counts(info, rel.LINKS_OF_MEMORY, keys), cursors_of(info, bound_to)
        ids = [_other(row, key) for key, page in zip(keys, found, strict=True) for row in page.rows]
        others = await _by_id(info, ids, columns_of(info, ("nodes",), ("edges", "node")))
        return [
            MemoryLinkConnection(
                edges=[
                    MemoryLinkEdge(row=row, other=others[_other(row, key)], cursors=cursors)
                    for row in page.rows
                    if _other(row, key) in others
                ],
                cursors=cursors,
                has_next=page.has_next,
                has_previous=after is not None,
                counts=totals,
                position=position,
            )
            for position, (key, page) in enumerate(zip(keys, found, strict=True))
        ]

    @batched(needs=("row.id",), description="The entities that it is about, oldest first.")
    @staticmethod
    async def entities(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[LazyEntity]]:
        from schema.types.entity import Entity

        keys = [m.row.id for m in parents]
        return await connections(
            info, "Memory.entities", keys, rel.ENTITIES_OF_MEMORY, Entity, first=first, after=after
        )

    @batched(needs=("row.id",), description="The documents that it refers to, oldest first.")
    @staticmethod
    async def documents(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[LazyDocument]]:
        from schema.types.document import Document

        keys = [m.row.id for m in parents]
        return await connections(
            info, "Memory.documents", keys, rel.DOCUMENTS_OF_MEMORY, Document, first=first, after=after
        )

    @batched(needs=("row.id",), description="The code artifacts that it refers to, oldest first.")
    @staticmethod
    async def code_artifacts(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[CodeArtifact]]:
        keys = [m.row.id for m in parents]
        return await connections(
            info, "Memory.codeArtifacts", keys, rel.CODE_ARTIFACTS_OF_MEMORY, CodeArtifact, first=first, after=after
        )

    @batched(needs=("row.id",), description="The projects that it belongs to, oldest first.")
    @staticmethod
    async def projects(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Project]]:
        keys = [m.row.id for m in parents]
        return await connections(
            info, "Memory.projects", keys, rel.PROJECTS_OF_MEMORY, Project, first=first, after=after
        )


def _other(row: MemoryLinkRecord, key: UUID) -> UUID:
    return row.right_id if row.left_id == key else row.left_id


async def _by_id(info: Info, ids: list[UUID], columns: frozenset[str] | None) -> dict[UUID, Memory]:
    rows = await info.context.store.read.by_ids(MemoryRecord, ids, columns)
    return {row.id: Memory.of(row) for row in rows if row is not None}


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
