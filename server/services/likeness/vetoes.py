"""Vetoes: what keeps two names from being one thing, however alike they look. Nobody but a person may override one.

Digits, versions and codes, single-letter revisions, the signs of C++ and C#, generations (Jr., II), and types that
exclude each other where both are stated.
"""

from __future__ import annotations

from collections import Counter

from server.services.likeness.names import Name

__all__ = ["veto"]


def veto(one: Name, other: Name, *, person: bool = False) -> str | None:
    """Return why two names cannot be one thing's, or None. Symmetric. `person`: single letters are initials."""
    if one.bare and other.bare:
        return None
    if [code[1] for code in one.codes] != [code[1] for code in other.codes]:
        return "digits differ"
    if one.counted != other.counted:
        return "numbers differ"
    if one.signs != other.signs:
        return "signs differ"
    if one.squashed == other.squashed:
        return None
    if any(_codes_differ(a, b) for a, b in zip(one.codes, other.codes, strict=True)):
        return "codes differ"
    if one.generation and other.generation and one.generation != other.generation:
        return "generations differ"
    if not person and _romans(one, other) != _romans(other, one):
        return "numbers differ"
    return _letters(one, other, person=person)


def _codes_differ(one: tuple[str, str, str], other: tuple[str, str, str]) -> bool:
    before = one[0] and other[0] and one[0] != other[0]
    return bool(before) or one[2] != other[2]


def _romans(name: Name, other: Name) -> list[str]:
    """The Roman numerals behind the first word that are no word of the other name, which may have them elsewhere."""
    return sorted(roman for roman in name.romans if all(word.text != roman for word in other.words))


def _letters(one: Name, other: Name, *, person: bool) -> str | None:
    """Single letters tell apart where both names have their own, or one ends with its own; else they may be initials."""
    if not one.singles and not other.singles:
        return None
    if person:
        apart = one.singles and other.singles and _unmet(one, other) and _unmet(other, one)
        return "initials differ" if apart else None
    if _unmet(one, other) and _unmet(other, one):
        return "letters differ"
    last = {name.words[-1].text for name in (one, other) if len(name.words) > 1 and name.words[-1].initial}
    return "letters differ" if last & {*(_singles(one) - _singles(other)), *(_singles(other) - _singles(one))} else None


def _unmet(name: Name, other: Name) -> Counter[str]:
    """The single letters of a name that are neither those of the other nor the initials of its words."""
    if len(name.singles) == 1:
        (single,) = name.singles
        met = single in other.singles or any(word.text[0] == single for word in other.words if not word.initial)
        return Counter(() if met else name.singles)
    letters = _singles(name) - _singles(other)
    return letters - Counter(word.text[0] for word in other.words if not word.initial)


def _singles(name: Name) -> Counter[str]:
    return Counter(name.singles)
