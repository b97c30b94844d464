"""Turns of a conversation, as they are given along with a question."""

from __future__ import annotations

import strawberry

from schema.types.scalars import describe
from server.services.answering.turns import LONGEST, Turn, TurnRole

__all__ = ["TurnInput"]

describe(
    TurnRole,
    "Who said something in a conversation.",
    {"USER": "Who asks.", "ASSISTANT": "Who answers."},
)


@strawberry.input(description="Something that was said in a conversation before a question.")
class TurnInput:
    role: TurnRole = strawberry.field(description="Who said it.")
    text: str = strawberry.field(description=f"What was said, at most {LONGEST:,} characters.")

    def plain(self) -> Turn:
        """Return the turn as services take it."""
        return Turn(self.role, self.text)
