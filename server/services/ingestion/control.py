"""Stopping an ingestion by hand, and beginning one anew that was stopped or has failed."""

from __future__ import annotations

from uuid import UUID

from server.errors import Conflict
from server.services.checks import clean_budget, one_in_volume
from server.store import Store
from server.store.jobs import cancel, restart
from server.store.records import DocumentRecord, IngestionRecord, VolumeRecord
from server.terms import UNREAD, IngestionStatus


class Ingestions:
    """The ingestions of a store's volumes. `extractor` reads what is begun anew."""

    def __init__(self, store: Store, extractor: str) -> None:
        self._store = store
        self._extractor = extractor

    async def cancel(self, volume: VolumeRecord, id: UUID, actor: str) -> None:
        """End an ingestion as CANCELLED: nothing of it is written, whoever works on it. A cancelled one stays as it is.

        Raises:
            NotFound: no such ingestion in this volume.
            Conflict: it has ended.
        """
        async with self._store.write(volume.id, actor) as tx:
            run = await one_in_volume(tx.read, IngestionRecord, volume.id, id, "id", "ingestion")
            if run.status == IngestionStatus.CANCELLED or await cancel(tx, id, "It was cancelled."):
                return
            raise Conflict(f"It has ended already, as {run.status}: there is nothing to cancel.", argument="id")

    async def retry(self, volume: VolumeRecord, id: UUID, actor: str, budget: int | None = None) -> None:
        """Begin an ingestion that has failed or was cancelled anew, from the first chunk; `budget` replaces its own.

        What a model has answered of one that failed is not asked for again.

        Raises:
            BadUserInput: the budget is none, is spent already, or what reads takes no tokens.
            NotFound: no such ingestion in this volume.
            Conflict: it is under way or done, or its document has a newer revision.
        """
        async with self._store.write(volume.id, actor) as tx:
            run = await one_in_volume(tx.read, IngestionRecord, volume.id, id, "id", "ingestion")
            document = await tx.read.one(DocumentRecord, run.document_id)
            if run.status not in UNREAD:
                raise Conflict(f"It is {run.status}: only what has failed or was cancelled is retried.", argument="id")
            if document is not None and document.revision != run.revision:
                raise Conflict("Its document has a newer revision, which has an ingestion of its own.", argument="id")
            heeded, spent = self._store.settings.uses_claude, run.input_tokens + run.output_tokens
            tokens = clean_budget(budget, heeded=heeded, spent=spent)
            await restart(tx, run, self._extractor, tokens, batch=run.batch and self._store.settings.uses_claude)
