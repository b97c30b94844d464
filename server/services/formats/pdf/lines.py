"""Lines of words: what stands on one base line, parted where the gap is wider than between words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import TypeVar

from server.services.formats.pdf.glyphs import RIGHT_TO_LEFT, Word

__all__ = ["BULLET", "Segment", "by_line", "is_mark", "segments", "spoken"]

_SAME_LINE = 0.35
_GAP = 0.7
_WIDE = 4.0
_SPACE = 0.15
BULLET = re.compile(r"[•●○◦▪■□‣⁃∙·❖➢➤✓✔►▸]|\*|o(?=\s)|[–—-](?=\s)")
_MARK = re.compile(r"(?:[•●○◦▪■□‣⁃∙·❖➢➤✓✔►▸*o–—-]|\d{1,3}[.)]|[a-z][.)])")


@dataclass(slots=True, eq=False)
class Segment:
    """Words of one line with no wide gap between them, left to right."""

    words: list[Word]
    x0: float
    x1: float
    base: float
    size: float
    rows: list[list[str]] | None = None
    """Of a table, which stands in the way of lines as one; it has no words, and begins at its base."""

    @classmethod
    def of(cls, words: list[Word]) -> Segment:
        """Return words as a segment; its size and base are those of its largest letters."""
        largest = max(words, key=lambda word: word.size)
        return cls(words, min(w.x0 for w in words), max(w.x1 for w in words), largest.base, largest.size)

    @property
    def top(self) -> float:
        """About where its capitals end."""
        return self.base - 0.8 * self.size

    @property
    def bottom(self) -> float:
        """About where its descenders end."""
        return self.base + 0.22 * self.size

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(word.bold for word in self.words)

    @property
    def text(self) -> str:
        """Its words in the order they are read."""
        return spoken(self.words)


_LEADING = re.compile(r"^([.,;:!?]+)(\w.*)$")
_Placed = TypeVar("_Placed", Word, Segment)


def by_line(items: Iterable[_Placed]) -> list[list[_Placed]]:
    """Return words or segments by the line they stand on, from top to bottom, each line from left to right."""
    lines: list[list[_Placed]] = []
    base = size = 0.0
    for item in sorted(items, key=lambda item: (item.base, item.x0)):
        if lines and item.base - base <= _SAME_LINE * max(size, item.size):
            lines[-1].append(item)
            size = max(size, item.size)
        else:
            lines.append([item])
            base, size = item.base, item.size
    for line in lines:
        line.sort(key=lambda item: item.x0)
    return lines


def segments(words: Iterable[Word]) -> list[Segment]:
    """Return the segments of a page, from top to bottom and left to right. A bullet or number stays with its item."""
    found = []
    for line in by_line(words):
        current = [line[0]]
        for word in line[1:]:
            gap = word.x0 - max(w.x1 for w in current[-3:])
            wide = _WIDE if len(current) == 1 and is_mark(current[0]) else _GAP
            if gap > wide * max(word.size, current[-1].size):
                found.append(Segment.of(current))
                current = []
            current.append(word)
        found.append(Segment.of(current))
    return found


def is_mark(word: Word) -> bool:
    """Whether a word is a bullet or the number of an item."""
    return _MARK.fullmatch(word.text) is not None


def spoken(words: list[Word]) -> str:
    """Return words of one line, given from left to right, in the order they are read."""
    if len(words) >= 4 and all(len(word.text) == 1 and word.text.isalpha() for word in words):
        return _letterspaced(words)
    right = sum(1 for word in words if RIGHT_TO_LEFT.search(word.text))
    if right and 2 * right >= len(words):
        words = _from_the_right(words)
    pieces = [words[0].text]
    for before, word in pairwise(words):
        gap = max(word.x0 - before.x1, before.x0 - word.x1)
        pieces.append(word.text if gap < _SPACE * max(before.size, word.size) else " " + word.text)
    return "".join(pieces)


def _from_the_right(words: list[Word]) -> list[Word]:
    """Right to left, but for runs of words that read from the left."""
    ordered: list[Word] = []
    run: list[Word] = []
    for word in reversed(words):
        if RIGHT_TO_LEFT.search(word.text) or not any(map(str.isalnum, word.text)):
            ordered += [*reversed(run), word]
            run = []
        else:
            run.append(replace(word, text=_LEADING.sub(r"\2\1", word.text)))
    return [*ordered, *reversed(run)]


def _letterspaced(words: list[Word]) -> str:
    """Letters set apart, as in "S K I L L S", are one word; a gap much wider than the others parts two."""
    gaps = [word.x0 - before.x1 for before, word in pairwise(words)]
    usual = median(gaps)
    text = words[0].text
    for gap, word in zip(gaps, words[1:], strict=True):
        text += " " + word.text if gap > 1.6 * usual + 0.1 * word.size else word.text
    return text
