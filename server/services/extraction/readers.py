"""The readers of chunks that the settings give: processes that read offline, and Claude where there is a key.

Each ingestion keeps the name of what reads it, also if the settings change before it is done: a name that is not the
offline extractor's is a model's.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from server.config import Settings
from server.errors import Misconfigured
from server.llm import ModelRefused, open_claude
from server.services.extraction import OFFLINE, offline_extractor
from server.services.extraction.claude import ClaudeExtractor
from server.services.extraction.pool import ExtractionPool
from server.services.extraction.preferences import unknown_names
from server.services.extraction.protocol import ChunkText, Extraction, Vocabulary

__all__ = ["Readers"]


class Readers:
    """What reads chunks. `name` is that of what reads the documents that come in now."""

    def __init__(self, settings: Settings) -> None:
        """Start nothing yet.

        Raises:
            Misconfigured: Claude is to read without a key, or the key or address cannot be used.
        """
        key = settings.anthropic_key
        if key is None and settings.uses_claude:
            raise Misconfigured("Set LOREGRAPH_ANTHROPIC_KEY, or LOREGRAPH_EXTRACTOR to offline: Claude needs a key.")
        self.name = settings.claude_model if settings.uses_claude else OFFLINE
        self._pool = ExtractionPool(offline_extractor, settings.extraction_workers)
        self._claude = _reader(settings)

    async def extract(self, chunk: ChunkText) -> Extraction:
        """Return what a chunk says, as what it names reads it.

        Raises:
            ModelFailure: Claude failed, and how; ModelRefused also where there is no key.
            UpstreamUnavailable: a process died.
        """
        if chunk.reader == OFFLINE:
            said = await self._pool.extract(replace(chunk, vocabulary=Vocabulary()))
            return replace(said, rejected=[*said.rejected, *unknown_names(said, chunk.vocabulary)])
        if self._claude is None:
            told = f"It is to be read by {chunk.reader}, but there is no key: set LOREGRAPH_ANTHROPIC_KEY, or retryIngestion"
            raise ModelRefused(f"{told} to have it read offline.")
        return await self._claude.extract(chunk, chunk.reader)

    @property
    def batches(self) -> ClaudeExtractor | None:
        """What reads many chunks as one batch; None without a key."""
        return self._claude

    async def aclose(self) -> None:
        """End the processes and close the connections."""
        await asyncio.to_thread(self._pool.close)
        if self._claude is not None:
            await self._claude.aclose()


def _reader(settings: Settings) -> ClaudeExtractor | None:
    claude = open_claude(settings)
    effort = None if settings.claude_effort == "none" else settings.claude_effort
    return None if claude is None else ClaudeExtractor(claude, effort, looks_twice=settings.claude_second_look)
