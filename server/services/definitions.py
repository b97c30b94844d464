"""Defining predicates: a volume sets how many claims of one a subject has, what its inverse is, and how long it stays true.

Two inverses name each other and nobody else; where one is set anew, its former partner has none. Stored relationships follow:
what says the same from opposite ends counts as one, and where the cardinality changes, all claims of the predicate are judged anew.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from server import models
from server.errors import BadUserInput
from server.ids import NodeKind, new_id
from server.services.checks import Changes, optional_text, within
from server.services.claims import FACT, RELATIONSHIP, ClaimKind
from server.services.contradiction import recompute
from server.services.identity import relation_type
from server.services.joining import join, store_as_stated, store_turned
from server.services.predicates import Vocabulary, shipped, vocabulary
from server.store import Store, Transaction
from server.store.records import ConflictRecord, FactRecord, PredicateRecord, RelationshipRecord, VolumeRecord
from server.terms import Cardinality, ChangeKind

__all__ = ["Defined", "Definition", "Definitions"]

_SET = ("cardinality", "inverse", "symmetric", "half_life_days", "description")
_SHORTEST, _LONGEST = 0.001, 36_525.0
_TOGETHER = 500
ClaimRecord = FactRecord | RelationshipRecord


@dataclass(frozen=True, slots=True)
class Definition:
    """What setPredicate takes. `changes` are those of inverse, half_life_days and description that were given; null clears.

    A rehearsal answers what would be, and changes nothing.
    """

    name: str
    cardinality: Cardinality
    symmetric: bool
    changes: Changes
    rehearsal: bool = False

    def cleaned(self) -> Definition:
        """Return it as it is stored.

        Raises:
            BadUserInput: a field is out of its bounds, or two do not go together.
        """
        changes, name = dict(self.changes), relation_type(self.name, "name")
        if changes.get("inverse") is not None:
            changes["inverse"] = relation_type(changes["inverse"], "inverse")
        if "description" in changes:
            changes["description"] = optional_text(changes["description"], "description", 1_000)
        if changes.get("half_life_days") is not None:
            within(changes["half_life_days"], _SHORTEST, _LONGEST, "halfLifeDays")
        inverse = changes.get("inverse")
        if self.symmetric and inverse not in (None, name):
            raise BadUserInput("A symmetric predicate is its own inverse and has no other.", argument="inverse")
        if not self.symmetric and inverse == name:
            raise BadUserInput("A predicate that is its own inverse is symmetric: say so.", argument="symmetric")
        if self.symmetric and self.cardinality is Cardinality.ONE:
            raise BadUserInput("Of a symmetric predicate a subject can have many claims.", argument="cardinality")
        return replace(self, name=name, changes=changes)

    def columns(self, words: Vocabulary) -> dict[str, Any]:
        """Return what is set: what was not given stays as it is, or begins as it is listed."""
        now, listed = words.rows.get(self.name), shipped(self.name)
        kept: Any = listed if now is None else now
        inverse = self.changes.get("inverse", words.inverse(self.name))
        if self.symmetric or inverse == self.name:
            inverse = self.name if self.symmetric else None
        return {
            "cardinality": self.cardinality.value,
            "inverse": inverse,
            "symmetric": self.symmetric,
            "half_life_days": self.changes.get("half_life_days", kept.half_life_days),
            "description": self.changes.get("description", kept.description),
        }


@dataclass(slots=True)
class Defined:
    """How a predicate is set, the claims that have given way by it, and the conflicts that it has made or changed.

    `joined` count for another relationship too, which says the same from the other end; `parted` did not count by themselves before.
    """

    predicate: PredicateRecord
    joined: list[RelationshipRecord] = field(default_factory=list)
    parted: list[RelationshipRecord] = field(default_factory=list)
    superseded: list[ClaimRecord] = field(default_factory=list)
    conflicts: list[ConflictRecord] = field(default_factory=list)


class Definitions:
    """The predicates of a store's volumes, as they are set."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def set(self, volume: VolumeRecord, new: Definition, actor: str) -> Defined:
        """Set a predicate of a volume, in use or not, and keep what it is the inverse of in step, and the stored relationships.

        With another cardinality the claims of every subject that has several of it are judged anew, 500 subjects at a time, all in
        one transaction. Of two inverses, the relationships of the one that is MANY are stated by the one that is ONE as long as it is so. How
        what was stated before stands depends on how predicates are set in the end, not on what was set on the way.

        Raises:
            BadUserInput: a field is out of its bounds, or two do not go together.
        """
        definition = new.cleaned()
        async with self._store.write(volume.id, actor, rehearsal=definition.rehearsal) as tx:
            before = await vocabulary(tx, [definition.name])
            linked = await _define(tx, definition)
            (row,) = await tx.read.where(PredicateRecord, volume_id=volume.id, name=definition.name)
            defined = Defined(row)
            anew = row.cardinality != before.cardinality(row.name)
            if linked or anew:
                names = await _store_as_set(tx, defined, {row.name, *linked}, linked)
                for name in sorted(names):
                    await _judge(tx, RELATIONSHIP, defined, name)
            if anew:
                await _judge(tx, FACT, defined, row.name)
        return defined


async def _store_as_set(tx: Transaction, defined: Defined, names: Collection[str], linked: Collection[str]) -> set[str]:
    """Store the relationships of these predicates and their inverses as they are set now; return the types of which claims may stand otherwise."""
    words = await vocabulary(tx, names)
    types = {name for name in {*names, *map(words.inverse, names)} if name is not None}
    types |= await store_as_stated(tx, types)
    if linked:
        defined.joined, defined.parted = await join(tx, linked)
    await store_turned(tx, types)
    return types


async def _judge(tx: Transaction, kind: ClaimKind, defined: Defined, name: str) -> None:
    """Judge all claims of one kind of a predicate anew, and note what has become of them."""
    words = await vocabulary(tx, [name])
    subjects = await tx.read.subjects_contested(
        kind.model, kind.keyed_by, tx.volume_id, name, several=words.has_one(name)
    )
    for start in range(0, len(subjects), _TOGETHER):
        part = subjects[start : start + _TOGETHER]
        beaten = {row.id: row.superseded_by for row in await _claims(tx, kind, part, name)}
        known = set(await _conflicts(tx, part, name))
        await recompute(tx, kind, {(subject, name) for subject in part})
        await tx.apply()
        claims = await _claims(tx, kind, part, name)
        defined.superseded += [row for row in claims if row.superseded_by not in (None, beaten.get(row.id))]
        defined.conflicts += [row for row in await _conflicts(tx, part, name) if row not in known]


async def _claims(tx: Transaction, kind: ClaimKind, subjects: Sequence[UUID], name: str) -> Sequence[ClaimRecord]:
    if kind is FACT:
        return await tx.read.same_facts(subjects, {name}, by="predicate")
    return await tx.read.same_relationships(subjects, {name})


async def _conflicts(tx: Transaction, subjects: Sequence[UUID], name: str) -> list[ConflictRecord]:
    lists = await tx.read.lists(ConflictRecord, "subject_id", subjects, "id")
    return [row for rows in lists for row in rows if row.predicate == name]


async def _define(tx: Transaction, new: Definition) -> set[str]:
    """Write a definition; return the predicates that have another inverse by it, with those that they had."""
    asked = {new.name, new.changes.get("inverse")} - {None}
    words = await vocabulary(tx, (name for name in asked if name is not None))
    own = new.columns(words)
    other = own["inverse"] if own["inverse"] != new.name else None
    if other is not None and other not in asked:
        words = await vocabulary(tx, {new.name, other})
    if other is not None and new.cardinality is Cardinality.ONE and words.has_one(other):
        raise BadUserInput(
            f"Of two inverses only one can be ONE, and {other} is. Set that to MANY first.", argument="cardinality"
        )
    after: dict[str, dict[str, Any]] = {new.name: own}
    if other is not None:
        after[other] = _partner(words, other, new.name, own)
    for row in words.rows.values():
        if row.name not in after and row.inverse in after:
            after[row.name] = _columns(row) | {"inverse": None}
    if _write(tx, words, after):
        await tx.apply()
    changed = {name for name, columns in after.items() if words.inverse(name) != columns["inverse"]}
    former = {words.inverse(name) for name in changed} - {None}
    return changed | {name for name in former if name is not None}


def _partner(words: Vocabulary, name: str, inverse: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is set of the other one of two inverses: it changes as they do, and its own where it is there already."""
    row, listed = words.rows.get(name), shipped(name)
    made = {"half_life_days": own["half_life_days"], "description": listed.description}
    kept = made | {"cardinality": listed.cardinality.value} if row is None else _columns(row)
    return kept | {"inverse": inverse, "symmetric": False}


def _columns(row: PredicateRecord) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _SET}


def _write(tx: Transaction, words: Vocabulary, after: Mapping[str, Mapping[str, Any]]) -> bool:
    """Write what differs, and say whether anything does. First all let go of their inverses: no two may have the same one, not even for a moment."""
    changed = {
        words.rows[name]: columns
        for name, columns in after.items()
        if name in words.rows and _columns(words.rows[name]) != columns
    }
    tx.update_many(models.Predicate, [{"id": row.id, "inverse": None, "symmetric": False} for row in changed])
    tx.update_many(models.Predicate, [{"id": row.id, **columns} for row, columns in changed.items()])
    for row, columns in changed.items():
        now = {name: value for name, value in columns.items() if getattr(row, name) != value}
        before = {name: getattr(row, name) for name in now}
        tx.log(ChangeKind.UPDATED, NodeKind.PREDICATE, row.id, before={"name": row.name, **before}, after=now)
    for name, columns in after.items():
        if name not in words.rows:
            id = new_id()
            tx.insert(models.Predicate, id=id, name=name, **columns)
            tx.log(ChangeKind.CREATED, NodeKind.PREDICATE, id, after={"name": name, **columns})
        if words.is_mutual(name) != columns["symmetric"]:
            for model in (models.Relationship, models.RelationshipVersion):
                mutual = {"mutual": columns["symmetric"]}
                tx.set_among(model, "type", [name], mutual, volume_id=tx.volume_id)
    return bool(changed) or not after.keys() <= words.rows.keys()
