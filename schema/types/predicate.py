"""Predicates: what a volume has set of the names of its facts and relationships."""

from __future__ import annotations

import strawberry

from schema.breadth import attribute
from server.store.records import PredicateRecord
from server.terms import Cardinality

__all__ = ["Predicate"]


@strawberry.type(description="A predicate or relationship type in use in a volume.")
class Predicate:
    name: str = attribute("row.name", description="Its name in UPPER_SNAKE_CASE.")
    cardinality: Cardinality = attribute(
        "row.cardinality", description="How many claims of it a subject can have at a time."
    )
    inverse: str | None = attribute(
        "row.inverse", description="What the same relationship is called from the other end."
    )
    symmetric: bool = attribute("row.symmetric", description="Whether it means the same from both ends.")
    half_life_days: float | None = attribute(
        "row.half_life_days",
        description="After how many days without new evidence a claim of it is stale; null where what is true stays so.",
    )
    description: str | None = attribute("row.description", description="What it means.")
    row: strawberry.Private[PredicateRecord]

    @staticmethod
    def of(row: PredicateRecord) -> Predicate:
        return Predicate(row=row)
