"""Where claims may compete: the subjects that have several live claims of a predicate of which they have one at a time."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import func, select

from server import models
from server.store.reader import Reader
from server.store.relations import table_of
from server.terms import Cardinality, ClaimStatus

_LIVE = (ClaimStatus.CURRENT, ClaimStatus.DISPUTED, ClaimStatus.SUPERSEDED)


async def contested(read: Reader, volume: UUID, model: type[models.Model]) -> list[tuple[UUID, str]]:
    """Return (subject, predicate), or (source, type), wherever a volume has several claims of a ONE-predicate. One statement."""
    claim, predicate = table_of(model), table_of(models.Predicate)
    subject, name = (
        (claim.c.subject_id, claim.c.predicate) if model is models.Fact else (claim.c.source_id, claim.c.type)
    )
    ones = select(predicate.c.name).where(
        predicate.c.volume_id == volume, predicate.c.cardinality == Cardinality.ONE.value
    )
    statement = select(subject, name).where(
        claim.c.volume_id == volume, claim.c.status.in_(_LIVE), claim.c.folded_into.is_(None), name.in_(ones)
    )
    rows = await read.rows(statement.group_by(subject, name).having(func.count() > 1).order_by(subject, name))
    return [(row[0], row[1]) for row in rows]
