"""Parting: the evidence of claims of ONE-predicates is dealt out to the claims that it makes, whatever the order in which it came.

A claim of which a part returns after something else has held gives that part to a claim of its own; claims that are one again,
because what parted them has gone, are one: the oldest, and the others are retracted, until they part again. What was believed
before stays as it was: evidence ends where it was, and stands anew, as old as it is, where it counts now. It keeps the claim that it
was stated for, and goes back there when the predicate is MANY. Claims that a merge has made one are left to folding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from server import models
from server.ids import NodeKind, new_id
from server.services.claims import AUTHORITIES, ClaimKind, Period, period_of, words_of
from server.services.doubts import Turn, follow
from server.services.indexing import fact_text
from server.services.rivals import Decision
from server.services.spans import Statement, find_spans, periods_of
from server.services.standing import JOINED, Standing, origins
from server.store import Transaction
from server.store.records import EntityRecord, EvidenceRecord
from server.terms import Authority, ChangeKind, ClaimStatus

__all__ = ["Dealt", "Moved", "Outcome", "deal", "gather"]

Moved = dict[tuple[UUID, Any], tuple[UUID, bool]]
"""By a claim and when something that this transaction has said of it begins: the claim that it counts for, and whether that was there."""
_OWN = frozenset({"id", "volume_id", "created_at", "updated_at", "known_from", "version"})


@dataclass(slots=True)
class Dealt:
    """The claims that can contradict each other: their rows with what they say, those `lost` that may come back, and what persons decided."""

    claims: list[tuple[Any, Any]]
    lost: list[Any] = field(default_factory=list)
    decided: list[Decision] = field(default_factory=list)


class Outcome(NamedTuple):
    """What has become of claims: whether anything has changed, where what was said just now has gone, and which claims folding is to part or join."""

    changed: bool
    moved: Moved
    merged: frozenset[UUID]


async def deal(tx: Transaction, kind: ClaimKind, contests: Sequence[Dealt]) -> Outcome:
    """Deal out the evidence of these claims, but for those that a merge has a part in.

    One read, and a few more where something has changed.
    """
    ids = [claim.id for contest in contests for claim, _ in contest.claims]
    ids += dict.fromkeys(row.id for contest in contests for row in contest.lost)
    evidence = dict(zip(ids, await tx.read.lists(EvidenceRecord, kind.evidence, ids, "id"), strict=True))
    dealing = _Dealing(tx, kind, evidence)
    for contest in contests:
        dealing.find(contest)
    moved = await dealing.write() if dealing.parts else {}
    return Outcome(bool(dealing.parts), moved, frozenset(dealing.merged))


async def gather(tx: Transaction, kind: ClaimKind, contests: Sequence[Sequence[Any]]) -> bool:
    """Give evidence of claims of predicates that are MANY now back to those that it was stated for; return whether any has moved.

    One read, and a few more where something has changed.
    """
    ids = [claim.id for claims in contests for claim in claims]
    evidence = dict(zip(ids, await tx.read.lists(EvidenceRecord, kind.evidence, ids, "id"), strict=True))
    dealing = _Dealing(tx, kind, evidence)
    for claims in contests:
        dealing.find_dealt(claims)
    if dealing.parts:
        await dealing.write()
    return bool(dealing.parts)


@dataclass(slots=True)
class _Part:
    """A claim as it is to be: its row, or the one that it is made like, and all of its evidence that counts, by the claim it was with."""

    row: Any
    made: bool
    rows: list[tuple[Any, EvidenceRecord]]


@dataclass(slots=True)
class _Dealing:
    tx: Transaction
    kind: ClaimKind
    evidence: Mapping[UUID, list[EvidenceRecord]]
    parts: list[_Part] = field(default_factory=list)
    emptied: list[Any] = field(default_factory=list)
    merged: set[UUID] = field(default_factory=set)

    def find(self, contest: Dealt) -> None:
        """Find out which claims are to be others."""
        statements, given, first = list[Statement](), dict[UUID, tuple[int, float]](), dict[UUID, UUID]()
        for claim, says in contest.claims:
            own = self._statements(claim, says)
            statements += own
            given |= {
                one.id: (_rank(claim), claim.confidence) for one in own if len({o.period.start for o in own}) == 1
            }
            first[claim.id] = min(own, key=lambda one: (one.period.start or claim.created_at, one.id)).id
        decided = [
            Decision(
                first[one.winner],
                frozenset(first[id] for id in one.among if id in first),
                frozenset(row for id in one.unseen & first.keys() for row in self._live(id)),
            )
            for one in contest.decided
            if one.winner in first
        ]
        says_of = {one.id: one.says for one in statements}
        groups: dict[Any, list[list[UUID]]] = {}
        for span in find_spans(statements, given, decided):
            groups.setdefault(says_of[span[0]], []).append(span)
        for says, spans in groups.items():
            claims = [claim for claim, said in contest.claims if said == says]
            now = sorted(sorted(self._live(claim.id)) for claim in claims)
            if sorted(map(sorted, spans)) == now:
                continue
            if self._may_change(claims):
                self._assign(claims, spans, [row for row in contest.lost if _same(self.kind, row, claims[0])])
            elif self._of_several(claims):
                self.merged |= {claim.id for claim in claims}

    def find_dealt(self, claims: Sequence[Any]) -> None:
        """Find out which claims have evidence that was stated for others of them."""
        of = {claim.id: claim for claim in claims if not Standing(self.kind, claim).taken_back}
        rows: dict[UUID, list[tuple[Any, EvidenceRecord]]] = {id: [] for id in of}
        moved: set[UUID] = set()
        for claim in of.values():
            for row in (row for row in self.evidence[claim.id] if row.live):
                home = of.get(row.dealt_from or claim.id)
                own = row.stated_id is None and row.stated_source_id is None
                to = home if home is not None and own and _same(self.kind, home, claim) else claim
                rows[to.id].append((claim, row))
                moved |= {claim.id, to.id} if to is not claim else set()
        self.parts += [_Part(of[id], False, rows[id]) for id in sorted(moved) if rows[id]]
        self.emptied += [of[id] for id in sorted(moved) if not rows[id]]

    def _live(self, claim: UUID) -> list[UUID]:
        return [row.id for row in self.evidence[claim] if row.live] or [claim]

    def _statements(self, claim: Any, says: Any) -> list[Statement]:
        """Return what the evidence of a claim states; of one that has none, or none of its dates, what its row does."""
        rows = [row for row in self.evidence[claim.id] if row.live]
        if not rows:
            return [Statement(claim.id, says, period_of(claim), _rank(claim), claim.confidence, claim.id)]
        periods = periods_of(rows, self.evidence[claim.id])
        if not any(period.dated for period in periods):
            periods = [period_of(claim)] * len(rows)
        return [
            Statement(row.id, says, period, _rank(row), row.confidence, row.document_id)
            for row, period in zip(rows, periods, strict=True)
        ]

    def _may_change(self, claims: Sequence[Any]) -> bool:
        """Return whether no merge has a part in these claims, and all of them have evidence."""
        rows = [row for claim in claims for row in self.evidence[claim.id]]
        alone = all(row.stated_id is None and row.stated_source_id is None for row in rows)
        return (
            alone
            and len({self.kind.stated_ends(claim) for claim in claims}) == 1
            and all(any(row.live for row in self.evidence[claim.id]) for claim in claims)
        )

    def _of_several(self, claims: Sequence[Any]) -> bool:
        """Return whether a merge has made one of claims, or can."""
        rows = [row for claim in claims for row in self.evidence[claim.id]]
        named = any(row.stated_id is not None or row.stated_source_id is not None for row in rows)
        return named or len(set(map(self.kind.stated_ends, claims))) > 1

    def _assign(self, claims: Sequence[Any], spans: Sequence[Sequence[UUID]], lost: Sequence[Any]) -> None:
        """Give each span to the oldest claim that has a part of it, else to one that was lost, else to a new one."""
        rows = {row.id: (claim, row) for claim in claims for row in self.evidence[claim.id]}
        free, back = sorted(claims, key=lambda claim: claim.id), list(lost)
        for span in spans:
            of = Counter(rows[id][0].id for id in span)
            own = next((claim for claim in free if claim.id in of), None)
            if own is not None:
                free.remove(own)
                if sorted(span) != sorted(self._live(own.id)):
                    self.parts.append(_Part(own, False, [rows[id] for id in span]))
                continue
            like = rows[span[0]][0]
            starts = {period.start for period in map(period_of, (rows[id][1] for id in span))}
            again = next((row for row in back if row.valid_from in starts), None)
            if again is not None:
                back.remove(again)
            self.parts.append(_Part(again or _new(like), again is None, [rows[id] for id in span]))
        self.emptied += free

    async def write(self) -> Moved:
        """Write the claims that are others now, and move the evidence."""
        tx, kind = self.tx, self.kind
        standings = [self._standing(part) for part in self.parts]
        texts = await origins(tx, standings + [Standing(kind, row, self.evidence[row.id]) for row in self.emptied])
        turns, moved = list[Turn](), Moved()
        for part, standing in zip(self.parts, standings, strict=True):
            after = standing.columns(texts, texts)
            turns.append(self._write_row(part, after))
            self._write_evidence(part, words_of(part.row._replace(**after)), moved)
            await self._index(part, after)
        for row in self.emptied:
            after = {
                "status": ClaimStatus.RETRACTED.value,
                "status_reason": JOINED,
                "superseded_at": None,
                "superseded_by": None,
            }
            self._change(row, after, ChangeKind.RETRACTED)
            turns.append(Turn.of(kind.node, row, after))
        await follow(tx, turns)
        await tx.apply()
        return moved

    def _standing(self, part: _Part) -> Standing:
        """Return the standing of a claim with the evidence that it is to have, as that is put in the claim's own words."""
        words = words_of(part.row)
        left = [
            row._replace(said=_said(words_of(claim) if row.said is None else row.said or None, words))
            for claim, row in part.rows
        ]
        known = [] if part.made else self.evidence.get(part.row.id, [])
        return Standing(self.kind, part.row, list(known), left)

    def _write_row(self, part: _Part, after: Mapping[str, Any]) -> Turn:
        kind = self.kind
        if not part.made:
            self._change(part.row, after, ChangeKind.UPDATED)
            return Turn.of(kind.node, part.row, after)
        columns = {name: value for name, value in part.row._asdict().items() if name not in _OWN} | dict(after)
        self.tx.insert(kind.model, id=part.row.id, **columns)
        self.tx.log(ChangeKind.CREATED, kind.node, part.row.id, after={name: columns.get(name) for name in kind.logged})
        return Turn.made(kind.node, part.row.id, columns)

    def _change(self, row: Any, after: Mapping[str, Any], change: ChangeKind) -> None:
        """Open a new version of a claim, unless this transaction has opened one."""
        changed = {name: value for name, value in after.items() if getattr(row, name) != value}
        if not changed:
            return
        opened_here = row.known_from == self.tx.at
        self.tx.archive(self.kind.model, self.kind.past, [] if opened_here else [row.id])
        self.tx.update(self.kind.model, row.id, **changed, version=row.version + (not opened_here))
        before = {name: getattr(row, name) for name in changed}
        self.tx.amend(change, self.kind.node, row.id, before=before, after=changed)

    def _write_evidence(self, part: _Part, words: str | None, moved: Moved) -> None:
        """Have evidence count for the claim: what was stated just now belongs to it, what was before ends where it was and begins here.

        What has counted for it before counts again.
        """
        there = {_place(row): row.id for row in self.evidence.get(part.row.id, ()) if not row.live}
        back: list[dict[str, Any]] = []
        ended: list[UUID] = []
        fresh: list[dict[str, Any]] = []
        for claim, row in sorted(part.rows, key=lambda one: one[1].id):
            said = _said(words_of(claim) if row.said is None else row.said or None, words)
            stated_for = row.dealt_from or claim.id
            dealt_from = None if stated_for == part.row.id else stated_for
            if claim.id == part.row.id or row.created_at == self.tx.at:
                fresh.append({"id": row.id, self.kind.evidence: part.row.id, "said": said, "dealt_from": dealt_from})
                if claim.id != part.row.id:
                    moved[claim.id, row.valid_from] = part.row.id, not part.made
                continue
            ended.append(row.id)
            if _place(row) in there:
                back.append({"id": there.pop(_place(row)), "live": True, "ended_at": None, "said": said})
                continue
            own = {"id": new_id(), self.kind.evidence: part.row.id, "said": said, "dealt_from": dealt_from}
            again = {**row._asdict(), **own}
            self.tx.insert(models.Evidence, **again)
        self.tx.update_many(models.Evidence, fresh, stamped=False)
        self.tx.update_many(models.Evidence, back, stamped=False)
        self.tx.set_among(models.Evidence, "id", ended, {"live": False}, stamped=["ended_at"])

    async def _index(self, part: _Part, after: Mapping[str, Any]) -> None:
        words = after.get("content", words_of(part.row))
        if self.kind.node is NodeKind.FACT and (part.made or words != words_of(part.row)):
            subject = await self.tx.read.one(EntityRecord, self.kind.stated_ends(part.row)[0])
            text = fact_text(subject.name if subject else "", words)
            self.tx.index(NodeKind.FACT, part.row.id, text, None, again=not part.made)


def _place(row: EvidenceRecord) -> tuple[Any, ...]:
    """Return what is equal for a row of evidence and the one that stands for it at another claim."""
    return (
        row.created_at,
        row.document_id,
        row.revision,
        row.start,
        row.end,
        row.quote,
        row.origin,
        row.confidence,
        period_of(row),
    )


def _rank(row: Any) -> int:
    return AUTHORITIES.index(Authority(row.authority))


def _said(put: str | None, words: str | None) -> str | None:
    """Return how evidence says that its source puts a claim, where that is put in `words`."""
    return None if put == words else put or ""


def _same(kind: ClaimKind, row: Any, claim: Any) -> bool:
    return kind.key_of(row) == kind.key_of(claim) and kind.stated_ends(row) == kind.stated_ends(claim)


def _new(like: Any) -> Any:
    """Return the row of a claim that says what another one does, before its evidence makes it what it is."""
    status = like.status if like.status == ClaimStatus.PENDING_REVIEW else ClaimStatus.CURRENT.value
    return like._replace(
        id=new_id(), version=1, status=status, status_reason=None, superseded_at=None, superseded_by=None,
        **Period().columns(),
    )  # fmt: skip
