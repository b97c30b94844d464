"""Reading ingestions with their documents, and the content of revisions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import bindparam, select

from server import models
from server.store import records
from server.store.reads import Reads
from server.store.relations import table_of
from server.store.selections import columns_of
from server.store.statements import keys_table

__all__ = ["Runs"]


@cache
def _ingested(*, content: bool) -> Any:
    """Return the statement for an ingestion and its document, with the content that it reads and the vocabulary, or without."""
    run, document = table_of(models.Ingestion), table_of(models.Document)
    revision, volume = table_of(models.DocumentRevision), table_of(models.Volume)
    columns = [*columns_of(records.IngestionRecord), *columns_of(records.DocumentRecord)]
    joined = run.join(document, document.c.id == run.c.document_id)
    if content:
        own = (revision.c.document_id == run.c.document_id) & (revision.c.number == run.c.revision)
        joined = joined.join(revision, own).join(volume, volume.c.id == run.c.volume_id)
        columns = [*columns, revision.c.content, volume.c.vocabulary]
    return select(*columns).select_from(joined).where(run.c.id == bindparam("ingestion"))


def _run_and_document(row: Sequence[Any]) -> tuple[records.IngestionRecord, records.DocumentRecord]:
    middle = len(records.IngestionRecord._fields)
    end = middle + len(records.DocumentRecord._fields)
    return records.IngestionRecord._make(row[:middle]), records.DocumentRecord._make(row[middle:end])


class Runs(Reads):
    """The part of a reader that is about ingestions."""

    async def ingested(self, id: UUID) -> tuple[records.IngestionRecord, records.DocumentRecord] | None:
        """Return an ingestion and its document as it is now, or None. One statement."""
        rows = await self.rows(_ingested(content=False), {"ingestion": id})
        return _run_and_document(rows[0]) if rows else None

    async def to_ingest(
        self, id: UUID
    ) -> tuple[records.IngestionRecord, records.DocumentRecord, str, dict[str, Any] | None] | None:
        """Return an ingestion, its document, the content that it reads and the volume's vocabulary, or None. One statement."""
        rows = await self.rows(_ingested(content=True), {"ingestion": id})
        return (*_run_and_document(rows[0]), rows[0][-2], rows[0][-1]) if rows else None

    async def contents(self, revisions: Sequence[tuple[UUID, int]]) -> list[str | None]:
        """Return the content of document revisions. One statement; contents can be large."""
        table, keys = table_of(models.DocumentRevision), keys_table(self.dialect)
        joined = keys.join(table, table.c.document_id == keys.c.value)
        statement = select(table.c.document_id, table.c.number, table.c.content).select_from(joined)
        statement = statement.where(table.c.number.in_({number for _, number in revisions}))
        documents = list(dict.fromkeys(document for document, _ in revisions))
        found = {(row[0], row[1]): row[2] for row in await self._by_keys(statement, documents)}
        return [found.get(revision) for revision in revisions]
