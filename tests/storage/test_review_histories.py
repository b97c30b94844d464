"""Whatever is said, doubted, decided and deleted: a claim waits exactly as long as its question is open, and what was rejected stays so."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

from doubles import HashEmbedder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted import extraction, fact, thing

from server.services.decisions import Resolution, Reviews
from server.services.documents import Documents, NewDocument
from server.services.entities import Entities, NewEntity
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.facts import Facts, NewFact
from server.services.ingestion.worker import IngestionWorker
from server.services.volumes import Volumes
from server.store import Store
from server.store.records import DocumentRecord, FactRecord, ReviewRecord
from server.terms import ClaimStatus, ReviewAction

SURE = st.sampled_from([0.3, 0.5, 0.9])
STEPS = st.one_of(
    st.tuples(st.just("says"), st.integers(0, 2), st.none() | SURE),
    st.tuples(st.just("states"), SURE),
    st.tuples(st.just("doubts"), SURE),
    st.tuples(st.just("retracts")),
    st.tuples(st.just("decides"), st.sampled_from([ReviewAction.APPROVE, ReviewAction.REJECT])),
    st.tuples(st.just("deletes"), st.integers(0, 2)),
)
LIVE = (ClaimStatus.CURRENT, ClaimStatus.PENDING_REVIEW)


async def reads(chunk: ChunkText) -> Extraction:
    found = re.finditer(r"Ada likes tea, by ([\d.]+)\.", chunk.text)
    said = [fact("Ada", "Likes tea", one[0], confidence=float(one[1])) for one in found]
    return extraction([thing("Ada"), *said])


class History:
    """A volume with one entity, of which one thing is said."""

    def __init__(self, store: Store) -> None:
        self.store = store
        embedder = HashEmbedder()
        self.facts, self.entities, self.reviews = Facts(store, embedder), Entities(store, embedder), Reviews(store)
        self.documents = Documents(store, embedder, "scripted")
        self.worker = IngestionWorker(store, embedder, reads, store.settings)

    async def begin(self) -> None:
        self.volume = await Volumes(self.store).ensure(f"v{uuid4().hex}", "test")
        self.ada = (await self.entities.create(self.volume, NewEntity("Ada", "concept"), "test")).id

    async def claims(self) -> list[FactRecord]:
        return await self.store.read.where(FactRecord, volume_id=self.volume.id)

    async def items(self) -> list[ReviewRecord]:
        return await self.store.read.where(ReviewRecord, volume_id=self.volume.id)

    async def says(self, document: int, sure: float | None) -> None:
        said = "" if sure is None else f" Ada likes tea, by {sure}."
        await self.documents.take(self.volume, NewDocument("T", f"{document}: Ada.{said}", uri=str(document)), "test")
        while await self.worker.step():
            pass

    async def states(self, sure: float) -> None:
        await self.facts.create(self.volume, NewFact(self.ada, "Likes tea", confidence=sure), "test")

    async def doubts(self, sure: float) -> None:
        for claim in await self._live():
            await self.facts.update(self.volume, claim, {"confidence": sure}, None, "test")

    async def retracts(self) -> None:
        for claim in await self._live():
            await self.facts.retract(self.volume, claim, None, None, "test")

    async def decides(self, action: ReviewAction) -> None:
        waiting = [item.id for item in await self.items() if item.decision is None]
        if waiting:
            await self.reviews.resolve(self.volume, Resolution(waiting, action), "test")

    async def deletes(self, document: int) -> None:
        for row in await self.store.read.where(DocumentRecord, volume_id=self.volume.id, uri=str(document)):
            await self.documents.delete(self.volume, row.id, "test")

    async def _live(self) -> list[UUID]:
        return [claim.id for claim in await self.claims() if claim.status in LIVE]


@given(st.lists(STEPS, min_size=1, max_size=8))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_claim_waits_as_long_as_its_question_is_open(store: Store, steps: list[tuple[Any, ...]]) -> None:
    history = History(store)
    await history.begin()
    rejected: set[UUID] = set()
    for name, *given_ in steps:
        step: Callable[..., Awaitable[None]] = getattr(history, name)
        await step(*given_)
        claims = {claim.id: claim for claim in await history.claims()}
        items = await history.items()
        waiting = {claim.id for claim in claims.values() if claim.status == ClaimStatus.PENDING_REVIEW}
        assert waiting == {item.fact_id for item in items if item.decision is None}
        assert len({item.fact_id for item in items}) == len(items)
        by_hand = name == "states"  # a person who is sure brings back what was rejected, or retracted
        assert by_hand or all(claims[id].status == ClaimStatus.REJECTED for id in rejected & claims.keys())
        rejected = {id for id, claim in claims.items() if claim.status == ClaimStatus.REJECTED}
        assert rejected <= {item.fact_id for item in items if item.decision == "REJECTED"}
        assert len([claim for claim in claims.values() if claim.status in LIVE]) <= 1
        assert len(claims) <= 1
