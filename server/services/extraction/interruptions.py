"""Interruptions: what stands between a name and its verb, and what the grammar trips over: a weekday, an age, a score, a translation.

The parser never sees them: "Ada Roe, 41, on Monday beat Bea Lind 6-4, 6-3 in Oslo" reads as "Ada Roe beat Bea Lind in Oslo".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spacy.tokens import Doc

from server.services.extraction import vocabulary
from server.services.extraction.names import Name

_WEEKDAY = re.compile(r"\son (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?=\s)")
_AGE = re.compile(r",\s\d{1,3}(?=,\s)")
_SET = r"\d{1,3}[-–]\d{1,3}(?:\s?\(\d{1,2}(?:[-/]\d{1,2})?\))?"
_SCORE = re.compile(rf"\s{_SET}(?:,? (?:and )?{_SET})*(?![\w–-])")
_IN_ANOTHER_LANGUAGE = re.compile(r"\s?\(\s?([A-Z][a-z]+):[^()\n]{1,90}\)")
_CAPITALS = r"[A-Z][A-Z.'’-]{2,}(?:\s[A-Z.'’-]{2,}){0,3}"
_CITY = r"[A-Z][\w.'’-]+(?:\s[A-Z][\w.'’-]+){0,2}"
_AROUND = rf"(?:,\s{_CITY})?"
_ON = r"(?:,\s(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?\s\d{1,2}(?:,\s\d{4})?)"
_AGENCY = r"(?:\s\([A-Z][\w./ ]{1,20}\))"
_DASH = r"\s?(?:[-–—]{1,2}|:)\s"
_DATELINE = re.compile(
    rf"{_CAPITALS}{_AROUND}(?:{_ON}?{_AGENCY}?{_DASH}|{_ON}{_AGENCY}?\s|{_AGENCY}\s)"
    rf"|{_CITY}{_AROUND}(?:{_ON}{_AGENCY}?|{_AGENCY}){_DASH}"
)
"""Where and when a report was written, before its first sentence: "OSLO, Norway, May 3 (AP) — ", "Oslo (AP) - "."""
_LATER_DATELINE = re.compile(rf"(?<=[.!?”\"]\s){_CAPITALS}{_AROUND}{_AGENCY}{_DASH}")
_VERBS = frozenset({"VBD", "VBZ", "VBN"})


def interruptions(doc: Doc, names: Iterable[Name]) -> Iterator[tuple[int, int]]:
    """Yield the half-open characters of a tagged block that interrupt what it says of the name before them.

    A weekday does only where a verb follows it, a score only where no noun does ("their 4-0 win"), an age only behind a person;
    a bracket does that says the name in another language: "(Italian: Sale e pepe)".
    """
    text = doc.text
    for name in names:
        end = name.end
        age = _AGE.match(text, end) if name.type == "person" else None
        if age is not None:
            yield age.span()
            end = age.end()
        bracket = _IN_ANOTHER_LANGUAGE.match(text, end)
        if bracket is not None and bracket[1].lower() in vocabulary.words("adjectives"):
            yield bracket.span()
        if (weekday := _WEEKDAY.match(text, end)) is not None and _tag_at(doc, weekday.end() + 1) in _VERBS:
            yield weekday.span()
        if (score := _SCORE.match(text, end)) is not None and not _tag_at(doc, score.end() + 1).startswith("NN"):
            yield score.span()


def dateline(text: str, names: Iterable[Name]) -> tuple[int, int] | None:
    """Return the half-open characters of the dateline that a report opens with; a dash alone makes one only behind a place."""
    found = _DATELINE.match(text)
    first = next((name for name in names if name.start == 0), None)
    if found is None or first is None:
        return None
    signed = any(letter in "(" or letter.isdigit() for letter in found[0])
    return found.span() if signed or first.type == "place" else None


def later_datelines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the datelines of the reports that follow in a digest; these have to be signed: "OSLO, Norway (AP) — "."""
    yield from (found.span() for found in _LATER_DATELINE.finditer(text))


def _tag_at(doc: Doc, start: int) -> str:
    """Return the tag of the token that begins at a character; nothing behind the end, or between two tokens."""
    span = doc.char_span(start, start + 1, alignment_mode="expand") if start < len(doc.text) else None
    return span[0].tag_ if span else ""
