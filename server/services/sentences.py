"""Where sentences end, in any script, by punctuation alone: no model, no language setting.

Errs towards longer sentences: a split inside "Dr. Noor" costs more than two sentences taken as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["sentences"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Followed by a word that starts a sentence, these may end one ("at Acme Inc. She left"); otherwise they never do.
_ABBREVIATIONS = _words("""
al approx apt assn assoc ave bldg blvd bros bzw ca cf co corp dept dist div ed eds esp est etc evtl excl ext ff fig figs ggf
govt gmbh inc incl jan feb mar apr jun jul aug sep sept oct nov dec jr ltd max min misc no nos nr op orig par pl plc pp pt pty
rd resp sec seq sq sr str tel temp univ usw vgl viz vol vols vs zzgl inkl bspw sog mio mrd núm pág págs av art bd tab abb ph.d
b.sc m.sc
""")
_TITLES = _words("""
mr mrs ms mx dr prof st sen rep gov gen col maj capt cmdr lt sgt cpl rev hon pres messrs mme mlle fr hr sra srta dra ing dipl
mag e.g i.e z.b d.h u.a o.ä p.ej
""")
_STARTERS = _words("""
the it he she they we you i this that these those there his her its their our in on at as after before since when while if but
and however for from with by an a to der die das er sie es wir ein eine im il elle ils elles le la les un une el los
""")

_CLOSING = "\"'”’»›)\\]}」』）】*_"
_BREAK = re.compile(
    rf"(?P<stop>(?<![.!?…])[.!?…]++[{_CLOSING}]*+(?=\s))"
    rf"|(?P<hard>[。！？｡।॥؟۔։።။]++[{_CLOSING}]*+)"
    r"|(?P<gap>(?:\r\n?+|\n)[^\S\r\n]*+(?:(?:\r\n?+|\n)\s*+|(?=(?:[-*+•‣◦–]|[0-9]{1,3}[.)])[^\S\r\n]))|[\f\u2029])"
)
_LAST_WORD = re.compile(r"[^\s\"'“”‘’«»(\[{,;:/]+$")
_NEXT_WORD = re.compile(r"\s+[\"'“‘«‹(\[{¿¡*_]*([^\W_]+)?")


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the sentences of `text` as spans [start, end) in code points, in order and without outer white space.

    Together they cover everything that is not white space. Blank lines and list items end a sentence; a mere line break does
    not. Abbreviations, initials and decimals do not end one unless the next word starts a sentence. Linear in `text`.
    """
    spans = []
    start = 0
    for end in (*_ends(text), len(text)):
        span = _trimmed(text, start, end)
        if span is not None:
            spans.append(span)
        start = end
    return spans


def _ends(text: str) -> Iterator[int]:
    for found in _BREAK.finditer(text):
        if found.lastgroup != "stop" or _ends_sentence(text, found):
            yield found.end()


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return None
    first = start + len(piece) - len(piece.lstrip())
    return first, first + len(stripped)


def _ends_sentence(text: str, stop: re.Match[str]) -> bool:
    """Whether a run of . ! ? … before white space ends its sentence."""
    following = _NEXT_WORD.match(text, stop.end(), stop.end() + 80)
    next_word = (following.group(1) or "") if following else ""
    if next_word[:1].islower():
        return False
    if stop.group().rstrip(_CLOSING) != ".":
        return True
    last = _LAST_WORD.search(text[max(0, stop.start() - 24) : stop.start()])
    word = last.group() if last else ""
    if word.casefold() in _TITLES:
        return False
    if _is_list_number(text, stop.start(), word):
        return False
    if word.casefold() in _ABBREVIATIONS or _is_initials(word):
        return next_word.casefold() in _STARTERS
    return True


def _is_initials(word: str) -> bool:
    """ "J" of "J. Smith", "U.S" of "U.S. Senate": single letters, with dots between them."""
    return all(len(part) == 1 and part.isalpha() and not _is_ideograph(part) for part in word.split("."))


def _is_ideograph(sign: str) -> bool:
    return sign.isalpha() and not sign.isupper() and not sign.islower()


def _is_list_number(text: str, end: int, word: str) -> bool:
    """ "1" of "1. Open the door", at the start of its line."""
    if not (0 < len(word) <= 3 and word.isdigit()):
        return False
    before = text[max(0, end - len(word) - 40) : end - len(word)]
    line = before.replace("\r", "\n").rpartition("\n")[2]
    return not line.strip() and (len(line) < len(before) or end - len(word) - len(before) == 0)
