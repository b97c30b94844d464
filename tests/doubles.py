"""Stand-ins at the ports, for tests: what is too slow or too far away to use in most of them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from server.services.extraction.protocol import ChunkText, Extraction


class HashEmbedder:
    """Embeds by the words of a text: each adds 1 or -1 at one place, both chosen by its checksum.

    The same words, in any order and case, give the same vector; texts that share words are nearer than those that do
    not. A text without a word gives the first unit vector. `calls` counts calls, `embedded` lists the texts of all of them.
    """

    def __init__(self, dimension: int = 16, name: str = "hash@1") -> None:
        self.name = name
        self.dimension = dimension
        self.calls = 0
        self.embedded: list[str] = []
        self.closed = False

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        self.embedded.extend(texts)
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()):
                checksum = crc32(word.encode("utf-8", "replace"))
                row[checksum % self.dimension] += 1 if checksum >> 31 else -1
            if not row.any():
                row[0] = 1
            row /= np.linalg.norm(row)
        return vectors

    async def aclose(self) -> None:
        self.closed = True


class ScriptedExtractor:
    """Answers what was put under the chunk's text in `answers`; a text without an answer says nothing.

    `chunks` lists what it was given. An exception in place of an answer is raised. While `gate` is cleared, reading waits.
    """

    name = "scripted"

    def __init__(self) -> None:
        self.answers: dict[str, Extraction | Exception] = {}
        self.chunks: list[ChunkText] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def read(self, chunk: ChunkText) -> Extraction:
        self.chunks.append(chunk)
        await self.gate.wait()
        answer = self.answers.get(chunk.text, Extraction())
        if isinstance(answer, Exception):
            raise answer
        return answer
