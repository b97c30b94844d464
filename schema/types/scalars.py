"""Scalars and enumerations as clients see them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import EnumMeta, StrEnum
from typing import Any

import strawberry
from strawberry.types.scalar import ScalarDefinition

from server.errors import BadUserInput
from server.services.extraction.protocol import Instant
from server.services.instants import parse_instant
from server.terms import (
    Authority,
    Cardinality,
    ChangeKind,
    ClaimStatus,
    ConflictStatus,
    Direction,
    IngestionStatus,
    Precision,
    ProjectStatus,
    ReviewAction,
    ReviewKind,
    ReviewState,
    ValueType,
)

__all__ = ["SCALARS", "OrderDirection", "Role", "describe"]


def _shown(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


DateTime: ScalarDefinition = strawberry.scalar(
    name="DateTime",
    description=(
        "An instant in ISO 8601, answered in UTC: 2024-03-05T12:30:00Z. As input a year (2024), a month (2024-03) or a "
        "day (2024-03-05) will do where a time is stated only so exactly; a time without zone is taken as UTC."
    ),
    serialize=_shown,
    parse_value=lambda value: _instant(value),
)


def _instant(value: Any) -> Instant:
    if not isinstance(value, str):
        raise TypeError("A DateTime is a string.")
    try:
        return parse_instant(value, "DateTime")
    except BadUserInput as error:
        raise ValueError(error.message) from error  # GraphQL's own words about it name the place


SCALARS: Mapping[object, ScalarDefinition] = {datetime: DateTime, Instant: DateTime}
"""Output fields are datetimes; inputs arrive as Instants, which know how exactly they were stated."""


class OrderDirection(StrEnum):
    """Which end of an order comes first."""

    ASC = "ASC"
    DESC = "DESC"


class Role(StrEnum):
    """What a caller may do."""

    ADMIN = "ADMIN"


def describe(cls: EnumMeta, description: str, values: Mapping[str, str]) -> None:
    """Make an enumeration one of GraphQL's, with a description on it and on each value."""
    strawberry.enum(cls, description=description)
    definition = cls.__strawberry_definition__  # type: ignore[attr-defined]
    for value in definition.values:
        value.description = values[value.name]


describe(
    ClaimStatus,
    "Where a claim stands. Lists show CURRENT and DISPUTED claims unless a filter asks for others.",
    {
        "CURRENT": "Believed now; ended ones included.",
        "DISPUTED": "Believed, but another claim contradicts it and nothing has decided between them.",
        "PENDING_REVIEW": "Its confidence is below 0.7, until better evidence or a person confirms it; or a person has retracted it and "
        "another source says it, until a person decides.",
        "SUPERSEDED": "Another claim has taken its place, from an instant on that has come or for all the time that it speaks of.",
        "RETRACTED": "Taken back: it is no longer stated.",
        "REJECTED": "A person decided that it is wrong.",
    },
)
describe(
    Authority,
    "How authoritative a source is, highest first.",
    {
        "OFFICIAL": "The thing's own documentation, a contract, a register.",
        "MARKETING": "What its maker says to win customers.",
        "USER": "What a user or colleague states.",
        "THIRD_PARTY": "A blog, a review, the press.",
        "UNKNOWN": "Nobody said.",
    },
)
describe(
    Precision,
    "How exactly a time was stated.",
    {
        "YEAR": "To the year: the instant is its first, an end its last.",
        "MONTH": "To the month.",
        "DAY": "To the day.",
        "INSTANT": "To the instant.",
    },
)
describe(
    ValueType,
    "What a fact's literal value is.",
    {
        "NONE": "The fact has no literal value.",
        "TEXT": "Text, as written.",
        "NUMBER": "A number, as 1000 or 2.5.",
        "MONEY": "An amount with its currency and, where stated, its period, as 349 USD/month.",
        "DATE": "A date in ISO 8601, as exact as it was stated.",
        "BOOLEAN": "true or false.",
    },
)
describe(
    ConflictStatus,
    "How a conflict stands.",
    {
        "OPEN": "No rule decides it: it waits for a person.",
        "AUTO_RESOLVED": "A rule has decided it: by authority, or because one claim is much surer.",
        "RESOLVED": "A person has decided it.",
    },
)
describe(
    Cardinality,
    "How many claims of one predicate a subject can have at a time.",
    {"ONE": "One, such as the price of a plan.", "MANY": "Any number, such as the features that it includes."},
)
describe(
    Direction,
    "Which end of a relationship an entity is. A bidirectional relationship matches both.",
    {"OUT": "Its source.", "IN": "Its target.", "BOTH": "Either."},
)
describe(
    IngestionStatus,
    "How far an ingestion is.",
    {
        "PENDING": "It waits for a worker.",
        "RUNNING": "A worker reads the document.",
        "DONE": "Everything that was found is in the graph.",
        "FAILED": "It was given up; `error` says why. Ingesting the same content again tries anew.",
        "CANCELLED": "It was stopped, by hand or because a newer revision of the document came; nothing of it was written.",
    },
)
describe(
    ProjectStatus,
    "How a project stands.",
    {"ACTIVE": "Under way.", "ARCHIVED": "Put aside.", "COMPLETED": "Done."},
)
describe(
    ChangeKind,
    "What happened to a node.",
    {
        "CREATED": "It was made.",
        "UPDATED": "Fields of it changed.",
        "RETRACTED": "A claim was taken back.",
        "SUPERSEDED": "A memory became obsolete, or a claim gave way to another one.",
        "MERGED": "It counts as another entity from now on, which `after` names.",
        "UNMERGED": "A merge was undone: it counts for itself again.",
        "DELETED": "It is gone; its words left the log.",
    },
)
describe(
    ReviewKind,
    "What a person is asked to decide.",
    {
        "LOW_CONFIDENCE": "Whether a claim is to be believed: its confidence is below 0.7.",
        "DUPLICATE": "Whether two entities are one.",
        "CONFLICT": "Which of several claims that exclude each other holds.",
        "STALE": "Whether a claim still holds that nothing has confirmed for long.",
    },
)
describe(
    ReviewAction,
    "What a person does about a question of the review queue.",
    {
        "APPROVE": "The claim holds: the person's word is evidence for it, with confidence 1.",
        "REJECT": "The claim does not hold: one that was not sure enough is REJECTED, and stays so whatever extraction says; "
        "a stale one is RETRACTED.",
        "EDIT": "The claim is corrected as `edit` says, and holds so.",
        "MERGE": "The two entities are one, and count as the older one, or as `winner`; unmergeEntities undoes it.",
        "CHOOSE_WINNER": "Of the claims of the conflict the `winner` holds; what it competes with gives way to it.",
        "KEEP_APART": "The two entities are two: the pair is not proposed again, from either side.",
    },
)
describe(
    ReviewState,
    "How a question stands.",
    {
        "OPEN": "It waits to be decided.",
        "DECIDED": "A person has decided it: it is not asked again.",
        "LAPSED": "It has gone by itself, and may be asked again if it comes back.",
    },
)
describe(
    OrderDirection,
    "Which end of an order comes first.",
    {"ASC": "The lowest value first.", "DESC": "The highest value first."},
)
describe(Role, "What a caller may do.", {"ADMIN": "Everything."})
