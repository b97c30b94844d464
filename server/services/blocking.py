"""Where entities that may be alike are found: their keys are kept with them, and looked up for many at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from server import models
from server.services.likeness.blocks import probes, stored_keys
from server.store import Transaction
from server.store.reader import Reader

__all__ = ["add_blocks", "possible_likes", "replace_blocks"]

_SHARING = 32
_LIKES = 32


def add_blocks(tx: Transaction, entity_id: UUID, names: Iterable[str]) -> None:
    """Let an entity be found as like others by these names too."""
    own = [{"volume_id": tx.volume_id, "key": key, "entity_id": entity_id} for key in sorted(stored_keys(list(names)))]
    tx.insert_if_absent(models.EntityBlock, own)


def replace_blocks(tx: Transaction, entity_id: UUID, names: Iterable[str]) -> None:
    """Let an entity be found as like others by these names only."""
    tx.delete_where(models.EntityBlock, entity_id=entity_id)
    add_blocks(tx, entity_id, names)


async def possible_likes(
    read: Reader, volume: UUID, named: Sequence[Sequence[str]], before: Sequence[UUID] | None = None
) -> list[list[UUID]]:
    """Return, for each entity by its names, the stored entities that may be like it, those with most keys in common first.

    `before`: of those only the ones with a smaller id than this. At most 32 of each, itself among them where it is stored; of a key that
    many share, the 32 oldest are looked at. One statement, whatever the number.
    """
    keys = [probes(names) for names in named]
    found = await read.blocked(volume, sorted(set().union(*keys)), _SHARING)
    likes = []
    for n, own in enumerate(keys):
        counts: dict[str, int] = {}
        for key in own:
            for entity in found.get(key, ()):
                counts[entity] = counts.get(entity, 0) + 1
        chosen = sorted(counts, key=lambda one: (-counts[one], one))[:_LIKES]
        end = None if before is None else before[n].hex
        likes.append([UUID(hex=one) for one in chosen if end is None or one < end])
    return likes
