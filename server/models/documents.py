"""Documents with their revisions and chunks, files that were uploaded for them, and the ingestions that read them."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel, UTCDateTime

from server.models.columns import Identified, Json, SortableText, Stamped, one_of
from server.terms import Authority, IngestionStatus


class Document(Identified, Stamped, table=True):
    """A text that was given to the volume. Its content lives in its revisions; `revision` is the current one.

    `title_key` is what it is found by where its title is named.
    """

    __table_args__ = (
        UniqueConstraint("volume_id", "uri", name="document_uri"),
        Index("document_by_content", "volume_id", "content_hash"),
        Index("document_in_volume", "volume_id", "id"),
        Index("document_by_title", "volume_id", "title_key"),
        one_of("authority", Authority),
    )

    title: str
    title_key: str = Field(default="", sa_type=SortableText)
    uri: str | None = None
    mime_type: str
    authority: str = Authority.UNKNOWN
    content_hash: str
    revision: int = 1


class DocumentRevision(Stamped, table=True):
    """What a document said at one revision, verbatim."""

    __tablename__ = "document_revision"

    document_id: UUID = Field(primary_key=True, foreign_key="document.id", ondelete="CASCADE")
    number: int = Field(primary_key=True)
    content: str


class DocumentCopy(Identified, Stamped, table=True):
    """Another source that gave the content of a document's current revision, under another uri or under none."""

    __tablename__ = "document_copy"
    __table_args__ = (
        UniqueConstraint("volume_id", "uri", name="document_copy_uri"),
        Index("document_copy_of_document", "document_id", "id"),
        one_of("authority", Authority),
    )

    document_id: UUID = Field(foreign_key="document.id", ondelete="CASCADE")
    uri: str | None = None
    title: str
    mime_type: str
    authority: str = Authority.UNKNOWN


class Chunk(Identified, table=True):
    """A stretch [start, end) of a revision's content, in code points, that was extracted from as a whole."""

    __table_args__ = (
        UniqueConstraint("document_id", "revision", "ordinal", name="chunk_order"),
        Index("chunk_of_document", "document_id", "id"),
        CheckConstraint('"end" > start', name="span"),
    )

    document_id: UUID = Field(foreign_key="document.id", ondelete="CASCADE")
    revision: int
    ordinal: int
    text: str
    start: int
    end: int


class Ingestion(Identified, Stamped, table=True):
    """One run of the extraction pipeline over one revision of a document; its jobs say where it stands.

    `chunk_size` is what the revision is cut by, so that an ingestion that goes on after a restart cuts as it began. `batch`:
    its chunks are read by Message Batches.
    """

    __table_args__ = (
        one_of("status", IngestionStatus),
        Index("ingestion_in_volume", "volume_id", "id"),
        Index("ingestion_open", "status", "id"),
    )

    document_id: UUID = Field(foreign_key="document.id", ondelete="CASCADE", index=True)
    revision: int
    status: str = IngestionStatus.PENDING
    error: str | None = None
    extractor: str
    chunk_size: int = 1200
    chunks_total: int = 0
    chunks_done: int = 0
    entities_found: int = 0
    facts_found: int = 0
    relationships_found: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    budget: int | None = None
    batch: bool = False
    actor: str = "local"
    started_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    finished_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class Rejection(SQLModel, table=True):
    """Something an extractor returned and the checks refused; or, where it was `kept`, noted."""

    ingestion_id: UUID = Field(primary_key=True, foreign_key="ingestion.id", ondelete="CASCADE")
    ordinal: int = Field(primary_key=True)
    kind: str
    item: dict[str, Any] = Field(sa_type=Json)
    reason: str
    kept: bool = False


class Upload(Identified, Stamped, table=True):
    """A file that was sent ahead of the document it is for: its text, converted. It is kept for a day."""

    __table_args__ = (Index("upload_by_age", "created_at"),)

    name: str | None = None
    title: str | None = None
    mime_type: str
    size: int
    text: str
    actor: str = "local"
