"""Whatever revisions two documents have gone through, what is believed in the end is what their last ones alone would say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from doubles import HashEmbedder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted import Item, edge, extraction, fact, thing, year

from server import models
from server.services.documents import Documents, NewDocument
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.ingestion.worker import IngestionWorker
from server.services.volumes import Volumes
from server.store import Store
from server.store.records import (
    AliasRecord,
    DocumentRecord,
    EntityRecord,
    EvidenceRecord,
    FactRecord,
    RelationshipRecord,
    VolumeRecord,
)
from server.terms import Authority, ClaimStatus

Key = tuple[str, ...]
EARLY, LATE = {"valid_from": year(2001), "valid_to": year(2003)}, {"valid_from": year(2005), "valid_to": year(2007)}
UNREADABLE = "Unreadable"


def statements(document: int, number: int, said: str, confidence: float) -> list[Item]:
    """What a sentence says. 0 and 1 are one claim, undated and dated; 2 and 3 are one of two times; 5 tells names.

    A name or a description is its first source's: where two give the same, it goes with that one.
    """
    names: dict[str, Any] = {
        "aliases": (f"Countess {document}",),
        "description": "a countess" if document == 1 else None,
    }
    sure: dict[str, Any] = {"confidence": confidence}
    return [
        lambda: [fact("Ada", "Likes tea", said, **sure)],
        lambda: [fact("Ada", "Likes tea", said, **EARLY, **sure)],
        lambda: [edge("Ada", "AT", "Acme", said, description="Ada was there", **EARLY, **sure)],
        lambda: [edge("Ada", "AT", "Acme", said, description="Ada was there", **LATE, **sure)],
        lambda: [fact("Acme", "Costs much", said, predicate="COSTS", value="9", **sure)],
        lambda: [thing("Ada", "person", quote=said, **names)],
        lambda: [thing("Bob", "person", quote=said), edge("Ada", "KNOWS", "Bob", said, **sure)],
    ][number]()


@dataclass(frozen=True)
class Revision:
    """A revision of one of two documents: which sentences it has, and how sure it is of each."""

    document: int
    sentences: tuple[tuple[int, float], ...]
    authority: Authority
    title: str
    readable: bool

    @property
    def text(self) -> str:
        # The same text under the same uri is nothing new, whatever authority is given with it.
        first = f"Text {self.document} by {self.authority}{'' if self.readable else f' {UNREADABLE}'} of Ada and Acme."
        return " ".join((first, *(f"Sentence {n} says so by {sure}." for n, sure in self.sentences)))


async def reads(chunk: ChunkText) -> Extraction:
    if UNREADABLE in chunk.text:
        raise ValueError("a defect")
    items: list[Item] = [thing("Ada", "person"), thing("Acme", "organization")]
    for found in re.finditer(r"Sentence (\d) says so by ([\d.]+)\.", chunk.text):
        items += statements(int(chunk.text[5]), int(found[1]), found[0], float(found[2]))
    return extraction(items)


async def ingested(store: Store, revisions: list[Revision]) -> VolumeRecord:
    """Return a volume in which these were ingested one after another."""
    volume = await Volumes(store).ensure(f"v{uuid4().hex}", "test")
    documents = Documents(store, HashEmbedder(), "scripted")
    worker = IngestionWorker(store, HashEmbedder(), reads, store.settings)
    for one in revisions:
        new = NewDocument(one.title, one.text, uri=f"uri/{one.document}", authority=one.authority)
        await documents.take(volume, new, "test")
        while await worker.step():
            pass
    return volume


async def believed(store: Store, volume: VolumeRecord) -> dict[str, list[Key]]:
    """Return what a volume believes or waits to: claims, and which entities documents name, with what they tell of these."""
    read, at = store.read, {"volume_id": volume.id}
    entities = {row.id: row for row in await read.where(EntityRecord, **at)}
    named = {id: row.name for id, row in entities.items()}
    found: dict[str, list[Key]] = {"claims": [], "sources": [], "entities": []}
    for record in (FactRecord, RelationshipRecord):
        for row in await read.where(record, **at):
            if row.status not in (ClaimStatus.CURRENT, ClaimStatus.PENDING_REVIEW):
                assert (row.status, row.status_reason) == (ClaimStatus.RETRACTED, "no longer in its source")
                continue
            assert row.status_reason is None
            said = (row.content, row.value) if isinstance(row, FactRecord) else (row.type, row.description)
            ends = (row.subject_id,) if isinstance(row, FactRecord) else (row.source_id, row.target_id)
            when = (row.valid_from, row.valid_to, row.valid_from_precision, row.valid_to_precision)
            stands = (row.status, row.confidence, row.authority)
            found["claims"].append(tuple(map(str, (*(named[id] for id in ends), *said, *when, *stands))))
    shown: set[Any] = set()
    for document in await read.where(DocumentRecord, **at):
        for id, live in (await read.entities_named_by(document.id)).items():
            if live:
                found["sources"].append((str(document.uri), named[id]))
                shown.add(id)
    for id in shown:
        aliases = sorted(alias.name for alias in await read.where(AliasRecord, entity_id=id))
        found["entities"].append((named[id], str(entities[id].description), *aliases))
    return {kind: sorted(rows) for kind, rows in found.items()}


async def check_evidence(store: Store, volume: VolumeRecord) -> None:
    """Every quote is where its own revision has it; what counts is of the revision that was read last."""
    for row in await store.read.where(EvidenceRecord):
        if row.document_id is None or row.revision is None:
            continue
        document = await store.read.one(DocumentRecord, row.document_id)
        if document is None or document.volume_id != volume.id:
            continue
        (content,) = await store.read.contents([(row.document_id, row.revision)])
        assert content is not None
        assert content[row.start : row.end] == row.quote
        chunks = await store.read.rows(
            models.metadata.tables["chunk"].select().where(models.metadata.tables["chunk"].c.document_id == document.id)
        )
        read_last = {chunk.revision for chunk in chunks}
        assert len(read_last) == 1
        assert row.live is False or row.revision in read_last


sentences = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from((0.5, 0.8))), max_size=4, unique_by=lambda sentence: sentence[0]
)
revision = st.builds(
    Revision,
    st.integers(1, 2),
    sentences.map(tuple),
    st.sampled_from((Authority.USER, Authority.OFFICIAL)),
    st.sampled_from(("Notes", "Acme")),
    st.sampled_from((True, True, True, True, False)),
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(revision, min_size=2, max_size=5))
async def test_the_last_revisions_alone_would_have_made_the_same_view(store: Store, revisions: list[Revision]) -> None:
    last = {one.document: one for one in revisions if one.readable}
    volume = await ingested(store, revisions)
    order = sorted(last.values(), key=lambda one: max(n for n, other in enumerate(revisions) if other == one))
    assert await believed(store, volume) == await believed(store, await ingested(store, order))
    await check_evidence(store, volume)
