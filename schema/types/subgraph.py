"""Subgraphs of entities and memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import strawberry

from schema.context import Info
from schema.inverses import turned_types
from schema.lists import made_of
from schema.types.entity import Entity
from schema.types.memory import Memory, MemoryLink
from schema.types.node import Node
from schema.types.relationship import Relationship
from server.errors import BadUserInput
from server.ids import NodeKind, decode_id
from server.services.checks import within
from server.services.resolution import survivors_of
from server.services.subgraphs import MOST_NODES, Found, Wanted, around, densest
from server.store.records import EntityRecord, MemoryLinkRecord, MemoryRecord, RelationshipRecord
from server.store.relations import Types
from server.terms import Direction
from server.views import View

if TYPE_CHECKING:
    from schema.types.volume import Volume

MOST_HOPS = 6
_MOST_SEEDS = 100


@strawberry.type(description="A memory of a subgraph and an entity of it that it is about.")
class Attachment:
    memory: Memory = strawberry.field(description="The memory that is about it.")
    entity: Entity = strawberry.field(description="The entity that it is about.")


@strawberry.type(description="A part of the graph: entities and memories, with every edge between them.")
class Subgraph:
    nodes: list[Node] = strawberry.field(
        description="Its entities, then its memories, each kind nearest first, and the strongest first of those as near."
    )
    relationships: list[Relationship] = strawberry.field(
        description="The relationships between its entities, oldest first; several between the same two, and loops, all stand here."
    )
    memory_links: list[MemoryLink] = strawberry.field(description="The links between its memories, oldest first.")
    attachments: list[Attachment] = strawberry.field(
        description="Which of its memories is about which of its entities."
    )
    truncated: bool = strawberry.field(
        description="Whether there is more within reach than it was allowed to hold, or 10,000 edges: some of it is missing."
    )


class Asked(NamedTuple):
    """The arguments of the field."""

    around: list[strawberry.ID] | None
    hops: int
    max_nodes: int
    types: Types | None
    direction: Direction


async def subgraphs_of(info: Info, parents: Sequence[Volume], asked: Asked) -> list[Subgraph]:
    """Return a subgraph of each volume, in its view.

    Raises:
        BadUserInput: an argument is out of its bounds.
    """
    within(asked.hops, 0, MOST_HOPS, "hops")
    within(asked.max_nodes, 1, MOST_NODES, "maxNodes")
    if len(asked.around or ()) > _MOST_SEEDS:
        raise BadUserInput(f"around can name at most {_MOST_SEEDS} nodes.", argument="around")
    turned = await turned_types(info, [volume.row.id for volume in parents], asked.types)
    wanted = Wanted(asked.direction, asked.types, turned)
    return [await _shown(info, await _found(info, volume, asked, wanted), volume.view) for volume in parents]


async def _found(info: Info, volume: Volume, asked: Asked, wanted: Wanted) -> Found:
    read = info.context.store.read
    if asked.around is None:
        return await densest(read, volume.row.id, wanted, most=asked.max_nodes, view=volume.view)
    decoded = [one for one in map(decode_id, asked.around) if one is not None]
    entities = await read.by_ids(EntityRecord, [one.id for one in decoded if one.kind is NodeKind.ENTITY])
    own = [row for row in entities if row is not None and row.volume_id == volume.row.id]
    memories = await read.by_ids(MemoryRecord, [one.id for one in decoded if one.kind is NodeKind.MEMORY])
    return await around(
        read,
        [row.id for row in await survivors_of(read, own)],
        [row.id for row in memories if row is not None and row.volume_id == volume.row.id],
        wanted,
        hops=asked.hops,
        most=asked.max_nodes,
        view=volume.view,
    )


async def _shown(info: Info, found: Found, view: View | None) -> Subgraph:
    read = info.context.store.read
    entities = [row for row in await read.by_ids(EntityRecord, found.entities) if row is not None]
    memories = [row for row in await read.by_ids(MemoryRecord, found.memories) if row is not None]
    edges = [row for row in await read.by_ids(RelationshipRecord, found.relationships, view=view) if row is not None]
    links = [row for row in await read.by_ids(MemoryLinkRecord, found.links) if row is not None]
    info.context.spend(info, [len(entities) + len(memories) + len(edges) + len(links)])
    people = {one.row.id: one for one in made_of(Entity, entities, view)}
    notes = {one.row.id: one for one in made_of(Memory, memories, view)}
    return Subgraph(
        nodes=[*people.values(), *notes.values()],
        relationships=made_of(Relationship, edges, view),
        memory_links=[
            MemoryLink(row=row, memory=notes[row.left_id], other=notes[row.right_id])
            for row in links
            if row.left_id in notes and row.right_id in notes
        ],
        attachments=[
            Attachment(memory=notes[memory], entity=people[entity])
            for memory, entity in found.attachments
            if memory in notes and entity in people
        ],
        truncated=found.truncated,
    )
