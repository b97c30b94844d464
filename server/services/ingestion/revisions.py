"""What earlier readings of a document have left, and how it gives way to what the document says now.

Its claims lose the evidence of those readings, its names and descriptions go unless they are given again, entities that
nothing knows of any more go too: one with a claim stays, a retracted one included, since that may come back. Chunks whose
text is unchanged stay, with their vectors. A person's evidence counts as long as its quote stands in the document.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from uuid import UUID

from server import models
from server.ids import NodeKind, new_id
from server.services.assertions import NOTHING, Replaced
from server.services.chunking import Chunk
from server.services.claims import FACT, PERIOD_COLUMNS, RELATIONSHIP, Period, period_of
from server.services.indexing import Embedded, chunk_text
from server.services.quotes import QuoteIndex
from server.services.standing import Standing
from server.store import Transaction
from server.store.merging import tie_survivors
from server.store.records import AliasRecord, ChunkRecord, DocumentRecord, EntityRecord, EvidenceRecord
from server.terms import Origin

__all__ = ["NEWER", "Earlier", "earlier_readings", "write_chunks", "write_sources"]

NEWER = "A newer revision of the document came before this one was read."


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is there of a document that was read before; empty at its first reading.

    `named` are the entities it has named, each with whether it did so when it was read last.
    """

    chunks: list[ChunkRecord] = field(default_factory=list)
    aliases: list[AliasRecord] = field(default_factory=list)
    described: list[EntityRecord] = field(default_factory=list)
    named: Mapping[UUID, bool] = field(default_factory=dict)
    replaced: Replaced = NOTHING

    def without_its_names(self, known: Mapping[str, list[EntityRecord]]) -> dict[str, list[EntityRecord]]:
        """Return what names lead to, without the names that only this document has given: it may not give them any more."""
        own = {(alias.entity_id, alias.match_key) for alias in self.aliases}
        return {
            key: [entity for entity in found if entity.match_key == key or (entity.id, key) not in own]
            for key, found in known.items()
        }


async def earlier_readings(tx: Transaction, document: DocumentRecord, content: str) -> Earlier:
    """Return what earlier readings of a document have left, as it gives way to a reading of `content`."""
    (chunks,) = await tx.read.lists(ChunkRecord, "document_id", [document.id], "ordinal")
    if document.revision == 1 and not chunks:
        return Earlier()
    return Earlier(
        chunks,
        await tx.read.where(AliasRecord, document_id=document.id),
        await tx.read.where(EntityRecord, described_by=document.id),
        await tx.read.entities_named_by(document.id),
        await _replaced(tx, document.id, content, chunks),
    )


async def _replaced(tx: Transaction, document: UUID, content: str, chunks: Sequence[ChunkRecord]) -> Replaced:
    standings: dict[UUID, Standing] = {}
    for kind in (FACT, RELATIONSHIP):
        ids = list(await tx.read.claims_of_document(kind.evidence, document))
        claims = await tx.read.by_ids(kind.record, ids)
        lists = await tx.read.lists(EvidenceRecord, kind.evidence, ids, "id")
        standings |= {id: Standing(kind, *pair) for id, pair in zip(ids, zip(claims, lists, strict=True), strict=True)}
    rows = [row for standing in standings.values() for row in standing.evidence]
    gone = await _gone([row for row in rows if row.document_id == document], content)
    for standing in standings.values():
        standing.left = [
            row for row in standing.evidence if row.id not in gone and (row.live or _revives(row, document, rows))
        ]
    (text,) = await tx.read.contents([(document, chunks[0].revision)]) if chunks else [None]
    texts = {} if text is None else {document: sha256(text.encode()).hexdigest()}
    return Replaced(standings, await _corrected(tx, standings), texts)


async def _corrected(
    tx: Transaction, standings: Mapping[UUID, Standing]
) -> dict[tuple[Any, ...], list[tuple[Period, Standing]]]:
    """Return the claims that a person has put otherwise, or dated otherwise, under each way in which they were put before."""
    found: dict[tuple[Any, ...], list[tuple[Period, Standing]]] = {}
    for kind in (FACT, RELATIONSHIP):
        edited = [id for id, one in standings.items() if one.kind is kind and one.edited]
        for id, *was in await tx.read.earlier_versions(kind.past, edited, (*kind.key_columns, *PERIOD_COLUMNS)):
            claim, key, period = standings[id].claim, tuple(was[:-4]), Period(*was[-4:])
            if (key, period) != (kind.key_of(claim), period_of(claim)):
                found.setdefault(key, []).append((period, standings[id]))
    return found


async def _gone(rows: Sequence[EvidenceRecord], content: str) -> set[UUID]:
    """Return the evidence of a document that its new content does not bear out: all that was read out of it before, and quotes."""
    quoted = [row for row in rows if row.origin == Origin.STATED and row.start is not None]
    index = await asyncio.to_thread(QuoteIndex, content) if quoted else None
    lost = {row.id for row in quoted if index is not None and index.locate(row.quote) is None}
    return lost | {row.id for row in rows if row.origin == Origin.EXTRACTED}


def _revives(row: EvidenceRecord, document: UUID, rows: Sequence[EvidenceRecord]) -> bool:
    """Return whether a person's word about a document that had gone may count again: unless it counts for another claim by now."""
    if row.document_id != document or row.origin != Origin.STATED:
        return False
    same = (row.revision, row.start, row.end, row.quote, row.created_at)
    return not any(o.live and (o.revision, o.start, o.end, o.quote, o.created_at) == same for o in rows)


def write_chunks(
    tx: Transaction,
    document: DocumentRecord,
    earlier: Earlier,
    places: Sequence[Chunk],
    content: str,
    embedded: Embedded,
) -> list[UUID]:
    """Write the chunks of a reading, in order, and return their ids; one whose text was there keeps its row and its vector."""
    free: dict[str, list[ChunkRecord]] = {}
    for old in earlier.chunks:
        free.setdefault(old.text, []).append(old)
    ids: list[UUID] = []
    moved: list[dict[str, Any]] = []
    new: list[tuple[str, dict[str, Any]]] = []
    for ordinal, place in enumerate(places):
        text = content[place.start : place.end]
        kept = _kept(free.get(text, []), document.revision, ordinal)
        ids.append(new_id() if kept is None else kept.id)
        row: dict[str, Any] = {
            "id": ids[-1],
            "revision": document.revision,
            "ordinal": ordinal,
            "start": place.start,
            "end": place.end,
        }
        if kept is None:
            new.append((text, row))
        elif kept.revision != document.revision:
            moved.append(row)
    left = [old.id for olds in free.values() for old in olds]
    if earlier.chunks:
        tx.delete_where(models.Mention, document_id=document.id)
        tx.delete_ids(models.Chunk, left)
        tx.unindex(NodeKind.CHUNK, left)
        tx.update_many(models.Chunk, moved)
    for text, row in new:
        tx.insert(models.Chunk, document_id=document.id, text=text, **row)
        embedded.put(tx, NodeKind.CHUNK, row["id"], chunk_text(document.title, text))
    return ids


def _kept(olds: list[ChunkRecord], revision: int, ordinal: int) -> ChunkRecord | None:
    """Take one out of the chunks with the same text; within one revision only that of the same place, which has its key."""
    fit = next((old for old in olds if old.revision != revision or old.ordinal == ordinal), None)
    if fit is not None:
        olds.remove(fit)
    return fit


async def write_sources(tx: Transaction, document: UUID, earlier: Earlier, named: set[UUID]) -> None:
    """Say which entities a document names now. One read."""
    rows: list[dict[str, Any]] = [
        {"document_id": document, "entity_id": id} for id in sorted(named - earlier.named.keys())
    ]
    tx.state(models.DocumentEntity, rows)
    for live in (True, False):
        turned = [id for id, was in earlier.named.items() if was is not live and (id in named) is live]
        tx.set_among(models.DocumentEntity, "entity_id", turned, {"live": live, "stated": live}, document_id=document)
    await tie_survivors(tx, models.DocumentEntity, sorted(named | earlier.named.keys()))
