"""Mutations of facts."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import strawberry

from schema.arguments import id_of
from schema.breadth import computed
from schema.context import Info
from schema.mutations.inputs import IDEMPOTENCY, VERSION, VOLUME, named, volume_of
from schema.mutations.outcomes import Outcome
from schema.types.fact import Fact, gone
from server.ids import NodeKind
from server.services.extraction.protocol import Instant
from server.services.facts import NewFact
from server.store.records import FactRecord
from server.terms import Authority, ValueType


@strawberry.input(description="The fact to state.")
class CreateFactInput:
    subject: strawberry.ID = strawberry.field(description="The entity that it is about.")
    content: str = strawberry.field(description="What it says, up to 10,000 characters.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    category: str | None = strawberry.field(
        default=None, description="What it is about, such as experience or pricing."
    )
    predicate: str | None = strawberry.field(default=None, description="What is stated, in any case, such as COSTS.")
    value: str | None = strawberry.field(
        default=None,
        description="The literal value, such as $349/month.",
    )
    value_type: ValueType | None = strawberry.field(
        default=None,
        description="What the value is. Left out: MONEY, NUMBER, DATE or BOOLEAN where all of it is one and the predicate does not "
        "name things by it (a version, a code), else TEXT.",
    )
    valid_from: Instant | None = strawberry.field(default=None, description="From when on it is true.")
    valid_to: Instant | None = strawberry.field(
        default=None, description="Until when it is true: 2024 includes that year, an instant is itself excluded."
    )
    importance: float | None = strawberry.field(
        default=None, description="How much it matters: 0 to 1; 0.5 unless given."
    )
    confidence: float | None = strawberry.field(default=None, description="How sure it is: 0 to 1; 1 unless given.")
    authority: Authority = strawberry.field(default=Authority.USER, description="How authoritative the source is.")
    document: strawberry.ID | None = strawberry.field(default=None, description="The document that says so.")
    quote: str | None = strawberry.field(default=None, description="The document's words, verbatim.")
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY)

    def plain(self) -> NewFact:
        return NewFact(
            subject=id_of(self.subject, NodeKind.ENTITY, "subject"),
            content=self.content,
            category=self.category,
            predicate=self.predicate,
            value=self.value,
            value_type=self.value_type,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            importance=0.5 if self.importance is None else self.importance,
            confidence=1.0 if self.confidence is None else self.confidence,
            authority=self.authority,
            document=None if self.document is None else id_of(self.document, NodeKind.DOCUMENT, "document"),
            quote=self.quote,
        )


@strawberry.type(description="The fact that was stated.")
class CreateFactPayload(Outcome):
    fact: Fact = strawberry.field(description="The fact, new or stated again.")
    duplicate_of: Fact | None = strawberry.field(
        description="The same fact, where it was known: it has gained evidence. Null where the fact is new."
    )


@strawberry.input(description="What to correct about a fact. Fields left out stay as they are.")
class UpdateFactInput:
    id: strawberry.ID = strawberry.field(description="The fact.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    content: str | None = strawberry.field(default=strawberry.UNSET, description="What it says.")
    category: str | None = strawberry.field(default=strawberry.UNSET, description="What it is about; null clears it.")
    predicate: str | None = strawberry.field(default=strawberry.UNSET, description="What is stated; null clears it.")
    value: str | None = strawberry.field(default=strawberry.UNSET, description="The literal value; null clears it.")
    value_type: ValueType | None = strawberry.field(
        default=strawberry.UNSET,
        description="What the value is. Left out: as it was; as in createFact where there was no value.",
    )
    valid_from: Instant | None = strawberry.field(default=strawberry.UNSET, description="From when on; null opens it.")
    valid_to: Instant | None = strawberry.field(default=strawberry.UNSET, description="Until when; null opens it.")
    importance: float | None = strawberry.field(default=strawberry.UNSET, description="How much it matters: 0 to 1.")
    confidence: float | None = strawberry.field(default=strawberry.UNSET, description="How sure it is: 0 to 1.")
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The fact as it is now.")
class UpdateFactPayload(Outcome):
    fact: Fact = strawberry.field(description="The fact with its changes, under the same id.")


@strawberry.input(description="The fact to take back.")
class RetractFactInput:
    id: strawberry.ID = strawberry.field(description="The fact.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    reason: str | None = strawberry.field(default=None, description="Why.")
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The fact that was taken back.")
class RetractFactPayload:
    fact: Fact = strawberry.field(description="The fact, RETRACTED.")


async def _fact(info: Info, id: UUID) -> Fact:
    row = await info.context.store.read.one(FactRecord, id)
    if row is not None and row.folded_into is not None:
        row = await info.context.store.read.one(FactRecord, row.folded_into)
    if row is None:
        raise gone("fact")
    return Fact.of(row)


@strawberry.type
class FactMutations:
    @computed(
        description="State a fact. The same fact, stated again, gains evidence instead of a second row; one that was retracted or "
        "rejected is there again, under its id."
    )
    async def create_fact(
        self, info: Info, input: Annotated[CreateFactInput, strawberry.argument(description="The fact.")]
    ) -> CreateFactPayload | None:
        volume = await volume_of(info, input.volume)
        actor = info.context.viewer.actor
        written = await info.context.knowledge.facts.create(volume, input.plain(), actor, input.idempotency_key)
        fact = await _fact(info, written.id)
        return CreateFactPayload(fact=fact, duplicate_of=fact if written.known else None)

    @computed(description="Correct a fact; what it said before stays in its history.")
    async def update_fact(
        self, info: Info, input: Annotated[UpdateFactInput, strawberry.argument(description="What to correct.")]
    ) -> UpdateFactPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.FACT, "id")
        changes = named(
            content=input.content,
            category=input.category,
            predicate=input.predicate,
            value=input.value,
            value_type=input.value_type,
            valid_from=input.valid_from,
            valid_to=input.valid_to,
            importance=input.importance,
            confidence=input.confidence,
        )
        actor = info.context.viewer.actor
        await info.context.knowledge.facts.update(volume, id, changes, input.expected_version, actor)
        return UpdateFactPayload(fact=await _fact(info, id))

    @computed(
        description="Take a fact back: it leaves every default list and stays in the history. The documents that had said it do not "
        "bring it back; where another one says it, it waits in the review queue."
    )
    async def retract_fact(
        self, info: Info, input: Annotated[RetractFactInput, strawberry.argument(description="Which one.")]
    ) -> RetractFactPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.FACT, "id")
        actor = info.context.viewer.actor
        await info.context.knowledge.facts.retract(volume, id, input.reason, input.expected_version, actor)
        return RetractFactPayload(fact=await _fact(info, id))
