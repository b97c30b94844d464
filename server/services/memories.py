"""Memories: atomic notes that link themselves to their nearest neighbours.

A new memory is compared, inside its write transaction, with everything that was committed before: transactions of a
volume come one after another, so two memories written at the same time still find each other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from server import models
from server.embeddings import Embedder
from server.errors import BadUserInput
from server.ids import NodeKind, encode_id, new_id
from server.services.checks import (
    Changes,
    check_version,
    in_volume,
    json_object,
    one_in_volume,
    optional_text,
    within,
    words,
)
from server.services.idempotency import Once
from server.services.identity import clean_text, clean_title
from server.services.indexing import Embedded, embed, memory_text
from server.services.resolution import merged_among
from server.store import Store, Transaction
from server.store.merging import tie_survivors
from server.store.records import (
    CodeArtifactRecord,
    DocumentRecord,
    EntityRecord,
    MemoryLinkRecord,
    MemoryRecord,
    ProjectRecord,
    VolumeRecord,
)
from server.terms import ChangeKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TITLE, CONTENT, CONTEXT, WORDS = 200, 2_000, 500, 10
RELATED = "RELATED"


@dataclass(frozen=True, slots=True)
class Attachments:
    """What a memory is about, by ids."""

    entities: tuple[UUID, ...] = ()
    documents: tuple[UUID, ...] = ()
    code_artifacts: tuple[UUID, ...] = ()
    projects: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class NewMemory:
    """What createMemory takes."""

    title: str
    content: str
    context: str | None = None
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    importance: int = 5
    provenance: Any = None
    attachments: Attachments = Attachments()


class Similar(NamedTuple):
    """A memory near another one, by cosine."""

    id: UUID
    similarity: float


@dataclass(frozen=True, slots=True)
class Remembered:
    """A written memory, the links it made, and what is nearly the same."""

    id: UUID
    links: tuple[UUID, ...]
    similar: tuple[Similar, ...]


def clean_memory(new: NewMemory) -> NewMemory:
    """Return the input as it is stored.

    Raises:
        BadUserInput: a field is out of its bounds.
    """
    return NewMemory(
        title=clean_title(new.title, "title", TITLE),
        content=clean_text(new.content, "content", CONTENT),
        context=optional_text(new.context, "context", CONTEXT),
        keywords=tuple(words(new.keywords, "keywords", WORDS)),
        tags=tuple(words(new.tags, "tags", WORDS)),
        importance=int(within(new.importance, 1, 10, "importance")),
        provenance=json_object(new.provenance, "provenance"),
        attachments=new.attachments,
    )


def text_of(memory: NewMemory | MemoryRecord) -> str:
    """Return what the index knows of a memory."""
    return memory_text(memory.title, memory.content, memory.context, memory.keywords, memory.tags)


class _Kind(NamedTuple):
    """A kind of node that can be attached: where it stands in inputs and tables, and what it is called."""

    name: str
    argument: str
    record: type[Any]
    link: type[models.Model]
    column: str
    node: NodeKind
    what: str


_KINDS = (
    _Kind("entities", "entities", EntityRecord, models.MemoryEntity, "entity_id", NodeKind.ENTITY, "entity"),
    _Kind(
        "documents", "documents", DocumentRecord, models.MemoryDocument, "document_id", NodeKind.DOCUMENT, "document"
    ),
    _Kind(
        "code_artifacts",
        "codeArtifacts",
        CodeArtifactRecord,
        models.MemoryCodeArtifact,
        "code_artifact_id",
        NodeKind.CODE_ARTIFACT,
        "code artifact",
    ),
    _Kind("projects", "projects", ProjectRecord, models.MemoryProject, "project_id", NodeKind.PROJECT, "project"),
)


async def attach(tx: Transaction, memory_id: UUID, attachments: Attachments) -> dict[str, list[str]]:
    """Attach nodes to a memory; what is attached already stays. Return what is new, for the log.

    Raises:
        NotFound: one of them is not of this volume.
    """
    added: dict[str, list[str]] = {}
    for kind in _KINDS:
        ids: tuple[UUID, ...] = getattr(attachments, kind.name)
        if ids:
            rows = await in_volume(tx.read, kind.record, tx.volume_id, ids, kind.argument, kind.what)
            about = kind.node is NodeKind.ENTITY
            known = await tx.read.linked(kind.link, "memory_id", memory_id, kind.column, stated=about)
            fresh = [id for id in dict.fromkeys(ids) if id not in known]
            ties = [{"memory_id": memory_id, kind.column: id} for id in fresh]
            if about:
                tx.state(kind.link, ties)
                if merged_among(rows):
                    await tie_survivors(tx, kind.link, list(ids))
            else:
                tx.insert_many(kind.link, ties)
            if fresh:
                added[kind.argument] = [encode_id(kind.node, id) for id in fresh]
    return added


def insert_memory(tx: Transaction, memory: NewMemory, embedded: Embedded, *, logged: bool = True) -> UUID:
    """Insert a cleaned memory with its tags, log entry and index text; return its id."""
    id = new_id()
    columns: dict[str, Any] = {
        "title": memory.title,
        "content": memory.content,
        "context": memory.context,
        "keywords": list(memory.keywords),
        "tags": list(memory.tags),
        "importance": memory.importance,
        "provenance": memory.provenance or {},
    }
    tx.insert(models.Memory, id=id, **columns)
    tx.insert_many(models.MemoryTag, [{"memory_id": id, "tag": tag} for tag in memory.tags])
    if logged:
        tx.log(ChangeKind.CREATED, NodeKind.MEMORY, id, after=columns)
    embedded.put(tx, NodeKind.MEMORY, id, text_of(memory))
    return id


class Memories:
    """The memories of a store's volumes."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    async def create(
        self, volume: VolumeRecord, new: NewMemory, actor: str, idempotency_key: str | None = None
    ) -> Remembered:
        """Write a memory and link it to the nearest ones that are not obsolete.

        Raises:
            BadUserInput: a field is out of its bounds.
            NotFound: an attachment is not of this volume.
        """
        memory = clean_memory(new)
        request = {name: getattr(memory, name) for name in NewMemory.__dataclass_fields__}
        once = Once(self._store.settings, idempotency_key, "createMemory", request)
        embedded = await embed(self._embedder, text_of(memory))
        await self._store.index.ready()
        async with self._store.write(volume.id, actor) as tx:
            answered = await once.recall(tx)
            if answered is not None:
                return _remembered(answered)
            near = await self._near(tx, embedded.of(text_of(memory)))
            id = insert_memory(tx, memory, embedded)
            await attach(tx, id, memory.attachments)
            links = self._link(tx, id, near)
            similar = tuple(n for n in near if n.similarity >= self._store.settings.memory_duplicate_similarity)
            result = Remembered(id, links, similar)
            once.remember(tx, _plain(result))
        return result

    async def _near(self, tx: Transaction, vector: NDArray[np.float32]) -> list[Similar]:
        """Return what is near enough to link to or to report, nearest first."""
        settings = self._store.settings
        least = min(settings.memory_link_similarity, settings.memory_duplicate_similarity)
        wanted, k = settings.memory_link_count + 10, 32
        while True:
            found = await self._store.nearest(tx.volume_id, vector, [NodeKind.MEMORY], k, read=tx.read)
            rows = await tx.read.by_ids(MemoryRecord, [n.id for n in found])
            # Rounded before it is compared: in 32 bits a cosine of 0.7 comes out as 0.69999999.
            near = [
                Similar(n.id, similarity)
                for n, row in zip(found, rows, strict=True)
                if row is not None and not row.obsolete and (similarity := round(n.similarity, 6)) >= least
            ]
            # Obsolete neighbours may crowd out live ones: look further until enough are found or none is near.
            if len(near) >= wanted or len(found) < k or found[-1].similarity < least:
                return near
            k *= 4

    def _link(self, tx: Transaction, id: UUID, near: Sequence[Similar]) -> tuple[UUID, ...]:
        settings = self._store.settings
        close = [n for n in near if n.similarity >= settings.memory_link_similarity][: settings.memory_link_count]
        return tuple(insert_link(tx, id, n.id, RELATED, n.similarity, automatic=True) for n in close)

    async def update(self, volume: VolumeRecord, id: UUID, changes: Changes, expected: int | None, actor: str) -> None:
        """Edit the named fields of a memory. Its links stay.

        Raises:
            BadUserInput: a field is out of its bounds, or one that must be there is cleared.
            NotFound: no such memory in this volume.
            Conflict: another version.
        """
        fields = _clean_changes(changes)
        async with self._store.write(volume.id, actor) as tx:
            now = await one_in_volume(tx.read, MemoryRecord, volume.id, id, "id", "memory")
            check_version(now, expected)
            changed = {n: v for n, v in fields.items() if getattr(now, n) != v}
            if not changed:
                return
            tx.update(models.Memory, id, **changed, version=now.version + 1)
            if "tags" in changed:
                tx.delete_where(models.MemoryTag, memory_id=id)
                tx.insert_many(models.MemoryTag, [{"memory_id": id, "tag": tag} for tag in changed["tags"]])
            before = {n: getattr(now, n) for n in changed}
            tx.log(ChangeKind.UPDATED, NodeKind.MEMORY, id, before=before, after=changed)
            text = text_of(now._replace(**changed))
            if text != text_of(now):
                tx.index(NodeKind.MEMORY, id, text, None, again=True)

    async def supersede(
        self, volume: VolumeRecord, id: UUID, by: UUID | None, reason: str | None, expected: int | None, actor: str
    ) -> None:
        """Mark a memory as obsolete, with the memory that takes its place where there is one.

        Raises:
            BadUserInput: it would supersede itself, directly or through others.
            NotFound: a memory is not of this volume.
            Conflict: another version.
        """
        why = optional_text(reason, "reason", 1_000)
        async with self._store.write(volume.id, actor) as tx:
            now = await one_in_volume(tx.read, MemoryRecord, volume.id, id, "id", "memory")
            check_version(now, expected)
            if by is not None:
                await self._refuse_cycle(tx, id, by)
            after = {"obsolete": True, "obsolete_reason": why, "superseded_by_id": by}
            _edit(tx, now, after, ChangeKind.SUPERSEDED)

    async def _refuse_cycle(self, tx: Transaction, id: UUID, by: UUID) -> None:
        step: UUID | None = by
        seen: set[UUID] = set()
        while step is not None and step not in seen:
            if step == id:
                raise BadUserInput("A memory cannot be superseded by itself, not through others either.", argument="by")
            seen.add(step)
            memory = await one_in_volume(tx.read, MemoryRecord, tx.volume_id, step, "by", "memory")
            step = memory.superseded_by_id

    async def restore(self, volume: VolumeRecord, id: UUID, expected: int | None, actor: str) -> None:
        """Bring an obsolete memory back; one that is not obsolete stays as it is.

        Raises:
            NotFound: no such memory in this volume.
            Conflict: another version.
        """
        async with self._store.write(volume.id, actor) as tx:
            now = await one_in_volume(tx.read, MemoryRecord, volume.id, id, "id", "memory")
            check_version(now, expected)
            after = {"obsolete": False, "obsolete_reason": None, "superseded_by_id": None}
            _edit(tx, now, after, ChangeKind.UPDATED)

    async def delete(self, volume: VolumeRecord, id: UUID, expected: int | None, actor: str) -> None:
        """Delete a memory with its links; its words leave the log and the index.

        Raises:
            NotFound: no such memory in this volume.
            Conflict: another version.
        """
        async with self._store.write(volume.id, actor) as tx:
            now = await one_in_volume(tx.read, MemoryRecord, volume.id, id, "id", "memory")
            check_version(now, expected)
            tx.delete_ids(models.Memory, [id])
            tx.redact_log([id])
            tx.log(ChangeKind.DELETED, NodeKind.MEMORY, id)
            tx.unindex(NodeKind.MEMORY, [id])
        await self._store.checkpoint()

    async def link(self, volume: VolumeRecord, left: UUID, right: UUID, type: str, actor: str) -> UUID:
        """Link two memories and return the link's id; the same link is made once.

        Raises:
            BadUserInput: the two are one.
            NotFound: a memory is not of this volume.
        """
        if left == right:
            raise BadUserInput("A memory cannot be linked to itself.", argument="other")
        async with self._store.write(volume.id, actor) as tx:
            await one_in_volume(tx.read, MemoryRecord, volume.id, left, "memory", "memory")
            await one_in_volume(tx.read, MemoryRecord, volume.id, right, "other", "memory")
            low, high = sorted((left, right))
            for known in await tx.read.where(MemoryLinkRecord, left_id=low, right_id=high, type=type):
                return known.id
            id = insert_link(tx, left, right, type, None, automatic=False)
            tx.log(
                ChangeKind.UPDATED,
                NodeKind.MEMORY,
                left,
                after={"linked": encode_id(NodeKind.MEMORY, right), "type": type},
            )
        return id

    async def unlink(self, volume: VolumeRecord, left: UUID, right: UUID, type: str | None, actor: str) -> int:
        """Remove the links of a type, or all links, between two memories; return how many there were.

        Raises:
            NotFound: a memory is not of this volume.
        """
        async with self._store.write(volume.id, actor) as tx:
            await one_in_volume(tx.read, MemoryRecord, volume.id, left, "memory", "memory")
            await one_in_volume(tx.read, MemoryRecord, volume.id, right, "other", "memory")
            low, high = sorted((left, right))
            known = await tx.read.where(MemoryLinkRecord, left_id=low, right_id=high)
            gone = [link for link in known if type is None or link.type == type]
            tx.delete_ids(models.MemoryLink, [link.id for link in gone])
            if gone:
                tx.log(ChangeKind.UPDATED, NodeKind.MEMORY, left, before={"linked": encode_id(NodeKind.MEMORY, right)})
        return len(gone)

    async def attach(self, volume: VolumeRecord, id: UUID, attachments: Attachments, actor: str) -> None:
        """Attach nodes to a memory; what is attached already stays.

        Raises:
            NotFound: the memory or one of them is not of this volume.
        """
        async with self._store.write(volume.id, actor) as tx:
            await one_in_volume(tx.read, MemoryRecord, volume.id, id, "id", "memory")
            added = await attach(tx, id, attachments)
            if added:
                tx.log(ChangeKind.UPDATED, NodeKind.MEMORY, id, after={"attached": added})

    async def detach(self, volume: VolumeRecord, id: UUID, attachments: Attachments, actor: str) -> None:
        """Detach nodes from a memory; what is not attached to it is passed over. An entity goes with all that is one with it by merges.

        Raises:
            NotFound: the memory or one of them is not of this volume.
        """
        async with self._store.write(volume.id, actor) as tx:
            await one_in_volume(tx.read, MemoryRecord, volume.id, id, "id", "memory")
            removed: dict[str, list[str]] = {}
            for kind in _KINDS:
                ids: tuple[UUID, ...] = getattr(attachments, kind.name)
                await in_volume(tx.read, kind.record, volume.id, ids, kind.argument, kind.what)
                known = await tx.read.linked(kind.link, "memory_id", id, kind.column) if ids else set()
                wanted = await _as_one(tx, known, ids) if kind.node is NodeKind.ENTITY and ids else ids
                for other in sorted(known.intersection(wanted)):
                    tx.delete_where(kind.link, memory_id=id, **{kind.column: other})
                    removed.setdefault(kind.argument, []).append(encode_id(kind.node, other))
            if removed:
                tx.log(ChangeKind.UPDATED, NodeKind.MEMORY, id, before={"attached": removed})


async def _as_one(tx: Transaction, attached: Collection[UUID], ids: Sequence[UUID]) -> list[UUID]:
    """Return those of the attached entities that count as the same as some of `ids`. One statement."""
    rows = [row for row in await tx.read.by_ids(EntityRecord, [*attached, *ids]) if row is not None]
    roots = {row.id: row.merged_into or row.id for row in rows}
    gone = {roots[id] for id in ids}
    return [id for id in attached if roots[id] in gone]


def insert_link(
    tx: Transaction, one: UUID, other: UUID, type: str, similarity: float | None, *, automatic: bool
) -> UUID:
    """Insert the link between two memories and return its id."""
    left, right = sorted((one, other))
    columns = {"left_id": left, "right_id": right, "type": type, "similarity": similarity, "automatic": automatic}
    id = new_id()
    tx.insert(models.MemoryLink, id=id, **columns)
    return id


def _edit(tx: Transaction, now: MemoryRecord, after: dict[str, Any], kind: ChangeKind) -> None:
    changed = {n: v for n, v in after.items() if getattr(now, n) != v}
    if changed:
        tx.update(models.Memory, now.id, **changed, version=now.version + 1)
        tx.log(kind, NodeKind.MEMORY, now.id, before={n: getattr(now, n) for n in changed}, after=changed)


def _clean_changes(changes: Changes) -> dict[str, Any]:
    clean: dict[str, Callable[[Any], Any]] = {
        "title": lambda v: clean_title(v or "", "title", TITLE),
        "content": lambda v: clean_text(v or "", "content", CONTENT),
        "context": lambda v: optional_text(v, "context", CONTEXT),
        "keywords": lambda v: words(v, "keywords", WORDS),
        "tags": lambda v: words(v, "tags", WORDS),
        "importance": lambda v: int(within(v or 0, 1, 10, "importance")),
        "provenance": lambda v: json_object(v, "provenance"),
    }
    return {name: clean[name](value) for name, value in changes.items()}


def _plain(result: Remembered) -> dict[str, Any]:
    similar = [[str(s.id), s.similarity] for s in result.similar]
    return {"id": str(result.id), "links": [str(id) for id in result.links], "similar": similar}


def _remembered(stored: dict[str, Any]) -> Remembered:
    similar = tuple(Similar(UUID(id), similarity) for id, similarity in stored["similar"])
    return Remembered(UUID(stored["id"]), tuple(UUID(id) for id in stored["links"]), similar)


__all__ = ["Attachments", "Memories", "NewMemory", "Remembered", "Similar", "attach", "clean_memory"]
