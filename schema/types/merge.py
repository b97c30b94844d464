"""Merges of entities."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from schema.breadth import attribute, batched
from schema.context import Info
from schema.types.entity import Entity
from schema.types.fact import gone
from schema.types.node import Node, row_id
from schema.views import seen
from server.ids import NodeKind
from server.services.resolution import survivors_of
from server.store.records import EntityRecord, MergeRecord


@strawberry.type(description="A record that an entity is one with another; it can be undone.")
class EntityMerge(Node):
    id: strawberry.ID = row_id(NodeKind.MERGE, "The merge's id.")
    actor: str = attribute("row.actor", description="Who merged them.")
    reason: str | None = attribute("row.reason", description="Why; null: nobody said.")
    at: datetime = attribute("row.at", description="When.")
    moved: JSON = attribute(
        "row.moved",
        description="What counted for the merged entity and was moved: how many facts, relationships, documents, memories "
        "and projects, as a JSON object.",
    )
    undone_by: str | None = attribute("row.undone_by", description="Who undid it; null: it holds.")
    undone_at: datetime | None = attribute("row.undone_at", description="When it was undone; null: it holds.")
    row: strawberry.Private[MergeRecord]

    @staticmethod
    def of(row: MergeRecord) -> EntityMerge:
        return EntityMerge(row=row)

    @batched(needs=("row.merged_id",), description="The name of the entity that was merged.")
    @staticmethod
    async def name(parents: list[EntityMerge], info: Info) -> list[str | Exception]:
        rows = await info.context.store.read.by_ids(EntityRecord, [merge.row.merged_id for merge in parents])
        return [gone("entity") if row is None else row.name for row in rows]

    @batched(
        needs=("row.survivor_id",),
        description="The entity that it was merged into; where that was merged since, what it counts as now.",
    )
    @staticmethod
    async def survivor(parents: list[EntityMerge], info: Info) -> list[Entity | Exception]:
        read = info.context.store.read
        rows = await read.by_ids(EntityRecord, [merge.row.survivor_id for merge in parents])
        survivors = iter(await survivors_of(read, [row for row in rows if row is not None]))
        return [
            gone("entity") if row is None else seen(Entity.of(next(survivors)), merge.view)
            for merge, row in zip(parents, rows, strict=True)
        ]
