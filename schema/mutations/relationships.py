"""Mutations of relationships."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from schema.arguments import id_of
from schema.breadth import computed
from schema.context import Info
from schema.inputs.naming import EntityNameInput
from schema.mutations.inputs import IDEMPOTENCY, VERSION, VOLUME, named, volume_of
from schema.mutations.outcomes import Outcome
from schema.types.fact import gone
from schema.types.relationship import Relationship
from server.ids import NodeKind
from server.services.extraction.protocol import Instant
from server.services.relationships import EntityRef as PlainRef
from server.services.relationships import NewRelationship
from server.store.records import RelationshipRecord
from server.terms import Authority


@strawberry.input(
    one_of=True,
    description='An entity by its id or by its name. A name that is not known yet becomes an entity, a "concept" unless given.',
)
class EntityRef:
    id: strawberry.Maybe[strawberry.ID] = strawberry.field(description="The id of an entity of the volume.")
    name: strawberry.Maybe[EntityNameInput] = strawberry.field(description="The name of one, known or new.")

    def plain(self, argument: str) -> PlainRef:
        if self.id is not None:
            return PlainRef(id=id_of(self.id.value, NodeKind.ENTITY, argument))
        assert self.name is not None
        return PlainRef(name=self.name.value.name, type=self.name.value.type)


@strawberry.input(description="The relationship to state.")
class CreateRelationshipInput:
    source: EntityRef = strawberry.field(description="The entity that it starts from.")
    target: EntityRef = strawberry.field(description="The entity that it leads to.")
    type: str = strawberry.field(description="What the source is to the target, in any case, such as WORKS_AT.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    description: str | None = strawberry.field(default=None, description="What it means here, in words.")
    properties: JSON | None = strawberry.field(default=None, description="Further values, as a JSON object.")
    bidirectional: bool = strawberry.field(default=False, description="Whether it holds in both directions.")
    strength: float | None = strawberry.field(
        default=None, description="How strongly it holds: 0 to 1; 1 unless given."
    )
    confidence: float | None = strawberry.field(default=None, description="How sure it is: 0 to 1; 1 unless given.")
    authority: Authority = strawberry.field(default=Authority.USER, description="How authoritative the source is.")
    valid_from: Instant | None = strawberry.field(default=None, description="From when on it is true.")
    valid_to: Instant | None = strawberry.field(
        default=None, description="Until when it is true: 2024 includes that year, an instant is itself excluded."
    )
    document: strawberry.ID | None = strawberry.field(default=None, description="The document that says so.")
    quote: str | None = strawberry.field(default=None, description="The document's words, verbatim.")
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY)

    def plain(self) -> NewRelationship:
        return NewRelationship(
            source=self.source.plain("source"),
            target=self.target.plain("target"),
            type=self.type,
            description=self.description,
            properties=self.properties,
            bidirectional=self.bidirectional,
            strength=1.0 if self.strength is None else self.strength,
            confidence=1.0 if self.confidence is None else self.confidence,
            authority=self.authority,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            document=None if self.document is None else id_of(self.document, NodeKind.DOCUMENT, "document"),
            quote=self.quote,
        )


@strawberry.type(description="The relationship that was stated.")
class CreateRelationshipPayload(Outcome):
    relationship: Relationship = strawberry.field(description="The relationship, new or stated again.")
    duplicate_of: Relationship | None = strawberry.field(
        description="The same relationship, where it was known: it has gained evidence. Null where it is new."
    )


@strawberry.input(description="What to correct about a relationship. Fields left out stay as they are.")
class UpdateRelationshipInput:
    id: strawberry.ID = strawberry.field(description="The relationship.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    type: str | None = strawberry.field(default=strawberry.UNSET, description="What the source is to the target.")
    description: str | None = strawberry.field(default=strawberry.UNSET, description="What it means; null clears it.")
    properties: JSON | None = strawberry.field(
        default=strawberry.UNSET, description="All its further values; null clears them."
    )
    bidirectional: bool | None = strawberry.field(
        default=strawberry.UNSET, description="Whether it holds in both directions."
    )
    strength: float | None = strawberry.field(default=strawberry.UNSET, description="How strongly it holds: 0 to 1.")
    confidence: float | None = strawberry.field(default=strawberry.UNSET, description="How sure it is: 0 to 1.")
    valid_from: Instant | None = strawberry.field(default=strawberry.UNSET, description="From when on; null opens it.")
    valid_to: Instant | None = strawberry.field(default=strawberry.UNSET, description="Until when; null opens it.")
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The relationship as it is now.")
class UpdateRelationshipPayload(Outcome):
    relationship: Relationship = strawberry.field(description="The relationship with its changes, under the same id.")


@strawberry.input(description="The relationship to take back.")
class RetractRelationshipInput:
    id: strawberry.ID = strawberry.field(description="The relationship.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    reason: str | None = strawberry.field(default=None, description="Why.")
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The relationship that was taken back.")
class RetractRelationshipPayload:
    relationship: Relationship = strawberry.field(description="The relationship, RETRACTED.")


async def _relationship(info: Info, id: UUID) -> Relationship:
    row = await info.context.store.read.one(RelationshipRecord, id)
    if row is not None and row.folded_into is not None:
        row = await info.context.store.read.one(RelationshipRecord, row.folded_into)
    if row is None:
        raise gone("relationship")
    return Relationship.of(row)


@strawberry.type
class RelationshipMutations:
    @computed(
        description="State a relationship. The same one, stated again, gains evidence instead of a second row; one that was retracted or "
        "rejected is there again, under its id."
    )
    async def create_relationship(
        self,
        info: Info,
        input: Annotated[CreateRelationshipInput, strawberry.argument(description="The relationship.")],
    ) -> CreateRelationshipPayload | None:
        volume = await volume_of(info, input.volume)
        actor, key = info.context.viewer.actor, input.idempotency_key
        written = await info.context.knowledge.relationships.create(volume, input.plain(), actor, key)
        edge = await _relationship(info, written.id)
        return CreateRelationshipPayload(relationship=edge, duplicate_of=edge if written.known else None)

    @computed(description="Correct a relationship; what it said before stays in its history.")
    async def update_relationship(
        self, info: Info, input: Annotated[UpdateRelationshipInput, strawberry.argument(description="What to correct.")]
    ) -> UpdateRelationshipPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.RELATIONSHIP, "id")
        changes = named(
            type=input.type,
            description=input.description,
            properties=input.properties,
            bidirectional=input.bidirectional,
            strength=input.strength,
            confidence=input.confidence,
            valid_from=input.valid_from,
            valid_to=input.valid_to,
        )
        actor = info.context.viewer.actor
        await info.context.knowledge.relationships.update(volume, id, changes, input.expected_version, actor)
        return UpdateRelationshipPayload(relationship=await _relationship(info, id))

    @computed(
        description="Take a relationship back: it leaves every default list and stays in the history. The documents that had said it do "
        "not bring it back; where another one says it, it waits in the review queue."
    )
    async def retract_relationship(
        self, info: Info, input: Annotated[RetractRelationshipInput, strawberry.argument(description="Which one.")]
    ) -> RetractRelationshipPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.RELATIONSHIP, "id")
        actor = info.context.viewer.actor
        await info.context.knowledge.relationships.retract(volume, id, input.reason, input.expected_version, actor)
        return RetractRelationshipPayload(relationship=await _relationship(info, id))
