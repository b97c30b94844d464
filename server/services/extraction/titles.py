"""Titles: what stands in quotation marks because it is called so: films, books, songs, and other names that were given."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spacy.tokens import Doc, Span

from server.services.extraction import language, vocabulary

_QUOTED = re.compile(
    r"[“„]\s?([^“”„\n]{1,90}?)\s?[“”]|«\s?([^«»\n]{1,90}?)\s?»|``\s?([^`\n]{1,90}?)\s?''"
    r"|(?<![\w\"])\"\s?([^\"\n]{1,90}?)\s?\"(?!\w)|(?<=[\s(])\"\s([^\"\n]{1,90}?)\"|(?<!\w)‘([^‘’\n]{2,90}?)’(?!\w)"
)
_SMALL = vocabulary.PARTICLES | vocabulary.wordset(
    "a an the of and or but nor in on at to for from by with as into over up vs v n' 'n' is it"
)
_WORKS = vocabulary.wordset(
    "film films movie movies novel novels book books song songs single singles album albums series show play plays opera episode episodes "
    "track tracks poem poems story stories essay essays musical game games documentary soundtrack anthem ballad comedy drama sitcom "
    "paper article magazine newspaper journal painting sculpture ep hit hits sequel remake titled entitled wrote written directed starring "
    "sang recorded published"
)
_CALLING = vocabulary.wordset("as called named dubbed nicknamed termed name alias nickname label labelled labeled")
_PRESSED = vocabulary.wordset(
    "click press select choose tap hit type enter button menu tab option field error message says say said"
)
_REACH = 6


def quoted_titles(doc: Doc) -> Iterator[tuple[Span, bool]]:
    """Yield the titles in quotation marks, each with whether it is a work; what somebody says in them is none.

    The capitals of a title tell it from speech; one plain word needs a word before it that says what it is.
    """
    text = doc.text  # made anew at each call
    if not any(sign in text for sign in '"“„«`‘'):
        return
    for match in _QUOTED.finditer(text):
        group = match.lastindex or 0
        start, end = match.span(group)
        while end > start and text[end - 1] in ",.; ":
            end -= 1
        span = doc.char_span(start, end, alignment_mode="contract")
        if span is None or not is_title(span.text):
            continue
        before = [token.lower_ for token in doc[max(span.start - 1 - _REACH, 0) : max(span.start - 1, 0)]]
        if set(before[-3:]) & _PRESSED or _is_nickname(doc, span):
            continue
        is_work = bool(set(before) & _WORKS)
        called = bool(set(before[-2:]) & _CALLING)
        if is_work or (len(span) > 1 and not called):
            yield span, True
        elif called or not language.is_word(span.text.lower()):
            yield span, False


def is_title(text: str) -> bool:
    """Tell whether words are set like a title: capitals on all but the small ones, no sentence's end inside."""
    words = text.split()
    if not words or len(words) > 10 or re.search(r"[.;]\s", text) or text.endswith((",", ".")):
        return False
    opens = words[0][0].isupper() or words[0][0].isdigit()
    weighty = [word for word in words if word.lower().strip("'’,!?:") not in _SMALL]
    return opens and bool(weighty) and all(not word[0].isalpha() or word[0].isupper() for word in weighty)


def _is_nickname(doc: Doc, span: Span) -> bool:
    """Tell whether the quotation stands inside a person's name: Dwayne "The Rock" Johnson."""
    before, after = span.start - 2, span.end + 1
    if before < 0 or after >= len(doc):
        return False
    return (
        doc[before].text[0].isupper()
        and doc[after].text[0].isupper()
        and doc[before].text.isalpha()
        and doc[after].tag_ == "NNP"
    )
