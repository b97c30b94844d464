"""Paths between two entities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import strawberry

from schema.context import Info
from schema.inputs.naming import EntityBy, entity_in_each
from schema.inverses import turned_types
from schema.lists import made_of
from schema.types.entity import Entity
from schema.types.relationship import Relationship
from server.services.checks import within
from server.services.paths import MOST_HOPS, Route, shortest
from server.services.relationships import sentence
from server.store.records import EntityRecord, RelationshipRecord
from server.store.relations import Types
from server.terms import Direction
from server.views import View

if TYPE_CHECKING:
    from schema.types.volume import Volume


@strawberry.type(description="How two entities hang together: a shortest way from one to the other over relationships.")
class Path:
    nodes: list[Entity] = strawberry.field(description="The entities on the way, both ends among them, in order.")
    relationships: list[Relationship] = strawberry.field(
        description="The relationships between them, in order; each may lead either way."
    )
    hops: int = strawberry.field(description="How many relationships it takes; 0 from an entity to itself.")
    text: str = strawberry.field(
        description="The relationships as readable sentences, in order, such as: Ada works at Acme. Acme is part of Holding."
    )
    truncated: bool = strawberry.field(
        description="Whether the search was cut at its limits on its way, so that a shorter or stronger path may exist."
    )


async def paths_of(
    info: Info,
    parents: Sequence[Volume],
    ends: tuple[EntityBy, EntityBy],
    max_hops: int,
    direction: Direction,
    types: Types | None,
) -> list[Path | Exception | None]:
    """Return the path between two entities in each volume, in its view. A statement for each hop, and five at most.

    Raises:
        BadUserInput: `max_hops` is out of its bounds.
    """
    within(max_hops, 1, MOST_HOPS, "maxHops")
    volumes = [volume.row for volume in parents]
    starts = await entity_in_each(info, volumes, ends[0], "from")
    goals = await entity_in_each(info, volumes, ends[1], "to")
    turned = await turned_types(info, [volume.id for volume in volumes], types)
    found: list[Path | Exception | None] = []
    for volume, start, goal in zip(parents, starts, goals, strict=True):
        if not (isinstance(start, EntityRecord) and isinstance(goal, EntityRecord)):
            found.append(start if isinstance(start, Exception) else goal if isinstance(goal, Exception) else None)
            continue
        read = info.context.store.read
        route = await shortest(
            read,
            start.id,
            goal.id,
            max_hops=max_hops,
            direction=direction,
            types=types,
            turned=turned,
            view=volume.view,
        )
        found.append(None if route is None else await _path(info, route, volume.view))
    return found


async def _path(info: Info, route: Route, view: View | None) -> Path | None:
    read = info.context.store.read
    entities = [row for row in await read.by_ids(EntityRecord, route.nodes) if row is not None]
    edges = [row for row in await read.by_ids(RelationshipRecord, route.edges, view=view) if row is not None]
    if len(entities) < len(route.nodes) or len(edges) < len(route.edges):  # one was deleted meanwhile
        return None
    info.context.spend(info, [len(entities) + len(edges)])
    names = {row.id: row.name for row in entities}
    told = (sentence(names[row.source_id], row.type, names[row.target_id]) for row in edges)
    return Path(
        nodes=made_of(Entity, entities, view),
        relationships=made_of(Relationship, edges, view),
        hops=len(edges),
        text=" ".join(f"{one}." for one in told),
        truncated=route.cut,
    )
