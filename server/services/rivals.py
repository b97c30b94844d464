"""Rivals: which of the claims of one subject and one ONE-predicate hold, from when until when, and which contradict each other.

A pure function of all live claims and of what persons have decided. Instants are compared, whatever their precision; an open beginning
with a stated end is earlier than any date; rows with one value stand together, as sure as the surest; what never held neither ends nor
disputes another; an earlier claim does not come back where a later one has ended, for it ended where that began: nothing holds in between;
a challenger is measured against what holds at its validFrom. What is disputed ends where a later claim begins, and is SUPERSEDED from then on
as anything is; that it was disputed stays, as an OPEN conflict. An undated claim may speak of any time, and so ties with one of the future.
What would overrule a person's decision and was not there then is DISPUTED, the winner stays CURRENT: see `_questioned`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import combinations, groupby
from typing import NamedTuple
from uuid import UUID

from server.terms import ClaimStatus, ConflictStatus

__all__ = ["Day", "Decision", "Dispute", "Judgement", "Rival", "Verdict", "judge"]

_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_NEAR = 0.2
OUTRANKED = "A source of higher authority says otherwise."
LESS_SURE = "A claim of the same authority is surer by more than 0.2."
DECIDED = "A person decided."
TIED = "Claims of equal authority contradict each other, and no date tells which of them holds."
CHALLENGED = "A later claim contradicts one of higher authority."
OVERRULES = "A claim that came later contradicts what a person has decided."


class Day(str):
    """What a claim says that states a date, as exactly as it does: 1815 and 1815-12-10 agree."""

    __slots__ = ()

    def agrees(self, other: Hashable) -> bool:
        """Return whether one of the two dates lies within the other."""
        return isinstance(other, Day) and (self.startswith(other) or other.startswith(self))


class Rival(NamedTuple):
    """A live claim as it competes: what it `says` is equal for equal values; `rank` is that of its authority, 0 the highest."""

    id: UUID
    says: Hashable
    start: datetime | None
    end: datetime | None
    rank: float
    confidence: float

    @property
    def dated(self) -> bool:
        """Whether either end is stated."""
        return self.start is not None or self.end is not None

    @property
    def begin(self) -> datetime:
        """When a dated one begins to hold."""
        return self.start or _FIRST

    def overlaps(self, other: Rival) -> bool:
        """Return whether the stated intervals share an instant; undated overlaps all."""
        if not (self.dated and other.dated):
            return True
        return self.begin < (other.end or _LAST) and other.begin < (self.end or _LAST)

    def competes(self, other: Rival) -> bool:
        """Return whether the two say different things of times that overlap."""
        agree = self.says == other.says or (isinstance(self.says, Day) and self.says.agrees(other.says))
        return not agree and self.overlaps(other)

    def before(self, other: Rival) -> bool:
        """Return whether both are dated and this one begins earlier."""
        return self.dated and other.dated and self.begin < other.begin

    def ties(self, other: Rival) -> bool:
        """Return whether the two compete and no date tells one as the later."""
        return self.competes(other) and not self.before(other) and not other.before(self)


class Decision(NamedTuple):
    """A person's word: of the claims `among` which there was a conflict this one holds; `unseen` are those that were not there yet."""

    winner: UUID
    among: frozenset[UUID]
    unseen: frozenset[UUID] = frozenset()


class Verdict(NamedTuple):
    """Where a claim stands. SUPERSEDED: it never held, for the `reason`, and `by` has beaten it; else it ends `at` the validFrom of `by`."""

    status: ClaimStatus
    at: datetime | None = None
    by: UUID | None = None
    reason: str | None = None


class Dispute(NamedTuple):
    """A conflict: OPEN between `claims`, or AUTO_RESOLVED, where the `winner` has beaten the other ones for the `reason`."""

    status: ConflictStatus
    claims: frozenset[UUID]
    reason: str
    winner: UUID | None = None


class Judgement(NamedTuple):
    """What `judge` finds: a verdict for each claim, the disputes, and which decisions are in force."""

    verdicts: dict[UUID, Verdict]
    disputes: list[Dispute]
    in_force: list[Decision]


def judge(rivals: Collection[Rival], decisions: Sequence[Decision] = ()) -> Judgement:
    """Return how the live claims of one subject and one ONE-predicate stand; `decisions` in the order in which they were made.

    From the highest authority down: what is undated or equally dated gives way to what stands above it; of the rest of one authority
    the surest of those that tie stay, disputed where several are within 0.2; each ends where the next later one of its own
    or a higher authority begins; what begins while one of higher authority holds challenges that one and is disputed.
    What is beaten by confidence is in an AUTO_RESOLVED conflict like what is beaten by authority: nobody wins in silence.
    A decision is in force as long as its winner is live and no open dispute joins its claims with others that no decision about one
    of its claims is about. Then what the winner
    competes with gives way to it: from its validFrom on where that is the later one, else altogether.
    """
    order = sorted(rivals, key=_firmest)
    found = _Judging(order)
    found.run()
    live, disputed = {rival.id for rival in order}, found.components()
    standing = [decision for decision in decisions if decision.winner in live]
    reach = {d: d.among.union(*(o.among for o in standing if o.among & d.among)) for d in standing}
    valid = [d for d in standing if all(claims <= reach[d] for claims in disputed if claims & d.among)]
    if valid:
        questioned = _questioned(order, valid)
        demoted = [rival._replace(rank=questioned.get(rival.id, rival.rank)) for rival in order]
        found = _Judging(sorted(demoted, key=_firmest), valid, questioned.keys())
        found.run()
    return Judgement({rival.id: found.verdict(rival) for rival in order}, found.disputes(), valid)


def _questioned(order: Sequence[Rival], decisions: Sequence[Decision]) -> dict[UUID, float]:
    """Return the claims that would overrule a person's decision in silence, each with a rank just below that of the winner.

    Such is what was not there then, and would take the winner's place by its authority or because it is surer: it is DISPUTED in
    an OPEN conflict with the winner. What has the winner's own authority and is only dated later is not: it follows the winner by the
    second rule, as any change does. Nor is what ties with the winner: that opens the old conflict again.
    """
    of, found = {rival.id: rival for rival in order}, dict[UUID, float]()
    for decision in decisions:
        winner = of[decision.winner]
        for id in sorted(decision.unseen & of.keys()):
            rival, decided = of[id], any({id, winner.id} <= other.among for other in decisions)
            surer = rival.rank == winner.rank and rival.ties(winner) and rival.confidence - winner.confidence > _NEAR
            outranks = rival.rank < winner.rank and rival.competes(winner) and not rival.before(winner)
            if not decided and (surer or outranks):
                found[id] = max(found.get(id, 0), winner.rank + 0.5)
    return found


def _firmest(rival: Rival) -> tuple[float, float, datetime, str, UUID]:
    """Return what orders claims, the firmest first; of equal ones not by when they arrived, as far as they say different things."""
    return rival.rank, -rival.confidence, rival.begin, str(rival.says), rival.id


@dataclass(slots=True)
class _Judging:
    """One judgement under way. `held` are the claims that stand, `out` those that do not, each with what has beaten it and why."""

    order: Sequence[Rival]
    decisions: Sequence[Decision] = ()
    questioned: Collection[UUID] = ()
    held: list[Rival] = field(default_factory=list)
    out: dict[UUID, tuple[Rival, str]] = field(default_factory=dict)
    ended: dict[UUID, Rival] = field(default_factory=dict)
    followed: defaultdict[UUID, list[Rival]] = field(default_factory=lambda: defaultdict(list))
    ties: list[tuple[Rival, Rival]] = field(default_factory=list)
    challenges: list[tuple[Rival, Rival]] = field(default_factory=list)

    def run(self) -> None:
        for decision in self.decisions:
            self._obey(decision)
        for _, level in groupby(self.order, key=lambda rival: rival.rank):
            left = [rival for rival in level if rival.id not in self.out and not self._outranked(rival)]
            left = self._surest(left)
            for rival in left:
                self._end(rival, left)
            self.challenges += [(h, rival) for rival in left for h in self.held if self._challenges(rival, h)]
            self.held += left

    def _obey(self, decision: Decision) -> None:
        winner = next(rival for rival in self.order if rival.id == decision.winner)
        self.out.pop(winner.id, None)
        for rival in self.order:
            if rival.id in decision.among and rival.competes(winner):
                if rival.before(winner):
                    self.followed[rival.id].append(winner)
                else:
                    self.out[rival.id] = winner, DECIDED

    def _outranked(self, rival: Rival) -> bool:
        """Put a claim out that one of higher authority leaves no time, or whose challenge a person has answered."""
        for higher in self.held:
            if higher.ties(rival) and not self._overrules(rival, higher):
                self.out[rival.id] = higher, OUTRANKED
                return True
            if self._challenges(rival, higher) and any({rival.id, higher.id} <= d.among for d in self.decisions):
                self.out[rival.id] = higher, DECIDED
                return True
        return False

    def _surest(self, level: Sequence[Rival]) -> list[Rival]:
        """Return those of one authority that no surer one ties with, and note which of them are disputed."""
        sure = {r.id: max(o.confidence for o in level if o.says == r.says and o.overlaps(r)) for r in level}
        kept: list[Rival] = []
        for rival in sorted(level, key=lambda r: (-sure[r.id], *_firmest(r))):
            surer = (o for o in kept if round(sure[o.id] - sure[rival.id], 6) > _NEAR and o.ties(rival))
            beaten_by = next(surer, None)
            if beaten_by is None:
                kept.append(rival)
            else:
                self.out[rival.id] = beaten_by, LESS_SURE
        self.ties += [(a, b) for a, b in combinations(kept, 2) if a.ties(b)]
        return kept

    def _end(self, rival: Rival, level: Sequence[Rival]) -> None:
        """Note where a claim ends: where the first of those begins that are later and stand no lower."""
        later = [o for o in (*self.held, *level) if rival.before(o) and rival.competes(o)] + self.followed[rival.id]
        if later:
            self.ended[rival.id] = min(later, key=lambda o: (o.begin, *_firmest(o)))

    def _challenges(self, rival: Rival, higher: Rival) -> bool:
        """Return whether a claim begins while one of higher authority that says otherwise holds, or would overrule what was decided."""
        if self._overrules(rival, higher):
            return True
        if not (higher.before(rival) and rival.competes(higher)):
            return False
        return higher.id not in self.ended or self.ended[higher.id].begin > rival.begin

    def _overrules(self, rival: Rival, winner: Rival) -> bool:
        """Return whether a claim would overrule, unseen, what a person has decided."""
        decided = (d for d in self.decisions if d.winner == winner.id and rival.id in d.unseen)
        return rival.id in self.questioned and rival.competes(winner) and any(decided) and not rival.before(winner)

    def verdict(self, rival: Rival) -> Verdict:
        if rival.id in self.out:
            by, reason = self.out[rival.id]
            return Verdict(ClaimStatus.SUPERSEDED, None, by.id, reason)
        unsure = {r.id for pair in self.ties for r in pair} | {lower.id for _, lower in self.challenges}
        status = ClaimStatus.DISPUTED if rival.id in unsure else ClaimStatus.CURRENT
        after = self.ended.get(rival.id)
        return Verdict(status) if after is None else Verdict(status, after.begin, after.id)

    def components(self) -> list[frozenset[UUID]]:
        """Return the claims of each open dispute."""
        return _joined((a.id, b.id) for a, b in (*self.ties, *self.challenges))

    def disputes(self) -> list[Dispute]:
        overruling = {pair[1].id for pair in self.challenges if self._overrules(*pair[::-1])}
        challengers = {lower.id for _, lower in self.challenges} - overruling
        tied = {rival.id for pair in self.ties for rival in pair}
        found = []
        for claims in self.components():
            reasons = [TIED] * bool(claims & tied) + [CHALLENGED] * bool(claims & challengers)
            reasons += [OVERRULES] * bool(claims & overruling)
            found.append(Dispute(ConflictStatus.OPEN, claims, " ".join(reasons)))
        beaten: defaultdict[tuple[UUID, str], set[UUID]] = defaultdict(set)
        for id, (by, reason) in self.out.items():
            if reason is not DECIDED:
                beaten[by.id, reason].add(id)
        found += [
            Dispute(ConflictStatus.AUTO_RESOLVED, frozenset(losers | {winner}), reason, winner)
            for (winner, reason), losers in beaten.items()
        ]
        return sorted(found, key=lambda dispute: (min(dispute.claims), dispute.status, sorted(dispute.claims)))


def _joined(pairs: Iterable[tuple[UUID, UUID]]) -> list[frozenset[UUID]]:
    """Return the sets that pairs make when those with a member in common are put together."""
    sets: list[set[UUID]] = []
    for pair in pairs:
        met = [one for one in sets if not one.isdisjoint(pair)]
        sets = [one for one in sets if one.isdisjoint(pair)] + [set(pair).union(*met)]
    return sorted(map(frozenset, sets), key=min)
