"""Relationships by hand: stating, correcting and retracting edges between two entities."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from server import models
from server.embeddings import Embedder
from server.errors import BadUserInput, Conflict
from server.ids import NodeKind
from server.services.assertions import write_claims
from server.services.checks import (
    Changes,
    check_version,
    claim_in_volume,
    json_object,
    one_in_volume,
    optional_text,
    within,
)
from server.services.claims import (
    RELATIONSHIP,
    Support,
    Written,
    change_claim,
    highest,
    is_double,
    may_be_double,
    redated,
    relationship_claim,
    stated_period,
    status_for,
)
from server.services.contradiction import pairs_of, reconsider
from server.services.doubts import Turn, follow
from server.services.entities import NewEntity, insert_entity
from server.services.evidence import by_hand
from server.services.extraction.protocol import Instant
from server.services.facts import corrected_period, refuse_retracted
from server.services.idempotency import Once
from server.services.identity import clean_name, normalise_type, relation_type
from server.services.indexing import Embedded, embed, entity_text
from server.services.predicates import Vocabulary, register, vocabulary
from server.services.resolution import Named, ambiguous, candidates_of, merged_among
from server.services.standing import NO_LONGER
from server.store import Store, Transaction
from server.store.records import EntityRecord, RelationshipRecord, VolumeRecord
from server.store.turning import turn_evidence, turned_ends
from server.terms import Authority, ChangeKind, ClaimStatus

DEFAULT_TYPE = "concept"


@dataclass(frozen=True, slots=True)
class EntityRef:
    """An entity by id, or by a name that is created where it is not known. Exactly one of id and name is set."""

    id: UUID | None = None
    name: str | None = None
    type: str | None = None

    def cleaned(self, argument: str) -> EntityRef:
        """Return it as it is compared.

        Raises:
            BadUserInput: the name or type cannot be one.
        """
        if self.name is None:
            return self
        type = None if self.type is None else normalise_type(self.type, argument)
        return EntityRef(name=clean_name(self.name, argument), type=type)

    @property
    def named(self) -> Named:
        """Return the name to resolve."""
        return Named(self.name or "", self.type, stated=self.type is not None)


@dataclass(frozen=True, slots=True)
class NewRelationship:
    """What createRelationship takes."""

    source: EntityRef
    target: EntityRef
    type: str
    description: str | None = None
    properties: Any = None
    bidirectional: bool = False
    strength: float = 1.0
    confidence: float = 1.0
    authority: Authority = Authority.USER
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    document: UUID | None = None
    quote: str | None = None


def clean_relationship(new: NewRelationship) -> NewRelationship:
    """Return the input as it is stored, its times as they were stated.

    Raises:
        BadUserInput: a field is out of its bounds.
    """
    return NewRelationship(
        source=new.source.cleaned("source"),
        target=new.target.cleaned("target"),
        type=relation_type(new.type),
        description=optional_text(new.description, "description", 10_000),
        properties=json_object(new.properties, "properties"),
        bidirectional=new.bidirectional,
        strength=within(new.strength, 0, 1, "strength"),
        confidence=within(new.confidence, 0, 1, "confidence"),
        authority=new.authority,
        valid_from=new.valid_from,
        valid_to=new.valid_to,
        document=new.document,
        quote=optional_text(new.quote, "quote", 10_000),
    )


_AUXILIARIES = frozenset(
    "is was are were be been being has have had will would can could may might must shall should did does".split()
)
_STATES = frozenset(
    {"BASED_IN", "CAPITAL_OF", "COMPATIBLE_WITH", "LOCATED_IN", "MARRIED_TO", "PART_OF", "RELATED_TO", "WRITTEN_IN"}
)


def sentence(source: str, type: str, target: str) -> str:
    """Return a relationship as a readable sentence: types that are no verb by themselves get one."""
    words = type.replace("_", " ").lower()
    passive = type.endswith(("ED_BY", "EN_BY")) and words.split()[0] not in _AUXILIARIES
    verb = "is " if type in _STATES else "was " if passive else ""
    return f"{source} {verb}{words} {target}"


def refuse_one(source: UUID, target: UUID, survivors: Mapping[UUID, UUID], argument: str) -> None:
    """Refuse to state a relationship between two entities that a merge has made one.

    Raises:
        Conflict: they are.
    """
    if source != target and survivors.get(source, source) == survivors.get(target, target):
        raise Conflict("The two entities are one by a merge. Undo the merge, or name another one.", argument=argument)


class Relationships:
    """The relationships of a store's volumes."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    async def create(
        self, volume: VolumeRecord, new: NewRelationship, actor: str, idempotency_key: str | None = None
    ) -> Written:
        """State a relationship; the same one gains evidence instead of a second row, and is there again where it was rejected or retracted.

        Unknown names become entities.

        Raises:
            BadUserInput: a field is out of its bounds, or the quote does not occur in the document.
            NotFound: an entity or the document is not of this volume.
            Ambiguous: a name is that of several entities.
        """
        edge = clean_relationship(new)
        period = stated_period(edge.valid_from, edge.valid_to)
        request = {name: getattr(edge, name) for name in NewRelationship.__dataclass_fields__}
        once = Once(self._store.settings, idempotency_key, "createRelationship", request)
        names = [ref for ref in (edge.source, edge.target) if ref.name is not None]
        embedded = await embed(
            self._embedder, *(entity_text(ref.name or "", ref.type or DEFAULT_TYPE, None) for ref in names)
        )
        async with self._store.write(volume.id, actor) as tx:
            answered = await once.recall(tx)
            if answered is not None:
                return Written(UUID(answered["id"]), bool(answered["known"]))
            ends, survivors = await self._ends(tx, edge, embedded)
            (source, source_name), (target, target_name) = ends
            refuse_one(source, target, survivors, "target")
            text = edge.description or sentence(source_name, edge.type, target_name)
            support = await by_hand(tx.read, volume.id, text, edge)
            claim = relationship_claim(
                source,
                edge.type,
                target,
                period,
                support,
                description=edge.description,
                strength=edge.strength,
                bidirectional=edge.bidirectional,
                properties=edge.properties,
            )
            (written,) = await write_claims(tx, RELATIONSHIP, [claim], embedded, survivors=survivors)
            once.remember(tx, {"id": str(written.id), "known": written.known})
        return written

    async def _ends(
        self, tx: Transaction, edge: NewRelationship, embedded: Embedded
    ) -> tuple[list[tuple[UUID, str]], dict[UUID, UUID]]:
        """Return both ends, each with its name, and what those of them that were merged count as."""
        made: dict[tuple[str, ...], tuple[UUID, str]] = {}
        known: list[EntityRecord] = []
        ends = []
        for argument, ref in (("source", edge.source), ("target", edge.target)):
            if ref.id is not None:
                entity = await one_in_volume(tx.read, EntityRecord, tx.volume_id, ref.id, argument, "entity")
                known.append(entity)
                ends.append((entity.id, entity.name))
                continue
            keys = ref.named.keys
            fit = candidates_of(ref.named, await tx.read.entities_named(tx.volume_id, keys))
            if len(fit) > 1:
                raise ambiguous(ref.name or "", fit, argument)
            if fit:
                known += fit
                ends.append((fit[0].id, fit[0].name))
            else:
                new = NewEntity(ref.name or "", ref.type or DEFAULT_TYPE)
                if keys not in made:
                    made[keys] = (insert_entity(tx, new, embedded), new.name)
                ends.append(made[keys])
        return ends, merged_among(known)

    async def update(self, volume: VolumeRecord, id: UUID, changes: Changes, expected: int | None, actor: str) -> None:
        """Correct the named fields of a relationship; the version before stays in its history.

        Raises:
            BadUserInput: a field is out of its bounds.
            NotFound: no such relationship in this volume.
            Conflict: another version, it was retracted, or the same relationship exists.
        """
        async with self._store.write(volume.id, actor) as tx:
            now = await claim_in_volume(tx.read, RelationshipRecord, volume.id, id, "relationship")
            id = now.id
            check_version(now, expected)
            await correct_relationship(tx, now, changes)

    async def retract(
        self, volume: VolumeRecord, id: UUID, reason: str | None, expected: int | None, actor: str
    ) -> None:
        """Take a relationship back: it leaves every default view and stays in the history. Doing it twice changes nothing.

        Raises:
            NotFound: no such relationship in this volume.
            Conflict: another version.
        """
        why = optional_text(reason, "reason", 1_000)
        async with self._store.write(volume.id, actor) as tx:
            now = await claim_in_volume(tx.read, RelationshipRecord, volume.id, id, "relationship")
            id = now.id
            check_version(now, expected)
            if now.status != ClaimStatus.RETRACTED or now.status_reason == NO_LONGER:
                after = {"status": ClaimStatus.RETRACTED.value, "status_reason": why}
                change_claim(tx, RELATIONSHIP, now, after, ChangeKind.RETRACTED)
                await follow(tx, [Turn.of(NodeKind.RELATIONSHIP, now, after)])
                await reconsider(tx, RELATIONSHIP, pairs_of(RELATIONSHIP, [now]))


async def correct_relationship(
    tx: Transaction, now: RelationshipRecord, changes: Changes, *, deciding: Collection[UUID] = ()
) -> None:
    """Do in a transaction what `Relationships.update` does; `deciding` are reviews that are being decided by it.

    Raises:
        BadUserInput: a field is out of its bounds.
        Conflict: it was retracted, or the same relationship exists.
    """
    refuse_retracted(now.status)
    after = _corrected(now, changes)
    type = after.get("type", now.type)
    words = await vocabulary(tx, {now.type, type})
    await _refuse_double(tx, now, after, words)
    turned = words.turned((now.source_id, now.target_id, type))
    if type != now.type:
        after["stated_type"] = None
    if type != now.type and turned is not None and words.stored_by(type) != type:
        after |= turned_ends(now) | {"type": turned[2], "stated_type": type}
        type = turned[2]
        turn_evidence(tx, [now.id])
    if change_claim(tx, RELATIONSHIP, now, after):
        tx.set_among(models.Relationship, "id", [now.id], {"mutual": words.is_mutual(type)})
        await register(tx, [type], words)
        corrected = now._replace(**after)
        (source, target) = await tx.read.by_ids(EntityRecord, [corrected.source_id, corrected.target_id])
        assert source is not None
        assert target is not None
        text = sentence(source.name, type, target.name)
        support = Support(text, after.get("confidence", 1.0), Authority.USER)
        tx.insert(models.Evidence, relationship_id=now.id, **support.columns(), **redated(now, after))
        await follow(tx, [Turn.of(NodeKind.RELATIONSHIP, now, after)], anew=True, deciding=deciding)
        await reconsider(tx, RELATIONSHIP, pairs_of(RELATIONSHIP, [now, now._replace(**after)]))


async def _refuse_double(tx: Transaction, now: RelationshipRecord, after: dict[str, Any], words: Vocabulary) -> None:
    corrected = now._replace(**after)
    if not may_be_double(RELATIONSHIP, now, corrected):
        return
    same = {(now.source_id, now.target_id, corrected.type)}
    same |= {edge for edge in map(words.turned, same) if edge is not None}
    for other in await tx.read.relationships_between({edge[:2] for edge in same}, {edge[2] for edge in same}):
        if (other.source_id, other.target_id, other.type) in same and is_double(corrected, other):
            raise Conflict("The two entities have this relationship already. Retract one of them.", argument="type")


def _corrected(now: RelationshipRecord, changes: Changes) -> dict[str, Any]:
    for required in ("type", "strength", "confidence", "bidirectional"):
        if required in changes and changes[required] is None:
            raise BadUserInput(f"{required} cannot be cleared.", argument=required)
    clean: dict[str, Callable[[Any], Any]] = {
        "type": lambda v: relation_type(v),
        "description": lambda v: optional_text(v, "description", 10_000),
        "properties": lambda v: json_object(v, "properties"),
        "bidirectional": lambda v: v,
        "strength": lambda v: within(v, 0, 1, "strength"),
        "confidence": lambda v: within(v, 0, 1, "confidence"),
    }
    after: dict[str, Any] = {name: check(changes[name]) for name, check in clean.items() if name in changes}
    if "confidence" in after:
        after["status"] = status_for(after["confidence"], now.status)
        if after["status"] != now.status:  # it waited, and waits no more, or the other way round
            after["status_reason"] = None
    after["authority"] = highest([now.authority, Authority.USER.value])
    return after | corrected_period(now, changes).columns()
