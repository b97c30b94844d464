"""Invisible signs in names and titles: which of them say something, and stay, and which only hide something, and go.

Two names that look the same are to be the same, and none may show in another order than it is read in. Texts of documents and
contents of claims are left as they are: they are quoted.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["VISIBLE", "without_invisible"]

# Soft hyphen, grapheme joiner, zero-width space, direction marks, embeddings, overrides and isolates, word joiner and invisible operators,
# fillers, byte order mark, annotations, and the tags, which spell ASCII that nobody sees.
_HIDDEN = (
    "\u00ad\u034f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f"
)
_JOINERS = "\u180e\u200c\u200d"
_VARIANTS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"  # England, Scotland, Wales

VISIBLE = re.compile(rf"[^\s{_HIDDEN}{_JOINERS}{_VARIANTS}\u115f\u1160\u17b4\u17b5\u2800]")
"""What shows something."""

_SUSPECT = re.compile(f"[{_HIDDEN}{_JOINERS}{_VARIANTS}]")
_DROPPED = re.compile(f"({_FLAG})|[{_HIDDEN}]|(?<=[{_VARIANTS}])[{_VARIANTS}]+|^[{_VARIANTS}]+")
_JOINED = re.compile(f"[{_JOINERS}]+")
_VIRAMA = 9  # the canonical combining class of signs that kill a vowel
# Scripts whose letters a joiner neither joins nor parts.
_UNJOINED = (
    "LATIN",
    "GREEK",
    "CYRILLIC",
    "CJK",
    "HIRAGANA",
    "KATAKANA",
    "HANGUL",
    "FULLWIDTH",
    "HALFWIDTH",
    "MATHEMATICAL",
)


def without_invisible(text: str) -> str:
    """Return a text without the signs that show nothing and change nothing that is shown but its order.

    A joiner stays in words of scripts that it means something in (Arabic, Persian, the scripts of India) and between emoji, one at a
    place; a variation selector stays behind what it varies. Idempotent. What shows nothing at all becomes empty, or white space.
    """
    if text.isascii() or not _SUSPECT.search(text):
        return text
    previous = None
    while text != previous:
        previous = text
        text = _JOINED.sub(_joiner, _DROPPED.sub(lambda found: found[1] or "", text))
    return text


def _joiner(run: re.Match[str]) -> str:
    text, before, after = run.string, run.string[: run.start()][-1:], run.string[run.end() :][:1]
    return text[run.start()] if before and _says_something(before, after) else ""


def _says_something(before: str, after: str) -> bool:
    """Return whether a joiner between two signs is seen; after a virama it is at the end of a word too."""
    if unicodedata.combining(before) == _VIRAMA:
        return True
    if not after:
        return False
    pictures = _is_picture(before) and _is_picture(after)
    return pictures or (_is_of_word(before) and _is_of_word(after) and (_joins(before) or _joins(after)))


def _is_picture(sign: str) -> bool:
    return sign == "\ufe0f" or (not sign.isascii() and unicodedata.category(sign)[0] == "S")


def _is_of_word(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LMN"


def _joins(sign: str) -> bool:
    if sign.isascii() or unicodedata.category(sign)[0] == "N":
        return False
    return not unicodedata.name(sign, "").startswith((*_UNJOINED, "COMBINING", "VARIATION"))
