"""Filters and orders of lists. A field left out does not filter."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeVar

import strawberry

from schema.arguments import ids_of
from schema.types.scalars import OrderDirection, describe
from server.errors import BadUserInput
from server.ids import NodeKind
from server.services.checks import within
from server.services.extraction.protocol import Instant
from server.services.identity import clean_name, match_key, normalise_type, relation_type
from server.store import filters
from server.store.relations import Sorting
from server.store.sifting import SearchFilter as PlainSearchFilter
from server.terms import (
    Authority,
    ChangeKind,
    ClaimStatus,
    IngestionStatus,
    ProjectStatus,
    ReviewKind,
    ReviewState,
)

T = TypeVar("T")
MOST = 100


def _few(values: list[T] | None, argument: str) -> list[T] | None:
    if values is not None and len(values) > MOST:
        raise BadUserInput(f"At most {MOST} {argument} fit into a filter.", argument=argument)
    return values


def relation_types(values: list[str] | None, argument: str = "types") -> tuple[str, ...] | None:
    """Return relationship types or predicates as they are stored, or None where they do not filter.

    Raises:
        BadUserInput: one cannot be a type, or there are more than 100.
    """
    few = _few(values, argument)
    return None if few is None else tuple(relation_type(value, argument) for value in few)


def _confidence(value: float | None) -> float | None:
    return None if value is None else within(value, 0, 1, "minConfidence")


@strawberry.input(description="Which entities a list shows.")
class EntityFilter:
    text: str | None = strawberry.field(
        default=None, description="Those with this text in their name or an alias, whatever its case and spacing."
    )
    types: list[str] | None = strawberry.field(default=None, description="Those of one of these types, in any case.")
    projects: list[strawberry.ID] | None = strawberry.field(
        default=None, description="Those of one of these projects, by their ids."
    )
    min_confidence: float | None = strawberry.field(
        default=None, description="Those with at least this confidence: 0 to 1."
    )
    stale: bool | None = strawberry.field(
        default=None, description="Those that a stale claim is about, or those that none is about."
    )

    def plain(self) -> filters.EntityFilter:
        types = _few(self.types, "types")
        return filters.EntityFilter(
            name_part=None if self.text is None else match_key(clean_name(self.text, "text")),
            types=None if types is None else tuple(normalise_type(type, "types") for type in types),
            projects=None
            if self.projects is None
            else ids_of(_few(self.projects, "projects"), NodeKind.PROJECT, "projects"),
            min_confidence=_confidence(self.min_confidence),
            stale=self.stale,
        )


class EntityOrderField(StrEnum):
    """What entities can be ordered by."""

    NAME = "NAME"
    CREATED_AT = "CREATED_AT"
    UPDATED_AT = "UPDATED_AT"
    IMPORTANCE = "IMPORTANCE"


describe(
    EntityOrderField,
    "What entities can be ordered by.",
    {
        "NAME": "Their name, as it is compared: without case, spacing and articles.",
        "CREATED_AT": "When they came into the volume.",
        "UPDATED_AT": "When they last changed.",
        "IMPORTANCE": "Their importance.",
    },
)
_ENTITY_COLUMNS: dict[EntityOrderField, tuple[str, ...]] = {
    EntityOrderField.NAME: ("match_key",),
    EntityOrderField.CREATED_AT: (),
    EntityOrderField.UPDATED_AT: ("updated_at",),
    EntityOrderField.IMPORTANCE: ("importance",),
}


@strawberry.input(description="How a list of entities is ordered.")
class EntityOrder:
    field: EntityOrderField = strawberry.field(default=EntityOrderField.NAME, description="What to order by.")
    direction: OrderDirection = strawberry.field(default=OrderDirection.ASC, description="Which end comes first.")

    def plain(self) -> Sorting:
        return Sorting(_ENTITY_COLUMNS[self.field], self.direction is OrderDirection.DESC)


@strawberry.input(description="Which facts a list shows.")
class FactFilter:
    predicates: list[str] | None = strawberry.field(
        default=None, description="Those with one of these predicates, in any case and spacing."
    )
    categories: list[str] | None = strawberry.field(default=None, description="Those of one of these categories.")
    statuses: list[ClaimStatus] | None = strawberry.field(
        default=None,
        description="Those with one of these statuses. Left out: CURRENT and DISPUTED, and in a view of an instant "
        "of valid time what was SUPERSEDED by a later one.",
    )
    min_confidence: float | None = strawberry.field(
        default=None, description="Those with at least this confidence: 0 to 1."
    )

    def plain(self) -> filters.FactFilter:
        categories = _few(self.categories, "categories")
        return filters.FactFilter(
            predicates=relation_types(self.predicates, "predicates"),
            categories=None if categories is None else tuple(categories),
            statuses=None if self.statuses is None else tuple(self.statuses),
            min_confidence=_confidence(self.min_confidence),
        )


class FactOrderField(StrEnum):
    """What facts can be ordered by."""

    CREATED_AT = "CREATED_AT"
    IMPORTANCE = "IMPORTANCE"
    CONFIDENCE = "CONFIDENCE"


describe(
    FactOrderField,
    "What facts can be ordered by.",
    {
        "CREATED_AT": "When they came into the volume.",
        "IMPORTANCE": "Their importance.",
        "CONFIDENCE": "Their confidence.",
    },
)
_FACT_COLUMNS: dict[FactOrderField, tuple[str, ...]] = {
    FactOrderField.CREATED_AT: (),
    FactOrderField.IMPORTANCE: ("importance",),
    FactOrderField.CONFIDENCE: ("confidence",),
}


@strawberry.input(description="How a list of facts is ordered.")
class FactOrder:
    field: FactOrderField = strawberry.field(default=FactOrderField.CREATED_AT, description="What to order by.")
    direction: OrderDirection = strawberry.field(default=OrderDirection.ASC, description="Which end comes first.")

    def plain(self) -> Sorting:
        return Sorting(_FACT_COLUMNS[self.field], self.direction is OrderDirection.DESC)


@strawberry.input(description="Which relationships a list shows.")
class RelationshipFilter:
    types: list[str] | None = strawberry.field(
        default=None,
        description="Those of one of these types or of its inverse, in any case and spacing: EMPLOYS finds WORKS_AT.",
    )
    statuses: list[ClaimStatus] | None = strawberry.field(
        default=None,
        description="Those with one of these statuses. Left out: CURRENT and DISPUTED, and in a view of an instant "
        "of valid time what was SUPERSEDED by a later one.",
    )
    min_confidence: float | None = strawberry.field(
        default=None, description="Those with at least this confidence: 0 to 1."
    )

    def plain(self) -> filters.RelationshipFilter:
        return filters.RelationshipFilter(
            types=relation_types(self.types),
            statuses=None if self.statuses is None else tuple(self.statuses),
            min_confidence=_confidence(self.min_confidence),
        )


@strawberry.input(description="Which memories a list shows.")
class MemoryFilter:
    tags: list[str] | None = strawberry.field(default=None, description="Those with one of these tags, as written.")
    projects: list[strawberry.ID] | None = strawberry.field(
        default=None, description="Those of one of these projects, by their ids."
    )
    min_importance: int | None = strawberry.field(
        default=None, description="Those with at least this importance: 1 to 10."
    )
    include_obsolete: bool = strawberry.field(default=False, description="Whether obsolete ones are shown too.")

    def plain(self) -> filters.MemoryFilter:
        tags = _few(self.tags, "tags")
        return filters.MemoryFilter(
            tags=None if tags is None else tuple(tags),
            projects=None
            if self.projects is None
            else ids_of(_few(self.projects, "projects"), NodeKind.PROJECT, "projects"),
            min_importance=self.min_importance,
            include_obsolete=self.include_obsolete,
        )


class MemoryOrderField(StrEnum):
    """What memories can be ordered by."""

    CREATED_AT = "CREATED_AT"
    UPDATED_AT = "UPDATED_AT"
    IMPORTANCE = "IMPORTANCE"


describe(
    MemoryOrderField,
    "What memories can be ordered by.",
    {
        "CREATED_AT": "When they were written.",
        "UPDATED_AT": "When they last changed.",
        "IMPORTANCE": "Their importance.",
    },
)
_MEMORY_COLUMNS: dict[MemoryOrderField, tuple[str, ...]] = {
    MemoryOrderField.CREATED_AT: (),
    MemoryOrderField.UPDATED_AT: ("updated_at",),
    MemoryOrderField.IMPORTANCE: ("importance",),
}


@strawberry.input(description="How a list of memories is ordered.")
class MemoryOrder:
    field: MemoryOrderField = strawberry.field(default=MemoryOrderField.CREATED_AT, description="What to order by.")
    direction: OrderDirection = strawberry.field(default=OrderDirection.ASC, description="Which end comes first.")

    def plain(self) -> Sorting:
        return Sorting(_MEMORY_COLUMNS[self.field], self.direction is OrderDirection.DESC)


@strawberry.input(description="Which documents a list shows.")
class DocumentFilter:
    authorities: list[Authority] | None = strawberry.field(
        default=None, description="Those with one of these authorities."
    )
    mime_types: list[str] | None = strawberry.field(default=None, description="Those of one of these MIME types.")
    uri: str | None = strawberry.field(default=None, description="The one with exactly this uri.")
    projects: list[strawberry.ID] | None = strawberry.field(
        default=None, description="Those of one of these projects, by their ids."
    )

    def plain(self) -> filters.DocumentFilter:
        types = _few(self.mime_types, "mimeTypes")
        return filters.DocumentFilter(
            authorities=None if self.authorities is None else tuple(self.authorities),
            mime_types=None if types is None else tuple(types),
            uri=self.uri,
            projects=None
            if self.projects is None
            else ids_of(_few(self.projects, "projects"), NodeKind.PROJECT, "projects"),
        )


@strawberry.input(description="Which code artifacts a list shows.")
class CodeArtifactFilter:
    languages: list[str] | None = strawberry.field(
        default=None, description="Those in one of these languages, in any case."
    )

    def plain(self) -> filters.CodeArtifactFilter:
        languages = _few(self.languages, "languages")
        return filters.CodeArtifactFilter(None if languages is None else tuple(name.casefold() for name in languages))


@strawberry.input(description="Which projects a list shows.")
class ProjectFilter:
    statuses: list[ProjectStatus] | None = strawberry.field(
        default=None, description="Those with one of these statuses."
    )

    def plain(self) -> filters.ProjectFilter:
        return filters.ProjectFilter(None if self.statuses is None else tuple(self.statuses))


@strawberry.input(description="Which ingestions a list shows.")
class IngestionFilter:
    statuses: list[IngestionStatus] | None = strawberry.field(
        default=None, description="Those with one of these statuses."
    )

    def plain(self) -> filters.IngestionFilter:
        return filters.IngestionFilter(None if self.statuses is None else tuple(self.statuses))


@strawberry.input(description="Which items the review queue shows.")
class ReviewFilter:
    kinds: list[ReviewKind] | None = strawberry.field(default=None, description="Those of one of these kinds.")
    states: list[ReviewState] | None = strawberry.field(
        default=None, description="Those that stand so. Left out: the open ones."
    )
    min_importance: float | None = strawberry.field(
        default=None, description="Those with at least this importance: 0 to 1."
    )
    opened_since: Instant | None = strawberry.field(default=None, description="Those opened at this instant or later.")
    opened_before: Instant | None = strawberry.field(default=None, description="Those opened before this instant.")

    def plain(self) -> filters.ReviewFilter:
        least = self.min_importance
        return filters.ReviewFilter(
            kinds=None if self.kinds is None else tuple(self.kinds),
            states=(ReviewState.OPEN,) if self.states is None else tuple(self.states),
            min_importance=None if least is None else within(least, 0, 1, "minImportance"),
            opened_since=None if self.opened_since is None else self.opened_since.at,
            opened_before=None if self.opened_before is None else self.opened_before.at,
        )


@strawberry.input(description="Which entries of the change log a list shows.")
class ChangeFilter:
    kinds: list[ChangeKind] | None = strawberry.field(default=None, description="Those of one of these kinds.")
    actors: list[str] | None = strawberry.field(default=None, description="Those by one of these actors.")

    def plain(self) -> filters.ChangeFilter:
        actors = _few(self.actors, "actors")
        return filters.ChangeFilter(
            kinds=None if self.kinds is None else tuple(kind.value for kind in self.kinds),
            actors=None if actors is None else tuple(actors),
        )


@strawberry.input(
    description="What a search may find. What lacks what is filtered by is left out: a memory has no type, a chunk no tags."
)
class SearchFilter:
    types: list[str] | None = strawberry.field(
        default=None, description="Entities of one of these types, and facts about such entities; in any case."
    )
    projects: list[strawberry.ID] | None = strawberry.field(
        default=None,
        description="Entities, memories and chunks of documents of one of these projects, and facts about such entities.",
    )
    tags: list[str] | None = strawberry.field(
        default=None, description="Memories and code artifacts with one of these tags, as written."
    )
    authorities: list[Authority] | None = strawberry.field(
        default=None, description="Facts of one of these authorities, and chunks of such documents."
    )
    min_confidence: float | None = strawberry.field(
        default=None,
        description="Entities and facts with at least this confidence: 0 to 1. What has no confidence is found all the same.",
    )
    created_after: Instant | None = strawberry.field(
        default=None, description="What came into the volume at this instant or later; of a chunk, its document."
    )
    created_before: Instant | None = strawberry.field(
        default=None, description="What came into the volume before this instant; of a chunk, its document."
    )
    include_obsolete: bool = strawberry.field(default=False, description="Whether obsolete memories are found too.")

    def plain(self) -> PlainSearchFilter:
        types, tags = _few(self.types, "types"), _few(self.tags, "tags")
        projects = None if self.projects is None else _few(self.projects, "projects")
        return PlainSearchFilter(
            types=None if types is None else tuple(normalise_type(type) for type in types),
            projects=None if projects is None else ids_of(projects, NodeKind.PROJECT, "projects"),
            tags=None if tags is None else tuple(tags),
            authorities=None if self.authorities is None else tuple(self.authorities),
            min_confidence=_confidence(self.min_confidence),
            created_after=None if self.created_after is None else self.created_after.at,
            created_before=None if self.created_before is None else self.created_before.at,
            include_obsolete=self.include_obsolete,
        )


Types = Annotated[
    list[str] | None,
    strawberry.argument(
        description="Only those of one of these types or of its inverse, in any case and spacing: EMPLOYS finds WORKS_AT, "
        "seen from its other end."
    ),
]
