"""The reading order of a page: columns one after the other, what reaches across them in its place, tables whole.

A recursive cut: the gutter that keeps the most lines apart splits a region where nothing crosses it; what crosses stays between.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from server.services.formats.pdf.aligned import Aligned, aligned_table
from server.services.formats.pdf.lines import Segment, by_line
from server.services.formats.pdf.rules import Rule

__all__ = ["Region", "between_rules", "regions"]

_DEEPEST = 12
_CANDIDATES = 24
_LEAST_LINES = 5
_LEAST_SIDE = 2
_GUTTER = 0.8
_FLOWING = 2.6
_SAME_EDGE = 4.0
_FEW = 3
_SHORT = 4
_GAP = 1.5

_NUMBERED = re.compile(r"(?:\d{1,3}|[A-Za-z])?(?:\.\d{1,3})*[.)]?|\W+")
"""What numbers the line at its right, and is no column of its own."""

_Line = list[Segment]


@dataclass(slots=True)
class Region:
    """A column of lines, or the rows of a table."""

    lines: list[_Line]
    rows: list[list[str]] | None = None
    base: float = 0.0
    """Of the first row of a table."""


def regions(segments: list[Segment], depth: int = 0) -> Iterator[Region]:
    """Yield the regions of a page in the order they are read."""
    lines = by_line(segments)
    x = _gutter(lines) if depth < _DEEPEST else None
    if x is None:
        yield from _whole(lines)
        return
    for parted, bands in groupby(_bands(lines, x), key=lambda band: _parted(band, x)):
        if parted:
            for band in bands:
                yield from _split(band, x, depth)
        else:
            rest = [line for band in bands for line in band]
            yield from (
                regions([s for line in rest for s in line], depth + 1) if len(rest) < len(lines) else _whole(rest)
            )


def _whole(lines: list[_Line]) -> Iterator[Region]:
    """Lines that are read one after the other, with the tables between them."""
    text: list[_Line] = []
    for line in lines:
        table = next((s for s in line if s.rows is not None), None)
        rest = [s for s in line if s.rows is None]
        if rest:
            text.append(rest)
        if table is not None:
            if text:
                yield Region(text)
            text = []
            yield Region([], table.rows, table.base)
    if text:
        yield Region(text)


def _tables_in(band: list[_Line]) -> Iterator[tuple[list[_Line], Aligned | None]]:
    """A band in stretches: those that are tables, and what is between them."""
    other: list[_Line] = []
    for stretch in _stretches(band):
        first = next((at for at, line in enumerate(stretch) if len(line) > 1), 0)
        last = _last_row(stretch)
        table = aligned_table(stretch[first : last + 1]) if first < last else None
        if table is None:
            other += stretch
            continue
        other += stretch[:first]
        if other:
            yield other, None
        yield stretch[first : last + 1], table
        other = stretch[last + 1 :]
    if other:
        yield other, None


def _last_row(stretch: list[_Line]) -> int:
    """The last line with several segments, or one that hangs on it more closely than the rows stand."""
    last = next((at for at in range(len(stretch) - 1, -1, -1) if len(stretch[at]) > 1), 0)
    rows = [below[0].base - line[0].base for line, below in pairwise(stretch[: last + 1]) if len(below) > 1]
    while last + 1 < len(stretch) and rows and stretch[last + 1][0].base - stretch[last][0].base < 0.8 * median(rows):
        last += 1
    return last


def _stretches(band: list[_Line]) -> Iterator[list[_Line]]:
    """A band, cut where a gap goes through all columns, and below a heading."""
    steps = [below[0].base - line[0].base for line, below in pairwise(band)]
    usual = median(steps) if steps else 0
    start = 0
    for at, step in enumerate(steps):
        sizes = [max(s.size for s in line) for line in band[at : at + 2]]
        if step > _GAP * usual or sizes[0] > 1.15 * sizes[1] or sizes[1] > 1.15 * sizes[0]:
            yield band[start : at + 1]
            start = at + 1
    yield band[start:]


def _split(band: list[_Line], x: float, depth: int) -> Iterator[Region]:
    for stretch, table in _tables_in(band):
        if table is None:
            if _parted(stretch, x, tables=False):
                for side in _sides(stretch, x):
                    yield from regions(side, depth + 1)
            else:
                yield from regions([s for line in stretch for s in line], depth + 1)
        elif table.headed:
            yield Region([], table.rows, stretch[0][0].base)
        else:
            yield from _whole(stretch)


def _gutter(lines: list[_Line]) -> float | None:
    """The x that parts the tallest stretch of lines into two columns."""
    if len(lines) < 3:
        return None
    best, tallest = None, 0.0
    for x in _candidates(lines):
        bands = [band for band in _bands(lines, x) if _parted(band, x)]
        tall = sum(max(s.base for s in band[-1]) - min(s.top for s in band[0]) for band in bands)
        if tall > tallest * 1.01:
            best, tallest = x, tall
    return best


def _candidates(lines: list[_Line]) -> list[float]:
    found: Counter[int] = Counter()
    for line in lines:
        found.update(round(segment.x0 / 2) for segment in line)
        found.update(round((one.x1 + other.x0) / 4) for one, other in pairwise(line))
    left = min(segment.x0 for line in lines for segment in line)
    usual = sorted(found.most_common(_CANDIDATES))
    return [2 * place - 1.5 for place, _ in usual if 2 * place - 1.5 > left]


def _bands(lines: list[_Line], x: float) -> Iterator[list[_Line]]:
    """The lines in stretches that something crosses at x, and that nothing does."""
    for _, band in groupby(lines, key=lambda line: _crosses(line, x)):
        yield list(band)


def _crosses(line: _Line, x: float) -> bool:
    for segment in line:  # noqa: SIM110, the innermost loop of all
        if segment.x0 < x - 0.5 and segment.x1 > x + 0.5:
            return True
    return False


def _parted(band: list[_Line], x: float, *, tables: bool = True) -> bool:
    """Whether a stretch of lines is two columns beside each other; a table counts as such, if `tables`."""
    if _crosses(band[0], x):
        return False
    left, right = _sides(band, x)
    if len(left) < _LEAST_SIDE or len(right) < _LEAST_SIDE or len(left) + len(right) < _LEAST_LINES:
        return False
    if all(len(s.words) == 1 and _NUMBERED.fullmatch(s.words[0].text) for s in left):
        return False
    size = median(s.size for s in (*left, *right))
    wide = min(s.x0 for s in right) - max(s.x1 for s in left)
    if wide < _GUTTER * size:
        return False
    if _flow(left) and _flow(right) and not _are_rows(left, right):
        return True
    return tables and any(table for _, table in _tables_in(band))


def _sides(band: list[_Line], x: float) -> tuple[list[Segment], list[Segment]]:
    left = [s for line in band for s in line if (s.x0 + s.x1) / 2 < x]
    right = [s for line in band for s in line if (s.x0 + s.x1) / 2 >= x]
    return left, right


def _flow(side: list[Segment]) -> bool:
    """Whether lines follow each other closely, unlike the dates at the right of a list of posts."""
    bases = sorted({round(s.base) for s in side})
    if any(s.rows for s in side):
        return True
    steps = [low - high for high, low in pairwise(bases)]
    return bool(steps) and median(steps) <= _FLOWING * median(s.size for s in side)


def _are_rows(left: list[Segment], right: list[Segment]) -> bool:
    """Whether what is at the right belongs to lines at the left, each on its own, as dates do to posts."""
    bases = {round(s.base) for s in left}
    own = {round(s.base) for s in right}
    if len(own & bases) < 0.9 * len(own) or median(len(s.words) for s in right) > _SHORT:
        return False
    beside = sum(1 for base in bases if min(own) <= base <= max(own))
    begin, end = [s.x0 for s in right], [s.x1 for s in right]
    flush = max(end) - min(end) < 2 and max(begin) - min(begin) > right[0].size
    return flush or len(own) <= _FEW or len(own) < 0.85 * beside


def between_rules(segments: list[Segment], rules: list[Rule]) -> list[Segment]:
    """Return the segments with those that level rules mark as a table made into one."""
    level = sorted(
        (r for r in rules if r.level), key=lambda r: (round(r.low / _SAME_EDGE), round(r.high / _SAME_EDGE), r.at)
    )
    for _, same in groupby(level, key=lambda r: (round(r.low / _SAME_EDGE), round(r.high / _SAME_EDGE))):
        group = list(same)[:40]
        at = 0
        while at < len(group) - 1:
            at, segments = _table_below(group, at, segments)
    return segments


def _table_below(group: list[Rule], at: int, segments: list[Segment]) -> tuple[int, list[Segment]]:
    """The largest table from one rule to a later one; and where to look on."""
    top = group[at]
    for bottom in reversed(group[at + 1 :]):
        inside = [
            s
            for s in segments
            if s.rows is None and top.at < s.base < bottom.at and top.low - 5 < (s.x0 + s.x1) / 2 < top.high + 5
        ]
        lines = by_line(inside)
        while lines and len(lines[-1]) == 1 and lines[-1][0].bold:  # a heading with a rule below it
            del lines[-1]
        found = aligned_table(lines, between_rules=True) if len(lines) > 1 else None
        if found and found.headed:
            taken = {id(s) for line in lines for s in line}
            size = median(s.size for line in lines for s in line)
            table = Segment([], top.low, top.high, top.at + size, size, found.rows)
            return group.index(bottom), [*(s for s in segments if id(s) not in taken), table]
    return at + 1, segments
