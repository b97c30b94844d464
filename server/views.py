"""Views: the instants and the least confidence through which knowledge is read, as a plain value with one spelling.

A view has three parts, each of which may be missing: what was true in the world at `valid`, as the store believed it at `known`, of
claims that are at least `min_confidence` sure. A global id carries its spelling (server/ids.py).
"""

from __future__ import annotations

import re
import struct
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

__all__ = ["View", "parse_view", "spelled", "view_of"]

_DIGITS = "0123456789abcdefghijklmnopqrstuv"
_FORM = re.compile("(?:w([0-9a-v]{12}))?(?:x([0-9a-v]{12}))?(?:y([0-9a-v]{13}))?", re.ASCII)
_FIRST = datetime.min.replace(tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LAST = (datetime.max.replace(tzinfo=UTC) - _FIRST) // _MICROSECOND


class View(NamedTuple):
    """A view that differs from the present one. Instants are in UTC; `min_confidence` is 0 where it hides nothing."""

    valid: datetime | None = None
    known: datetime | None = None
    min_confidence: float = 0.0


def view_of(valid: datetime | None, known: datetime | None, min_confidence: float = 0.0) -> View | None:
    """Return the view with these parts, or None where it is the present one."""
    if valid is None and known is None and not min_confidence:
        return None
    utc = [None if at is None else at.astimezone(UTC) for at in (valid, known)]
    return View(utc[0], utc[1], float(min_confidence))


@lru_cache(1024)
def spelled(view: View) -> str:
    """Return the text of a view: w and x with microseconds since the year 1 for its instants, y with the bits of its confidence."""
    valid, known, least = view
    text = "" if valid is None else f"w{_digits((valid - _FIRST) // _MICROSECOND, 12)}"
    text += "" if known is None else f"x{_digits((known - _FIRST) // _MICROSECOND, 12)}"
    return text + (f"y{_digits(int.from_bytes(struct.pack('>d', least)), 13)}" if least else "")


def parse_view(text: str) -> View | None:
    """Return the view that `spelled` spells so, or None where there is none."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    valid, known, bits = (None if digits is None else int(digits, 32) for digits in found.groups())
    if any(at is not None and at > _LAST for at in (valid, known)) or (bits is not None and bits >> 64):
        return None
    least = 0.0 if bits is None else struct.unpack(">d", bits.to_bytes(8))[0]
    if not 0 <= least <= 1:
        return None
    view = View(_instant(valid), _instant(known), least)
    return view if text and spelled(view) == text else None


def _instant(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else _FIRST + timedelta(microseconds=microseconds)


def _digits(number: int, places: int) -> str:
    return "".join(_DIGITS[number >> 5 * place & 31] for place in range(places - 1, -1, -1))
