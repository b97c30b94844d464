"""Works: the film, book or song that a text opens with to say what it is, by its whole title."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spacy.tokens import Doc

from server.services.extraction import vocabulary
from server.services.extraction.contexts import kind_by_definition
from server.services.extraction.titles import is_title

_YEAR = re.compile(r"(?:19|20)\d\d")
_CALLED_ELSE = vocabulary.wordset(
    "also known released originally titled entitled styled stylised stylized sometimes or"
)
_LEADING = frozenset({"IN", "RB", "VBN", "VBG", "TO", "WRB"})
"""How a word is tagged that opens the sentence before the work: "Set in Oslo, Salt is a 1980 film"."""


def defined_works(doc: Doc) -> Iterator[tuple[int, int]]:
    """Yield the half-open tokens of the work that a text starts with to say what it is: "Football of the Good Old Days is a 1973 film"."""
    strict = list(_plainly_defined(doc))
    if strict:
        yield from strict
        return
    end = next((token.i for token in doc[1:14] if token.text in {"is", "was", "("}), 0)
    if end < 2 or not is_title(doc[:end].text) or kind_by_definition(doc, end) != "work":
        return
    if any(token.tag_ in {"VBZ", "VBD"} and token.text.islower() for token in doc[:end]) or "," in doc[:end].text:
        return
    yield 0, end


def _plainly_defined(doc: Doc) -> Iterator[tuple[int, int]]:
    """Yield the work of a first sentence that dates it or says whose it is, commas and all, and what else it is called.

    "Salt, Pepper and Thyme (Italian: Sale) is a 1980 film", "Devil on the Hill, also known as Drums, is an American film".
    """
    verb = next(
        (token.i for token in doc[1:40] if token.text in {"is", "was"} and _dates_or_places(doc, token.i)), None
    )
    if verb is None or kind_by_definition(doc, verb) != "work":
        return
    cut = next((one for one in range(1, verb) if doc[one].text == "(" or _turns_aside(doc, one)), verb)
    end = cut - 1 if doc[cut - 1].text == "," else cut
    head, words = doc[:end], doc[:end].text
    verbs = any(token.tag_ in {"VBZ", "VBD"} and token.text.islower() for token in head)
    opens = "," in words and doc[0].tag_ in _LEADING
    lone = end == 1 and (cut == verb or not doc[0].tag_.startswith(("NN", "VB", "JJ", "UH")))
    if lone or verbs or opens or not is_title(words):
        return
    yield 0, end
    first = next((one.i + 1 for one in doc[cut:verb] if one.text == "as"), verb)
    last = next((one.i for one in doc[first:verb] if one.text in {",", ")", "("}), verb)
    if first < last and is_title(doc[first:last].text):
        yield first, last


def _dates_or_places(doc: Doc, verb: int) -> bool:
    """Tell whether a year or a nationality stands right behind the article: "is a 1980", "was the American"."""
    article, after = doc[verb + 1 : verb + 2].text, doc[verb + 2 : verb + 3].text
    return article in {"a", "an", "the"} and bool(
        _YEAR.fullmatch(after) or after.lower() in vocabulary.words("adjectives")
    )


def _turns_aside(doc: Doc, index: int) -> bool:
    """Tell whether a comma here opens what else a work is called: ", also known as"."""
    return doc[index].text == "," and doc[index + 1].lower_ in _CALLED_ELSE
