"""What the vector index knows of each kind of node: one text per node, and its vector.

Vectors are computed before a transaction begins. A text that turned out different inside the transaction goes without one
and is embedded by the follower.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from server.embeddings import Embedder, TokenEmbedder
from server.ids import NodeKind
from server.store import Store, Transaction, records, stated_model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INDEXED = (NodeKind.ENTITY, NodeKind.FACT, NodeKind.MEMORY, NodeKind.CHUNK, NodeKind.CODE_ARTIFACT)


def entity_text(name: str, type: str, description: str | None) -> str:
    """Return the text of an entity."""
    return f"{name} ({type})" if not description else f"{name} ({type}): {description}"


def fact_text(subject: str, content: str) -> str:
    """Return the text of a fact. `subject` is the name of the entity that it was stated for, merged since or not."""
    return content if content.casefold().startswith(subject.casefold()) else f"{subject}: {content}"


def memory_text(title: str, content: str, context: str | None, keywords: Sequence[str], tags: Sequence[str]) -> str:
    """Return the text of a memory."""
    return "\n".join(part for part in (title, content, context, ", ".join([*keywords, *tags])) if part)


def chunk_text(title: str, text: str) -> str:
    """Return the text of a chunk."""
    return f"{title}\n{text}"


def code_text(title: str, language: str, description: str | None, code: str) -> str:
    """Return the text of a code artifact."""
    return "\n".join(part for part in (f"{title} ({language})", description, code) if part)


class Embedded:
    """Texts with their vectors, made ahead of a transaction."""

    def __init__(self, vectors: dict[str, NDArray[np.float32]]) -> None:
        self._vectors = vectors

    def put(self, tx: Transaction, kind: NodeKind, id: UUID, text: str, *, again: bool = False) -> None:
        """Index a node under `text`."""
        tx.index(kind, id, text, self._vectors.get(text), again=again)

    def of(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text that was embedded."""
        return self._vectors[text]


async def embed(embedder: Embedder, *texts: str) -> Embedded:
    """Return the vectors of texts; equal texts are embedded once."""
    own = list(dict.fromkeys(texts))
    return Embedded(dict(zip(own, await embedder.embed(own), strict=True)) if own else {})


class Together:
    """An embedder for several tasks at once: their calls become one, because few texts cost more each than many.

    `most` says how many calls may come at present: as soon as so many wait, they become one. None waits longer than
    `patience` seconds for others.
    """

    def __init__(self, embedder: Embedder, most: Callable[[], int], patience: float = 0.15) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension
        self._embedder = embedder
        self._most = most
        self._patience = patience
        self._next: _Shared | None = None

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector per text, as the embedder does."""
        shared = self._next = self._next or _Shared()
        start = len(shared.texts)
        shared.texts += texts
        shared.calls += 1
        if shared.task is None:
            shared.task = asyncio.create_task(self._run(shared))
            shared.task.add_done_callback(lambda task: task.cancelled() or task.exception())  # not left unread
        if shared.calls >= self._most():
            self._next = None
            shared.full.set()
        vectors = await asyncio.shield(shared.task)  # whoever is cancelled leaves the others their vectors
        return vectors[start : start + len(texts)].copy()

    async def _run(self, shared: _Shared) -> NDArray[np.float32]:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await shared.full.wait()
        self._next = None if self._next is shared else self._next
        return await self._embedder.embed(shared.texts)

    async def aclose(self) -> None:
        """Release nothing: the embedder belongs to whoever made it."""


@dataclass(slots=True)
class _Shared:
    """One call made of several."""

    texts: list[str] = field(default_factory=list)
    calls: int = 0
    full: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[NDArray[np.float32]] | None = None


async def _texts(store: Store, volume: UUID) -> AsyncIterator[list[tuple[NodeKind, UUID, str]]]:
    """Yield every node of a volume that the index holds, with its text, in batches."""
    async for entities in store.read.stream(records.EntityRecord, volume):
        yield [(NodeKind.ENTITY, e.id, entity_text(e.name, e.type, e.description)) for e in entities]
    async for facts in store.read.stream(records.FactRecord, volume):
        named_for = [fact.stated_subject_id or fact.subject_id for fact in facts]
        subjects = await store.read.by_ids(records.EntityRecord, named_for)
        named = [subject.name if subject else "" for subject in subjects]
        yield [(NodeKind.FACT, f.id, fact_text(name, f.content)) for f, name in zip(facts, named, strict=True)]
    async for memories in store.read.stream(records.MemoryRecord, volume):
        yield [
            (NodeKind.MEMORY, m.id, memory_text(m.title, m.content, m.context, m.keywords, m.tags)) for m in memories
        ]
    async for chunks in store.read.stream(records.ChunkRecord, volume):
        documents = await store.read.by_ids(records.DocumentRecord, [chunk.document_id for chunk in chunks])
        titles = [document.title if document else "" for document in documents]
        yield [(NodeKind.CHUNK, c.id, chunk_text(title, c.text)) for c, title in zip(chunks, titles, strict=True)]
    async for artifacts in store.read.stream(records.CodeArtifactRecord, volume):
        yield [(NodeKind.CODE_ARTIFACT, a.id, code_text(a.title, a.language, a.description, a.code)) for a in artifacts]


async def all_volumes(store: Store) -> list[records.VolumeRecord]:
    """Return every volume, by name."""
    found: list[records.VolumeRecord] = []
    page = await store.read.volumes(100, None)
    while page.rows:
        found += page.rows
        if not page.has_next:
            break
        page = await store.read.volumes(100, (page.rows[-1].name, page.rows[-1].id))
    return found


async def reindex(
    store: Store,
    embedder: Embedder,
    progress: Callable[[int], Awaitable[None] | None],
    reranker: TokenEmbedder | None = None,
) -> int:
    """Rebuild the vector index of every volume with the present model, and that of words; return how many nodes it holds.
    With a `reranker` the token vectors of all texts are made too, which takes twice as long.

    `progress` is called with the number of nodes of each batch. Interrupted, it is simply run again: until it has ended
    the store opens for no model. Nothing else may write to the store meanwhile.
    """
    await store.forget_vectors(embedder.dimension)
    total = 0
    for volume in await all_volumes(store):
        async for batch in _texts(store, volume.id):
            texts = [text for _, _, text in batch]
            vectors = await embedder.embed(texts)
            await store.index_now(
                volume.id, batch, vectors, () if reranker is None else await reranker.token_signs(texts)
            )
            total += len(batch)
            progress(len(batch))
    await store.index.compact()
    await store.keep_model(stated_model(embedder.name, embedder.dimension))
    return total
