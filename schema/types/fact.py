"""Facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import UUID

import strawberry

from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import columns_of, nodes_named
from schema.types.evidence import Claim
from schema.types.node import Node, row_id
from schema.views import Seen, seen
from server.errors import NotFound
from server.ids import NodeKind
from server.store.records import EntityRecord, FactRecord
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
    record = FactRecord

    @staticmethod
    def of(row: FactRecord) -> Fact:
        return Fact(row=row)

    @batched(needs=("row.subject_id",), description="The entity that it is about.")
    @staticmethod
    async def subject(parents: list[Fact], info: Info) -> list[LazyEntity | Exception]:
        return await ends(info, parents, "subject")


async def ends(
    info: Info, claims: Sequence[Claim], name: Literal["subject", "source", "target"]
) -> list[Entity | Exception]:
    """Return the entity at one end of each claim; no statement where it came with the claims' rows."""
    from schema.types.entity import Entity

    rows: list[Any] = [getattr(claim.row, name, None) for claim in claims]
    if any(row is None for row in rows):
        return await entities_by_id(info, [getattr(claim.row, f"{name}_id") for claim in claims], claims)
    keys = [(row.id, claim.view) for row, claim in zip(rows, claims, strict=True)]
    made = {key: seen(Entity.of(row), key[1]) for key, row in dict(zip(keys, rows, strict=True)).items()}
    return [made[key] for key in keys]


async def entities_by_id(info: Info, ids: list[UUID], parents: Sequence[Seen]) -> list[Entity | Exception]:
    """Return the entities with these ids, in their parents' views; one that was deleted while the query ran is an error."""
    from schema.types.entity import Entity

    views = [parent.view for parent in parents]
    found = await nodes_named(info, Entity, EntityRecord, ids, views, columns_of(info, ()))
    return [entity or gone("entity") for entity in found]


def gone(what: str) -> NotFound:
    """Return the error of a position whose node was deleted while the query ran."""
    return NotFound(f"The {what} was deleted while the query ran. Ask again.")
