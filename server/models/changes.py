"""The change log, its head, the followers that read it, and vectors on their way into the index."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Index
from sqlmodel import Field, SQLModel, UTCDateTime

from server.models.columns import Json, one_of
from server.terms import ChangeKind, VectorAction


class LogHead(SQLModel, table=True):
    """One row: the last sequence number and instant (microseconds since 1970). Updating it is the lock that orders commits."""

    __tablename__ = "log_head"

    id: int = Field(default=1, primary_key=True)
    seq: int = Field(default=0, sa_type=BigInteger)
    at: int = Field(default=0, sa_type=BigInteger)


class Change(SQLModel, table=True):
    """An entry of the log. A bulk write has one entry: `batch` lists its nodes as [prefix, id] pairs,
    `size` says how many.

    It outlives its node and its volume, so it references neither.
    """

    __table_args__ = (
        Index("change_in_volume", "volume_id", "seq"),
        Index("change_of_node", "node_id"),
        one_of("kind", ChangeKind),
    )

    seq: int = Field(primary_key=True, sa_type=BigInteger, sa_column_kwargs={"autoincrement": False})
    volume_id: UUID
    kind: str
    node_kind: str | None = None
    node_id: UUID | None = None
    before: dict[str, Any] | None = Field(default=None, sa_type=Json)
    after: dict[str, Any] | None = Field(default=None, sa_type=Json)
    batch: list[list[str]] | None = Field(default=None, sa_type=Json)
    size: int = 1
    actor: str
    at: datetime | None = Field(default=None, sa_type=UTCDateTime, nullable=False)


class Follower(SQLModel, table=True):
    """How far a follower of the log is, and which process runs it until when."""

    name: str = Field(primary_key=True)
    position: int = Field(default=0, sa_type=BigInteger)
    lease_owner: str | None = None
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)


class TokenVectors(SQLModel, table=True):
    """The signs of the vectors of a node's tokens, one bit a number, of the text that the index has; kept only where searches use them."""

    __tablename__ = "token_vectors"

    node_id: UUID = Field(primary_key=True)
    volume_id: UUID = Field(index=True)
    signs: bytes


class PendingVector(SQLModel, table=True):
    """A vector that was committed but may not be in the index yet. `vector` is little-endian float32; NULL means not embedded yet."""

    __tablename__ = "pending_vector"
    __table_args__ = (
        Index("pending_vector_in_volume", "volume_id", "seq"),
        Index("pending_vector_moved", "moved_at"),
        one_of("action", VectorAction),
    )

    seq: int = Field(primary_key=True, sa_type=BigInteger, sa_column_kwargs={"autoincrement": False})
    node_id: UUID = Field(primary_key=True)
    volume_id: UUID
    kind: str
    action: str = VectorAction.UPSERT
    text: str | None = None
    vector: bytes | None = None
    moved_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
