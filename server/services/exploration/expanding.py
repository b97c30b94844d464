"""The steps of an exploration: links of memories, what memories refer to, entities, relationships, memories about entities.

Each step is one statement for all nodes that it begins from, follows the strongest things of each of them, and goes on only from what
matters enough beside the best entry: a step that brings nothing of weight is the last. What it leaves aside is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

from server.ids import NodeKind
from server.services.exploration.entering import Asked, Entries
from server.services.exploration.graph import Found, Trace, Weighed
from server.store.exploring import (
    attachments_of,
    entities_of_projects,
    links_of_memories,
    memories_of_entities,
    relationships_of_entities,
)
from server.store.filters import RelationshipFilter
from server.store.reader import Reader
from server.store.records import RelationshipRecord
from server.store.traversal import attachments_between, edges_between
from server.terms import ExplorationDepth, Reached

__all__ = ["expand"]

MOST_ENTITIES = 60
MOST_MEMORIES = 200
_PER_PROJECT = 20
_PER_ENTITY = 10
"""How many relationships, and how many of its newest memories, are followed from an entity."""
_MOST_EDGES = 1_000
_LINK, _ABOUT, _MEMBER, _NEIGHBOR, _AMONG = 0.9, 0.8, 0.3, 0.3, 0.6
_KEPT = {NodeKind.PROJECT: 0.75, NodeKind.DOCUMENT: 0.7, NodeKind.CODE_ARTIFACT: 0.65}
_BY_ENTITY, _ALSO_FOUND = 0.2, 0.6
"""What a memory has of the weight of an entity that it is about, and what it has more of it the better it answers the query itself."""
_LEAST = 0.1
_LIMIT, _RELEVANCE = "LIMIT", "RELEVANCE"


async def expand(read: Reader, asked: Asked, entries: Entries) -> Found:
    """Return what is around the entries, as far as the depth goes. Two statements, four more where there are entities, at MEDIUM one more,
    at DEEP two.
    """
    found = Found()
    for id, score in list(entries.memories.items())[: asked.first]:
        found.memories[id] = Trace(Reached.PRIMARY, 0, score)
    for id, score in entries.entities.items():
        found.add_entity(id, score, 0)
    for id, score in entries.documents.items():
        found.attach(NodeKind.DOCUMENT, id, score)
    await _links(read, asked.links, found)
    await _details(read, found, entities=asked.depth is not ExplorationDepth.SHALLOW)
    if asked.depth is not ExplorationDepth.SHALLOW:
        await _members(read, found)
    _strongest_entities(found)
    await _relationships(read, asked, found)
    await _memories(read, asked, entries.memories, found)
    return found


async def _links(read: Reader, most: int, found: Found) -> None:
    """Follow the links of the entry memories."""
    steps = await links_of_memories(read, list(found.memories), most)
    found.left_out["MEMORY_LINK", _LIMIT] += sum(steps.numbers.values()) - len(steps.found)
    entries = dict(found.memories)
    for led in sorted(steps.found, key=lambda one: (-entries[one.origin].weight * one.weight, one.id)):
        if led.other in entries:
            continue
        weight = _LINK * entries[led.origin].weight * led.weight
        trace = found.memories.setdefault(led.other, Trace(Reached.LINKED, 1, weight))
        trace.origins.append((NodeKind.MEMORY, led.origin))


async def _details(read: Reader, found: Found, *, entities: bool) -> None:
    """Find what the memories refer to, and which entities they are about; those come in where `entities` do."""
    for origin, kind, id in await attachments_of(read, list(found.memories)):
        trace = found.memories[origin]
        if kind is not NodeKind.ENTITY:
            found.attach(kind, id, _KEPT[kind] * trace.weight)
            continue
        found.about.setdefault(origin, []).append(id)
        if entities:
            found.add_entity(id, _ABOUT * trace.weight, trace.hops + 1)


async def _members(read: Reader, found: Found) -> None:
    """Find the entities of the projects, the most important of each."""
    projects = found.attached[NodeKind.PROJECT]
    steps = await entities_of_projects(read, list(projects), _PER_PROJECT)
    found.left_out["ENTITY", _LIMIT] += sum(steps.numbers.values()) - len(steps.found)
    for led in steps.found:
        found.add_entity(led.id, _MEMBER * projects[led.origin] * (0.5 + led.weight / 2), 2)


def _strongest_entities(found: Found) -> None:
    """Keep the entities that matter most, and count the others."""
    ordered = sorted(found.entities, key=lambda one: (-found.entities[one], one))
    found.left_out["ENTITY", _LIMIT] += len(ordered[MOST_ENTITIES:])
    found.entities = {id: found.entities[id] for id in ordered[:MOST_ENTITIES]}


async def _relationships(read: Reader, asked: Asked, found: Found) -> None:
    """Find every relationship between the entities, and the strongest of each to others. Three statements."""
    entities = list(found.entities)
    steps = await relationships_of_entities(read, entities, _PER_ENTITY, asked.view)
    between, _ = await edges_between(read, entities, RelationshipFilter(), asked.view, most=_MOST_EDGES)
    ids = list(dict.fromkeys([*between, *(led.id for led in steps.found)]))
    rows = [row for row in await read.by_ids(RelationshipRecord, ids, view=asked.view) if row is not None]
    for row in rows:
        known = [found.entities.get(row.source_id), found.entities.get(row.target_id)]
        ends = [weight for weight in known if weight is not None]
        share = _AMONG if len(ends) == 2 else _NEIGHBOR
        weight = share * (sum(ends) / len(ends) if ends else 0.0) * row.strength * row.confidence
        found.relationships[row.id] = Weighed(row, weight)
    looked_at = sum(len({row.source_id, row.target_id} & found.entities.keys()) for row in rows)
    found.relationship_counts = steps.numbers
    found.left_out["RELATIONSHIP", _LIMIT] += max(0, sum(steps.numbers.values()) - looked_at)


async def _memories(read: Reader, asked: Asked, scores: Mapping[UUID, float], found: Found) -> None:
    """Count the memories about the entities, and at DEEP follow them: the newest, and those that the search found too. Two statements.

    `scores` are those of what it found.
    """
    deep, entities = asked.depth is ExplorationDepth.DEEP, list(found.entities)
    steps = await memories_of_entities(read, entities, _PER_ENTITY if deep else 0)
    found.memory_counts = steps.numbers
    if not deep:
        return
    also = await attachments_between(read, [id for id in scores if id not in found.memories], entities)
    pairs = {(led.id, led.origin) for led in steps.found} | set(also)
    visited = {(memory, one) for memory, about in found.about.items() for one in about if one in found.entities}
    found.left_out["MEMORY", _LIMIT] += sum(steps.numbers.values()) - len(pairs | visited)
    _follow(found, sorted(pairs - visited), scores)


def _follow(found: Found, pairs: Iterable[tuple[UUID, UUID]], scores: Mapping[UUID, float]) -> None:
    """Add the memories of (memory, entity) that matter enough."""
    traces: dict[UUID, Trace] = {}
    weighed = [(_weight(found, entity, scores.get(memory)), memory, entity) for memory, entity in pairs]
    for weight, memory, entity in sorted(weighed, key=lambda one: (-one[0], *one[1:])):
        if memory in found.memories:
            continue
        trace = traces.setdefault(memory, Trace(Reached.ENTITY_LINKED, found.hops[entity] + 1, weight))
        trace.origins.append((NodeKind.ENTITY, entity))
        found.about.setdefault(memory, []).append(entity)
    enough = {id: trace for id, trace in traces.items() if trace.weight >= _LEAST}
    kept = dict(list(enough.items())[:MOST_MEMORIES])
    found.left_out["MEMORY", _RELEVANCE] += len(traces) - len(enough)
    found.left_out["MEMORY", _LIMIT] += len(enough) - len(kept)
    found.memories.update(kept)


def _weight(found: Found, entity: UUID, score: float | None) -> float:
    return found.entities[entity] * (_BY_ENTITY + _ALSO_FOUND * (score or 0.0))
