"""Retry-After: what a server that asks to wait says about how long."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["parse_retry_after"]


def parse_retry_after(value: str) -> float | None:
    """Return the seconds that Retry-After asks for (RFC 9110, 10.2.3: a number of seconds or a date), a day at most, or None."""
    if value.isascii() and value.isdigit():
        return min(float(value), 86_400.0)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    date = date.replace(tzinfo=UTC) if date.tzinfo is None else date
    return max(0.0, (date - datetime.now(UTC)).total_seconds())
