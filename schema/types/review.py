"""The review queue: what waits for a person to decide it, and what was decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import strawberry

from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import Keysets, Parent, columns_of, pages
from schema.nodes import FOUND, nodes_by_id
from schema.pagination import Connection
from schema.types.conflict import Conflict
from schema.types.entity import Entity
from schema.types.evidence import Claim
from schema.types.fact import gone
from schema.types.node import Node, row_id
from schema.views import seen
from server.ids import GlobalId, NodeKind
from server.store import relations as rel
from server.store.filters import ReviewFilter
from server.store.records import EntityRecord, ReviewRecord
from server.store.relations import Sorting
from server.terms import ReviewKind
from server.views import View

_IN_ORDER = Sorting(("precedence",))
_ITEM_ID = "The item's id; the same question has the same one for good."


@strawberry.interface(description="A question that a person is to decide, or has decided. Each is asked once.")
class ReviewItem(Node):
    opened_at: datetime = attribute("row.opened_at", description="Since when it waits, or had waited.")
    importance: float = attribute("row.importance", description="How much it matters: 0 to 1. It orders the queue.")
    decision: str | None = attribute(
        "row.decision",
        description="How it was decided: APPROVED, REJECTED, EDITED, MERGED, KEPT_APART or WINNER_CHOSEN; LAPSED where the matter went by "
        "itself; null while it is open.",
    )
    decided_by: str | None = attribute(
        "row.decided_by", description="Who decided it; null while it is open, and where it lapsed, for nobody has."
    )
    decided_at: datetime | None = attribute(
        "row.decided_at", description="When it was decided, or lapsed; null while it is open."
    )
    row: strawberry.Private[ReviewRecord]


@strawberry.type(
    description="Whether a claim is to be believed whose confidence is below 0.7, or that a person has retracted and another source says."
)
class LowConfidenceReview(ReviewItem, Node):
    id: strawberry.ID = row_id(NodeKind.REVIEW, _ITEM_ID)
    reasons: list[str] = attribute(
        "row.reasons",
        description="Why it waits however sure it is: that a person has retracted it, and for what reason. Empty: its confidence is low.",
    )

    @batched(
        needs=("row.fact_id", "row.relationship_id"),
        description="What waits to be believed: PENDING_REVIEW as long as the item is open. The queue is today's in every "
        "view: a claim that the view does not know is shown as it is today.",
    )
    @staticmethod
    async def claim(parents: list[LowConfidenceReview], info: Info) -> list[Claim | Exception]:
        return await claims_of(info, parents)


@strawberry.type(
    description="Which of the claims of a conflict holds. Where other claims come to take part, it is another item."
)
class ConflictReview(ReviewItem, Node):
    id: strawberry.ID = row_id(NodeKind.REVIEW, _ITEM_ID)

    @batched(needs=("row.conflict_id",), description="The conflict as it is at present, its claims in the view.")
    @staticmethod
    async def conflict(parents: list[ConflictReview], info: Info) -> list[Conflict | Exception]:
        ids = [(item.row.conflict_id, item.view) for item in parents]
        wanted = [None if id is None else GlobalId(NodeKind.CONFLICT, id, view) for id, view in ids]
        found = await nodes_by_id(info, wanted)
        return [node if isinstance(node, Conflict) else gone("conflict") for node in found]


async def claims_of(info: Info, items: Sequence[ReviewItem]) -> list[Claim | Exception]:
    """Return the claim that each item is about, in the item's view; one that the view does not know is that of the present.

    One statement for facts, one for relationships; as many again where a view does not know all.
    """
    about = [
        GlobalId(kind, id, item.view)
        for item in items
        for kind, id in ((NodeKind.FACT, item.row.fact_id), (NodeKind.RELATIONSHIP, item.row.relationship_id))
        if id is not None
    ]
    found = await nodes_by_id(info, about)
    unknown = [one if node is None and one.view is not None else None for one, node in zip(about, found, strict=True)]
    if any(unknown):
        present = await nodes_by_id(info, [None if one is None else one._replace(view=None) for one in unknown])
        found = [node or today for node, today in zip(found, present, strict=True)]
    return [node if isinstance(node, Claim) else gone("claim") for node in found]


@strawberry.type(
    description="Whether a claim still holds that has been without new evidence for longer than its kind lasts."
)
class StaleReview(ReviewItem, Node):
    id: strawberry.ID = row_id(NodeKind.REVIEW, _ITEM_ID)
    due_since: datetime = attribute("row.due_since", description="Since when it is stale.")

    @batched(
        needs=("row.fact_id", "row.relationship_id"),
        description="What is to be confirmed, taken back or corrected. A claim that the view does not know is shown as it is today.",
    )
    @staticmethod
    async def claim(parents: list[StaleReview], info: Info) -> list[Claim | Exception]:
        return await claims_of(info, parents)


@strawberry.type(description="Whether two entities are one: they are alike, and likeness alone merges nothing.")
class DuplicateReview(ReviewItem, Node):
    id: strawberry.ID = row_id(NodeKind.REVIEW, _ITEM_ID)
    score: float = attribute("row.score", description="How alike they are: 0 to 1.")
    reasons: list[str] = attribute("row.reasons", description="What speaks for it, and what against.")

    @batched(
        needs=("row.left_id",),
        description="The name of `left` as such: where the two are one by now, that of the one that was merged stays visible here.",
    )
    @staticmethod
    async def left_name(parents: list[DuplicateReview], info: Info) -> list[str | Exception]:
        return await _names(info, [item.row.left_id for item in parents])

    @batched(
        needs=("row.right_id",),
        description="The name of `right` as such: where the two are one by now, that of the one that was merged stays visible here.",
    )
    @staticmethod
    async def right_name(parents: list[DuplicateReview], info: Info) -> list[str | Exception]:
        return await _names(info, [item.row.right_id for item in parents])

    @batched(
        needs=("row.left_id",),
        description="The one that is known for longer, or what it was merged into: after the decision MERGED the same entity as `right`.",
    )
    @staticmethod
    async def left(parents: list[DuplicateReview], info: Info) -> list[Entity | Exception]:
        return await _entities(info, parents, [item.row.left_id for item in parents])

    @batched(
        needs=("row.right_id",),
        description="The other one, or what it was merged into: after the decision MERGED the same entity as `left`.",
    )
    @staticmethod
    async def right(parents: list[DuplicateReview], info: Info) -> list[Entity | Exception]:
        return await _entities(info, parents, [item.row.right_id for item in parents])


async def _names(info: Info, ids: Sequence[UUID | None]) -> list[str | Exception]:
    """Return the entities' own names, whatever they were merged into. One statement."""
    known = [id for id in ids if id is not None]
    rows = await info.context.store.read.by_ids(EntityRecord, list(dict.fromkeys(known)), frozenset({"name"}))
    names = {row.id: row.name for row in rows if row is not None}
    return [names[id] if id in names else gone("entity") for id in ids]


async def _entities(info: Info, items: Sequence[ReviewItem], ids: Sequence[UUID | None]) -> list[Entity | Exception]:
    wanted = [
        None if id is None else GlobalId(NodeKind.ENTITY, id, item.view) for id, item in zip(ids, items, strict=True)
    ]
    return [node if isinstance(node, Entity) else gone("entity") for node in await nodes_by_id(info, wanted)]


TYPES: Mapping[ReviewKind, type[ReviewItem]] = {
    ReviewKind.LOW_CONFIDENCE: LowConfidenceReview,
    ReviewKind.DUPLICATE: DuplicateReview,
    ReviewKind.CONFLICT: ConflictReview,
    ReviewKind.STALE: StaleReview,
}
"""The type of each kind of item."""
_ALWAYS = frozenset({"kind"})


def shown(rows: Iterable[ReviewRecord], view: View | None = None) -> list[ReviewItem]:
    """Return items by their rows."""
    return [seen(TYPES[ReviewKind(row.kind)](row=row), view) for row in rows]  # type: ignore[call-arg]


def duplicates(rows: Iterable[ReviewRecord]) -> list[DuplicateReview]:
    """Return the items among these that ask whether two entities are one."""
    return [item for item in shown(rows) if isinstance(item, DuplicateReview)]


async def review_queue(
    info: Info, volumes: Sequence[Parent], filter: ReviewFilter, first: int, after: str | None
) -> list[Connection[ReviewItem]]:
    """Return each volume's page of the queue, the most important first, then the oldest. One statement, one more for the totals."""
    level = await pages(
        info,
        "Volume.reviewQueue",
        volumes,
        rel.REVIEWS_OF_VOLUME,
        first=first,
        after=after,
        filter=replace(filter, kinds=tuple(TYPES) if filter.kinds is None else filter.kinds),
        sorting=_IN_ORDER,
        columns=columns_of(info, ("nodes",), ("edges", "node"), always=_ALWAYS),
    )
    return level.connections(
        Connection,
        after,
        lambda position, page: {
            "nodes": shown(page.rows, volumes[position].view),
            "keys": Keysets(page.rows, _IN_ORDER),
        },
    )


async def items_by_id(info: Info, ids: list[UUID], view: View | None) -> list[Node | None]:
    """Return the items with these ids, None for unknown ones. One statement."""
    rows: list[Any] = await info.context.store.read.by_ids(ReviewRecord, ids, columns_of(info, (), always=_ALWAYS))
    made = iter(shown((row for row in rows if row is not None), view))
    return [None if row is None else next(made) for row in rows]


FOUND[NodeKind.REVIEW] = items_by_id
