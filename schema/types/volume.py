"""Volumes: everything hangs off one, so isolation is checked once, here."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import strawberry

from schema.arguments import After, First
from schema.breadth import attribute, batched, computed
from schema.context import Info
from schema.inputs import filters as inputs
from schema.inputs.naming import EntityBy, EntityNameInput, entity_in_each
from schema.inputs.turns import TurnInput
from schema.inverses import turned_types
from schema.lists import connections
from schema.nodes import FOUND, rows_of
from schema.pagination import Connection
from schema.types import exploration as exploring
from schema.types.answer import Answer, AnswerMode, answers_of
from schema.types.change import Change, changes_of
from schema.types.document import Document, Ingestion
from schema.types.entity import Entity
from schema.types.evidence_context import Context, contexts_of
from schema.types.fact import Fact
from schema.types.memory import Memory
from schema.types.node import Node, row_id
from schema.types.path import Path, paths_of
from schema.types.predicate import Predicate
from schema.types.project import CodeArtifact, Project
from schema.types.relationship import Relationship
from schema.types.review import ReviewItem, review_queue
from schema.types.search import SearchConnection, SearchKind, found_in
from schema.types.statistics import VolumeStatistics
from schema.types.subgraph import Asked, Subgraph, subgraphs_of
from schema.types.vocabulary import Vocabulary
from schema.views import by_view, seen
from server.ids import NodeKind
from server.services.tokens import TOKENIZER
from server.services.vocabularies import vocabulary_of
from server.store import relations as rel
from server.store.records import EntityRecord, VolumeRecord
from server.store.relations import Sorting
from server.terms import Direction, ExplorationDepth, SearchMode
from server.views import View


def _vocabulary(volume: Volume) -> Vocabulary:
    return Vocabulary(preferred=vocabulary_of(volume.row.vocabulary))


@strawberry.type(description="An isolated body of knowledge: nothing in it is seen from another.")
class Volume(Node):
    id: strawberry.ID = row_id(NodeKind.VOLUME, "The volume's id.")
    name: str = attribute("row.name", description="Its name, the only one of this name.")
    description: str | None = attribute("row.description", description="What it is about.")
    vocabulary: Vocabulary = attribute(
        _vocabulary,
        needs=("row.vocabulary",),
        description="The entity types and predicates that Claude is to prefer when it reads documents.",
    )
    version: int = attribute(
        "row.version", description="How often it was written; give it as expectedVersion of an update."
    )
    created_at: datetime = attribute("row.created_at", description="When it was made.")
    updated_at: datetime = attribute(
        "row.updated_at", description="When its name, description or vocabulary last changed."
    )
    row: strawberry.Private[VolumeRecord]

    @staticmethod
    def of(row: VolumeRecord) -> Volume:
        return Volume(row=row)

    @batched(
        needs=("row.id",),
        description="The entity with this id or name, or null. A name that several entities have is refused as AMBIGUOUS, "
        "with the candidates' ids.",
    )
    @staticmethod
    async def entity(
        parents: list[Volume],
        info: Info,
        by: Annotated[EntityBy, strawberry.argument(description="Which one.")],
    ) -> list[Entity | Exception | None]:
        found = await entity_in_each(info, [volume.row for volume in parents], by, "by")
        return [
            seen(Entity.of(row), volume.view) if isinstance(row, EntityRecord) else row
            for volume, row in zip(parents, found, strict=True)
        ]

    @batched(needs=("row.id",), description="Its entities, by name unless ordered otherwise.")
    @staticmethod
    async def entities(
        parents: list[Volume],
        info: Info,
        filter: Annotated[inputs.EntityFilter | None, strawberry.argument(description="Which entities.")] = None,
        order_by: Annotated[inputs.EntityOrder | None, strawberry.argument(description="In which order.")] = None,
        first: First = 20,
        after: After = None,
    ) -> list[Connection[Entity]]:
        return await connections(
            info,
            "Volume.entities",
            parents,
            rel.ENTITIES_OF_VOLUME,
            Entity,
            first=first,
            after=after,
            filter=(filter or inputs.EntityFilter()).plain(),
            sorting=(order_by or inputs.EntityOrder()).plain(),
        )

    @batched(needs=("row.id",), description="Its facts, oldest first unless ordered otherwise.")
    @staticmethod
    async def facts(
        parents: list[Volume],
        info: Info,
        filter: Annotated[inputs.FactFilter | None, strawberry.argument(description="Which facts.")] = None,
        order_by: Annotated[inputs.FactOrder | None, strawberry.argument(description="In which order.")] = None,
        first: First = 20,
        after: After = None,
    ) -> list[Connection[Fact]]:
        return await connections(
            info,
            "Volume.facts",
            parents,
            rel.FACTS_OF_VOLUME,
            Fact,
            first=first,
            after=after,
            filter=(filter or inputs.FactFilter()).plain(),
            sorting=(order_by or inputs.FactOrder()).plain(),
        )

    @batched(needs=("row.id",), description="Its relationships, oldest first.")
    @staticmethod
    async def relationships(
        parents: list[Volume],
        info: Info,
        filter: Annotated[
            inputs.RelationshipFilter | None, strawberry.argument(description="Which relationships.")
        ] = None,
        first: First = 20,
        after: After = None,
    ) -> list[Connection[Relationship]]:
        wanted, keys = (filter or inputs.RelationshipFilter()).plain(), [v.row.id for v in parents]
        turned = await turned_types(info, keys, wanted.types)
        return await connections(
            info,
            "Volume.relationships",
            parents,
            rel.RELATIONSHIPS_OF_VOLUME,
            Relationship,
            first=first,
            after=after,
            filter=dataclasses.replace(wanted, turned=turned),
        )

    @batched(needs=("row.id",), description="Its memories, oldest first unless ordered otherwise.")
    @staticmethod
    async def memories(
        parents: list[Volume],
        info: Info,
        filter: Annotated[inputs.MemoryFilter | None, strawberry.argument(description="Which memories.")] = None,
        order_by: Annotated[inputs.MemoryOrder | None, strawberry.argument(description="In which order.")] = None,
        first: First = 20,
        after: After = None,
    ) -> list[Connection[Memory]]:
        return await connections(
            info,
            "Volume.memories",
            parents,
            rel.MEMORIES_OF_VOLUME,
            Memory,
            first=first,
            after=after,
            filter=(filter or inputs.MemoryFilter()).plain(),
            sorting=(order_by or inputs.MemoryOrder()).plain(),
        )

    @batched(needs=("row.id",), description="Its documents, oldest first.")
    @staticmethod
    async def documents(
        parents: list[Volume],
        info: Info,
        filter: Annotated[inputs.DocumentFilter | None, strawberry.argument(description="Which documents.")] = None,
        first: First = 20,
        after: After = None,
    ) -> list[Connection[Document]]:
        wanted = (filter or inputs.DocumentFilter()).plain()
        return await connections(
            info,
            "Volume.documents",
            parents,
            rel.DOCUMENTS_OF_VOLUME,
            Document,
            first=first,
            after=after,
            filter=wanted,
        )

    @batched(needs=("row.id",), description="Its code artifacts, oldest first.")
    @staticmethod
    async def code_artifacts(
        parents: list[Volume],
        info: Info,
        filter: Annotated[inputs.CodeArtifactFilter | None, strawberry.argument(description="Which ones.")] = None,
        first: First = 20,
        after: After = None,
    ) -> list[Connection[CodeArtifact]]:
        return await connections(
            info,
            "Volume.codeArtifacts",
            parents,
            rel.CODE_ARTIFACTS_OF_VOLUME,
            CodeArtifact,
            first=first,
            after=after,
            filter=(filter or inputs.CodeArtifactFilter()).plain(),
        )

    @batched(needs=("row.id",), description="Its projects, oldest first.")
    @staticmethod
    async def projects(
        parents: list[Volume],
        info: Info,
        filter: Annotated[inputs.ProjectFilter | None, strawberry.argument(description="Which projects.")] = None,
        first: First = 20,
        after: After = None,
    ) -> list[Connection[Project]]:
        wanted = (filter or inputs.ProjectFilter()).plain()
        return await connections(
            info, "Volume.projects", parents, rel.PROJECTS_OF_VOLUME, Project, first=first, after=after, filter=wanted
        )

    @batched(needs=("row.id",), description="The runs of the extraction pipeline over its documents, oldest first.")
    @staticmethod
    async def ingestions(
        parents: list[Volume],
        info: Info,
        filter: Annotated[inputs.IngestionFilter | None, strawberry.argument(description="Which ingestions.")] = None,
        first: First = 20,
        after: After = None,
    ) -> list[Connection[Ingestion]]:
        return await connections(
            info,
            "Volume.ingestions",
            parents,
            rel.INGESTIONS_OF_VOLUME,
            Ingestion,
            first=first,
            after=after,
            filter=(filter or inputs.IngestionFilter()).plain(),
        )

    @batched(
        needs=("row.id",),
        description="The predicates and relationship types that were ever used or set, by name; those of claims that wait included.",
    )
    @staticmethod
    async def predicates(
        parents: list[Volume], info: Info, first: First = 100, after: After = None
    ) -> list[Connection[Predicate]]:
        return await connections(
            info,
            "Volume.predicates",
            parents,
            rel.PREDICATES_OF_VOLUME,
            Predicate,
            first=first,
            after=after,
            sorting=Sorting(("name",)),
        )

    @batched(
        needs=("row.id",),
        description="The change log of the volume, newest first: all that was written, what waits or was taken back included, "
        "when and by whom.",
    )
    @staticmethod
    async def changes(
        parents: list[Volume],
        info: Info,
        filter: Annotated[inputs.ChangeFilter | None, strawberry.argument(description="Which entries.")] = None,
        first: First = 50,
        after: After = None,
    ) -> list[Connection[Change]]:
        wanted = (filter or inputs.ChangeFilter()).plain()

        async def changes(some: Sequence[Volume], view: View | None) -> list[Connection[Change]]:
            return await changes_of(info, [v.row.id for v in some], view, wanted, first, after)

        found = await by_view(parents, changes)
        info.context.spend(info, [len(page.nodes) for page in found])
        return found

    @batched(
        needs=("row.id",),
        description="What waits for a person to decide it, the most important first, then what has been asked for longest.",
    )
    @staticmethod
    async def review_queue(
        parents: list[Volume],
        info: Info,
        filter: Annotated[
            inputs.ReviewFilter | None, strawberry.argument(description="Which items; the open ones.")
        ] = None,
        first: First = 20,
        after: After = None,
    ) -> list[Connection[ReviewItem]]:
        wanted = (filter or inputs.ReviewFilter()).plain()
        return await review_queue(info, parents, wanted, first, after)

    @batched(
        needs=("row.id",),
        description="What best answers a query, the best first, by meaning and by words in any script: at most 200 hits. What was "
        "written is found at once. The pages of one search are cut from one ranking, which is kept for some minutes; a cursor that has "
        "expired is refused as BAD_USER_INPUT.",
    )
    @staticmethod
    async def search(
        parents: list[Volume],
        info: Info,
        query: Annotated[
            str,
            strawberry.argument(
                description="What to search for, at most 4,000 characters of plain text: quotes, brackets and words such as OR mean "
                "themselves."
            ),
        ],
        context: Annotated[
            str | None,
            strawberry.argument(
                description="What it is for: draws the query's meaning a quarter of the way towards its own. Its words do not count."
            ),
        ] = None,
        kinds: Annotated[
            list[SearchKind] | None, strawberry.argument(description="What to search among; left out: everything.")
        ] = None,
        filter: Annotated[inputs.SearchFilter | None, strawberry.argument(description="What may be found.")] = None,
        mode: Annotated[
            SearchMode, strawberry.argument(description="How what is found is ranked.")
        ] = SearchMode.HYBRID,
        first: First = 10,
        after: After = None,
    ) -> list[SearchConnection | Exception | None]:
        wanted = (filter or inputs.SearchFilter()).plain()
        return await found_in(info, parents, (query, context), kinds, wanted, mode, first, after)

    @batched(
        needs=("row.id",),
        description="What is known around a topic, in one request: the memories that answer it, what they are linked to and refer to, the "
        "entities that they and the query are about, how those are related, and further memories about them. What matters most comes "
        "first into one token budget for the whole answer; what is left out is counted. A volume without memories is explored from the "
        "entities and documents that answer.",
    )
    @staticmethod
    async def explore(
        parents: list[Volume],
        info: Info,
        query: exploring.Topic,
        context: exploring.Purpose = None,
        depth: exploring.Depth = ExplorationDepth.SHALLOW,
        first: exploring.First = 5,
        links_per_memory: exploring.LinksPerMemory = 5,
        projects: exploring.Projects = None,
        token_budget: exploring.TokenBudget = 8_000,
    ) -> list[exploring.Exploration | Exception | None]:
        asked = exploring.Arguments(query, context, depth, first, links_per_memory, projects, token_budget)
        return await exploring.explorations_of(info, parents, asked)

    @batched(
        needs=("row.id",),
        description="A shortest path between two of its entities over believed relationships: of several as short the one whose "
        "relationships have the highest product of strength and confidence. Null where there is none within maxHops, or an end is "
        "unknown. Where none was found within the limits of a search, LIMIT_EXCEEDED.",
    )
    @staticmethod
    async def path(
        parents: list[Volume],
        info: Info,
        from_: Annotated[EntityBy, strawberry.argument(name="from", description="Where it begins.")],
        to: Annotated[EntityBy, strawberry.argument(description="Where it ends.")],
        max_hops: Annotated[int, strawberry.argument(description="How many relationships it may take: 1 to 100.")] = 6,
        types: inputs.Types = None,
        direction: Annotated[
            Direction,
            strawberry.argument(
                description="OUT: along the relationships' direction, IN: against it, BOTH: either way. What goes both ways always does."
            ),
        ] = Direction.BOTH,
    ) -> list[Path | Exception | None]:
        return await paths_of(info, parents, (from_, to), max_hops, direction, inputs.relation_types(types))

    @batched(
        needs=("row.id",),
        description="The entities and memories around some of them, up to so many hops, with every edge between those; without `around` "
        "the entities with the most relationships among its latest 100,000. Obsolete memories are left out unless they are asked for.",
    )
    @staticmethod
    async def subgraph(
        parents: list[Volume],
        info: Info,
        around: Annotated[
            list[strawberry.ID] | None,
            strawberry.argument(
                description="Entities and memories to begin from, at most 100; unknown ids are passed over."
            ),
        ] = None,
        hops: Annotated[int, strawberry.argument(description="How far to go: 0 to 6.")] = 2,
        max_nodes: Annotated[int, strawberry.argument(description="How many nodes it has at most: 1 to 1,000.")] = 200,
        types: inputs.Types = None,
        direction: Annotated[
            Direction,
            strawberry.argument(
                description="How relationships lead from the entities that are reached. What goes both ways always does."
            ),
        ] = Direction.BOTH,
    ) -> list[Subgraph]:
        asked = Asked(around, hops, max_nodes, inputs.relation_types(types), direction)
        return await subgraphs_of(info, parents, asked)

    @batched(
        needs=("row.id",),
        description="What is known that answers a question, as text for a language model, each line cited, within a budget of tokens: what the "
        "walk over the graph (mode GRAPH of search) leads to, claims that are believed first, then memories, and what documents say "
        "beyond them. Through a view the claims are the view's; memories and documents are today's. Equal graphs give equal texts. Costs one "
        "embedding and no language model.",
    )
    @staticmethod
    async def context(
        parents: list[Volume],
        info: Info,
        query: Annotated[str, strawberry.argument(description="The question, at most 4,000 characters of plain text.")],
        token_budget: Annotated[
            int,
            strawberry.argument(description=f"How many tokens the text has at most, by {TOKENIZER}: 100 to 100,000."),
        ] = 2_000,
        min_confidence: Annotated[
            float,
            strawberry.argument(
                description="How sure its claims must be: 0 to 1. Through a view with a minConfidence the higher one counts. Memories and "
                "passages have no confidence."
            ),
        ] = 0.7,
    ) -> list[Context | Exception | None]:
        return await contexts_of(info, parents, query, token_budget, min_confidence)

    @batched(
        needs=("row.id",),
        description="The answer to a question, in sentences that cite what they rest on. With a key of Claude's API Claude answers, from the "
        "context of the question alone, in one call; without one the claims that answer are said themselves, for questions in English. "
        "Where nothing that is known answers, `grounded` is false. Where Claude is busy, fails or declines, the claims answer and `notes` "
        "says why; a key or a model that is refused is UPSTREAM_UNAVAILABLE.",
    )
    @staticmethod
    async def answer(
        parents: list[Volume],
        info: Info,
        question: Annotated[
            str, strawberry.argument(description="The question, at most 4,000 characters of plain text.")
        ],
        history: Annotated[
            list[TurnInput] | None,
            strawberry.argument(
                description='What was said before it, the earliest first, at most 20 turns: what "its price" is of. It is no evidence.'
            ),
        ] = None,
        mode: Annotated[AnswerMode, strawberry.argument(description="What it is made of.")] = AnswerMode.LOCAL,
        token_budget: Annotated[
            int,
            strawberry.argument(
                description=f"How many tokens its context has at most, by {TOKENIZER}: 100 to 100,000. An answer may cite less."
            ),
        ] = 4_000,
    ) -> list[Answer | Exception | None]:
        return await answers_of(info, parents, question, history, token_budget)

    @computed(needs=("row.id",), description="How much it holds.")
    def statistics(self) -> VolumeStatistics:
        return VolumeStatistics(key=self.row.id, view=self.view)


FOUND[NodeKind.VOLUME] = rows_of(VolumeRecord, Volume.of)
__all__ = ["EntityBy", "EntityNameInput", "Predicate", "Volume"]
