"""Halves: words with capitals that are but part of a name whose bounds nothing tells; they make no name of their own."""

from __future__ import annotations

from spacy.tokens import Doc

from server.services.extraction import language, vocabulary
from server.services.extraction.shapes import is_capital, starts_sentence

_POSTS = vocabulary.TITLES | vocabulary.TITLE_ROLES


def is_torn_off(doc: Doc, index: int) -> bool:
    """Tell whether a common word is but half of a name: "Jane's Addiction" for a band, "the Class of 92", "the Palatine of Ash"."""
    token, after = doc[index], doc[index + 2] if index + 2 < len(doc) else None
    if not language.is_word(token.lower_) or token.ent_type_ in {"PERSON", "GPE"}:
        return False
    if after is not None and doc[index + 1].text == "of" and (is_capital(after) or after.text[0].isdigit()):
        return True
    owner = doc[index - 2] if index > 1 and doc[index - 1].text in {"'s", "’s"} else None
    given = owner is not None and owner.text in vocabulary.given_names()
    return given and (index == 2 or not is_capital(doc[index - 3]))


def is_surname(doc: Doc, first: int, last: int) -> bool:
    """Tell whether a title of one word is but part of a name here: "Mette Roe" in a document about Roe, "Ash Theatre" in one of theatre."""
    before = doc[first - 1] if first and last - first == 1 else None
    if before is None or not is_capital(before) or not before.is_alpha or before.text in vocabulary.listed():
        return False
    if any(before.lower_ in words for words in (_POSTS, *map(vocabulary.words, ("roles", "adjectives", "not_names")))):
        return False
    given = before.text in vocabulary.given_names() or not language.is_word(before.lower_)
    return given or not starts_sentence(before)
