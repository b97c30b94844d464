"""Bonds: names that small words hold together: "Lashkar-e-Taiba" is one, and "bin" is part of the name behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spacy.tokens import Doc

from server.services.extraction.names import Name

_SONS = frozenset({"bin", "ibn", "bint"})
_LONGEST = 3


def bound(doc: Doc, names: Sequence[Name]) -> list[Name]:
    """Return the names in order, each with what is bound to it."""
    found: list[Name] = []
    for name in names:
        if found and _are_hyphened(doc, found[-1], name):
            found[-1] = _from_to(doc, found[-1], name.last, "organization")
        elif name.first and doc[name.first - 1].text in _SONS:
            found.append(_from_to(doc, replace(name, first=name.first - 1), name.last, "person"))
        else:
            found.append(name)
    return found


def _are_hyphened(doc: Doc, before: Name, after: Name) -> bool:
    """Tell whether a short word with hyphens on both sides stands between: "Jaish-e-Mohammad"."""
    between = doc[before.last : after.first]
    if len(between) != _LONGEST or any(token.whitespace_ for token in (doc[before.last - 1], *between)):
        return False
    return between[0].text == between[2].text == "-" and between[1].text.islower() and len(between[1]) <= _LONGEST


def _from_to(doc: Doc, name: Name, last: int, kind: str) -> Name:
    start, end = doc[name.first].idx, doc[last - 1].idx + len(doc[last - 1])
    return replace(name, last=last, start=start, end=end, text=doc.text[start:end], type=kind)
