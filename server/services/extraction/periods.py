"""Periods: the dates that a text states, as half-open intervals with their precision.

"2024" as an end means until 2025-01-01; "since", "from" and "present" leave the end open. A number is a year only where
something around it says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from server.services.extraction.protocol import Instant, Precision

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?"
    r"|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_YEAR = r"(?:1[0-9]|20)\d\d"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_POINT = (
    rf"\d{{4}}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])|{_DAY}\s(?:of\s)?{_MONTH},?\s{_YEAR}|{_DAY}\s{_MONTH}\s[1-9]\d\d(?!\d)|{_MONTH}\s{_DAY},?\s{_YEAR}"
    rf"|{_MONTH},?\s(?:of\s)?{_YEAR}|Q[1-4]\s{_YEAR}|\d{{4}}-(?:0[1-9]|1[0-2])(?!\d)|{_YEAR}s?"
)
_OPEN = r"[Pp]resent|[Nn]ow|[Tt]oday|[Cc]urrent(?:ly)?"
_PERIOD = re.compile(
    rf"(?<![\w$€£.,/-])(?P<first>{_POINT})"
    rf"(?:(?:\s?[-–—]\s?|\s(?:to|until|till|through|and)\s)(?P<last>{_POINT}|{_OPEN}))?(?![\w/%]|[.,-]\d)"
)
_BEFORE = re.compile(
    r"(?:^|[\s(])(as\sof|in|since|from|until|till|during|on|by|before|after|between|of|through|around|about|to|early|late|mid|summer|spring|"
    r"autumn|fall|winter|circa|c\.|born|died|founded|established|est\.|year)\s(?:the\s)?$",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"[(,;:|·•–—]\s?$")
_VAGUE = frozenset({"by", "before", "after", "around", "about", "circa", "c.", "to", "through"})


@dataclass(frozen=True, slots=True)
class Period:
    """A stated date or span of time at text[start:end]; `value` is its ISO form where it is one point, `word` the word before it.

    `until` is the exclusive end of what is stated; None on either side is an open end.
    """

    start: int
    end: int
    text: str
    word: str
    since: Instant | None
    until: Instant | None
    value: str | None
    is_range: bool = False


def periods(text: str) -> list[Period]:
    """Return the periods that `text` states, in order."""
    return list(_found(text))


def _found(text: str) -> Iterator[Period]:
    for match in _PERIOD.finditer(text):
        before = _BEFORE.search(text, 0, match.start())
        word = before[1].lower() if before else ""
        last = match["last"]
        joined_by_and = last is not None and text[match.end("first") :].lstrip().startswith("and")
        end = match.end("first") if joined_by_and and word != "between" else match.end()
        last = None if end == match.end("first") else last
        bracketed = _BRACKETED.search(text, 0, match.start()) is not None or match.start() == 0
        if last is None and match["first"].rstrip("s").isdigit() and not word and not bracketed:
            continue
        yield _period(text, match["first"], last, word, match.start(), end)


def _period(text: str, first: str, last: str | None, word: str, start: int, end: int) -> Period:
    opening, closing, precision, iso = _bounds(first)
    if last is not None:
        ends = None if re.fullmatch(_OPEN, last) else _bounds(last)
        until = Instant(ends[1], ends[2]) if ends else None
        return Period(start, end, text[start:end], word, Instant(opening, precision), until, None, is_range=True)
    since: Instant | None = Instant(opening, precision)
    until = Instant(closing, precision)
    if word in {"since", "from", "as of"}:
        until, iso = None, None
    elif word in {"until", "till"}:
        since, iso = None, None
    elif word in _VAGUE:
        since = until = None
    return Period(
        start,
        end,
        text[start:end],
        word,
        since,
        until,
        iso,
        is_range=word in {"since", "from", "until", "till", "as of"},
    )


def _bounds(point: str) -> tuple[datetime, datetime, Precision, str | None]:
    """Return the first instant, the first one after, the precision, and the ISO form of a point of time."""
    year = int(next(re.finditer(r"\d{3,4}", point))[0])
    if point.endswith("s"):
        return _at(year), _at(year + 10), Precision.YEAR, None
    if point[0] == "Q":
        month = 3 * int(point[1]) - 2
        return _at(year, month), _after_month(year, month + 2), Precision.MONTH, None
    numbers = re.fullmatch(r"\d{4}-(\d\d)(?:-(\d\d))?", point)
    if not numbers and not re.search(_MONTH, point):
        return _at(year), _at(year + 1), Precision.YEAR, str(year)
    month = int(numbers[1]) if numbers else _month(point)
    day = numbers[2] if numbers else _day(point)
    return _day_or_month(year, month, int(day) if day else None)


def _day_or_month(year: int, month: int, day: int | None) -> tuple[datetime, datetime, Precision, str | None]:
    if day is None:
        return _at(year, month), _after_month(year, month), Precision.MONTH, f"{year:04}-{month:02}"
    try:
        at = _at(year, month, day)
    except ValueError:  # 31 June: the month is what we can trust
        return _day_or_month(year, month, None)
    return at, at + timedelta(days=1), Precision.DAY, f"{year:04}-{month:02}-{day:02}"


def _month(point: str) -> int:
    word = re.search(_MONTH, point)
    letters = word[0][:3].lower() if word else "jan"
    return _MONTHS.index(letters) + 1


def _day(point: str) -> str | None:
    found = re.search(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?!\d)", point)
    return found[1] if found else None


def _at(year: int, month: int = 1, day: int = 1) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


def _after_month(year: int, month: int) -> datetime:
    return _at(year + month // 12, month % 12 + 1)
