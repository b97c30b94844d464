"""Documents, their chunks and their ingestions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from schema.arguments import After, First
from schema.breadth import batched
from schema.context import Info
from schema.lists import connections
from schema.pagination import Connection
from schema.types.fact import Fact, gone
from schema.types.memory import Memory
from schema.types.node import Node
from schema.types.project import Project
from schema.types.relationship import Relationship
from server.ids import NodeKind, encode_id
from server.store import filters
from server.store import relations as rel
from server.store.jobs import dead_jobs
from server.store.records import (
    ChunkRecord,
    CopyRecord,
    DeadJobRecord,
    DocumentRecord,
    IngestionRecord,
    RejectionRecord,
)
from server.terms import Authority, IngestionStatus, JobKind

if TYPE_CHECKING:
    from schema.types.entity import Entity

Revision = Annotated[
    int | None, strawberry.argument(description="The number of a revision, from 1 on; left out: the current one.")
]
LazyEntity = Annotated["Entity", strawberry.lazy("schema.types.entity")]

_PLACES = rel.Sorting(("ordinal",))


@strawberry.type(description="A text that was given to the volume.")
class Document(Node):
    id: strawberry.ID = strawberry.field(description="The document's id.")
    title: str = strawberry.field(description="Its title; it counts as a mention of the entity that it names.")
    mime_type: str = strawberry.field(description="The type of the file, as its content tells it.")
    uri: str | None = strawberry.field(description="Where it comes from.")
    authority: Authority = strawberry.field(description="How authoritative it is; its evidence has that authority.")
    content_hash: str = strawberry.field(description="The SHA-256 of its content in UTF-8, in hexadecimal.")
    revision: int = strawberry.field(
        description="The number of its current revision: one more for each change of its text."
    )
    created_at: datetime = strawberry.field(description="When it was given.")
    key: strawberry.Private[UUID]

    @staticmethod
    def of(row: DocumentRecord) -> Document:
        return Document(
            id=strawberry.ID(encode_id(NodeKind.DOCUMENT, row.id)),
            title=row.title,
            mime_type=row.mime_type,
            uri=row.uri,
            authority=Authority(row.authority),
            content_hash=row.content_hash,
            revision=row.revision,
            created_at=row.created_at,
            key=row.id,
        )

    @batched(
        description="Its text, verbatim; that of the current revision, or of the one named. Null where there is none of that "
        "number. Spans of evidence and chunks count its code points."
    )
    @staticmethod
    async def content(parents: list[Document], info: Info, revision: Revision = None) -> list[str | None]:
        wanted = [(d.key, d.revision if revision is None else revision) for d in parents]
        return await info.context.store.read.contents(wanted)

    @batched(
        description="The uris of other sources that gave the same content. When this one's changes, they become a document of their own."
    )
    @staticmethod
    async def other_uris(parents: list[Document], info: Info) -> list[list[str]]:
        keys = [d.key for d in parents]
        lists = await info.context.store.read.lists(CopyRecord, "document_id", keys, "id")
        return [[copy.uri for copy in copies if copy.uri is not None] for copies in lists]

    @batched(description="The run of the extraction pipeline over it, the latest if there were several.")
    @staticmethod
    async def ingestion(parents: list[Document], info: Info) -> list[Ingestion | None]:
        keys = [d.key for d in parents]
        lists = await info.context.store.read.lists(IngestionRecord, "document_id", keys, "id")
        return [Ingestion.of(rows[-1]) if rows else None for rows in lists]

    @batched(description="The entities that it mentions, as it was read last, oldest first.")
    @staticmethod
    async def entities(
        parents: list[Document], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[LazyEntity]]:
        from schema.types.entity import Entity

        keys = [d.key for d in parents]
        return await connections(
            info, "Document.entities", keys, rel.ENTITIES_OF_DOCUMENT, Entity.of, first=first, after=after
        )

    @batched(description="The facts that rest on it, oldest first.")
    @staticmethod
    async def facts(
        parents: list[Document], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Fact]]:
        keys, seen = [d.key for d in parents], filters.FactFilter()
        return await connections(
            info, "Document.facts", keys, rel.FACTS_OF_DOCUMENT, Fact.of, first=first, after=after, filter=seen
        )

    @batched(description="The relationships that rest on it, oldest first.")
    @staticmethod
    async def relationships(
        parents: list[Document], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Relationship]]:
        keys, seen = [d.key for d in parents], filters.RelationshipFilter()
        return await connections(
            info,
            "Document.relationships",
            keys,
            rel.RELATIONSHIPS_OF_DOCUMENT,
            Relationship.of,
            first=first,
            after=after,
            filter=seen,
        )

    @batched(description="The memories that refer to it, obsolete ones left out, oldest first.")
    @staticmethod
    async def memories(
        parents: list[Document], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Memory]]:
        keys, live = [d.key for d in parents], filters.MemoryFilter()
        return await connections(
            info, "Document.memories", keys, rel.MEMORIES_OF_DOCUMENT, Memory.of, first=first, after=after, filter=live
        )

    @batched(description="The projects that hold it, oldest first.")
    @staticmethod
    async def projects(
        parents: list[Document], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Project]]:
        keys = [d.key for d in parents]
        return await connections(
            info, "Document.projects", keys, rel.PROJECTS_OF_DOCUMENT, Project.of, first=first, after=after
        )

    @batched(
        description="The stretches of it that were read as a whole, in their order; of the revision that was read last."
    )
    @staticmethod
    async def chunks(
        parents: list[Document], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Chunk]]:
        keys = [d.key for d in parents]
        return await connections(
            info, "Document.chunks", keys, rel.CHUNKS_OF_DOCUMENT, Chunk.of, first=first, after=after, sorting=_PLACES
        )


async def documents_by_id(info: Info, ids: list[UUID]) -> list[Document | Exception]:
    """Return the documents with these ids; one that was deleted while the query ran is an error in its place."""
    rows = await info.context.store.read.by_ids(DocumentRecord, ids)
    found = {row.id: Document.of(row) for row in rows if row is not None}
    return [found.get(id) or gone("document") for id in ids]


@strawberry.type(description="A stretch of a document that was read as a whole.")
class Chunk(Node):
    id: strawberry.ID = strawberry.field(description="The chunk's id.")
    text: str = strawberry.field(description="Its text: the document's content from `start` to `end`.")
    start: int = strawberry.field(description="Where it begins in the document's content, in code points.")
    end: int = strawberry.field(description="Where it ends, itself excluded.")
    document_id: strawberry.Private[UUID]

    @staticmethod
    def of(row: ChunkRecord) -> Chunk:
        return Chunk(
            id=strawberry.ID(encode_id(NodeKind.CHUNK, row.id)),
            text=row.text,
            start=row.start,
            end=row.end,
            document_id=row.document_id,
        )

    @batched(description="The document that it is a part of.")
    @staticmethod
    async def document(parents: list[Chunk], info: Info) -> list[Document | Exception]:
        return await documents_by_id(info, [chunk.document_id for chunk in parents])


@strawberry.type(description="Something that the extractor returned and the checks refused.")
class RejectedItem:
    kind: str = strawberry.field(description="What it was to be: entity, fact or relationship.")
    item: JSON = strawberry.field(description="What was returned.")
    reason: str = strawberry.field(description="Why it was refused.")


@strawberry.type(description="The step that an ingestion has failed at.")
class FailedStep:
    step: str = strawberry.field(description="What was to be done: chunk (extract it), resolve (gather), write.")
    chunk: int | None = strawberry.field(description="Which chunk was to be extracted, from 0; null for other steps.")
    error: str = strawberry.field(description="Why it was given up.")
    raw_answer: str | None = strawberry.field(
        description="The last answer as it came, where one came and could not be used."
    )
    failures: int = strawberry.field(description="How often it was tried.")
    kills: int = strawberry.field(description="How many workers died or stood still over it; those are no failures.")

    @staticmethod
    def of(row: DeadJobRecord) -> FailedStep:
        return FailedStep(
            step=row.kind,
            chunk=row.ordinal if row.kind == JobKind.CHUNK else None,
            error=row.error or "",
            raw_answer=row.raw,
            failures=row.failures,
            kills=row.kills,
        )


@strawberry.type(description="One run of the extraction pipeline over one document.")
class Ingestion(Node):
    id: strawberry.ID = strawberry.field(description="The ingestion's id.")
    status: IngestionStatus = strawberry.field(description="How far it is.")
    error: str | None = strawberry.field(description="What went wrong last, and what to do; null where nothing did.")
    chunks_total: int = strawberry.field(description="How many chunks the document has; 0 before it is read.")
    chunks_done: int = strawberry.field(description="How many of them are read.")
    entities_found: int = strawberry.field(description="How many entities the document names, known ones included.")
    facts_found: int = strawberry.field(description="How many facts it states, known ones included.")
    relationships_found: int = strawberry.field(description="How many relationships it states, known ones included.")
    extractor: str = strawberry.field(description="What reads the document.")
    started_at: datetime | None = strawberry.field(description="When a worker last took it up.")
    finished_at: datetime | None = strawberry.field(description="When it ended.")
    key: strawberry.Private[UUID]
    document_id: strawberry.Private[UUID]

    @staticmethod
    def of(row: IngestionRecord) -> Ingestion:
        return Ingestion(
            id=strawberry.ID(encode_id(NodeKind.INGESTION, row.id)),
            status=IngestionStatus(row.status),
            error=row.error,
            chunks_total=row.chunks_total,
            chunks_done=row.chunks_done,
            entities_found=row.entities_found,
            facts_found=row.facts_found,
            relationships_found=row.relationships_found,
            extractor=row.extractor,
            started_at=row.started_at,
            finished_at=row.finished_at,
            key=row.id,
            document_id=row.document_id,
        )

    @batched(description="The document that is read.")
    @staticmethod
    async def document(parents: list[Ingestion], info: Info) -> list[Document | Exception]:
        return await documents_by_id(info, [run.document_id for run in parents])

    @batched(description="The step that it has failed at, with the raw answer; null unless it has FAILED.")
    @staticmethod
    async def failed_step(parents: list[Ingestion], info: Info) -> list[FailedStep | None]:
        rows = await dead_jobs(info.context.store.read, [run.key for run in parents])
        return [None if row is None else FailedStep.of(row) for row in rows]

    @batched(description="What was found and refused, with the reasons: nothing disappears in silence.")
    @staticmethod
    async def rejected(parents: list[Ingestion], info: Info) -> list[list[RejectedItem]]:
        keys = [run.key for run in parents]
        lists = await info.context.store.read.lists(RejectionRecord, "ingestion_id", keys, "ordinal")
        return [[RejectedItem(kind=r.kind, item=JSON(r.item), reason=r.reason) for r in rows] for rows in lists]
