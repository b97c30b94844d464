"""Small words: where the title of a work goes on over "of", "the" and their like, which bind no other name."""

from __future__ import annotations

from spacy.tokens import Doc, Token

from server.services.extraction import language, vocabulary
from server.services.extraction.shapes import is_capital, starts_sentence

_INSIDE = frozenset({"of", "the", "a", "in", "to"})
_IN_TITLES = vocabulary.wordset("of the and in on to a for from with or at by")
_AUTHORING = vocabulary.wordset(
    "wrote writes published directed composed painted recorded film films movie novel novels book album song single series play poem "
    "musical opera episode memoir"
)
_AUTHORS = vocabulary.wordset("author writer creator composer")
_ONE_WORK = vocabulary.wordset("film movie novel book album song play poem musical opera memoir")
_POSTS = vocabulary.TITLES | vocabulary.TITLE_ROLES


def past_small_words(doc: Doc, start: int, end: int) -> int | None:
    """Return where the title that begins at `start` goes on to behind the small word at `end`, or None where it ends."""
    if doc[end].text in _INSIDE and (reach := _past_small(doc, start, end)) is not None:
        return reach
    if doc[end].lower_ in _IN_TITLES and _goes_on_title(doc, start, end):
        return end + (2 if is_capital(doc[end + 1]) else 3)
    return None


def _past_small(doc: Doc, start: int, end: int) -> int | None:
    """Return where a title goes on to: "saw The Long Way to the River" by its article, "Ada Roe's Bend of the River" by its owner."""
    titled = doc[start].text in {"The", "A", "An"} and end - start > 1 and not starts_sentence(doc[start])
    owned = start > 0 and doc[start - 1].text in {"'s", "’s"} and doc[end].text == "of" and _is_common(doc[end - 1])
    index = end
    while index < len(doc) and index - end < 3 and doc[index].text in _INSIDE:
        index += 1
    ends = index < len(doc) and is_capital(doc[index]) and _is_common(doc[index])
    return index + 1 if (titled or owned) and ends else None


def _is_common(token: Token) -> bool:
    """Tell whether a capitalised word is one of everyday, none that names somebody, a place, a day or a post by itself."""
    named = token.text in vocabulary.listed() or token.text in vocabulary.given_names()
    named = named or token.ent_type_ in {"GPE", "PERSON", "NORP"} or token.lower_ in vocabulary.words("not_names")
    posted = token.lower_ in _POSTS or token.lower_ in vocabulary.words("roles")
    return language.is_word(token.lower_) and not named and not posted


def _goes_on_title(doc: Doc, start: int, end: int) -> bool:
    """Tell whether a small word belongs to the title of a work: "wrote Pride and Prejudice", "the album Walk on Water"."""
    index = start - 1
    if index >= 0 and doc[index].text in {"the", '"'}:
        index -= 1
    of = index > 0 and doc[index].text == "of" and doc[index - 1].lower_ in _AUTHORS
    if index < 0 or not (of or doc[index].lower_ in _AUTHORING):
        return False
    after = end + 2 if doc[end + 1].text in {"the", "a", "an"} else end + 1
    if after >= len(doc) or not is_capital(doc[after]):
        return False
    if doc[end].text in {"and", "or"} and end - start > 1 and doc[index].lower_ not in _ONE_WORK:
        return False  # Raise the Red Lantern and Hero are two
    plain = (doc[end - 1], doc[after])
    return all(language.is_word(one.lower_) and one.text not in vocabulary.listed() for one in plain)
