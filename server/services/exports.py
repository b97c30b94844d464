"""Exporting a volume as lines of JSON: what is believed of it now, in a form that an import brings back.

Entities, facts, relationships and memories go out, in this order. What an import cannot bring back stays behind and is
counted: claims that were taken back or that a person has decided against, and obsolete memories. Claims that others supersede
by date or by rank go along, and those that wait for review: the import finds out anew where they stand. Documents, links,
projects and history are no part of it; of the evidence of a claim the first quote goes along.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from itertools import count
from uuid import UUID

from server.services.claims import FACT, GONE, RELATIONSHIP, ClaimKind
from server.services.entities import ALIASES
from server.services.jsonl import Line, entity_line, fact_line, memory_line, relationship_line
from server.services.relationships import sentence
from server.services.rivals import DECIDED
from server.store import Store
from server.store.records import (
    EntityRecord,
    EvidenceRecord,
    FactRecord,
    MemoryRecord,
    RelationshipRecord,
    VolumeRecord,
)
from server.store.relations import ENTITIES_OF_MEMORY

_ATTACHED = 1000


def _goes_along(claim: FactRecord | RelationshipRecord) -> bool:
    return claim.status not in GONE and claim.status_reason != DECIDED


class Export:
    """One export of one volume. `written` and `left_out` count lines by kind, as they are yielded."""

    def __init__(self, store: Store, volume: VolumeRecord) -> None:
        self._store = store
        self._volume = volume
        self._keys: dict[UUID, str] = {}
        self._numbers = count(1)
        self.written: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()

    async def batches(self) -> AsyncIterator[list[Line]]:
        """Yield the lines in batches; entities first, so that keys are known where they are used.

        Each batch is a read of its own: what is written meanwhile may be in it or not, but no line refers to a missing one.
        """
        for part in (self._entities, self._facts, self._relationships, self._memories):
            async for lines in part():
                self.written.update(line["kind"] for line in lines)
                yield lines

    async def _entities(self) -> AsyncIterator[list[Line]]:
        """Homonyms that are told apart by a sense come last: without one a name would stand for all of them."""
        told_apart: list[EntityRecord] = []
        async for entities in self._store.read.stream(EntityRecord, self._volume.id):
            told_apart += [entity for entity in entities if entity.sense]
            yield await self._with_aliases([entity for entity in entities if not entity.sense])
        yield await self._with_aliases(told_apart)

    async def _with_aliases(self, entities: Sequence[EntityRecord]) -> list[Line]:
        lists = await self._store.read.other_names([e.id for e in entities])
        self._keys.update((entity.id, f"e{next(self._numbers)}") for entity in entities)
        return [entity_line(self._keys[e.id], e, names[:ALIASES]) for e, names in zip(entities, lists, strict=True)]

    async def _facts(self) -> AsyncIterator[list[Line]]:
        async for facts in self._store.read.stream(FactRecord, self._volume.id):
            live = [fact for fact in facts if _goes_along(fact)]
            self.left_out["fact"] += len(facts) - len(live)
            quotes = await self._quotes(FACT, [fact.id for fact in live])
            yield [
                fact_line(self._keys[fact.subject_id], fact, quote if quote != fact.content else None)
                for fact, quote in zip(live, quotes, strict=True)
                if fact.subject_id in self._keys
            ]

    async def _relationships(self) -> AsyncIterator[list[Line]]:
        async for edges in self._store.read.stream(RelationshipRecord, self._volume.id):
            live = [edge for edge in edges if _goes_along(edge)]
            self.left_out["relationship"] += len(edges) - len(live)
            quotes = await self._quotes(RELATIONSHIP, [edge.id for edge in live])
            plain = await self._sentences(live)
            yield [
                relationship_line(
                    self._keys[edge.source_id],
                    self._keys[edge.target_id],
                    edge,
                    quote if quote != (edge.description or said) else None,
                )
                for edge, quote, said in zip(live, quotes, plain, strict=True)
                if edge.source_id in self._keys and edge.target_id in self._keys
            ]

    async def _quotes(self, kind: ClaimKind, ids: Sequence[UUID]) -> list[str | None]:
        lists = await self._store.read.lists(EvidenceRecord, kind.evidence, ids, "id")
        return [next((row.quote for row in evidence if row.live), None) for evidence in lists]

    async def _sentences(self, edges: Sequence[RelationshipRecord]) -> list[str]:
        """Return what the import takes as the words of each relationship that has none."""
        ends = await self._store.read.by_ids(EntityRecord, [id for e in edges for id in (e.source_id, e.target_id)])
        names = [end.name if end else "" for end in ends]
        return [sentence(names[2 * n], edge.type, names[2 * n + 1]) for n, edge in enumerate(edges)]

    async def _memories(self) -> AsyncIterator[list[Line]]:
        async for memories in self._store.read.stream(MemoryRecord, self._volume.id):
            live = [memory for memory in memories if not memory.obsolete]
            self.left_out["memory"] += len(memories) - len(live)
            about = await self._about([memory.id for memory in live])
            yield [memory_line(memory, keys) for memory, keys in zip(live, about, strict=True)]

    async def _about(self, memories: Sequence[UUID]) -> list[list[str]]:
        """Return the keys of the entities that each memory is about."""
        pages = await self._store.read.pages(ENTITIES_OF_MEMORY, memories, first=_ATTACHED)
        found: list[list[str]] = []
        for memory, page in zip(memories, pages, strict=True):
            rows = list(page.rows)
            while page.has_next:
                (page,) = await self._store.read.pages(
                    ENTITIES_OF_MEMORY, [memory], first=_ATTACHED, after=(rows[-1].id,)
                )
                rows += page.rows
            found.append([self._keys[entity.id] for entity in rows if entity.id in self._keys])
        return found
