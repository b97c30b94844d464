"""Instants as they are stated: ISO 8601 text in, UTC with its precision out, and the end that an imprecise instant means."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from server.errors import BadUserInput
from server.services.extraction.protocol import Instant
from server.terms import Precision

__all__ = ["check_interval", "end_of", "format_instant", "parse_instant"]

_DAY = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)


def parse_instant(text: str, argument: str = "validFrom") -> Instant:
    """Return what "2024", "2024-03", "2024-03-05" or a full ISO 8601 time states; a time without zone is UTC.

    Raises:
        BadUserInput: it is none of these, no such day exists, or it lies outside the years 1 to 9999 in UTC.
    """
    stated = text.strip()
    try:
        if day := _DAY.fullmatch(stated):
            year, month, date = day.groups()
            precision = Precision.DAY if date else Precision.MONTH if month else Precision.YEAR
            return Instant(datetime(int(year), int(month or 1), int(date or 1), tzinfo=UTC), precision)
        if _TIME.fullmatch(stated):
            at = datetime.fromisoformat(stated.upper().replace(",", "."))
            return Instant(at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC), Precision.INSTANT)
    except (ValueError, OverflowError) as error:
        raise BadUserInput(
            f"{argument}: {stated!r} is no date between the years 1 and 9999.", argument=argument
        ) from error
    raise BadUserInput(
        f"{argument}: write a year (2024), a month (2024-03), a day (2024-03-05) or an ISO 8601 time.",
        argument=argument,
    )


def format_instant(instant: Instant) -> str:
    """Return the ISO 8601 text that states `instant` with its precision; parse_instant reads it back."""
    at = instant.at.astimezone(UTC)
    if instant.precision is Precision.INSTANT:
        return at.isoformat().replace("+00:00", "Z")
    return at.date().isoformat()[: {Precision.YEAR: 4, Precision.MONTH: 7, Precision.DAY: 10}[instant.precision]]


def end_of(instant: Instant) -> datetime:
    """Return where an interval ends that is stated to last until `instant`, itself excluded: "2024" means until 2025-01-01.

    Raises:
        BadUserInput: the end lies beyond the year 9999.
    """
    at = instant.at
    try:
        match instant.precision:
            case Precision.YEAR:
                return datetime(at.year + 1, 1, 1, tzinfo=UTC)
            case Precision.MONTH:
                return datetime(at.year + at.month // 12, at.month % 12 + 1, 1, tzinfo=UTC)
            case Precision.DAY:
                return datetime(at.year, at.month, at.day, tzinfo=UTC) + timedelta(days=1)
            case Precision.INSTANT:
                return at
    except (ValueError, OverflowError) as error:
        raise BadUserInput(
            "validTo lies beyond the year 9999: leave it out for an open end.", argument="validTo"
        ) from error


def check_interval(valid_from: Instant | None, valid_to: Instant | None) -> None:
    """Refuse an interval [validFrom, validTo) that holds no time; open ends are fine, and so is a year given as both.

    Raises:
        BadUserInput: validTo ends before or exactly at validFrom, or beyond the year 9999.
    """
    if valid_to is None:
        return
    end = end_of(valid_to)
    if valid_from is None or valid_from.at < end:
        return
    if valid_from.at == valid_to.at:  # exactly stated ones: any other precision ends later than it begins
        raise BadUserInput(
            "validTo equals validFrom: an interval holds from validFrom up to, not including, validTo, so this one is empty.",
            argument="validTo",
        )
    raise BadUserInput(
        f"validTo ({format_instant(valid_to)}) is before validFrom ({format_instant(valid_from)}).", argument="validTo"
    )
