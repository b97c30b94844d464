"""Mutations of documents."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Annotated

import strawberry

from schema.arguments import id_of, ids_of
from schema.breadth import computed
from schema.context import Info
from schema.mutations.inputs import IDEMPOTENCY, VOLUME, volume_of
from schema.types.document import Document, Ingestion
from schema.types.fact import gone
from server.errors import BadUserInput
from server.ids import NodeKind
from server.services.documents import NewDocument, Taken
from server.services.formats.types import HTML, MARKDOWN, PLAIN, bare_type
from server.services.identity import clean_text
from server.services.knowledge import Knowledge
from server.store.records import DocumentRecord, IngestionRecord, VolumeRecord
from server.terms import Authority


@strawberry.input(description="The document to read. Give its text, the bytes of its file, or the upload of its file.")
class IngestDocumentInput:
    title: str = strawberry.field(description="Its title; it counts as a mention of the entity that it names.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    text: str | None = strawberry.field(default=None, description="The text to read, where there is no file.")
    bytes: str | None = strawberry.field(
        default=None, description="A small file in base64: plain text, Markdown, HTML, PDF or Word (.docx)."
    )
    upload: strawberry.ID | None = strawberry.field(
        default=None, description="The id that POST /documents gave for a file. It is good for one document."
    )
    mime_type: str = strawberry.field(
        default="text/plain",
        description="What a text is: text/plain, text/markdown or text/html. The type of a file is told by its content; "
        "for one of plain text this may say that it is Markdown or HTML.",
    )
    uri: str | None = strawberry.field(
        default=None,
        description="Where it comes from. Other content under the same uri is a new revision of the document.",
    )
    authority: Authority = strawberry.field(default=Authority.UNKNOWN, description="How authoritative it is.")
    projects: list[strawberry.ID] | None = strawberry.field(
        default=None, description="The projects that hold it, by their ids."
    )
    budget: int | None = strawberry.field(
        default=None,
        description="The tokens, sent and answered, after which the reading of it stops as FAILED: no call begins once they are "
        "spent. Left out: the server's setting. Refused where documents are read offline, which takes no tokens.",
    )
    batch: bool = strawberry.field(
        default=False,
        description="Whether Claude reads it by Message Batches: at half the price, within an hour as a rule and a day at most. Its "
        "parts are read apart, without the names that earlier ones give; what they name is joined by name.",
    )
    wait: bool = strawberry.field(
        default=False, description="Whether to answer only when it is read, so that what it says can be asked at once."
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY)

    def described(self) -> NewDocument:
        """Return everything but the text."""
        return NewDocument(
            title=self.title,
            text="",
            mime_type=self.mime_type,
            uri=self.uri,
            authority=self.authority,
            projects=ids_of(self.projects, NodeKind.PROJECT, "projects"),
            budget=self.budget,
            batch=self.batch,
        )


@strawberry.type(description="The document that was taken in, and the reading of it.")
class IngestDocumentPayload:
    document: Document = strawberry.field(
        description="The document: new, known by its content, or one of this uri, now with a new revision."
    )
    ingestion: Ingestion = strawberry.field(description="The reading of it: PENDING unless it was waited for.")
    created: bool = strawberry.field(
        description="Whether it is new, or a new revision of a document; false where the same content was there."
    )


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
        "The same content again is the same document; other content under the uri of one is a new revision of it, of which "
        "only the difference changes the graph."
    )
    async def ingest_document(
        self, info: Info, input: Annotated[IngestDocumentInput, strawberry.argument(description="The document.")]
    ) -> IngestDocumentPayload | None:
        knowledge, read = info.context.knowledge, info.context.store.read
        volume = await volume_of(info, input.volume)
        taken = await _take(knowledge, volume, input, info.context.viewer.actor)
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


async def _take(knowledge: Knowledge, volume: VolumeRecord, input: IngestDocumentInput, actor: str) -> Taken:
    """Take in what an input gives, by whichever of its three ways.

    Raises:
        BadUserInput: it gives none or several, or what it gives cannot be read.
        NotFound: there is no such upload, or project.
        Conflict: as `Documents.take`.
    """
    if sum(given is not None for given in (input.text, input.bytes, input.upload)) != 1:
        raise BadUserInput("Give either text, bytes or upload.", argument="text")
    new, key = input.described(), input.idempotency_key
    if input.upload is not None:
        id = id_of(input.upload, NodeKind.UPLOAD, "upload")
        answered = await knowledge.uploads.answered(volume, id, new, actor, key)
        if answered is not None:
            return answered
        new = await knowledge.uploads.document(volume, id, new)
    elif input.bytes is not None:
        new = await _converted(knowledge, new, _decoded(input.bytes), "bytes")
    else:
        assert input.text is not None
        new = await _of_text(knowledge, new, input.text)
    return await knowledge.documents.take(volume, new, actor, key)


async def _of_text(knowledge: Knowledge, new: NewDocument, text: str) -> NewDocument:
    """A text stays as it is, unless it is said to be a web page."""
    kind = bare_type(new.mime_type)
    if kind in (PLAIN, MARKDOWN):
        return replace(new, text=text)
    if kind != HTML:
        raise BadUserInput(
            f"A text is {PLAIN}, {MARKDOWN} or {HTML}. Send other files as bytes, or by POST /documents.",
            argument="mimeType",
        )
    clean_text(text, "text", knowledge.settings.max_upload)
    page = replace(new, mime_type=f"{HTML}; charset=utf-8")
    return await _converted(knowledge, page, text.encode(), "text")


async def _converted(knowledge: Knowledge, new: NewDocument, file: bytes, argument: str) -> NewDocument:
    found = await knowledge.converter.convert(file, claimed=new.mime_type, argument=argument)
    return replace(new, text=found.text, mime_type=found.mime_type)


def _decoded(given: str) -> bytes:
    try:
        return base64.b64decode(given, validate=True)
    except ValueError as error:  # not ASCII, or not base64
        raise BadUserInput("bytes must be a file in base64.", argument="bytes") from error
