"""Where a claim stands at an instant: the condition over a row and the pure function of one, which must agree.

A claim that is believed and has `superseded_at` stands as it is stored until that instant of valid time has come; from then on
another holds in its place, and it reads as SUPERSEDED. So no job has to watch the clock. Stored as SUPERSEDED is only
what never held.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Protocol

from sqlalchemy import ColumnElement, FromClause, and_, bindparam, false, or_

from server.terms import DEFAULT_VIEW, ClaimStatus
from server.views import View

__all__ = ["NOW", "Placed", "effective_end", "moment_of", "present", "standing_in", "status_at"]

NOW = "now"
"""The name under which the instant is bound to a statement with `standing_in`."""


class Placed(Protocol):
    """A row of a claim, or as much of one as its status is made of."""

    @property
    def status(self) -> str:
        """The status that is stored."""

    @property
    def superseded_at(self) -> datetime | None:
        """From when on another claim holds in its place."""


class Held(Protocol):
    """A row of a claim, or as much of one as its end is made of."""

    @property
    def valid_to(self) -> datetime | None:
        """Until when it holds by what is stated."""

    @property
    def superseded_at(self) -> datetime | None:
        """From when on another claim holds in its place."""


def present() -> datetime:
    """Return the present instant, in UTC."""
    return datetime.now(UTC)


def moment_of(view: View | None) -> datetime:
    """Return the instant at which claims of a view stand where they do: the one that it knows, else the present one."""
    return present() if view is None or view.known is None else view.known


def status_at(row: Placed, now: datetime) -> ClaimStatus:
    """Return where a claim stands at an instant."""
    over = row.superseded_at is not None and row.superseded_at <= now
    return ClaimStatus.SUPERSEDED if over and row.status in DEFAULT_VIEW else ClaimStatus(row.status)


def effective_end(row: Held) -> datetime | None:
    """Return until when a claim holds once later ones are counted, itself excluded; None: open."""
    return min((end for end in (row.valid_to, row.superseded_at) if end is not None), default=None)


def standing_in(row: FromClause, statuses: Collection[str]) -> ColumnElement[bool]:
    """Return the condition that a claim has one of these statuses at the instant that is bound as NOW."""
    wanted = set(statuses)
    if not wanted:
        return false()
    believed = wanted.intersection(DEFAULT_VIEW)
    everything = believed == set(DEFAULT_VIEW) and ClaimStatus.SUPERSEDED in wanted
    if everything or not (believed or ClaimStatus.SUPERSEDED in wanted):
        return row.c.status.in_(sorted(wanted))
    end, now = row.c.superseded_at, bindparam(NOW, type_=row.c.superseded_at.type)
    either: list[ColumnElement[bool]] = [row.c.status.in_(sorted(wanted - believed))] if wanted - believed else []
    if believed:
        either.append(and_(row.c.status.in_(sorted(believed)), or_(end.is_(None), end > now)))
    if ClaimStatus.SUPERSEDED in wanted:
        either.append(and_(row.c.status.in_(sorted(DEFAULT_VIEW)), end <= now))
    return or_(*either)
