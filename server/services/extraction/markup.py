"""Markup: a chunk of plain text or Markdown as blocks of clean prose, each character with its place in the chunk.

Headings, list items, table rows and paragraphs become blocks of their own; fences, comments, images, rules and tables' borders go;
emphasis, links, inline code and tags lose their signs and keep their words. Nothing here knows what the words mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from server.services.extraction.grids import GridLine, grid_lines
from server.services.extraction.speech import Speaker, Turn, turns

LONGEST_WORD = 60
LONGEST_BLOCK = 3_000
_FIRST_UNSPACED = 0x0E00
_SHORT_LINE = 50

_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_RULE = re.compile(r" {0,3}(?:[-*_][ \t]*){3,}$")
_ITEM = re.compile(r"\s*(?:[-*+•–]|\d{1,3}[.)])[ \t]+(?=\S)")
_QUOTE = re.compile(r"\s*(?:>[ \t]?)+")
_TASK = re.compile(r"\[[ xX]\][ \t]+")
_DEFINITION = re.compile(r" {0,3}:[ \t]+(?=\S)")
_SPAN = r"(?:\([^()\n]{0,700}\)|\[[^\[\]\n]{0,100}\])"
_CODE = re.compile(r"[$%#>]\s|\w+\(|(?:import|from|def|class|return|const|let|var|npm|pip|git|curl|sudo)\s|[\w.]+\s?=")
_KEY = re.compile(r"\s*[A-Za-z][\w-]{0,30}(?: [\w-]{1,20})?:(?:\s|$)")
_SET_APART = re.compile(
    r"\S(?:\t+| {3,})\S|[•|·].*[•|·]|\S@\S+\.\w+ [•|·]|\s\|\s|\d{4}\s?[-–—]\s?(?:\d{4}|[A-Z][a-z. ]+\d{4}|[Pp]resent|[Nn]ow)\)?\s*$"
)
"""Words with a gap or with bars between them: a line of its own, no prose."""
_SPACING = re.compile(r"</?(?:br|td|th|tr|p|div|li|dt|dd|h[1-6])\b", re.IGNORECASE)
_FIELD = re.compile(r"([A-Za-z][\w -]{0,30}):[ \t]+(\S.*)$")
_HIDDEN = (("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"), ("<pre", "</pre>"), ("<svg", "</svg>"))
_SIGNS = re.compile(
    rf"\[?!\[[^\[\]\n]{{0,300}}\]{_SPAN}(?:\]{_SPAN})?"  # an image or a badge
    r"|\[(?=[^\[\]\n]{1,300}\]\()"  # opening of a link
    r"|(?<=[^\s\[])\]\([^()\s]{0,500}(?:\s\"[^\"\n]{0,200}\")?\)"  # its target
    r"|</?[A-Za-z][^<>\n]{0,200}>|https?://[^\s<>()]{1,500}"
    r"|\*\*|__|~~|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|\\$"
)


_DATELINE = re.compile(
    r"^([A-ZÀ-Þ][\w.'’-]+(?:[ ,]{1,2}[A-ZÀ-Þ][\w.'’-]+){0,3}?)"
    r"(,? (?:\d{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?(?: \d{1,2})?(?:,? \d{4})?)?"
    r"( \([A-Z][\w ]{1,30}\))?( [-–—]{1,2} )(?=[A-ZÀ-Þ“\"].{40,})(?!Present|Now|Current)",
    re.M,
)
"""Place, date, agency and dash before a report: "BERLIN, 3 March 2024 (AP) - "."""


class Kind(StrEnum):
    """What a block is on the page."""

    HEADING = "heading"
    ITEM = "item"
    ROW = "row"
    PROSE = "prose"


@dataclass(frozen=True, slots=True)
class Block:
    """Clean prose: single spaces, no markup. `offsets[i]` is the place of text[i] in the chunk, in code points.

    `level` is a heading's, or 1 for a table's header row; `cells` are a row's, half-open in `text`. `task`: a box to be ticked.
    """

    kind: Kind
    text: str
    offsets: tuple[int, ...]
    level: int = 0
    cells: tuple[tuple[int, int], ...] = ()
    speaker: Speaker | None = None
    task: bool = False

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where text[start:end] stands in the chunk, half-open; markup inside belongs to it."""
        return self.offsets[start], self.offsets[end - 1] + 1


@dataclass(slots=True)
class _Line:
    kind: Kind
    start: int
    text: str
    level: int = 0
    cells: tuple[tuple[int, int], ...] = ()
    speaker: Speaker | None = None
    task: bool = False
    broken: bool = False
    """Whether the line asks for a break after it, or before it where it is somebody's first."""


def blocks(text: str) -> list[Block]:
    """Return the blocks of `text` in order, none of them empty or longer than LONGEST_BLOCK; linear in its length."""
    return [block for lines in _paragraphs(_shown(text)) for block in _clean(lines)]


def _shown(text: str) -> str:
    """Return the text with comments, scripts and the like blanked out."""
    for opening, closing in _HIDDEN if "<" in text else ():
        parts: list[str] = []
        position = 0
        while (start := text.find(opening, position)) >= 0 and (end := text.find(closing, start)) >= 0:
            hidden = text[start : end + len(closing)]
            parts += [text[position:start], "".join("\n" if character == "\n" else " " for character in hidden)]
            position = start + len(hidden)
        text = "".join([*parts, text[position:]]) if parts else text
    return _DATELINE.sub(_set_apart, text)


def _set_apart(dateline: re.Match[str]) -> str:
    """Make a paragraph of its own of where and when a report was written: it is no subject of what follows."""
    place, date, agency, dash = dateline.groups()
    if date or agency or place.isupper():
        return dateline[0][: -len(dash)] + "\n\n" + " " * (len(dash) - 2)
    return dateline[0]


def _paragraphs(text: str) -> Iterator[list[_Line]]:
    """Yield the lines of each block together."""
    pending: list[_Line] = []
    for line in _lines(text):
        underline = _UNDERLINE.match(line.text) if line.kind is Kind.PROSE else None
        if underline and len(pending) == 1 and pending[0].kind is Kind.PROSE and not pending[0].broken:
            pending[0].kind, pending[0].level = Kind.HEADING, 1 if "=" in underline[1] else 2
        elif line.text and not _is_rule(line) and _continues(pending, line):
            pending.append(line)
            continue
        else:
            if pending:
                yield pending
            pending = [line] if line.text and not _is_rule(line) else []
    if pending:
        yield pending


def _is_rule(line: _Line) -> bool:
    return line.kind is not Kind.ROW and _RULE.match(line.text) is not None


def _continues(pending: list[_Line], line: _Line) -> bool:
    """Tell whether `line` goes on with the paragraph before it: wrapped prose does, a short line before a new start does not."""
    if not pending or line.kind is not Kind.PROSE or pending[0].kind in {Kind.HEADING, Kind.ROW}:
        return False
    if line.text.startswith(": "):
        return len(pending) == 1 and pending[0].kind is Kind.PROSE
    if line.broken or pending[-1].broken or line.speaker != pending[-1].speaker:
        return False
    if _KEY.match(line.text) and _KEY.match(pending[-1].text):
        return False
    before = pending[-1].text.rstrip()
    starts_anew = _first_letter(line.text).isupper() and not before.endswith((",", ";"))
    starts_anew = starts_anew or (_SET_APART.search(line.text) is not None and not before.endswith((",", ";")))
    return not (starts_anew and (len(before.strip()) < _SHORT_LINE or _SET_APART.search(before)))


def _first_letter(text: str) -> str:
    """Return the first character after emphasis and pictures."""
    return next((character for character in text[:20] if character.isalnum() or character in "(\"'"), "")


def _lines(text: str) -> Iterator[_Line]:
    """Yield each line that carries prose, without its block signs; an empty line stands for a break."""
    raws = text.split("\n")
    front, fenced = _front_matter(raws), False
    grid, spoken = grid_lines(raws), turns(raws)
    speaker: Speaker | None = None
    start = 0
    for number, raw in enumerate(raws):
        if number < front:
            yield _front_line(raw, start)
        elif _FENCE.match(raw):
            fenced = not fenced
            yield _Line(Kind.PROSE, start, "")
        elif not fenced:
            turn = spoken.get(number)
            line = _row(grid[number], raw, start) if number in grid else _line(raw.rstrip("\r"), start, turn)
            speaker = turn.speaker if turn else speaker
            line.speaker = speaker if line.kind in {Kind.PROSE, Kind.ITEM} else None
            yield line
        start += len(raw) + 1


def _row(found: GridLine, raw: str, start: int) -> _Line:
    text = raw if found.cells else ""
    return _Line(Kind.ROW, start, text, int(found.header), found.cells)


def _line(raw: str, start: int, turn: Turn | None) -> _Line:
    if turn is not None and turn.skip:
        return _Line(Kind.PROSE, start + turn.skip, raw[turn.skip :], broken=True)
    quoted = _QUOTE.match(raw)
    skip = quoted.end() if quoted else 0
    if heading := _HEADING.match(raw[skip:]):
        return _Line(Kind.HEADING, start + skip + heading.start(2), heading[2], len(heading[1]))
    if not raw.strip() or _is_code(raw):
        return _Line(Kind.PROSE, start, "")
    if (item := _ITEM.match(raw, skip)) and not _RULE.match(raw):
        task = _TASK.match(raw, item.end())
        first = task.end() if task else item.end()
        return _Line(Kind.ITEM, start + first, raw[first:], task=task is not None, broken=raw.endswith(("  ", "\\")))
    definition = _DEFINITION.match(raw)
    first = definition.end() - 2 if definition else skip
    text = ": " + raw[first + 2 :] if definition else raw[first:]
    return _Line(Kind.PROSE, start + first, text, broken=raw.endswith(("  ", "\\")) or turn is not None)


def _is_code(raw: str) -> bool:
    """Tell whether a line that is set in looks like code; prose may be set in as well."""
    code = raw.lstrip()
    inset = len(raw) - len(code) >= 4 or raw.startswith("\t")
    return inset and (_CODE.match(code) is not None or code.rstrip().endswith((";", "{", "}")))


def _front_matter(raws: list[str]) -> int:
    """Return how many lines the fields at the top take that "---" encloses."""
    fence = raws[0].strip()
    if fence not in {"---", "+++"}:
        return 0
    return next((number + 1 for number in range(1, min(len(raws), 60)) if raws[number].strip() in {fence, "..."}), 0)


def _front_line(raw: str, start: int) -> _Line:
    """Return a field of the front matter; its title and name are headings, what is nested is left out."""
    field = _FIELD.match(raw)
    if field is None or field[2].startswith(("[", "{", "|", ">", "&", "!")):
        return _Line(Kind.PROSE, start, "")
    if field[1].lower() in {"title", "name"}:
        value = field[2].strip().strip("\"'")
        return _Line(Kind.HEADING, start + raw.index(value, field.start(2)), value, 1)
    return _Line(Kind.PROSE, start, raw.rstrip(), broken=True)


def _clean(lines: list[_Line]) -> Iterator[Block]:
    """Yield one block, or several where it is too long for one."""
    first = lines[0]
    if first.kind is Kind.ROW:
        yield from _clean_row(first)
        return
    characters = [pair for line in lines for pair in (*_words(line), (" ", line.start + len(line.text)))]
    for piece in _pieces(_single_spaced(characters)):
        while piece and piece[-1][0] == " ":
            piece.pop()
        if piece:
            text = "".join(character for character, _ in piece)
            places = tuple(place for _, place in piece)
            yield Block(first.kind, text, places, first.level, speaker=first.speaker, task=first.task)


def _clean_row(line: _Line) -> Iterator[Block]:
    """Yield the row, if any of its cells holds something, as its cells with a bar between them."""
    kept: list[tuple[str, int]] = []
    cells: list[tuple[int, int]] = []
    for first, last in line.cells:
        if kept:
            kept += [(" ", line.start + first), ("|", line.start + first), (" ", line.start + first)]
        words = _single_spaced(list(_words(_Line(Kind.ROW, line.start + first, line.text[first:last]))))
        while words and words[-1][0] == " ":
            words.pop()
        cells.append((len(kept), len(kept) + len(words)))
        kept += words
    if any(first < last for first, last in cells) and len(kept) <= LONGEST_BLOCK:
        text = "".join(character for character, _ in kept)
        yield Block(Kind.ROW, text, tuple(place for _, place in kept), line.level, tuple(cells))


def _single_spaced(characters: list[tuple[str, int]]) -> list[tuple[str, int]]:
    kept: list[tuple[str, int]] = []
    for character, place in characters:
        if character != " " or (kept and kept[-1][0] != " "):
            kept.append((character, place))
    return kept


def _words(line: _Line) -> Iterator[tuple[str, int]]:
    """Yield the line's characters without inline signs; what cannot be printed, and words without end, become spaces."""
    position = 0
    for sign in (*_SIGNS.finditer(line.text), None):
        end = sign.start() if sign else len(line.text)
        for run in re.finditer(r"\s+|\S+", line.text[position:end]):
            readable = len(run[0]) <= LONGEST_WORD or _is_unspaced(run[0])
            for index, character in enumerate(run[0]):
                printable = readable and character.isprintable()
                yield (character if printable else " "), line.start + position + run.start() + index
        if sign and _SPACING.match(sign[0]):
            yield " ", line.start + sign.start()
        position = sign.end() if sign else end


def _is_unspaced(run: str) -> bool:
    """Tell whether a run is of a script that puts no spaces between words: Thai and what follows it in Unicode, Chinese, Japanese."""
    return sum(ord(character) >= _FIRST_UNSPACED for character in run[:LONGEST_WORD]) > LONGEST_WORD // 2


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
