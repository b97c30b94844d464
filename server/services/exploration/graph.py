"""What an exploration has found: nodes with how much they matter to the query, and the edges between them.

A node's weight is that of the strongest thing that leads to it times what the step keeps of it, and never grows on its way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from server.ids import NodeKind
from server.store.records import RelationshipRecord
from server.terms import Reached

__all__ = ["Found", "Trace", "Weighed"]


@dataclass(slots=True)
class Trace:
    """How a memory was reached: in so many hops, and from which nodes, the strongest first (none: by the search itself)."""

    how: Reached
    hops: int
    weight: float
    origins: list[tuple[NodeKind, UUID]] = field(default_factory=list)


class Weighed(NamedTuple):
    """A relationship and how much it matters."""

    row: RelationshipRecord
    weight: float


@dataclass(slots=True)
class Found:
    """What was found so far. `about` are the entities of each memory; `left_out` counts by kind and reason; `hops` are those to entities."""

    memories: dict[UUID, Trace] = field(default_factory=dict)
    entities: dict[UUID, float] = field(default_factory=dict)
    hops: dict[UUID, int] = field(default_factory=dict)
    relationships: dict[UUID, Weighed] = field(default_factory=dict)
    attached: dict[NodeKind, dict[UUID, float]] = field(
        default_factory=lambda: {NodeKind.PROJECT: {}, NodeKind.DOCUMENT: {}, NodeKind.CODE_ARTIFACT: {}}
    )
    about: dict[UUID, list[UUID]] = field(default_factory=dict)
    relationship_counts: dict[UUID, int] = field(default_factory=dict)
    memory_counts: dict[UUID, int] = field(default_factory=dict)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add_entity(self, id: UUID, weight: float, hops: int) -> None:
        """Add an entity, or what leads to it in another way: the strongest and the shortest count."""
        self.entities[id] = max(weight, self.entities.get(id, 0.0))
        self.hops[id] = min(hops, self.hops.get(id, hops))

    def attach(self, kind: NodeKind, id: UUID, weight: float) -> None:
        """Add a project, a document or a code artifact of a node that weighs so much."""
        self.attached[kind][id] = max(weight, self.attached[kind].get(id, 0.0))
