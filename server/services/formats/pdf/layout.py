"""The reading order of a page: columns one after the other, what reaches across them in its place, tables whole.

A recursive cut: the gutter that keeps the most lines apart splits a region where nothing crosses it; what crosses stays between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from server.services.formats.pdf.aligned import aligned_table
from server.services.formats.pdf.lines import Segment, by_line
from server.services.formats.pdf.rules import Rule

__all__ = ["Region", "between_rules", "regions"]

_DEEPEST = 12
_CANDIDATES = 60
_LEAST_LINES = 5
_LEAST_SIDE = 2
_GUTTER = 0.8
_FLOWING = 2.6
_SAME_EDGE = 4.0

_Line = list[Segment]


@dataclass(slots=True)
class Region:
    """A column of lines, or the rows of a table."""

    lines: list[_Line]
    rows: list[list[str]] | None = None


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
            yield Region([], table.rows)
    if text:
        yield Region(text)


def _split(band: list[_Line], x: float, depth: int) -> Iterator[Region]:
    first = next(at for at, line in enumerate(band) if len(line) > 1 or at == len(band) - 1)
    last = next(at for at in range(len(band) - 1, -1, -1) if len(band[at]) > 1 or at == 0)
    rows = aligned_table(band[first : last + 1]) if first < last else None
    if rows:
        yield from _whole(band[:first])
        yield Region([], rows)
        yield from _whole(band[last + 1 :])
        return
    for side in _sides(band, x):
        yield from regions(side, depth + 1)


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
    for _, band in groupby(lines, key=lambda line: any(s.x0 < x - 0.5 and s.x1 > x + 0.5 for s in line)):
        yield list(band)


def _parted(band: list[_Line], x: float) -> bool:
    """Whether a stretch of lines is two columns beside each other."""
    if any(s.x0 < x - 0.5 and s.x1 > x + 0.5 for s in band[0]):
        return False
    left, right = _sides(band, x)
    if len(left) < _LEAST_SIDE or len(right) < _LEAST_SIDE or len(left) + len(right) < _LEAST_LINES:
        return False
    size = median(s.size for s in (*left, *right))
    wide = min(s.x0 for s in right) - max(s.x1 for s in left)
    return wide >= _GUTTER * size and _flow(left) and _flow(right)


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
        rows = aligned_table(lines, between_rules=True) if len(lines) > 1 else None
        if rows:
            taken = set(map(id, inside))
            size = median(s.size for s in inside)
            table = Segment([], top.low, top.high, top.at + size, size, rows)
            return group.index(bottom), [*(s for s in segments if id(s) not in taken), table]
    return at + 1, segments
