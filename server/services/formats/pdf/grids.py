"""Tables with rules: the words of a page by the cells that its lines draw.

A boundary without a line joins its cells; a cell that reaches over several rows stands in each of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from itertools import pairwise

from server.services.formats.pdf.glyphs import Word
from server.services.formats.pdf.lines import Segment, by_line, spoken
from server.services.formats.pdf.rules import Rule

__all__ = ["ruled_tables"]

_TOUCH = 3.0
_MOST_CELLS = 5_000
_PROSE = 40
"""Cells with more words than this on average are boxes around text, and no table."""


def ruled_tables(words: list[Word], rules: list[Rule]) -> tuple[list[Segment], list[Word]]:
    """Return the tables that rules draw, each as one segment, and the words outside of them."""
    tables = []
    for component in _components(rules):
        grid = _Grid(component)
        if not 2 <= grid.columns * grid.rows <= _MOST_CELLS:
            continue
        inside = [word for word in words if grid.holds(word)]
        rows = grid.filled(inside)
        if rows:
            size = Counter(round(word.size, 1) for word in inside).most_common(1)[0][0]
            tables.append(Segment([], grid.xs[0], grid.xs[-1], grid.ys[0] + size, size, rows))
            words = [word for word in words if not grid.holds(word)]
    return tables, words


def _components(rules: list[Rule]) -> list[list[Rule]]:
    """The rules by groups that touch, directly or through others; those without a level or an upright rule are left out."""
    group = list(range(len(rules)))

    def find(at: int) -> int:
        while group[at] != at:
            group[at] = group[group[at]]
            at = group[at]
        return at

    level = sorted((at for at, rule in enumerate(rules) if rule.level), key=lambda at: rules[at].at)
    heights = [rules[at].at for at in level]
    for at, rule in enumerate(rules):
        if rule.level:
            continue
        for other in level[bisect_right(heights, rule.low - _TOUCH) : bisect_right(heights, rule.high + _TOUCH)]:
            if rules[other].low - _TOUCH <= rule.at <= rules[other].high + _TOUCH:
                group[find(other)] = find(at)
    found: dict[int, list[Rule]] = {}
    for at, rule in enumerate(rules):
        found.setdefault(find(at), []).append(rule)
    return [some for some in found.values() if len({rule.level for rule in some}) == 2]


class _Grid:
    """The cells between the rules of one table."""

    def __init__(self, rules: list[Rule]) -> None:
        self._level = [rule for rule in rules if rule.level]
        self._upright = [rule for rule in rules if not rule.level]
        ends_x = [end for rule in self._level for end in (rule.low, rule.high)]
        ends_y = [end for rule in self._upright for end in (rule.low, rule.high)]
        self.xs = _places([rule.at for rule in self._upright] + [min(ends_x), max(ends_x)])
        self.ys = _places([rule.at for rule in self._level] + [min(ends_y), max(ends_y)])

    @property
    def columns(self) -> int:
        return len(self.xs) - 1

    @property
    def rows(self) -> int:
        return len(self.ys) - 1

    def holds(self, word: Word) -> bool:
        middle = (word.x0 + word.x1) / 2
        return self.xs[0] <= middle <= self.xs[-1] and self.ys[0] <= word.base - 0.3 * word.size <= self.ys[-1]

    def filled(self, words: list[Word]) -> list[list[str]] | None:
        """The rows with their words; None where this is no table."""
        cells: dict[tuple[int, int], list[Word]] = {}
        for word in words:
            row = bisect_right(self.ys, word.base - 0.3 * word.size) - 1
            column = bisect_right(self.xs, (word.x0 + word.x1) / 2) - 1
            home = self._home(min(row, self.rows - 1), min(column, self.columns - 1))
            cells.setdefault(home, []).append(word)
        if len(cells) < 2 or len(words) > _PROSE * len(cells):
            return None
        if self.rows <= 2 and self.columns >= 2:
            unruled = self._by_lines(cells)
            if unruled:
                return unruled
        rows = [
            [_said(cells, self._home(row, column), column) for column in range(self.columns)]
            for row in range(self.rows)
        ]
        rows = [row for row in rows if any(row)]
        kept = [at for at in range(self.columns) if any(row[at] for row in rows)]
        rows = [[row[at] for at in kept] for row in rows]
        return rows if len(kept) > 1 and rows else None

    def _home(self, row: int, column: int) -> tuple[int, int]:
        """The upper left cell of those that no rule parts from this one."""
        while column > 0 and not self._parts_columns(row, column):
            column -= 1
        while row > 0 and not self._parts_rows(row, column):
            row -= 1
        return row, column

    def _parts_columns(self, row: int, column: int) -> bool:
        middle = (self.ys[row] + self.ys[row + 1]) / 2
        return any(
            abs(rule.at - self.xs[column]) <= _TOUCH and rule.low <= middle <= rule.high for rule in self._upright
        )

    def _parts_rows(self, row: int, column: int) -> bool:
        middle = (self.xs[column] + self.xs[column + 1]) / 2
        return any(abs(rule.at - self.ys[row]) <= _TOUCH and rule.low <= middle <= rule.high for rule in self._level)

    def _by_lines(self, cells: dict[tuple[int, int], list[Word]]) -> list[list[str]] | None:
        """The rows of a table whose rules part its columns alone: the lines, where nearly all reach over two columns."""
        rows: list[list[str]] = []
        lines = by_line([word for words in cells.values() for word in words])
        for line in lines:
            row: list[list[Word]] = [[] for _ in range(self.columns)]
            for word in line:
                row[min(max(bisect_right(self.xs, (word.x0 + word.x1) / 2) - 1, 0), self.columns - 1)].append(word)
            rows.append([spoken(words) if words else "" for words in row])
        full = sum(1 for row in rows if sum(map(bool, row)) >= 2)
        return rows if len(rows) >= 3 and len(rows) > self.rows and full >= 0.8 * len(rows) else None


def _said(cells: dict[tuple[int, int], list[Word]], home: tuple[int, int], column: int) -> str:
    words = cells.get(home)
    return " ".join(spoken(line) for line in by_line(words)) if words and home[1] == column else ""


def _places(found: list[float]) -> list[float]:
    """The distinct places of rules, those that nearly touch taken as one."""
    found.sort()
    places = found[:1]
    for one, other in pairwise(found):
        if other - one > _TOUCH:
            places.append(other)
    return places
