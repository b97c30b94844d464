"""What a worker keeps of a document from one step to the next; another worker makes it anew from the queue."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from server.llm import ModelRefused
from server.services.extraction.protocol import ChunkText
from server.services.reading import Gathering, Reading, cut
from server.services.vocabularies import vocabulary_of
from server.store.records import DocumentRecord, IngestionRecord
from server.terms import Usage

__all__ = ["Run"]


class Run:
    """An ingestion under way: its document, what that says so far, and what that took."""

    def __init__(
        self, ingestion: IngestionRecord, document: DocumentRecord, content: str, vocabulary: dict[str, Any] | None
    ) -> None:
        self.ingestion = ingestion
        self.document = document
        self.content = content
        self.vocabulary = vocabulary_of(vocabulary)
        self.spent = ingestion.input_tokens + ingestion.output_tokens
        self.gathering: Gathering | None = None
        self.reading: Reading | None = None

    def check_budget(self, chunks: int, more: Usage) -> None:
        """Make sure, before a call of a model, that its budget is not spent. `more`: what is not counted yet.

        Raises:
            ModelRefused: it is.
        """
        spent, budget = self.spent + more.total, self.ingestion.budget
        if budget is not None and spent >= budget:
            told = f"Its budget of {budget} tokens is spent: {spent} went, and {chunks} chunks are read."
            raise ModelRefused(f"{told} retryIngestion goes on from there, with a larger budget.")

    @property
    def left(self) -> int | None:
        """The tokens that are left of its budget, where it has one."""
        budget = self.ingestion.budget
        return None if budget is None else budget - self.spent

    async def cut(self) -> Gathering:
        """Return what gathers the chunks of the document, of which nothing is read yet."""
        size, kind = self.ingestion.chunk_size, self.document.mime_type
        return await cut(title=self.document.title, content=self.content, mime_type=kind, chunk_size=size)

    async def chunks(self) -> list[ChunkText]:
        """Return the chunks as they are read apart, each without the names that others give."""
        gathering = await self.cut()
        texts = map(gathering.text, range(len(gathering.reading.chunks)))
        return [replace(text, reader=self.ingestion.extractor, vocabulary=self.vocabulary) for text in texts]
