"""Mutations of the review queue."""

from __future__ import annotations

from typing import Annotated

import strawberry
from strawberry.scalars import JSON

from schema.arguments import id_of
from schema.breadth import computed
from schema.context import Info
from schema.mutations.inputs import VOLUME, named, volume_of
from schema.types.conflict import Conflict
from schema.types.evidence import Claim
from schema.types.fact import Fact
from schema.types.merge import EntityMerge
from schema.types.relationship import Relationship
from schema.types.review import ReviewItem, shown
from server.errors import NotFound
from server.ids import NodeKind, decode_id
from server.services.decisions import ClaimRecord, Resolution
from server.services.extraction.protocol import Instant
from server.services.reviews import Node
from server.store.records import FactRecord
from server.terms import ReviewAction, ValueType


@strawberry.input(description="What to correct about an item's claim. Fields left out stay as they are.")
class ReviewEditInput:
    content: str | None = strawberry.field(default=strawberry.UNSET, description="What the fact says.")
    category: str | None = strawberry.field(
        default=strawberry.UNSET, description="What the fact is about; null clears it."
    )
    predicate: str | None = strawberry.field(
        default=strawberry.UNSET, description="What the fact states; null clears it."
    )
    value: str | None = strawberry.field(
        default=strawberry.UNSET, description="The fact's literal value; null clears it."
    )
    value_type: ValueType | None = strawberry.field(default=strawberry.UNSET, description="What the value is.")
    importance: float | None = strawberry.field(
        default=strawberry.UNSET, description="How much the fact matters: 0 to 1."
    )
    type: str | None = strawberry.field(default=strawberry.UNSET, description="The relationship's type, in any case.")
    description: str | None = strawberry.field(
        default=strawberry.UNSET, description="How the relationship is put; null clears it."
    )
    strength: float | None = strawberry.field(
        default=strawberry.UNSET, description="How strong the relationship is: 0 to 1."
    )
    bidirectional: bool | None = strawberry.field(
        default=strawberry.UNSET, description="Whether the relationship goes both ways."
    )
    properties: JSON | None = strawberry.field(
        default=strawberry.UNSET, description="The relationship's further values, as a JSON object; null clears them."
    )
    valid_from: Instant | None = strawberry.field(default=strawberry.UNSET, description="From when on; null opens it.")
    valid_to: Instant | None = strawberry.field(default=strawberry.UNSET, description="Until when; null opens it.")

    def plain(self) -> dict[str, object]:
        return named(**{name: getattr(self, name) for name in ReviewEditInput.__annotations__})


@strawberry.input(description="What to decide about items of the review queue: one action for all of them.")
class ResolveReviewInput:
    items: list[strawberry.ID] = strawberry.field(description="The items, up to 500. A wrong one refuses them all.")
    action: ReviewAction = strawberry.field(description="What to do.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    edit: ReviewEditInput | None = strawberry.field(
        default=None, description="What to correct: for EDIT, of one item alone."
    )
    winner: strawberry.ID | None = strawberry.field(
        default=None,
        description="Of one item alone: for CHOOSE_WINNER the claim that holds; for MERGE the entity that the other one is to count as.",
    )
    reason: str | None = strawberry.field(
        default=None, description="Why, for the log; of a claim that is rejected, for the claim too."
    )
    dry_run: bool = strawberry.field(
        default=False, description="Whether to answer what would change, and to change nothing."
    )

    def plain(self) -> Resolution:
        return Resolution(
            items=[id_of(id, NodeKind.REVIEW, f"items[{n}]") for n, id in enumerate(self.items)],
            action=self.action,
            edit=None if self.edit is None else self.edit.plain(),
            winner=None if self.winner is None else _named(self.winner),
            reason=self.reason,
            rehearsal=self.dry_run,
        )


@strawberry.type(description="What was decided, and what came of it; with dryRun, what would be.")
class ResolveReviewPayload:
    items: list[ReviewItem] = strawberry.field(description="The items with their decision, in the order given.")
    claims: list[Claim] = strawberry.field(
        description="The claims that the decision changed, as they are now; with dryRun their own fields are as they would be. "
        "Empty where all was decided so before."
    )
    conflicts: list[Conflict] = strawberry.field(
        description="The conflicts that the decision opened, changed or settled; with dryRun their own fields are as they would be, and "
        "the id of one that would be opened leads to nothing."
    )
    merges: list[EntityMerge] = strawberry.field(
        description="The merges that were made; with dryRun those that would be: their ids lead to nothing, and cannot be unmerged."
    )


@strawberry.type
class ReviewMutations:
    @computed(
        description="Decide items of the review queue. A decision is kept, and the same question is not asked again: the same decision "
        "twice changes nothing, another one is refused as CONFLICT."
    )
    async def resolve_review(
        self, info: Info, input: Annotated[ResolveReviewInput, strawberry.argument(description="What to decide.")]
    ) -> ResolveReviewPayload | None:
        volume = await volume_of(info, input.volume)
        done = await info.context.knowledge.reviews.resolve(volume, input.plain(), info.context.viewer.actor)
        return ResolveReviewPayload(
            items=shown(done.items),
            claims=[_claim(row) for row in done.claims],
            conflicts=[Conflict.of(row) for row in done.conflicts],
            merges=[EntityMerge.of(row) for row in done.merges],
        )


def _named(id: strawberry.ID) -> Node:
    decoded = decode_id(id)
    if decoded is None:
        raise NotFound("There is no such node in this volume.", argument="winner")
    return decoded.kind, decoded.id


def _claim(row: ClaimRecord) -> Claim:
    return Fact.of(row) if isinstance(row, FactRecord) else Relationship.of(row)
