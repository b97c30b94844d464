"""Writing claims: the same claim gains evidence instead of a row, and confidence follows from the evidence.

Facts and relationships live alike: a claim is the same as a stored one when it says the same about the same subject and
their valid intervals overlap or one is undated. Independent documents raise a claim's confidence by noisy-or,
1 - (1 - a)(1 - b); everything from one document, and everything by hand, counts once. Below 0.7 a claim waits for review.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import prod
from typing import Any, NamedTuple
from uuid import UUID

from server import models
from server.ids import NodeKind, new_id
from server.services.extraction.protocol import Instant
from server.services.indexing import Embedded, fact_text
from server.services.values import check_interval, content_key, end_of, normalise_value
from server.store import Transaction
from server.store.records import EvidenceRecord, FactRecord, RelationshipRecord
from server.terms import Authority, Cardinality, ChangeKind, ClaimStatus, Precision, ValueType

REVIEW_BELOW = 0.7
AUTHORITIES = tuple(Authority)
_ALWAYS = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
_GONE = (ClaimStatus.RETRACTED, ClaimStatus.REJECTED)
ONE = frozenset({"COSTS", "PRICED_AT", "LIVES_IN", "BORN_IN", "BORN_ON", "DIED_IN", "DIED_ON", "FOUNDED_IN", "FOUNDED_ON",
                 "HEADQUARTERED_IN", "PUBLISHED_IN", "PUBLISHED_ON", "RELEASED_IN", "RELEASED_ON", "LAUNCHED_IN", "CAPITAL_OF"})  # fmt: skip
"""The predicates of which a subject has one at a time; everything else is MANY."""
SYMMETRIC = frozenset({"COMPATIBLE_WITH", "DIFFERS_FROM", "MARRIED_TO", "SIBLING_OF", "RELATED_TO", "CONFLICTS_WITH"})
INVERSES = {"PART_OF": "HAS_PART", "HAS_PART": "PART_OF", "INCLUDES": "INCLUDED_IN", "INCLUDED_IN": "INCLUDES",
            "CREATED_BY": "CREATED", "CREATED": "CREATED_BY", "FOUNDED_BY": "FOUNDED", "FOUNDED": "FOUNDED_BY",
            "WORKS_AT": "EMPLOYS", "EMPLOYS": "WORKS_AT", "REQUIRES": "REQUIRED_BY", "REQUIRED_BY": "REQUIRES"}  # fmt: skip


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


def period_of(claim: FactRecord | RelationshipRecord) -> Period:
    """Return the valid interval of a stored claim."""
    start = None if claim.valid_from_precision is None else Precision(claim.valid_from_precision)
    end = None if claim.valid_to_precision is None else Precision(claim.valid_to_precision)
    return Period(claim.valid_from, start, claim.valid_to, end)


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
    said: str | None = None

    def columns(self) -> dict[str, Any]:
        """Return the columns of an evidence row."""
        return {name: getattr(self, name) for name in Support.__dataclass_fields__} | {
            "authority": self.authority.value
        }


@dataclass(slots=True)
class Claim:
    """A claim about to be written: its own columns, what makes it the same as another, and its evidence."""

    kind: ClaimKind
    key: tuple[Any, ...]
    columns: dict[str, Any]
    period: Period
    support: list[Support]
    text: str = ""
    id: UUID = field(default_factory=new_id)

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

    def key_of(self, record: Any) -> tuple[Any, ...]:
        """Return what makes a stored claim the same as another."""
        if self.node is NodeKind.FACT:
            return (record.subject_id, record.claim_key)
        return (record.source_id, record.target_id, record.type)


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


def combined_confidence(evidence: Iterable[tuple[UUID | None, float]]) -> float:
    """Return the noisy-or of (origin, confidence) over independent origins, each counted with its highest."""
    best: dict[UUID | None, float] = {}
    for origin, confidence in evidence:
        best[origin] = max(confidence, best.get(origin, 0.0))
    return round(1 - prod(1 - c for c in best.values()), 6)


def highest(authorities: Iterable[str]) -> str:
    """Return the highest of some authorities."""
    return min(authorities, key=lambda a: AUTHORITIES.index(Authority(a)))


def status_for(confidence: float, status: str = ClaimStatus.CURRENT) -> str:
    """Return the status of a claim by its confidence: one that waits for review stops waiting when it is sure enough."""
    if status not in (ClaimStatus.CURRENT, ClaimStatus.PENDING_REVIEW):
        return status
    return ClaimStatus.PENDING_REVIEW.value if confidence < REVIEW_BELOW else ClaimStatus.CURRENT.value


@dataclass(slots=True)
class _Met:
    """A stored claim that is stated again: what that adds, and when it holds; an undated one takes the first dates stated."""

    claim: Any
    added: list[Support]
    period: Period


async def write_claims(
    tx: Transaction,
    claims: Sequence[Claim],
    embedded: Embedded,
    *,
    fresh: frozenset[UUID] = frozenset(),
    bulk: bool = False,
) -> list[Written]:
    """Write claims of one kind, in order; each is inserted, or adds its evidence to the same claim that is there.

    `fresh` are entities made in this transaction: nothing can be stored about them yet. `bulk` logs one entry for all.
    Three reads, whatever the number of claims; none where all subjects are fresh.
    """
    if not claims:
        return []
    kind = claims[0].kind
    known = await _known(tx, kind, claims, fresh)
    written: list[Written] = []
    inserted: list[Claim] = []
    supported: dict[UUID, _Met] = {}
    for claim in claims:
        same = next((other for other in known[claim.key] if period_of_any(other).overlaps(claim.period)), None)
        if same is None:
            known[claim.key].append(claim)
            inserted.append(claim)
            written.append(Written(claim.id, False))
        elif isinstance(same, Claim):
            same.support += _in_own_words(claim, same.words)
            same.period = same.period if same.period.dated else claim.period
            written.append(Written(same.id, True))
        else:
            met = supported.setdefault(same.id, _Met(same, [], period_of(same)))
            met.added += _in_own_words(claim, words_of(same))
            if not met.period.dated and claim.period.dated:
                met.period = claim.period
                others = known[claim.key]
                others[others.index(same)] = same._replace(**claim.period.columns())
            written.append(Written(same.id, True))
    _insert(tx, kind, inserted, embedded, bulk)
    await _support(tx, kind, list(supported.values()))
    _register(tx, kind, inserted)
    return written


def words_of(claim: FactRecord | RelationshipRecord) -> str | None:
    """Return how a stored claim is put."""
    return claim.content if isinstance(claim, FactRecord) else claim.description


def _in_own_words(claim: Claim, stored: str | None) -> list[Support]:
    """Return the evidence of a claim, saying how it put what is stored in other words ("" where it had no words for it)."""
    return claim.support if claim.words == stored else [replace(s, said=claim.words or "") for s in claim.support]


def period_of_any(claim: Any) -> Period:
    """Return the valid interval of a stored claim or of one about to be."""
    return claim.period if isinstance(claim, Claim) else period_of(claim)


async def _known(
    tx: Transaction, kind: ClaimKind, claims: Sequence[Claim], fresh: frozenset[UUID]
) -> defaultdict[tuple[Any, ...], list[Any]]:
    found: defaultdict[tuple[Any, ...], list[Any]] = defaultdict(list)
    subjects = list(dict.fromkeys(claim.key[0] for claim in claims if claim.key[0] not in fresh))
    if not subjects:
        return found
    stored: Sequence[FactRecord | RelationshipRecord]
    if kind.node is NodeKind.FACT:
        stored = await tx.read.same_facts(subjects, {claim.key[1] for claim in claims})
    else:
        stored = await tx.read.same_relationships(subjects, {claim.key[2] for claim in claims})
    for record in stored:
        if record.status not in _GONE:
            found[kind.key_of(record)].append(record)
    return found


def _insert(tx: Transaction, kind: ClaimKind, claims: Sequence[Claim], embedded: Embedded, bulk: bool) -> None:
    for claim in claims:
        confidence = combined_confidence((s.document_id, s.confidence) for s in claim.support)
        columns = {
            **claim.columns,
            **claim.period.columns(),
            "confidence": confidence,
            "status": status_for(confidence),
            "authority": highest(s.authority for s in claim.support),
        }
        tx.insert(kind.model, id=claim.id, **columns)
        for support in claim.support:
            tx.insert(models.Evidence, **{kind.evidence: claim.id}, **support.columns())
        if kind.node is NodeKind.FACT:
            embedded.put(tx, NodeKind.FACT, claim.id, claim.text)
        if not bulk:
            tx.log(ChangeKind.CREATED, kind.node, claim.id, after={n: columns.get(n) for n in kind.logged})
    if bulk:
        tx.log_batch(ChangeKind.CREATED, [(kind.node, claim.id) for claim in claims])


async def _support(tx: Transaction, kind: ClaimKind, supported: Sequence[_Met]) -> None:
    """Add evidence to stored claims; where that changes confidence, authority, status or dates, a new version begins."""
    if not supported:
        return
    lists = await tx.read.lists(EvidenceRecord, kind.evidence, [met.claim.id for met in supported], "id")
    for met, evidence in zip(supported, lists, strict=True):
        fresh = [s for s in met.added if not _is_there(s, evidence)]
        for support in fresh:
            tx.insert(models.Evidence, **{kind.evidence: met.claim.id}, **support.columns())
        _revise(tx, kind, met, [*evidence, *fresh])


def _is_there(support: Support, evidence: Sequence[EvidenceRecord]) -> bool:
    """Return whether the very same words of the same document, or person, are evidence already, with the same weight."""
    place = (support.document_id, support.revision, support.start, support.end, support.quote)
    weight = (support.confidence, support.authority)
    return any(
        place == (e.document_id, e.revision, e.start, e.end, e.quote) and weight == (e.confidence, e.authority)
        for e in evidence
    )


def _revise(tx: Transaction, kind: ClaimKind, met: _Met, evidence: Sequence[EvidenceRecord | Support]) -> None:
    """Give a stored claim the confidence, authority, status and dates that its evidence makes, if they differ."""
    confidence = combined_confidence((e.document_id, e.confidence) for e in evidence)
    after = {
        "confidence": confidence,
        "authority": highest(e.authority for e in evidence),
        "status": status_for(confidence, met.claim.status),
    }
    change_claim(tx, kind, met.claim, after if period_of(met.claim).dated else after | met.period.columns())


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
    return other.id != corrected.id and other.status not in _GONE and period_of(other).overlaps(period_of(corrected))


def _register(tx: Transaction, kind: ClaimKind, claims: Sequence[Claim]) -> None:
    """Make the predicates in use known to the volume."""
    column = "predicate" if kind.node is NodeKind.FACT else "type"
    names = sorted({claim.columns[column] for claim in claims} - {None})
    rows = [
        {
            "volume_id": tx.volume_id,
            "name": name,
            "cardinality": (Cardinality.ONE if name in ONE else Cardinality.MANY).value,
            "inverse": name if name in SYMMETRIC else INVERSES.get(name),
            "symmetric": name in SYMMETRIC,
        }
        for name in names
    ]
    tx.insert_if_absent(models.Predicate, rows)


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
    return Claim(FACT, (subject_id, key), columns, period, [support], fact_text(subject, content))


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
    return Claim(RELATIONSHIP, (source_id, target_id, type), columns, period, [support])
