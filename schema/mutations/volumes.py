"""Mutations of volumes."""

from __future__ import annotations

from typing import Annotated

import strawberry

from schema.breadth import computed
from schema.context import Info
from schema.mutations.inputs import IDEMPOTENCY, VERSION, named, volume_of
from schema.types.volume import Volume
from server.ids import NodeKind, encode_id
from server.store.records import VolumeRecord


@strawberry.input(description="The volume to make.")
class CreateVolumeInput:
    name: str = strawberry.field(description="Its name: up to 100 characters, not taken yet.")
    description: str | None = strawberry.field(default=None, description="What it is about.")
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
        await volumes.create(input.name, input.description, actor, input.idempotency_key)
        return CreateVolumePayload(volume=Volume.of(await volumes.named(" ".join(input.name.split()))))

    @computed(description="Rename a volume or change its description.")
    async def update_volume(
        self, info: Info, input: Annotated[UpdateVolumeInput, strawberry.argument(description="What to change.")]
    ) -> UpdateVolumePayload | None:
        volume = await volume_of(info, input.volume)
        changes = named(name=input.name, description=input.description)
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
