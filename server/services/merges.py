"""Merges: that two entities are one, found by somebody, and taken back by anybody.

A merge is a record. What was stated for the merged entity counts for the survivor from then on, and stays stated for it, so
that undoing the merge is exact. Its id and its names lead to the survivor. A merge is today's view: it has no place in time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import NamedTuple
from uuid import UUID

from server import models
from server.errors import BadUserInput, Conflict
from server.ids import NodeKind, encode_id, new_id
from server.services.checks import check_version, in_volume, one_in_volume, optional_text
from server.services.claims import FACT, RELATIONSHIP, ClaimKind
from server.services.contradiction import reconsider_entities
from server.services.folding import keep_apart, regroup
from server.services.identity import exclude_each_other
from server.services.indexing import entity_text
from server.services.resolution import survivors_of
from server.services.reviews import close_pairs_within
from server.store import Store, Transaction
from server.store.merging import claims_parted, doubles, loops_to_be, merge_rows, moved, pass_on, unmerge_rows
from server.store.records import EntityRecord, MergeRecord, VolumeRecord
from server.terms import ChangeKind

__all__ = ["Merged", "Merges", "Unmerged", "hand_over", "merge"]

_MOST_MERGED = 100
_MOST_NAMES = 1_000


class Merged(NamedTuple):
    """What a merge came to: the survivor, and the records in the order of what was merged."""

    survivor: UUID
    merges: list[UUID]


class Unmerged(NamedTuple):
    """The two entities that are two again."""

    survivor: UUID
    restored: UUID


class Merges:
    """The merges of a store's volumes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def merge(
        self,
        volume: VolumeRecord,
        into: UUID,
        sources: Sequence[UUID],
        reason: str | None,
        expected: int | None,
        actor: str,
    ) -> Merged:
        """Let entities count as another one; what is merged into that already stays as it is.

        An id of a merged entity stands for what it counts as. The number of statements does not grow with what is moved, but
        with the claims that become the same by it.

        Raises:
            BadUserInput: there is none, too many, or the survivor is among them.
            NotFound: one is not of this volume.
            Conflict: another version, they are one the other way round, or two are stated to be of types that exclude each other.
        """
        async with self._store.write(volume.id, actor) as tx:
            return await merge(tx, into, sources, reason, expected)

    async def unmerge(self, volume: VolumeRecord, merge: UUID, reason: str | None, actor: str) -> Unmerged:
        """Undo a merge: the graph is as it was, and what came after it goes to the entity that its source names.

        What the merged entity had taken along, and took over by merges into it since, goes with it.

        Raises:
            BadUserInput: the reason is too long.
            NotFound: no such merge in this volume.
            Conflict: it was undone before, or another entity has the name, type and sense of the merged one by now.
        """
        why = optional_text(reason, "reason", 1_000)
        async with self._store.write(volume.id, actor) as tx:
            record = await one_in_volume(tx.read, MergeRecord, volume.id, merge, "merge", "merge")
            if record.undone_at is not None:
                raise Conflict("This merge was undone before.", argument="merge")
            (entity,) = await in_volume(tx.read, EntityRecord, volume.id, [record.merged_id], "merge", "merge")
            survivor = entity.merged_into
            assert survivor is not None
            await _check_identity(tx, entity)
            unmerge_rows(tx, entity.id, await _taken_along(tx, entity.id, survivor), survivor)
            await tx.apply()
            for kind in (FACT, RELATIONSHIP):
                await regroup(tx, kind, await _touched(tx, kind, [survivor, entity.id]))
            await reconsider_entities(tx, [survivor, entity.id])
            undone = {"id": merge, "undone_by": actor}
            tx.update_many(models.EntityMerge, [undone], stamp=("undone_at",))
            told = {"merge": encode_id(NodeKind.MERGE, merge), "survivor_id": survivor}
            tx.log(
                ChangeKind.UNMERGED, NodeKind.ENTITY, entity.id, before=told, after={"survivor_id": None} | _given(why)
            )
            text = entity_text(entity.name, entity.type, entity.description)
            tx.index(NodeKind.ENTITY, entity.id, text, None, again=True)
        return Unmerged(survivor, entity.id)


async def merge(
    tx: Transaction,
    into: UUID,
    sources: Sequence[UUID],
    reason: str | None,
    expected: int | None = None,
    *,
    deciding: Collection[UUID] = (),
) -> Merged:
    """Do in a transaction what `Merges.merge` does; `deciding` are reviews that are being decided by it."""
    why = optional_text(reason, "reason", 1_000)
    ids = list(dict.fromkeys(sources))
    _check(into, ids)
    named = await in_volume(tx.read, EntityRecord, tx.volume_id, [into], "into", "entity")
    named += await in_volume(tx.read, EntityRecord, tx.volume_id, ids, "from", "entity")
    survivor, *roots = await survivors_of(tx.read, named)
    check_version(survivor, expected)
    if any(root.id == survivor.id and one.merged_into is None for one, root in zip(named[1:], roots, strict=True)):
        raise Conflict("They are one already, the other way round. Undo that merge first.", argument="from")
    new = list({root.id: root for root in roots if root.id != survivor.id}.values())
    _check_types([survivor, *new])
    known = await tx.read.lists(MergeRecord, "merged_id", ids, "id")
    made = await _write(tx, survivor, new, why)
    if made:
        await reconsider_entities(tx, [survivor.id])
    await close_pairs_within(tx, survivor.id, but=deciding)
    there = {m.merged_id: m.id for merges in known for m in merges if m.undone_at is None}
    merges = [made.get(root.id) or there[one.id] for one, root in zip(named[1:], roots, strict=True)]
    return Merged(survivor.id, list(dict.fromkeys(merges)))


async def _write(
    tx: Transaction, survivor: EntityRecord, merged: Sequence[EntityRecord], reason: str | None
) -> dict[UUID, UUID]:
    """Write the merges and return their ids by what was merged."""
    ids = [entity.id for entity in merged]
    if not ids:
        return {}
    await _check_names(tx, [survivor.id, *ids])
    counts = await moved(tx.read, ids)
    await keep_apart(tx, RELATIONSHIP, await loops_to_be(tx.read, [survivor.id, *ids]))
    merge_rows(tx, ids, survivor.id)
    await tx.apply()
    for kind in (FACT, RELATIONSHIP):
        await regroup(tx, kind, await doubles(tx.read, kind.model, [survivor.id]))
    made = {id: new_id() for id in ids}
    for id, count in zip(ids, counts, strict=True):
        record = {"survivor_id": survivor.id, "merged_id": id, "reason": reason, "moved": count, "actor": tx.actor}
        tx.insert(models.EntityMerge, id=made[id], **record)
        told = {"merge": encode_id(NodeKind.MERGE, made[id]), "survivor_id": survivor.id, "moved": count} | _given(
            reason
        )
        tx.log(ChangeKind.MERGED, NodeKind.ENTITY, id, before={"survivor_id": None}, after=told)
    tx.unindex(NodeKind.ENTITY, ids)
    return made


def _given(reason: str | None) -> dict[str, str]:
    return {} if reason is None else {"reason": reason}


async def hand_over(tx: Transaction, entities: Sequence[UUID]) -> None:
    """Take entities of which nothing but merges into them knows out of those, so that they can be deleted.

    The first that was merged into one takes its place; where that was merged itself, all it has taken along stay with the survivor.
    """
    for id in entities:
        (own,) = await tx.read.lists(MergeRecord, "merged_id", [id], "id")
        (taken,) = await tx.read.lists(MergeRecord, "survivor_id", [id], "id")
        into = next((record.survivor_id for record in own if record.undone_at is None), None)
        records = [record for record in taken if record.undone_at is None]
        if into is None:
            first, *records = records
            into = first.merged_id
            pass_on(tx, id, into)
            tx.delete_ids(models.EntityMerge, [first.id])
            await _show(tx, into)
        tx.set_among(models.EntityMerge, "id", [record.id for record in records], {"survivor_id": into})
        await tx.apply()


async def _show(tx: Transaction, id: UUID) -> None:
    entity = await tx.read.one(EntityRecord, id)
    assert entity is not None
    tx.log(
        ChangeKind.UNMERGED,
        NodeKind.ENTITY,
        id,
        before={"survivor_id": entity.merged_into},
        after={"survivor_id": None},
    )
    text = entity_text(entity.name, entity.type, entity.description)
    tx.index(NodeKind.ENTITY, id, text, None, again=True)


def _check(into: UUID, sources: Sequence[UUID]) -> None:
    if not sources:
        raise BadUserInput("Name at least one entity to merge.", argument="from")
    if len(sources) > _MOST_MERGED:
        raise BadUserInput(f"At most {_MOST_MERGED} entities can be merged at once.", argument="from")
    if into in sources:
        raise BadUserInput("An entity cannot be merged into itself.", argument="from")


def _check_types(entities: Sequence[EntityRecord]) -> None:
    stated = [entity for entity in entities if entity.type_stated]
    for one, other in combinations({entity.type: entity for entity in stated}.values(), 2):
        if exclude_each_other(one.type, other.type):
            raise Conflict(
                f"{one.name} is stated to be of type {one.type}, {other.name} of type {other.type}: nothing is both. "
                "Correct the type of one of them first.",
                argument="from",
            )


async def _check_names(tx: Transaction, entities: Sequence[UUID]) -> None:
    names = sum(map(len, await tx.read.other_names(entities))) + len(entities) - 1
    if names > _MOST_NAMES:
        raise BadUserInput(f"The survivor would have {names} other names; at most {_MOST_NAMES} fit.", argument="from")


async def _check_identity(tx: Transaction, entity: EntityRecord) -> None:
    same = await tx.read.where(
        EntityRecord, volume_id=tx.volume_id, match_key=entity.match_key, type=entity.type, sense=entity.sense
    )
    if any(other.id != entity.id and other.merged_into is None for other in same):
        raise Conflict(
            "Another entity has the name, type and sense of the merged one by now. Rename it, or give it a sense.",
            argument="merge",
        )


async def _taken_along(tx: Transaction, entity: UUID, survivor: UUID) -> list[UUID]:
    """Return what came to the survivor through this entity, along the chain of records."""
    (group,) = await tx.read.lists(EntityRecord, "merged_into", [survivor], "id")
    records = await tx.read.lists(MergeRecord, "merged_id", [one.id for one in group], "id")
    into: dict[UUID, list[UUID]] = {}
    for record in (record for found in records for record in found if record.undone_at is None):
        into.setdefault(record.survivor_id, []).append(record.merged_id)
    found, waiting = list[UUID](), [entity]
    while waiting:
        taken = into.get(waiting.pop(), [])
        found += taken
        waiting += taken
    return found


async def _touched(tx: Transaction, kind: ClaimKind, entities: Sequence[UUID]) -> list[UUID]:
    """Return the claims that count for entities, and others too that may be the same no more, or the same now."""
    parted = await claims_parted(tx.read, kind.model, kind.evidence, entities)
    return list(dict.fromkeys([*parted, *await doubles(tx.read, kind.model, entities)]))
