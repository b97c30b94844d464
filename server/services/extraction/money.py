"""Money: the prices that a text states, in the one form "349 USD/month" (amount, currency, what it is paid per)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from server.services.extraction.qualifiers import is_qualified

_CURRENCIES = {
    "$": "USD",
    "US$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "dollar": "USD",
    "euro": "EUR",
    "pound": "GBP",
}
_CODES = "USD|EUR|GBP|JPY|CHF|CAD|AUD|INR|CNY|SEK|NOK|DKK"
_SCALES = {
    "k": 10**3,
    "thousand": 10**3,
    "m": 10**6,
    "million": 10**6,
    "bn": 10**9,
    "b": 10**9,
    "billion": 10**9,
    "trillion": 10**12,
}
_AMOUNT = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_UNIT = "month|mo|year|yr|week|day|hour|user|seat|member|person|employee|request|transaction|GB|TB|unit|licen[cs]e"
_UNITS = {"mo": "month", "yr": "year", "licence": "license"}
_MONEY = re.compile(
    rf"(?<![\w.,])(?:(?P<sign>US\$|[$€£¥₹])\s?(?P<a>{_AMOUNT})|(?P<code>{_CODES})\s(?P<b>{_AMOUNT})"
    rf"|(?P<c>{_AMOUNT})(?:\s(?P<large>million|billion|trillion|thousand))?\s?(?P<word>{_CODES}|[€£]|(?:US\s)?dollars?|euros?|pounds?))"
    rf"(?:(?P<gap>\s?)(?P<scale>million|billion|trillion|thousand|bn|[kKmMbB])(?!\w))?(?P<tail>\s?(?:(?:dollars?|euros?)|(?:{_CODES})(?!\w)))?"
    rf"(?P<per>(?:(?:\s?/\s?|\s(?:per|a|an|each)\s)(?:{_UNIT})(?!\w)){{0,2}})"
)


@dataclass(frozen=True, slots=True)
class Money:
    """A stated amount at text[start:end]; `value` is its normal form, None where the text only bounds or guesses it."""

    start: int
    end: int
    text: str
    value: str | None


def amounts(text: str) -> list[Money]:
    """Return the amounts of money that `text` states, in order."""
    return [
        Money(match.start(), match.end(), match[0], None if is_qualified(text, *match.span()) else _value(match))
        for match in _MONEY.finditer(text)
    ]


def _value(match: re.Match[str]) -> str:
    digits = next(match[group] for group in "abc" if match[group]).replace(",", "")
    amount = Decimal(digits) * _SCALES.get((match["scale"] or match["large"] or "").lower(), 1)
    plain = f"{amount:f}"
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    unit = (match["sign"] or match["code"] or match["word"]).removeprefix("US ").rstrip("s")
    per = [_UNITS.get(word, word) for word in re.findall(_UNIT, match["per"])]
    return "/".join([f"{plain} {_CURRENCIES.get(unit, unit)}", *per])
