"""Which claims are stale: current, not over by their dates, and without new evidence for longer than their predicate's half-life.

The age of a claim is that of its newest evidence that counts, at the instant that is bound as NOW. A predicate without
half-life does not age. A relationship is a claim about its source.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Float, FromClause, and_, bindparam, func, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import UTCDateTime

from server import models
from server.store.believing import NOW, standing_in
from server.store.relations import table_of
from server.terms import ClaimStatus, ReviewDecision, ReviewKind

if TYPE_CHECKING:
    from server.store.reader import Reader

__all__ = ["StaleClaim", "days_between", "fresh_again", "has_stale_claim", "is_stale", "stale_claims"]

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
    """Return the condition that a row of a claim is stale; its evidence names it by `evidence_column`. Each part is by an index.

    What is two selects further in is told whose row it means: SQLAlchemy looks no further than the next one by itself.
    """
    predicate, evidence = table_of(models.Predicate).alias(), table_of(models.Evidence).alias()
    now: ColumnElement[Any] = bindparam(NOW, type_=UTCDateTime)
    name = row.c.predicate if "predicate" in row.c else row.c.type
    young = days_between(now, evidence.c.created_at) <= predicate.c.half_life_days
    newer = select(evidence.c.id).where(evidence.c[evidence_column] == row.c.id, evidence.c.live, young)
    aged = select(predicate.c.id).where(
        predicate.c.volume_id == row.c.volume_id,
        predicate.c.name == name,
        predicate.c.half_life_days.is_not(None),
        ~newer.correlate(row, predicate).exists(),
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


class StaleClaim(NamedTuple):
    """A stale claim: how much it matters, when its newest evidence came, and how many days that lasts."""

    id: UUID
    importance: float
    newest: datetime
    half_life_days: float


async def stale_claims(read: Reader, volume: UUID, evidence_column: str, now: datetime, most: int) -> list[StaleClaim]:
    """Return stale claims of a volume, oldest first, that nobody is asked about or has decided since their newest evidence came.

    A fact matters as itself, a relationship as the more important of its ends. One statement.
    """
    facts = evidence_column == "fact_id"
    row = table_of(models.Fact if facts else models.Relationship).alias()
    predicate, evidence, review = (table_of(m).alias() for m in (models.Predicate, models.Evidence, models.Review))
    name = row.c.predicate if facts else row.c.type
    own = and_(evidence.c[evidence_column] == row.c.id, evidence.c.live)
    newest = select(func.max(evidence.c.created_at)).where(own).scalar_subquery()
    later = evidence.alias()
    came_since = select(later.c.id).where(
        later.c[evidence_column] == row.c.id, later.c.live, later.c.created_at > review.c.opened_at
    )
    asked = select(review.c.id).where(
        review.c[evidence_column] == row.c.id,
        review.c.kind == ReviewKind.STALE,
        or_(review.c.decision.is_(None), review.c.decision != ReviewDecision.LAPSED),
        ~came_since.correlate(row, review).exists(),
    )
    joined = row.join(predicate, and_(predicate.c.volume_id == row.c.volume_id, predicate.c.name == name))
    importance: ColumnElement[Any] = row.c.importance if facts else _of_ends(row)
    statement = select(row.c.id, importance, newest, predicate.c.half_life_days).select_from(joined)
    wanted = (row.c.volume_id == volume, is_stale(row, evidence_column), ~asked.exists(), newest.is_not(None))
    rows = await read.rows(statement.where(*wanted).order_by(row.c.id).limit(most), {NOW: now})
    return [StaleClaim._make(found) for found in rows]


def _of_ends(row: FromClause) -> ColumnElement[Any]:
    end = table_of(models.Entity).alias()
    return select(func.max(end.c.importance)).where(end.c.id.in_([row.c.source_id, row.c.target_id])).scalar_subquery()


async def fresh_again(read: Reader, volume: UUID, evidence_column: str, now: datetime, most: int) -> list[UUID]:
    """Return claims of a volume that a person is asked about as stale and that are not, or not any more. One statement."""
    row = table_of(models.Fact if evidence_column == "fact_id" else models.Relationship).alias()
    review = table_of(models.Review).alias()
    still = select(row.c.id).where(row.c.id == review.c[evidence_column], is_stale(row, evidence_column))
    statement = select(review.c[evidence_column]).where(
        review.c.volume_id == volume,
        review.c.kind == ReviewKind.STALE,
        review.c.decision.is_(None),
        review.c[evidence_column].is_not(None),
        ~still.exists(),
    )
    return [found[0] for found in await read.rows(statement.order_by(review.c.id).limit(most), {NOW: now})]
