"""Dates of a résumé: the spans of time as such lines write them, "03/2021 – now", "MAR 2019 – JUN 2020", "Jan–Mar 2021", "2019 –".

Prose has other habits; those are in periods.py, which reads what is rewritten here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from server.services.extraction.periods import Period, periods

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_NUMERIC = re.compile(r"(?<![\d/.])(0[1-9]|1[0-2])\s?[/.]\s?(\d{4})(?![\d/.])")
_YEAR_FIRST = re.compile(r"(?<![\d/.])(\d{4})[/.](0[1-9]|1[0-2])(?![\d/.])")
_SHORT_YEAR = re.compile(rf"(?<!\w)({_MONTH})\s?['’](\d\d)(?!\d)", re.IGNORECASE)
_SHARED_YEAR = re.compile(rf"(?<!\w)({_MONTH})(?=\s?[-–—]\s?{_MONTH},?\s(\d{{4}}))", re.IGNORECASE)
_UPPER = re.compile(rf"(?<!\w){_MONTH}(?!\w)", re.IGNORECASE)
_EXPECTED = re.compile(r"([-–—]\s?)(?:expected|exp\.|anticipated)\s", re.IGNORECASE)
_OPEN = re.compile(
    r"(?<=[-–—\s])(?:ongoing|present|current(?:ly)?|now|today|to date|till date|date)(?!\w)", re.IGNORECASE
)
_TRAILING = re.compile(r"(\d{4})(\s?[-–—])\s*(?=$|[)\]|])")
_YEARS = re.compile(r"(?<!\w)((?:19|20)\d\d)\s?[/–—-]\s?(\d\d)(?!\d)")


def stated(text: str) -> Period | None:
    """Return the first span of time, or point, that a line states; `start`, `end` and `text` are the line's own."""
    plain, places = _rewritten(text)
    found = [one for one in periods(plain) if one.since or one.until]
    if not found:
        return None
    first = next((one for one in found if one.is_range), found[0])
    start, end = places[first.start], places[first.end - 1] + 1
    if first.is_range and first.word and text[:start].lower().rstrip().endswith(first.word):
        start = text[:start].lower().rindex(first.word)
    return replace(
        first, start=start, end=end, text=text[start:end].strip(" -–—") if not first.is_range else text[start:end]
    )


def _rewritten(text: str) -> tuple[str, list[int]]:
    """Return the text with its dates as periods.py knows them, and for each character the place that it stands for."""
    plain, places = text, list(range(len(text)))
    for pattern, template in _RULES:
        parts: list[str] = []
        kept: list[int] = []
        position = 0
        for match in pattern.finditer(plain):
            new = template(match)
            parts += [plain[position : match.start()], new]
            kept += places[position : match.start()]
            last = max(match.end() - 1, match.start())
            kept += [places[min(match.start() + index, last)] for index in range(len(new) - 1)]
            kept += [places[last]] if new else []
            position = match.end()
        plain, places = "".join([*parts, plain[position:]]), kept + places[position:]
    return plain, places


def _month(word: str) -> str:
    return word[:3].title()


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_UPPER, lambda match: _month(match[0]) if match[0][0].isalpha() else match[0]),
    (_EXPECTED, lambda match: match[1]),
    (_NUMERIC, lambda match: f"{match[2]}-{match[1]}"),
    (_YEAR_FIRST, lambda match: f"{match[1]}-{match[2]}"),
    (_SHORT_YEAR, lambda match: f"{_month(match[1])} 20{match[2]}"),
    (_SHARED_YEAR, lambda match: f"{_month(match[1])} {match[2]}"),
    (_YEARS, lambda match: f"{match[1]}–{match[1][:2]}{match[2]}" if int(match[2]) > int(match[1][2:]) else match[0]),
    (_OPEN, lambda match: "present"),
    (_TRAILING, lambda match: f"{match[1]}{match[2]} present"),
)
