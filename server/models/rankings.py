"""Rankings of searches, kept for their next pages."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, UTCDateTime

from server.models.columns import Identified, Json


class Ranking(Identified, table=True):
    """What a search has found, frozen: a list of [id, kind, score, place by meaning, by words, by the walk], the best first."""

    hits: list[list[str | float | int | None]] = Field(sa_type=Json, nullable=False)
    expires_at: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False, index=True)
