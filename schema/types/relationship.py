"""Relationships."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from schema.batching import batched
from schema.context import Info
from schema.types.evidence import Claim
from schema.types.fact import claim_fields, entities_by_id, gone
from schema.types.node import Node
from server.ids import NodeKind, encode_id
from server.services.relationships import sentence
from server.store.records import EntityRecord, RelationshipRecord

if TYPE_CHECKING:
    from schema.types.entity import Entity

LazyEntity = Annotated["Entity", strawberry.lazy("schema.types.entity")]


@strawberry.type(description="A typed edge from one entity to another.")
class Relationship(Claim, Node):
    id: strawberry.ID = strawberry.field(description="The relationship's id; its versions share it.")
    type: str = strawberry.field(description="What the source is to the target, in UPPER_SNAKE_CASE, as WORKS_AT.")
    description: str | None = strawberry.field(description="What it means here, in words.")
    strength: float = strawberry.field(description="How strongly it holds: 0 to 1. Paths prefer strong edges.")
    bidirectional: bool = strawberry.field(description="Whether it holds in both directions.")
    properties: JSON = strawberry.field(description="Further values, as a JSON object.")
    source_id: strawberry.Private[UUID]
    target_id: strawberry.Private[UUID]
    evidence_column = "relationship_id"

    @staticmethod
    def of(row: RelationshipRecord) -> Relationship:
        return Relationship(
            id=strawberry.ID(encode_id(NodeKind.RELATIONSHIP, row.id)),
            type=row.type,
            description=row.description,
            strength=row.strength,
            bidirectional=row.bidirectional,
            properties=JSON(row.properties),
            key=row.id,
            source_id=row.source_id,
            target_id=row.target_id,
            **claim_fields(row),
        )

    @batched(description="It as a readable sentence, such as: John works at Google.")  # type: ignore[misc]
    @staticmethod
    async def text(parents: list[Relationship], info: Info) -> list[str | Exception]:
        ids = [id for edge in parents for id in (edge.source_id, edge.target_id)]
        rows = await info.context.store.read.by_ids(EntityRecord, ids)
        names = {row.id: row.name for row in rows if row is not None}
        return [
            sentence(names[edge.source_id], edge.type, names[edge.target_id])
            if edge.source_id in names and edge.target_id in names
            else gone("entity")
            for edge in parents
        ]

    @batched(description="The entity that it starts from.")
    @staticmethod
    async def source(parents: list[Relationship], info: Info) -> list[LazyEntity | Exception]:
        return await entities_by_id(info, [edge.source_id for edge in parents])

    @batched(description="The entity that it leads to.")
    @staticmethod
    async def target(parents: list[Relationship], info: Info) -> list[LazyEntity | Exception]:
        return await entities_by_id(info, [edge.target_id for edge in parents])
