"""Reading the review queue beside its pages: which questions were asked before, and how many wait."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select

from server import models
from server.store.reader import Reader
from server.store.records import ReviewRecord
from server.store.relations import table_of
from server.store.selections import columns_of


async def reviews_asked(read: Reader, volume: UUID, questions: Sequence[str]) -> list[ReviewRecord]:
    """Return the reviews of a volume that ask these questions, in no order. One statement per 500 questions."""
    table = table_of(models.Review)
    found: list[ReviewRecord] = []
    for start in range(0, len(questions), 500):
        statement = select(*columns_of(ReviewRecord)).where(table.c.volume_id == volume)
        asked = table.c.question.in_(list(questions[start : start + 500]))
        found += [ReviewRecord._make(row) for row in await read.rows(statement.where(asked))]
    return found


async def open_reviews_by_kind(read: Reader, volumes: Sequence[UUID]) -> list[dict[str, int]]:
    """Return how many open reviews of each kind each volume has, kinds in order. One statement."""
    table = table_of(models.Review)
    statement = select(table.c.volume_id, table.c.kind, func.count()).where(table.c.volume_id.in_(list(volumes)))
    statement = statement.where(table.c.decision.is_(None)).group_by(table.c.volume_id, table.c.kind)
    found: dict[UUID, dict[str, int]] = {volume: {} for volume in volumes}
    for volume, kind, number in await read.rows(statement.order_by(table.c.kind)):
        found[volume][kind] = number
    return [found[volume] for volume in volumes]
