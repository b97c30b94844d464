"""Shapes: whether a word is written like a name, and whether a sentence starts with it, which tells the less of it."""

from __future__ import annotations

import re

from spacy.tokens import Doc, Token

_CAMEL = re.compile(r"[a-z]{1,3}[A-Z][A-Za-z]+$")
_NUMBERED = re.compile(r"\d{1,3}(?!(?:[DKMBGTWVACXSHLP]|[GMTK]B|[KMC]M|KG|AM|PM|K?HZ|MHZ|GHZ)$)[A-Z]{1,4}")
_ENDS_SENTENCE = frozenset('.!?:;"“”()[]—–…|•')


def is_capital(token: Token) -> bool:
    """Tell whether the word is written like a name: Ada, iPhone, 18F."""
    text = token.text
    return text[0].isupper() or bool(_CAMEL.match(text)) or bool(text[0].isdigit() and _NUMBERED.fullmatch(text))


def starts_sentence(token: Token) -> bool:
    return token.i == 0 or token.nbor(-1).text in _ENDS_SENTENCE or token.nbor(-1).text.endswith((".", "!", "?"))


def last_of_run(doc: Doc, index: int) -> str:
    """Return the last word of the capitalised ones from the index on, lower-case."""
    while index + 1 < len(doc) and is_capital(doc[index + 1]):
        index += 1
    return doc[index].lower_
