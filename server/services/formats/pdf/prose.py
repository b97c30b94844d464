"""From lines to Markdown blocks: paragraphs, headings by their type, list items; and words that a line end parted, whole again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from server.services.formats.pdf.layout import Region
from server.services.formats.pdf.lines import BULLET, Segment, spoken
from server.services.formats.rendering import escaped
from server.services.formats.tables import pipe_table

__all__ = ["Type", "joined", "markdown"]

_LARGER = 1.12
_HEADING_LEVELS = 4
_LONGEST_HEADING = 200
_LONGEST_BOLD = 90
_APART = 1.4
_INDENT = 0.8
_NUMBER = re.compile(r"(?:\d{1,3}|[a-z])[.)]\s")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ENDS = re.compile(r"[.!?:;…][\"'”’»)\]]*$")
_BROKEN = re.compile(r"(?<=[^\W\d_])-$")


@dataclass(slots=True)
class _Line:
    text: str
    x0: float
    x1: float
    base: float
    size: float
    bold: bool
    first: float
    """The width of its first word: what would have had to fit into the line before."""
    parted: bool
    """Whether it has wide gaps, as a post and its dates."""

    @classmethod
    def of(cls, line: list[Segment]) -> _Line:
        words = [word for segment in line for word in segment.words]
        largest = max(words, key=lambda word: word.size)
        text = " ".join(s.text for s in line) if len(line) > 1 else spoken(words)
        bold = all(word.bold for word in words if any(map(str.isalnum, word.text)))
        x1 = max(word.x1 for word in words)
        return cls(text, words[0].x0, x1, largest.base, largest.size, bold, words[0].x1 - words[0].x0, len(line) > 1)


@dataclass(slots=True)
class _Block:
    text: str
    kind: str
    """"text", "item", "table", or "#" once for each level of a heading."""
    last: bool = False
    first: bool = False


class Type:
    """What the type of a document says: the size of its body, those of its headings, and the words it uses."""

    def __init__(self, regions: Iterable[Region]) -> None:
        sizes: Counter[float] = Counter()
        bold = letters = 0
        self.words: Counter[str] = Counter()
        for region in regions:
            for line in region.lines:
                for segment in line:
                    self.words.update(word.lower() for word in _WORD.findall(segment.text))
                    for word in segment.words:
                        sizes[_rounded(word.size)] += len(word.text)
                        bold += len(word.text) * word.bold
                        letters += len(word.text)
        self.body = sizes.most_common(1)[0][0] if sizes else 0.0
        self._larger = sorted((size for size in sizes if size >= _LARGER * self.body), reverse=True)
        self.bold_stands_out = bold < 0.4 * letters

    def level(self, size: float) -> int:
        """The level of a heading by its size, 1 for the largest; 0 for the size of the body or less."""
        found = _rounded(size)
        return min(self._larger.index(found) + 1, _HEADING_LEVELS) if found in self._larger else 0

    @property
    def least_level(self) -> int:
        """The level of headings that are no larger than the body."""
        return min(len(self._larger), _HEADING_LEVELS) + 1


def _rounded(size: float) -> float:
    return round(2 * size) / 2


def markdown(pages: list[list[Region]], type: Type) -> str:
    """Return the regions of pages, in reading order, as Markdown. Paragraphs that a page or column parts are joined."""
    blocks: list[_Block] = []
    for region in (region for page in pages for region in page):
        if region.rows is not None:
            blocks += [_Block(table, "table") for table in pipe_table(region.rows)]
            continue
        found = list(_blocks([_Line.of(line) for line in region.lines], type))
        found[0].first = found[-1].last = True
        if blocks and _goes_on(blocks[-1], found[0]):
            blocks[-1].text = joined(blocks[-1].text, found[0].text, type.words)
            blocks[-1].last = found[0].last and len(found) == 1
            del found[0]
        blocks += found
    return "".join(_written(blocks))


def _goes_on(one: _Block, other: _Block) -> bool:
    if not (one.last and other.first and one.kind in ("text", "item") and other.kind == "text"):
        return False
    return not _ENDS.search(one.text) and (other.text[:1].islower() or _BROKEN.search(one.text) is not None)


def _written(blocks: list[_Block]) -> Iterator[str]:
    before = ""
    for block in blocks:
        if before:
            yield "\n" if before == block.kind == "item" else "\n\n"
        if block.kind == "item":
            yield block.text
        else:
            yield (
                f"{block.kind} {block.text}"
                if block.kind[0] == "#"
                else block.text
                if block.kind == "table"
                else escaped(block.text)
            )
        before = block.kind
    yield "\n"


def _blocks(lines: list[_Line], type: Type) -> Iterator[_Block]:
    edge = max(line.x1 for line in lines)
    steps = [b.base - a.base for a, b in pairwise(lines) if b.base > a.base]
    usual = min(median(steps), 1.6 * median(line.size for line in lines)) if steps else 0.0
    listed = median(len(line.text.split()) for line in lines) <= 4
    group: list[_Line] = []
    for line in lines:
        if group and _parts(group, line, edge, usual, listed):
            yield _block(group, type)
            group = []
        group.append(line)
    yield _block(group, type)


def _parts(group: list[_Line], line: _Line, edge: float, usual: float, listed: bool) -> bool:
    """Whether a line begins a block of its own, rather than going on with those before."""
    before, first = group[-1], group[0]
    if _is_item(line.text) or line.parted or before.parted or line.bold != before.bold:
        return True
    if (
        abs(line.size - before.size) > 0.1 * before.size
        or line.base - before.base > _APART * usual
        or line.base <= before.base
    ):
        return True
    if _is_item(first.text):
        return line.x0 < first.x0 + 0.3 * line.size and before.x1 + line.first < edge
    if line.x0 > before.x0 + _INDENT * line.size and len(group) > 1:
        return True
    fits = before.x1 + 0.3 * line.size + line.first < edge
    ends = listed and not line.text[:1].islower() and not before.text.endswith((",", "-", "–"))
    return (fits or ends) and not _BROKEN.search(before.text) and line.size == before.size


def _is_item(text: str) -> bool:
    return BULLET.match(text) is not None or _NUMBER.match(text) is not None


def _block(lines: list[_Line], type: Type) -> _Block:
    text = lines[0].text
    for line in lines[1:]:
        text = joined(text, line.text, type.words)
    bullet = BULLET.match(text)
    if bullet and text[bullet.end() :].strip():
        return _Block("- " + text[bullet.end() :].strip(), "item")
    level = _heading(text, lines, type)
    if level:
        return _Block(text, "#" * level)
    return _Block(text, "item" if _NUMBER.match(text) else "text")


def _heading(text: str, lines: list[_Line], type: Type) -> int:
    letters = sum(map(str.isalpha, text))
    if letters < 2 or len(text) > _LONGEST_HEADING or len(lines) > 3:
        return 0
    level = type.level(lines[0].size)
    if (
        level
        or len(lines) > 1
        or len(text) > _LONGEST_BOLD
        or lines[0].parted
        or text.endswith((".", ",", ";", "!", "?"))
    ):
        return level
    capitals = text.isupper() and letters >= 4 and len(text.split()) <= 6 and not any(map(str.isdigit, text))
    return type.least_level if (lines[0].bold and type.bold_stands_out) or capitals else 0


def joined(one: str, other: str, words: Counter[str]) -> str:
    """Return a line with the next; a word that a hyphen parts is whole again, unless it is written with one elsewhere."""
    if not _BROKEN.search(one):
        return f"{one} {other}"
    if not other[:1].islower():
        return one + other
    head = one[:-1]
    before, after = _WORD.findall(head)[-1:], _WORD.match(other)
    if before and after and words[f"{before[0]}-{after[0]}".lower()] > words[f"{before[0]}{after[0]}".lower()]:
        return one + other
    return head + other
