"""Which claims are stale: current, not over by their dates, and without new evidence for longer than their predicate's half-life.

The age of a claim is that of its newest evidence that counts, at the instant that is bound as NOW. A predicate without
half-life does not age. A relationship is a claim about its source.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Float, FromClause, and_, bindparam, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import UTCDateTime

from server import models
from server.store.believing import NOW, standing_in
from server.store.relations import table_of
from server.terms import ClaimStatus

__all__ = ["days_between", "has_stale_claim", "is_stale"]

_KINDS = ((models.Fact, "fact_id", "subject_id"), (models.Relationship, "relationship_id", "source_id"))


class days_between(FunctionElement[float]):  # noqa: N801 - it reads as a function
    """The days from the second instant to the first, with their fraction."""

    type = Float()
    inherit_cache = True


@compiles(days_between, "sqlite")
def _sqlite(element: Any, compiler: Any, **given: Any) -> str:
    later, earlier = (compiler.process(clause, **given) for clause in element.clauses)
    return f"(julianday({later}) - julianday({earlier}))"


@compiles(days_between, "postgresql")
def _postgresql(element: Any, compiler: Any, **given: Any) -> str:
    later, earlier = (compiler.process(clause, **given) for clause in element.clauses)
    return f"(EXTRACT(EPOCH FROM ({later} - {earlier})) / 86400.0)"


def is_stale(row: FromClause, evidence_column: str) -> ColumnElement[bool]:
    """Return the condition that a row of a claim is stale; its evidence names it by `evidence_column`. Each part is by an index."""
    predicate, evidence = table_of(models.Predicate).alias(), table_of(models.Evidence).alias()
    now: ColumnElement[Any] = bindparam(NOW, type_=UTCDateTime)
    name = row.c.predicate if "predicate" in row.c else row.c.type
    young = days_between(now, evidence.c.created_at) <= predicate.c.half_life_days
    newer = select(evidence.c.id).where(evidence.c[evidence_column] == row.c.id, evidence.c.live, young).exists()
    aged = select(predicate.c.id).where(
        predicate.c.volume_id == row.c.volume_id,
        predicate.c.name == name,
        predicate.c.half_life_days.is_not(None),
        ~newer,
    )
    goes_on = or_(row.c.valid_to.is_(None), row.c.valid_to > now)
    return and_(row.c.folded_into.is_(None), standing_in(row, [ClaimStatus.CURRENT]), goes_on, aged.exists())


def has_stale_claim(entity: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return the condition that a claim about an entity is stale."""
    found = []
    for model, evidence_column, subject in _KINDS:
        row = table_of(model).alias()
        found.append(select(row.c.id).where(row.c[subject] == entity, is_stale(row, evidence_column)).exists())
    return or_(*found)
