"""Entities."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry
from strawberry.scalars import JSON

from schema.arguments import After, First
from schema.breadth import attribute, batched
from schema.context import Info
from schema.inputs.filters import FactFilter, FactOrder, Types, relation_types
from schema.inverses import turned_types
from schema.lists import connections
from schema.pagination import Connection
from schema.types.document import Document
from schema.types.fact import Fact
from schema.types.memory import Memory
from schema.types.neighbors import Edges, NeighborConnection, neighbors_of
from schema.types.node import Node, row_id
from schema.types.project import Project
from schema.types.relationship import Relationship
from schema.views import by_view
from server.ids import NodeKind
from server.services.explanations import explain
from server.store import filters
from server.store import relations as rel
from server.store.records import EntityRecord
from server.store.relations import Sorting
from server.terms import Direction
from server.views import View

Way = Annotated[
    Direction, strawberry.argument(description="Which end the entity is; a bidirectional relationship matches both.")
]


if TYPE_CHECKING:
    from schema.types.merge import EntityMerge

LazyMerge = Annotated["EntityMerge", strawberry.lazy("schema.types.merge")]


def _sense(entity: Entity) -> str | None:
    return entity.row.sense or None


@strawberry.type(description="Something the volume knows: a person, an organization, a product, a concept.")
class Entity(Node):
    id: strawberry.ID = row_id(NodeKind.ENTITY, "The entity's id.")
    name: str = attribute("row.name", description="Its name, as it was first written.")
    type: str = attribute("row.type", description="What it is, in lower case, such as person, product or concept.")
    description: str | None = attribute("row.description", description="What it is, in a sentence.")
    sense: str | None = attribute(
        _sense, needs=("row.sense",), description="What tells it apart from others of its name and type."
    )
    properties: JSON = attribute("row.properties", description="Further values, as a JSON object.")
    confidence: float = attribute("row.confidence", description="How sure it is that there is such a thing: 0 to 1.")
    importance: float = attribute("row.importance", description="How much it matters: 0 to 1.")
    version: int = attribute(
        "row.version", description="How often it was written; give it as expectedVersion of an update."
    )
    created_at: datetime = attribute("row.created_at", description="When it came into the volume.")
    updated_at: datetime = attribute("row.updated_at", description="When it last changed.")
    row: strawberry.Private[EntityRecord]

    @staticmethod
    def of(row: EntityRecord) -> Entity:
        return Entity(row=row)

    @batched(
        needs=("row.id",),
        description="Whether a CURRENT fact about it, or a relationship that starts from it, is past its predicate's half-life without new "
        "evidence, and not over by its validTo. It is told as of today in every view.",
    )
    @staticmethod
    async def stale(parents: list[Entity], info: Info) -> list[bool]:
        ids = [entity.row.id for entity in parents]
        found = await info.context.store.read.stale_entities(ids)
        return [id in found for id in ids]

    @batched(
        needs=("row.id",),
        description="Its other names, in order, those of what was merged into it too; looking it up by one of them finds it.",
    )
    @staticmethod
    async def aliases(parents: list[Entity], info: Info) -> list[list[str]]:
        return await info.context.store.read.other_names([e.row.id for e in parents])

    @batched(needs=("row.id",), description="What is stated about it, oldest first unless ordered otherwise.")
    @staticmethod
    async def facts(
        parents: list[Entity],
        info: Info,
        filter: Annotated[
            FactFilter | None, strawberry.argument(description="Which facts; all that are believed.")
        ] = None,
        order_by: Annotated[FactOrder | None, strawberry.argument(description="In which order.")] = None,
        first: First = 20,
        after: After = None,
    ) -> list[Connection[Fact]]:
        return await connections(
            info,
            "Entity.facts",
            parents,
            rel.FACTS_OF_ENTITY,
            Fact,
            first=first,
            after=after,
            filter=filters.FactFilter() if filter is None else filter.plain(),
            sorting=Sorting() if order_by is None else order_by.plain(),
        )

    @batched(
        needs=("row.id", "row.volume_id"),
        description="The relationships that begin or end at it, oldest first, each as it was stated: one that is asked for by the "
        "inverse of its type is seen from its other end, and one of a symmetric type from both.",
    )
    @staticmethod
    async def relationships(
        parents: list[Entity],
        info: Info,
        direction: Way = Direction.BOTH,
        types: Types = None,
        first: First = 20,
        after: After = None,
    ) -> list[Connection[Relationship]]:
        wanted = relation_types(types)
        turned = await turned_types(info, [e.row.volume_id for e in parents] if wanted else [], wanted)
        return await connections(
            info,
            f"Entity.relationships {direction} {wanted!r}",
            parents,
            rel.relationships_of_entity(direction, wanted, turned),
            Relationship,
            first=first,
            after=after,
            filter=filters.RelationshipFilter(),
        )

    @batched(
        needs=("row.id", "row.volume_id"),
        description="The entities at the other end of its relationships, oldest relationship first.",
    )
    @staticmethod
    async def neighbors(
        parents: list[Entity],
        info: Info,
        direction: Way = Direction.BOTH,
        types: Types = None,
        first: First = 20,
        after: After = None,
    ) -> list[NeighborConnection]:
        wanted = relation_types(types)
        turned = await turned_types(info, [e.row.volume_id for e in parents] if wanted else [], wanted)
        return await neighbors_of(info, parents, Edges(direction, wanted, turned), first, after)

    @batched(needs=("row.id",), description="The memories that are about it, oldest first.")
    @staticmethod
    async def memories(
        parents: list[Entity],
        info: Info,
        include_obsolete: Annotated[
            bool, strawberry.argument(description="Whether obsolete ones are shown too.")
        ] = False,
        first: First = 20,
        after: After = None,
    ) -> list[Connection[Memory]]:
        return await connections(
            info,
            "Entity.memories",
            parents,
            rel.MEMORIES_OF_ENTITY,
            Memory,
            first=first,
            after=after,
            filter=filters.MemoryFilter(include_obsolete=include_obsolete),
        )

    @batched(needs=("row.id",), description="The documents that mention it, oldest first.")
    @staticmethod
    async def documents(
        parents: list[Entity], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Document]]:
        return await connections(
            info, "Entity.documents", parents, rel.DOCUMENTS_OF_ENTITY, Document, first=first, after=after
        )

    @batched(needs=("row.id",), description="The projects that it belongs to, oldest first.")
    @staticmethod
    async def projects(
        parents: list[Entity], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Project]]:
        return await connections(
            info, "Entity.projects", parents, rel.PROJECTS_OF_ENTITY, Project, first=first, after=after
        )

    @batched(needs=("row.id",), description="The merges into it that hold, newest first; each can be undone.")
    @staticmethod
    async def merged_from(
        parents: list[Entity], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[LazyMerge]]:
        from schema.types.merge import EntityMerge

        return await connections(
            info,
            "Entity.mergedFrom",
            parents,
            rel.MERGES_OF_ENTITY,
            EntityMerge,
            first=first,
            after=after,
            sorting=Sorting(descending=True),
        )

    @batched(description="It, its facts and its relationships as readable text, the first 20 of each.")
    @staticmethod
    async def explanation(parents: list[Entity], info: Info) -> list[str]:
        async def explained(some: Sequence[Entity], view: View | None) -> list[str]:
            return await explain(info.context.store.read, [e.row for e in some], view)

        return await by_view(parents, explained)
