"""The bounds that a conversion keeps, as plain values that cross to the process that reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the process that reads does without
    from server.config import Settings

__all__ = ["MIB", "Limits"]

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may cost. `seconds` of wall time; `memory` bytes beyond what the process needs to start;
    `unpacked` bytes that an archive may hold; `characters` of text that may come out."""

    seconds: float
    memory: int
    pages: int
    unpacked: int
    characters: int

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """Return the limits that the settings name."""
        return cls(
            seconds=settings.conversion_timeout,
            memory=settings.conversion_memory * MIB,
            pages=settings.max_pages,
            unpacked=settings.max_unpacked * MIB,
            characters=settings.document_limit,
        )
