"""The neighbours of an entity: what stands at the other end of its relationships."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import strawberry

from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import columns_of, nodes_named, pages
from schema.pagination import Counts, Cursors, PageInfo, page_info, totals
from schema.types.relationship import Relationship
from schema.views import seen
from server.store import relations as rel
from server.store.filters import RelationshipFilter
from server.store.records import EntityRecord, RelationshipRecord
from server.store.statements import Page
from server.terms import Direction

if TYPE_CHECKING:
    from schema.types.entity import Entity

LazyEntity = Annotated["Entity", strawberry.lazy("schema.types.entity")]
_DIRECTION = frozenset({"source_id", "target_id", "bidirectional"})


def _cursor(edge: NeighborEdge) -> str:
    return edge.cursors.of(edge.key)


@strawberry.type(description="An entity's neighbour, with the relationship that leads to it.")
class NeighborEdge:
    node: LazyEntity = strawberry.field(description="The entity at the other end.")
    relationship: Relationship = strawberry.field(description="The relationship between the two.")
    direction: Direction = strawberry.field(
        description="OUT: the relationship leads to the neighbour; IN: it comes from there; BOTH: it is bidirectional."
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
    info: Info,
    parents: Sequence[Entity],
    direction: Direction,
    filter: RelationshipFilter,
    first: int,
    after: str | None,
) -> list[NeighborConnection]:
    """Return the neighbours of each entity. Two statements, a third for the totals."""
    from schema.types.entity import Entity

    columns = columns_of(info, ("edges", "relationship"), always=_DIRECTION)
    level = await pages(
        info,
        f"Entity.neighbors {direction}",
        parents,
        rel.RELATIONSHIPS_OF_ENTITY[direction],
        first=first,
        after=after,
        filter=filter,
        columns=columns,
    )
    pairs = [(entity, row) for entity, page in zip(parents, level.pages, strict=True) for row in page.rows]
    ids, views = [_other(row, entity.row.id) for entity, row in pairs], [entity.view for entity, _ in pairs]
    found = iter(
        await nodes_named(info, Entity, EntityRecord, ids, views, columns_of(info, ("nodes",), ("edges", "node")))
    )

    def edges(entity: Entity, page: Page[RelationshipRecord], cursors: Cursors) -> list[NeighborEdge]:
        known = [(row, next(found)) for row in page.rows]
        return [_edge(entity, row, other, cursors) for row, other in known if other is not None]

    return level.answer(
        [
            NeighborConnection(
                edges=edges(parents[position], page, level.cursors[position]),
                cursors=level.cursors[position],
                has_next=page.has_next,
                has_previous=after is not None,
                counts=level.counts,
                position=position,
            )
            for position, page in enumerate(level.pages)
        ]
    )


def _edge(entity: Entity, row: RelationshipRecord, other: Entity, cursors: Cursors) -> NeighborEdge:
    out = row.source_id == entity.row.id
    return NeighborEdge(
        node=other,
        relationship=seen(Relationship.of(row), entity.view),
        direction=Direction.BOTH if row.bidirectional else Direction.OUT if out else Direction.IN,
        cursors=cursors,
        key=(row.id,),
    )


def _other(row: RelationshipRecord, key: UUID) -> UUID:
    return row.target_id if row.source_id == key else row.source_id
