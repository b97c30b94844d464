"""Escaping: text from outside as one line of a text that a model reads, whose structure it can neither leave nor forge.

What makes structure there (line breaks, square and angle brackets, fences, quotation marks of a title) and what nobody sees (direction
marks, zero-width signs, tags, controls) is written as HTML writes characters, so that it can be read back; all else stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from html import unescape

__all__ = ["in_quotes", "on_one_line", "shortened"]

_BREAKS = re.compile(r"[\s\x1c-\x1f\x85\u2028\u2029]+")
_NAMED = {"<": "&lt;", ">": "&gt;", '"': "&quot;"}
_STRUCTURE = re.compile(r"[<>\[\]＜＞［］﹤﹥]|`{3,}|~{3,}|^#")
_REFERENCE = re.compile(r"&#?\w{1,32};?")
_JOINERS, _FORMS = "\u200c\u200d", "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_UNSEEN = re.compile(
    "[^\\S ]|["
    "\x00-\x1f\x7f-\x9f\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0"
    f"\ufff0-\ufffb{_FORMS}\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff\ud800-\udfff]"
)
"""What shows nothing, whatever its category says, and private characters, which show something else everywhere."""


def on_one_line(text: str) -> str:
    """Return a text as one line without structure: white space collapsed, soft hyphens gone, the rest escaped. Linear.

    Signs that join letters, as in Persian and in emoji, stay where they do.
    """
    line = _BREAKS.sub(" ", text.replace("\u00ad", "")).strip()
    line = _REFERENCE.sub(lambda found: _plain_reference(found[0]), line)
    line = _STRUCTURE.sub(lambda found: "".join(map(_escaped, found[0])), line)
    if line.isascii() and line.isprintable():
        return line
    return _UNSEEN.sub(lambda found: found[0] if _joins(line, found.start()) else _escaped(found[0]), line)


def in_quotes(text: str, limit: int) -> str:
    """Return a title or a name between quotation marks that none within it can close, cut at `limit` characters."""
    return f'"{on_one_line(shortened(text, limit)).replace(chr(34), _NAMED[chr(34)])}"'


def shortened(text: str, limit: int) -> str:
    """Return at most `limit` characters of a text; an ellipsis stands for what is cut off."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _plain_reference(text: str) -> str:
    """Return what looks like a character of HTML so that it is read back as it stands."""
    return text if unescape(text) == text else f"&amp;{text[1:]}"


def _escaped(sign: str) -> str:
    return _NAMED.get(sign) or f"&#x{ord(sign):X};"


def _joins(line: str, at: int) -> bool:
    """Return whether a joiner stands between two signs that show, or a variation selector behind one; both beyond ASCII."""
    sign, before, after = line[at], line[at - 1 : at], line[at + 1 : at + 2]
    if sign in _JOINERS:
        return _shows(after) and (_shows(before) or before == "\ufe0f")
    return unicodedata.category(sign) == "Mn" and sign not in "\u034f\u17b4\u17b5" and _shows(before)


def _shows(sign: str) -> bool:
    return sign > "\x7f" and _UNSEEN.match(sign) is None
