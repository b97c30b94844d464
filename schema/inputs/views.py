"""The view of a volume, as it is asked for."""

from __future__ import annotations

from typing import Annotated

import strawberry

from server.services.checks import within
from server.services.extraction.protocol import Instant
from server.views import View, view_of

__all__ = ["AsOf", "AsOfInput", "MinConfidence", "asked_view"]


@strawberry.input(
    description="Instants to read a volume at. Both axes are independent: what was true at `valid`, as it was believed at `known`."
)
class AsOfInput:
    valid: Instant | None = strawberry.field(
        default=None,
        description="Claims that held in the world at this instant, whether others have taken their place since or not. Left out: "
        "all that is believed, ended ones included. A year, a month or a day is its first instant.",
    )
    known: Instant | None = strawberry.field(
        default=None,
        description="Claims as the store believed them at this instant, with the status and confidence that they had. Left out: now.",
    )


AsOf = Annotated[
    AsOfInput | None,
    strawberry.argument(
        description="The instants at which all claims that are reached from the volume are read. Names, memories and documents "
        "are those of today, and so are merges: what they have made one is one at every instant, and of claims that count as one it is the one "
        "that stands for all that is read, as it was then."
    ),
]
MinConfidence = Annotated[
    float,
    strawberry.argument(
        description="How sure all claims that lists reached from the volume show are at least: 0 to 1."
    ),
]


def asked_view(as_of: AsOfInput | None, min_confidence: float) -> View | None:
    """Return the view that is asked for, None where it is the present one.

    Raises:
        BadUserInput: the confidence is outside 0..1.
    """
    instants = (as_of.valid, as_of.known) if as_of is not None else (None, None)
    valid, known = (None if instant is None else instant.at for instant in instants)
    return view_of(valid, known, within(min_confidence, 0, 1, "minConfidence"))
