"""Scopes: what of a view the text of a statement depends on, so that one statement serves every instant of a kind of view.

The instants and the least confidence are bound. The claims of a known instant are the present versions that were known by then
and the earlier ones that were still believed; no claim has two.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Float, FromClause, and_, bindparam, or_
from sqlmodel import UTCDateTime

from server.store.believing import NOW, moment_of, present
from server.views import View

__all__ = ["KNOWN", "Scope", "scope_of", "view_values", "written_by"]

KNOWN: ColumnElement[datetime] = bindparam("known", type_=UTCDateTime)
_VALID: ColumnElement[datetime] = bindparam("valid", type_=UTCDateTime)
_LEAST: ColumnElement[float] = bindparam("least", type_=Float)


class Scope(NamedTuple):
    """Which parts a view has."""

    valid: bool
    known: bool
    sure: bool

    def conditions(self, row: FromClause) -> list[ColumnElement[bool]]:
        """Return the conditions that a claim is in the view, its status aside."""
        return (
            (versions_known(row) if self.known else [])
            + ([_holds(row)] if self.valid else [])
            + ([row.c.confidence >= _LEAST] if self.sure else [])
        )


def scope_of(view: View | None) -> Scope | None:
    """Return the scope of a view, None for the present one."""
    return None if view is None else Scope(view.valid is not None, view.known is not None, view.min_confidence > 0)


def view_values(view: View | None) -> dict[str, Any]:
    """Return the bound values of a view: the instant at which claims stand where they do, and those of its parts."""
    if view is None:
        return {NOW: present()}
    valid, known, least = view
    parts: dict[str, Any] = {NOW: moment_of(view)} | ({} if valid is None else {"valid": valid})
    return parts | ({} if known is None else {"known": known}) | ({"least": least} if least else {})


def versions_known(row: FromClause) -> list[ColumnElement[bool]]:
    """Return the conditions that a version, the present or an earlier one, was believed at the instant that is bound."""
    begun = row.c.known_from <= KNOWN
    return [begun, row.c.known_to > KNOWN] if "known_to" in row.c else [begun]


def written_by(evidence: FromClause) -> list[ColumnElement[bool]]:
    """Return the conditions that evidence counted at the known instant that is bound."""
    ended = evidence.c.ended_at
    return [evidence.c.created_at <= KNOWN, or_(ended.is_(None), ended > KNOWN)]


def _holds(row: FromClause) -> ColumnElement[bool]:
    """Return the condition that a claim's effective interval contains the instant that is bound."""
    begins, ends = row.c.valid_from, (row.c.valid_to, row.c.superseded_at)
    return and_(or_(begins.is_(None), begins <= _VALID), *(or_(end.is_(None), end > _VALID) for end in ends))
