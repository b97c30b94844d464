"""What an answer within bounds left out."""

from __future__ import annotations

import strawberry

from server.services.omissions import Omission as OmissionRecord


@strawberry.type(description="What was left out of an answer: so many things of one kind, for one reason.")
class Omission:
    kind: str = strawberry.field(description="What kind of thing, in upper case, such as MEMORY.")
    reason: str = strawberry.field(description="Why, in upper case, such as TOKEN_BUDGET.")
    count: int = strawberry.field(description="How many.")

    @staticmethod
    def of(record: OmissionRecord) -> Omission:
        return Omission(kind=record.kind, reason=record.reason, count=record.count)
