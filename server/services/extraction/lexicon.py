"""Lexicon: whether a phrase holds only common words, so that an item of a list or a cell of a table is no name by its capital."""

from __future__ import annotations

import re
from functools import cache

from server.services.extraction import language, vocabulary

_SMALL = vocabulary.wordset("a an the of for and or in on at to with by from per & + - –")


@cache
def is_common(word: str) -> bool:
    """Tell whether a word, in any form and case, is an English word."""
    lower = word.lower().strip(".,;:!?()")
    return language.is_word(lower) or ("-" in lower and all(is_common(part) for part in lower.split("-") if part))


def is_plain(phrase: str) -> bool:
    """Tell whether a phrase holds no word that is not a common one; figures count as such."""
    words = re.findall(r"[^\s/,]+", phrase)
    return all(word.lower() in _SMALL or not re.search(r"[^\W\d_]", word) or is_common(word) for word in words)


def is_technology(phrase: str) -> str | None:
    """Return the listed spelling of a technology that a phrase names in whatever case, if it does."""
    return _technologies().get(phrase.casefold())


@cache
def _technologies() -> dict[str, str]:
    listed = {name for name, kind in vocabulary.listed().items() if kind in {"technology", "product"}}
    return {name.casefold(): name for name in sorted(listed | vocabulary.words("technologies_ambiguous"))}
