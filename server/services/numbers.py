"""Numbers and amounts of money as people write them, in one canonical form each.

Digits of any script; decimal points and commas; thousands in groups; million, bn, k; currencies as signs, words or ISO 4217
codes; periods and other units an amount is paid per.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Context, Decimal

__all__ = ["canonical_money", "canonical_number"]

_CODES = """
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC
CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD
JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD
NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP
SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG BTC ETH
"""
_CURRENCIES = {code.casefold(): code for code in _CODES.split()}
_CURRENCIES |= {
    "us$": "USD", "ca$": "CAD", "c$": "CAD", "au$": "AUD", "a$": "AUD", "nz$": "NZD", "hk$": "HKD", "nt$": "TWD", "s$": "SGD",
    "mx$": "MXN", "r$": "BRL", "cn¥": "CNY", "jp¥": "JPY", "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR",
    "₩": "KRW", "₽": "RUB", "₺": "TRY", "₪": "ILS", "₴": "UAH", "₫": "VND", "฿": "THB", "₦": "NGN", "₱": "PHP", "₿": "BTC",
    "元": "CNY", "円": "JPY", "zł": "PLN", "kč": "CZK", "rs": "INR",
    "dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR", "pound": "GBP", "pounds": "GBP", "yen": "JPY",
    "rupee": "INR", "rupees": "INR", "yuan": "CNY", "renminbi": "CNY",
}  # fmt: skip
_SCALES = {
    "k": 3, "thousand": 3, "m": 6, "mn": 6, "mio": 6, "million": 6, "millions": 6, "b": 9, "bn": 9, "billion": 9,
    "billions": 9, "trillion": 12, "trillions": 12,
}  # fmt: skip
_LONE_SCALES = frozenset({"k", "thousand", "million", "billion", "trillion", "bn", "mn"})  # "5 m" may be five metres
_PERIODS = {
    "second": "second", "sec": "second", "s": "second", "minute": "minute", "min": "minute",
    "hour": "hour", "hr": "hour", "h": "hour", "hourly": "hour", "day": "day", "d": "day", "daily": "day",
    "week": "week", "wk": "week", "w": "week", "weekly": "week", "month": "month", "mo": "month", "mon": "month", "mth": "month",
    "m": "month", "monthly": "month", "quarter": "quarter", "qtr": "quarter", "q": "quarter", "quarterly": "quarter",
    "year": "year", "yr": "year", "y": "year", "yearly": "year", "annum": "year", "annually": "year", "annual": "year",
    "pa": "year", "pm": "month",
}  # fmt: skip
_ADVERBS = frozenset(period for period in _PERIODS if period.endswith("ly")) | {"annual", "pa", "pm"}


def _any(names: Iterable[str]) -> str:
    return "(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + ")"


_FIGURE = r"[0-9](?:[0-9.,'’_]|\s(?=[0-9]{3}(?![0-9])))*(?:e[+-]?[0-9]{1,2})?"
_SCALE = rf"(?:\s?(?P<scale>{_any(_SCALES)})(?![a-z]))?"
_CURRENCY = _any(_CURRENCIES)
_NUMBER = re.compile(rf"(?P<sign>[+-]?)\s?(?P<figure>{_FIGURE}){_SCALE}\s?(?P<percent>%|percent|per\s?cent)?")
_MONEY = re.compile(
    rf"(?P<sign>[+-]?)\s?(?P<before>{_CURRENCY})?\s?(?P<inner>-?)\s?(?P<figure>{_FIGURE}){_SCALE}"
    rf"\s?(?:us\s)?(?P<after>{_CURRENCY}(?![a-z]))?(?P<units>.*)"
)
_UNIT = re.compile(r"[\s,]*(?:(?:/|\bper\b|\beach\b|\bevery\b|\ban?\b)\s?([^\W\d_]+)|([^\W\d_]+))\.?")
_SPACE = re.compile(r"['’_\s]")
_SPACED = re.compile(r"[0-9]{1,3}(?:['’_\s][0-9]{3})+(?:[.,][0-9]+)?")
_POINT = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_COMMA = re.compile(r"[0-9]+,[0-9]+")
_COMMA_GROUPS = re.compile(
    r"[1-9](?:[0-9]{0,2}(?:,[0-9]{3})+|[0-9]?(?:,[0-9]{2})+,[0-9]{3})(?:\.[0-9]+)?"
)  # 1,000,000; 10,00,000
_POINT_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]+|(?:\.[0-9]{3}){2,})")
_EXACT = Context(prec=100)
_LENGTH = 100


def canonical_number(text: str) -> str | None:
    """Return a number without grouping and needless zeros ("1,000.0" is "1000", "1.2 million" is "1200000"), or None where it is none.

    A percentage keeps its sign. One comma before three digits groups thousands, any other lone comma is a decimal one.
    """
    found = _NUMBER.fullmatch(_ascii(text))
    if found is None:
        return None
    if found["scale"] and found["scale"] not in _LONE_SCALES:
        return None
    amount = _amount(found["figure"], found["scale"], negative=found["sign"] == "-")
    return None if amount is None else amount + ("%" if found["percent"] else "")


def canonical_money(text: str) -> str | None:
    """Return an amount as "349 USD/month": amount, ISO 4217 code and what it is paid per, or None where `text` states none.

    "$" alone is the US dollar and "¥" the yen. Units other than periods come first: "10 USD/user/month".
    """
    found = _MONEY.fullmatch(_ascii(text))
    if found is None:
        return None
    before, after = found["before"], found["after"]
    currency = _CURRENCIES.get(after or before or "")
    units = _units(found["units"])
    if currency is None or units is None or (before and after and before != "$" and _CURRENCIES[before] != currency):
        return None
    amount = _amount(found["figure"], found["scale"], negative="-" in (found["sign"], found["inner"]))
    return None if amount is None else "/".join([f"{amount} {currency}", *units])


def _ascii(text: str) -> str:
    """Lower-case NFKC text with ASCII digits and minus signs, white space collapsed; empty where it is too long to be an amount."""
    if len(text) > _LENGTH:
        return ""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2212", "-").replace("٫", ".").replace("٬", ",")
    digits = "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in plain)
    return " ".join(digits.split()).rstrip(".,;: ")


def _units(text: str) -> list[str] | None:
    """The units of "per user / mo", periods last; None where the text says something else."""
    text = text.strip()
    if text == "p.a":
        text = "pa"
    units, at = [], 0
    while at < len(text):
        found = _UNIT.match(text, at)
        if found is None or (found[2] and found[2] not in _ADVERBS):
            return None
        units.append(_unit(found[1] or found[2]))
        at = found.end()
    return sorted(units, key=lambda unit: unit in _PERIODS.values())


def _unit(word: str) -> str:
    singular = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    return _PERIODS.get(word) or _PERIODS.get(singular) or singular


def _amount(figure: str, scale: str | None, *, negative: bool) -> str | None:
    mantissa, _, exponent = figure.partition("e")
    plain = _ungrouped(mantissa)
    if plain is None:
        return None
    amount = Decimal(plain).scaleb(int(exponent or 0) + (_SCALES[scale] if scale else 0), _EXACT)
    digits = format(amount, "f")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    digits = digits.lstrip("0") or "0"
    digits = "0" + digits if digits.startswith(".") else digits
    return f"-{digits}" if negative and digits != "0" else digits


def _ungrouped(figure: str) -> str | None:
    """The figure with a decimal point and nothing else; None where its groups make no number."""
    if _SPACED.fullmatch(figure):
        figure = _SPACE.sub("", figure)
    if _POINT.fullmatch(figure):
        return figure
    if _COMMA_GROUPS.fullmatch(figure):
        return figure.replace(",", "")
    if _POINT_GROUPS.fullmatch(figure) or _COMMA.fullmatch(figure):
        return figure.replace(".", "").replace(",", ".")
    return None
