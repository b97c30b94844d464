"""Mutations of entities."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from schema.arguments import id_of, ids_of
from schema.breadth import computed
from schema.context import Info
from schema.mutations.inputs import IDEMPOTENCY, VERSION, VOLUME, named, volume_of
from schema.types.entity import Entity
from schema.types.fact import gone
from schema.types.review import DuplicateReview, duplicates
from server.ids import NodeKind
from server.services.entities import NewEntity
from server.services.resolution import survivors_of
from server.store.records import EntityRecord, ReviewRecord


@strawberry.input(description="The entity to state.")
class CreateEntityInput:
    name: str = strawberry.field(
        description="Its name, up to 500 characters. Signs that nobody sees, such as zero-width spaces, are left out."
    )
    type: str = strawberry.field(description="What it is, such as person, product or concept; case does not count.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    description: str | None = strawberry.field(default=None, description="What it is, in a sentence.")
    aliases: list[str] | None = strawberry.field(default=None, description="Its other names.")
    sense: str | None = strawberry.field(
        default=None, description="What tells it apart from others of its name and type, such as: CFO of Acme."
    )
    properties: JSON | None = strawberry.field(default=None, description="Further values, as a JSON object.")
    importance: float | None = strawberry.field(
        default=None, description="How much it matters: 0 to 1; 0.5 unless given."
    )
    confidence: float | None = strawberry.field(default=None, description="How sure it is: 0 to 1; 1 unless given.")
    projects: list[strawberry.ID] | None = strawberry.field(
        default=None, description="The projects that it belongs to, by their ids."
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY)

    def plain(self) -> NewEntity:
        return NewEntity(
            name=self.name,
            type=self.type,
            description=self.description,
            aliases=tuple(self.aliases or ()),
            sense=self.sense,
            properties=self.properties,
            importance=0.5 if self.importance is None else self.importance,
            confidence=1.0 if self.confidence is None else self.confidence,
            projects=ids_of(self.projects, NodeKind.PROJECT, "projects"),
        )


@strawberry.type(description="The entity with this name.")
class CreateEntityPayload:
    entity: Entity = strawberry.field(description="The entity, made now or known before.")
    created: bool = strawberry.field(
        description="Whether it was made now. A known one gains new aliases and a missing description."
    )
    candidates: list[DuplicateReview] = strawberry.field(
        description="Reviews that were opened because it is new and looks like known entities, at most five; nothing is merged."
    )


@strawberry.input(description="What to change about an entity. Fields left out stay as they are.")
class UpdateEntityInput:
    id: strawberry.ID = strawberry.field(description="The entity.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    name: str | None = strawberry.field(default=strawberry.UNSET, description="Its new name.")
    type: str | None = strawberry.field(default=strawberry.UNSET, description="What it is.")
    description: str | None = strawberry.field(default=strawberry.UNSET, description="What it is; null clears it.")
    aliases: list[str] | None = strawberry.field(
        default=strawberry.UNSET,
        description="All its own other names; the ones that it has are replaced. Those of what was merged into it are not its own: they "
        "stay, given or not, until the merge is undone.",
    )
    sense: str | None = strawberry.field(default=strawberry.UNSET, description="What tells it apart; null clears it.")
    properties: JSON | None = strawberry.field(
        default=strawberry.UNSET, description="All its further values; null clears them."
    )
    importance: float | None = strawberry.field(default=strawberry.UNSET, description="How much it matters: 0 to 1.")
    confidence: float | None = strawberry.field(default=strawberry.UNSET, description="How sure it is: 0 to 1.")
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The entity as it is now.")
class UpdateEntityPayload:
    entity: Entity = strawberry.field(
        description="The entity with its changes; its aliases are its own ones and those of what was merged into it."
    )


@strawberry.input(description="The entity to delete.")
class DeleteEntityInput:
    id: strawberry.ID = strawberry.field(description="The entity.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The entity that is gone.")
class DeleteEntityPayload:
    deleted_id: strawberry.ID = strawberry.field(description="The id that it had.")


async def entity_now(info: Info, id: UUID) -> Entity:
    """Return what an entity is now: itself, or what it was merged into.

    Raises:
        NotFound: it was deleted meanwhile.
    """
    row = await info.context.store.read.one(EntityRecord, id)
    if row is None:
        raise gone("entity")
    return Entity.of((await survivors_of(info.context.store.read, [row]))[0])


@strawberry.type
class EntityMutations:
    @computed(
        description="State an entity. One that is known by this name, an alias or a stated rule is answered instead."
    )
    async def create_entity(
        self, info: Info, input: Annotated[CreateEntityInput, strawberry.argument(description="The entity.")]
    ) -> CreateEntityPayload | None:
        volume = await volume_of(info, input.volume)
        actor = info.context.viewer.actor
        made = await info.context.knowledge.entities.create(volume, input.plain(), actor, input.idempotency_key)
        reviews = await info.context.store.read.by_ids(ReviewRecord, made.candidates)
        return CreateEntityPayload(
            entity=await entity_now(info, made.id),
            created=made.created,
            candidates=duplicates(row for row in reviews if row is not None),
        )

    @computed(description="Edit an entity.")
    async def update_entity(
        self, info: Info, input: Annotated[UpdateEntityInput, strawberry.argument(description="What to change.")]
    ) -> UpdateEntityPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.ENTITY, "id")
        changes = named(
            name=input.name,
            type=input.type,
            description=input.description,
            aliases=input.aliases,
            sense=input.sense,
            properties=input.properties,
            importance=input.importance,
            confidence=input.confidence,
        )
        actor = info.context.viewer.actor
        await info.context.knowledge.entities.update(volume, id, changes, input.expected_version, actor)
        return UpdateEntityPayload(entity=await entity_now(info, id))

    @computed(description="Delete an entity with its facts and relationships. It cannot be undone.")
    async def delete_entity(
        self, info: Info, input: Annotated[DeleteEntityInput, strawberry.argument(description="Which one.")]
    ) -> DeleteEntityPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.ENTITY, "id")
        await info.context.knowledge.entities.delete(volume, id, input.expected_version, info.context.viewer.actor)
        return DeleteEntityPayload(deleted_id=input.id)
