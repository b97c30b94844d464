"""Column types and building blocks that the tables share.

Text that is sorted compares by code point on both databases, so that a page on PostgreSQL has the order of a page on
SQLite. Times that a row gets from its transaction are None until the transaction writes it.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from sqlalchemy import JSON, CheckConstraint, Index, Text, text
from sqlmodel import Field, SQLModel, UTCDateTime

from server.ids import new_id

SortableText = Text().with_variant(Text(collation="C"), "postgresql")
# JSON rather than JSONB on PostgreSQL: it keeps the order of keys, as SQLite does, and nothing searches inside it.
Json = JSON(none_as_null=True)


def one_of(column: str, values: type[StrEnum]) -> CheckConstraint:
    """Return the constraint that keeps `column` within an enumeration (NULL passes)."""
    allowed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({allowed})", name=f"{column}_known")


def within(column: str, low: float, high: float) -> CheckConstraint:
    """Return the constraint that keeps `column` between two bounds, both included."""
    return CheckConstraint(f"{column} BETWEEN {low} AND {high}", name=f"{column}_range")


def few(name: str, column: str) -> Index:
    """Return the index of a column that is NULL in almost all rows: it holds only the others."""
    there = text(f"{column} IS NOT NULL")
    return Index(name, column, sqlite_where=there, postgresql_where=there)


class Identified(SQLModel):
    """A row with a UUIDv7 of its own, inside one volume."""

    id: UUID = Field(default_factory=new_id, primary_key=True)
    volume_id: UUID = Field(foreign_key="volume.id", ondelete="CASCADE")


class Stamped(SQLModel):
    """A row that says when its transaction made it. None until written."""

    created_at: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)


class Versioned(Stamped):
    """A row that is edited: its version counts the writes, from 1."""

    updated_at: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)
    version: int = 1
