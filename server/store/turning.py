"""Relationships of a type as sets of rows: which say the same from opposite ends, and stating them all from their other end.

What relationships that say the same come to is decided by services.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import and_, func, or_, select

from server import models
from server.store.merging import opposite
from server.store.reader import Reader
from server.store.records import RelationshipRecord
from server.store.relations import table_of
from server.store.transaction import Transaction

__all__ = ["opposites", "stored_under", "turn_evidence", "turn_rows", "turned_ends", "turned_types"]

_ENDS = ("source_id", "target_id", "stated_source_id", "stated_target_id")
_TURNED = ("target_id", "source_id", "stated_target_id", "stated_source_id")


async def opposites(read: Reader, volume: UUID, types: Collection[str]) -> list[UUID]:
    """Return the relationships of these types that may say what another one does from its other end, and those that count for such a one.

    Two statements.
    """
    edge, other = table_of(models.Relationship), table_of(models.Relationship).alias()
    own = edge.c.volume_id == volume, edge.c.type.in_(sorted(types))
    folded = and_(other.c.folded_into == edge.c.id, other.c.id != edge.c.id)
    heads = select(edge.c.id).select_from(edge.join(other, folded)).where(*own).distinct()
    found = {row[0]: None for row in await read.rows(heads.order_by(edge.c.id))}
    pairs = opposite(lambda row: and_(row.c.volume_id == volume, row.c.type.in_(sorted(types))))
    return list(found | {id: None for row in await read.rows(pairs) for id in row})


async def turned_types(read: Reader, volume: UUID, types: Collection[str]) -> list[tuple[str, str]]:
    """Return (type, stated type) of the relationships of these types that were stated from their other end. One statement."""
    edge = table_of(models.Relationship)
    turned = edge.c.volume_id == volume, edge.c.type.in_(sorted(types)), edge.c.stated_type.is_not(None)
    pairs = select(edge.c.type, edge.c.stated_type).where(*turned).distinct()
    return sorted((row[0], row[1]) for row in await read.rows(pairs))


async def stored_under(read: Reader, volume: UUID, type: str, stated: str | None) -> list[UUID]:
    """Return the relationships of a type that were stated by another one, or by this (None), those that are set aside too, oldest first.

    One statement.
    """
    edge = table_of(models.Relationship)
    wanted = select(edge.c.id).where(edge.c.volume_id == volume, edge.c.type == type)
    so = edge.c.stated_type.is_(None) if stated is None else edge.c.stated_type == stated
    return [row[0] for row in await read.rows(wanted.where(so).order_by(edge.c.id))]


def turn_rows(
    tx: Transaction, ids: Sequence[UUID], type: str, stated: str | None, *, mutual: bool, opened: Collection[UUID]
) -> None:
    """Store relationships from their other end, by another type; their evidence too. Each gets a new version but for those `opened` here.

    `stated` is the type by which they were stated, where that is not the one that they are stored by from now on.
    """
    edge = table_of(models.Relationship)
    tx.archive(models.Relationship, models.RelationshipVersion, [id for id in ids if id not in opened])
    swapped = {name: edge.c[other] for name, other in zip(_ENDS, _TURNED, strict=True)}
    for new, part in ((0, [id for id in ids if id in opened]), (1, [id for id in ids if id not in opened])):
        values = {**swapped, "type": type, "stated_type": stated, "mutual": mutual, "version": edge.c.version + new}
        tx.set_among(models.Relationship, "id", part, values, stamped=("known_from", "updated_at"))
    turn_evidence(tx, ids)


def turned_ends(row: RelationshipRecord) -> dict[str, UUID | None]:
    """Return the ends of a relationship as they are stated from its other end."""
    return {name: getattr(row, other) for name, other in zip(_ENDS, _TURNED, strict=True)}


def turn_evidence(tx: Transaction, ids: Sequence[UUID]) -> None:
    """Let the evidence of relationships name their ends in the other order."""
    row = table_of(models.Evidence)
    for start in range(0, len(ids), 500):
        part = list(ids[start : start + 500])
        theirs = or_(row.c.stated_id.in_(part), and_(row.c.stated_id.is_(None), row.c.relationship_id.in_(part)))
        ends = {"stated_source_id": row.c.stated_target_id, "stated_target_id": row.c.stated_source_id}
        tx.then(row.update().where(theirs, func.coalesce(*ends.values()).is_not(None)).values(ends))
