"""Decisions: what a person says to questions of the review queue, and what follows from it for what they are about.

All of them are one transaction: a wrong item refuses the whole. A decision is kept; the same one again changes nothing, another
one is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from server import models
from server.errors import BadUserInput, Conflict, ServerError
from server.ids import NodeKind
from server.services.checks import Changes, found, optional_text
from server.services.claims import FACT, RELATIONSHIP, ClaimKind, Said, Support, change_claim, period_of, words_of
from server.services.contradiction import decide, pairs_of, reconsider
from server.services.doubts import Turn, follow
from server.services.facts import correct_fact
from server.services.idempotency import request_hash
from server.services.merges import merge
from server.services.relationships import correct_relationship, sentence
from server.services.reviews import Node
from server.services.standing import Standing, settle
from server.store import Store, Transaction
from server.store.records import (
    ConflictRecord,
    EntityRecord,
    EvidenceRecord,
    FactRecord,
    MergeRecord,
    RelationshipRecord,
    ReviewRecord,
    VolumeRecord,
)
from server.store.statements import Record
from server.terms import Authority, ChangeKind, ClaimStatus, ReviewAction, ReviewDecision, ReviewKind

__all__ = ["MOST_ITEMS", "Resolution", "Resolved", "Reviews"]

MOST_ITEMS = 500
_OF_A_CLAIM = frozenset({ReviewAction.APPROVE, ReviewAction.REJECT, ReviewAction.EDIT})
_ACTIONS: Mapping[str, frozenset[ReviewAction]] = {
    ReviewKind.LOW_CONFIDENCE: _OF_A_CLAIM,
    ReviewKind.STALE: _OF_A_CLAIM,
    ReviewKind.CONFLICT: frozenset({ReviewAction.CHOOSE_WINNER}),
    ReviewKind.DUPLICATE: frozenset({ReviewAction.MERGE, ReviewAction.KEEP_APART}),
}
_DECISIONS: Mapping[ReviewAction, ReviewDecision] = {
    ReviewAction.APPROVE: ReviewDecision.APPROVED,
    ReviewAction.REJECT: ReviewDecision.REJECTED,
    ReviewAction.EDIT: ReviewDecision.EDITED,
    ReviewAction.MERGE: ReviewDecision.MERGED,
    ReviewAction.KEEP_APART: ReviewDecision.KEPT_APART,
    ReviewAction.CHOOSE_WINNER: ReviewDecision.WINNER_CHOSEN,
}
_WITH_WINNER = frozenset({ReviewAction.MERGE, ReviewAction.CHOOSE_WINNER})
_SHARED = frozenset({"valid_from", "valid_to"})
_EDITED: Mapping[NodeKind, frozenset[str]] = {
    NodeKind.FACT: _SHARED | {"content", "category", "predicate", "value", "value_type", "importance"},
    NodeKind.RELATIONSHIP: _SHARED | {"type", "description", "strength", "bidirectional", "properties"},
}
ClaimRecord = FactRecord | RelationshipRecord


@dataclass(frozen=True, slots=True)
class Resolution:
    """What resolveReview takes: one action for all items. A rehearsal answers what would change, and changes nothing."""

    items: Sequence[UUID]
    action: ReviewAction
    edit: Changes | None = None
    winner: Node | None = None
    reason: str | None = None
    rehearsal: bool = False

    @property
    def answer(self) -> str | None:
        """What tells two decisions of one name apart."""
        if self.edit is None and self.winner is None:
            return None
        return request_hash(self.action, {"edit": self.edit, "winner": self.winner})


@dataclass(slots=True)
class Resolved:
    """The items as they are after the decision, the claims and conflicts that it changed, and the merges that it made."""

    items: list[ReviewRecord]
    claims: list[ClaimRecord] = field(default_factory=list)
    conflicts: list[ConflictRecord] = field(default_factory=list)
    merges: list[MergeRecord] = field(default_factory=list)


def clean_resolution(resolution: Resolution) -> Resolution:
    """Return the input without repeats, its reason as it is stored.

    Raises:
        BadUserInput: it has no items or too many, or a field that its action does not take, or lacks one that it needs.
    """
    items = list(dict.fromkeys(resolution.items))
    if not 1 <= len(items) <= MOST_ITEMS:
        raise BadUserInput(f"From 1 to {MOST_ITEMS} items can be decided at once.", argument="items")
    edits = resolution.action is ReviewAction.EDIT
    if edits is not bool(resolution.edit):
        raise BadUserInput("EDIT needs fields to change in `edit`; other actions take none.", argument="edit")
    if resolution.winner is not None and resolution.action not in _WITH_WINNER:
        raise BadUserInput(f"{resolution.action} takes no winner.", argument="winner")
    if resolution.winner is None and resolution.action is ReviewAction.CHOOSE_WINNER:
        raise BadUserInput("Name the claim that holds as the winner.", argument="winner")
    if (edits or resolution.winner is not None) and len(items) > 1:
        raise BadUserInput("What is said here is of one item: decide one at a time.", argument="items")
    return replace(resolution, items=items, reason=optional_text(resolution.reason, "reason", 1_000))


class Reviews:
    """The review queues of a store's volumes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def resolve(self, volume: VolumeRecord, resolution: Resolution, actor: str) -> Resolved:
        """Decide items, all or none. A constant number of reads; items that were decided so before change nothing.

        Raises:
            BadUserInput: the action is not one for an item of its kind, or a field of the edit is out of its bounds.
            NotFound: an item is not of this volume.
            Conflict: an item was decided otherwise or has lapsed, or the edit makes a claim the same as another.
        """
        cleaned = clean_resolution(resolution)
        async with self._store.write(volume.id, actor, rehearsal=cleaned.rehearsal) as tx:
            rows = await tx.read.by_ids(ReviewRecord, cleaned.items)
            open_ones = [row for n, row in enumerate(rows) if _waits(row, volume.id, cleaned, f"items[{n}]")]
            deciding = _Deciding(tx, cleaned, [row for row in open_ones if row is not None])
            return await deciding.carry_out(cleaned.items)


def _waits(row: ReviewRecord | None, volume_id: UUID, resolution: Resolution, place: str) -> bool:
    """Return whether an item is still to be decided; False where it was decided so before."""
    item = found(row if row is not None and row.volume_id == volume_id else None, place, "review item")
    if resolution.action not in _ACTIONS.get(item.kind, frozenset()):
        raise BadUserInput(f"{resolution.action} is no action for an item of the kind {item.kind}.", argument=place)
    if item.decision is None:
        return True
    if item.decision == ReviewDecision.LAPSED:
        raise Conflict("What it asks has gone by itself.", argument=place)
    if (item.decision, item.answer) != (_DECISIONS[resolution.action], resolution.answer):
        raise Conflict(f"It was decided otherwise: {item.decision}.", argument=place)
    return False


class _Deciding:
    """Decisions under way."""

    def __init__(self, tx: Transaction, resolution: Resolution, rows: Sequence[ReviewRecord]) -> None:
        self._tx = tx
        self._resolution = resolution
        self._rows = rows
        self._deciding = frozenset(row.id for row in rows)

    async def carry_out(self, items: Sequence[UUID]) -> Resolved:
        """Do what is decided, and return what has come of it."""
        for kind in (FACT, RELATIONSHIP):
            own = {getattr(row, kind.evidence): row for row in self._rows if getattr(row, kind.evidence) is not None}
            claims = [claim for claim in await self._tx.read.by_ids(kind.record, list(own)) if claim is not None]
            if claims:
                await self._decide(kind, claims, {claim.id: own[claim.id].kind for claim in claims})
        merges = await self._merge() if self._resolution.action is ReviewAction.MERGE else []
        if self._resolution.action is ReviewAction.CHOOSE_WINNER:
            await self._choose()
        self._note()
        if not self._rows:
            return Resolved(await _there(self._tx, ReviewRecord, items))
        await self._tx.apply()
        return Resolved(
            await _there(self._tx, ReviewRecord, items),
            [claim for kind in (FACT, RELATIONSHIP) for claim in await self._changed(kind.node, kind.record)],
            await self._changed(NodeKind.CONFLICT, ConflictRecord),
            await _there(self._tx, MergeRecord, merges),
        )

    async def _changed(self, kind: NodeKind, record: type[Any]) -> list[Any]:
        own = [id for row in self._rows for id in (row.fact_id, row.relationship_id) if id is not None]
        rows = await _there(self._tx, record, list(dict.fromkeys([*own, *self._tx.changed(kind)])))
        return [row for row in rows if getattr(row, "folded_into", None) is None]

    async def _choose(self) -> None:
        """Let the winner hold against the other claims of the conflict."""
        for row in self._rows:
            conflict = None if row.conflict_id is None else await self._tx.read.one(ConflictRecord, row.conflict_id)
            winner = self._resolution.winner
            if conflict is None or winner is None or winner[0] != conflict.node_kind:
                raise BadUserInput("The winner must be one of the claims of the conflict.", argument="winner")
            await decide(self._tx, conflict, winner[1], self._tx.actor, self._resolution.reason)

    async def _merge(self) -> list[UUID]:
        """Let the two entities of each item count as one: the older one, or the one named; return the merges' ids."""
        made: list[UUID] = []
        for row in self._rows:
            ends = [id for id in (row.left_id, row.right_id) if id is not None]
            known = [one for one in await self._tx.read.by_ids(EntityRecord, ends) if one is not None]
            into, other = (one.merged_into or one.id for one in known)
            if self._resolution.winner is not None:
                into, other = self._survivor(into, other)
            if into == other:
                continue
            place = f"items[{self._resolution.items.index(row.id)}]"
            try:
                merged = await merge(self._tx, into, [other], self._resolution.reason, deciding=self._deciding)
            except ServerError as error:
                raise type(error)(error.message, argument=place, details=error.details) from error
            made += merged.merges
        return made

    def _survivor(self, one: UUID, other: UUID) -> tuple[UUID, UUID]:
        for into, merged in ((one, other), (other, one)):
            if self._resolution.winner == (NodeKind.ENTITY, into):
                return into, merged
        raise BadUserInput("The winner must be one of the two entities.", argument="winner")

    async def _decide(self, kind: ClaimKind, claims: Sequence[Any], asked: Mapping[UUID, str]) -> None:
        match self._resolution.action:
            case ReviewAction.APPROVE:
                await self._approve(kind, claims)
            case ReviewAction.REJECT:
                await self._reject(kind, claims, asked)
            case ReviewAction.EDIT:
                await self._edit(kind, claims[0])

    async def _approve(self, kind: ClaimKind, claims: Sequence[Any]) -> None:
        texts = await _texts(self._tx, kind, claims)
        lists = await self._tx.read.lists(EvidenceRecord, kind.evidence, [claim.id for claim in claims], "id")
        standings = [Standing(kind, claim) for claim in claims]
        for standing, evidence, text in zip(standings, lists, texts, strict=True):
            standing.read(evidence)
            support = Support(text, 1.0, Authority.USER)
            # As added rather than as said: a person's word counts anew, though the very same may have been said before.
            standing.added = [Said(support, words_of(standing.claim), period_of(standing.claim))]
        await follow(self._tx, await settle(self._tx, standings), deciding=self._deciding)
        await reconsider(self._tx, kind, pairs_of(kind, claims))

    async def _reject(self, kind: ClaimKind, claims: Sequence[Any], asked: Mapping[UUID, str]) -> None:
        turns = []
        for claim in claims:
            stale = asked[claim.id] == ReviewKind.STALE
            status = ClaimStatus.RETRACTED if stale else ClaimStatus.REJECTED
            after = {"status": status.value, "status_reason": self._resolution.reason}
            change_claim(self._tx, kind, claim, after, ChangeKind.RETRACTED)
            turns.append(Turn.of(kind.node, claim, after))
        await follow(self._tx, turns, deciding=self._deciding)
        await reconsider(self._tx, kind, pairs_of(kind, claims))

    async def _edit(self, kind: ClaimKind, claim: Any) -> None:
        changes = dict(self._resolution.edit or {})
        for name in changes.keys() - _EDITED[kind.node]:
            shown = _in_camel_case(name)
            raise BadUserInput(f"The claim is of another kind: it has no {shown}.", argument=f"edit.{shown}")
        correct: Any = correct_fact if kind is FACT else correct_relationship
        try:
            await correct(self._tx, claim, {**changes, "confidence": 1.0}, deciding=self._deciding)
        except ServerError as error:
            raise type(error)(error.message, argument=f"edit.{error.argument}", details=error.details) from error

    def _note(self) -> None:
        resolution = self._resolution
        decided = {"decision": _DECISIONS[resolution.action].value, "answer": resolution.answer}
        values = {**decided, "decided_by": self._tx.actor}
        ids = [row.id for row in self._rows]
        self._tx.update_many(models.Review, [{"id": id, **values} for id in ids], stamp=("decided_at",))
        after = {"decision": decided["decision"], "reason": resolution.reason}
        for id in ids:
            self._tx.log(ChangeKind.UPDATED, NodeKind.REVIEW, id, before={"decision": None}, after=after)


async def _there(tx: Transaction, record: type[Record], ids: Sequence[UUID]) -> list[Record]:
    return [row for row in await tx.read.by_ids(record, ids) if row is not None]


def _in_camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


async def _texts(tx: Transaction, kind: ClaimKind, claims: Sequence[Any]) -> list[str]:
    """Return what each claim says, as one readable text."""
    if kind is FACT:
        return [claim.content for claim in claims]
    ends = list(dict.fromkeys(id for claim in claims for id in (claim.source_id, claim.target_id)))
    names = {row.id: row.name for row in await tx.read.by_ids(EntityRecord, ends) if row is not None}
    return [sentence(names[c.source_id], c.type, names[c.target_id]) for c in claims]
