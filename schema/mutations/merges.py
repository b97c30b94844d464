"""Mutations that make two entities one, and two again."""

from __future__ import annotations

from typing import Annotated

import strawberry

from schema.arguments import id_of, ids_of
from schema.breadth import computed
from schema.context import Info
from schema.mutations.entities import entity_now
from schema.mutations.inputs import VERSION, VOLUME, volume_of
from schema.types.entity import Entity
from schema.types.fact import gone
from schema.types.merge import EntityMerge
from server.ids import NodeKind
from server.store.records import MergeRecord


@strawberry.input(description="Which entities are one.")
class MergeEntitiesInput:
    into: strawberry.ID = strawberry.field(description="The entity that stays.")
    from_: list[strawberry.ID] = strawberry.field(
        name="from",
        description="The entities that count as it from now on; 1 to 100. What is merged into it already stays so.",
    )
    volume: str = strawberry.field(default="default", description=VOLUME)
    reason: str | None = strawberry.field(
        default=None, description="Why, up to 1,000 characters: the record and Volume.changes keep it."
    )
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The entity that stays.")
class MergeEntitiesPayload:
    entity: Entity = strawberry.field(description="The entity with everything that was stated for the merged ones.")
    merges: list[EntityMerge] = strawberry.field(
        description="The records, by which the merges can be undone; of what was merged before, that of then."
    )


@strawberry.input(description="The merge to undo.")
class UnmergeEntitiesInput:
    merge: strawberry.ID = strawberry.field(description="The record of the merge, as Entity.mergedFrom lists it.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    reason: str | None = strawberry.field(
        default=None, description="Why it is undone, up to 1,000 characters: Volume.changes keeps it."
    )


@strawberry.type(description="The two entities that are two again.")
class UnmergeEntitiesPayload:
    survivor: Entity = strawberry.field(description="The entity that had counted for both.")
    restored: Entity = strawberry.field(description="The entity that had been merged, with what is stated for it.")


@strawberry.type
class MergeMutations:
    @computed(
        description="Say that entities are one. What was stated for each is kept apart, so that unmergeEntities undoes it exactly; their "
        "ids and names lead to the one that stays. Claims that become the same count as one, and relationships between the merged are set aside."
    )
    async def merge_entities(
        self, info: Info, input: Annotated[MergeEntitiesInput, strawberry.argument(description="Which ones.")]
    ) -> MergeEntitiesPayload | None:
        volume = await volume_of(info, input.volume)
        into, sources = id_of(input.into, NodeKind.ENTITY, "into"), ids_of(input.from_, NodeKind.ENTITY, "from")
        knowledge, actor = info.context.knowledge, info.context.viewer.actor
        done = await knowledge.merges.merge(volume, into, sources, input.reason, input.expected_version, actor)
        rows = await info.context.store.read.by_ids(MergeRecord, done.merges)
        if None in rows:
            raise gone("merge")
        merges = [EntityMerge.of(row) for row in rows if row is not None]
        return MergeEntitiesPayload(entity=await entity_now(info, done.survivor), merges=merges)

    @computed(
        description="Undo a merge: the graph is as it was before, and what came after it goes to the entity that its source names."
    )
    async def unmerge_entities(
        self, info: Info, input: Annotated[UnmergeEntitiesInput, strawberry.argument(description="Which merge.")]
    ) -> UnmergeEntitiesPayload | None:
        volume = await volume_of(info, input.volume)
        merge = id_of(input.merge, NodeKind.MERGE, "merge")
        done = await info.context.knowledge.merges.unmerge(volume, merge, input.reason, info.context.viewer.actor)
        survivor, restored = await entity_now(info, done.survivor), await entity_now(info, done.restored)
        return UnmergeEntitiesPayload(survivor=survivor, restored=restored)
