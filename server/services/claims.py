"""Claims about to be written, what makes two of them the same, and how sure evidence makes one.

Facts and relationships live alike: a claim is the same as a stored one when it says the same about the same subject and
their valid intervals overlap or one is undated. Independent documents raise a claim's confidence by noisy-or,
1 - (1 - a)(1 - b); everything from one document, and everything by hand, counts once. Below 0.7 a claim waits for review.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import prod
from typing import Any, NamedTuple
from uuid import UUID

from server import models
from server.ids import NodeKind, new_id
from server.services.extraction.protocol import Instant
from server.services.indexing import fact_text
from server.services.values import check_interval, content_key, end_of, normalise_value
from server.store import Transaction
from server.store.believing import effective_end
from server.store.records import EvidenceRecord, FactRecord, RelationshipRecord
from server.terms import Authority, ChangeKind, ClaimStatus, Origin, Precision, ValueType

REVIEW_BELOW = 0.7
AUTHORITIES = tuple(Authority)
_ALWAYS = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
_EXACT = (Precision.INSTANT, Precision.DAY, Precision.MONTH, Precision.YEAR)
GONE = (ClaimStatus.RETRACTED, ClaimStatus.REJECTED)


class Period(NamedTuple):
    """A valid interval [start, end) with the precision each end was stated with; None is an open end."""

    start: datetime | None = None
    start_precision: Precision | None = None
    end: datetime | None = None
    end_precision: Precision | None = None

    @property
    def dated(self) -> bool:
        """Whether either end is stated."""
        return self.start is not None or self.end is not None

    def overlaps(self, other: Period) -> bool:
        """Return whether the two share an instant, or one of them is undated."""
        if not (self.dated and other.dated):
            return True
        return (self.start or _ALWAYS[0]) < (other.end or _ALWAYS[1]) and (other.start or _ALWAYS[0]) < (
            self.end or _ALWAYS[1]
        )

    def columns(self) -> dict[str, Any]:
        """Return the columns of a claim."""
        return {
            "valid_from": self.start,
            "valid_from_precision": None if self.start_precision is None else self.start_precision.value,
            "valid_to": self.end,
            "valid_to_precision": None if self.end_precision is None else self.end_precision.value,
        }


def covering(periods: Iterable[Period]) -> Period:
    """Return the interval of a claim of which these are stated; undated where all are."""
    dated = [period for period in periods if period.dated]
    if not dated:
        return Period()
    begin = min(period.start or _ALWAYS[0] for period in dated)
    starts = [p.start_precision for p in dated if (p.start or _ALWAYS[0]) == begin]
    end = max((p.end for p in dated if p.end is not None), default=None)
    if end is not None and any(p.end is None and p.start is not None and p.start >= end for p in dated):
        end = None
    ends = [p.end_precision for p in dated if p.end == end]
    start = None if begin == _ALWAYS[0] else begin
    return Period(start, _most_exact(starts) if start else None, end, _most_exact(ends) if end else None)


def _most_exact(found: Collection[Precision | None]) -> Precision | None:
    return next((one for one in _EXACT if one in found), None)


PERIOD_COLUMNS = ("valid_from", "valid_from_precision", "valid_to", "valid_to_precision")


def stated_period(valid_from: Instant | None, valid_to: Instant | None) -> Period:
    """Return the interval that a person states: an end of "2024" includes that year.

    Raises:
        BadUserInput: the interval holds no time.
    """
    check_interval(valid_from, valid_to)
    return Period(
        None if valid_from is None else valid_from.at,
        None if valid_from is None else valid_from.precision,
        None if valid_to is None else end_of(valid_to),
        None if valid_to is None else valid_to.precision,
    )


def period_of(claim: FactRecord | RelationshipRecord | EvidenceRecord) -> Period:
    """Return the valid interval of a stored claim, or the one that its evidence states."""
    start = None if claim.valid_from_precision is None else Precision(claim.valid_from_precision)
    end = None if claim.valid_to_precision is None else Precision(claim.valid_to_precision)
    return Period(claim.valid_from, start, claim.valid_to, end)


def redated(now: FactRecord | RelationshipRecord, after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of the evidence of a correction: it has the claim's dates, where it puts those right."""
    corrected = {name: after.get(name, getattr(now, name)) for name in PERIOD_COLUMNS}
    return {**corrected, "redates": True} if period_of(now).columns() != corrected else {}


def held_period(claim: FactRecord | RelationshipRecord) -> Period:
    """Return when a stored claim holds once later ones are counted: what says the same of a later time is a return."""
    period = period_of(claim)
    return period if claim.superseded_at is None else period._replace(end=effective_end(claim))


@dataclass(frozen=True, slots=True)
class Support:
    """One piece of evidence for a claim. Without a document it is a person's word."""

    quote: str
    confidence: float
    authority: Authority
    document_id: UUID | None = None
    revision: int | None = None
    start: int | None = None
    end: int | None = None
    verified: bool = False
    origin: Origin = Origin.STATED

    def columns(self) -> dict[str, Any]:
        """Return the columns of an evidence row that are its own."""
        own = {name: getattr(self, name) for name in Support.__dataclass_fields__}
        return own | {"authority": self.authority.value, "origin": self.origin.value}


class Said(NamedTuple):
    """Evidence about to be written, with how its source puts the claim, when that says it holds, and which entities it names."""

    support: Support
    words: str | None
    period: Period
    ends: tuple[UUID, ...] = ()

    def columns(self, words: str | None, ends: tuple[UUID, ...]) -> dict[str, Any]:
        """Return the columns of an evidence row of a claim that is put in `words` and was stated for `ends`."""
        said = None if self.words == words else self.words or ""
        source, target = ends_columns(None if self.ends == ends else self.ends)
        stated = {"stated_source_id": source, "stated_target_id": target}
        return {**self.support.columns(), **self.period.columns(), **stated, "said": said}


def ends_columns(ends: tuple[UUID, ...] | None) -> tuple[UUID | None, UUID | None]:
    """Return the two columns by which a row of evidence names the entities it was stated for; of a fact's the first."""
    return (ends[0] if ends else None, ends[1] if ends and len(ends) > 1 else None)


@dataclass(slots=True)
class Claim:
    """A claim about to be written: its own columns, what makes it the same as another, and its evidence."""

    kind: ClaimKind
    key: tuple[Any, ...]
    columns: dict[str, Any]
    period: Period
    said: list[Said]
    text: str = ""
    id: UUID = field(default_factory=new_id)

    def joined(self, other: Claim) -> None:
        """Take in the same claim, said again in the same breath: its evidence, and its dates."""
        self.said += other.said
        self.period = covering(said.period for said in self.said)

    @property
    def ends(self) -> tuple[UUID, ...]:
        """The entities that it was stated for."""
        return self.said[0].ends

    def count_for(self, survivors: Mapping[UUID, UUID]) -> None:
        """Let it count for what the entities that it was stated for have been merged into.

        A relationship that would lead from an entity to itself by that is set aside, with the ends it was stated for.
        """
        ends = tuple(survivors.get(id, id) for id in self.ends)
        if ends == self.ends:
            return
        if len(set(ends)) < len(set(self.ends)):
            self.columns["folded_into"] = self.id
            return
        for name, was, now in zip(self.kind.ends, self.ends, ends, strict=True):
            self.columns |= {name: now, f"stated_{name}": None if was == now else was}
        self.key = (*ends, *self.key[len(ends) :])

    def turn(self, key: tuple[Any, ...]) -> None:
        """State a relationship from its other end, by the inverse of its type."""
        for own, other in (("source_id", "target_id"), ("stated_source_id", "stated_target_id")):
            if own in self.columns or other in self.columns:
                self.columns |= {own: self.columns.get(other), other: self.columns.get(own)}
        self.columns |= {"type": key[2], "stated_type": self.columns["type"]}
        self.key = key
        self.turn_said()

    def turn_said(self) -> None:
        """Have its evidence name its ends in the other order."""
        self.said = [said._replace(ends=said.ends[::-1]) for said in self.said]

    @property
    def words(self) -> str | None:
        """How it is put: a fact's content, a relationship's description."""
        words: str | None = self.columns["content" if self.kind.node is NodeKind.FACT else "description"]
        return words


@dataclass(frozen=True, slots=True)
class ClaimKind:
    """What tells facts and relationships apart for the writer."""

    node: NodeKind
    model: type[models.Model]
    past: type[models.Model]
    record: type[Any]
    evidence: str
    keyed_by: str
    logged: tuple[str, ...]

    @property
    def ends(self) -> tuple[str, ...]:
        """The columns of the entities that a claim counts for."""
        return ("subject_id",) if self.node is NodeKind.FACT else ("source_id", "target_id")

    def stated_ends(self, record: Any) -> tuple[UUID, ...]:
        """Return the entities that a stored claim was stated for."""
        return tuple(getattr(record, f"stated_{name}") or getattr(record, name) for name in self.ends)

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns that make a claim the same as another."""
        return ("subject_id", "claim_key") if self.node is NodeKind.FACT else ("source_id", "target_id", "type")

    def key_of(self, record: Any) -> tuple[Any, ...]:
        """Return what makes a stored claim the same as another."""
        return tuple(getattr(record, name) for name in self.key_columns)


_SHARED = ("confidence", "status", "valid_from", "valid_to")
FACT = ClaimKind(
    NodeKind.FACT, models.Fact, models.FactVersion, FactRecord, "fact_id", "subject_id",
    ("subject_id", "content", "category", "predicate", "value", "value_type", *_SHARED),
)  # fmt: skip
RELATIONSHIP = ClaimKind(
    NodeKind.RELATIONSHIP, models.Relationship, models.RelationshipVersion, RelationshipRecord, "relationship_id", "source_id",
    ("source_id", "type", "target_id", "description", *_SHARED),
)  # fmt: skip


class Written(NamedTuple):
    """The claim that was written or met. `known`: it was there before, in the store or earlier in the same call."""

    id: UUID
    known: bool


def fact_key(predicate: str | None, content: str, value: str | None, value_type: ValueType) -> str:
    """Return the key that is equal for facts that say the same of one subject."""
    said = content_key(content) if value is None else f"{value_type}:{normalise_value(value, value_type)}"
    return f"{predicate or ''}\n{said}"


def combined_confidence(evidence: Iterable[tuple[Hashable, float]]) -> float:
    """Return the noisy-or of (origin, confidence) over independent origins, each counted with its highest."""
    best: dict[Hashable, float] = {}
    for origin, confidence in evidence:
        best[origin] = max(confidence, best.get(origin, 0.0))
    return round(1 - prod(1 - c for c in best.values()), 6)


def highest(authorities: Iterable[str]) -> str:
    """Return the highest of some authorities."""
    return min(authorities, key=lambda a: AUTHORITIES.index(Authority(a)))


def status_for(confidence: float, status: str = ClaimStatus.CURRENT) -> str:
    """Return the status of a claim by its confidence: below 0.7 it waits for review, and stops waiting when it is sure enough."""
    if status in GONE:
        return status
    if confidence < REVIEW_BELOW:
        return ClaimStatus.PENDING_REVIEW.value
    return ClaimStatus.CURRENT.value if status == ClaimStatus.PENDING_REVIEW else status


def words_of(claim: FactRecord | RelationshipRecord) -> str | None:
    """Return how a stored claim is put."""
    return claim.content if isinstance(claim, FactRecord) else claim.description


def change_claim(
    tx: Transaction, kind: ClaimKind, claim: Any, after: dict[str, Any], change: ChangeKind = ChangeKind.UPDATED
) -> bool:
    """Close the present version of a claim and open one with other values; False where nothing differs."""
    changed = {name: value for name, value in after.items() if getattr(claim, name) != value}
    if not changed:
        return False
    tx.archive(kind.model, kind.past, [claim.id])
    tx.update(kind.model, claim.id, **changed, version=claim.version + 1)
    before = {name: getattr(claim, name) for name in changed}
    tx.log(change, kind.node, claim.id, before=before, after=changed)
    return True


def may_be_double(kind: ClaimKind, now: Any, corrected: Any) -> bool:
    """Return whether a correction changes what makes a claim the same as another: what it says, or when it holds."""
    return kind.key_of(now) != kind.key_of(corrected) or period_of(now) != period_of(corrected)


def is_double(corrected: Any, other: Any) -> bool:
    """Return whether a live claim that says the same as a corrected one holds at a time when that one does."""
    return other.id != corrected.id and other.status not in GONE and period_of(other).overlaps(period_of(corrected))


def fact_claim(
    subject_id: UUID,
    subject: str,
    content: str,
    period: Period,
    support: Support,
    *,
    category: str | None = None,
    predicate: str | None = None,
    value: str | None = None,
    value_type: ValueType = ValueType.NONE,
    importance: float = 0.5,
) -> Claim:
    """Return a fact about to be written. `subject` is its subject's name, for the index."""
    key = fact_key(predicate, content, value, value_type)
    columns = {
        "subject_id": subject_id,
        "content": content,
        "category": category,
        "predicate": predicate,
        "value": value,
        "value_type": value_type.value,
        "importance": importance,
        "claim_key": key,
    }
    return Claim(
        FACT,
        (subject_id, key),
        columns,
        period,
        [Said(support, content, period, (subject_id,))],
        fact_text(subject, content),
    )


def relationship_claim(
    source_id: UUID,
    type: str,
    target_id: UUID,
    period: Period,
    support: Support,
    *,
    description: str | None = None,
    strength: float = 1.0,
    bidirectional: bool = False,
    properties: dict[str, Any] | None = None,
) -> Claim:
    """Return a relationship about to be written."""
    columns = {
        "source_id": source_id,
        "target_id": target_id,
        "type": type,
        "description": description,
        "strength": strength,
        "bidirectional": bidirectional,
        "properties": properties or {},
    }
    said = [Said(support, description, period, (source_id, target_id))]
    return Claim(RELATIONSHIP, (source_id, target_id, type), columns, period, said)
