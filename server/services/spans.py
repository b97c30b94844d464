"""Spans: which statements of one value are one claim, and where a claim returns after something else has held.

A pure function of all live statements of a subject and a ONE-predicate, so that the order in which they arrived cannot matter.
Statements of one value that overlap are one claim, unless it has ended before the later of them begins: that is a return. An
undated one speaks of the latest. Of the dates of one claim the earliest beginning counts, and the latest end that is stated,
unless something without one begins after that. Whatever a person has put right outlasts what was stated before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from server.services.claims import REVIEW_BELOW, Period, combined_confidence, covering, period_of
from server.services.rivals import Decision, Rival, judge
from server.store.records import EvidenceRecord
from server.terms import ClaimStatus

__all__ = ["Correction", "Statement", "find_spans", "periods_of"]

_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class Statement(NamedTuple):
    """What one piece of evidence states; `rank` is that of its authority, 0 the highest, `origin` what counts once."""

    id: UUID
    says: Hashable
    period: Period
    rank: int
    confidence: float
    origin: Hashable


class Correction(NamedTuple):
    """The dates that a person has given a claim last, the evidence that says so, and the documents that had stated others before."""

    period: Period
    id: UUID
    documents: frozenset[UUID]

    @classmethod
    def among(cls, counting: Iterable[EvidenceRecord], evidence: Iterable[EvidenceRecord]) -> Correction | None:
        """Return the last one among the evidence of a claim that counts; `evidence` is all that there has been."""
        last = max((row for row in counting if row.redates), key=lambda row: row.id, default=None)
        if last is None:
            return None
        before = frozenset(row.document_id for row in evidence if row.document_id is not None and row.id < last.id)
        return cls(period_of(last), last.id, before)


def periods_of(counting: Sequence[EvidenceRecord], evidence: Iterable[EvidenceRecord]) -> list[Period]:
    """Return when each row of a claim's evidence that counts states that it holds: as a person has put right what its source stated before."""
    last = Correction.among(counting, evidence)
    if last is None:
        return [period_of(row) for row in counting]
    return [
        last.period if row.id <= last.id or row.document_id in last.documents else period_of(row) for row in counting
    ]


@dataclass(slots=True)
class _Bundle:
    """The statements of one value with one beginning, or all undated ones."""

    says: Hashable
    begin: datetime | None
    statements: list[Statement] = field(default_factory=list)

    @property
    def period(self) -> Period:
        return covering(one.period for one in self.statements)

    def rival(self, id: UUID, given: Mapping[UUID, tuple[int, float]]) -> Rival:
        """Return it as it competes; what a single claim is made of, by what that claim has."""
        period = self.period
        rank = min(one.rank for one in self.statements)
        confidence = combined_confidence((one.origin, one.confidence) for one in self.statements)
        own = {given.get(one.id) for one in self.statements}
        (rank, confidence) = next(iter(own)) or (rank, confidence) if len(own) == 1 else (rank, confidence)
        return Rival(id, self.says, period.start, period.end, rank, confidence)


def find_spans(
    statements: Collection[Statement],
    given: Mapping[UUID, tuple[int, float]] | None = None,
    decided: Sequence[Decision] = (),
) -> list[list[UUID]]:
    """Return the statements, by their ids, of each claim that they make: those of one value in the order of time.

    `given` has the rank and the confidence of statements that are all there is of a claim. `decided` is what persons have said, by the
    earliest statements of the claims.
    """
    bundles = _bundles(statements)
    rivals = [bundle.rival(UUID(int=n), given or {}) for n, bundle in enumerate(bundles)]
    of = {one.id: UUID(int=n) for n, bundle in enumerate(bundles) for one in bundle.statements}
    judged = [rival for rival in rivals if rival.confidence >= REVIEW_BELOW]
    decisions = [
        one._replace(winner=of[one.winner], among=_of(of, one.among), unseen=_of(of, one.unseen) - _of(of, one.among))
        for one in decided
    ]
    present = {rival.id for rival in judged}
    found = judge(judged, [decision for decision in decisions if decision.winner in present])
    held = [rival for rival in judged if found.verdicts[rival.id].status != ClaimStatus.SUPERSEDED]
    over: list[datetime] = []
    for rival in rivals:
        verdict = found.verdicts.get(rival.id)
        if verdict is None:
            over.append(
                min(
                    (o.begin for o in held if rival.before(o) and rival.competes(o) and o.rank <= rival.rank),
                    default=_LAST,
                )
            )
        else:
            never = verdict.status == ClaimStatus.SUPERSEDED
            over.append(rival.begin if never else verdict.at or _LAST)
    return _joined(bundles, over)


def _of(bundles: Mapping[UUID, UUID], statements: Iterable[UUID]) -> frozenset[UUID]:
    return frozenset(bundles[id] for id in statements)


def _bundles(statements: Collection[Statement]) -> list[_Bundle]:
    """Return what is stated, value by value and in the order of time, undated ones with the latest."""
    found: dict[tuple[Hashable, datetime], _Bundle] = {}
    for one in statements:
        if one.period.dated:
            begin = one.period.start or _FIRST
            found.setdefault((one.says, begin), _Bundle(one.says, begin)).statements.append(one)
    latest: dict[Hashable, datetime] = {}
    for says, begin in found:
        latest[says] = max(begin, latest.get(says, begin))
    undated: dict[Hashable, _Bundle] = {}
    for one in statements:
        if not one.period.dated:
            own = (
                found[one.says, latest[one.says]]
                if one.says in latest
                else undated.setdefault(one.says, _Bundle(one.says, None))
            )
            own.statements.append(one)
    return sorted([*found.values(), *undated.values()], key=lambda b: (str(b.says), b.begin or _FIRST))


def _joined(bundles: Sequence[_Bundle], over: Sequence[datetime]) -> list[list[UUID]]:
    """Put together what is one claim: what overlaps and has not ended before."""
    groups: list[list[UUID]] = []
    before: defaultdict[Hashable, tuple[datetime, datetime]] = defaultdict(lambda: (_FIRST, _FIRST))
    for bundle, end in zip(bundles, over, strict=True):
        begin, open_ended = (
            bundle.begin or _FIRST,
            any(one.period.end is None for one in bundle.statements if one.period.dated),
        )
        stated = _LAST if open_ended or bundle.begin is None else bundle.period.end or _LAST
        reach, holds = before[bundle.says]
        if begin < reach and begin < holds:
            groups[-1] += [one.id for one in bundle.statements]
            before[bundle.says] = max(reach, stated), max(holds, end)
        else:
            groups.append([one.id for one in bundle.statements])
            before[bundle.says] = stated, end
    return groups
