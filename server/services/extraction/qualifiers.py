"""Qualifiers: words beside an amount that make it a bound or a guess, so that it is no value: "less than $8", "$8 or more"."""

from __future__ import annotations

import re

_BEFORE = re.compile(
    r"(?:(?<!\w)(?:(?:less|more|fewer|greater|lower|higher|cheaper|better|other|rather)\sthan|not|up\sto|upwards?\sof|at\s(?:least|most)"
    r"|over|under|above|below|beyond|exceed(?:s|ed|ing)?|between|from|(?:start(?:s|ed|ing)?|begin(?:s|ning)?)\s(?:at|with)|until"
    r"|about|around|circa|ca\.?|approx\.?|approximately|roughly|nearly|almost|some|close\sto|as\s(?:little|low|few|much|many|high)\sas"
    r"|(?:minimum|maximum|average|median|estimate)(?:\sof)?|estimated(?:\sat)?|averag(?:es|ed|ing))"
    r"|[~≈<>≤≥±]|\d\s?(?:[-–—]|to|or|and))\s?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s?(?:\+|[-–—]\s?[$€£]?\d|(?:to|or)\s[$€£]?\d|(?:or|and)\s(?:more|less|fewer|over|under|up|above|below|so|higher|lower)\b"
    r"|at\s(?:least|most)\b)",
    re.IGNORECASE,
)
_LONGEST = 24


def is_qualified(text: str, start: int, end: int) -> bool:
    """Tell whether the words around text[start:end] leave open how much it is exactly."""
    return _BEFORE.search(text[max(start - _LONGEST, 0) : start]) is not None or _AFTER.match(text, end) is not None
