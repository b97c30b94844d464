"""Surroundings: what each chunk of a document stands under, from before it: headings, and the heads of a table that goes on.

A chunk is cut out of its document; a row without heads or a job without a name above it would say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from server.services.chunking import Chunk
from server.services.extraction.grids import grid_lines
from server.services.extraction.sections import section_of

__all__ = ["Surroundings", "surroundings"]

_TITLE = 80
_SECTION = re.compile(r"^[^\S\n]*([^\W\d_][^\n.!?]{2,40}?):?[^\S\n]*$", re.MULTILINE)


class Surroundings(NamedTuple):
    """Headings from the outermost, and the line with the heads of the table that the chunk's first row belongs to."""

    headings: tuple[str, ...]
    table: str


def surroundings(content: str, chunks: Sequence[Chunk]) -> list[Surroundings]:
    """Return what each chunk stands under. Linear in `content`.

    Without Markdown's headings, the first line of the document counts as one if it looks like a title, and so does the last line
    that is a section's name: "EXPERIENCE".
    """
    found: list[Surroundings] = []
    title, section, table = _title(content), "", ""
    for number, chunk in enumerate(chunks):
        before = chunks[number - 1] if number else None
        table = _heads(content, before, chunk, table) if before else ""
        plain = tuple(line for line in (title, section) if line) if number else ()
        found.append(Surroundings(chunk.headings or plain, table))
        if not chunk.headings:
            section = _section(content[chunk.start : chunk.end]) or section
    return found


def _title(content: str) -> str:
    line = content.lstrip()[: _TITLE + 1].partition("\n")[0].strip()
    return line if len(line) <= _TITLE and not line.endswith((".", ":", "!", "?")) else ""


def _section(text: str) -> str:
    """Return the last line that is a section's name."""
    lines = [match[1] for match in _SECTION.finditer(text) if section_of(match[1]) is not None]
    return lines[-1] if lines else ""


def _heads(content: str, before: Chunk, chunk: Chunk, table: str) -> str:
    """Return the heads of the table that both chunks hold rows of; `table`: those of the one that `before` starts with."""
    first = content[chunk.start : chunk.end].partition("\n")[0]
    if "|" not in first or content[before.end : chunk.start].count("\n") != 1:
        return ""
    lines = content[before.start : before.end].split("\n")
    grid = grid_lines(lines)
    number = len(lines) - 1
    while number in grid:
        if grid[number].header:
            return lines[number].strip()
        number -= 1
    return table if number < 0 else ""
