"""Which entity: by its id or by its name, as inputs and fields take it."""

from __future__ import annotations

from collections.abc import Sequence

import strawberry

from schema.context import Info
from server.ids import NodeKind, decode_id
from server.services.identity import clean_name, normalise_type
from server.services.resolution import Named, find_in, survivors_of
from server.store.records import EntityRecord, VolumeRecord

__all__ = ["EntityBy", "EntityNameInput", "entity_in_each"]


@strawberry.input(description="An entity by its name.")
class EntityNameInput:
    name: str = strawberry.field(
        description="Its exact name or an alias; case, spacing, hyphens, articles and legal forms do not count."
    )
    type: str | None = strawberry.field(default=None, description="Its type, where several have the name.")

    def plain(self) -> Named:
        type = None if self.type is None else normalise_type(self.type)
        return Named(clean_name(self.name), type, stated=type is not None)


@strawberry.input(one_of=True, description="Which entity: by its id or by its name.")
class EntityBy:
    id: strawberry.Maybe[strawberry.ID] = strawberry.field(description="The id of an entity of this volume.")
    name: strawberry.Maybe[EntityNameInput] = strawberry.field(description="A name or alias of it.")


async def entity_in_each(
    info: Info, volumes: Sequence[VolumeRecord], by: EntityBy, argument: str
) -> list[EntityRecord | Exception | None]:
    """Return the entity that is meant in each volume, None where there is none, or the refusal to choose among homonyms.

    What was merged is the one that it counts as. At most two statements.
    """
    read = info.context.store.read
    if by.name is not None:
        return list(await find_in(read, [volume.id for volume in volumes], by.name.value.plain(), argument))
    assert by.id is not None
    decoded = decode_id(by.id.value)
    known = decoded is not None and decoded.kind is NodeKind.ENTITY
    row = await read.one(EntityRecord, decoded.id) if decoded is not None and known else None
    if row is None:
        return [None] * len(volumes)
    (now,) = await survivors_of(read, [row])
    return [now if now.volume_id == volume.id else None for volume in volumes]
