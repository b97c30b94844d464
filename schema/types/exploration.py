"""Explorations: what is known around a topic, in one request and one token budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import strawberry

from schema.arguments import ids_of
from schema.context import Info
from schema.lists import made_of
from schema.pagination import check_first
from schema.types.document import Document
from schema.types.entity import Entity
from schema.types.memory import Memory
from schema.types.node import Node
from schema.types.omission import Omission
from schema.types.project import CodeArtifact, Project
from schema.types.relationship import Relationship
from schema.types.scalars import describe
from server.errors import ServerError
from server.ids import NodeKind
from server.services.checks import within
from server.services.exploration import Asked, explore
from server.services.exploration import Exploration as Explored
from server.services.tokens import TOKENIZER
from server.store.records import EntityRecord, RelationshipRecord
from server.store.selections import End, part_of
from server.terms import ExplorationDepth, Reached
from server.views import View

if TYPE_CHECKING:
    from uuid import UUID

    from schema.types.volume import Volume

MOST_LINKS = 20
LEAST_TOKENS, MOST_TOKENS = 100, 100_000
_ENDS = (End("source", "source_id", None), End("target", "target_id", None))

describe(
    ExplorationDepth,
    "How far an exploration goes.",
    {
        "SHALLOW": "Memories that answer the query, the memories that they are linked to, and the documents, code artifacts and projects "
        "of all of these. Where fewer memories answer than `first`, entities that answer take the places that are left, with their "
        "relationships, and documents whose text answers.",
        "MEDIUM": "Also entities: those that the query names or that answer it, those that the memories are about, the most important ones "
        "of their projects; and the relationships of these entities in either direction.",
        "DEEP": "Also memories about these entities: the newest of each, and those that answer the query themselves.",
    },
)
describe(
    Reached,
    "How an exploration came to a memory.",
    {
        "PRIMARY": "It answers the query itself.",
        "LINKED": "A memory that answers the query is linked to it.",
        "ENTITY_LINKED": "It is about an entity that was found.",
    },
)


Topic = Annotated[
    str, strawberry.argument(description="The topic, at most 4,000 characters of plain text, as `search` takes it.")
]
Purpose = Annotated[
    str | None,
    strawberry.argument(
        description="What it is for: draws the query's meaning a quarter of the way towards its own. Its words do not count."
    ),
]
Depth = Annotated[ExplorationDepth, strawberry.argument(description="How far to go.")]
First = Annotated[
    int,
    strawberry.argument(
        description="From how many memories to begin, and from how many entities and documents at most: 1 to 100."
    ),
]
LinksPerMemory = Annotated[
    int, strawberry.argument(description="How many links of such a memory to follow, the nearest first: 0 to 20.")
]
Projects = Annotated[
    list[strawberry.ID] | None,
    strawberry.argument(
        description="Begin only from what is of one of these projects; unknown ones hold nothing. What that leads to may lie beyond."
    ),
]
TokenBudget = Annotated[
    int,
    strawberry.argument(description="How many tokens the answer may have, as `tokens` counts them: 100 to 100,000."),
]


@strawberry.type(description="A memory that an exploration found.")
class ExploredMemory:
    memory: Memory = strawberry.field(description="The memory that was found.")
    how: Reached = strawberry.field(description="How it was reached.")
    hops: int = strawberry.field(
        description="In how many steps it was reached from what answers the query itself: 0 for such a memory."
    )
    score: float = strawberry.field(
        description="How much it matters beside the best of this exploration, which has 1. It means nothing across explorations."
    )
    via: Node | None = strawberry.field(
        description="The memory or the entity of this exploration that led to it; null where the search itself did."
    )


@strawberry.type(description="An entity that an exploration found.")
class ExploredEntity:
    entity: Entity = strawberry.field(description="The entity that was found.")
    relationship_count: int = strawberry.field(
        description="How many believed relationships it has in all, those that are not shown included."
    )
    memory_count: int = strawberry.field(
        description="How many memories are about it in all, obsolete ones left out and those that are not shown included."
    )


@strawberry.type(
    description="What is known around a query: each node once, the most important of each kind first, within one token budget."
)
class Exploration:
    memories: list[ExploredMemory] = strawberry.field(
        description="The memories: those that answer the query, then those linked to them, then those about the entities."
    )
    entities: list[ExploredEntity] = strawberry.field(
        description="The entities, the most important first: those that the query names, and those that answer it, before those of projects."
    )
    relationships: list[Relationship] = strawberry.field(
        description="Relationships of the entities: every one between two of them, also several between the same two, and the strongest ten "
        "of each to others, whose names stand at `source` and `target`."
    )
    documents: list[Document] = strawberry.field(
        description="The documents that memories refer to, or whose text answers the query."
    )
    code_artifacts: list[CodeArtifact] = strawberry.field(description="The code artifacts that memories refer to.")
    projects: list[Project] = strawberry.field(description="The projects that memories belong to.")
    total_nodes: int = strawberry.field(
        description="How many memories, entities, documents, code artifacts and projects it has."
    )
    themes: list[str] = strawberry.field(
        description="What the nodes shown have in common, the most telling first, at most eight: tags, keywords and names of entities."
    )
    suggested_queries: list[str] = strawberry.field(
        description="What could be explored or searched next, at most five: neighbours that were not gone to, entities that no "
        "relationship shown ties together, themes."
    )
    tokens: int = strawberry.field(
        description=f"How many tokens the answer has, by the tokenizer {TOKENIZER}: of memories title, content, context, keywords and tags; of "
        "entities name, type and description; of relationships text and description; of documents title and uri; of code artifacts title, "
        "language, description, code and tags; of projects name and description; and themes and suggested queries. Ids, numbers, JSON and "
        "what is asked for below the nodes beside these fields is not counted."
    )
    truncated: bool = strawberry.field(description="Whether something was left out because the token budget was full.")
    omitted: list[Omission] = strawberry.field(
        description="What was left out. TOKEN_BUDGET: it did not fit. RELEVANCE: a memory about an entity that matters too little, while the "
        "memory does not answer the query itself. LIMIT: what steps did not follow, counted for each node that leads there: links beyond "
        "linksPerMemory (MEMORY_LINK), entities beyond the 20 most important of a project and 60 in all, relationships beyond ten of an "
        "entity, memories beyond the ten newest about an entity and 200 in all."
    )


class Arguments(NamedTuple):
    """The arguments of the field."""

    query: str
    context: str | None
    depth: ExplorationDepth
    first: int
    links: int
    projects: list[strawberry.ID] | None
    budget: int


async def explorations_of(
    info: Info, parents: Sequence[Volume], arguments: Arguments
) -> list[Exploration | Exception | None]:
    """Return the exploration of each volume, in its view. One embedding.

    Raises:
        BadUserInput: an argument is out of its bounds, or the query is blank.
        NotFound: a project's id is none.
    """
    query, context, depth, first, links, projects, budget = arguments
    check_first(first)
    within(links, 0, MOST_LINKS, "linksPerMemory")
    within(budget, LEAST_TOKENS, MOST_TOKENS, "tokenBudget")
    held = None if projects is None else ids_of(projects, NodeKind.PROJECT, "projects")
    searcher = info.context.knowledge.searcher
    vector = await searcher.vector(query, context)
    found: list[Exploration | Exception | None] = []
    for volume in parents:
        asked = Asked(volume.row.id, query, context, depth, first, links, held, budget, volume.view)
        try:
            explored = await explore(info.context.store.read, searcher, asked, vector)
        except ServerError as error:
            found.append(error)
        else:
            found.append(_shown(info, explored, volume.view))
    return found


def _shown(info: Info, found: Explored, view: View | None) -> Exploration:
    memories = made_of(Memory, [one.row for one in found.memories], view)
    entities = made_of(Entity, [one.row for one in found.entities], view)
    nodes: dict[tuple[NodeKind, UUID], Node] = {(NodeKind.MEMORY, one.row.id): one for one in memories}
    nodes |= {(NodeKind.ENTITY, one.row.id): one for one in entities}
    rest = len(found.documents) + len(found.code_artifacts) + len(found.projects)
    info.context.spend(info, [len(nodes) + len(found.relationships) + rest])
    return Exploration(
        memories=[
            ExploredMemory(memory=memory, how=how, hops=hops, score=score, via=None if via is None else nodes[via])
            for memory, (_, how, hops, score, via) in zip(memories, found.memories, strict=True)
        ],
        entities=[
            ExploredEntity(entity=entity, relationship_count=relationships, memory_count=number)
            for entity, (_, relationships, number) in zip(entities, found.entities, strict=True)
        ],
        relationships=made_of(Relationship, [_ended(row, found.names) for row in found.relationships], view),
        documents=made_of(Document, found.documents, view),
        code_artifacts=made_of(CodeArtifact, found.code_artifacts, view),
        projects=made_of(Project, found.projects, view),
        total_nodes=len(nodes) + rest,
        themes=found.themes,
        suggested_queries=found.suggested,
        tokens=found.tokens,
        truncated=found.truncated,
        omitted=[Omission.of(one) for one in found.omitted],
    )


def _ended(row: RelationshipRecord, names: dict[UUID, EntityRecord]) -> Any:
    """Return a relationship's row with the entities at its ends, so that nothing has to be read for them."""
    past = "known_to" in row._fields
    made: Any = part_of(RelationshipRecord, None, (), _ENDS, past=past)
    return made._make((*row, names[row.source_id], names[row.target_id]))
