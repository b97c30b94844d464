"""Search: hits over all kinds of nodes, and the pages of a ranking that is frozen."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import strawberry

from schema.breadth import attribute, batched, selected
from schema.context import Info
from schema.lists import behind, bound, cursors_of
from schema.nodes import nodes_by_id
from schema.pagination import Cursors, PageInfo, check_first, page_info
from schema.types.document import Chunk
from schema.types.entity import Entity
from schema.types.fact import Fact
from schema.types.memory import Memory
from schema.types.node import Node
from schema.types.project import CodeArtifact
from schema.types.scalars import describe
from server.errors import ServerError
from server.ids import GlobalId, NodeKind
from server.services.retrieval.searching import Asked, FoundPage, Place
from server.store.rankings import Hit
from server.store.sifting import KINDS, SearchFilter
from server.terms import SearchMode
from server.views import View

if TYPE_CHECKING:
    from schema.types.volume import Volume

__all__ = ["SearchConnection", "SearchKind", "found_in"]

Searchable = Annotated[
    Entity | Fact | Memory | Chunk | CodeArtifact,
    strawberry.union("Searchable", description="What a search finds."),
]


class SearchKind(StrEnum):
    """What can be searched among."""

    ENTITY = "ENTITY"
    FACT = "FACT"
    MEMORY = "MEMORY"
    CHUNK = "CHUNK"
    CODE_ARTIFACT = "CODE_ARTIFACT"


describe(
    SearchKind,
    "What can be searched among.",
    {
        "ENTITY": "Entities, by their name, type and description.",
        "FACT": "Facts, by what they state and whom they are about.",
        "MEMORY": "Memories, by their title, content, context, keywords and tags.",
        "CHUNK": "Chunks of documents as they are now, by their text and the document's title.",
        "CODE_ARTIFACT": "Code artifacts, by their title, language, description and code.",
    },
)
describe(
    SearchMode,
    "How a search ranks what it finds.",
    {
        "HYBRID": "By meaning and by words.",
        "GRAPH": "By a walk over the graph that begins from the names in the query and from what HYBRID finds, along what chunks and "
        "entities name: for questions whose answer stands in several documents, which do not all look like the question.",
    },
)
_KINDS = dict(zip(SearchKind, KINDS, strict=True))


@strawberry.type(description="Why a hit was found.")
class SearchExplanation:
    vector_rank: int | None = attribute(
        "hit.vector_rank", description="Its place by meaning alone, from 1; null where it is not among the nearest 100."
    )
    text_rank: int | None = attribute(
        "hit.text_rank", description="Its place by words alone, from 1; null where it is not among the best 100."
    )
    graph_rank: int | None = attribute(
        "hit.graph_rank",
        description="Its place among its kind by the walk alone, from 1; null where the walk did not reach it, and in the mode HYBRID.",
    )
    hit: strawberry.Private[Hit]
    through: strawberry.Private[GlobalId | None]

    @batched(
        description="What it is also found by, beside its own words: whom a fact is about, by the name, and the document that a chunk is "
        "a part of, by the title. Empty for anything else."
    )
    @staticmethod
    async def via(parents: list[SearchExplanation], info: Info) -> list[list[Node]]:
        found = await nodes_by_id(info, [one.through for one in parents])
        return [[] if node is None else [node] for node in found]


def _cursor(edge: SearchEdge) -> str:
    return edge.cursors.of(edge.place)


def _explanation(edge: SearchEdge) -> SearchExplanation:
    return SearchExplanation(hit=edge.hit, through=_through(edge.node))


def _through(node: object) -> GlobalId | None:
    if isinstance(node, Fact):
        return GlobalId(NodeKind.ENTITY, node.row.subject_id, node.view)
    return GlobalId(NodeKind.DOCUMENT, node.row.document_id, node.view) if isinstance(node, Chunk) else None


@strawberry.type(description="A hit in its place in a ranking.")
class SearchEdge:
    cursor: str = attribute(
        _cursor, description="The hit's place in this ranking; opaque, and good for some minutes. Give it as `after`."
    )
    node: Searchable = strawberry.field(description="What was found.")
    score: float = attribute(
        "hit.score",
        description="How well it answers the query beside the others of this search; it means nothing across searches. At most 1.1025: "
        "importance and recency add a twentieth each at most.",
    )
    explanation: SearchExplanation = attribute(_explanation, description="Why it was found.")
    hit: strawberry.Private[Hit]
    place: strawberry.Private[Place]
    cursors: strawberry.Private[Cursors]


def _nodes(page: SearchConnection) -> list[Searchable]:
    return [edge.node for edge in page.edges]


def _total(page: SearchConnection) -> int:
    return page.total


@strawberry.type(description="One page of what a search has found.")
class SearchConnection:
    edges: list[SearchEdge] = strawberry.field(description="The hits, the best first, each with its score.")
    nodes: list[Searchable] = attribute(_nodes, description="What was found, the best first.")
    page_info: PageInfo = page_info()
    total_count: int = attribute(_total, description="How many hits the ranking has: at most 200.")
    cursors: strawberry.Private[Cursors]
    has_next: strawberry.Private[bool]
    has_previous: strawberry.Private[bool]
    total: strawberry.Private[int]

    @property
    def keys(self) -> list[Place]:
        return [edge.place for edge in self.edges]


async def found_in(
    info: Info,
    volumes: Sequence[Volume],
    text: tuple[str, str | None],
    kinds: Sequence[SearchKind] | None,
    filter: SearchFilter,
    mode: SearchMode,
    first: int,
    after: str | None,
) -> list[SearchConnection | Exception | None]:
    """Return a page of what each volume holds for a query and its context, in the volume's view. One embedding.

    Raises:
        BadUserInput: `first` is out of its bounds, or the query is blank.
    """
    size = check_first(first)
    wanted = KINDS if kinds is None else tuple(dict.fromkeys(_KINDS[kind] for kind in kinds))
    searcher = info.context.knowledge.searcher
    vector = None if after is not None else await searcher.vector(*text)
    found: list[SearchConnection | Exception | None] = []
    for volume in volumes:
        asked = Asked(volume.row.id, *text, wanted, filter, volume.view, mode)
        try:
            if vector is None:
                page = await searcher.next_page(asked, size, _place(info, after, asked))
            else:
                page = await searcher.first_page(asked, vector, size, keep=_has_cursors(info))
        except ServerError as error:
            found.append(error)
        else:
            found.append(await _connection(info, asked, page, later=after is not None))
    info.context.spend(info, [len(one.edges) if isinstance(one, SearchConnection) else 0 for one in found])
    return found


def _place(info: Info, after: str | None, asked: Asked) -> Place:
    ranking, start, total = behind(info, after, bound("Volume.search", asked)) or (None, 0, 0)
    assert isinstance(ranking, UUID)
    assert isinstance(start, int)
    assert isinstance(total, int)
    return Place(ranking, start, total)


def _has_cursors(info: Info) -> bool:
    """Return whether a cursor within the page may be asked for, so that what stands behind it must be kept."""
    asked = selected(info, "edges")
    return asked is None or "cursor" in asked or "startCursor" in (selected(info, "pageInfo") or ())


async def _connection(info: Info, asked: Asked, page: FoundPage, *, later: bool) -> SearchConnection:
    """Return a page as clients see it; what was deleted since it was found is left out. One statement for each kind found."""
    cursors = cursors_of(info, bound("Volume.search", asked))
    view: View | None = asked.view
    nodes = await nodes_by_id(info, [GlobalId(hit.kind, hit.id, view) for hit in page.hits])
    edges = [
        SearchEdge(node=node, hit=hit, place=place, cursors=cursors)
        for node, hit, place in zip(nodes, page.hits, page.places, strict=True)
        if isinstance(node, Entity | Fact | Memory | Chunk | CodeArtifact)
    ]
    return SearchConnection(edges=edges, cursors=cursors, has_next=page.has_next, has_previous=later, total=page.total)
