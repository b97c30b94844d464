"""What stands on page after page without belonging to the text: running heads and feet, and page numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from server.services.formats.pdf.glyphs import Word
from server.services.formats.pdf.lines import by_line, spoken
from server.services.formats.pdf.rules import Rule

__all__ = ["Page", "without_repetition"]

_EDGE = 0.12
_OUTERMOST = 3
_REPEATED = 3
_COUNTED = re.compile(r"\W*(?:page|seite|página|pagina)\s*#\s*(?:(?:/|of|von|de|di|sur)\s*#)?\W*")
_NUMBER = re.compile(
    r"\W*(?:page|seite|página|pagina|p\.|s\.)?\s*(?:\d{1,4}|[ivxl]{1,6})\s*(?:(?:/|of|von|de|di|sur|\|)\s*\d{1,4})?\W*",
    re.I,
)


class _Key(NamedTuple):
    """What lines at the edges of pages share: their place, size of type (a title is no head), and words but for figures."""

    edge: str
    place: int
    size: int
    words: str


@dataclass(slots=True)
class Page:
    """The words of a page, those turned otherwise than most, its rules and its height."""

    words: list[Word]
    turned: list[list[Word]]
    rules: list[Rule]
    height: float
    pictures: bool = False


def without_repetition(pages: list[Page]) -> Iterator[Page]:
    """Yield pages without what is at the edge of at least three of them, figures aside, and without page numbers.

    Of two pages that share a head or foot, the first keeps it; a page that has nothing else keeps all.
    """
    edges = [list(_edge_lines(page)) for page in pages]
    counts = Counter(key for lines in edges for key in {key for key, _ in lines})
    seen: set[_Key] = set()
    for page, lines in zip(pages, edges, strict=True):
        gone: set[int] = set()
        for key, words in lines:
            number = _COUNTED.fullmatch(key.words) or (
                len(pages) > 1 and _NUMBER.fullmatch(key.words.replace("#", "1"))
            )
            if number or counts[key] >= _REPEATED or (len(pages) == 2 and key in seen):
                gone.update(map(id, words))
        seen |= {key for key, _ in lines}
        kept = [word for word in page.words if id(word) not in gone]
        yield replace(page, words=kept) if kept else page


def _edge_lines(page: Page) -> Iterator[tuple[_Key, list[Word]]]:
    """The outermost lines near the upper and the lower edge, each with what it shares with those of other pages."""
    low, high = _EDGE * page.height, (1 - _EDGE) * page.height
    for edge, near in (("^", [w for w in page.words if w.base < low]), ("$", [w for w in page.words if w.base > high])):
        lines = by_line(near)
        for line in lines[:_OUTERMOST] if edge == "^" else lines[-_OUTERMOST:]:
            size = max(word.size for word in line)
            yield _Key(edge, round(line[0].base / 4), round(size), re.sub(r"\d+", "#", spoken(line)).casefold()), line
