"""Literal values of facts: the form that is stored and the form by which two statements say the same.

Also the keys of claims without value, and the types of values that are stated without one. Which claims compete is decided by
reconciliation.
"""

from __future__ import annotations

import re
import unicodedata

from server.errors import BadUserInput
from server.services.identity import clean_text
from server.services.instants import check_interval, end_of, format_instant, parse_instant
from server.services.normalization import fold, trim_punctuation
from server.services.numbers import canonical_money, canonical_number
from server.terms import ValueType

__all__ = [
    "check_interval",
    "content_key",
    "end_of",
    "format_instant",
    "normalise_value",
    "parse_instant",
    "parse_value",
    "type_of",
]

_VALUE_LIMIT = 2_000
_BOOLEANS = {
    "true": "true", "yes": "true", "y": "true", "on": "true", "1": "true",
    "false": "false", "no": "false", "n": "false", "off": "false", "0": "false",
}  # fmt: skip
_MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10,
    "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9,
    "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_WRITTEN_DATES = (
    re.compile(rf"{_MONTH}\s(?:(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,?\s)?(?P<year>[0-9]{{4}})"),
    re.compile(rf"(?:(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?\.?\s(?:of\s)?)?{_MONTH},?\s(?P<year>[0-9]{{4}})"),
)
_WANTED = {
    ValueType.NUMBER: "a number, such as 1,000 or 2.5",
    ValueType.MONEY: "an amount with its currency, such as $349/month or 349 USD",
    ValueType.DATE: "a date, such as 2024, 2024-03, 2024-03-05 or March 5, 2024",
    ValueType.BOOLEAN: "true or false",
}


_NAMING = frozenset({
    "BUILD", "CODE", "FAX", "ID", "IDENTIFIER", "ISBN", "MODEL", "PHONE", "POSTCODE", "RELEASE", "SERIAL", "SKU", "TELEPHONE",
    "VERSION", "ZIP",
})  # fmt: skip
_DATING = ("DATE", "DAY", "IN", "ON", "SINCE", "UNTIL", "YEAR")
_PLAIN = re.compile(r"(?!.*\d[eE][+-]?\d)[-\u2212]?(?!0\d)\d.*")
_CURRENCY_WORDS = re.compile(r"\b(?:dollars?|euros?|yen|rupees?|yuan|renminbi)\b|[元円]")


def type_of(value: str, predicate: str | None) -> ValueType:
    """Return what a value is that is stated without a type: MONEY, DATE, NUMBER or BOOLEAN where all of it is one, else TEXT.

    Silent where that could be wrong: what names something is text (a version 1.10, a code 0071, under a predicate that says so
    or by a leading zero), and so are currency codes in lower case. Four digits are a year where the predicate ends like one of dates.
    """
    words = (predicate or "").split("_")
    dates = words[-1] in _DATING and _canonical(value, ValueType.DATE) is not None
    if not dates and (not _NAMING.isdisjoint(words) or words[-1] == "NUMBER"):
        return ValueType.TEXT
    if dates:
        return ValueType.DATE
    if _is_money(value):
        return ValueType.MONEY
    if _PLAIN.fullmatch(value.strip()) and _canonical(value, ValueType.NUMBER) is not None:
        return ValueType.NUMBER
    if _canonical(value, ValueType.DATE) is not None and not value.strip().isdecimal():
        return ValueType.DATE
    says = fold(value) in ("true", "false", "yes", "no") and value.strip() != "NO"
    return ValueType.BOOLEAN if says else ValueType.TEXT


def _is_money(value: str) -> bool:
    """Return whether a value is an amount in a currency that is told by its sign, its name or its code in capitals."""
    amount = _canonical(value, ValueType.MONEY)
    if amount is None:
        return False
    code = amount.split()[1].partition("/")[0]
    signs = any(unicodedata.category(sign) == "Sc" for sign in value)
    return (
        signs
        or re.search(rf"(?<![A-Z]){code}(?![A-Z])", value) is not None
        or bool(_CURRENCY_WORDS.search(fold(value)))
    )


def normalise_value(value: str, value_type: ValueType) -> str:
    """Return the form under which two values are the same.

    MONEY by amount, currency and period, NUMBER by quantity, DATE in ISO 8601, BOOLEAN as true or false, text folded. A value that is
    not of its type is compared as text.
    """
    return _canonical(value, value_type) or fold(value)


def parse_value(value: str, value_type: ValueType) -> str:
    """Return `value` as it is stored: text as written, anything else in its canonical form ("349 USD/month").

    Raises:
        BadUserInput: it is blank, too long, or not of its type; NONE takes no value.
    """
    clean_text(value, "value", limit=_VALUE_LIMIT)
    if value_type is ValueType.NONE:
        raise BadUserInput("valueType NONE takes no value: leave the value out or name its type.", argument="value")
    if value_type is ValueType.TEXT:
        return value.strip()
    canonical = _canonical(value, value_type)
    if canonical is None:
        raise BadUserInput(f"A {value_type} value is {_WANTED[value_type]}.", argument="value")
    return canonical


def content_key(text: str) -> str:
    """Return the form under which two claims without value are the same: folded, without punctuation around it."""
    return trim_punctuation(fold(text))


def _canonical(value: str, value_type: ValueType) -> str | None:
    match value_type:
        case ValueType.NUMBER:
            return canonical_number(value)
        case ValueType.MONEY:
            return canonical_money(value)
        case ValueType.DATE:
            return _date(value)
        case ValueType.BOOLEAN:
            return _BOOLEANS.get(fold(value))
        case _:
            return None


def _date(value: str) -> str | None:
    stated = fold(value)
    for pattern in _WRITTEN_DATES:
        if found := pattern.fullmatch(stated):
            stated = f"{found['year']}-{_MONTHS[found['month']]:02}" + (
                f"-{int(found['day']):02}" if found["day"] else ""
            )
    try:
        return format_instant(parse_instant(stated, "value"))
    except BadUserInput:
        return None
