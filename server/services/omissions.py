"""Omissions: what an answer that has a bound left out, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Omission", "counted"]


@dataclass(frozen=True, slots=True)
class Omission:
    """So many things of a kind were left out for one reason."""

    kind: str
    reason: str
    count: int


def counted(left_out: Mapping[tuple[str, str], int] | Counter[tuple[str, str]]) -> list[Omission]:
    """Return what was left out by (kind, reason), in that order, without what is nothing."""
    return [
        Omission(kind, reason, left_out[kind, reason]) for kind, reason in sorted(left_out) if left_out[kind, reason]
    ]
