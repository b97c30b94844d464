"""Capitals: runs of words that their case binds together, and what a word's case and place say of it.

Case alone makes no name: this module proposes, names.py asks for a second witness.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spacy.tokens import Doc, Token

from server.services.extraction import vocabulary

_INNER_CASE = re.compile(r"[a-zà-ÿ].*[A-Z]|[A-Z]{2,}.*[a-z]|[A-Z].*\d")
_CAMEL = re.compile(r"[a-z]{1,2}[A-Z][A-Za-z]+$")
_ENDS_SENTENCE = frozenset('.!?:;"“”()[]—–…|•')


def runs(doc: Doc) -> Iterator[tuple[int, int]]:
    """Yield half-open spans of words that the case binds together, over particles, "of" after an institution, and hyphens."""
    index = 0
    while index < len(doc):
        if not is_capital(doc[index]):
            index += 1
            continue
        end = index + 1
        while (reach := _joint(doc, index, end)) is not None:
            end = reach
        yield index, end
        index = end


def _joint(doc: Doc, start: int, end: int) -> int | None:
    """Return where the run goes on to, or None where it ends."""
    if end >= len(doc):
        return None
    token, after = doc[end], doc[end + 1] if end + 1 < len(doc) else None
    if is_capital(token) and not _ends_run(doc[end - 1]):
        return end + 1
    if after is None:
        return end + 1 if _is_version(token, None) else None
    opener = (
        doc[end - 1].text.lower() in vocabulary.ORGANIZATION_OPENERS | vocabulary.PLACE_HEADS | vocabulary.EVENT_HEADS
    )
    across = (
        token.text == "of" and bool(token.ent_type_) and doc[end - 1].ent_type_ == token.ent_type_ == after.ent_type_
    )
    opener = opener or across or re.fullmatch(r"[IVX]{1,5}", doc[end - 1].text) is not None
    bound = token.text in vocabulary.PARTICLES or token.text == "&" or (token.text == "of" and opener)
    hyphen = token.text == "-" and not doc[end - 1].whitespace_ and not token.whitespace_
    if (bound or hyphen) and is_capital(after):
        return end + 2
    if (
        token.text in vocabulary.PARTICLES
        and end + 2 < len(doc)
        and after.text in {"la", "los", "der", "den"}
        and is_capital(doc[end + 2])
    ):
        return end + 3
    return end + 1 if _is_version(token, after) else None


def _is_version(token: Token, after: Token | None) -> bool:
    """Tell whether a number belongs to the name before it (SAML 2.0, Python 3): short, no year, no count of something."""
    if not re.fullmatch(r"\d{1,2}(?:\.\d{1,3}){0,2}|[IVX]{1,4}", token.text):
        return False
    if after is not None and after.text == "costs":
        return True  # a verb here, which the tagger often takes for a noun
    return after is None or not (after.tag_.startswith("NN") or (after.text in "%:/-,–" and after.text != ","))


def _ends_run(token: Token) -> bool:
    return (
        token.text.endswith(".")
        and len(token.text) > 3
        and token.text.lower() not in vocabulary.TITLES | vocabulary.LEGAL_FORMS
        and not re.fullmatch(r"(?:[A-Z]\.)+", token.text)
    )


def trimmed(doc: Doc, first: int, last: int) -> tuple[int, int]:
    """Drop articles, ranks, roles and plain words from the ends of a run: "CEO Tim Cook" is Tim Cook."""
    roles = [index for index in range(first, last) if doc[index].text.lower() in vocabulary.TITLE_ROLES]
    if roles and doc[first].text not in vocabulary.given_names():
        first = roles[-1] + 1
    if last - first > 1 and starts_sentence(doc[first]) and doc[first].tag_ in {"VB", "VBP", "RB", "UH", "IN", "WRB"}:
        first += 1  # an imperative before a name: "Use HTTPS"
    while first < last and (_is_plain(doc[first]) or is_rank(doc[first]) or not is_capital(doc[first])):
        first += 1
    person = doc[first].text in vocabulary.given_names() if first < last else False
    while first < last and _is_loose_end(doc, first, last, person):
        last -= 1
    nameless = (
        vocabulary.words("not_names") | vocabulary.words("adjectives") | vocabulary.PLAN_NOUNS | vocabulary.TITLES
    )
    named = any(_bare(token) not in nameless and token.text[0].isalnum() for token in doc[first:last])
    return (first, last) if named else (last, last)


def _is_loose_end(doc: Doc, first: int, last: int, person: bool) -> bool:
    """Tell whether the last word of a run is no part of the name; a person's surname may be any word: Larry Page."""
    word = doc[last - 1]
    ordinal = last - first > 1 and word.text == "I"  # the number of a ruler, no pronoun
    kept = ordinal or word.text.lower() in vocabulary.PLAN_NOUNS or (person and last - first == 2)
    return not kept and (_is_plain(word) or word.text.endswith("-"))


def _is_plain(token: Token) -> bool:
    partial = token.text.endswith("-") and _bare(token) in vocabulary.words("adjectives")
    return partial or _bare(token) in vocabulary.words("not_names")


def _bare(token: Token) -> str:
    return token.text.lower().strip("-")


def is_capital(token: Token) -> bool:
    return token.text[0].isupper() or bool(_CAMEL.match(token.text))


def is_odd(token: Token) -> bool:
    """Tell whether the word's very shape is a name's: FastAPI, SSO, GPT-3."""
    return (
        len(token.text) > 1
        and (token.text.isupper() or bool(_INNER_CASE.search(token.text)))
        and token.text.lower() not in (vocabulary.words("not_names"))
    )


def is_rank(token: Token) -> bool:
    return token.text.lower() in vocabulary.TITLES


def starts_sentence(token: Token) -> bool:
    return token.i == 0 or token.nbor(-1).text in _ENDS_SENTENCE or token.nbor(-1).text.endswith((".", "!", "?"))


def is_titled(doc: Doc) -> bool:
    """Tell whether the block is set like a title, so that capitals say nothing."""
    words = [token for token in doc if token.is_alpha and len(token.text) > 3]
    return len(words) > 3 and sum(is_capital(token) for token in words) > 0.7 * len(words)
