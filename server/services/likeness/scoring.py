"""Likeness: how much two entities look like one, from 0 to 1, and why. It decides nothing and merges nothing.

A score is made of the best of their names, raised by what else they share: neighbours, words of their descriptions,
vectors. A veto makes it 0.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from server.services.identity import exclude_each_other
from server.services.likeness.matching import Alike, compare
from server.services.likeness.names import name_of
from server.services.likeness.vetoes import veto
from server.services.normalization import fold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["THRESHOLD", "Likeness", "Look", "likeness"]

THRESHOLD = 0.75
"""The score from which two entities are proposed as one."""

_NAMES = 8


@dataclass(frozen=True, slots=True)
class Look:
    """What of an entity is compared. `vector`: that of its name, of length 1. `stated`: somebody said what its type is."""

    name: str
    aliases: tuple[str, ...] = ()
    type: str | None = None
    stated: bool = False
    sense: str = ""
    description: str | None = None
    neighbours: Collection[UUID | str] = ()
    vector: NDArray[np.float32] | None = None

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


def likeness(one: Look, other: Look) -> Likeness:
    """Return how much two entities look like one. Symmetric; case and Unicode form do not count.

    Costs the comparison of at most 8 names of each.
    """
    against = _apart(one, other)
    if against is not None:
        return Likeness(0.0, (), against)
    alike = _names(one, other)
    if alike is None or alike.score == 0:
        return Likeness(0.0)
    score, reasons = alike.score, [*alike.reasons]
    for gain, reason in _more(one, other):
        score += (1 - score) * gain
        reasons.append(reason)
    if one.type and other.type and one.type != other.type:
        score -= 0.04
        reasons.append("types differ")
    return Likeness(round(max(score, 0.0), 4), tuple(reasons))


def _apart(one: Look, other: Look) -> str | None:
    if one.stated and other.stated and one.type and other.type and exclude_each_other(one.type, other.type):
        return "types exclude each other"
    if one.sense and other.sense and one.sense != other.sense:
        return "senses differ"
    person = one.person or other.person
    return veto(name_of(one.name, person), name_of(other.name, person), person=person)


def _names(one: Look, other: Look) -> Alike | None:
    person = one.person or other.person
    best: Alike | None = None
    for a in (one.name, *one.aliases)[:_NAMES]:
        for b in (other.name, *other.aliases)[:_NAMES]:
            left, right = name_of(a, person), name_of(b, person)
            if veto(left, right, person=person) is None:
                alike = compare(left, right, person=person)
                best = alike if best is None or (alike.score, alike.reasons) > (best.score, best.reasons) else best
    return best


def _more(one: Look, other: Look) -> list[tuple[float, str]]:
    """What else speaks for it: each the share of the way to certainty that it takes, with its reason."""
    found = []
    shared = len(set(one.neighbours) & set(other.neighbours))
    if shared:
        found.append((min(0.25 * shared, 0.5), f"{shared} shared neighbour{'s' if shared > 1 else ''}"))
    if one.description and other.description:
        from rapidfuzz import fuzz

        same = fuzz.token_set_ratio(fold(one.description), fold(other.description)) / 100
        if same >= 0.6:
            found.append((0.3 * same, "descriptions alike"))
    if one.vector is not None and other.vector is not None:
        near = float(one.vector @ other.vector)
        if near >= 0.8:
            found.append((0.5 * (near - 0.7), f"vectors {near:.2f}"))
    return found
