"""From lines to Markdown blocks: paragraphs, headings by their type, list items; and words that a line end parted, whole again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from server.services.formats.pdf.glyphs import RIGHT_TO_LEFT, Word
from server.services.formats.pdf.layout import Region
from server.services.formats.pdf.lines import BULLET, Segment, is_mark, spoken
from server.services.formats.rendering import escaped
from server.services.formats.tables import markdown_table

__all__ = ["Type", "joined", "markdown"]

_LARGER = 1.12
_MOST_HEADINGS = 0.25
_HEADING_LEVELS = 4
_LONGEST_HEADING = 200
_LONGEST_BOLD = 90
_APART = 1.4
_AHEAD = 1.15
_WIDE = 1.2
_WIDER = 2.5
_INDENT = 0.8
_NUMBER = re.compile(r"(?:\d{1,3}|[a-z])[.)]\s")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ENDS = re.compile(r"[.!?:;…][\"'”’»)\]]*$")
_LEADER = re.compile(r"\s*(?:\.\s?){5,}\s*|\s*…{2,}\s*|\s*_{5,}\s*")
_PAGE = re.compile(r"(?:(?:\.\s?){5,}|…{2,}|_{5,})\s*(\d{1,4})$")
_UNSPACED = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff9f]")
_BROKEN = re.compile(r"(?<=[^\W_])-$")


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
    mirrored: bool
    """Whether it reads from the right; x counts from there then."""

    @classmethod
    def of(cls, line: list[Segment]) -> _Line:
        words = [word for segment in line for word in segment.words]
        largest = max(words[1:] if is_mark(words[0]) and len(words) > 1 else words, key=lambda word: word.size)
        text = " ".join(s.text for s in line) if len(line) > 1 else spoken(words)
        bold = all(word.bold for word in words if any(map(str.isalnum, word.text)))
        parted = len(line) > 1 and _has_a_wide_gap(words)
        x0, x1, mirrored = words[0].x0, max(word.x1 for word in words), RIGHT_TO_LEFT.match(text) is not None
        first = words[-1 if mirrored else 0]
        if mirrored:
            x0, x1 = -x1, -x0
        return cls(text, x0, x1, largest.base, largest.size, bold, first.x1 - first.x0, parted, mirrored)


def _has_a_wide_gap(words: list[Word]) -> bool:
    """Whether one gap is much wider than the others, which justified lines do not have; that after a bullet does not count."""
    gaps = sorted(b.x0 - a.x1 for a, b in pairwise(words[1:] if is_mark(words[0]) else words))
    return len(gaps) > 0 and gaps[-1] > max(_WIDE * words[-1].size, _WIDER * median(gaps[:-1] or [0]))


@dataclass(slots=True)
class _Block:
    text: str
    kind: str
    """"text", "item", "table", or "#" once for each level of a heading."""
    first: bool = False
    """Whether it begins a column."""
    last: bool = False
    full: bool = False
    """Whether it ends one, and does so with a full line."""


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
        headings = (size for size in sizes if size >= _LARGER * self.body and sizes[size] < _MOST_HEADINGS * letters)
        self._larger = sorted(headings, reverse=True)
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
    for region in _with_whole_tables(pages):
        if region.rows is not None:
            blocks.append(_Block(markdown_table(region.rows), "table"))
            continue
        lines = _without_contents([_Line.of(line) for line in region.lines])
        if not lines:
            continue
        found = list(_blocks(lines, type))
        found[0].first = found[-1].last = True
        if blocks and _goes_on(blocks[-1], found[0]):
            blocks[-1].text = joined(blocks[-1].text, found[0].text, type.words)
            blocks[-1].last, blocks[-1].full = found[0].last, found[0].full
            del found[0]
        blocks += found
    return "".join(_written(blocks))


def _without_contents(lines: list[_Line]) -> list[_Line]:
    """The lines but those of a table of contents: three and more that lead by dots to pages in their order."""
    kept: list[_Line] = []
    for leads, group in groupby(lines, key=lambda line: _PAGE.search(line.text) is not None):
        some = list(group)
        pages = [int(found[1]) for line in some if (found := _PAGE.search(line.text))]
        if not (leads and len(some) >= 3 and pages == sorted(pages)):
            kept += some
    for line in kept:
        if _LEADER.search(line.text):
            line.text, line.parted = _LEADER.sub(": ", line.text), True
    return kept


def _with_whole_tables(pages: list[list[Region]]) -> Iterator[Region]:
    """The regions of all pages; a table that goes on at the top of the next column or page is one, its head said once."""
    table: Region | None = None
    for page in pages:
        above = float("inf")
        for region in page:
            if (
                table
                and table.rows
                and region.rows
                and len(region.rows[0]) == len(table.rows[0])
                and region.base < above
            ):
                table.rows += region.rows[region.rows[0] == table.rows[0] :]
                above = region.base
                continue
            if table:
                yield table
            table, above = (region, region.base) if region.rows else (None, above)
            if not table:
                yield region
    if table:
        yield table


def _goes_on(one: _Block, other: _Block) -> bool:
    if not (one.last and other.first and one.kind in ("text", "item") and other.kind == "text"):
        return False
    if _ENDS.search(one.text):
        return False
    return (
        other.text[:1].islower() or _BROKEN.search(one.text) is not None or (one.full and len(one.text) > _LONGEST_BOLD)
    )


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
    edges = _edges(lines)
    steps = [b.base - a.base for a, b in pairwise(lines) if b.base > a.base]
    usual = min(median(steps), 1.6 * median(line.size for line in lines)) if steps else 0.0
    listed = median(len(line.text.split()) for line in lines) <= 4
    group: list[_Line] = []
    apart = True  # whether there is room above the block
    for line in lines:
        if group and _parts(group, line, edges[id(group[-1])], usual, listed):
            yield _block(group, type, line.base - group[-1].base >= usual and apart)
            apart = line.base - group[-1].base > _AHEAD * usual
            group = []
        group.append(line)
    ending = _block(group, type, False)
    ending.full = group[-1].x1 > edges[id(group[-1])] - 2 * group[-1].size
    yield ending


def _edges(lines: list[_Line]) -> dict[int, float]:
    """How far each line could have reached: as far as those that begin where it does, if these are full lines, or else any."""
    reach: dict[tuple[bool, int], list[float]] = {}
    for line in lines:
        reach.setdefault((line.mirrored, round(line.x0 / 2)), []).append(line.x1)
    furthest = {
        mirrored: max((e for key, ends in reach.items() if key[0] == mirrored for e in ends), default=0.0)
        for mirrored in (True, False)
    }
    found = {}
    for line in lines:
        ends = reach[line.mirrored, round(line.x0 / 2)]
        wide, widest = max(ends) - line.x0, furthest[line.mirrored] - line.x0
        full = sum(1 for end in ends if end - line.x0 > 0.85 * wide)
        own = full >= max(3, 0.5 * len(ends)) and wide > 0.6 * widest
        found[id(line)] = max(ends) if own else furthest[line.mirrored]
    return found


def _parts(group: list[_Line], line: _Line, edge: float, usual: float, listed: bool) -> bool:
    """Whether a line begins a block of its own, rather than going on with those before."""
    before, first = group[-1], group[0]
    if (
        _is_item(line.text)
        or line.parted
        or before.parted
        or line.bold != before.bold
        or line.mirrored != before.mirrored
    ):
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


def _block(lines: list[_Line], type: Type, apart: bool) -> _Block:
    text = lines[0].text
    for line in lines[1:]:
        text = joined(text, line.text, type.words)
    bullet = BULLET.match(text)
    if bullet and text[bullet.end() :].strip():
        return _Block("- " + text[bullet.end() :].strip(), "item")
    level = _heading(text, lines, type, apart)
    if level:
        return _Block(text, "#" * level)
    return _Block(text, "item" if _NUMBER.match(text) else "text")


def _heading(text: str, lines: list[_Line], type: Type, apart: bool) -> int:
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
    capitals = apart and text.isupper() and letters >= 4 and len(text.split()) <= 6 and not any(map(str.isdigit, text))
    return type.least_level if (lines[0].bold and type.bold_stands_out) or capitals else 0


def joined(one: str, other: str, words: Counter[str]) -> str:
    """Return a line with the next; a word that a hyphen parts is whole again, unless it is written with one elsewhere."""
    if not _BROKEN.search(one):
        return one + other if _UNSPACED.match(one[-1:]) and _UNSPACED.match(other) else f"{one} {other}"
    if not (other[:1].islower() and one[-2:-1].isalpha()):
        return one + other
    head = one[:-1]
    before, after = _WORD.findall(head)[-1:], _WORD.match(other)
    if before and after and words[f"{before[0]}-{after[0]}".lower()] > words[f"{before[0]}{after[0]}".lower()]:
        return one + other
    return head + other
