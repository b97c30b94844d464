"""The title of a document: what name it gives, and what it says in brackets that this is."""

from __future__ import annotations

import re

from server.services.extraction import language, vocabulary
from server.services.extraction.contexts import kind_of_noun

_LONGEST_TITLE = 9
_IN_TITLES = vocabulary.PARTICLES | vocabulary.wordset("of the a an and or in on for to from with at by as is it my")


def of_title(title: str, text: str) -> str:
    """Return the title without what its brackets and commas add, where the text uses it as a name; else nothing."""
    whole = re.sub(r"\s*\([^()]*\)\s*$", "", title.strip())
    for head in (whole, re.split(r"\s*[(,:|–—]", whole, maxsplit=1)[0].strip()):
        words = head.split()
        plain = head.casefold() in vocabulary.words("not_names") or len(words) > _LONGEST_TITLE
        plain = plain or (_is_number(head) and whole == title.strip() and not text.lstrip().startswith(head))
        plain = plain or not all(not word[0].islower() or word in _IN_TITLES for word in words) or _names_two(words)
        if head and not plain and re.search(rf"(?<!\w){re.escape(head)}(?!\w)", text):
            return head
    return ""


def _is_number(head: str) -> bool:
    """Tell whether a title is no word: 10.txt is the tenth file rather than the film, unless it says so or its text begins with it."""
    return not any(letter.isalpha() for letter in head)


def _names_two(words: list[str]) -> bool:
    """Tell whether a title's "and" joins two names, BERT and GPT-3, and not the words of one, Home and Away."""
    joined = [(words[at - 1], words[at + 1]) for at in range(1, len(words) - 1) if words[at] in {"and", "or", "vs"}]
    return any(not language.is_word(word.lower()) or word in vocabulary.listed() for pair in joined for word in pair)


def kind_of_title(title: str) -> str | None:
    """Return what the bracket after a title says that it is: "Caresses (film)", "Li Wei (physicist)"."""
    bracket = re.search(r"\(([^()]{2,40})\)\s*$", title)
    words = re.findall(r"[a-z-]+", bracket[1].lower()) if bracket else []
    return next((kind for word in reversed(words) if (kind := kind_of_noun(word)) is not None), None)
