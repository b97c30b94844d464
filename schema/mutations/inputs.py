"""What the inputs of mutations share: the volume, idempotency keys, expected versions, and fields left out."""

from __future__ import annotations

from typing import Any

import strawberry

from schema.context import Info
from server.store.records import VolumeRecord

VOLUME = "The volume to write to, by its name."
IDEMPOTENCY = (
    "A key of your own, up to 200 characters: the same request with the same key is done once and answered alike."
)
VERSION = "The version that you have seen: where it is another by now, this is refused as CONFLICT. Left out: whatever is there."


async def volume_of(info: Info, name: str) -> VolumeRecord:
    """Return the volume that an input names.

    Raises:
        NotFound: there is none.
    """
    return await info.context.knowledge.volumes.named(name)


def named(**fields: Any) -> dict[str, Any]:
    """Return the fields of an update that were given; null is given, left out is not."""
    return {name: value for name, value in fields.items() if value is not strawberry.UNSET}
