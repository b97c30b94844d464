"""Duplicates: entities that look like one are proposed to a person, each pair once. Nothing is merged here.

Possible likes come from the keys of blocking; what they are worth, and what is vetoed, from likeness.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from server.ids import NodeKind
from server.services.blocking import possible_likes
from server.services.likeness import NEAR, THRESHOLD, Likeness, Look, likeness
from server.services.likeness.blocks import probes, stored_keys
from server.services.reviews import ReviewQuestion, open_reviews, waiting_about
from server.store import Store, Transaction
from server.store.reader import Reader
from server.store.records import AliasRecord, EntityRecord
from server.terms import ReviewKind

if TYPE_CHECKING:  # no vectors are loaded where none are compared
    import numpy as np
    from numpy.typing import NDArray

    from server.services.likeness.nearness import Near

__all__ = [
    "Candidate",
    "Proposed",
    "Seen",
    "among",
    "candidates",
    "nearness",
    "propose",
    "propose_stored",
    "scan",
    "seen",
]

_EACH = 5
_SHARED = 8
_BATCH = 250
_KEPT = 16_384
_COMPARED = frozenset("name type type_stated sense description importance merged_into".split())
_NONE: Mapping[UUID, Sequence[tuple[UUID, float]]] = MappingProxyType({})
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


class Proposed(NamedTuple):
    """The open review about a pair, where one waits, and whether it was opened now."""

    review: UUID | None
    new: bool = False


_GONE = Proposed(None)


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


class Known:
    """Entities as they are compared, as they were when they were read: the latest 16,384 that were asked for are kept."""

    def __init__(self, read: Reader) -> None:
        self._read = read
        self._kept: dict[UUID, Seen] = {}

    async def seen(self, ids: Collection[UUID]) -> dict[UUID, Seen]:
        """Return entities by their ids; one that was merged lends its names to the entity that it counts as. Two statements at most."""
        found = {id: self._kept.pop(id) for id in ids if id in self._kept}
        missing = [id for id in ids if id not in found]
        rows = await self._read.by_ids(EntityRecord, missing, _COMPARED)
        aliases = await self._read.lists(AliasRecord, "entity_id", missing, "match_key")
        for row, names in zip(rows, aliases, strict=True):
            if row is not None:
                one = seen(row, [alias.name for alias in names])
                found[row.id] = one if row.merged_into is None else replace(one, id=row.merged_into)
        self._kept |= found
        for id in list(self._kept)[: max(0, len(self._kept) - _KEPT)]:
            del self._kept[id]
        return found


async def candidates(
    read: Reader,
    volume: UUID,
    sought: Sequence[Seen],
    *,
    threshold: float = THRESHOLD,
    older: bool = False,
    near: Mapping[UUID, Sequence[tuple[UUID, float]]] = _NONE,
    known: Known | None = None,
) -> list[list[Candidate]]:
    """Return, for each entity, the stored ones that look like it, the most alike first, at most 5 of each.

    `older`: only those with a smaller id, so that of two stored ones one finds the other. `near` are those whose vectors are near, with
    the cosine, whatever their names. `known` keeps what was read for the next call. Costs three statements and two for each 250 that are
    alike, and the comparison with at most 32 of each.
    """
    known = known or Known(read)
    names, before = [(one.look.name, *one.look.aliases) for one in sought], [one.id for one in sought]
    likes = await possible_likes(read, volume, names, before if older else None)
    wanted = [
        {**{id: None for id in ids if _may(id, one, older)}, **dict(near.get(one.id, ()))}
        for one, ids in zip(sought, likes, strict=True)
    ]
    others = await known.seen({id for own in wanted for id in own})
    found = [
        [(one, others[id], cosine) for id, cosine in own.items() if id in others and others[id].id != one.id]
        for one, own in zip(sought, wanted, strict=True)
    ]
    worth = [
        [pair for pair in pairs if likeness(pair[0].look, pair[1].look, pair[2]).score >= _WORTH] for pairs in found
    ]
    around = await _around(read, {seen.id for pairs in worth for pair in pairs for seen in pair[:2]})
    return [_best([_compared(*pair, around) for pair in pairs], threshold) for pairs in worth]


def _may(id: UUID, one: Seen, older: bool) -> bool:
    return id < one.id if older else id != one.id


async def _around(read: Reader, ids: Collection[UUID]) -> Mapping[UUID, Collection[UUID]]:
    wanted = sorted(ids)
    found: dict[UUID, Collection[UUID]] = {}
    for start in range(0, len(wanted), _BATCH):
        found |= await read.neighbours(wanted[start : start + _BATCH])
    return found


def _compared(one: Seen, other: Seen, near: float | None, around: Mapping[UUID, Collection[UUID]]) -> Candidate:
    """Compare two with their neighbours; what comes with an entity that is not stored yet counts as well."""
    mine = {*one.look.neighbours, *around.get(one.id, ())}
    theirs = {*other.look.neighbours, *around.get(other.id, ())}
    found = likeness(replace(one.look, neighbours=mine), replace(other.look, neighbours=theirs), near)
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


async def propose(tx: Transaction, found: Sequence[Candidate]) -> list[Proposed]:
    """Ask a person about pairs; return the review of each that waits, opened now or before, none where it was decided."""
    opened = await open_reviews(tx, [candidate.question for candidate in found])
    left = {candidate.question.pair for candidate, review in zip(found, opened, strict=True) if review is None}
    waiting = await waiting_about(tx, left) if left else {}
    return [
        Proposed(waiting.get(candidate.question.pair) if review is None else review, review is not None)
        for candidate, review in zip(found, opened, strict=True)
    ]


async def propose_stored(tx: Transaction, found: Sequence[Candidate]) -> list[Proposed]:
    """Ask about pairs that were found before the transaction began, those that are still there; else as `propose`."""
    ids = sorted({seen.id for candidate in found for seen in (candidate.one, candidate.other)})
    rows = await tx.read.by_ids(EntityRecord, ids)
    there = {row.id for row in rows if row is not None and row.merged_into is None}
    asked = [one for one in found if one.one.id in there and one.other.id in there]
    reviews = dict(zip((one.question.text for one in asked), await propose(tx, asked), strict=True))
    return [reviews.get(one.question.text, _GONE) for one in found]


async def nearness(store: Store, volume: UUID) -> Near:
    """Return which entities have vectors near each other. Of a volume with more than 100,000 the rest are left out.

    Raises:
        UpstreamUnavailable: the vector index cannot be read.
    """
    import numpy as np

    from server.services.likeness.nearness import MOST, near_pairs

    found: dict[UUID, NDArray[np.float16]] = {}
    async for batch, matrix in store.vectors_of(volume, NodeKind.ENTITY):
        found.update(zip(batch, matrix.astype(np.float16), strict=True))
        if len(found) >= MOST:
            break
    ids = sorted(found)[:MOST]
    if len(ids) < 2:
        return {}
    return await asyncio.to_thread(near_pairs, ids, np.stack([found.pop(id) for id in ids]), NEAR)


async def scan(
    read: Reader, volume: UUID, *, threshold: float = THRESHOLD, near: Near | None = None
) -> AsyncIterator[tuple[int, list[Candidate]]]:
    """Yield, batch by batch, how many entities were looked at and the pairs that look like one, each pair once.

    `near`: which have vectors near each other. Memory does not grow with the volume; some seven statements for each 250 entities.
    """
    known = Known(read)
    async for entities in read.stream(EntityRecord, volume, _BATCH):
        lists = await read.lists(AliasRecord, "entity_id", [entity.id for entity in entities], "match_key")
        sought = [
            seen(entity, [alias.name for alias in aliases])
            for entity, aliases in zip(entities, lists, strict=True)
            if entity.merged_into is None
        ]
        found = await candidates(read, volume, sought, threshold=threshold, older=True, near=near or _NONE, known=known)
        yield len(entities), [candidate for own in found for candidate in own]
