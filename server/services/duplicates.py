"""Duplicates: entities that look like one are proposed to a person, each pair once. Nothing is merged here.

Possible likes come from the keys of blocking; what they are worth, and what is vetoed, from likeness.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from server.ids import NodeKind
from server.services.blocking import possible_likes
from server.services.likeness import THRESHOLD, Likeness, Look, likeness
from server.services.likeness.blocks import probes, stored_keys
from server.services.reviews import ReviewQuestion, open_reviews
from server.store import Transaction
from server.store.reader import Reader
from server.store.records import AliasRecord, EntityRecord
from server.terms import ReviewKind

__all__ = ["Candidate", "Seen", "among", "candidates", "propose", "propose_stored", "scan", "seen"]

_EACH = 5
_SHARED = 8
_BATCH = 250
_WORTH = 0.5  # below this nothing that is shared lifts a score over a threshold


@dataclass(frozen=True, slots=True)
class Seen:
    """An entity whose likes are sought: its id, how it looks, and what it weighs."""

    id: UUID
    look: Look
    importance: float = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stored entity that one that was sought for looks like."""

    one: Seen
    other: Seen
    likeness: Likeness

    @property
    def question(self) -> ReviewQuestion:
        """Return the question whether the two are one."""
        about = ((NodeKind.ENTITY, self.one.id), (NodeKind.ENTITY, self.other.id))
        importance = max(self.one.importance, self.other.importance)
        return ReviewQuestion(ReviewKind.DUPLICATE, about, importance, self.likeness.score, self.likeness.reasons)


def seen(entity: EntityRecord, aliases: Sequence[str] = (), neighbours: Collection[UUID] = ()) -> Seen:
    """Return a stored entity as it is compared."""
    look = Look(
        name=entity.name,
        aliases=tuple(aliases),
        type=entity.type,
        stated=entity.type_stated,
        sense=entity.sense,
        description=entity.description,
        neighbours=neighbours,
    )
    return Seen(entity.id, look, entity.importance)


async def candidates(
    read: Reader, volume: UUID, sought: Sequence[Seen], *, threshold: float = THRESHOLD, older: bool = False
) -> list[list[Candidate]]:
    """Return, for each entity, the stored ones that look like it, the most alike first, at most 5 of each.

    `older`: only those with a smaller id, so that of two stored ones one finds the other. Costs three statements and two for
    each 250 that are alike, and the comparison with at most 32 of each.
    """
    likes = await possible_likes(read, volume, [(one.look.name, *one.look.aliases) for one in sought])
    wanted = {id for one, ids in zip(sought, likes, strict=True) for id in ids if _may(id, one, older)}
    known = await _stored(read, wanted)
    found = [
        [(one, known[id]) for id in ids if id in known and _may(id, one, older) and known[id].id != one.id]
        for one, ids in zip(sought, likes, strict=True)
    ]
    near = [[pair for pair in pairs if likeness(pair[0].look, pair[1].look).score >= _WORTH] for pairs in found]
    around = await _around(read, {seen.id for pairs in near for pair in pairs for seen in pair})
    return [_best([_compared(a, b, around) for a, b in pairs], threshold) for pairs in near]


def _may(id: UUID, one: Seen, older: bool) -> bool:
    return id < one.id if older else id != one.id


async def _stored(read: Reader, ids: Collection[UUID]) -> dict[UUID, Seen]:
    """Return entities by their ids; one that was merged lends its names to the entity that it counts as. Two statements."""
    wanted = list(ids)
    rows = await read.by_ids(EntityRecord, wanted)
    aliases = await read.lists(AliasRecord, "entity_id", wanted, "match_key")
    pairs = zip(rows, aliases, strict=True)
    found = {row.id: (row, seen(row, [alias.name for alias in names])) for row, names in pairs if row is not None}
    return {id: replace(one, id=row.merged_into or id) for id, (row, one) in found.items()}


async def _around(read: Reader, ids: Collection[UUID]) -> Mapping[UUID, Collection[UUID]]:
    wanted = sorted(ids)
    found: dict[UUID, Collection[UUID]] = {}
    for start in range(0, len(wanted), _BATCH):
        found |= await read.neighbours(wanted[start : start + _BATCH])
    return found


def _compared(one: Seen, other: Seen, around: Mapping[UUID, Collection[UUID]]) -> Candidate:
    """Compare two with their neighbours; what comes with an entity that is not stored yet counts as well."""
    mine = {*one.look.neighbours, *around.get(one.id, ())}
    theirs = {*other.look.neighbours, *around.get(other.id, ())}
    found = likeness(replace(one.look, neighbours=mine), replace(other.look, neighbours=theirs))
    return Candidate(one, other, found)


def _best(found: list[Candidate], threshold: float) -> list[Candidate]:
    enough = [candidate for candidate in found if candidate.likeness.score >= threshold]
    best: dict[UUID, Candidate] = {}
    for candidate in sorted(enough, key=lambda one: (-one.likeness.score, one.other.id)):
        best.setdefault(candidate.other.id, candidate)
    return list(best.values())[:_EACH]


def among(sought: Sequence[Seen], *, threshold: float = THRESHOLD) -> list[Candidate]:
    """Return the pairs of entities about to be made together that look like one, each pair once."""
    under: dict[int, list[Seen]] = {}
    found: dict[tuple[UUID, UUID], Candidate] = {}
    for one in sought:
        names = (one.look.name, *one.look.aliases)
        for other in (seen for key in probes(names) for seen in under.get(key, ())[:_SHARED]):
            if (one.id, other.id) not in found:
                found[one.id, other.id] = Candidate(one, other, likeness(one.look, other.look))
        for key in stored_keys(names):
            under.setdefault(key, []).append(one)
    return [candidate for candidate in found.values() if candidate.likeness.score >= threshold]


async def propose(tx: Transaction, found: Sequence[Candidate]) -> list[UUID | None]:
    """Ask a person about pairs; return the id of each one's review, None where it was asked before."""
    return await open_reviews(tx, [candidate.question for candidate in found])


async def propose_stored(tx: Transaction, found: Sequence[Candidate]) -> list[UUID | None]:
    """Ask about pairs that were found before the transaction began, those that are still there; else as `propose`."""
    ids = sorted({seen.id for candidate in found for seen in (candidate.one, candidate.other)})
    rows = await tx.read.by_ids(EntityRecord, ids)
    there = {row.id for row in rows if row is not None and row.merged_into is None}
    asked = [one for one in found if one.one.id in there and one.other.id in there]
    reviews = dict(zip((one.question.text for one in asked), await propose(tx, asked), strict=True))
    return [reviews.get(one.question.text) for one in found]


async def scan(
    read: Reader, volume: UUID, *, threshold: float = THRESHOLD
) -> AsyncIterator[tuple[int, list[Candidate]]]:
    """Yield, batch by batch, how many entities were looked at and the pairs that look like one, each pair once.

    Memory does not grow with the volume; some seven statements for each 250 entities.
    """
    async for entities in read.stream(EntityRecord, volume, _BATCH):
        lists = await read.lists(AliasRecord, "entity_id", [entity.id for entity in entities], "match_key")
        sought = [
            seen(entity, [alias.name for alias in aliases])
            for entity, aliases in zip(entities, lists, strict=True)
            if entity.merged_into is None
        ]
        found = await candidates(read, volume, sought, threshold=threshold, older=True)
        yield len(entities), [candidate for own in found for candidate in own]
