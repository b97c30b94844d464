"""The words of a PDF page with their places, from PDFium's characters. What order they are read in is decided elsewhere.

Coordinates are points from the upper left of the page as it is read, y downwards.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from ctypes import addressof, byref, c_double, create_string_buffer
from dataclasses import dataclass
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

__all__ = ["UNMAPPED", "Box", "Word", "turned", "words_by_turn"]

Box = tuple[float, float, float, float]
"""Left, bottom, right, top of a page in its own space, where y goes upwards."""

UNMAPPED = "\ufffd"
"""Stands for a glyph of which the file does not say what letter it is."""

_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_HYPHENS = {0x02: "-", 0xAD: "-", 0x2010: "-", 0xFFFE: "-"}
_BULLETS = {0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "‣", 0xF0FC: "•", 0xF076: "•", 0xF0A8: "•"}
_LETTERS = _LIGATURES | _HYPHENS | _BULLETS
_BOLD = re.compile(rb"bold|black|heavy|semibold|demi", re.I)
_BOLD_WEIGHT = 600
_SLANTED = 0.1
_APART = 0.3
_BACK = 0.6
_OFF = 0.3


@dataclass(slots=True)
class Word:
    """Letters that stand together. `base` is the y of the line they stand on."""

    text: str
    x0: float
    x1: float
    base: float
    size: float
    bold: bool

    @property
    def top(self) -> float:
        """About where its capitals end."""
        return self.base - 0.8 * self.size

    @property
    def bottom(self) -> float:
        """About where its descenders end."""
        return self.base + 0.22 * self.size


class _Style(NamedTuple):
    size: float
    bold: bool
    turn: int | None


def words_by_turn(page: Any, box: Box) -> dict[int, list[Word]]:
    """Return the words of a page by the quarter turns (0 to 3, counterclockwise) that its text is turned, in the order drawn.

    `box` is the visible part of the page: left, bottom, right, top. Text at other angles, and outside of it, is left out.
    """
    textpage = pdfium.FPDFText_LoadPage(page)
    if not textpage:
        return {}
    try:
        found: dict[int, list[Word]] = {}
        for turn, word in _words(textpage, box):
            found.setdefault(turn, []).append(word)
        return found
    finally:
        pdfium.FPDFText_ClosePage(textpage)


def _words(textpage: Any, box: Box) -> Iterator[tuple[int, Word]]:
    rectangle, x, y = pdfium.FS_RECTF(), c_double(), c_double()
    styles: dict[int, _Style] = {}
    word: Word | None = None
    turn = 0
    for at in range(pdfium.FPDFText_CountChars(textpage)):
        code = pdfium.FPDFText_GetUnicode(textpage, at)
        letter = _LETTERS.get(code) or chr(code)
        style = _style(textpage, at, styles) if not letter.isspace() else None
        if style is None or style.turn is None:
            if word:
                yield turn, word
                word = None
            continue
        pdfium.FPDFText_GetLooseCharBox(textpage, at, byref(rectangle))
        pdfium.FPDFText_GetCharOrigin(textpage, at, byref(x), byref(y))
        if not (box[0] - 1 <= x.value <= box[2] + 1 and box[1] - 1 <= y.value <= box[3] + 1):
            continue
        base = turned(x.value, y.value, style.turn, box)[1]
        one, other = (
            turned(rectangle.left, rectangle.bottom, style.turn, box)[0],
            turned(rectangle.right, rectangle.top, style.turn, box)[0],
        )
        x0, x1 = min(one, other), max(one, other)
        if code < 0x20 or 0xE000 <= ord(letter[0]) <= 0xF8FF:
            letter = "-" if code == 0x02 else UNMAPPED
        if word and turn == style.turn and _continues(word, x0, x1, base, style):
            word.text += letter
            word.x0, word.x1 = min(word.x0, x0), max(word.x1, x1)
        else:
            if word:
                yield turn, word
            word, turn = Word(letter, x0, x1, base, style.size, style.bold), style.turn
    if word:
        yield turn, word


def _continues(word: Word, x0: float, x1: float, base: float, style: _Style) -> bool:
    if abs(base - word.base) > _OFF * word.size or not 0.7 < style.size / word.size < 1.4:
        return False
    forwards = -_BACK * word.size < x0 - word.x1 < _APART * word.size
    backwards = -_BACK * word.size < word.x0 - x1 < _APART * word.size
    return forwards or (backwards and "\u0590" <= word.text[-1] <= "\u08ff")


def turned(x: float, y: float, turn: int, page: Box) -> tuple[float, float]:
    """Return a point of page space in reading space."""
    left, bottom, right, top = page
    if turn == 0:
        return x - left, top - y
    if turn == 1:
        return y - bottom, x - left
    if turn == 2:
        return right - x, y - bottom
    return top - y, right - x


def _style(textpage: Any, at: int, styles: dict[int, _Style]) -> _Style:
    """The style of a character; it is the same for all of a text object."""
    drawn = pdfium.FPDFText_GetTextObject(textpage, at)
    key = addressof(drawn.contents) if drawn else 0
    if key not in styles:
        styles[key] = _measured(textpage, at)
    return styles[key]


def _measured(textpage: Any, at: int) -> _Style:
    matrix = pdfium.FS_MATRIX()
    size = pdfium.FPDFText_GetFontSize(textpage, at)
    if pdfium.FPDFText_GetMatrix(textpage, at, byref(matrix)):
        size *= math.hypot(matrix.c, matrix.d) or 1.0
    turns = pdfium.FPDFText_GetCharAngle(textpage, at) / (math.pi / 2)
    turn = round(turns) % 4 if abs(turns - round(turns)) < _SLANTED else None
    name = create_string_buffer(128)
    pdfium.FPDFText_GetFontInfo(textpage, at, name, 128, None)
    bold = pdfium.FPDFText_GetFontWeight(textpage, at) >= _BOLD_WEIGHT or _BOLD.search(name.value) is not None
    return _Style(max(size, 0.5), bold, turn)
