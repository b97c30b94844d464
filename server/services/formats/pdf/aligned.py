"""Tables without rules: lines whose words stand in columns, and do not run on from line to line as prose does."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from server.services.formats.pdf.lines import BULLET, Segment

__all__ = ["Aligned", "aligned_table"]

_LEVEL = 0.15
_FULL = 0.6
_RAGGED = 1.35
_CLOSE = 0.5
_VALUE = re.compile(r"\d|[✓✔✗✘–—-]$")


class Aligned(NamedTuple):
    """The rows of a table, and whether its first row heads it."""

    rows: list[list[str]]
    headed: bool


def aligned_table(lines: list[list[Segment]], *, between_rules: bool = False) -> Aligned | None:
    """Return the table that lines make, or None where they make none.

    `between_rules`: level rules stand above and below, so that less is asked of what is between them.
    """
    columns = _columns(lines)
    if len(columns) < 2 or any(segment.rows is not None for line in lines for segment in line):
        return None
    if any(_column(segment, columns) is None for line in lines for segment in line):
        return None
    placed = [_placed(line, columns) for line in lines]
    several = [line for line in placed if len(line) > 1]
    if len(several) < _FULL * len(lines) or not _level(several):
        return None
    flowing = sum(1 for at in range(len(columns)) if _flows([line[at] for line in placed if at in line], columns[at]))
    if flowing > max(0, len(columns) - 2):
        return None
    if len(columns) == 2 and not between_rules and not _is_pairs(placed):
        return None
    rows = _rows(placed, len(columns))
    if _running_on(rows) > (0 if len(columns) == 2 else 1):
        return None
    if len(rows) < (2 if between_rules or len(columns) > 2 else 3):
        return None
    return Aligned(rows, len(columns) > 2 or _is_headed(placed, rows))


def _columns(lines: list[list[Segment]]) -> list[tuple[float, float]]:
    """The columns of the lines that have the usual number of segments; others may have cells over several columns."""
    counts = Counter(len(line) for line in lines if len(line) > 1)
    if not counts:
        return []
    usual = max(counts, key=lambda count: (counts[count], count))
    columns: list[tuple[float, float]] = []
    for segment in sorted((s for line in lines if len(line) == usual for s in line), key=lambda s: s.x0):
        if columns and segment.x0 < columns[-1][1] + _CLOSE * segment.size:
            columns[-1] = columns[-1][0], max(columns[-1][1], segment.x1)
        else:
            columns.append((segment.x0, segment.x1))
    return columns


def _placed(line: list[Segment], columns: list[tuple[float, float]]) -> dict[int, list[Segment]]:
    found: dict[int, list[Segment]] = {}
    for segment in line:
        found.setdefault(_column(segment, columns) or 0, []).append(segment)
    return found


def _column(segment: Segment, columns: list[tuple[float, float]]) -> int | None:
    """The first column that a segment reaches into, or nearly so."""
    near = segment.size
    return next(
        (at for at, (low, high) in enumerate(columns) if segment.x0 < high + near and segment.x1 > low - near), None
    )


def _level(lines: list[dict[int, list[Segment]]]) -> bool:
    """Whether the cells of nearly every line stand on one base line, in letters of about one size."""
    level = 0
    for line in lines:
        found = [segment for segments in line.values() for segment in segments]
        bases, sizes = [s.base for s in found], [s.size for s in found]
        level += max(bases) - min(bases) <= _LEVEL * max(sizes) and max(sizes) < 1.2 * min(sizes)
    return level >= 0.8 * len(lines)


def _flows(cells: list[list[Segment]], column: tuple[float, float]) -> bool:
    """Whether a column is prose: lines of several words that fill it."""
    found = [segment for segments in cells for segment in segments]
    wide = [s for s in found if s.x1 - s.x0 > 0.75 * (column[1] - column[0])]
    return len(found) >= 3 and median(len(s.words) for s in found) >= 5 and 2 * len(wide) >= len(found)


def _running_on(rows: list[list[str]]) -> int:
    """In how many columns a sentence goes on from one row to the next: columns of prose, whose lines stand side by side."""
    on = {
        column
        for above, below in pairwise(rows)
        for column, (one, other) in enumerate(zip(above, below, strict=True))
        if len(one.split()) > 2 and one[-1:].isalpha() and other[:1].islower()
    }
    return len(on)


def _is_pairs(lines: list[dict[int, list[Segment]]]) -> bool:
    """Whether two columns are names and their values, and not two lists side by side."""
    left = [s for line in lines for s in line.get(0, [])]
    right = [s for line in lines for s in line.get(1, [])]
    if any(BULLET.match(s.words[0].text) for s in (*left, *right)):
        return False
    if any(len(line) == 1 and all(s.bold for segments in line.values() for s in segments) for line in lines[1:]):
        return False
    values = sum(1 for s in right if _VALUE.search(s.text) or len(s.words) <= 2)
    return sum(len(s.words) for s in left) <= 6 * len(left) and values >= 0.6 * len(right)


def _is_headed(lines: list[dict[int, list[Segment]]], rows: list[list[str]]) -> bool:
    """Whether the first row names the columns: in bold type, or with a word above figures."""
    bold = [all(s.bold for segments in line.values() for s in segments) for line in lines]
    figures = sum(1 for row in rows[1:] if re.search(r"\d", row[-1]))
    return (bold[0] and not any(bold[1:])) or (not re.search(r"\d", rows[0][-1]) and figures >= 0.6 * (len(rows) - 1))


def _rows(lines: list[dict[int, list[Segment]]], width: int) -> list[list[str]]:
    bases = [max(s.base for segments in line.values() for s in segments) for line in lines]
    steps = [low - high for high, low in pairwise(bases)]
    ragged = bool(steps) and max(steps) > _RAGGED * min(steps) and any(len(line) < width for line in lines)
    middle = (min(steps) + max(steps)) / 2 if steps else 0
    rows: list[list[str]] = []
    for at, line in enumerate(lines):
        said = [" ".join(s.text for s in line.get(column, [])) for column in range(width)]
        wraps = bool(rows) and len(line) < width and (steps[at - 1] <= middle if ragged else 0 not in line)
        if wraps:
            rows[-1] = [" ".join(filter(None, both)) for both in zip(rows[-1], said, strict=True)]
        else:
            rows.append(said)
    return rows
