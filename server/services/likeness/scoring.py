"""Likeness: how much two entities look like one, from 0 to 1, and why. It decides nothing and merges nothing.

A score is made of the best of their names, raised by what else they share: neighbours, words of their descriptions,
vectors. A veto makes it 0.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from server.services.identity import exclude_each_other
from server.services.likeness.matching import Alike, compare
from server.services.likeness.names import Name, name_of
from server.services.likeness.vetoes import veto
from server.services.normalization import fold

__all__ = ["ALONE", "NEAR", "THRESHOLD", "Likeness", "Look", "likeness"]

THRESHOLD = 0.75
"""The score from which two entities are proposed as one."""

NEAR = 0.89
"""The cosine of two entities' vectors from which they are proposed where their descriptions are alike as well."""

ALONE = 0.96
"""The cosine from which they are proposed by themselves, where both have names in Latin letters: other scripts the models read worse."""

_BELOW = 0.14
_DESCRIBED = 0.6
_NAMES = 8


@dataclass(frozen=True, slots=True)
class Look:
    """What of an entity is compared. `stated`: somebody said what its type is."""

    name: str
    aliases: tuple[str, ...] = ()
    type: str | None = None
    stated: bool = False
    sense: str = ""
    description: str | None = None
    neighbours: Collection[UUID | str] = ()

    @property
    def person(self) -> bool:
        """Return whether this is taken for a person."""
        return self.type == "person"


@dataclass(frozen=True, slots=True)
class Likeness:
    """A score with its reasons; `veto` says what keeps the two apart for good, where something does."""

    score: float
    reasons: tuple[str, ...] = ()
    veto: str | None = None


def likeness(one: Look, other: Look, near: float | None = None) -> Likeness:
    """Return how much two entities look like one. Symmetric; case and Unicode form do not count.

    `near` is the cosine of their vectors, where it is known. Costs the comparison of at most 8 names of each.
    """
    person = one.person or other.person
    left, right = name_of(one.name, person), name_of(other.name, person)
    against = _apart(one, other) or veto(left, right, person=person)
    if against is not None:
        return Likeness(0.0, (), against)
    alike = compare(left, right, person=person)
    if one.aliases or other.aliases:
        alike = _best([alike, *_of_aliases(one, other, person=person)])
    if alike.score == 0 and (near is None or near < NEAR):
        return Likeness(0.0)
    described = _described(one, other)
    by_vector = _by_vector(left, right, near, described)
    best = _best([alike, by_vector]) if by_vector else alike
    if best.score == 0:
        return Likeness(0.0)
    score, reasons = best.score, [*best.reasons]
    for gain, reason in _more(one, other, described, None if best is by_vector else near):
        score += (1 - score) * gain
        reasons.append(reason)
    if one.type and other.type and one.type != other.type:
        score -= 0.04
        reasons.append("types differ")
    return Likeness(round(max(score, 0.0), 4), tuple(reasons))


def _best(found: list[Alike]) -> Alike:
    return max(found, key=lambda alike: (alike.score, alike.reasons))


def _apart(one: Look, other: Look) -> str | None:
    typed = one.stated and other.stated and one.type and other.type and one.type != other.type
    if typed and exclude_each_other(one.type or "", other.type or ""):
        return "types exclude each other"
    if one.sense and other.sense and one.sense != other.sense:
        return "senses differ"
    return None


def _of_aliases(one: Look, other: Look, *, person: bool) -> list[Alike]:
    found = []
    for n, a in enumerate((one.name, *one.aliases)[:_NAMES]):
        for m, b in enumerate((other.name, *other.aliases)[:_NAMES]):
            left, right = name_of(a, person), name_of(b, person)
            if n + m and veto(left, right, person=person) is None:
                found.append(compare(left, right, person=person))
    return found


def _described(one: Look, other: Look) -> float:
    """How much what is said of them is the same, from 0 to 1; 0 where nothing is said of one."""
    if not one.description or not other.description:
        return 0.0
    from rapidfuzz import fuzz

    return fuzz.token_set_ratio(fold(one.description), fold(other.description)) / 100


def _by_vector(left: Name, right: Name, near: float | None, described: float) -> Alike | None:
    """What vectors make of two whose names may be as different as can be; nothing where they are not near enough."""
    if near is None or near < NEAR:
        return None
    latin = all(word.script in ("LATIN", "") for name in (left, right) for word in name.words)
    if described >= _DESCRIBED or (near >= ALONE and latin):
        return Alike(near - _BELOW, (f"vectors {near:.2f}",))
    return None


def _more(one: Look, other: Look, described: float, near: float | None) -> list[tuple[float, str]]:
    """What else speaks for it: each the share of the way to certainty that it takes, with its reason."""
    found = []
    shared = len(set(one.neighbours) & set(other.neighbours)) if one.neighbours and other.neighbours else 0
    if shared:
        found.append((min(0.25 * shared, 0.5), f"{shared} shared neighbour{'s' if shared > 1 else ''}"))
    if described >= _DESCRIBED:
        found.append((0.3 * described, "descriptions alike"))
    if near is not None and near >= 0.8:
        found.append((0.5 * (near - 0.7), f"vectors {near:.2f}"))
    return found
