"""Subgraphs: the entities and memories around some of them, hop by hop, with every edge between those that were found.

Nearest first, and of one hop the strongest first, until there are as many as asked. Parallel edges and loops all stay. Memories
hang on entities and on each other; where relationship types are named, only those are walked, and memories only if they were asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from server.store.filters import RelationshipFilter
from server.store.reader import Reader
from server.store.relations import Turned, Types, relationships_of_entity
from server.store.traversal import (
    Leading,
    attachments_between,
    edges_between,
    edges_from,
    entities_of,
    links_of,
    memories_of,
    most_connected,
)
from server.terms import Direction
from server.views import View

__all__ = ["MOST_EDGES", "MOST_NODES", "Found", "Wanted", "around", "densest"]

MOST_NODES = 1_000
MOST_EDGES = 10_000
"""How many edges a hop reads of each kind, and how many relationships a subgraph has at most."""


class Wanted(NamedTuple):
    """What to walk: relationships of some types (None: all, and memories), as they lead from the entity that is reached."""

    direction: Direction = Direction.BOTH
    types: Types | None = None
    turned: Turned = ()

    @property
    def filter(self) -> RelationshipFilter:
        """The relationships that it shows."""
        return RelationshipFilter(self.types, turned=self.turned)


class Found(NamedTuple):
    """A subgraph: entities and memories in the order they were reached in, and what is between them, oldest first."""

    entities: list[UUID]
    memories: list[UUID]
    relationships: list[UUID]
    links: list[UUID]
    attachments: list[tuple[UUID, UUID]]
    truncated: bool


@dataclass(slots=True)
class _Reached:
    """What was reached so far, and what of it in the last hop."""

    most: int
    entities: dict[UUID, None] = field(default_factory=dict)
    memories: dict[UUID, None] = field(default_factory=dict)
    last_entities: list[UUID] = field(default_factory=list)
    last_memories: list[UUID] = field(default_factory=list)
    truncated: bool = False

    def add(self, entities: Iterable[Leading], memories: Iterable[Leading]) -> None:
        """Add what a hop leads to, the strongest first, as long as there is room."""
        kinds = [(self.entities, entities, list[UUID]()), (self.memories, memories, list[UUID]())]
        best: dict[tuple[int, UUID], float] = {}
        for kind, (known, leading, _) in enumerate(kinds):
            for one in leading:
                if one.other not in known:
                    best[kind, one.other] = max(one.weight, best.get((kind, one.other), 0.0))
        for kind, node in sorted(best, key=lambda key: (-best[key], *key)):
            if len(self.entities) + len(self.memories) >= self.most:
                self.truncated = True
                break
            known, _, new = kinds[kind]
            known[node] = None
            new.append(node)
        self.last_entities, self.last_memories = kinds[0][2], kinds[1][2]


async def around(
    read: Reader,
    entities: Sequence[UUID],
    memories: Sequence[UUID],
    wanted: Wanted,
    *,
    hops: int,
    most: int,
    view: View | None = None,
) -> Found:
    """Return the subgraph of what is at most so many hops from these. Four statements for each hop, and three at the end."""
    reached = _Reached(most)
    begin = [[Leading(id, None, id, 1.0) for id in ids] for ids in (entities, memories)]
    reached.add(*begin)
    for _ in range(hops):
        if not (reached.last_entities or reached.last_memories) or reached.truncated:
            break
        await _hop(read, reached, wanted, view)
    return await _between(read, reached, wanted, view)


async def _hop(read: Reader, reached: _Reached, wanted: Wanted, view: View | None) -> None:
    relation = relationships_of_entity(wanted.direction, wanted.types, wanted.turned)
    people, notes = reached.last_entities, reached.last_memories
    edges, cut = await edges_from(read, people, relation, view, most=MOST_EDGES)
    links, cut_links = await links_of(read, notes, most=MOST_EDGES)
    subjects, cut_subjects = await entities_of(read, notes, most=MOST_EDGES)
    about, cut_about = ([], False) if wanted.types is not None else await memories_of(read, people, most=MOST_EDGES)
    reached.add([*edges, *subjects], [*links, *about])
    reached.truncated |= cut or cut_links or cut_subjects or cut_about


async def densest(read: Reader, volume: UUID, wanted: Wanted, *, most: int, view: View | None = None) -> Found:
    """Return the subgraph of the entities with the most relationships among the volume's latest. Two statements."""
    entities, more = await most_connected(read, volume, wanted.filter, view, most=most)
    reached = _Reached(most, dict.fromkeys(entities), truncated=more)
    return await _between(read, reached, wanted, view)


async def _between(read: Reader, reached: _Reached, wanted: Wanted, view: View | None) -> Found:
    entities, memories = list(reached.entities), list(reached.memories)
    edges, cut = await edges_between(read, entities, wanted.filter, view, most=MOST_EDGES)
    links, cut_links = await links_of(read, memories, most=MOST_EDGES)
    kept = sorted({one.id for one in links if one.id is not None and one.other in reached.memories})
    attached = await attachments_between(read, memories, reached.entities)
    return Found(entities, memories, edges, kept, attached, reached.truncated or cut or cut_links)
