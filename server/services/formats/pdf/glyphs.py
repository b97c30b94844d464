"""The words of a PDF page with their places, from PDFium's characters. What order they are read in is decided elsewhere.

Coordinates are points from the upper left of the page as it is read, y downwards.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from ctypes import addressof, byref, c_double, create_string_buffer
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

__all__ = ["RIGHT_TO_LEFT", "UNMAPPED", "Box", "Word", "turned", "words_by_turn"]

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
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_FIGURES = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z.,:/%-]*[0-9A-Za-z%])?")
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


_Edges = tuple[float, float, float, float]


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


class _Growing:
    """The letters of a word so far, with the places where they begin. `low` and `high` are its loose box, across the line."""

    __slots__ = ("base", "high", "letters", "low", "places", "rightwards", "style", "x0", "x1")

    def __init__(self, letter: str, edges: _Edges, base: float, style: _Style) -> None:
        self.letters, self.places = [letter], [edges[0]]
        self.x0, self.x1, self.high, self.low = edges
        self.base, self.style = base, style
        self.rightwards = RIGHT_TO_LEFT.match(letter) is None

    def takes(self, letter: str, edges: _Edges) -> bool:
        """Take a letter that stands next to the others on their line; say whether it does."""
        x0, x1, high, low = edges
        size = self.style.size
        if abs(low - self.low) > _OFF * size or abs(low - high - self.low + self.high) > _OFF * size:
            return False
        if letter > "\u058f" and RIGHT_TO_LEFT.match(letter):
            self.rightwards = False
        if not -_BACK * size < x0 - self.x1 < _APART * size and (
            self.rightwards or not -_BACK * size < self.x0 - x1 < _APART * size
        ):
            return False
        self.letters.append(letter)
        self.places.append(x0)
        if x0 < self.x0:
            self.x0 = x0
        if x1 > self.x1:
            self.x1 = x1
        return True

    def word(self) -> Word:
        """Return the word. Files keep Hebrew and Arabic in either order, so these are read from where the letters stand."""
        text = "".join(self.letters)
        if not self.rightwards:
            placed = sorted(zip(self.places, self.letters, strict=True), key=lambda letter: -letter[0])
            text = _FIGURES.sub(lambda run: run[0][::-1], "".join(letter for _, letter in placed))
        return Word(text, self.x0, self.x1, self.base, self.style.size, self.style.bold)


def _words(textpage: Any, box: Box) -> Iterator[tuple[int, Word]]:
    rectangle = pdfium.FS_RECTF()
    reference, letter_at, box_at = byref(rectangle), pdfium.FPDFText_GetUnicode, pdfium.FPDFText_GetLooseCharBox
    styles: dict[int, _Style] = {}
    growing: _Growing | None = None
    turn = 0
    for at in range(pdfium.FPDFText_CountChars(textpage)):
        letter = _letter(letter_at(textpage, at))
        if letter != " ":
            box_at(textpage, at, reference)
            if growing and growing.takes(letter, _edges(rectangle, turn, box)):
                continue
        if growing:
            yield turn, growing.word()
            growing = None
        if letter != " ":
            style = _style(textpage, at, styles)
            base = _base(textpage, at, style.turn, box)
            if style.turn is not None and base is not None:
                turn = style.turn
                growing = _Growing(letter, _edges(rectangle, turn, box), base, style)
    if growing:
        yield turn, growing.word()


def _edges(rectangle: Any, turn: int, page: Box) -> _Edges:
    """A box in reading space: its left and right, and its upper and lower edge."""
    left, bottom, right, top = page
    if turn == 0:
        return rectangle.left - left, rectangle.right - left, top - rectangle.top, top - rectangle.bottom
    if turn == 1:
        return rectangle.bottom - bottom, rectangle.top - bottom, rectangle.left - left, rectangle.right - left
    if turn == 2:
        return right - rectangle.right, right - rectangle.left, rectangle.bottom - bottom, rectangle.top - bottom
    return top - rectangle.top, top - rectangle.bottom, right - rectangle.right, right - rectangle.left


def _base(textpage: Any, at: int, turn: int | None, box: Box) -> float | None:
    """The base line that a character stands on; None where it is outside of the page."""
    x, y = c_double(), c_double()
    pdfium.FPDFText_GetCharOrigin(textpage, at, byref(x), byref(y))
    if turn is None or not (box[0] - 1 <= x.value <= box[2] + 1 and box[1] - 1 <= y.value <= box[3] + 1):
        return None
    return turned(x.value, y.value, turn, box)[1]


@lru_cache(65_536)
def _letter(code: int) -> str:
    """What a code of PDFium stands for; a space for all that parts words."""
    letter = _LETTERS.get(code) or chr(code)
    if letter.isspace():
        return " "
    return UNMAPPED if (code < 0x20 and code not in _LETTERS) or 0xE000 <= ord(letter[0]) <= 0xF8FF else letter


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
    turns = -pdfium.FPDFText_GetCharAngle(textpage, at) / (math.pi / 2)  # PDFium counts clockwise
    turn = round(turns) % 4 if abs(turns - round(turns)) < _SLANTED else None
    name = create_string_buffer(128)
    pdfium.FPDFText_GetFontInfo(textpage, at, name, 128, None)
    bold = pdfium.FPDFText_GetFontWeight(textpage, at) >= _BOLD_WEIGHT or _BOLD.search(name.value) is not None
    return _Style(max(size, 0.5), bold, turn)
