"""Paths: how two entities hang together, by the fewest relationships, and of several such ways by the strongest.

The search goes from both ends at once, a hop at a time, the end with the fewer entities first; so it reads about the square root
of what a search from one end would. A way is as strong as the product of its relationships' strength and confidence. Where it
would read more than its limits it is cut, and says so: a shorter way than the one that it found may then exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from server.errors import LimitExceeded
from server.store.reader import Reader
from server.store.records import RelationshipRecord
from server.store.relations import Relation, Turned, Types, relationships_of_entity
from server.store.traversal import Leading, edges_from
from server.terms import Direction
from server.views import View

__all__ = ["MOST_EDGES", "MOST_HOPS", "MOST_VISITED", "Route", "shortest"]

MOST_HOPS = 100
MOST_EDGES = 100_000
"""How many relationships one hop reads at most."""
MOST_VISITED = 100_000
"""How many entities a search visits at most, before its last hop."""
_OPPOSITE = {Direction.OUT: Direction.IN, Direction.IN: Direction.OUT, Direction.BOTH: Direction.BOTH}


class Route(NamedTuple):
    """A way from one entity to another: the entities on it, both ends among them, and the relationships between them, in order."""

    nodes: list[UUID]
    edges: list[UUID]
    cut: bool


class _Step(NamedTuple):
    """How an entity was reached: after how many hops, how strongly, from where and over which relationship."""

    depth: int
    weight: float
    origin: UUID | None = None
    edge: UUID | None = None


@dataclass(slots=True)
class _Side:
    """The search from one end: what it has reached, and what it reached last."""

    relation: Relation[RelationshipRecord]
    reached: dict[UUID, _Step]
    depth: int = 0
    frontier: list[UUID] = field(default_factory=list)

    def advance(self, edges: Sequence[Leading]) -> None:
        """Go one hop on, along the strongest relationship to each entity that is new; of equal ones the first by id."""
        new: dict[UUID, _Step] = {}
        self.depth += 1
        for origin, id, other, weight in edges:
            if other in self.reached:
                continue
            step = _Step(self.depth, self.reached[origin].weight * weight, origin, id)
            if other not in new or _better(step, new[other]):
                new[other] = step
        self.reached |= new
        self.frontier = list(new)

    def back(self, node: UUID) -> tuple[list[UUID], list[UUID]]:
        """Return the way from an entity back to this end: the entities, and the relationships."""
        nodes, edges = [node], list[UUID]()
        step = self.reached[node]
        while step.origin is not None and step.edge is not None:
            nodes.append(step.origin)
            edges.append(step.edge)
            step = self.reached[step.origin]
        return nodes, edges


def _better(one: _Step, other: _Step) -> bool:
    return (-one.weight, one.origin, one.edge) < (-other.weight, other.origin, other.edge)


async def shortest(
    read: Reader,
    start: UUID,
    goal: UUID,
    *,
    max_hops: int,
    direction: Direction = Direction.BOTH,
    types: Types | None = None,
    turned: Turned = (),
    view: View | None = None,
) -> Route | None:
    """Return the strongest of the shortest ways of at most `max_hops` believed relationships, or None. One statement a hop.

    `direction` is how the relationships lead as seen from the start; those that go both ways always do.

    Raises:
        LimitExceeded: none was found within what a search may read, and there is more.
    """
    if start == goal:
        return Route([start], [], cut=False)
    ahead, behind = (
        _Side(relationships_of_entity(way, types, turned), {end: _Step(0, 1.0)}, frontier=[end])
        for way, end in ((direction, start), (_OPPOSITE[direction], goal))
    )
    cut = False
    while ahead.depth + behind.depth < max_hops and ahead.frontier and behind.frontier:
        if len(ahead.reached) + len(behind.reached) > MOST_VISITED:
            cut = True
            break
        side, other = (ahead, behind) if len(ahead.frontier) <= len(behind.frontier) else (behind, ahead)
        edges, more = await edges_from(read, side.frontier, side.relation, view, most=MOST_EDGES)
        cut |= more
        side.advance(edges)
        met = [node for node in side.frontier if node in other.reached]
        if met:
            return _joined(ahead, behind, min(met, key=lambda node: _rank(node, side, other)), cut)
    if cut:
        raise LimitExceeded(
            f"No path was found among the {len(ahead.reached) + len(behind.reached):,} entities nearest to the two ends, and there are "
            "more. Name the types of relationships that it may take, or ask for nearer ends."
        )
    return None


def _rank(node: UUID, side: _Side, other: _Side) -> tuple[int, float, UUID]:
    here, there = side.reached[node], other.reached[node]
    return here.depth + there.depth, -here.weight * there.weight, node


def _joined(ahead: _Side, behind: _Side, node: UUID, cut: bool) -> Route:
    nodes, edges = ahead.back(node)
    rest, on = behind.back(node)
    return Route([*reversed(nodes), *rest[1:]], [*reversed(edges), *on], cut)
