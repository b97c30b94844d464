"""Tables of elements, and pipe tables: one line for each row, so that a row stays together wherever the text is cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from server.services.formats.tree import Element

__all__ = ["Cell", "is_data", "markdown_table", "paired", "pairs", "rows_of"]

_WIDEST = 100
_PARTS = frozenset({"thead", "tbody", "tfoot"})
_FIGURE = re.compile(r"\d")
_TABLE = frozenset({"table"})


class Cell(NamedTuple):
    """A cell's words, and whether it heads its row or column."""

    text: str
    heads: bool = False


def rows_of(table: Element, words: Callable[[Element], str]) -> list[list[Cell]]:
    """Return the rows of a table. A cell over several rows stands in each; over several columns, in the first."""
    rows = []
    above: dict[int, tuple[int, Cell]] = {}  # by column: for how many rows more a cell reaches down
    for tr in _tr(table):
        row: list[Cell] = []
        reaching: dict[int, tuple[int, Cell]] = {}
        for td in tr.elements:
            if td.tag not in ("td", "th"):
                continue
            _fill(row, above)
            cell = Cell(words(td), td.tag == "th")
            high = _span(td, "rowspan")
            for shown in [cell, *[Cell("", cell.heads)] * (_span(td, "colspan") - 1)]:
                if len(row) < _WIDEST:
                    if high > 1:
                        reaching[len(row)] = high - 1, shown
                    row.append(shown)
        _fill(row, above)
        above.update(reaching)
        rows.append(row)
    return [row for row in rows if any(cell.text for cell in row)]


def _fill(row: list[Cell], above: dict[int, tuple[int, Cell]]) -> None:
    while len(row) in above:
        left, cell = above.pop(len(row))
        if left > 1:
            above[len(row)] = left - 1, cell
        row.append(cell)


def _tr(table: Element) -> Iterator[Element]:
    for child in table.elements:
        if child.tag == "tr":
            yield child
        elif child.tag in _PARTS:
            yield from (row for row in child.elements if row.tag == "tr")


def _span(cell: Element, name: str) -> int:
    said = cell.attributes.get(name, "")
    return max(1, min(int(said), 1000)) if said.isascii() and said.isdigit() else 1


def is_data(table: Element, rows: list[list[Cell]]) -> bool:
    """Whether a table holds data; else it only places things on a page."""
    if table.attributes.get("role") in ("presentation", "none"):
        return False
    if any(child.has(_TABLE) for child in table.elements):
        return False
    return max(map(len, rows), default=0) > 1 and (len(rows) > 1 or any(cell.heads for row in rows for cell in row))


def pairs(rows: list[list[Cell]]) -> list[tuple[str, str]]:
    """Return the names and values of a table whose every row is a heading and a value, else nothing."""
    if all(len(row) == 2 and row[0].heads and not row[1].heads for row in rows):
        return [(key.text, value.text) for key, value in rows]
    return []


def markdown_table(rows: Sequence[Sequence[str]], *, headed: bool = False) -> str:
    """Return a table as Markdown, its first row as its head if it is one: `headed`, or no figures above figures.

    A table of two columns without a head is a list of names and values; a wider one has an empty head, as pipe tables must have one.
    """
    width = max((len(row) for row in rows), default=0)
    filled = [[*row, *[""] * (width - len(row))] for row in rows]
    if not headed and not _has_head(filled):
        if width == 2:
            return paired((key, value) for key, value in filled)
        filled.insert(0, [""] * width)
    return "\n".join((_row(filled[0]), _row(["---"] * width), *map(_row, filled[1:])))


def paired(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names and their values as a list."""
    named = ((key.rstrip(":").rstrip(), value) for key, value in pairs)
    return "\n".join(
        f"- {key}: {value}" if key and value else f"- {key or value}" for key, value in named if key or value
    )


def _has_head(rows: list[list[str]]) -> bool:
    def figures(column: int) -> bool:
        below = sum(1 for row in rows[1:] if _FIGURE.search(row[column]))
        return _FIGURE.search(rows[0][column]) is not None and below >= 0.6 * (len(rows) - 1)

    return not any(map(figures, range(1, len(rows[0]))))


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"
