"""Markup: a chunk of plain text or Markdown as blocks of clean prose, each character with its place in the chunk.

Headings, list items and paragraphs become blocks of their own; fences, rules and tables' borders go; emphasis, links, inline
code and tags lose their signs and keep their words. Nothing here knows what the words mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

LONGEST_WORD = 60
LONGEST_BLOCK = 3_000
_SHORT_LINE = 50

_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_RULE = re.compile(r" {0,3}(?:[-*_][ \t]*){3,}$")
_ITEM = re.compile(r"\s*(?:[-*+•–]|\d{1,3}[.)])[ \t]+(?=\S)")
_QUOTE = re.compile(r"\s*(?:>[ \t]?)+")
_ROW = re.compile(r"\s*\|")
_SIGNS = re.compile(
    r"!?\[(?=[^\[\]\n]{1,300}\]\()"  # opening of a link
    r"|(?<=[^\s\[])\]\([^()\s]{0,500}(?:\s\"[^\"\n]{0,200}\")?\)"  # its target
    r"|</?[A-Za-z][^<>\n]{0,200}>|https?://[^\s<>()]{1,500}"
    r"|\*\*|__|~~|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"
)


class Kind(StrEnum):
    """What a block is on the page."""

    HEADING = "heading"
    ITEM = "item"
    PROSE = "prose"


@dataclass(frozen=True, slots=True)
class Block:
    """Clean prose: single spaces, no markup. `offsets[i]` is the place of text[i] in the chunk, in code points."""

    kind: Kind
    text: str
    offsets: tuple[int, ...]
    level: int = 0

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where text[start:end] stands in the chunk, half-open; markup inside belongs to it."""
        return self.offsets[start], self.offsets[end - 1] + 1


@dataclass(slots=True)
class _Line:
    kind: Kind
    start: int
    text: str
    level: int = 0


def blocks(text: str) -> list[Block]:
    """Return the blocks of `text` in order, none of them empty or longer than LONGEST_BLOCK; linear in its length."""
    return [block for lines in _paragraphs(text) for block in _clean(lines)]


def _paragraphs(text: str) -> Iterator[list[_Line]]:
    """Yield the lines of each block together."""
    pending: list[_Line] = []
    for line in _lines(text):
        underline = _UNDERLINE.match(line.text) if line is not None else None
        if underline and len(pending) == 1 and pending[0].kind is Kind.PROSE:
            pending[0].kind, pending[0].level = Kind.HEADING, 1 if "=" in underline[1] else 2
        elif line.text and not _RULE.match(line.text) and _continues(pending, line):
            pending.append(line)
            continue
        else:
            if pending:
                yield pending
            pending = [line] if line.text and not _RULE.match(line.text) else []
    if pending:
        yield pending


def _continues(pending: list[_Line], line: _Line) -> bool:
    """Tell whether `line` goes on with the paragraph before it: wrapped prose does, a short line before a new start does not."""
    if not pending or line.kind is not Kind.PROSE or pending[0].kind is Kind.HEADING:
        return False
    before = pending[-1].text.rstrip()
    starts_anew = line.text.lstrip()[:1].isupper() and not before.endswith((",", ";"))
    return not (starts_anew and len(before.strip()) < _SHORT_LINE)


def _lines(text: str) -> Iterator[_Line]:
    """Yield each line that carries prose, without its block signs; an empty line stands for a break."""
    start, fenced = 0, False
    for raw in text.split("\n"):
        if _FENCE.match(raw):
            fenced = not fenced
            yield _Line(Kind.PROSE, start, "")
        elif not fenced:
            yield _line(raw.rstrip("\r"), start)
        start += len(raw) + 1


def _line(raw: str, start: int) -> _Line:
    quoted = _QUOTE.match(raw)
    skip = quoted.end() if quoted else 0
    if heading := _HEADING.match(raw[skip:]):
        return _Line(Kind.HEADING, start + skip + heading.start(2), heading[2], len(heading[1]))
    if _ROW.match(raw, skip) or not raw.strip():
        return _Line(Kind.PROSE, start, "")
    if (item := _ITEM.match(raw, skip)) and not _RULE.match(raw):
        return _Line(Kind.ITEM, start + item.end(), raw[item.end() :])
    return _Line(Kind.PROSE, start + skip, raw[skip:])


def _clean(lines: list[_Line]) -> Iterator[Block]:
    """Yield one block, or several where it is too long for one."""
    characters = [pair for line in lines for pair in (*_words(line), (" ", line.start + len(line.text)))]
    kept: list[tuple[str, int]] = []
    for character, place in characters:
        if character != " " or (kept and kept[-1][0] != " "):
            kept.append((character, place))
    for piece in _pieces(kept):
        while piece and piece[-1][0] == " ":
            piece.pop()
        if piece:
            text = "".join(character for character, _ in piece)
            yield Block(lines[0].kind, text, tuple(place for _, place in piece), lines[0].level)


def _words(line: _Line) -> Iterator[tuple[str, int]]:
    """Yield the line's characters without inline signs; what cannot be printed, and words without end, become spaces."""
    position = 0
    for sign in (*_SIGNS.finditer(line.text), None):
        end = sign.start() if sign else len(line.text)
        for run in re.finditer(r"\s+|\S+", line.text[position:end]):
            readable = len(run[0]) <= LONGEST_WORD
            for index, character in enumerate(run[0]):
                printable = readable and character.isprintable()
                yield (character if printable else " "), line.start + position + run.start() + index
        position = sign.end() if sign else end


def _pieces(characters: list[tuple[str, int]]) -> Iterator[list[tuple[str, int]]]:
    start = 0
    while start < len(characters):
        end = min(start + LONGEST_BLOCK, len(characters))
        if end < len(characters):
            window = range(end - 1, start + LONGEST_BLOCK // 2, -1)
            end = next(
                (i + 1 for i in window if characters[i][0] == " " and characters[i - 1][0] in ".!?"), None
            ) or next((i + 1 for i in window if characters[i][0] == " "), end)
        yield characters[start:end]
        start = end
