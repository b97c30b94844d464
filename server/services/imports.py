"""Importing a graph: many entities, facts, relationships and memories in one transaction, tied together by local keys.

Everything is resolved and checked as by hand, in sets: the number of reads does not grow with the items, the log gets one
entry, and vectors are made in the background.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from server import models
from server.embeddings import Embedder
from server.errors import BadUserInput, NotFound, ServerError
from server.ids import NodeKind, new_id
from server.services.assertions import write_claims
from server.services.claims import (
    FACT,
    RELATIONSHIP,
    Claim,
    ClaimKind,
    Support,
    Written,
    fact_claim,
    relationship_claim,
    stated_period,
)
from server.services.entities import NewEntity, cleaned, complete, draft_record, insert_entity, joined, keep_stated
from server.services.facts import NewFact, clean_fact
from server.services.idempotency import Once
from server.services.identity import match_key
from server.services.indexing import Embedded
from server.services.memories import NewMemory, clean_memory, insert_memory
from server.services.relationships import NewRelationship, clean_relationship, refuse_one, sentence
from server.services.resolution import Named, ambiguous, candidates_of, merged_among
from server.store import Store, Transaction
from server.store.records import AliasRecord, EntityRecord, VolumeRecord
from server.terms import ChangeKind, ValueType


@dataclass(frozen=True, slots=True)
class ImportedEntity:
    """An entity, with the local key that other items of the import call it by."""

    key: str
    entity: NewEntity


@dataclass(frozen=True, slots=True)
class ImportedFact:
    """A fact about the entity with this local key or id; the fact's own subject is not looked at."""

    subject: str | UUID
    fact: NewFact


@dataclass(frozen=True, slots=True)
class ImportedRelationship:
    """A relationship between the entities with these local keys or ids; its own ends are not looked at."""

    source: str | UUID
    target: str | UUID
    relationship: NewRelationship


@dataclass(frozen=True, slots=True)
class ImportedMemory:
    """A memory about the entities with these local keys or ids, beside its own attachments."""

    entities: tuple[str | UUID, ...]
    memory: NewMemory


@dataclass(frozen=True, slots=True)
class Graph:
    """What one import brings."""

    entities: Sequence[ImportedEntity] = ()
    facts: Sequence[ImportedFact] = ()
    relationships: Sequence[ImportedRelationship] = ()
    memories: Sequence[ImportedMemory] = ()

    @property
    def size(self) -> int:
        """Return the number of items."""
        return len(self.entities) + len(self.facts) + len(self.relationships) + len(self.memories)


@dataclass(slots=True)
class Imported:
    """What an import came to: ids by local key, and how many nodes were made now."""

    ids: dict[str, UUID] = field(default_factory=dict)
    entities_created: int = 0
    facts_created: int = 0
    relationships_created: int = 0
    memories_created: int = 0


class Imports:
    """Imports into a store's volumes."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    async def load(
        self,
        volume: VolumeRecord,
        graph: Graph,
        actor: str,
        *,
        known: dict[str, UUID] | None = None,
        idempotency_key: str | None = None,
        request: Any = None,
    ) -> Imported:
        """Write a graph in one transaction: all of it, or nothing.

        `known` are local keys of imports before this one. Memories are not linked automatically.

        Raises:
            BadUserInput: an item is wrong, or a key is unknown or given twice; argument names it, as "facts[3].subject".
            NotFound: an id is not of this volume.
            Ambiguous: a name is that of several entities.
        """
        loading = _Loading(graph, dict(known or {}))
        loading.check()
        once = Once(self._store.settings, idempotency_key, "importGraph", {"graph": request})
        async with self._store.write(volume.id, actor) as tx:
            answered = await once.recall(tx)
            if answered is not None:
                return _recalled(answered)
            await loading.write(tx)
            once.remember(tx, _plain(loading.result))
        return loading.result


class _Loading:
    """One import under way."""

    def __init__(self, graph: Graph, known: dict[str, UUID]) -> None:
        self._graph = graph
        self._ids = known
        self.result = Imported()
        self._names: dict[UUID, str] = {}
        self._survivors: dict[UUID, UUID] = {}
        self._fresh: set[UUID] = set()
        self._nodes: list[tuple[NodeKind, UUID]] = []
        self._nothing = Embedded({})

    def check(self) -> None:
        """Clean every item, before anything is read or locked."""
        g = self._graph
        self._entities = [replace(e, entity=_at(f"entities[{n}]", cleaned, e.entity)) for n, e in enumerate(g.entities)]
        self._facts = [_at(f"facts[{n}]", clean_fact, f.fact) for n, f in enumerate(g.facts)]
        self._edges = [_at(f"relationships[{n}]", _clean_edge, r.relationship) for n, r in enumerate(g.relationships)]
        self._memories = [_at(f"memories[{n}]", clean_memory, m.memory) for n, m in enumerate(g.memories)]
        seen: set[str] = set(self._ids)
        for n, e in enumerate(self._entities):
            if e.key in seen:
                raise BadUserInput(f"The key {e.key} is given twice.", argument=f"entities[{n}].key")
            seen.add(e.key)

    async def write(self, tx: Transaction) -> None:
        """Resolve and collect everything."""
        await self._write_entities(tx)
        await self._look_up(tx)
        facts = await self._claims(tx, FACT, list(self._fact_claims()))
        edges = await self._claims(tx, RELATIONSHIP, list(self._edge_claims()))
        self.result.facts_created = _made(facts)
        self.result.relationships_created = _made(edges)
        self._write_memories(tx)
        tx.log_batch(ChangeKind.CREATED, self._nodes)

    async def _claims(self, tx: Transaction, kind: ClaimKind, claims: Sequence[Claim]) -> list[Written]:
        fresh = frozenset(self._fresh)
        return await write_claims(tx, kind, claims, self._nothing, fresh=fresh, bulk=True, survivors=self._survivors)

    async def _write_entities(self, tx: Transaction) -> None:
        named = [Named(e.entity.name, e.entity.type, stated=True, sense=e.entity.sense) for e in self._entities]
        keys = list(dict.fromkeys(key for name in named for key in name.keys))
        found = await tx.read.entities_named(tx.volume_id, keys)
        met: dict[UUID, tuple[EntityRecord, list[NewEntity]]] = {}
        drafts: dict[UUID, NewEntity] = {}
        for n, (item, name) in enumerate(zip(self._entities, named, strict=True)):
            fit = candidates_of(name, found)
            if len(fit) > 1:
                raise ambiguous(name.name, fit, f"entities[{n}].name")
            id = fit[0].id if fit else new_id()
            if fit and id not in drafts:
                met.setdefault(id, (fit[0], []))[1].append(item.entity)
            else:
                drafts[id] = joined(drafts[id], item.entity) if id in drafts else item.entity
                _announce(found, draft_record(id, tx.volume_id, drafts[id]), drafts[id].aliases)
            self._ids[item.key] = self.result.ids[item.key] = id
            self._names.setdefault(id, fit[0].name if fit else item.entity.name)
            self._survivors |= merged_among(fit)
        self._insert(tx, drafts)
        await self._complete(tx, met)

    def _insert(self, tx: Transaction, drafts: dict[UUID, NewEntity]) -> None:
        for id, entity in drafts.items():
            insert_entity(tx, entity, self._nothing, id=id, logged=False)
            self._nodes.append((NodeKind.ENTITY, id))
        self._fresh |= drafts.keys()
        self.result.entities_created = len(drafts)

    async def _complete(self, tx: Transaction, met: dict[UUID, tuple[EntityRecord, list[NewEntity]]]) -> None:
        keep_stated(tx, [entity for entity, _ in met.values()])
        lists = await tx.read.lists(AliasRecord, "entity_id", list(met), "match_key")
        for (entity, stated), aliases in zip(met.values(), lists, strict=True):
            complete(tx, entity, aliases, stated)

    async def _look_up(self, tx: Transaction) -> None:
        """Read the entities that items refer to by id, or by a key of an import before."""
        places: dict[UUID, str] = {}
        for place, ref in self._references():
            id = self._id(ref, place)
            if id not in self._names:
                places.setdefault(id, place)
        rows = await tx.read.by_ids(EntityRecord, list(places))
        for place, row in zip(places.values(), rows, strict=True):
            if row is None or row.volume_id != tx.volume_id:
                raise NotFound("There is no such entity in this volume.", argument=place)
            self._names[row.id] = row.name
            self._survivors |= merged_among([row])

    def _references(self) -> Iterator[tuple[str, str | UUID]]:
        """Yield what items refer to, each with its place in the import."""
        for n, fact in enumerate(self._graph.facts):
            yield f"facts[{n}].subject", fact.subject
        for n, edge in enumerate(self._graph.relationships):
            yield f"relationships[{n}].source", edge.source
            yield f"relationships[{n}].target", edge.target
        for n, memory in enumerate(self._graph.memories):
            yield from ((f"memories[{n}].entities", ref) for ref in memory.entities)

    def _id(self, ref: str | UUID, argument: str) -> UUID:
        id = ref if isinstance(ref, UUID) else self._ids.get(ref)
        if id is None:
            raise BadUserInput(f"No entity of this import has the key {ref}.", argument=argument)
        return id

    def _fact_claims(self) -> Iterator[Claim]:
        for n, (item, (fact, period)) in enumerate(zip(self._graph.facts, self._facts, strict=True)):
            subject = self._id(item.subject, f"facts[{n}].subject")
            support = Support(fact.quote or fact.content, fact.confidence, fact.authority)
            yield fact_claim(
                subject,
                self._names[subject],
                fact.content,
                period,
                support,
                category=fact.category,
                predicate=fact.predicate,
                value=fact.value,
                value_type=fact.value_type or ValueType.NONE,
                importance=fact.importance,
            )

    def _edge_claims(self) -> Iterator[Claim]:
        for n, (item, (edge, period)) in enumerate(zip(self._graph.relationships, self._edges, strict=True)):
            source = self._id(item.source, f"relationships[{n}].source")
            target = self._id(item.target, f"relationships[{n}].target")
            refuse_one(source, target, self._survivors, f"relationships[{n}].target")
            text = edge.quote or edge.description or sentence(self._names[source], edge.type, self._names[target])
            yield relationship_claim(
                source,
                edge.type,
                target,
                period,
                Support(text, edge.confidence, edge.authority),
                description=edge.description,
                strength=edge.strength,
                bidirectional=edge.bidirectional,
                properties=edge.properties,
            )

    def _write_memories(self, tx: Transaction) -> None:
        for n, (item, memory) in enumerate(zip(self._graph.memories, self._memories, strict=True)):
            id = insert_memory(tx, memory, self._nothing, logged=False)
            about = {self._id(ref, f"memories[{n}].entities") for ref in item.entities}
            also = {self._survivors[e] for e in about if e in self._survivors} - about
            ties = [*((e, True) for e in about), *((e, False) for e in also)]
            rows = [{"memory_id": id, "entity_id": e, "stated": stated} for e, stated in sorted(ties)]
            tx.insert_many(models.MemoryEntity, rows)
            self._nodes.append((NodeKind.MEMORY, id))
        self.result.memories_created = len(self._memories)


def _announce(found: dict[str, list[EntityRecord]], record: EntityRecord, aliases: Sequence[str]) -> None:
    """Let later items of the import find an entity that is about to be made, under its name and its aliases."""
    for key in {record.match_key, *(match_key(alias) for alias in aliases)}:
        others = [known for known in found.get(key, ()) if known.id != record.id]
        found[key] = [*others, record]


def _clean_edge(new: NewRelationship) -> tuple[NewRelationship, Any]:
    edge = clean_relationship(new)
    return edge, stated_period(edge.valid_from, edge.valid_to)


def _at(place: str, clean: Any, item: Any) -> Any:
    """Return a cleaned item; a refusal names where in the import it stands."""
    try:
        return clean(item)
    except ServerError as error:
        raise BadUserInput(error.message, argument=f"{place}.{error.argument}") from error


def _made(written: Sequence[Written]) -> int:
    return sum(not w.known for w in written)


def _plain(result: Imported) -> dict[str, Any]:
    counts = {n: getattr(result, n) for n in Imported.__dataclass_fields__ if n != "ids"}
    return {"ids": {key: str(id) for key, id in result.ids.items()}, **counts}


def _recalled(stored: dict[str, Any]) -> Imported:
    return Imported(**{**stored, "ids": {key: UUID(id) for key, id in stored["ids"].items()}})


__all__ = [
    "Graph",
    "Imported",
    "ImportedEntity",
    "ImportedFact",
    "ImportedMemory",
    "ImportedRelationship",
    "Imports",
]
