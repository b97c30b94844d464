"""Documents, their chunks and their ingestions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from schema.arguments import After, First
from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import columns_of, connections, nodes_named
from schema.pagination import Connection
from schema.types.fact import Fact, gone
from schema.types.memory import Memory
from schema.types.node import Node, row_id
from schema.types.project import Project
from schema.types.relationship import Relationship
from schema.views import Seen, seen
from server.ids import NodeKind
from server.store import filters
from server.store import relations as rel
from server.store.backlog import dead_jobs
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
    id: strawberry.ID = row_id(NodeKind.DOCUMENT, "The document's id.")
    title: str = attribute("row.title", description="Its title; it counts as a mention of the entity that it names.")
    mime_type: str = attribute("row.mime_type", description="The type of the file, as its content tells it.")
    uri: str | None = attribute("row.uri", description="Where it comes from.")
    authority: Authority = attribute(
        "row.authority", description="How authoritative it is; its evidence has that authority."
    )
    content_hash: str = attribute(
        "row.content_hash", description="The SHA-256 of its content in UTF-8, in hexadecimal."
    )
    revision: int = attribute(
        "row.revision", description="The number of its current revision: one more for each change of its text."
    )
    created_at: datetime = attribute("row.created_at", description="When it was given.")
    row: strawberry.Private[DocumentRecord]

    @staticmethod
    def of(row: DocumentRecord) -> Document:
        return Document(row=row)

    @batched(
        needs=("row.id", "row.revision"),
        description="Its text, verbatim; that of the current revision, or of the one named. Null where there is none of that "
        "number. Spans of evidence and chunks count its code points.",
    )
    @staticmethod
    async def content(parents: list[Document], info: Info, revision: Revision = None) -> list[str | None]:
        wanted = [(d.row.id, d.row.revision if revision is None else revision) for d in parents]
        return await info.context.store.read.contents(wanted)

    @batched(
        needs=("row.id",),
        description="The uris of other sources that gave the same content. When this one's changes, they become a document of their own.",
    )
    @staticmethod
    async def other_uris(parents: list[Document], info: Info) -> list[list[str]]:
        keys = [d.row.id for d in parents]
        lists = await info.context.store.read.lists(CopyRecord, "document_id", keys, "id")
        return [[copy.uri for copy in copies if copy.uri is not None] for copies in lists]

    @batched(
        needs=("row.id",), description="The run of the extraction pipeline over it, the latest if there were several."
    )
    @staticmethod
    async def ingestion(parents: list[Document], info: Info) -> list[Ingestion | None]:
        keys = [d.row.id for d in parents]
        columns = columns_of(info, ())
        lists = await info.context.store.read.lists(IngestionRecord, "document_id", keys, "id", columns=columns)
        return [seen(Ingestion.of(rows[-1]), d.view) if rows else None for d, rows in zip(parents, lists, strict=True)]

    @batched(needs=("row.id",), description="The entities that it mentions, as it was read last, oldest first.")
    @staticmethod
    async def entities(
        parents: list[Document], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[LazyEntity]]:
        from schema.types.entity import Entity

        return await connections(
            info, "Document.entities", parents, rel.ENTITIES_OF_DOCUMENT, Entity, first=first, after=after
        )

    @batched(needs=("row.id",), description="The facts that rest on it, oldest first.")
    @staticmethod
    async def facts(
        parents: list[Document], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Fact]]:
        shown = filters.FactFilter()
        return await connections(
            info, "Document.facts", parents, rel.FACTS_OF_DOCUMENT, Fact, first=first, after=after, filter=shown
        )

    @batched(needs=("row.id",), description="The relationships that rest on it, oldest first.")
    @staticmethod
    async def relationships(
        parents: list[Document], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Relationship]]:
        shown = filters.RelationshipFilter()
        return await connections(
            info,
            "Document.relationships",
            parents,
            rel.RELATIONSHIPS_OF_DOCUMENT,
            Relationship,
            first=first,
            after=after,
            filter=shown,
        )

    @batched(needs=("row.id",), description="The memories that refer to it, obsolete ones left out, oldest first.")
    @staticmethod
    async def memories(
        parents: list[Document], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Memory]]:
        live = filters.MemoryFilter()
        return await connections(
            info, "Document.memories", parents, rel.MEMORIES_OF_DOCUMENT, Memory, first=first, after=after, filter=live
        )

    @batched(needs=("row.id",), description="The projects that hold it, oldest first.")
    @staticmethod
    async def projects(
        parents: list[Document], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Project]]:
        return await connections(
            info, "Document.projects", parents, rel.PROJECTS_OF_DOCUMENT, Project, first=first, after=after
        )

    @batched(
        needs=("row.id",),
        description="The stretches of it that were read as a whole, in their order; of the revision that was read last.",
    )
    @staticmethod
    async def chunks(
        parents: list[Document], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Chunk]]:
        return await connections(
            info, "Document.chunks", parents, rel.CHUNKS_OF_DOCUMENT, Chunk, first=first, after=after, sorting=_PLACES
        )


async def documents_by_id(info: Info, ids: list[UUID], parents: Sequence[Seen]) -> list[Document | Exception]:
    """Return the documents with these ids; one that was deleted while the query ran is an error in its place."""
    views = [parent.view for parent in parents]
    found = await nodes_named(info, Document, DocumentRecord, ids, views, columns_of(info, ()))
    return [document or gone("document") for document in found]


@strawberry.type(description="A stretch of a document that was read as a whole.")
class Chunk(Node):
    id: strawberry.ID = row_id(NodeKind.CHUNK, "The chunk's id.")
    text: str = attribute("row.text", description="Its text: the document's content from `start` to `end`.")
    start: int = attribute("row.start", description="Where it begins in the document's content, in code points.")
    end: int = attribute("row.end", description="Where it ends, itself excluded.")
    row: strawberry.Private[ChunkRecord]

    @staticmethod
    def of(row: ChunkRecord) -> Chunk:
        return Chunk(row=row)

    @batched(needs=("row.document_id",), description="The document that it is a part of.")
    @staticmethod
    async def document(parents: list[Chunk], info: Info) -> list[Document | Exception]:
        return await documents_by_id(info, [chunk.row.document_id for chunk in parents], parents)


@strawberry.type(description="Something that the extractor returned and the checks refused.")
class RejectedItem:
    kind: str = attribute("row.kind", description="What it was to be: entity, fact or relationship.")
    item: JSON = attribute("row.item", description="What was returned.")
    reason: str = attribute("row.reason", description="Why it was refused.")
    row: strawberry.Private[RejectionRecord]

    @staticmethod
    def of(row: RejectionRecord) -> RejectedItem:
        return RejectedItem(row=row)


@strawberry.type(description="Something about what was found that is worth a look, though it was kept.")
class IngestionNote:
    kind: str = attribute(
        "row.kind", description="What it is about: type or predicate, not in the volume's vocabulary."
    )
    item: JSON = attribute("row.item", description="What was found.")
    reason: str = attribute("row.reason", description="What there is to say about it.")
    row: strawberry.Private[RejectionRecord]

    @staticmethod
    def of(row: RejectionRecord) -> IngestionNote:
        return IngestionNote(row=row)


_KEPT = frozenset({"kept"})


async def _remarks(info: Info, runs: list[Ingestion], *, kept: bool) -> list[list[RejectionRecord]]:
    """Return what was refused of each ingestion, or what was kept and noted."""
    keys, columns = [run.row.id for run in runs], columns_of(info, (), always=_KEPT)
    lists = await info.context.store.read.lists(RejectionRecord, "ingestion_id", keys, "ordinal", columns=columns)
    return [[row for row in rows if row.kept == kept] for rows in lists]


def _chunk(failed: FailedStep) -> int | None:
    return failed.row.ordinal if failed.row.kind == JobKind.CHUNK else None


def _error(failed: FailedStep) -> str:
    return failed.row.error or ""


@strawberry.type(description="The step that an ingestion has failed at.")
class FailedStep:
    step: str = attribute(
        "row.kind", description="What was to be done: chunk (extract it), batch (extract all), resolve (gather), write."
    )
    chunk: int | None = attribute(
        _chunk,
        needs=("row.ordinal", "row.kind"),
        description="Which chunk was to be extracted, from 0; null for other steps.",
    )
    error: str = attribute(_error, needs=("row.error",), description="Why it was given up.")
    raw_answer: str | None = attribute(
        "row.raw", description="The last answer as it came, where one came and could not be used."
    )
    failures: int = attribute("row.failures", description="How often it was tried.")
    kills: int = attribute(
        "row.kills", description="How many workers died or stood still over it; those are no failures."
    )
    waits: int = attribute(
        "row.waits",
        description="How often the model asked to wait, over its limits or overloaded; those are no failures.",
    )
    row: strawberry.Private[DeadJobRecord]

    @staticmethod
    def of(row: DeadJobRecord) -> FailedStep:
        return FailedStep(row=row)


@strawberry.type(description="One run of the extraction pipeline over one document.")
class Ingestion(Node):
    id: strawberry.ID = row_id(NodeKind.INGESTION, "The ingestion's id.")
    status: IngestionStatus = attribute("row.status", description="How far it is.")
    error: str | None = attribute(
        "row.error", description="What went wrong last, and what to do; null where nothing did."
    )
    chunks_total: int = attribute(
        "row.chunks_total", description="How many chunks the document has; 0 before it is read."
    )
    chunks_done: int = attribute("row.chunks_done", description="How many of them are read.")
    entities_found: int = attribute(
        "row.entities_found", description="How many entities the document names, known ones included."
    )
    facts_found: int = attribute(
        "row.facts_found", description="How many facts it states, known ones and those that wait for review included."
    )
    relationships_found: int = attribute(
        "row.relationships_found",
        description="How many relationships it states, known ones and those that wait for review included.",
    )
    extractor: str = attribute(
        "row.extractor", description="What reads the document: the offline extractor, or a model by its name."
    )
    input_tokens: int = attribute(
        "row.input_tokens",
        description="How many tokens the model was sent, by all attempts that it answered, cached ones included; 0 offline.",
    )
    output_tokens: int = attribute(
        "row.output_tokens", description="How many tokens the model answered, its thinking included; 0 offline."
    )
    budget: int | None = attribute(
        "row.budget", description="The tokens, sent and answered, after which it stops; null where it has no bound."
    )
    batch: bool = attribute(
        "row.batch",
        description="Whether it is read by Message Batches; it is PENDING while one is answered.",
    )
    started_at: datetime | None = attribute("row.started_at", description="When a worker last took it up.")
    finished_at: datetime | None = attribute("row.finished_at", description="When it ended.")
    row: strawberry.Private[IngestionRecord]

    @staticmethod
    def of(row: IngestionRecord) -> Ingestion:
        return Ingestion(row=row)

    @batched(needs=("row.document_id",), description="The document that is read.")
    @staticmethod
    async def document(parents: list[Ingestion], info: Info) -> list[Document | Exception]:
        return await documents_by_id(info, [run.row.document_id for run in parents], parents)

    @batched(
        needs=("row.id",), description="The step that it has failed at, with the raw answer; null unless it has FAILED."
    )
    @staticmethod
    async def failed_step(parents: list[Ingestion], info: Info) -> list[FailedStep | None]:
        rows = await dead_jobs(info.context.store.read, [run.row.id for run in parents])
        return [None if row is None else FailedStep.of(row) for row in rows]

    @batched(
        needs=("row.id",), description="What was found and refused, with the reasons: nothing disappears in silence."
    )
    @staticmethod
    async def rejected(parents: list[Ingestion], info: Info) -> list[list[RejectedItem]]:
        return [[RejectedItem.of(row) for row in rows] for rows in await _remarks(info, parents, kept=False)]

    @batched(
        needs=("row.id",),
        description="What was kept, but is worth a look: types and predicates that the volume's vocabulary does not name.",
    )
    @staticmethod
    async def notes(parents: list[Ingestion], info: Info) -> list[list[IngestionNote]]:
        return [[IngestionNote.of(row) for row in rows] for rows in await _remarks(info, parents, kept=True)]
