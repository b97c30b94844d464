"""Facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import strawberry

from schema.batching import batched
from schema.context import Info
from schema.types.evidence import Claim
from schema.types.node import Node
from server.errors import NotFound
from server.ids import NodeKind, encode_id
from server.store.records import EntityRecord, FactRecord, RelationshipRecord
from server.terms import ClaimStatus, Precision, ValueType

if TYPE_CHECKING:
    from schema.types.entity import Entity

LazyEntity = Annotated["Entity", strawberry.lazy("schema.types.entity")]


@strawberry.type(description="A statement about one entity, with a literal value or none.")
class Fact(Claim, Node):
    id: strawberry.ID = strawberry.field(description="The fact's id; its versions share it.")
    content: str = strawberry.field(description="What it says.")
    category: str | None = strawberry.field(description="What it is about, such as experience, pricing or education.")
    importance: float = strawberry.field(description="How much it matters: 0 to 1.")
    predicate: str | None = strawberry.field(description="What is stated, in UPPER_SNAKE_CASE, such as COSTS.")
    value: str | None = strawberry.field(description="The literal value in its canonical form, as 349 USD/month.")
    value_type: ValueType = strawberry.field(description="What the value is.")
    subject_id: strawberry.Private[UUID]
    evidence_column = "fact_id"

    @staticmethod
    def of(row: FactRecord) -> Fact:
        return Fact(
            id=strawberry.ID(encode_id(NodeKind.FACT, row.id)),
            text=row.content,
            content=row.content,
            category=row.category,
            importance=row.importance,
            predicate=row.predicate,
            value=row.value,
            value_type=ValueType(row.value_type),
            key=row.id,
            subject_id=row.subject_id,
            **claim_fields(row),
        )

    @batched(description="The entity that it is about.")
    @staticmethod
    async def subject(parents: list[Fact], info: Info) -> list[LazyEntity | Exception]:
        return await entities_by_id(info, [fact.subject_id for fact in parents])


def claim_fields(row: FactRecord | RelationshipRecord) -> dict[str, Any]:
    """Return the fields of the interface Claim, as keyword arguments."""
    start, end = row.valid_from_precision, row.valid_to_precision
    return {
        "confidence": row.confidence,
        "status": ClaimStatus(row.status),
        "valid_from": row.valid_from,
        "valid_from_precision": None if start is None else Precision(start),
        "valid_to": row.valid_to,
        "valid_to_precision": None if end is None else Precision(end),
        "known_from": row.known_from,
        "version": row.version,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


async def entities_by_id(info: Info, ids: list[UUID]) -> list[Entity | Exception]:
    """Return the entities with these ids; one that was deleted while the query ran is an error in its place."""
    from schema.types.entity import Entity

    rows = await info.context.store.read.by_ids(EntityRecord, ids)
    made: dict[UUID, Entity] = {}
    for row in rows:
        if row is not None and row.id not in made:
            made[row.id] = Entity.of(row)
    return [made.get(id) or gone("entity") for id in ids]


def gone(what: str) -> NotFound:
    """Return the error of a position whose node was deleted while the query ran."""
    return NotFound(f"The {what} was deleted while the query ran. Ask again.")
