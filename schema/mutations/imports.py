"""The mutation that imports a graph."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from schema.breadth import computed
from schema.context import Info
from schema.mutations.inputs import IDEMPOTENCY, VOLUME, volume_of
from schema.types.entity import Entity
from server.errors import LimitExceeded
from server.ids import decode_id
from server.services.entities import NewEntity
from server.services.extraction.protocol import Instant
from server.services.facts import NewFact
from server.services.imports import Graph, ImportedEntity, ImportedFact, ImportedMemory, ImportedRelationship
from server.services.memories import NewMemory
from server.services.relationships import EntityRef, NewRelationship
from server.store.records import EntityRecord
from server.terms import Authority, ValueType

_REF = "an entity of this import by its key, or one that is there by its id"


@strawberry.input(description="An entity to import.")
class ImportEntityInput:
    key: str = strawberry.field(description="What the other items of this import call it.")
    name: str = strawberry.field(description="Its name; an entity that has it already is used.")
    type: str = strawberry.field(description="What it is; case does not count.")
    description: str | None = strawberry.field(default=None, description="What it is, in a sentence.")
    aliases: list[str] | None = strawberry.field(default=None, description="Its other names.")
    sense: str | None = strawberry.field(
        default=None, description="What tells it apart from others of its name and type."
    )
    properties: JSON | None = strawberry.field(default=None, description="Further values, as a JSON object.")
    importance: float | None = strawberry.field(default=None, description="How much it matters: 0 to 1.")
    confidence: float | None = strawberry.field(default=None, description="How sure it is: 0 to 1.")

    def plain(self) -> ImportedEntity:
        entity = NewEntity(
            name=self.name,
            type=self.type,
            description=self.description,
            aliases=tuple(self.aliases or ()),
            sense=self.sense,
            properties=self.properties,
            importance=0.5 if self.importance is None else self.importance,
            confidence=1.0 if self.confidence is None else self.confidence,
        )
        return ImportedEntity(self.key, entity)


@strawberry.input(description="A fact to import.")
class ImportFactInput:
    subject: str = strawberry.field(description=f"What it is about: {_REF}.")
    content: str = strawberry.field(description="What it says.")
    category: str | None = strawberry.field(default=None, description="What it is about, such as experience.")
    predicate: str | None = strawberry.field(default=None, description="What is stated, such as COSTS.")
    value: str | None = strawberry.field(default=None, description="The literal value.")
    value_type: ValueType | None = strawberry.field(
        default=None, description="What the value is; as in createFact where it is left out."
    )
    valid_from: Instant | None = strawberry.field(default=None, description="From when on it is true.")
    valid_to: Instant | None = strawberry.field(default=None, description="Until when it is true.")
    importance: float | None = strawberry.field(default=None, description="How much it matters: 0 to 1.")
    confidence: float | None = strawberry.field(default=None, description="How sure it is: 0 to 1.")
    authority: Authority = strawberry.field(default=Authority.USER, description="How authoritative the source is.")

    def plain(self) -> ImportedFact:
        fact = NewFact(
            subject=UUID(int=0),
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
        )
        return ImportedFact(reference(self.subject), fact)


@strawberry.input(description="A relationship to import.")
class ImportRelationshipInput:
    source: str = strawberry.field(description=f"What it starts from: {_REF}.")
    target: str = strawberry.field(description=f"What it leads to: {_REF}.")
    type: str = strawberry.field(description="What the source is to the target.")
    description: str | None = strawberry.field(default=None, description="What it means here, in words.")
    properties: JSON | None = strawberry.field(default=None, description="Further values, as a JSON object.")
    bidirectional: bool = strawberry.field(default=False, description="Whether it holds in both directions.")
    strength: float | None = strawberry.field(default=None, description="How strongly it holds: 0 to 1.")
    confidence: float | None = strawberry.field(default=None, description="How sure it is: 0 to 1.")
    authority: Authority = strawberry.field(default=Authority.USER, description="How authoritative the source is.")
    valid_from: Instant | None = strawberry.field(default=None, description="From when on it is true.")
    valid_to: Instant | None = strawberry.field(default=None, description="Until when it is true.")

    def plain(self) -> ImportedRelationship:
        edge = NewRelationship(
            source=EntityRef(),
            target=EntityRef(),
            type=self.type,
            description=self.description,
            properties=self.properties,
            bidirectional=self.bidirectional,
            strength=1.0 if self.strength is None else self.strength,
            confidence=1.0 if self.confidence is None else self.confidence,
            authority=self.authority,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
        )
        return ImportedRelationship(reference(self.source), reference(self.target), edge)


@strawberry.input(description="A memory to import. Imported memories are not linked automatically.")
class ImportMemoryInput:
    title: str = strawberry.field(description="What it is about.")
    content: str = strawberry.field(description="The idea itself.")
    context: str | None = strawberry.field(default=None, description="Why it matters.")
    keywords: list[str] | None = strawberry.field(default=None, description="Words to find it by.")
    tags: list[str] | None = strawberry.field(default=None, description="Its tags: up to 10.")
    importance: int = strawberry.field(default=5, description="How much it matters: 1 to 10.")
    provenance: JSON | None = strawberry.field(default=None, description="Where it comes from, as a JSON object.")
    entities: list[str] | None = strawberry.field(default=None, description=f"What it is about, each {_REF}.")

    def plain(self) -> ImportedMemory:
        memory = NewMemory(
            title=self.title,
            content=self.content,
            context=self.context,
            keywords=tuple(self.keywords or ()),
            tags=tuple(self.tags or ()),
            importance=self.importance,
            provenance=self.provenance,
        )
        return ImportedMemory(tuple(reference(ref) for ref in self.entities or ()), memory)


def reference(text: str) -> str | UUID:
    """Return an id where the text is one, else the key that it is. No entity has the id of another kind of node."""
    decoded = decode_id(text)
    return text if decoded is None else decoded.id


@strawberry.input(description="The graph to import: all of it is written, or nothing.")
class ImportGraphInput:
    volume: str = strawberry.field(default="default", description=VOLUME)
    entities: list[ImportEntityInput] = strawberry.field(
        default_factory=list, description="The entities to state, each under a key of your own."
    )
    facts: list[ImportFactInput] = strawberry.field(
        default_factory=list, description="The facts to state about entities."
    )
    relationships: list[ImportRelationshipInput] = strawberry.field(
        default_factory=list, description="The relationships to state between entities."
    )
    memories: list[ImportMemoryInput] = strawberry.field(default_factory=list, description="The memories to write.")
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY)

    def plain(self) -> Graph:
        return Graph(
            entities=[item.plain() for item in self.entities],
            facts=[item.plain() for item in self.facts],
            relationships=[item.plain() for item in self.relationships],
            memories=[item.plain() for item in self.memories],
        )


@strawberry.type(description="An imported entity under the key that the import called it by.")
class ImportedKey:
    key: str = strawberry.field(description="What the import called the entity.")
    entity: Entity = strawberry.field(description="The entity, made now or known before.")


@strawberry.type(description="What the import came to. Items that were there before gained evidence and aliases.")
class ImportGraphPayload:
    entities_created: int = strawberry.field(description="How many entities are new.")
    facts_created: int = strawberry.field(description="How many facts are new.")
    relationships_created: int = strawberry.field(description="How many relationships are new.")
    memories_created: int = strawberry.field(description="How many memories are new.")
    ids: strawberry.Private[dict[str, UUID]]

    @computed(description="The entities of the import under their keys, in the import's order.")
    async def entities(self, info: Info) -> list[ImportedKey]:
        rows = await info.context.store.read.by_ids(EntityRecord, list(self.ids.values()))
        return [
            ImportedKey(key=key, entity=Entity.of(row))
            for key, row in zip(self.ids, rows, strict=True)
            if row is not None
        ]


def _request(input: ImportGraphInput) -> dict[str, Any]:
    return {n: v for n, v in dataclasses.asdict(input).items() if n != "idempotency_key"}


@strawberry.type
class ImportMutations:
    @computed(
        description="Import entities, facts, relationships and memories in one transaction, tied together by keys of your own."
    )
    async def import_graph(
        self, info: Info, input: Annotated[ImportGraphInput, strawberry.argument(description="The graph.")]
    ) -> ImportGraphPayload | None:
        knowledge, graph = info.context.knowledge, input.plain()
        if graph.size > knowledge.settings.import_limit:
            limit = knowledge.settings.import_limit
            raise LimitExceeded(
                f"An import takes at most {limit} items, this has {graph.size}. Send it in parts.", argument="input"
            )
        volume = await volume_of(info, input.volume)
        key = input.idempotency_key
        request = _request(input) if key is not None else None
        actor = info.context.viewer.actor
        done = await knowledge.imports.load(volume, graph, actor, idempotency_key=key, request=request)
        return ImportGraphPayload(
            entities_created=done.entities_created,
            facts_created=done.facts_created,
            relationships_created=done.relationships_created,
            memories_created=done.memories_created,
            ids=done.ids,
        )
