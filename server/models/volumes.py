"""Volumes, and the few values that belong to the whole store."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Field, SQLModel, UTCDateTime

from server.ids import new_id
from server.models.columns import Json, SortableText, Versioned


class Volume(Versioned, table=True):
    """An isolated body of knowledge: nothing points from one volume into another.

    `vocabulary` is what extraction is to prefer: {"types": [[name, description]], "predicates": [...]}.
    """

    id: UUID = Field(default_factory=new_id, primary_key=True)
    name: str = Field(sa_type=SortableText, unique=True)
    description: str | None = None
    vocabulary: dict[str, Any] | None = Field(default=None, sa_type=Json)


class StoreSetting(SQLModel, table=True):
    """A value that every process on this store must agree on: the cursor secret, the embedding model."""

    __tablename__ = "store_setting"

    key: str = Field(primary_key=True)
    value: str


class IdempotentResult(SQLModel, table=True):
    """What a create with an idempotency key answered, kept with the row that it made."""

    __tablename__ = "idempotent_result"

    volume_id: UUID = Field(primary_key=True, foreign_key="volume.id", ondelete="CASCADE")
    key: str = Field(primary_key=True)
    request_hash: str
    result: dict[str, object] = Field(sa_type=Json)
    created_at: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False, index=True)
