"""Contradiction: after each change of a claim, the claims of its subject and predicate are judged anew, and the outcome is written.

Facts compete with facts and relationships with relationships; of an event (BORN_ON) the date is a part of what is said, so a
later one is no change but a contradiction; a date and something else (born in 1979, born in Linz) say nothing against each other.
A conflict keeps its id as long as two of its claims stay in it. One that no rule sees any more is removed, unless a person has
decided it: then it stays, RESOLVED, and so does what was decided.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from uuid import UUID

from server import models
from server.errors import BadUserInput
from server.ids import NodeKind, encode_id
from server.services.claims import AUTHORITIES, FACT, RELATIONSHIP, ClaimKind
from server.services.folding import regroup
from server.services.pairs import COMPETING, EVENTS, Pair, cardinalities, pairs_of
from server.services.parting import Dealt, Moved, Outcome, deal, gather
from server.services.reviews import ReviewQuestion, close_reviews, forget_reviews, open_reviews
from server.services.rivals import Day, Decision, Dispute, Rival, Verdict, judge
from server.services.standing import Standing
from server.store import Store, Transaction
from server.store.contests import contested
from server.store.records import (
    ConflictClaimRecord,
    ConflictRecord,
    EntityRecord,
    PredicateRecord,
    RelationshipRecord,
)
from server.terms import Authority, Cardinality, ChangeKind, ClaimStatus, ConflictStatus, ReviewKind, ValueType

__all__ = [
    "COMPETING",
    "EVENTS",
    "Pair",
    "cardinalities",
    "decide",
    "forget_conflicts",
    "judge_earlier",
    "pairs_of",
    "recompute",
    "reconsider",
    "reconsider_entities",
]

ACTOR = "loregraph"
"""Who writes what becomes of claims that were there before claims were judged."""
_JUDGED, _AT_ONCE = "claims_judged", 500
_STANDING = Verdict(ClaimStatus.CURRENT)
_CHANGED = ("status", "status_reason", "superseded_at", "superseded_by")


async def reconsider(tx: Transaction, kind: ClaimKind, pairs: Collection[Pair]) -> Moved:
    """Do what `recompute` does for those of the pairs whose predicate is ONE; for the rest it costs one statement.

    Call it behind every change of claims. What was collected for the transaction is sent first where there is anything to judge.
    """
    if pairs:
        ones = await cardinalities(tx, {predicate for _, predicate in pairs})
        left = {pair for pair in pairs if ones[pair[1]] is Cardinality.ONE}
        if left:
            return await recompute(tx, kind, left)
    return {}


async def reconsider_entities(tx: Transaction, entities: Collection[UUID]) -> None:
    """Do what `reconsider` does for all claims about these entities, and for relationships that lead to them. A few statements more."""
    known = await tx.read.where(PredicateRecord, volume_id=tx.volume_id, cardinality=Cardinality.ONE.value)
    names = {predicate.name for predicate in known}
    wanted = frozenset({"source_id", "type"})
    lists = await tx.read.lists(RelationshipRecord, "target_id", list(entities), "id", columns=wanted)
    leading = {(row.source_id, row.type) for rows in lists for row in rows if row.type in names}
    own = {(entity, name) for entity in entities for name in names}
    for kind, pairs in ((FACT, own), (RELATIONSHIP, own | leading)):
        if pairs:
            await recompute(tx, kind, pairs)


async def judge_earlier(store: Store) -> None:
    """Judge the claims of a store that was filled before claims were judged: once, volume by volume; after that it costs one read.

    Doing it again, or in two processes at once, changes nothing more.
    """
    if await store.setting(_JUDGED) is not None:
        return
    after: tuple[str, UUID] | None = None
    while True:
        page = await store.read.volumes(100, after)
        for volume in page.rows:
            for kind in (FACT, RELATIONSHIP):
                pairs = await contested(store.read, volume.id, kind.model)
                for start in range(0, len(pairs), _AT_ONCE):
                    async with store.write(volume.id, ACTOR) as tx:
                        await recompute(tx, kind, pairs[start : start + _AT_ONCE])
        if not page.has_next:
            break
        after = (page.rows[-1].name, page.rows[-1].id)
    await store.keep(_JUDGED, "yes")


async def recompute(
    tx: Transaction, kind: ClaimKind, pairs: Collection[Pair], *, under_review: UUID | None = None
) -> Moved:
    """Judge the claims of these subjects and predicates anew, and write what has become of them and of their conflicts.

    A claim that changes gets a new version, unless this very transaction has opened one. Each open conflict is a question for a
    person, asked anew when other claims take part, or the same ones say something else; it lapses when the conflict ends, but for
    the one that is `under_review`. Returns where what was stated in this transaction has gone, where it belongs to another claim.
    About ten statements for all pairs.
    """
    await tx.apply()
    contests, moved = await _dealt(tx, kind, pairs)
    for contest in contests:
        contest.settle()
    _write_claims(tx, kind, contests)
    writing = _write_conflicts(tx, kind, contests)
    await writing.ask(under_review)
    return moved


async def _dealt(tx: Transaction, kind: ClaimKind, pairs: Collection[Pair]) -> tuple[list[_Contest], Moved]:
    """Return the claims of these pairs, once their evidence is where it counts as the predicates are set, and where that has gone.

    Claims that a merge has made one, and that are not any more, are dealt out again after they have come apart, or the other way round.
    """
    moved = Moved()
    for again in (True, False):
        contests = await _contests(tx, kind, pairs)
        dealt = [group for contest in contests for group in contest.dealt()]
        coexisting = [contest.claims for contest in contests if not contest.one]
        outcome = await deal(tx, kind, dealt) if dealt else Outcome(False, Moved(), frozenset())
        moved |= outcome.moved
        changed = bool(coexisting and await gather(tx, kind, coexisting)) or outcome.changed
        if outcome.merged and again:
            await regroup(tx, kind, outcome.merged)
            await tx.apply()
            continue
        break
    return (await _contests(tx, kind, pairs) if changed else contests), moved


async def decide(tx: Transaction, conflict: ConflictRecord, winner: UUID, actor: str, reason: str | None) -> None:
    """Settle a conflict as a person says: the winner holds, what it competes with gives way to it.

    What is dated earlier than the winner ends where that begins; the rest never held. It is remembered as long as the claims say
    what they say now: a claim that joins the dispute opens the conflict again. Deciding the same again changes nothing. The
    review of the conflict is the caller's.

    Raises:
        BadUserInput: the winner is not a live claim of the conflict.
    """
    await tx.apply()
    kind = FACT if conflict.node_kind == NodeKind.FACT else RELATIONSHIP
    (rows,) = await tx.read.lists(ConflictClaimRecord, "conflict_id", [conflict.id], "id")
    part = {getattr(row, kind.evidence): row for row in rows if row.takes_part}
    claims = {c.id: c for c in await tx.read.by_ids(kind.record, list(part)) if c is not None}
    if winner not in claims or claims[winner].status not in COMPETING:
        raise BadUserInput("The winner must be one of the claims of the conflict that still stand.", argument="winner")
    said = {row.id: _fingerprint(kind, claims[id]) for id, row in part.items() if id in claims}
    if conflict.status == ConflictStatus.RESOLVED and conflict.decided_for == winner:
        return
    others = [{"id": row.id, "decided_as": said.get(row.id)} for row in rows]
    tx.update_many(models.ConflictClaim, others)
    decided = {"decided_for": winner, "decided_reason": reason, "decided_by": actor}
    tx.update_many(models.Conflict, [{"id": conflict.id, **decided}], stamp=("decided_at",))
    await recompute(tx, kind, {(conflict.subject_id, conflict.predicate)}, under_review=conflict.id)


def _fingerprint(kind: ClaimKind, claim: Any) -> str:
    """Return a hash of what a claim says, and of when."""
    said = claim.claim_key if kind is FACT else claim.target_id
    return sha256(f"{said}|{claim.valid_from}|{claim.valid_to}".encode()).hexdigest()


@dataclass(slots=True)
class _Known:
    """A stored conflict with its claims, by their ids."""

    row: ConflictRecord
    claims: dict[UUID, ConflictClaimRecord]

    @property
    def can_hold(self) -> bool:
        """Whether a person has decided it, and what that holds for, and against, has not been deleted."""
        return self.row.decided_for in self.claims and len(self.claims) > 1


@dataclass(slots=True)
class _Contest:
    """The claims of one subject and predicate with their conflicts, and what is found about them."""

    kind: ClaimKind
    pair: Pair
    one: bool
    claims: list[Any]
    known: list[_Known] = field(default_factory=list)
    verdicts: dict[UUID, Verdict] = field(default_factory=dict)
    disputes: list[tuple[Dispute, _Known | None]] = field(default_factory=list)
    decided: list[_Known] = field(default_factory=list)
    ended: list[_Known] = field(default_factory=list)

    def settle(self) -> None:
        """Judge the claims, and find out which stored conflict goes on as which."""
        competing = [claim for claim in self.claims if claim.status in COMPETING]
        self.verdicts = {claim.id: _STANDING for claim in competing}
        left, disputes = {known.row.id: known for known in self.known}, list[Dispute]()
        if self.one:
            decisions = self._decisions(competing)
            for group in self._apart(competing):
                found = judge([self._rival(claim) for claim in group], list(decisions))
                self.verdicts |= found.verdicts
                disputes += found.disputes
                self.decided += [left.pop(decisions[one].row.id) for one in found.in_force]
        for dispute in sorted(disputes, key=lambda d: d.status != ConflictStatus.OPEN):
            same = self._same(dispute, list(left.values()))
            if same is not None:
                left.pop(same.row.id)
            self.disputes.append((dispute, same))
        self.decided += [known for known in left.values() if known.can_hold]
        self.ended = [known for known in left.values() if not known.can_hold]

    def dealt(self) -> list[Dealt]:
        """Return the claims whose evidence may make others of them: where several can contradict each other, of what happens more than once."""
        live = [claim for claim in self.claims if claim.status in (*COMPETING, ClaimStatus.PENDING_REVIEW)]
        if not self.one or self.pair[1] in EVENTS or len(live) < 2:
            return []
        lost = [claim for claim in self.claims if Standing(self.kind, claim).lost]
        decided = list(self._decisions([claim for claim in live if claim.status in COMPETING]))
        groups = [group for group in self._apart(live) if len(group) > 1]
        return [Dealt([(claim, self._rival(claim).says) for claim in group], lost, decided) for group in groups]

    def _apart(self, claims: Sequence[Any]) -> list[list[Any]]:
        """Return the claims in groups that can contradict each other: dates, and the rest."""
        dates = [c for c in claims if self.kind is FACT and c.value_type == ValueType.DATE]
        rest = [c for c in claims if self.kind is not FACT or c.value_type != ValueType.DATE]
        return [group for group in (dates, rest) if group]

    def _rival(self, claim: Any) -> Rival:
        says = claim.claim_key if self.kind is FACT else claim.target_id
        says = Day(says) if self.kind is FACT and claim.value_type == ValueType.DATE else says
        start, end = (None, None) if self.pair[1] in EVENTS else (claim.valid_from, claim.valid_to)
        return Rival(claim.id, says, start, end, AUTHORITIES.index(Authority(claim.authority)), claim.confidence)

    def _decisions(self, claims: Sequence[Any]) -> dict[Decision, _Known]:
        """Return what persons have decided, in that order, about claims that still say what they said then."""
        said = {claim.id: _fingerprint(self.kind, claim) for claim in claims}
        found: dict[Decision, _Known] = {}
        made = [(known.row.decided_at, known.row.id, known) for known in self.known if known.can_hold]
        for _, _, known in sorted(made, key=lambda one: one[:2]):
            among = frozenset(id for id, row in known.claims.items() if id in said and row.decided_as == said[id])
            if known.row.decided_for in among:
                at = known.row.decided_at
                unseen = frozenset(claim.id for claim in claims if claim.created_at > at and claim.id not in among)
                found[Decision(known.row.decided_for, among, unseen)] = known
        return found

    def _same(self, dispute: Dispute, candidates: Sequence[_Known]) -> _Known | None:
        """Return the stored conflict that goes on as this one: that with the most of its claims, of several the oldest."""
        fit = [
            (len(dispute.claims & known.claims.keys()), known)
            for known in candidates
            if known.row.decided_at is None or dispute.status == ConflictStatus.OPEN
        ]
        return min((one for one in fit if one[0] > 1), key=lambda one: (-one[0], one[1].row.id), default=(0, None))[1]


async def _contests(tx: Transaction, kind: ClaimKind, pairs: Collection[Pair]) -> list[_Contest]:
    names = {predicate for _, predicate in pairs}
    subjects = sorted({subject for subject, _ in pairs})
    numbers = await cardinalities(tx, names)
    rows: Sequence[Any]
    if kind is FACT:
        rows = await tx.read.same_facts(subjects, names, by="predicate")
    else:
        rows = await tx.read.same_relationships(subjects, names)
    found = {pair: _Contest(kind, pair, numbers[pair[1]] is Cardinality.ONE, []) for pair in sorted(pairs)}
    of_claim: dict[UUID, _Contest] = {}
    for row in (row for row in rows if row.folded_into is None):  # what a merge has set aside does not count
        for pair in pairs_of(kind, [row]) & found.keys():
            found[pair].claims.append(row)
            of_claim[row.id] = found[pair]
    for known in await _conflicts(tx, kind, subjects, list(of_claim)):
        contest = next((of_claim[id] for id in known.claims if id in of_claim), None)
        contest = contest or found.get((known.row.subject_id, known.row.predicate))
        if contest is not None:
            contest.known.append(known)
    return list(found.values())


async def _conflicts(
    tx: Transaction, kind: ClaimKind, subjects: Sequence[UUID], claims: Sequence[UUID]
) -> list[_Known]:
    """Return the conflicts of these subjects and those of these claims, oldest first."""
    lists = await tx.read.lists(ConflictRecord, "subject_id", subjects, "id")
    rows = {row.id: row for found in lists for row in found}
    mine = await tx.read.lists(ConflictClaimRecord, kind.evidence, claims, "id")
    others = {row.conflict_id for found in mine for row in found} - rows.keys()
    rows |= {row.id: row for row in await tx.read.by_ids(ConflictRecord, sorted(others)) if row is not None}
    kept = sorted(id for id, row in rows.items() if row.node_kind == kind.node)
    parts = await tx.read.lists(ConflictClaimRecord, "conflict_id", kept, "id")
    return [
        _Known(rows[id], {getattr(row, kind.evidence): row for row in part})
        for id, part in zip(kept, parts, strict=True)
    ]


def _write_claims(tx: Transaction, kind: ClaimKind, contests: Sequence[_Contest]) -> None:
    """Write what the verdicts change; what does not compete any more loses what it had lost by."""
    archived: list[UUID] = []
    changed: list[dict[str, Any]] = []
    for contest in contests:
        for claim in contest.claims:
            verdict = contest.verdicts.get(claim.id)
            now = {name: getattr(claim, name) for name in _CHANGED}
            after = {**now, "superseded_at": None, "superseded_by": None} if verdict is None else _columns(verdict)
            if after == now:
                continue
            opened_here = claim.known_from == tx.at
            archived += [] if opened_here else [claim.id]
            changed.append({"id": claim.id, "version": claim.version + (not opened_here), **after})
            differ = [name for name in _CHANGED if after[name] != now[name]]
            lost = after["superseded_by"] not in (None, now["superseded_by"])
            tx.amend(
                ChangeKind.SUPERSEDED if lost else ChangeKind.UPDATED,
                kind.node,
                claim.id,
                before={name: _logged(kind, name, now[name]) for name in differ},
                after={name: _logged(kind, name, after[name]) for name in differ},
            )
    tx.archive(kind.model, kind.past, archived)
    tx.update_many(kind.model, changed)


def _columns(verdict: Verdict) -> dict[str, Any]:
    return {
        "status": verdict.status.value,
        "status_reason": verdict.reason,
        "superseded_at": verdict.at,
        "superseded_by": verdict.by,
    }


def _logged(kind: ClaimKind, name: str, value: Any) -> Any:
    return encode_id(kind.node, value) if name == "superseded_by" and value is not None else value


def _write_conflicts(tx: Transaction, kind: ClaimKind, contests: Sequence[_Contest]) -> _Conflicts:
    writing = _Conflicts(tx, kind)
    for contest in contests:
        for known in contest.decided:
            writing.resolve(contest, known)
        for dispute, same in contest.disputes:
            writing.write(contest, dispute, same)
        writing.remove(contest.ended)
    writing.send()
    return writing


@dataclass(slots=True)
class _Conflicts:
    """Conflicts about to be written."""

    tx: Transaction
    kind: ClaimKind
    changed: list[dict[str, Any]] = field(default_factory=list)
    parts: list[dict[str, Any]] = field(default_factory=list)
    left: list[UUID] = field(default_factory=list)
    gone: list[UUID] = field(default_factory=list)
    closed: list[UUID] = field(default_factory=list)
    open: list[tuple[UUID, _Contest, Dispute]] = field(default_factory=list)

    def resolve(self, contest: _Contest, known: _Known) -> None:
        row = known.row
        after = {"status": ConflictStatus.RESOLVED.value, "reason": row.decided_reason, "winner_id": row.decided_for}
        self._change(contest, known, after)
        self.closed += [row.id] if row.status == ConflictStatus.OPEN else []
        self._take_part(known, {id for id, part in known.claims.items() if part.decided_as is not None})

    def write(self, contest: _Contest, dispute: Dispute, same: _Known | None) -> None:
        columns = {"status": dispute.status.value, "reason": dispute.reason, "winner_id": dispute.winner}
        if same is None:
            own = {"subject_id": contest.pair[0], "predicate": contest.pair[1], "node_kind": self.kind.node.value}
            id = self.tx.insert(models.Conflict, **own, **columns)
            self._add(id, dispute.claims)
            self._ask(id, contest, dispute)
            after = {n: v for n, v in (own | columns).items() if n not in ("winner_id", "node_kind")}
            self.tx.log(ChangeKind.CREATED, NodeKind.CONFLICT, id, after=after)
        else:
            self._change(contest, same, columns)
            self._take_part(same, dispute.claims)
            self._add(same.row.id, dispute.claims - same.claims.keys())
            self._ask(same.row.id, contest, dispute)
            took_part = {id for id, row in same.claims.items() if row.takes_part}
            goes_on = dispute.status == ConflictStatus.OPEN and took_part == dispute.claims
            if same.row.status == ConflictStatus.OPEN and not goes_on:
                self.closed.append(same.row.id)

    def remove(self, ended: Sequence[_Known]) -> None:
        self.gone += [known.row.id for known in ended]

    def send(self) -> None:
        """Collect the statements: few, whatever the number of conflicts."""
        self.tx.update_many(models.Conflict, self.changed)
        self.tx.update_many(models.ConflictClaim, self.parts)
        self.tx.delete_ids(models.ConflictClaim, self.left)
        self.tx.delete_ids(models.Conflict, self.gone)
        self.tx.log_batch(ChangeKind.DELETED, [(NodeKind.CONFLICT, id) for id in self.gone])

    async def ask(self, under_review: UUID | None) -> None:
        """Ask a person about what is open, and let go what is open no more. No statement where nothing has become of conflicts."""
        closed = [(NodeKind.CONFLICT, id) for id in self.closed if id != under_review]
        if closed:
            await close_reviews(self.tx, closed, (ReviewKind.CONFLICT,))
        if self.gone:
            await forget_reviews(self.tx, [(NodeKind.CONFLICT, id) for id in self.gone])
        if self.open:
            subjects = [contest.pair[0] for _, contest, _ in self.open]
            rows = await self.tx.read.by_ids(EntityRecord, subjects, frozenset({"importance"}))
            questions = [
                _question(id, dispute, 0.5 if row is None else row.importance)
                for (id, _, dispute), row in zip(self.open, rows, strict=True)
            ]
            await open_reviews(self.tx, questions, anew=True)  # what is open again, no decision stands for

    def _ask(self, id: UUID, contest: _Contest, dispute: Dispute) -> None:
        if dispute.status == ConflictStatus.OPEN:
            self.open.append((id, contest, dispute))

    def _change(self, contest: _Contest, known: _Known, after: Mapping[str, Any]) -> None:
        row = known.row
        columns = {**after, "subject_id": contest.pair[0], "predicate": contest.pair[1]}
        changed = {name: value for name, value in columns.items() if getattr(row, name) != value}
        if changed:
            self.changed.append({"id": row.id, **columns, "version": row.version + 1})
            shown = {name: value for name, value in changed.items() if name != "winner_id"}
            before = {name: getattr(row, name) for name in shown}
            self.tx.log(ChangeKind.UPDATED, NodeKind.CONFLICT, row.id, before=before, after=shown)

    def _take_part(self, known: _Known, claims: Collection[UUID]) -> None:
        """Let these claims of a conflict take part in it and no others; those that nobody decided about leave it."""
        for id, row in known.claims.items():
            if id not in claims and row.decided_as is None:
                self.left.append(row.id)
            elif row.takes_part != (id in claims):
                self.parts.append({"id": row.id, "takes_part": id in claims})

    def _add(self, conflict: UUID, claims: Iterable[UUID]) -> None:
        self.tx.insert_many(
            models.ConflictClaim, [{"conflict_id": conflict, self.kind.evidence: id} for id in sorted(claims)]
        )


def _question(id: UUID, dispute: Dispute, importance: float) -> ReviewQuestion:
    """Return the question which of the claims of a conflict holds; with other claims it is another one."""
    claims = sha256("".join(one.hex for one in sorted(dispute.claims)).encode()).hexdigest()
    about = ((NodeKind.CONFLICT, id),)
    return ReviewQuestion(ReviewKind.CONFLICT, about, importance, reasons=(dispute.reason,), occasion=claims[:32])


async def forget_conflicts(tx: Transaction, subjects: Sequence[UUID]) -> None:
    """Forget what was asked about the conflicts of entities that are deleted; the conflicts go with them."""
    lists = await tx.read.lists(ConflictRecord, "subject_id", subjects, "id")
    gone = [row.id for rows in lists for row in rows]
    if gone:
        tx.redact_log(gone)
        await forget_reviews(tx, [(NodeKind.CONFLICT, id) for id in gone])
