"""Relationships."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import strawberry
from strawberry.scalars import JSON

from schema.breadth import attribute, batched
from schema.context import Info
from schema.types.evidence import Claim
from schema.types.fact import ends, gone
from schema.types.node import Node, row_id
from server.ids import NodeKind
from server.services.relationships import sentence
from server.store.records import EntityRecord, RelationshipRecord

if TYPE_CHECKING:
    from schema.types.entity import Entity

LazyEntity = Annotated["Entity", strawberry.lazy("schema.types.entity")]


@strawberry.type(description="A typed edge from one entity to another.")
class Relationship(Claim, Node):
    id: strawberry.ID = row_id(NodeKind.RELATIONSHIP, "The relationship's id; its versions share it.")
    type: str = attribute(
        "row.type",
        description="What the source is to the target, in UPPER_SNAKE_CASE, as WORKS_AT: as it was stated first, from whichever end.",
    )
    description: str | None = attribute("row.description", description="What it means here, in words.")
    strength: float = attribute("row.strength", description="How strongly it holds: 0 to 1. Paths prefer strong edges.")
    bidirectional: bool = attribute(
        "row.bidirectional",
        description="Whether it was stated to hold in both directions. Of a symmetric type it holds so anyway.",
    )
    properties: JSON = attribute("row.properties", description="Further values, as a JSON object.")
    row: strawberry.Private[RelationshipRecord]
    evidence_column = "relationship_id"
    record = RelationshipRecord

    @staticmethod
    def of(row: RelationshipRecord) -> Relationship:
        return Relationship(row=row)

    @batched(  # type: ignore[misc]
        needs=("row.source_id", "row.target_id", "row.type"),
        description="It as a readable sentence, such as: John works at Google.",
    )
    @staticmethod
    async def text(parents: list[Relationship], info: Info) -> list[str | Exception]:
        names = {row.id: row.name for edge in parents for row in _known_ends(edge)}
        ids = [id for edge in parents for id in (edge.row.source_id, edge.row.target_id) if id not in names]
        rows = await info.context.store.read.by_ids(EntityRecord, ids)
        names |= {row.id: row.name for row in rows if row is not None}
        return [
            sentence(names[edge.row.source_id], edge.row.type, names[edge.row.target_id])
            if edge.row.source_id in names and edge.row.target_id in names
            else gone("entity")
            for edge in parents
        ]

    @batched(needs=("row.source_id",), description="The entity that it starts from.")
    @staticmethod
    async def source(parents: list[Relationship], info: Info) -> list[LazyEntity | Exception]:
        return await ends(info, parents, "source")

    @batched(needs=("row.target_id",), description="The entity that it leads to.")
    @staticmethod
    async def target(parents: list[Relationship], info: Info) -> list[LazyEntity | Exception]:
        return await ends(info, parents, "target")


def _known_ends(edge: Relationship) -> list[Any]:
    """Return the entities at its ends that came whole with its row."""
    ends = (getattr(edge.row, "source", None), getattr(edge.row, "target", None))
    return [row for row in ends if isinstance(row, EntityRecord)]
