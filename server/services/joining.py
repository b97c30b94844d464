"""Joining: what becomes of stored relationships when their types turn out to be inverses or symmetric, or to be so no more.

Two that say the same from opposite ends count as one, as if the second had been stated when that was known; they are two again
when it is set back. Of two inverses, all is stored by the one of which a subject has one: those are the claims that compete.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from server.ids import NodeKind
from server.services.claims import RELATIONSHIP
from server.services.folding import regroup
from server.store import Transaction
from server.store.records import RelationshipRecord
from server.store.turning import opposites, stored_under, turn_rows
from server.terms import ChangeKind

__all__ = ["join", "store_turned"]


async def join(tx: Transaction, types: Collection[str]) -> tuple[list[RelationshipRecord], list[RelationshipRecord]]:
    """Fold what says the same by these types as they are set now, and part what does not any more.

    Returns the relationships that count for more than before, and those that are there again. A few statements, whatever the number.
    """
    heads = await opposites(tx.read, tx.volume_id, types)
    before = await _folded(tx, heads)
    await regroup(tx, RELATIONSHIP, heads)
    await tx.apply()
    after = await _folded(tx, [*heads, *before])
    joined = {head for id, head in after.items() if before.get(id) != head}
    return await _rows(tx, joined), await _rows(tx, before.keys() - after.keys())


async def store_turned(tx: Transaction, type: str, into: str) -> bool:
    """State all relationships of a type from their other end, by its inverse; return whether there were any."""
    ids = await stored_under(tx.read, tx.volume_id, type)
    rows = await _rows(tx, ids)
    turn_rows(tx, ids, into, opened={row.id for row in rows if row.known_from == tx.at})
    for row in rows:
        if row.folded_into is None:
            before = {"type": type, "source_id": row.source_id, "target_id": row.target_id}
            after = {"type": into, "source_id": row.target_id, "target_id": row.source_id}
            tx.amend(ChangeKind.UPDATED, NodeKind.RELATIONSHIP, row.id, before=before, after=after)
    await tx.apply()
    return bool(ids)


async def _folded(tx: Transaction, heads: Sequence[UUID]) -> dict[UUID, UUID]:
    """Return what is set aside, each with what counts for it."""
    lists = await tx.read.lists(RelationshipRecord, "folded_into", heads, "id")
    return {row.id: head for head, rows in zip(heads, lists, strict=True) for row in rows if row.id != head}


async def _rows(tx: Transaction, ids: Collection[UUID]) -> list[RelationshipRecord]:
    rows = await tx.read.by_ids(RelationshipRecord, sorted(ids))
    return [row for row in rows if row is not None]
