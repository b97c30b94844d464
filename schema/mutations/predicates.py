"""Mutations of predicates."""

from __future__ import annotations

from typing import Annotated

import strawberry

from schema.breadth import computed
from schema.context import Info
from schema.mutations.inputs import VOLUME, named, volume_of
from schema.types.conflict import Conflict
from schema.types.evidence import Claim
from schema.types.fact import Fact
from schema.types.relationship import Relationship
from schema.types.volume import Predicate
from server.services.definitions import Definition
from server.store.records import FactRecord
from server.terms import Cardinality


@strawberry.input(description="How a predicate or relationship type is set, in use or not.")
class SetPredicateInput:
    name: str = strawberry.field(description="Its name, in any case and spacing.")
    cardinality: Cardinality = strawberry.field(description="How many claims of it a subject can have at a time.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    inverse: str | None = strawberry.field(
        default=strawberry.UNSET,
        description="What the same relationship is called from the other end; null: nothing. The two become each other's, and what "
        "was the inverse of either has none any more. Left out: as it is.",
    )
    symmetric: bool = strawberry.field(
        default=False, description="Whether it means the same from both ends: then it is its own inverse, and MANY."
    )
    half_life_days: float | None = strawberry.field(
        default=strawberry.UNSET,
        description="After how many days without new evidence a claim of it is stale; null: never. Left out: as it is.",
    )
    description: str | None = strawberry.field(
        default=strawberry.UNSET, description="What it means; null clears it. Left out: as it is."
    )
    dry_run: bool = strawberry.field(
        default=False, description="Whether to answer what would be set, and to change nothing."
    )

    def plain(self) -> Definition:
        changes = named(inverse=self.inverse, half_life_days=self.half_life_days, description=self.description)
        return Definition(self.name, self.cardinality, self.symmetric, changes, rehearsal=self.dry_run)


@strawberry.type(description="What was set, and what has come of it.")
class SetPredicatePayload:
    predicate: Predicate = strawberry.field(description="How it is set now; with dryRun, how it would be.")
    joined: list[Relationship] = strawberry.field(
        description="The relationships that by it count for another one too, which says the same from the other end; with dryRun, that would."
    )
    parted: list[Relationship] = strawberry.field(
        description="The relationships that had counted as one with another and are there by themselves again; with dryRun, that would be."
    )
    superseded: list[Claim] = strawberry.field(
        description="The claims that have given way to others by it, as they are now; with dryRun, as they would be."
    )
    conflicts: list[Conflict] = strawberry.field(
        description="The conflicts that have come of it, settled ones too. With dryRun their own fields are as they would be; "
        "they have no claims yet."
    )


@strawberry.type
class PredicateMutations:
    @computed(
        description="Set how many claims of a predicate a subject can have at a time, what it is called from the other end, and for how "
        "long a claim of it stays fresh. With another cardinality all its claims are judged anew. Relationships that by it say the same from "
        "opposite ends count as one, until it is set back. Of two inverses of which one is ONE, all relationships are "
        "stated by that, and as they were stated again when it is so no more."
    )
    async def set_predicate(
        self, info: Info, input: Annotated[SetPredicateInput, strawberry.argument(description="How it is set.")]
    ) -> SetPredicatePayload | None:
        volume = await volume_of(info, input.volume)
        done = await info.context.knowledge.predicates.set(volume, input.plain(), info.context.viewer.actor)
        return SetPredicatePayload(
            predicate=Predicate.of(done.predicate),
            joined=[Relationship.of(row) for row in done.joined],
            parted=[Relationship.of(row) for row in done.parted],
            superseded=[
                Fact.of(row) if isinstance(row, FactRecord) else Relationship.of(row) for row in done.superseded
            ],
            conflicts=[Conflict.of(row) for row in done.conflicts],
        )
