"""Claims that wait: each has an open review from the moment it begins to wait until it is sure enough, taken back or gone.

Whoever writes claims says here, in the same transaction, where the status of some has turned. A fact's review is as important as
the fact; that of a relationship as the more important of its ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from server import models
from server.ids import NodeKind
from server.services.claims import GONE
from server.services.reviews import ReviewQuestion, close_reviews, open_reviews
from server.store import Transaction
from server.store.records import EntityRecord, FactRecord, RelationshipRecord
from server.terms import ClaimStatus, ReviewKind

__all__ = ["Turn", "ask_about", "doubt", "follow"]

_WAITS = ClaimStatus.PENDING_REVIEW
_OF_CLAIMS = (ReviewKind.LOW_CONFIDENCE, ReviewKind.STALE)
_UNKNOWN = 0.5


class Turn(NamedTuple):
    """A claim whose status has become another, or that is new (`before` None).

    `weight` is a fact's importance; `ends` are a relationship's source and target. `anew` asks again what was decided, `reasons` are
    why a claim waits that is sure enough.
    """

    kind: NodeKind
    id: UUID
    before: str | None
    after: str
    weight: float | None = None
    ends: tuple[UUID, ...] = ()
    anew: bool = False
    reasons: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether it waits from now on."""
        return self.after == _WAITS and self.before != _WAITS

    @classmethod
    def made(cls, kind: NodeKind, id: UUID, columns: Mapping[str, Any]) -> Turn:
        """Return the turn of a claim that is new."""
        ends = () if kind is NodeKind.FACT else (columns["source_id"], columns["target_id"])
        return cls(kind, id, None, columns["status"], columns.get("importance"), ends)

    @classmethod
    def of(cls, kind: NodeKind, claim: FactRecord | RelationshipRecord, after: Mapping[str, Any]) -> Turn:
        """Return the turn of a claim that gets other values for some of its columns."""
        return cls.made(kind, claim.id, {**claim._asdict(), **after})._replace(before=claim.status)


async def follow(
    tx: Transaction, turns: Iterable[Turn], *, anew: bool = False, deciding: Collection[UUID] = ()
) -> None:
    """Open the reviews of claims that wait from now on, and close those of claims that wait no more, or are gone.

    `anew` asks again what was decided, for what a person has made less sure; `deciding` are reviews that are being decided. No
    statement where none of the claims waits, has waited or is gone.
    """
    turned = [turn for turn in turns if turn.before != turn.after]
    over = [(turn.kind, turn.id) for turn in turned if turn.before == _WAITS or turn.after in GONE]
    if over:
        await close_reviews(tx, over, _OF_CLAIMS, but=deciding)
    await _ask(tx, [turn for turn in turned if turn.after == _WAITS], anew)


async def ask_about(
    tx: Transaction, kind: NodeKind, ids: Sequence[UUID], shown: Sequence[FactRecord | RelationshipRecord]
) -> None:
    """Ask about those claims that wait of some that are regrouped: of `ids`, those are `shown` now, as they are to be."""
    waiting = [claim for claim in shown if claim.status == _WAITS]
    rest = [(kind, id) for id in ids if id not in {claim.id for claim in waiting}]
    if rest:
        await close_reviews(tx, rest, _OF_CLAIMS[:1])
    await _ask(tx, [Turn.made(kind, claim.id, claim._asdict()) for claim in waiting], anew=False)


def doubt(turn: Turn, importance: float) -> ReviewQuestion:
    """Return the question whether a claim is to be believed."""
    return ReviewQuestion(ReviewKind.LOW_CONFIDENCE, ((turn.kind, turn.id),), importance, reasons=turn.reasons)


async def _ask(tx: Transaction, waiting: Sequence[Turn], anew: bool) -> None:
    if not waiting:
        return
    ends = list(dict.fromkeys(id for turn in waiting for id in turn.ends))
    known: dict[UUID, float] = {row["id"]: row["importance"] for row in tx.collected(models.Entity)}
    stored = await tx.read.by_ids(EntityRecord, [id for id in ends if id not in known])
    known |= {row.id: row.importance for row in stored if row is not None}

    def importance(turn: Turn) -> float:
        if turn.weight is not None:
            return turn.weight
        return max((known.get(id, _UNKNOWN) for id in turn.ends), default=_UNKNOWN)

    for again in (False, True):
        turns = [turn for turn in waiting if (anew or turn.anew) is again]
        await open_reviews(tx, [doubt(turn, importance(turn)) for turn in turns], anew=again)
