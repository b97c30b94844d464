"""Mutations of documents."""

from __future__ import annotations

import base64
from typing import Annotated

import strawberry

from schema.arguments import id_of, ids_of
from schema.batching import computed
from schema.context import Info
from schema.mutations.inputs import IDEMPOTENCY, VOLUME, volume_of
from schema.types.document import Document, Ingestion
from schema.types.fact import gone
from server.errors import BadUserInput
from server.ids import NodeKind
from server.services.documents import NewDocument
from server.store.records import DocumentRecord, IngestionRecord
from server.terms import Authority


@strawberry.input(description="The document to read. Give its text, or the bytes of its text.")
class IngestDocumentInput:
    title: str = strawberry.field(description="Its title; it counts as a mention of the entity that it names.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    text: str | None = strawberry.field(default=None, description="The text to read, unless its bytes are given.")
    bytes: str | None = strawberry.field(default=None, description="Its text in UTF-8, in base64.")
    mime_type: str = strawberry.field(
        default="text/plain", description="What kind of text it is: text/plain or text/markdown."
    )
    uri: str | None = strawberry.field(
        default=None, description="Where it comes from. Other content under the same uri is refused as CONFLICT."
    )
    authority: Authority = strawberry.field(default=Authority.UNKNOWN, description="How authoritative it is.")
    projects: list[strawberry.ID] | None = strawberry.field(
        default=None, description="The projects that hold it, by their ids."
    )
    wait: bool = strawberry.field(
        default=False, description="Whether to answer only when it is read, so that what it says can be asked at once."
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY)

    def plain(self) -> NewDocument:
        return NewDocument(
            title=self.title,
            text=self._content(),
            mime_type=self.mime_type,
            uri=self.uri,
            authority=self.authority,
            projects=ids_of(self.projects, NodeKind.PROJECT, "projects"),
        )

    def _content(self) -> str:
        if (self.text is None) == (self.bytes is None):
            raise BadUserInput("Give either text or bytes.", argument="text")
        if self.text is not None:
            return self.text
        try:
            return base64.b64decode(self.bytes or "", validate=True).decode()
        except ValueError as error:  # not ASCII, not base64, or not UTF-8
            raise BadUserInput("bytes must be text in UTF-8, in base64.", argument="bytes") from error


@strawberry.type(description="The document that was taken in, and the reading of it.")
class IngestDocumentPayload:
    document: Document = strawberry.field(description="The document, new or known by its content.")
    ingestion: Ingestion = strawberry.field(description="The reading of it: PENDING unless it was waited for.")
    created: bool = strawberry.field(description="Whether it is new; false where the same content was there.")


@strawberry.input(description="The document to delete.")
class DeleteDocumentInput:
    id: strawberry.ID = strawberry.field(description="The document.")
    volume: str = strawberry.field(default="default", description=VOLUME)


@strawberry.type(description="What went, and what stayed, with the document.")
class DeleteDocumentPayload:
    deleted_id: strawberry.ID = strawberry.field(description="The id that it had.")
    claims_removed: int = strawberry.field(description="How many claims it alone supported: they are gone.")
    claims_kept: int = strawberry.field(description="How many claims others support too: they stay, less sure.")
    entities_removed: int = strawberry.field(description="How many entities nothing else knows of: they are gone.")


@strawberry.type
class DocumentMutations:
    @computed(
        description="Take in a document and read it: entities, facts and relationships with the words they rest on. "
        "The same content again is the same document."
    )
    async def ingest_document(
        self, info: Info, input: Annotated[IngestDocumentInput, strawberry.argument(description="The document.")]
    ) -> IngestDocumentPayload | None:
        knowledge, read = info.context.knowledge, info.context.store.read
        volume = await volume_of(info, input.volume)
        actor = info.context.viewer.actor
        taken = await knowledge.documents.take(volume, input.plain(), actor, input.idempotency_key)
        if input.wait:
            await knowledge.worker.finished(taken.ingestion_id)
        document = await read.one(DocumentRecord, taken.document_id)
        ingestion = await read.one(IngestionRecord, taken.ingestion_id)
        if document is None or ingestion is None:
            raise gone("document")
        return IngestDocumentPayload(
            document=Document.of(document), ingestion=Ingestion.of(ingestion), created=taken.created
        )

    @computed(
        description="Delete a document: what it alone supported goes, what others support stays. Its words leave every "
        "table, the log and the index. It cannot be undone."
    )
    async def delete_document(
        self, info: Info, input: Annotated[DeleteDocumentInput, strawberry.argument(description="Which one.")]
    ) -> DeleteDocumentPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.DOCUMENT, "id")
        removed = await info.context.knowledge.documents.delete(volume, id, info.context.viewer.actor)
        return DeleteDocumentPayload(
            deleted_id=input.id,
            claims_removed=removed.claims_removed,
            claims_kept=removed.claims_kept,
            entities_removed=removed.entities_removed,
        )
