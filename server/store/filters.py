"""Filters of the lists, as plain values; each knows its conditions over a row. An empty filter lets all rows pass.

None means "not filtered by this"; an empty tuple lets nothing pass. Statuses of claims are those of the instant that is bound as
NOW (server/store/believing.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, false, or_, select
from sqlmodel import SQLModel

from server import models
from server.store.aging import has_stale_claim
from server.store.believing import standing_in
from server.store.relations import Turned, of_turned, table_of
from server.terms import (
    DEFAULT_VIEW,
    Authority,
    ClaimStatus,
    IngestionStatus,
    ProjectStatus,
    ReviewDecision,
    ReviewKind,
    ReviewState,
)

Condition = ColumnElement[bool]


def _any_of(column: ColumnElement[Any], values: Sequence[Any] | None) -> list[Condition]:
    return [] if values is None else [column.in_(values)]


def _contains(column: ColumnElement[Any], text: str) -> Condition:
    return column.contains(text, autoescape=True)


def _linked(row: FromClause, link: type[SQLModel], own: str, other: str, ids: Sequence[UUID] | None) -> list[Condition]:
    if ids is None:
        return []
    table = table_of(link).alias()
    return [row.c.id.in_(select(table.c[own]).where(table.c[other].in_(ids)))]


def _shown(row: FromClause, statuses: Sequence[ClaimStatus] | None, dated: bool) -> Condition:
    """Return the condition that a claim has one of these statuses, or without any, that lists show it by themselves.

    What is believed is CURRENT or DISPUTED; at an instant of valid time also what others have taken the place of since, which is
    stored as what it was.
    """
    if statuses is None and dated:
        return row.c.status.in_(DEFAULT_VIEW)
    return standing_in(row, DEFAULT_VIEW if statuses is None else statuses)


@dataclass(frozen=True, slots=True)
class Everything:
    """No filter."""

    def conditions(self, row: FromClause) -> list[Condition]:
        """Return no condition."""
        return []


@dataclass(frozen=True, slots=True)
class EntityFilter:
    """Entities by a part of a name (as a match key), type, project, confidence and whether a claim about them is stale."""

    name_part: str | None = None
    types: tuple[str, ...] | None = None
    projects: tuple[UUID, ...] | None = None
    min_confidence: float | None = None
    stale: bool | None = None

    def conditions(self, row: FromClause) -> list[Condition]:
        """Return the conditions over an entity."""
        found = _any_of(row.c.type, self.types)
        found += _linked(row, models.ProjectEntity, "entity_id", "project_id", self.projects)
        if self.name_part is not None:
            found.append(or_(_contains(row.c.match_key, self.name_part), *self._other_names(row, self.name_part)))
        if self.min_confidence is not None:
            found.append(row.c.confidence >= self.min_confidence)
        if self.stale is not None:
            stale = has_stale_claim(row.c.id)
            found.append(stale if self.stale else ~stale)
        return found

    def _other_names(self, row: FromClause, part: str) -> list[Condition]:
        """Return the conditions over an alias, a name that was merged into the entity, and an alias of such a one."""
        alias, merged, other = (table_of(m).alias() for m in (models.Alias, models.Entity, models.Entity))
        here = alias.c.volume_id == row.c.volume_id, _contains(alias.c.match_key, part)
        was = merged.c.merged_into.is_not(None) & (merged.c.volume_id == row.c.volume_id)
        through = alias.join(other, other.c.id == alias.c.entity_id)
        return [
            row.c.id.in_(select(alias.c.entity_id).where(*here)),
            row.c.id.in_(select(merged.c.merged_into).where(was, _contains(merged.c.match_key, part))),
            row.c.id.in_(
                select(other.c.merged_into).select_from(through).where(*here, other.c.merged_into.is_not(None))
            ),
        ]


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Facts by predicate, category, status and confidence; without statuses, those that the view shows by itself."""

    predicates: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    statuses: tuple[ClaimStatus, ...] | None = None
    min_confidence: float | None = None

    def conditions(self, row: FromClause, *, dated: bool = False) -> list[Condition]:
        """Return the conditions over a fact, of a view of an instant of valid time where `dated`."""
        found = [_shown(row, self.statuses, dated), *_any_of(row.c.predicate, self.predicates)]
        found += _any_of(row.c.category, self.categories)
        if self.min_confidence is not None:
            found.append(row.c.confidence >= self.min_confidence)
        return found


@dataclass(frozen=True, slots=True)
class RelationshipFilter:
    """Relationships by type, status and confidence; without statuses, those that the view shows by itself.

    `turned` are types that the asked ones are inverses of.
    """

    types: tuple[str, ...] | None = None
    statuses: tuple[ClaimStatus, ...] | None = None
    min_confidence: float | None = None
    turned: Turned = field(default=(), repr=False)
    """Not what a cursor is bound to: what is whose inverse may change between two pages."""

    def conditions(self, row: FromClause, *, dated: bool = False) -> list[Condition]:
        """Return the conditions over a relationship, of a view of an instant of valid time where `dated`."""
        found = [_shown(row, self.statuses, dated)]
        if self.types is not None:
            either = [of_turned(row, self.turned)] if self.turned else []
            found.append(or_(row.c.type.in_(self.types), *either))
        if self.min_confidence is not None:
            found.append(row.c.confidence >= self.min_confidence)
        return found


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Memories by tag, project and importance; obsolete ones only when asked for."""

    tags: tuple[str, ...] | None = None
    projects: tuple[UUID, ...] | None = None
    min_importance: int | None = None
    include_obsolete: bool = False

    def conditions(self, row: FromClause) -> list[Condition]:
        """Return the conditions over a memory."""
        found: list[Condition] = [] if self.include_obsolete else [row.c.obsolete.is_(False)]
        found += _linked(row, models.MemoryProject, "memory_id", "project_id", self.projects)
        if self.tags is not None:
            tag = table_of(models.MemoryTag).alias()
            tagged = select(tag.c.memory_id).where(tag.c.volume_id == row.c.volume_id, tag.c.tag.in_(self.tags))
            found.append(row.c.id.in_(tagged))
        if self.min_importance is not None:
            found.append(row.c.importance >= self.min_importance)
        return found


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Documents by authority, MIME type, exact uri and project."""

    authorities: tuple[Authority, ...] | None = None
    mime_types: tuple[str, ...] | None = None
    uri: str | None = None
    projects: tuple[UUID, ...] | None = None

    def conditions(self, row: FromClause) -> list[Condition]:
        """Return the conditions over a document."""
        found = _any_of(row.c.authority, self.authorities) + _any_of(row.c.mime_type, self.mime_types)
        found += _linked(row, models.ProjectDocument, "document_id", "project_id", self.projects)
        if self.uri is not None:
            found.append(row.c.uri == self.uri)
        return found


@dataclass(frozen=True, slots=True)
class CodeArtifactFilter:
    """Code artifacts by language."""

    languages: tuple[str, ...] | None = None

    def conditions(self, row: FromClause) -> list[Condition]:
        """Return the conditions over a code artifact."""
        return _any_of(row.c.language, self.languages)


@dataclass(frozen=True, slots=True)
class ProjectFilter:
    """Projects by status."""

    statuses: tuple[ProjectStatus, ...] | None = None

    def conditions(self, row: FromClause) -> list[Condition]:
        """Return the conditions over a project."""
        return _any_of(row.c.status, self.statuses)


@dataclass(frozen=True, slots=True)
class IngestionFilter:
    """Ingestions by status."""

    statuses: tuple[IngestionStatus, ...] | None = None

    def conditions(self, row: FromClause) -> list[Condition]:
        """Return the conditions over an ingestion."""
        return _any_of(row.c.status, self.statuses)


@dataclass(frozen=True, slots=True)
class ReviewFilter:
    """Reviews by kind, how they stand, importance and when they were opened."""

    kinds: tuple[ReviewKind, ...] | None = None
    states: tuple[ReviewState, ...] = (ReviewState.OPEN,)
    min_importance: float | None = None
    opened_since: datetime | None = None
    opened_before: datetime | None = None

    def conditions(self, row: FromClause) -> list[Condition]:
        """Return the conditions over a review."""
        lapsed = ReviewDecision.LAPSED.value
        stands: dict[ReviewState, Condition] = {
            ReviewState.OPEN: row.c.decision.is_(None),
            ReviewState.DECIDED: row.c.decision != lapsed,
            ReviewState.LAPSED: row.c.decision == lapsed,
        }
        found = [*_any_of(row.c.kind, self.kinds), or_(false(), *(stands[state] for state in self.states))]
        if self.min_importance is not None:
            found.append(row.c.precedence <= -self.min_importance)
        if self.opened_since is not None:
            found.append(row.c.opened_at >= self.opened_since)
        if self.opened_before is not None:
            found.append(row.c.opened_at < self.opened_before)
        return found


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """Log entries by kind and actor."""

    kinds: tuple[str, ...] | None = None
    actors: tuple[str, ...] | None = None

    def conditions(self, row: FromClause) -> list[Condition]:
        """Return the conditions over a log entry."""
        return _any_of(row.c.kind, self.kinds) + _any_of(row.c.actor, self.actors)


ClaimFilter = FactFilter | RelationshipFilter
Filter = (
    Everything
    | EntityFilter
    | FactFilter
    | RelationshipFilter
    | MemoryFilter
    | DocumentFilter
    | CodeArtifactFilter
    | ProjectFilter
    | IngestionFilter
    | ReviewFilter
)
