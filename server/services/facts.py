"""Facts by hand: stating, correcting and retracting what is known about one entity."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from server import models
from server.embeddings import Embedder
from server.errors import BadUserInput, Conflict
from server.ids import NodeKind
from server.services.assertions import write_claims
from server.services.checks import Changes, check_version, claim_in_volume, one_in_volume, optional_text, within
from server.services.claims import (
    FACT,
    Period,
    Support,
    Written,
    change_claim,
    fact_claim,
    fact_key,
    highest,
    is_double,
    may_be_double,
    period_of,
    redated,
    stated_period,
    status_for,
)
from server.services.contradiction import pairs_of, reconsider
from server.services.doubts import Turn, follow
from server.services.evidence import by_hand
from server.services.extraction.protocol import Instant
from server.services.idempotency import Once
from server.services.identity import clean_text, relation_type
from server.services.indexing import embed, fact_text
from server.services.predicates import register
from server.services.resolution import merged_among
from server.services.standing import NO_LONGER
from server.services.values import parse_value, type_of
from server.store import Store, Transaction
from server.store.records import EntityRecord, FactRecord, VolumeRecord
from server.terms import Authority, ChangeKind, ClaimStatus, ValueType

CONTENT_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class NewFact:
    """What createFact takes."""

    subject: UUID
    content: str
    category: str | None = None
    predicate: str | None = None
    value: str | None = None
    value_type: ValueType | None = None
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    importance: float = 0.5
    confidence: float = 1.0
    authority: Authority = Authority.USER
    document: UUID | None = None
    quote: str | None = None


def clean_fact(new: NewFact) -> tuple[NewFact, Period]:
    """Return the input as it is stored, and its valid interval.

    Raises:
        BadUserInput: a field is out of its bounds.
    """
    predicate = None if new.predicate is None else relation_type(new.predicate, "predicate")
    value, value_type = clean_value(new.value, new.value_type or _type_of(new.value, predicate))
    cleaned = NewFact(
        subject=new.subject,
        content=clean_text(new.content, "content", CONTENT_LIMIT).strip(),
        category=optional_text(new.category, "category", 100),
        predicate=predicate,
        value=value,
        value_type=value_type,
        importance=within(new.importance, 0, 1, "importance"),
        confidence=within(new.confidence, 0, 1, "confidence"),
        authority=new.authority,
        document=new.document,
        quote=optional_text(new.quote, "quote", CONTENT_LIMIT),
    )
    return cleaned, stated_period(new.valid_from, new.valid_to)


def _type_of(value: str | None, predicate: str | None) -> ValueType | None:
    """Return the type of a value that is stated without one."""
    return None if value is None else type_of(value, predicate)


def clean_value(value: str | None, value_type: ValueType | None) -> tuple[str | None, ValueType]:
    """Return a literal value in its stored form with its type; a value without type is text.

    Raises:
        BadUserInput: the value is not of its type, or a type has no value.
    """
    if value is None:
        if value_type not in (None, ValueType.NONE):
            raise BadUserInput("A valueType needs a value.", argument="value")
        return None, ValueType.NONE
    kind = value_type or ValueType.TEXT
    return parse_value(value, kind), kind


class Facts:
    """The facts of a store's volumes."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    async def create(
        self, volume: VolumeRecord, new: NewFact, actor: str, idempotency_key: str | None = None
    ) -> Written:
        """State a fact; the same fact gains evidence instead of a second row, and is there again where it was rejected or retracted.

        Raises:
            BadUserInput: a field is out of its bounds, or the quote does not occur in the document.
            NotFound: the subject or document is not of this volume.
        """
        fact, period = clean_fact(new)
        request = {name: getattr(fact, name) for name in NewFact.__dataclass_fields__} | {"period": list(period)}
        once = Once(self._store.settings, idempotency_key, "createFact", request)
        support = await by_hand(self._store.read, volume.id, fact.content, fact)
        subject = await one_in_volume(self._store.read, EntityRecord, volume.id, fact.subject, "subject", "entity")
        embedded = await embed(self._embedder, fact_text(subject.name, fact.content))
        async with self._store.write(volume.id, actor) as tx:
            answered = await once.recall(tx)
            if answered is not None:
                return Written(UUID(answered["id"]), bool(answered["known"]))
            subject = await one_in_volume(tx.read, EntityRecord, volume.id, fact.subject, "subject", "entity")
            claim, survivors = _claim(subject, fact, period, support), merged_among([subject])
            (written,) = await write_claims(tx, FACT, [claim], embedded, survivors=survivors)
            once.remember(tx, {"id": str(written.id), "known": written.known})
        return written

    async def update(self, volume: VolumeRecord, id: UUID, changes: Changes, expected: int | None, actor: str) -> None:
        """Correct the named fields of a fact; the version before stays in its history.

        A correction is evidence by hand, and the confidence it states is the fact's own.

        Raises:
            BadUserInput: a field is out of its bounds.
            NotFound: no such fact in this volume.
            Conflict: another version, it was retracted, or the subject has a fact that says the same.
        """
        async with self._store.write(volume.id, actor) as tx:
            now = await claim_in_volume(tx.read, FactRecord, volume.id, id, "fact")
            id = now.id
            check_version(now, expected)
            await correct_fact(tx, now, changes)

    async def retract(
        self, volume: VolumeRecord, id: UUID, reason: str | None, expected: int | None, actor: str
    ) -> None:
        """Take a fact back: it leaves every default view and stays in the history. Doing it twice changes nothing.

        Raises:
            NotFound: no such fact in this volume.
            Conflict: another version.
        """
        why = optional_text(reason, "reason", 1_000)
        async with self._store.write(volume.id, actor) as tx:
            now = await claim_in_volume(tx.read, FactRecord, volume.id, id, "fact")
            id = now.id
            check_version(now, expected)
            if now.status != ClaimStatus.RETRACTED or now.status_reason == NO_LONGER:
                after = {"status": ClaimStatus.RETRACTED.value, "status_reason": why}
                change_claim(tx, FACT, now, after, ChangeKind.RETRACTED)
                await follow(tx, [Turn.of(NodeKind.FACT, now, after)])
                await reconsider(tx, FACT, pairs_of(FACT, [now]))


async def correct_fact(tx: Transaction, now: FactRecord, changes: Changes, *, deciding: Collection[UUID] = ()) -> None:
    """Do in a transaction what `Facts.update` does; `deciding` are reviews that are being decided by it.

    Raises:
        BadUserInput: a field is out of its bounds.
        Conflict: it was retracted, or the subject has a fact that says the same.
    """
    refuse_retracted(now.status)
    after = _corrected(now, changes)
    await _refuse_double(tx, now, after)
    if not change_claim(tx, FACT, now, after):
        return
    await follow(tx, [Turn.of(NodeKind.FACT, now, after)], anew=True, deciding=deciding)
    await register(tx, [after["predicate"]])
    support = Support(after["content"], after.get("confidence", 1.0), Authority.USER)
    tx.insert(models.Evidence, fact_id=now.id, **support.columns(), **redated(now, after))
    if after["content"] != now.content:
        subject = await tx.read.one(EntityRecord, FACT.stated_ends(now)[0])
        text = fact_text(subject.name if subject else "", after["content"])
        tx.index(NodeKind.FACT, now.id, text, None, again=True)
    await reconsider(tx, FACT, pairs_of(FACT, [now, now._replace(**after)]))


async def _refuse_double(tx: Transaction, now: FactRecord, after: dict[str, Any]) -> None:
    corrected = now._replace(**after)
    if not may_be_double(FACT, now, corrected):
        return
    for other in await tx.read.same_facts([now.subject_id], [corrected.claim_key]):
        if is_double(corrected, other):
            raise Conflict("The subject has another fact that says this. Retract one of them.", argument="content")


def refuse_retracted(status: str) -> None:
    """Refuse to edit a claim that was taken back.

    Raises:
        Conflict: it was.
    """
    if status == ClaimStatus.REJECTED:
        raise Conflict("It was rejected in a review. State it anew instead of editing it.", argument="id")
    if status == ClaimStatus.RETRACTED:
        raise Conflict("It was retracted. State it anew instead of editing it.", argument="id")


def _claim(subject: EntityRecord, fact: NewFact, period: Period, support: Support) -> Any:
    return fact_claim(
        subject.id,
        subject.name,
        fact.content,
        period,
        support,
        category=fact.category,
        predicate=fact.predicate,
        value=fact.value,
        value_type=fact.value_type or ValueType.NONE,
        importance=fact.importance,
    )


def corrected_period(now: Any, changes: Changes) -> Period:
    """Return the valid interval of a claim after an update that names either end, or neither."""
    old = period_of(now)
    stated = stated_period(changes.get("valid_from"), changes.get("valid_to"))
    start = stated[:2] if "valid_from" in changes else old[:2]
    end = stated[2:] if "valid_to" in changes else old[2:]
    period = Period(start[0], start[1], end[0], end[1])
    if period.start is not None and period.end is not None and period.end <= period.start:
        raise BadUserInput("validTo must be after validFrom.", argument="validTo")
    return period


def _corrected(now: FactRecord, changes: Changes) -> dict[str, Any]:
    for required in ("content", "importance", "confidence"):
        if required in changes and changes[required] is None:
            raise BadUserInput(f"{required} cannot be cleared.", argument=required)
    after: dict[str, Any] = {"content": now.content, "predicate": now.predicate}
    if "content" in changes:
        after["content"] = clean_text(changes["content"], "content", CONTENT_LIMIT).strip()
    if "category" in changes:
        after["category"] = optional_text(changes["category"], "category", 100)
    if "predicate" in changes:
        named = changes["predicate"]
        after["predicate"] = None if named is None else relation_type(named, "predicate")
    if "importance" in changes:
        after["importance"] = within(changes["importance"], 0, 1, "importance")
    if "confidence" in changes:
        after["confidence"] = within(changes["confidence"], 0, 1, "confidence")
        after["status"] = status_for(after["confidence"], now.status)
        if after["status"] != now.status:  # it waited, and waits no more, or the other way round
            after["status_reason"] = None
    value, kind = _corrected_value(now, changes, after["predicate"])
    key = fact_key(after["predicate"], after["content"], value, kind)
    after["authority"] = highest([now.authority, Authority.USER.value])
    return (
        after | {"value": value, "value_type": kind.value, "claim_key": key} | corrected_period(now, changes).columns()
    )


def _corrected_value(now: FactRecord, changes: Changes, predicate: str | None) -> tuple[str | None, ValueType]:
    """Return the value and its type after an update: another value keeps the type, unless there was none or one is named."""
    if "value" not in changes and "value_type" not in changes:
        return now.value, ValueType(now.value_type)
    value = changes.get("value", now.value)
    named = changes.get("value_type")
    if value is None:
        return clean_value(None, named)
    return clean_value(
        value, named or (ValueType(now.value_type) if now.value is not None else type_of(value, predicate))
    )
