"""Entity resolution: which stored entity a name stands for, or that it stands for a new one.

Names are compared by match key only, their own or a declared alias's; likeness merges nothing. Types split a name only
where they exclude each other and both are stated. Among homonyms a bare name goes to the one whose neighbours the document
names; without that it stays unresolved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from server.errors import Ambiguous
from server.ids import NodeKind, encode_id
from server.services.checks import one_in_volume
from server.services.identity import EXCLUSIVE_TYPES, exclude_each_other, lookup_keys, match_key
from server.store.reader import Reader
from server.store.records import EntityRecord

_LISTED = 10
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Named:
    """A name in front of us. `stated`: its type was stated, by a person or by the grammar; a guess never splits."""

    name: str
    type: str | None = None
    stated: bool = False
    sense: str | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the match keys to try, in order."""
        return lookup_keys(self.name, self.type if self.stated else None)


def fitting(named: Named, candidates: Sequence[EntityRecord]) -> list[EntityRecord]:
    """Return the candidates that a name may stand for: no excluded type, and the sense where one is given."""
    fit = [
        c
        for c in candidates
        if not (named.stated and c.type_stated and named.type is not None and exclude_each_other(named.type, c.type))
        and (named.sense is None or named.sense == c.sense)
    ]
    exact = [c for c in fit if c.type == named.type]
    return exact if exact and len(fit) > 1 else fit


def candidates_of(named: Named, found: Mapping[str, Sequence[EntityRecord]]) -> list[EntityRecord]:
    """Return what the first key of the name that leads anywhere leads to: entities as they were named, merged since or not."""
    return _each_once(_led_to(named, found))


def one_by_merge(named: Named, found: Mapping[str, Sequence[EntityRecord]], one: EntityRecord) -> list[EntityRecord]:
    """Return the candidates of a name that count as the same as one of them: several, where namesakes were merged."""
    return [c for c in _led_to(named, found) if (c.merged_into or c.id) == (one.merged_into or one.id)]


def _led_to(named: Named, found: Mapping[str, Sequence[EntityRecord]]) -> list[EntityRecord]:
    for key in named.keys:
        fit = [c for c in fitting(named, found.get(key, ())) if _reachable(named.name, key, c)]
        if fit:
            return fit
    return []


def _each_once(fit: Sequence[EntityRecord]) -> list[EntityRecord]:
    """Return what is left of candidates where those that count as one are one: itself, rather than what was merged into it."""
    found: dict[UUID, EntityRecord] = {}
    for one in sorted(fit, key=lambda c: c.merged_into is not None):
        found.setdefault(one.merged_into or one.id, one)
    return [one for one in fit if one in found.values()] if len(found) < len(fit) else list(fit)


def merged_among(entities: Iterable[EntityRecord]) -> dict[UUID, UUID]:
    """Return, of entities, those that were merged, each with what it counts as."""
    return {one.id: one.merged_into for one in entities if one.merged_into is not None}


async def survivors_of(read: Reader, entities: Sequence[EntityRecord]) -> list[EntityRecord]:
    """Return what entities count as: themselves, unless they were merged. One statement, and that only where one was."""
    merged = [one.merged_into for one in entities if one.merged_into is not None]
    rows = await read.by_ids(EntityRecord, merged)
    found = {row.id: row for row in rows if row is not None}
    return [found.get(one.merged_into, one) if one.merged_into is not None else one for one in entities]


def _reachable(name: str, key: str, candidate: EntityRecord) -> bool:
    """Return whether a key may lead to a candidate: a legal form is left out only of what may be an organization, a
    title only of a person.
    """
    if key == match_key(name, "place"):
        return True
    if key == match_key(name, "person"):
        return candidate.type == "person"
    if key != match_key(name):
        return candidate.type == "organization"
    return candidate.type not in EXCLUSIVE_TYPES or candidate.type == "organization"


async def survivor_in_volume(read: Reader, volume_id: UUID, id: UUID, argument: str) -> EntityRecord:
    """Return what the entity with this id, of this volume, counts as.

    Raises:
        NotFound: it is unknown or of another volume.
    """
    named = await one_in_volume(read, EntityRecord, volume_id, id, argument, "entity")
    return (await survivors_of(read, [named]))[0]


async def find_in(
    read: Reader, volumes: Sequence[UUID], named: Named, argument: str
) -> list[EntityRecord | Ambiguous | None]:
    """Return what a name stands for in each volume: an entity, None, or the refusal to choose among several."""
    found: list[EntityRecord | Ambiguous | None] = []
    for candidates in await read.entities_named_in(volumes, named.keys):
        fit = candidates_of(named, candidates)
        found.append(ambiguous(named.name, fit, argument) if len(fit) > 1 else fit[0] if fit else None)
    known = [one for one in found if isinstance(one, EntityRecord)]
    survivors = iter(await survivors_of(read, known))
    return [next(survivors) if isinstance(one, EntityRecord) else one for one in found]


def ambiguous(name: str, candidates: Sequence[EntityRecord], argument: str) -> Ambiguous:
    """Return the refusal to choose among homonyms."""
    ids = [encode_id(NodeKind.ENTITY, c.merged_into or c.id) for c in candidates]
    told = "; ".join(f"{id} ({_told(c)})" for id, c in zip(ids[:_LISTED], candidates, strict=False))
    more = f"; and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
    types = len({c.type for c in candidates}) > 1
    how = "Give the id of one of them" + (", or its type." if types else ".")
    return Ambiguous(
        f"{len(candidates)} entities are called {name}: {told}{more}. {how}",
        argument=argument,
        details={"candidates": ids},
    )


def _told(candidate: EntityRecord) -> str:
    """Return what tells a homonym apart: its type, and its sense or else the beginning of its description."""
    more = candidate.sense or (candidate.description or "")[:_SHOWN]
    return ", ".join(part for part in (candidate.type, more) if part)


def by_neighbours(
    candidates: Sequence[EntityRecord], neighbours: Mapping[UUID, Collection[UUID]], present: Collection[UUID]
) -> EntityRecord | None:
    """Return the homonym that has the most neighbours among the entities present in a document, if it is a single one."""
    scores = {c.id: len(set(neighbours.get(c.id, ())) & set(present)) for c in candidates}
    best = max(scores.values(), default=0)
    leading = [c for c in candidates if scores[c.id] == best]
    return leading[0] if best and len(leading) == 1 else None
