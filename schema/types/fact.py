"""Facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import UUID

import strawberry

from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import columns_of
from schema.types.evidence import Claim
from schema.types.node import Node, row_id
from server.errors import NotFound
from server.ids import NodeKind
from server.store.records import EntityRecord, FactRecord, RelationshipRecord
from server.terms import ValueType

if TYPE_CHECKING:
    from schema.types.entity import Entity

LazyEntity = Annotated["Entity", strawberry.lazy("schema.types.entity")]


@strawberry.type(description="A statement about one entity, with a literal value or none.")
class Fact(Claim, Node):
    id: strawberry.ID = row_id(NodeKind.FACT, "The fact's id; its versions share it.")
    content: str = attribute("row.content", description="What it says.")
    category: str | None = attribute(
        "row.category", description="What it is about, such as experience, pricing or education."
    )
    importance: float = attribute("row.importance", description="How much it matters: 0 to 1.")
    predicate: str | None = attribute(
        "row.predicate", description="What is stated, in UPPER_SNAKE_CASE, such as COSTS."
    )
    value: str | None = attribute("row.value", description="The literal value in its canonical form, as 349 USD/month.")
    value_type: ValueType = attribute("row.value_type", description="What the value is.")
    row: strawberry.Private[FactRecord]
    evidence_column = "fact_id"

    @staticmethod
    def of(row: FactRecord) -> Fact:
        return Fact(row=row)

    @batched(needs=("row.subject_id",), description="The entity that it is about.")
    @staticmethod
    async def subject(parents: list[Fact], info: Info) -> list[LazyEntity | Exception]:
        return await ends(info, [fact.row for fact in parents], "subject")


async def ends(
    info: Info, rows: Sequence[FactRecord | RelationshipRecord], name: Literal["subject", "source", "target"]
) -> list[Entity | Exception]:
    """Return the entity at one end of each claim; no statement where it came with the claims' rows."""
    from schema.types.entity import Entity

    known: list[Any] = [getattr(row, name, None) for row in rows]
    if any(row is None for row in known):
        return await entities_by_id(info, [getattr(row, f"{name}_id") for row in rows])
    ids = [row.id for row in known]
    made = {id: Entity.of(row) for id, row in dict(zip(ids, known, strict=True)).items()}
    return [made[id] for id in ids]


async def entities_by_id(info: Info, ids: list[UUID]) -> list[Entity | Exception]:
    """Return the entities with these ids; one that was deleted while the query ran is an error in its place."""
    from schema.types.entity import Entity

    rows = await info.context.store.read.by_ids(EntityRecord, ids, columns_of(info, ()))
    made: dict[UUID, Entity] = {}
    for row in rows:
        if row is not None and row.id not in made:
            made[row.id] = Entity.of(row)
    return [made.get(id) or gone("entity") for id in ids]


def gone(what: str) -> NotFound:
    """Return the error of a position whose node was deleted while the query ran."""
    return NotFound(f"The {what} was deleted while the query ran. Ask again.")
