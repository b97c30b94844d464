"""Conflicts between claims."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import strawberry

from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import columns_of, nodes_named
from schema.types.evidence import Claim
from schema.types.fact import Fact, entities_by_id
from schema.types.node import Node, row_id
from schema.types.relationship import Relationship
from server.ids import NodeKind
from server.store.records import ConflictClaimRecord, ConflictRecord, FactRecord, RelationshipRecord
from server.terms import ConflictStatus
from server.views import View

if TYPE_CHECKING:
    from schema.types.entity import Entity

LazyEntity = Annotated["Entity", strawberry.lazy("schema.types.entity")]
_IDS = ("fact_id", "relationship_id")


def _by(conflict: Conflict) -> str | None:
    return conflict.row.decided_by if conflict.row.status == ConflictStatus.RESOLVED else None


def _at(conflict: Conflict) -> datetime | None:
    return conflict.row.decided_at if conflict.row.status == ConflictStatus.RESOLVED else None


@strawberry.type(
    description="Claims about one subject that cannot all be true: of their predicate a subject has one at a time."
)
class Conflict(Node):
    id: strawberry.ID = row_id(
        NodeKind.CONFLICT, "The conflict's id; it stays the same as long as the dispute goes on."
    )
    predicate: str = attribute(
        "row.predicate", description="What the claims state: the facts' predicate or the relationships' type."
    )
    status: ConflictStatus = attribute("row.status", description="How it stands.")
    reason: str | None = attribute(
        "row.reason",
        description="Why it is open, by what rule it was resolved, or what the person gave who settled it.",
    )
    decided_by: str | None = attribute(
        _by, needs=("row.status", "row.decided_by"), description="Who settled it; null where no person has."
    )
    decided_at: datetime | None = attribute(
        _at, needs=("row.status", "row.decided_at"), description="When a person settled it; null where none has."
    )
    row: strawberry.Private[ConflictRecord]
    view: strawberry.Private[View | None] = None

    @staticmethod
    def of(row: ConflictRecord) -> Conflict:
        return Conflict(row=row)

    @batched(needs=("row.subject_id",), description="What the claims are about.")
    @staticmethod
    async def subject(parents: list[Conflict], info: Info) -> list[LazyEntity | Exception]:
        return await entities_by_id(info, [conflict.row.subject_id for conflict in parents], parents)

    @batched(needs=("row.id",), description="The claims that contradict each other, oldest first.")
    @staticmethod
    async def claims(parents: list[Conflict], info: Info) -> list[list[Claim]]:
        keys = [conflict.row.id for conflict in parents]
        lists = await info.context.store.read.lists(ConflictClaimRecord, "conflict_id", keys, *_IDS)
        parts = [[row for row in rows if row.takes_part] for rows in lists]
        info.context.spend(info, [len(rows) for rows in parts])
        named = iter(
            await _claims(
                info,
                [(row.fact_id, row.relationship_id) for rows in parts for row in rows],
                [conflict.view for conflict, rows in zip(parents, parts, strict=True) for _ in rows],
            )
        )
        return [[claim for claim in islice(named, len(rows)) if claim is not None] for rows in parts]

    @batched(
        needs=("row.winner_id", "row.node_kind"),
        description="The claim that holds against the others; null as long as nothing has decided.",
    )
    @staticmethod
    async def winner(parents: list[Conflict], info: Info) -> list[Claim | None]:
        rows = [conflict.row for conflict in parents]
        ids = [(row.winner_id, None) if row.node_kind == NodeKind.FACT else (None, row.winner_id) for row in rows]
        return await _claims(info, ids, [conflict.view for conflict in parents])


async def _claims(
    info: Info, ids: Sequence[tuple[UUID | None, UUID | None]], views: Sequence[View | None]
) -> list[Claim | None]:
    """Return the fact or the relationship with each pair of ids. One statement for each of the two, where there are any."""
    columns = columns_of(info, ())
    facts = await nodes_named(info, Fact, FactRecord, [fact for fact, _ in ids], views, columns)
    edges = await nodes_named(info, Relationship, RelationshipRecord, [edge for _, edge in ids], views, columns)
    return [fact or edge for fact, edge in zip(facts, edges, strict=True)]
