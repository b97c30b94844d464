"""How operations are executed: by the setting `executor`, within the bounds of one answer."""

from __future__ import annotations

from typing import Literal

from schema.breadth import BreadthFirst
from schema.context import Context
from server.config import Settings
from server.errors import LimitExceeded

__all__ = ["EXECUTORS", "ExecutorName", "WithinLimits"]

ExecutorName = Literal["breadth-first", "ordinary"]


class WithinLimits(BreadthFirst):
    """Breadth first, with the bounds of the settings.

    What stands in an answer many times is made once and written out as often, so a small query may ask for a huge answer cheaply.
    """

    @property
    def max_fields(self) -> int:
        return self._settings.max_answer_fields

    @property
    def max_characters(self) -> int:
        return self._settings.max_answer_characters

    @property
    def _settings(self) -> Settings:
        context: Context = self.context_value
        return context.knowledge.settings

    def exceeded(self) -> LimitExceeded:
        limits = f"{self.max_fields:,} fields or {self.max_characters:,} characters"
        return LimitExceeded(
            f"The answer would have more than {limits}, the limits. Ask for smaller pages (first), or for fewer levels at once."
        )


EXECUTORS: dict[ExecutorName, type[BreadthFirst] | None] = {"breadth-first": WithinLimits, "ordinary": None}
"""What executes operations, by name; None is graphql-core."""
