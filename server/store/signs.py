"""Signs and codes of a query: what tells texts apart that the full-text index cuts away.

To the index C, C++ and C# are one word, E-4712 is two, and → is none. What occurs verbatim is therefore looked for beside it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

__all__ = ["Sign", "Signs", "signs_of"]

_MOST = 4
_OFTEN, _LETTER = 1.2, 0.15
_OPENING, _CLOSING = "\"'`“”‘’«»([{<", "\"'`“”‘’«»)]}>.,;:!?*…。、"
_TELLING = re.compile(r"[#+_\\@=&|~^$%<>°§]")
_WITH_DIGITS = re.compile(r"[\w/:.,-]*\d[\w/:.,-]*")
_NUMBER = re.compile(r"[\d.,]+")
_PLAIN_LETTERS = "AI"  # words of English
_SELECTORS = re.compile("[\ufe0e\ufe0f]")
_KEPT_TOGETHER = re.compile("[\u200d\U0001f3fb-\U0001f3ff]")
_SILENT = "™®℠©"


@dataclass(frozen=True, slots=True)
class Sign:
    """What is looked for as it is written, in any case."""

    text: str

    @property
    def is_worded(self) -> bool:
        """Whether it has a letter or digit, by which the index knows it."""
        return any(sign.isalnum() for sign in self.text)

    @property
    def is_letter(self) -> bool:
        """Whether it is one letter: a name as C is, but far more often an initial or a number as in Henry V."""
        return len(self.text) == 1 and self.text.isalpha()

    def often(self, text: str) -> int:
        """Return how often a text has it, not as a part of a longer code."""
        return sum(1 for _ in _pattern(self.text).finditer(_SELECTORS.sub("", text)))


class Signs(NamedTuple):
    """The signs and codes of a query, and whether it is nothing but them."""

    all: tuple[Sign, ...]
    alone: bool

    @property
    def sought(self) -> tuple[Sign, ...]:
        """Those that texts are looked for which have them; letters among other words only tell apart what these find."""
        return self.all if self.alone else tuple(sign for sign in self.all if not sign.is_letter)

    def worth(self, text: str) -> float:
        """Return how much of them a text has: 0 for none, at least 1 for all that are sought, at most 1.25 of each, more for what it
        has often. Letters among other words add a little.
        """
        weights = [_LETTER if sign.is_letter and not self.alone else 1.0 for sign in self.all]
        often = [sign.often(text) for sign in self.all]
        worth = sum(weight * (1 + 0.25 * n / (n + _OFTEN)) for weight, n in zip(weights, often, strict=True) if n)
        return worth / max(1, len(self.sought))


@lru_cache(maxsize=256)
def _pattern(sign: str) -> re.Pattern[str]:
    """Return what finds a sign. A letter or digit at its edge is not in the middle of a code, nor its last sign doubled."""
    before = r"(?<![\w-])" if sign[0].isalnum() else ""
    after = rf"(?!{re.escape(sign[-1])})"
    if sign[-1].isalnum():
        after = r"(?![\w+#]|-\w)"
    elif not any(one.isalnum() for one in sign):
        after = ""
    return re.compile(f"{before}{re.escape(sign)}{after}", re.IGNORECASE)


def signs_of(query: str) -> Signs:
    """Return the first few signs and codes of a query: words with a sign that tells, codes with digits and a sign, lone capitals, and
    pictures. Of a query without a letter or digit every sign is one.
    """
    found: dict[Sign, None] = {}
    rest = False
    wordless = not any(sign.isalnum() for sign in query)
    tokens = _SELECTORS.sub("", query).split()
    for token in tokens:
        signs = _of_token(token, wordless=wordless, only=len(tokens) == 1)
        found.update(dict.fromkeys(signs))
        said = any(sign.isalnum() for sign in token)
        rest = rest or not signs or (said and not signs[0].is_worded)
    return Signs(tuple(found)[:_MOST], alone=bool(found) and not rest)


def _of_token(token: str, *, wordless: bool, only: bool) -> list[Sign]:
    core = token.lstrip(_OPENING).rstrip(_CLOSING)
    if len(core) == 1 and core.isalpha() and token.endswith(f"{core}."):  # an initial
        return []
    if any(sign.isalnum() for sign in core):
        return [Sign(core)] if _is_code(core, only=only) else [Sign(one) for one in _pictures(core)]
    return [Sign(one) for one in _pictures(token)] or ([Sign(token)] if wordless else [])


def _is_code(core: str, *, only: bool) -> bool:
    if len(core) == 1:
        return core.isascii() and core.isupper() and (only or core not in _PLAIN_LETTERS)
    if _TELLING.search(core) or core.startswith("."):
        return True
    inner = any(sign in "/:.,-" for sign in core)
    return inner and _WITH_DIGITS.fullmatch(core) is not None and not _NUMBER.fullmatch(core)


def _pictures(token: str) -> Sequence[str]:
    """Return the symbols that are not ASCII, each with what belongs to it: a tone of skin, what a joiner joins."""
    found: list[str] = []
    joined = False
    for sign in token:
        if found and (joined or _KEPT_TOGETHER.match(sign)):
            found[-1] += sign
            joined = sign == "\u200d"
        elif not sign.isascii() and sign not in _SILENT and unicodedata.category(sign)[0] == "S":
            found.append(sign)
    return found
