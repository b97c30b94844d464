"""Institutions: how far a name goes on over the fields of an institution: "Department of Health, Education and Welfare"."""

from __future__ import annotations

from itertools import pairwise

from spacy.tokens import Doc, Token

from server.services.extraction import language, vocabulary
from server.services.extraction.shapes import is_capital, last_of_run, starts_sentence

NOBLE = vocabulary.wordset(
    "princess prince queen king duchess duke archduke archduchess countess lady emperor empress infanta"
)
_BODIES = vocabulary.wordset(
    "corporation commission administration union agency department ministry institute committee authority council board bank trust hall museum"
)
_PUBLICATIONS = frozenset({"letters", "magazine", "journal", "transactions", "review"})
_TITLES_OF_ALL = vocabulary.TITLES | NOBLE


def pairs(doc: Doc, start: int, end: int) -> bool:
    """Tell whether "and" belongs to an institution's field: "Department of Health and Human Services"."""
    within = [token.lower_ for token in doc[start:end]]
    following = doc[end + 1].lower_
    if following in _TITLES_OF_ALL or following in vocabulary.words("roles"):
        return False  # Museum of Modern Art and Chair of its council
    heads = (before for before, word in pairwise(within) if word in {"of", "for"})
    if doc[start].text.isupper() and len(doc[start]) > 2 and last_of_run(doc, end + 1) in _PUBLICATIONS:
        return True  # ABC Robotics and Automation Letters
    institution = any(head in vocabulary.OF_HEADS for head in heads)
    before, after = doc[end - 1], doc[end + 1]
    plain = all(language.is_word(one.lower_) and one.text not in vocabulary.listed() for one in (before, after))
    plain = plain and not before.ent_type_ == after.ent_type_ == "GPE"
    return plain and (institution or _ends_in_institution(doc, end))


def past_fields(doc: Doc, start: int, end: int) -> int | None:
    """Return where the fields of an institution end: "Academy for Theatre, Radio, Film and Television"; None where a list of names goes on."""
    within = [token.lower_ for token in doc[start:end]]
    if within[0] not in vocabulary.OF_HEADS or len(within) < 3 or within[1] not in {"of", "for"}:
        return None
    index, last = end - 1, False
    while not last and _is_field(doc[index]) and index + 2 < len(doc) and doc[index + 1].text in {",", "and", "&"}:
        index += 3 if doc[index + 1].text == "," and doc[index + 2].text == "and" else 2
        last = index < len(doc) and doc[index - 1].text in {"and", "&"}
    return index + 1 if last and _is_field(doc[index]) else None


def _is_field(token: Token) -> bool:
    """Tell whether a capitalised word may be a field that an institution is for: a common word, and nobody's name."""
    known = token.text in vocabulary.listed() or token.text in vocabulary.given_names() or token.ent_type_ == "PERSON"
    return is_capital(token) and language.is_word(token.lower_) and not known


def _ends_in_institution(doc: Doc, end: int) -> bool:
    """Tell whether "and" joins two fields of one body: "the American Research and Development Corporation"."""
    named = (
        doc[end - 1].lower_ in vocabulary.HEADS
        or doc[end - 1].text in vocabulary.given_names()
        or starts_sentence(doc[end - 1])
    )
    last = end + 1
    while last + 1 < len(doc) and is_capital(doc[last + 1]):
        last += 1
    return not named and last - end > 1 and doc[last].lower_ in _BODIES and doc[end - 1].ent_type_ in {"", "ORG"}
