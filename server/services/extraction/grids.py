"""Grids: which lines are rows of a table, and where their cells stand; what the cells say is decided elsewhere.

A table is drawn with pipes, as in Markdown, or set with tabs or runs of spaces under a header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_PIPE = re.compile(r"(?<!\\)\|")
_GAP = re.compile(r"\t+| {2,}")
_COLUMN_NAME = re.compile(r"[^\W\d_][^.:;!?|]{0,30}$")
_LEAST_COLUMNS = 3
_LEAST_ROWS = 3

Cells = tuple[tuple[int, int], ...]
"""Half-open characters of a line."""


@dataclass(frozen=True, slots=True)
class GridLine:
    """A line of a table: a header, a row, or (no cells) a line that only draws."""

    cells: Cells
    header: bool


def grid_lines(lines: Sequence[str]) -> dict[int, GridLine]:
    """Return the lines that belong to tables, by number."""
    found: dict[int, GridLine] = {}
    for number, line in enumerate(lines):
        if line.count("|") and number not in found:
            found |= _piped(lines, number)
    for first, last in _runs(lines, found):
        found |= _aligned(lines, first, last)
    return found


def _piped(lines: Sequence[str], number: int) -> dict[int, GridLine]:
    """Return the table that starts at a line with pipes: one that opens with a pipe, or that a delimiter follows."""
    is_header = number + 1 < len(lines) and _is_delimiter(lines[number + 1])
    if _is_delimiter(lines[number]):
        return {number: GridLine((), header=False)}
    if is_header:
        found = {number: GridLine(pipe_cells(lines[number]), True), number + 1: GridLine((), header=False)}
        after = number + 2
        while after < len(lines) and "|" in lines[after] and not _is_delimiter(lines[after]):
            if after + 1 < len(lines) and _is_delimiter(lines[after + 1]):
                break
            found[after] = GridLine(pipe_cells(lines[after]), header=False)
            after += 1
        return found
    return {number: GridLine(pipe_cells(lines[number]), header=False)} if lines[number].lstrip().startswith("|") else {}


def _is_delimiter(line: str) -> bool:
    return "-" in line and "|" in line and set(line) <= set("|:- \t\r")


def _is_ruler(line: str) -> bool:
    return "--" in line.replace("=", "-") and set(line) <= set("-= \t\r")


def pipe_cells(line: str) -> Cells:
    """Return the cells of a row drawn with pipes, empty ones included."""
    bars = [match.start() for match in _PIPE.finditer(line)]
    start = len(line) - len(line.lstrip())
    edges = bars if bars and bars[0] == start else [start - 1, *bars]
    if not bars or line[bars[-1] + 1 :].strip():
        edges = [*edges, len(line)]
    return tuple(_stripped(line, first + 1, last) for first, last in pairwise(edges))


def _stripped(line: str, first: int, last: int) -> tuple[int, int]:
    cell = line[first:last]
    return first + len(cell) - len(cell.lstrip()), first + len(cell.rstrip()) if cell.strip() else first


def _runs(lines: Sequence[str], taken: dict[int, GridLine]) -> Iterator[tuple[int, int]]:
    """Yield the half-open runs of lines that have gaps inside."""
    first: int | None = None
    for number in range(len(lines) + 1):
        line = lines[number] if number < len(lines) else ""
        fits = bool(line.strip()) and number not in taken and (_GAP.search(line.strip()) or _is_ruler(line))
        if fits and first is None:
            first = number
        elif not fits and first is not None:
            if number - first >= _LEAST_ROWS:
                yield first, number
            first = None


def _aligned(lines: Sequence[str], first: int, last: int) -> dict[int, GridLine]:
    """Return a run of lines as a table, if all have as many cells and the first one names columns."""
    drawn = {number for number in range(first, last) if _is_ruler(lines[number])}
    rows = {number: _gapped(lines[number]) for number in range(first, last) if number not in drawn}
    header = rows.get(first, ())
    names = [lines[first][start:end] for start, end in header]
    if len(rows) < _LEAST_ROWS or len(header) < _LEAST_COLUMNS or any(len(row) != len(header) for row in rows.values()):
        return {}
    if not all(_COLUMN_NAME.match(name) for name in names) or len(set(names)) < len(names):
        return {}
    return {number: GridLine(rows.get(number, ()), header=number == first) for number in range(first, last)}


def _gapped(line: str) -> Cells:
    start, end = len(line) - len(line.lstrip()), len(line.rstrip())
    cells, position = [], start
    for gap in _GAP.finditer(line, start, end):
        cells.append((position, gap.start()))
        position = gap.end()
    return (*cells, (position, end))
