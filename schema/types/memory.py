"""Memories and their links."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from schema.arguments import After, First
from schema.breadth import batched, computed
from schema.context import Info
from schema.lists import bound, connections, counts, keyset, pages
from schema.pagination import Connection, Counts, PageInfo, encode_cursor, page_info, totals
from schema.types.node import Node
from schema.types.project import CodeArtifact, Project
from server.ids import NodeKind, encode_id
from server.store import relations as rel
from server.store.records import MemoryLinkRecord, MemoryRecord
from server.store.relations import Sorting

if TYPE_CHECKING:
    from schema.types.document import Document
    from schema.types.entity import Entity

LazyDocument = Annotated["Document", strawberry.lazy("schema.types.document")]
LazyEntity = Annotated["Entity", strawberry.lazy("schema.types.entity")]
_BY_ID = Sorting()


@strawberry.type(description="One idea that an agent or a person noted down.")
class Memory(Node):
    id: strawberry.ID = strawberry.field(description="The memory's id.")
    title: str = strawberry.field(description="What it is about, in a few words.")
    content: str = strawberry.field(description="The idea itself.")
    context: str | None = strawberry.field(description="Why it matters and when it applies.")
    keywords: list[str] = strawberry.field(description="Words to find it by.")
    tags: list[str] = strawberry.field(description="Its tags, in the order they were given.")
    importance: int = strawberry.field(description="How much it matters: 1 to 10.")
    obsolete: bool = strawberry.field(description="Whether it no longer holds. Lists leave it out unless asked.")
    obsolete_reason: str | None = strawberry.field(description="Why it no longer holds.")
    provenance: JSON = strawberry.field(description="Where it comes from, as a JSON object.")
    version: int = strawberry.field(description="How often it was written; give it as expectedVersion of an update.")
    created_at: datetime = strawberry.field(description="When it was written.")
    updated_at: datetime = strawberry.field(description="When it last changed.")
    key: strawberry.Private[UUID]
    superseded_by_id: strawberry.Private[UUID | None]

    @staticmethod
    def of(row: MemoryRecord) -> Memory:
        return Memory(
            id=strawberry.ID(encode_id(NodeKind.MEMORY, row.id)),
            title=row.title,
            content=row.content,
            context=row.context,
            keywords=row.keywords,
            tags=row.tags,
            importance=row.importance,
            obsolete=row.obsolete,
            obsolete_reason=row.obsolete_reason,
            provenance=JSON(row.provenance),
            version=row.version,
            created_at=row.created_at,
            updated_at=row.updated_at,
            key=row.id,
            superseded_by_id=row.superseded_by_id,
        )

    @batched(description="The memory that has taken its place, if one has.")
    @staticmethod
    async def superseded_by(parents: list[Memory], info: Info) -> list[Memory | None]:
        wanted = [m.superseded_by_id for m in parents if m.superseded_by_id is not None]
        rows = await info.context.store.read.by_ids(MemoryRecord, wanted)
        found = {row.id: Memory.of(row) for row in rows if row is not None}
        return [None if m.superseded_by_id is None else found.get(m.superseded_by_id) for m in parents]

    @batched(description="The memories whose place it has taken, oldest first.")
    @staticmethod
    async def supersedes(parents: list[Memory], info: Info) -> list[list[Memory]]:
        keys = [m.key for m in parents]
        lists = await info.context.store.read.lists(MemoryRecord, "superseded_by_id", keys, "id")
        return [[Memory.of(row) for row in rows] for rows in lists]

    @batched(description="The memories that it is linked to, obsolete ones left out, oldest link first.")
    @staticmethod
    async def links(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[MemoryLinkConnection]:
        keys, bound_to = [m.key for m in parents], bound("Memory.links", None)
        found = await pages(info, keys, rel.LINKS_OF_MEMORY, bound_to=bound_to, first=first, after=after)
        totals, secret = counts(info, rel.LINKS_OF_MEMORY, keys), info.context.store.cursor_secret
        others = await linked(
            info, [_other(row, key) for key, page in zip(keys, found, strict=True) for row in page.rows]
        )

        def cursor(row: MemoryLinkRecord) -> str:
            return encode_cursor(keyset(row, _BY_ID), bound_to=bound_to, secret=secret)

        return [
            MemoryLinkConnection(
                edges=[
                    MemoryLinkEdge.of(row, others[_other(row, key)], cursor)
                    for row in page.rows
                    if _other(row, key) in others
                ],
                has_next=page.has_next,
                has_previous=after is not None,
                counts=totals,
                position=position,
            )
            for position, (key, page) in enumerate(zip(keys, found, strict=True))
        ]

    @batched(description="The entities that it is about, oldest first.")
    @staticmethod
    async def entities(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[LazyEntity]]:
        from schema.types.entity import Entity

        keys = [m.key for m in parents]
        return await connections(
            info, "Memory.entities", keys, rel.ENTITIES_OF_MEMORY, Entity.of, first=first, after=after
        )

    @batched(description="The documents that it refers to, oldest first.")
    @staticmethod
    async def documents(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[LazyDocument]]:
        from schema.types.document import Document

        keys = [m.key for m in parents]
        return await connections(
            info, "Memory.documents", keys, rel.DOCUMENTS_OF_MEMORY, Document.of, first=first, after=after
        )

    @batched(description="The code artifacts that it refers to, oldest first.")
    @staticmethod
    async def code_artifacts(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[CodeArtifact]]:
        keys = [m.key for m in parents]
        return await connections(
            info, "Memory.codeArtifacts", keys, rel.CODE_ARTIFACTS_OF_MEMORY, CodeArtifact.of, first=first, after=after
        )

    @batched(description="The projects that it belongs to, oldest first.")
    @staticmethod
    async def projects(
        parents: list[Memory], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Project]]:
        keys = [m.key for m in parents]
        return await connections(
            info, "Memory.projects", keys, rel.PROJECTS_OF_MEMORY, Project.of, first=first, after=after
        )


def _other(row: MemoryLinkRecord, key: UUID) -> UUID:
    return row.right_id if row.left_id == key else row.left_id


async def linked(info: Info, ids: list[UUID]) -> dict[UUID, Memory]:
    """Return the memories with these ids."""
    rows = await info.context.store.read.by_ids(MemoryRecord, ids)
    return {row.id: Memory.of(row) for row in rows if row is not None}


@strawberry.type(description="A memory that another one is linked to, with the link.")
class MemoryLinkEdge:
    node: Memory = strawberry.field(description="The memory at the other end.")
    type: str = strawberry.field(description="What kind of link it is; automatic ones are RELATED.")
    similarity: float | None = strawberry.field(
        description="How near the two are in meaning, at most 1; null for links by hand."
    )
    automatic: bool = strawberry.field(description="Whether the link was made when the memory was written.")
    make_cursor: strawberry.Private[Callable[[], str]]

    @staticmethod
    def of(row: MemoryLinkRecord, other: Memory, cursor: Callable[[MemoryLinkRecord], str]) -> MemoryLinkEdge:
        return MemoryLinkEdge(
            node=other,
            type=row.type,
            similarity=row.similarity,
            automatic=row.automatic,
            make_cursor=lambda: cursor(row),
        )

    @computed(description="The link's place in this list; opaque. Give it as `after`.")
    def cursor(self) -> str:
        return self.make_cursor()


@strawberry.type(description="One page of a memory's links.")
class MemoryLinkConnection:
    edges: list[MemoryLinkEdge] = strawberry.field(description="The linked memories, each with its link.")
    has_next: strawberry.Private[bool]
    has_previous: strawberry.Private[bool]
    counts: strawberry.Private[Counts]
    position: strawberry.Private[int]

    @computed(description="The linked memories.")
    def nodes(self) -> list[Memory]:
        return [edge.node for edge in self.edges]

    @computed(description="Where the page stands in the list, and the cursors to go on from.")
    def page_info(self) -> PageInfo:
        made = [edge.make_cursor for edge in self.edges]
        return page_info(lambda n: made[n](), len(made), has_next=self.has_next, has_previous=self.has_previous)

    @batched(description="How many links the memory has. Counted only when it is asked for.")
    @staticmethod
    async def total_count(parents: list[MemoryLinkConnection], info: Info) -> list[int]:
        return await totals([(parent.counts, parent.position) for parent in parents])


@strawberry.type(description="A link between two memories; it has no direction.")
class MemoryLink:
    type: str = strawberry.field(description="What kind of link it is; automatic ones are RELATED.")
    similarity: float | None = strawberry.field(
        description="How near the two are in meaning, at most 1; null for links by hand."
    )
    automatic: bool = strawberry.field(description="Whether the link was made when the memory was written.")
    memory: Memory = strawberry.field(description="One of the two: the one that was written or named first.")
    other: Memory = strawberry.field(description="The other one.")


@strawberry.type(description="A memory that is nearly the same as the one just written.")
class SimilarMemory:
    memory: Memory = strawberry.field(description="The memory that was there before.")
    similarity: float = strawberry.field(description="How near the two are in meaning, at most 1.")
