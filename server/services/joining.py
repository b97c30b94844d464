"""Joining: what becomes of stored relationships when their types turn out to be inverses or symmetric, or to be so no more.

Two that say the same from opposite ends count as one, as if the second had been stated when that was known; they are two again
when it is set back. Of two inverses, all is stored by the one of which a subject has one: those are the claims that compete. Each
keeps the type by which it was stated, and is stored by that again where the other is its inverse, or ONE, no more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from server.ids import NodeKind
from server.services.claims import RELATIONSHIP
from server.services.folding import regroup
from server.services.predicates import Vocabulary, vocabulary
from server.store import Transaction
from server.store.records import RelationshipRecord
from server.store.turning import opposites, stored_under, turn_rows, turned_types
from server.terms import ChangeKind

__all__ = ["join", "store_as_stated", "store_turned"]


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


async def store_as_stated(tx: Transaction, types: Collection[str]) -> set[str]:
    """Store by the type by which it was stated what is stored by one of these, unless that is its inverse and ONE as they are set now.

    Returns the types by which something is stored again.
    """
    turned = await turned_types(tx.read, tx.volume_id, types)
    words = await vocabulary(tx, {name for pair in turned for name in pair})
    again = {(type, stated) for type, stated in turned if words.stored_by(stated) != type}
    for type, stated in sorted(again):
        await _turn(tx, await stored_under(tx.read, tx.volume_id, type, stated), (type, stated), None, words)
    return {stated for _, stated in again}


async def store_turned(tx: Transaction, types: Collection[str]) -> None:
    """Store by their inverse, which is ONE, the relationships that are stated by those of these types of which it is."""
    words = await vocabulary(tx, types)
    for type in sorted(types):
        into = words.stored_by(type)
        if into != type:
            await _turn(tx, await stored_under(tx.read, tx.volume_id, type, None), (type, into), type, words)


async def _turn(
    tx: Transaction, ids: Sequence[UUID], types: tuple[str, str], stated: str | None, words: Vocabulary
) -> None:
    """Store relationships of the first of two types from their other end, by the second."""
    rows, (type, into) = await _rows(tx, ids), types
    opened = {row.id for row in rows if row.known_from == tx.at}
    turn_rows(tx, ids, into, stated, mutual=words.is_mutual(into), opened=opened)
    for row in rows:
        if row.folded_into is None:
            before = {"type": type, "source_id": row.source_id, "target_id": row.target_id}
            after = {"type": into, "source_id": row.target_id, "target_id": row.source_id}
            tx.amend(ChangeKind.UPDATED, NodeKind.RELATIONSHIP, row.id, before=before, after=after)
    await tx.apply()


async def _folded(tx: Transaction, heads: Sequence[UUID]) -> dict[UUID, UUID]:
    """Return what is set aside, each with what counts for it."""
    lists = await tx.read.lists(RelationshipRecord, "folded_into", heads, "id")
    return {row.id: head for head, rows in zip(heads, lists, strict=True) for row in rows if row.id != head}


async def _rows(tx: Transaction, ids: Collection[UUID]) -> list[RelationshipRecord]:
    rows = await tx.read.by_ids(RelationshipRecord, sorted(ids))
    return [row for row in rows if row is not None]
