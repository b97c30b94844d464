"""Uploads: files that are sent ahead of the document that they are for. What is kept of one is its text, for a day at most.

An upload goes when its document is made, when its time is over, and with its volume. Receiving files is the business of
`incoming`, reading them that of `formats`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from server import models
from server.errors import NotFound
from server.ids import new_id
from server.services.checks import one_in_volume
from server.services.documents import NewDocument, Taken, clean_document, request_of
from server.services.formats import Converter
from server.services.formats.types import MARKDOWN, PLAIN, bare_type
from server.services.idempotency import Once
from server.services.identity import clean_name
from server.services.incoming import Incoming
from server.store import Store
from server.store.records import UploadRecord, VolumeRecord
from server.store.transaction import utc_now

__all__ = ["Received", "Uploads"]

_GONE = "There is no such upload in this volume. It may have been used or be over its time: send the file again."


@dataclass(frozen=True, slots=True)
class Received:
    """A file that was received and read. `title` is what it says of itself, `characters` counts those of its text."""

    id: UUID
    mime_type: str
    title: str | None
    characters: int


class Uploads:
    """The uploads of a store's volumes. `incoming` is where their bytes arrive."""

    def __init__(self, store: Store, converter: Converter) -> None:
        self._store = store
        self._converter = converter
        self.incoming = Incoming(store.settings.data / "uploads", store.settings.max_upload)

    async def take(
        self, volume: VolumeRecord, file: Path, actor: str, *, name: str | None = None, claimed: str | None = None
    ) -> Received:
        """Read a file and keep its text under a new id; forget uploads that are over their time.

        `claimed` is the media type that its sender gives; its content decides. The name says nothing about the type.

        Raises:
            BadUserInput: it is of a type that is not read, encrypted, broken or without text, or its name cannot be stored.
            LimitExceeded: it has too much text, or took too much to read.
        """
        name = None if name is None or not name.strip() else clean_name(name)
        found = await self._converter.convert(file, claimed=claimed)
        columns = {"name": name, "title": found.title, "mime_type": found.mime_type, "text": found.text}
        oldest, id, size = self._oldest(), new_id(), (await asyncio.to_thread(file.stat)).st_size
        async with self._store.write(volume.id, actor) as tx:
            tx.delete(models.Upload, lambda row: row.c.created_at < oldest)
            tx.insert(models.Upload, id=id, size=size, actor=actor, **columns)
        return Received(id, found.mime_type, found.title, len(found.text))

    async def find(self, volume: VolumeRecord, id: UUID) -> UploadRecord:
        """Return an upload.

        Raises:
            NotFound: it is unknown, of another volume, used, or over its time.
        """
        try:
            upload = await one_in_volume(self._store.read, UploadRecord, volume.id, id, "upload", "upload")
        except NotFound as error:
            raise NotFound(_GONE, argument="upload") from error
        if upload.created_at < self._oldest():
            raise NotFound(_GONE, argument="upload")
        return upload

    async def document(self, volume: VolumeRecord, id: UUID, described: NewDocument) -> NewDocument:
        """Return the document that an upload and its description make.

        Where the file is plain text, the description may say that it is Markdown; else its type is that of its content.

        Raises:
            NotFound: as `find`.
        """
        upload = await self.find(volume, id)
        marked = upload.mime_type == PLAIN and bare_type(described.mime_type) == MARKDOWN
        return replace(described, text=upload.text, mime_type=MARKDOWN if marked else upload.mime_type, upload=id)

    async def answered(
        self, volume: VolumeRecord, id: UUID, described: NewDocument, actor: str, key: str | None
    ) -> Taken | None:
        """Return what the same request was answered that used the upload up, or None where there was none.

        Raises:
            BadUserInput: a field is out of its bounds.
            Conflict: the key was used for another request with this upload.
        """
        if key is None:
            return None
        async with self._store.write(volume.id, actor) as tx:
            known = await tx.idempotent_result(key, volume.id)
            if known is None or known[1].get("upload") != str(id):
                return None
            cleaned = clean_document(replace(described, text="read", mime_type=known[1]["mimeType"]), 4)
            once = Once(self._store.settings, key, "ingestDocument", request_of(cleaned, known[1]["hash"]))
            answer = await once.recall(tx)
        if answer is None:
            return None
        return Taken(UUID(answer["document"]), UUID(answer["ingestion"]), bool(answer["created"]))

    def _oldest(self) -> datetime:
        return utc_now() - timedelta(hours=self._store.settings.upload_hours)
