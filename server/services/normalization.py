"""Text folding: the forms under which two spellings of one text compare equal.

Shared by match keys, claim contents and literal values. What a form is good for, and which rules come on top, is
decided by its callers.
"""

from __future__ import annotations

import unicodedata

from server.services.invisible import without_invisible

__all__ = ["fold", "trim_punctuation"]

# Signs that say nothing besides those that are invisible: the Mongolian vowel separator, variation selectors; and trademark signs, which
# NFKC would turn into letters. The joiners U+200C and U+200D stay: they tell words apart in Persian, in Indic scripts and in emoji.
_SILENT = "\u180e™℠®" + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
_SILENCE = dict.fromkeys(map(ord, _SILENT))
_UNIFY = (
    dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b\u058a\u05be"), "-")
    | dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u02bc\u02bb\u2032"), "'")
    | dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f"), '"')
)

_QUOTES = frozenset("\"'`«»‹›「」『』《》〈〉")
_PAIRS = {")": "(", "]": "[", "}": "{", "】": "【", "〕": "〔", "〗": "〖"}
_LOOSE = frozenset(".,;:!?¡¿‽-·•・、。،؛؟۔।॥։።។၊။")


def fold(text: str) -> str:
    """Return `text` under NFKC and case folding, with dashes, apostrophes and quotation marks unified and white space collapsed.

    Invisible signs and trademark signs go, unless there is nothing else. Idempotent; the same for NFC, NFD and
    full-width spellings. Empty only for white space.
    """
    if text.isascii():
        return " ".join(text.casefold().split())
    return _collapsed(without_invisible(text).translate(_SILENCE)) or _collapsed(text)


def _collapsed(text: str) -> str:
    previous = None
    while text != previous:  # case folding can undo a normal form, and a normal form bring upper case back
        previous = text
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", text).casefold())
        shown = without_invisible(folded)
        text = shown if shown.strip() else folded
    return " ".join(text.translate(_UNIFY).split())


def trim_punctuation(text: str) -> str:
    """Return a folded text without the punctuation, quotation marks and brackets around it; never empty unless it was.

    Signs that tell names apart stay: whatever is not punctuation (C++, C#, A*), the dot of ".NET", the minus of "-5", of
    the grade "A-" and of "C--", the inch sign of 12", brackets that close inside the text ("f(x)").
    """
    if text[:1].isalnum() and text[-1:].isalnum():
        return text
    partners = _bracket_pairs(text)
    low, high = 0, len(text)
    while low < high:
        first, last = text[low], text[high - 1]
        if _is_loose(last) and not _ends_in_sign(text[low:high]):
            high -= 1
        elif _is_loose(first) and not _starts_with_sign(text, low, high):
            low += 1
        elif (high - low > 1 and first in _QUOTES and last in _QUOTES) or partners.get(low) == high - 1:
            low, high = low + 1, high - 1
        elif last in _QUOTES and not (high - low > 1 and text[high - 2].isdigit() and text.count(last, low, high) == 1):
            high -= 1
        elif first in _QUOTES or (first in _PAIRS.values() and low not in partners):
            low += 1
        elif last in _PAIRS and high - 1 not in partners:
            high -= 1
        else:
            return text[low:high]
    return text.strip()


def _is_loose(sign: str) -> bool:
    return sign in _LOOSE or sign.isspace()


def _starts_with_sign(text: str, low: int, high: int) -> bool:
    first, following = text[low], text[low + 1 : high][:1]
    if low and text[low - 1] == first:  # an ellipsis or a drawn line, not the dot of ".NET"
        return False
    return (first == "." and following.isalnum()) or (first == "-" and following.isdigit())


def _ends_in_sign(text: str) -> bool:
    if not text.endswith("-") or len(text) > 5:
        return False
    grade = text.rstrip("-")
    return 1 <= len(grade) <= 3 and grade.isalnum() and len(text) - len(grade) <= 2


def _bracket_pairs(text: str) -> dict[int, int]:
    """The positions of brackets that have a partner, each with its partner's."""
    pairs: dict[int, int] = {}
    open_at: dict[str, list[int]] = {opening: [] for opening in _PAIRS.values()}
    for position, sign in enumerate(text):
        if sign in open_at:
            open_at[sign].append(position)
        elif sign in _PAIRS and open_at[_PAIRS[sign]]:
            partner = open_at[_PAIRS[sign]].pop()
            pairs[partner], pairs[position] = position, partner
    return pairs
