"""The neighbours of an entity: what stands at the other end of its relationships."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple
from uuid import UUID

import strawberry

from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import columns_of, nodes_named, pages
from schema.pagination import Counts, Cursors, PageInfo, page_info, totals
from schema.types.relationship import Relationship
from schema.views import seen
from server.store.filters import RelationshipFilter
from server.store.records import EntityRecord, RelationshipRecord
from server.store.relations import Relation, Turned, Types, relationships_of_entity
from server.store.statements import Page
from server.terms import Direction

if TYPE_CHECKING:
    from schema.types.entity import Entity

LazyEntity = Annotated["Entity", strawberry.lazy("schema.types.entity")]
_DIRECTION = frozenset({"source_id", "target_id", "bidirectional", "mutual"})
_ALL = RelationshipFilter()


class Edges(NamedTuple):
    """Which relationships of an entity are asked for; `turned` are types whose inverse is."""

    direction: Direction
    types: Types | None
    turned: Turned

    @property
    def relation(self) -> Relation[RelationshipRecord]:
        """How they are found."""
        return relationships_of_entity(*self)

    @property
    def columns(self) -> frozenset[str]:
        """What it takes to say how each of them leads."""
        return _DIRECTION | ({"type"} if self.turned and self.direction is Direction.BOTH else set())

    def way(self, row: RelationshipRecord, key: UUID) -> Direction:
        """Return how a relationship leads from the entity `key`, by a name that was asked for."""
        if row.bidirectional or row.mutual:
            return Direction.BOTH
        if self.direction is not Direction.BOTH:
            return self.direction
        stated = Direction.OUT if row.source_id == key else Direction.IN
        if not self.turned or row.type in (self.types or ()):
            return stated
        return Direction.IN if stated is Direction.OUT else Direction.OUT


def _cursor(edge: NeighborEdge) -> str:
    return edge.cursors.of(edge.key)


@strawberry.type(description="An entity's neighbour, with the relationship that leads to it.")
class NeighborEdge:
    node: LazyEntity = strawberry.field(description="The entity at the other end.")
    relationship: Relationship = strawberry.field(description="The relationship between the two.")
    direction: Direction = strawberry.field(
        description="OUT: the relationship leads to the neighbour; IN: it comes from there; BOTH: it is bidirectional, or "
        "of a symmetric type. One that was asked for by the inverse of its type leads as that inverse does."
    )
    cursor: str = attribute(_cursor, description="The neighbour's place in this list; opaque. Give it as `after`.")
    cursors: strawberry.Private[Cursors]
    key: strawberry.Private[tuple[UUID]]


def _nodes(page: NeighborConnection) -> list[Entity]:
    return [edge.node for edge in page.edges]


@strawberry.type(description="One page of an entity's neighbours, one for each relationship.")
class NeighborConnection:
    edges: list[NeighborEdge] = strawberry.field(description="The neighbours, each with its relationship.")
    cursors: strawberry.Private[Cursors]
    has_next: strawberry.Private[bool]
    has_previous: strawberry.Private[bool]
    counts: strawberry.Private[Counts]
    position: strawberry.Private[int]

    nodes: list[LazyEntity] = attribute(
        _nodes, description="The neighbours; one that several relationships lead to stands here several times."
    )
    page_info: PageInfo = page_info()

    @property
    def keys(self) -> list[tuple[UUID]]:
        return [edge.key for edge in self.edges]

    @batched(description="How many relationships lead to neighbours. Counted only when it is asked for.")
    @staticmethod
    async def total_count(parents: list[NeighborConnection], info: Info) -> list[int]:
        return await totals([(parent.counts, parent.position) for parent in parents])


async def neighbors_of(
    info: Info, parents: Sequence[Entity], asked: Edges, first: int, after: str | None
) -> list[NeighborConnection]:
    """Return the neighbours of each entity. Two statements, a third for the totals."""
    from schema.types.entity import Entity

    columns = columns_of(info, ("edges", "relationship"), always=asked.columns)
    level = await pages(
        info,
        f"Entity.neighbors {asked.direction} {asked.types!r}",
        parents,
        asked.relation,
        first=first,
        after=after,
        filter=_ALL,
        columns=columns,
    )
    pairs = [(entity, row) for entity, page in zip(parents, level.pages, strict=True) for row in page.rows]
    ids, views = [_other(row, entity.row.id) for entity, row in pairs], [entity.view for entity, _ in pairs]
    found = iter(
        await nodes_named(info, Entity, EntityRecord, ids, views, columns_of(info, ("nodes",), ("edges", "node")))
    )

    def edges(entity: Entity, page: Page[RelationshipRecord], cursors: Cursors) -> list[NeighborEdge]:
        known = [(row, next(found)) for row in page.rows]
        return [
            NeighborEdge(
                node=other,
                relationship=seen(Relationship.of(row), entity.view),
                direction=asked.way(row, entity.row.id),
                cursors=cursors,
                key=(row.id,),
            )
            for row, other in known
            if other is not None
        ]

    return level.connections(
        NeighborConnection,
        after,
        lambda position, page: {"edges": edges(parents[position], page, level.cursors[position])},
    )


def _other(row: RelationshipRecord, key: UUID) -> UUID:
    return row.target_id if row.source_id == key else row.source_id
