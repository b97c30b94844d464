"""What a written claim has done to others: fields that the payloads of its mutations share."""

from __future__ import annotations

import strawberry

from schema.breadth import batched
from schema.context import Info
from schema.types.conflict import Conflict
from schema.types.evidence import Claim, conflicts_of, superseded_of


@strawberry.type(description="What a written claim has done to others.")
class Outcome:
    @property
    def written(self) -> Claim:
        """The claim."""
        found: Claim = next(value for value in vars(self).values() if isinstance(value, Claim))
        return found

    @batched(description="The claims that it has beaten, or whose place it takes from its validFrom on, oldest first.")
    @staticmethod
    async def superseded(parents: list[Outcome], info: Info) -> list[list[Claim]]:
        return await superseded_of(info, [parent.written for parent in parents])

    @batched(description="The conflicts that it takes part in, settled ones too, oldest first.")
    @staticmethod
    async def conflicts(parents: list[Outcome], info: Info) -> list[list[Conflict]]:
        return await conflicts_of(info, [parent.written for parent in parents])
