"""Rows: names with commas between them, which list places ("Oslo, Bergen, Denmark and Peru") or say where one lies ("Oslo, Norway, and")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from server.services.extraction import vocabulary
from server.services.extraction.names import Name

_ENDS_LIST = re.compile(r",? (?:and|or|&) (?:[a-z]+ly )?(?:the )?(?:[A-Z]|others?\b)")
_SHORTEST = 3


def is_list(text: str, names: Sequence[Name], index: int) -> bool:
    """Tell whether the name at `index` stands in a row of three or more that "and" ends, and not one of towns each with its region."""
    first, last = index, index + 1
    while first and _joins(text, names[first - 1], names[first]):
        first -= 1
    while last + 1 < len(names) and _joins(text, names[last], names[last + 1]):
        last += 1
    row = [name.text for name in names[first : last + 1]]
    after = text[names[last].end : names[last].end + 24]
    return len(row) >= _SHORTEST and _ENDS_LIST.match(after) is not None and not _is_paired(row)


def _joins(text: str, before: Name, after: Name) -> bool:
    return text[before.end : after.start] == ", "


def _is_paired(row: list[str]) -> bool:
    """Tell whether the row goes from a town to its region or on to what that lies in: "Xi'an, Shaanxi, China"."""
    wide = vocabulary.regions() | vocabulary.STATES
    towns = [name not in wide for name in row]
    return all(town != after for town, after in pairwise(towns)) or (towns[0] and not any(towns[1:]))


_UNIONS = frozenset({"United Kingdom", "UK", "Britain", "Great Britain", "Soviet Union", "Yugoslavia"})


def are_apart(one: str, other: str) -> bool:
    """Tell whether both are countries of which neither lies in the other, as Wales does in Britain."""
    return {one, other} <= vocabulary.countries() and other not in _UNIONS
