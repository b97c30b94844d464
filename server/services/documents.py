"""Documents: taking in a text once, a changed one as a new revision, and removing one with everything that it alone supported."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any
from uuid import UUID

from server import models
from server.embeddings import Embedder
from server.errors import BadUserInput
from server.ids import NodeKind, new_id
from server.services.checks import clean_budget, in_volume, one_in_volume
from server.services.claims import FACT, RELATIONSHIP, ClaimKind, change_claim, words_of
from server.services.contradiction import Pair, pairs_of, reconsider
from server.services.copies import copy_at, forget_copy, note_copy, part_from_copies
from server.services.doubts import Turn, follow
from server.services.entities import remove_entities
from server.services.folding import keep_apart, regroup
from server.services.formats.types import MIME_TYPES, bare_type
from server.services.idempotency import Once
from server.services.identity import clean_name, clean_text, title_key
from server.services.indexing import chunk_text, entity_text, fact_text
from server.services.ingestion.revisions import NEWER
from server.services.merges import hand_over
from server.services.reviews import forget_reviews, reviews_about
from server.services.standing import Standing, origins
from server.store import Store, Transaction
from server.store.jobs import cancel, enqueue, hold, restart
from server.store.merging import heads_of_document
from server.store.records import (
    AliasRecord,
    ChunkRecord,
    CopyRecord,
    DocumentRecord,
    EntityRecord,
    EvidenceRecord,
    IngestionRecord,
    ProjectRecord,
    VolumeRecord,
)
from server.terms import UNFINISHED, UNREAD, Authority, ChangeKind, ClaimStatus, IngestionStatus, Origin

RENAMED = "The document was renamed before this reading of it had ended."
_LATER = ("text", "upload", "budget", "batch")
"""What a request is not told apart by, or only where it is given: requests of earlier versions stay what they were."""
_WORDED = frozenset({"content", "category", "predicate", "value", "value_type", "claim_key", "description"})


@dataclass(frozen=True, slots=True)
class NewDocument:
    """What ingestDocument takes. `mime_type` is that of the file that the text comes from; `upload` is gone once it is stored.

    `budget`: the tokens that a model may take for reading it, where that differs from the settings. `batch`: have it read by
    Message Batches, at half the price and within a day; its chunks are read apart, without the names of earlier ones.
    """

    title: str
    text: str
    mime_type: str = "text/plain"
    uri: str | None = None
    authority: Authority = Authority.UNKNOWN
    projects: tuple[UUID, ...] = ()
    upload: UUID | None = None
    budget: int | None = None
    batch: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """A document that was taken in. `created` is False where the same content was there, True for a new revision too."""

    document_id: UUID
    ingestion_id: UUID
    created: bool


@dataclass(frozen=True, slots=True)
class Removed:
    """What went, and what stayed, with a document."""

    claims_removed: int
    claims_kept: int
    entities_removed: int


def clean_document(new: NewDocument, limit: int, *, claude: bool = True) -> NewDocument:
    """Return the input as it is stored; its text untouched. `claude`: whether Claude will read it.

    Raises:
        BadUserInput: the text is blank, too long or holds what cannot be stored, the MIME type is not one of ours, or Claude is
            to be bounded, or to read a batch, and does not read here.
    """
    if new.batch and not claude:
        raise BadUserInput("A batch is read by Claude: set LOREGRAPH_ANTHROPIC_KEY.", argument="batch")
    if bare_type(new.mime_type) not in MIME_TYPES:
        raise BadUserInput(f"mimeType must be one of {', '.join(MIME_TYPES)}.", argument="mimeType")
    clean_text(new.text, "text", limit)
    if not re.search(r"\w", new.text):
        raise BadUserInput("The text has no letter or digit: there is nothing to read.", argument="text")
    return NewDocument(
        title=clean_name(new.title, "title"),
        text=new.text,
        mime_type=bare_type(new.mime_type),
        uri=None if new.uri is None else clean_text(new.uri, "uri", 2_000).strip(),
        authority=new.authority,
        projects=new.projects,
        upload=new.upload,
        budget=clean_budget(new.budget, heeded=claude),
        batch=new.batch,
    )


def request_of(document: NewDocument, content_hash: str) -> dict[str, Any]:
    """Return what an idempotency key stands for: everything that was given, the text by its hash wherever it came from."""
    told = {n: getattr(document, n) for n in NewDocument.__dataclass_fields__ if n not in _LATER}
    more = {n: value for n in ("budget", "batch") if (value := getattr(document, n))}
    return {**told, **more, "hash": content_hash}


class Documents:
    """The documents of a store's volumes."""

    def __init__(self, store: Store, embedder: Embedder, extractor: str) -> None:
        self._store = store
        self._embedder = embedder
        self._extractor = extractor

    async def take(
        self, volume: VolumeRecord, new: NewDocument, actor: str, idempotency_key: str | None = None
    ) -> Taken:
        """Store a document and queue its ingestion; the same content again is the same document, and nothing new.

        Other content under the uri of a document is a new revision of that, with the title, MIME type and authority given
        with it; what was a copy of it, under another uri, becomes a document of its own then. The same content under its
        uri with another title renames it, and it is read again: what a pronoun stands for can depend on the title. An
        ingestion that had failed or was cancelled is queued anew.

        Raises:
            BadUserInput: a field is out of its bounds, or is for Claude, which does not read here.
            NotFound: a project is not of this volume.
        """
        settings = self._store.settings
        document = clean_document(new, settings.document_limit, claude=settings.uses_claude)
        content_hash = sha256(document.text.encode()).hexdigest()
        once = Once(settings, idempotency_key, "ingestDocument", request_of(document, content_hash))
        if idempotency_key is None and document.upload is None and not document.projects:
            known = await self._known(volume, document, content_hash)
            if known is not None:
                return known
        async with self._store.write(volume.id, actor) as tx:
            if document.upload is not None:
                tx.delete_ids(models.Upload, [document.upload])
            answered = await once.recall(tx)
            if answered is not None:
                return Taken(UUID(answered["document"]), UUID(answered["ingestion"]), bool(answered["created"]))
            projects = await in_volume(tx.read, ProjectRecord, volume.id, document.projects, "projects", "project")
            taken = await self._take(tx, document, content_hash)
            links = [{"project_id": p.id, "document_id": taken.document_id} for p in projects]
            tx.insert_if_absent(models.ProjectDocument, links)
            answer = {"document": taken.document_id, "ingestion": taken.ingestion_id, "created": taken.created}
            if document.upload is not None:  # a repeated request finds it gone, and is known by these
                answer |= {"upload": document.upload, "hash": content_hash, "mimeType": document.mime_type}
            once.remember(tx, {n: v if isinstance(v, bool) else str(v) for n, v in answer.items()})
        return taken

    async def _known(self, volume: VolumeRecord, new: NewDocument, content_hash: str) -> Taken | None:
        """Return a document that is there just as it is given, and has been read: a folder that is read again waits for nobody."""
        read = self._store.read
        same = await read.where(DocumentRecord, volume_id=volume.id, content_hash=content_hash)
        noted = await read.where(CopyRecord, volume_id=volume.id, uri=new.uri) if same and new.uri is not None else []
        for known in same:
            if (known.uri, known.title) == (new.uri, new.title) or known.id in {copy.document_id for copy in noted}:
                (ingestions,) = await read.lists(IngestionRecord, "document_id", [known.id], "id")
                if ingestions and ingestions[-1].status == IngestionStatus.DONE:
                    return Taken(known.id, ingestions[-1].id, False)
        return None

    async def _take(self, tx: Transaction, new: NewDocument, content_hash: str) -> Taken:
        there = [] if new.uri is None else await tx.read.where(DocumentRecord, volume_id=tx.volume_id, uri=new.uri)
        same = await tx.read.where(DocumentRecord, volume_id=tx.volume_id, content_hash=content_hash)
        copy = None if there else await copy_at(tx, new.uri)
        if copy is not None and copy.document_id not in {one.id for one in same}:
            await forget_copy(tx, copy)
            copy = None
        if not there and not same:
            return self._insert(tx, new, content_hash)
        known = next(one for one in there or same if copy is None or one.id == copy.document_id)
        if not there and copy is None:
            given = {"mime_type": new.mime_type, "authority": new.authority.value}
            await note_copy(tx, known, uri=new.uri, title=new.title, **given)
        (ingestions,) = await tx.read.lists(IngestionRecord, "document_id", [known.id], "id")
        if there and known.content_hash != content_hash:
            return await self._revise(tx, known, new, content_hash, ingestions)
        if there and known.title != new.title:
            await self._change(tx, known, {"title": new.title}, ingestions, RENAMED)
            return Taken(known.id, self._queue(tx, known.id, known.revision, new), False)
        last = ingestions[-1]
        if last.status in UNREAD:
            budget = clean_budget(new.budget, spent=last.input_tokens + last.output_tokens)
            await restart(tx, last, self._extractor, budget, batch=new.batch)
        return Taken(known.id, last.id, False)

    def _insert(self, tx: Transaction, new: NewDocument, content_hash: str) -> Taken:
        id = new_id()
        columns = {"title": new.title, "uri": new.uri, "mime_type": new.mime_type, "authority": new.authority.value}
        tx.insert(models.Document, id=id, content_hash=content_hash, title_key=title_key(new.title), **columns)
        tx.insert(models.DocumentRevision, document_id=id, number=1, content=new.text)
        tx.log(ChangeKind.CREATED, NodeKind.DOCUMENT, id, after=columns)
        return Taken(id, self._queue(tx, id, 1, new), True)

    def _insert_copy(self, tx: Transaction, content_hash: str, copy: CopyRecord, content: str) -> UUID:
        new = NewDocument(copy.title, content, copy.mime_type, copy.uri, Authority(copy.authority))
        return self._insert(tx, new, content_hash).document_id

    async def _revise(
        self,
        tx: Transaction,
        known: DocumentRecord,
        new: NewDocument,
        content_hash: str,
        ingestions: Sequence[IngestionRecord],
    ) -> Taken:
        await part_from_copies(tx, known, partial(self._insert_copy, tx, known.content_hash))
        number = known.revision + 1
        after = {
            "title": new.title,
            "mime_type": new.mime_type,
            "authority": new.authority.value,
            "content_hash": content_hash,
            "revision": number,
        }
        tx.insert(models.DocumentRevision, document_id=known.id, number=number, content=new.text)
        await self._change(tx, known, after, ingestions, NEWER)
        return Taken(known.id, self._queue(tx, known.id, number, new), True)

    async def _change(
        self,
        tx: Transaction,
        known: DocumentRecord,
        after: dict[str, Any],
        ingestions: Sequence[IngestionRecord],
        reason: str,
    ) -> None:
        """Set columns of a document, and cancel what would read it as it was before."""
        for run in ingestions:
            if run.status in UNFINISHED:
                await cancel(tx, run.id, reason)
        changed = {name: value for name, value in after.items() if getattr(known, name) != value}
        found_by = {"title_key": title_key(changed["title"])} if "title" in changed else {}
        tx.update(models.Document, known.id, **changed, **found_by)
        before = {name: getattr(known, name) for name in changed}
        tx.log(ChangeKind.UPDATED, NodeKind.DOCUMENT, known.id, before=before, after=changed)
        if "title" in changed:
            (chunks,) = await tx.read.lists(ChunkRecord, "document_id", [known.id], "ordinal")
            for chunk in chunks:
                tx.index(NodeKind.CHUNK, chunk.id, chunk_text(changed["title"], chunk.text), None, again=True)

    def _queue(self, tx: Transaction, id: UUID, revision: int, new: NewDocument) -> UUID:
        ingestion = new_id()
        settings = self._store.settings
        budget = new.budget or (settings.claude_budget if settings.uses_claude else None)
        run = {
            "document_id": id,
            "revision": revision,
            "extractor": self._extractor,
            "budget": budget,
            "batch": new.batch,
        }
        tx.insert(models.Ingestion, id=ingestion, actor=tx.actor, chunk_size=settings.chunk_size, **run)
        enqueue(tx, ingestion, self._extractor, batch=new.batch)
        return ingestion

    async def delete(self, volume: VolumeRecord, id: UUID, actor: str) -> Removed:
        """Delete a document: what it alone supported goes, what others support stays with less support.

        Its words leave every table, the log and the index; the log keeps that it happened.

        Raises:
            NotFound: no such document in this volume.
        """
        async with self._store.write(volume.id, actor) as tx:
            await one_in_volume(tx.read, DocumentRecord, volume.id, id, "id", "document")
            (ingestions,) = await tx.read.lists(IngestionRecord, "document_id", [id], "id")
            for run in ingestions:
                await hold(tx, run.id)
            removed, kept = 0, 0
            parted: list[tuple[ClaimKind, list[UUID]]] = []
            touched: dict[ClaimKind, set[Pair]] = {}
            for kind in (FACT, RELATIONSHIP):
                heads = await heads_of_document(tx.read, kind.model, kind.evidence, id)
                parted.append((kind, await keep_apart(tx, kind, heads)))
                claims = await tx.read.claims_of_document(kind.evidence, id)
                gone = [claim for claim, shared in claims.items() if not shared]
                stays = [claim for claim, shared in claims.items() if shared]
                await self._remove_claims(tx, kind, gone)
                await self._weaken(tx, kind, stays, id)
                removed, kept = removed + len(gone), kept + len(stays)
                touched[kind] = pairs_of(
                    kind, [c for c in await tx.read.by_ids(kind.record, list(claims)) if c is not None]
                )
            described = await tx.read.where(EntityRecord, described_by=id)
            named = await tx.read.where(AliasRecord, document_id=id)
            await self._remove_document(tx, id)
            await tx.apply()
            for kind, ids in parted:
                await regroup(tx, kind, ids)
            await tx.apply()
            await hand_over(tx, await tx.read.entities_of_document_alone(id, survivors=True))
            entities = await tx.read.entities_of_document_alone(id)
            await remove_entities(tx, entities)
            for kind, pairs in touched.items():
                await reconsider(tx, kind, pairs)
            await self._unname(tx, {e.id for e in described}, {a.entity_id for a in named}, set(entities))
            tx.delete_ids(models.Document, [id])
        await self._store.sweep_spool()
        await self._store.checkpoint()
        return Removed(removed, kept, len(entities))

    async def _remove_claims(self, tx: Transaction, kind: ClaimKind, ids: Sequence[UUID]) -> None:
        await forget_reviews(tx, [(kind.node, id) for id in ids])
        tx.delete_ids(kind.model, ids)
        tx.redact_log(ids)
        tx.log_batch(ChangeKind.DELETED, [(kind.node, id) for id in ids])
        if kind.node is NodeKind.FACT:
            tx.unindex(NodeKind.FACT, ids)

    async def _weaken(self, tx: Transaction, kind: ClaimKind, ids: Sequence[UUID], document_id: UUID) -> None:
        """Take a document's evidence from claims that others support, or have supported; they go on in the others' words."""
        claims = await tx.read.by_ids(kind.record, ids)
        lists = await tx.read.lists(EvidenceRecord, kind.evidence, ids, "id")
        standings = [Standing(kind, claim, evidence) for claim, evidence in zip(claims, lists, strict=True)]
        texts = await origins(tx, standings)
        turns = []
        for standing in standings:
            standing.left = [row for row in standing.evidence if row.live and row.document_id != document_id]
            after = standing.columns(texts, texts)
            await self._reword(tx, standing, document_id)
            retracted = after.get("status") == ClaimStatus.RETRACTED
            change = ChangeKind.RETRACTED if retracted else ChangeKind.UPDATED
            stated = {name: value for name, value in after.items() if name not in _WORDED}
            change_claim(tx, kind, standing.claim, stated, change)
            turns.append(Turn.of(kind.node, standing.claim, stated))
        tx.redact_log([row.id for row in await reviews_about(tx, [(kind.node, id) for id in ids])])
        await follow(tx, turns)

    async def _reword(self, tx: Transaction, standing: Standing, document_id: UUID) -> None:
        """Put a claim, and its history, in the words of a source that stays.

        As long as documents alone have supported it, and none of them has changed, it has had the words of the first. A
        person may have put it anew since, and so may a later revision.
        """
        kind, claim = standing.kind, standing.claim
        mine = [row for row in standing.evidence if row.document_id == document_id]
        rest = [row for row in standing.evidence if row.document_id != document_id]
        if all(row.said is not None and row.live and row.origin == Origin.EXTRACTED for row in mine):
            return
        keeps = any(row.said is None for row in rest)
        if keeps and all(row.live and row.origin == Origin.EXTRACTED for row in standing.evidence):
            return
        column = "content" if kind.node is NodeKind.FACT else "description"
        words = words_of(claim) if keeps else rest[0].said or None
        tx.redact_log([claim.id])
        for name in _WORDED.intersection(kind.record._fields):
            tx.set_text(kind.past, [claim.id], name, words if name == column else getattr(claim, name))
        if keeps:
            return
        tx.set_text(kind.model, [claim.id], column, words)
        tx.set_text(models.Evidence, [row.id for row in rest if row.said == rest[0].said], "said", None)
        if kind.node is NodeKind.FACT:
            subject = await tx.read.one(EntityRecord, kind.stated_ends(claim)[0])
            text = fact_text(subject.name if subject else "", words or "")
            tx.index(NodeKind.FACT, claim.id, text, None, again=True)

    async def _remove_document(self, tx: Transaction, id: UUID) -> None:
        """Remove what hangs on the document alone; the row itself goes last, it says which entities it named."""
        (chunks,) = await tx.read.lists(ChunkRecord, "document_id", [id], "id")
        document = await tx.read.one(DocumentRecord, id)
        assert document is not None
        for content in await tx.read.contents([(id, n) for n in range(1, document.revision + 1)]):
            tx.delete_where(models.Upload, volume_id=tx.volume_id, text=content)
        (ingestions,) = await tx.read.lists(IngestionRecord, "document_id", [id], "id")
        # Read once, it has given no entity anything that is not there any more; read again, it may have.
        once = len(ingestions) == 1
        told = await tx.read.entities_since(id) if once else list(await tx.read.entities_named_by(id))
        tx.redact_log([id, *told])
        tx.delete_where(models.Evidence, document_id=id)
        tx.delete_where(models.Ingestion, document_id=id)
        tx.delete_where(models.Chunk, document_id=id)
        tx.delete_where(models.Alias, document_id=id)
        tx.unindex(NodeKind.CHUNK, [chunk.id for chunk in chunks])
        tx.log(ChangeKind.DELETED, NodeKind.DOCUMENT, id)

    async def _unname(self, tx: Transaction, described: set[UUID], named: set[UUID], gone: set[UUID]) -> None:
        """Take the description and the names that a document gave to entities that stay."""
        touched = sorted((described | named) - gone)
        entities = await tx.read.by_ids(EntityRecord, touched)
        aliases = await tx.read.lists(AliasRecord, "entity_id", touched, "match_key")
        tx.redact_log(touched)
        for entity, left in zip(entities, aliases, strict=True):
            assert entity is not None
            columns: dict[str, Any] = {"version": entity.version + 1}
            after: dict[str, Any] = {"aliases": [a.name for a in left]} if entity.id in named else {}
            if entity.id in described:
                columns["description"] = after["description"] = None
                if entity.merged_into is None:
                    tx.index(NodeKind.ENTITY, entity.id, entity_text(entity.name, entity.type, None), None, again=True)
            tx.update(models.Entity, entity.id, **columns)
            tx.log(ChangeKind.UPDATED, NodeKind.ENTITY, entity.id, after=after)
