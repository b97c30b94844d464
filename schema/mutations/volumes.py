"""Mutations of volumes."""

from __future__ import annotations

from typing import Annotated

import strawberry

from schema.breadth import computed
from schema.context import Info
from schema.mutations.inputs import IDEMPOTENCY, VERSION, named, volume_of
from schema.types.volume import Volume
from server.ids import NodeKind, encode_id
from server.services.extraction.protocol import Term, Vocabulary
from server.store.records import VolumeRecord


@strawberry.input(description="A name that a volume prefers.")
class VocabularyTermInput:
    name: str = strawberry.field(
        description="An entity type, or a predicate or relationship type; any case and spacing."
    )
    description: str | None = strawberry.field(default=None, description="What it means here, for whoever extracts.")

    def plain(self) -> Term:
        return Term(self.name, self.description)


@strawberry.input(
    description="The names that extraction is to prefer in a volume. Others are kept, and noted on the ingestion. Claude is asked "
    "to use them; what reads offline has names of its own, of which those that are not here are noted too."
)
class VocabularyInput:
    entity_types: list[VocabularyTermInput] | None = strawberry.field(
        default=None, description="Types that entities may have."
    )
    predicates: list[VocabularyTermInput] | None = strawberry.field(
        default=None, description="Predicates and relationship types."
    )

    def plain(self) -> Vocabulary:
        kinds = (self.entity_types, self.predicates)
        return Vocabulary(*(tuple(one.plain() for one in terms or ()) for terms in kinds))


@strawberry.input(description="The volume to make.")
class CreateVolumeInput:
    name: str = strawberry.field(description="Its name: up to 100 characters, not taken yet.")
    description: str | None = strawberry.field(default=None, description="What it is about.")
    vocabulary: VocabularyInput | None = strawberry.field(
        default=None, description="The entity types and predicates that Claude is to prefer when it reads documents."
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY)


@strawberry.type(description="The volume that was made.")
class CreateVolumePayload:
    volume: Volume = strawberry.field(description="The volume, empty as yet.")


@strawberry.input(description="What to change about a volume. Fields left out stay as they are.")
class UpdateVolumeInput:
    volume: str = strawberry.field(default="default", description="The volume to change, by its name.")
    name: str | None = strawberry.field(default=strawberry.UNSET, description="Its new name.")
    description: str | None = strawberry.field(
        default=strawberry.UNSET, description="What it is about; null clears it."
    )
    vocabulary: VocabularyInput | None = strawberry.field(
        default=strawberry.UNSET,
        description="The entity types and predicates that Claude is to prefer, in place of those before; null clears them.",
    )
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The volume as it is now.")
class UpdateVolumePayload:
    volume: Volume = strawberry.field(description="The volume with its changes.")


@strawberry.input(description="The volume to delete, named twice, because everything in it goes.")
class DeleteVolumeInput:
    volume: str = strawberry.field(description="Its name.")
    confirm: str = strawberry.field(description="Its name again.")


@strawberry.type(description="The volume that is gone.")
class DeleteVolumePayload:
    deleted_id: strawberry.ID = strawberry.field(description="The id that it had.")


async def _volume(info: Info, row: VolumeRecord) -> Volume:
    now = await info.context.store.read.one(VolumeRecord, row.id)
    return Volume.of(now or row)


@strawberry.type
class VolumeMutations:
    @computed(description="Make an empty volume.")
    async def create_volume(
        self, info: Info, input: Annotated[CreateVolumeInput, strawberry.argument(description="The volume.")]
    ) -> CreateVolumePayload | None:
        volumes = info.context.knowledge.volumes
        actor = info.context.viewer.actor
        vocabulary = None if input.vocabulary is None else input.vocabulary.plain()
        await volumes.create(input.name, input.description, actor, input.idempotency_key, vocabulary)
        return CreateVolumePayload(volume=Volume.of(await volumes.named(" ".join(input.name.split()))))

    @computed(description="Rename a volume, or change its description or vocabulary.")
    async def update_volume(
        self, info: Info, input: Annotated[UpdateVolumeInput, strawberry.argument(description="What to change.")]
    ) -> UpdateVolumePayload | None:
        volume = await volume_of(info, input.volume)
        vocabulary = input.vocabulary.plain() if input.vocabulary else input.vocabulary
        changes = named(name=input.name, description=input.description, vocabulary=vocabulary)
        actor = info.context.viewer.actor
        await info.context.knowledge.volumes.update(volume, changes, input.expected_version, actor)
        return UpdateVolumePayload(volume=await _volume(info, volume))

    @computed(description="Delete a volume with everything in it. It cannot be undone.")
    async def delete_volume(
        self, info: Info, input: Annotated[DeleteVolumeInput, strawberry.argument(description="Which one.")]
    ) -> DeleteVolumePayload | None:
        volume = await volume_of(info, input.volume)
        await info.context.knowledge.volumes.delete(volume, input.confirm, info.context.viewer.actor)
        return DeleteVolumePayload(deleted_id=strawberry.ID(encode_id(NodeKind.VOLUME, volume.id)))
