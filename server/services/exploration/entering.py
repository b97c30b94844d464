"""Where an exploration begins: the memories, entities and documents that answer its query themselves.

One search finds memories, entities, facts and chunks, so that all are weighed by one measure. Entities come in where the query names
them, as hits, as what a fact is about and as what a chunk names; documents as what a chunk is of. So a volume that only documents were
read into is explored too. Where projects bound the exploration, names alone do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from server.ids import NodeKind
from server.services.retrieval.fusion import MOST
from server.services.retrieval.linking import linked
from server.services.retrieval.searching import Asked as Sought
from server.services.retrieval.searching import Searcher
from server.store.exploring import Attached, hits_lead_to
from server.store.rankings import Hit
from server.store.reader import Reader
from server.store.sifting import SearchFilter
from server.terms import ExplorationDepth
from server.views import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Asked", "Entries", "enter"]

_FOLLOWED = 20
_NEAR = 0.35
"""How many of the hits among entities, facts and chunks are followed, and how well one must answer beside the best."""
_SHARES = {NodeKind.ENTITY: 1.0, NodeKind.FACT: 0.6, NodeKind.CHUNK: 0.6}
_ANSWERS = 0.5
"""How well a chunk must answer, beside the best hit, for its document to come in."""
_LEAST = 0.25
"""How much must speak for an entity, beside the one that most does, for it to come in."""
_FAR = 0.1
"""How well the first memory answers where a hundred other things answer better."""
_FOUND = 0.9
KINDS = (NodeKind.MEMORY, *_SHARES)
_WORDS = 22
"""In the first so many words of the query, or letters of a script without spaces, names are looked for, so that it takes two statements."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is explored, and how far: entry nodes of each kind, links of each memory, tokens of the whole answer.

    `projects` bound where it begins; None: nothing does.
    """

    volume: UUID
    query: str
    context: str | None = None
    depth: ExplorationDepth = ExplorationDepth.SHALLOW
    first: int = 5
    links: int = 5
    projects: tuple[UUID, ...] | None = None
    budget: int = 8_000
    view: View | None = None


class Entries(NamedTuple):
    """What answers the query itself, each with how well, 1 being the best: memories best first, those that are no entries behind; the
    entities and the documents that come in, best first.
    """

    memories: dict[UUID, float]
    entities: dict[UUID, float]
    documents: dict[UUID, float]


async def enter(read: Reader, searcher: Searcher, asked: Asked, vector: NDArray[np.float32]) -> Entries:
    """Return where an exploration begins. A search, a second one among memories where the first found fewer than `first`; three statements
    more where entities may come in.

    They may at MEDIUM and DEEP; at SHALLOW they fill what memories leave free of `first`.
    """
    hits = await searcher.search(_sought(asked, KINDS), vector)
    scores = _scaled(hits)
    memories = {hit.id: scores[hit.id] for hit in hits if hit.kind is NodeKind.MEMORY}
    if len(memories) < asked.first and len(hits) >= MOST:
        memories = await _crowded_out(searcher, asked, vector, max(memories.values(), default=_FAR))
    room = asked.first - (len(memories) if asked.depth is ExplorationDepth.SHALLOW else 0)
    if room <= 0:
        return Entries(memories, {}, {})
    beyond = [hit for hit in hits if hit.kind in _SHARES][:_FOLLOWED]
    entities, documents = await _led_to(read, [hit for hit in beyond if scores[hit.id] >= _NEAR], scores)
    named = await _named(read, asked)
    found = [(id, _FOUND * score) for id, score in _best(entities) if id not in named]
    come = [*dict.fromkeys(named, 1.0).items(), *found][:room]
    return Entries(memories, dict(come), dict([(id, _FOUND * score) for id, score in _best(documents)][:room]))


async def _crowded_out(searcher: Searcher, asked: Asked, vector: NDArray[np.float32], best: float) -> dict[UUID, float]:
    """Return the memories that answer where more of other kinds does so better; `best` is how well the first one does."""
    own = _scaled(await searcher.search(_sought(asked, (NodeKind.MEMORY,)), vector))
    return {id: best * score for id, score in own.items()}


def _sought(asked: Asked, kinds: tuple[NodeKind, ...]) -> Sought:
    filter = SearchFilter(projects=asked.projects)
    return Sought(asked.volume, asked.query, asked.context, kinds, filter, asked.view)


def _scaled(hits: Sequence[Hit]) -> dict[UUID, float]:
    """Return how well hits answer, 1 being the best."""
    best = (hits[0].score if hits else 0.0) or 1.0
    return {hit.id: hit.score / best for hit in hits}


async def _named(read: Reader, asked: Asked) -> list[UUID]:
    if asked.projects is not None:
        return []
    names = await linked(read, asked.volume, asked.query, _WORDS)
    return list(dict.fromkeys(id for one in names for id in one.entities))


async def _led_to(
    read: Reader, hits: Sequence[Hit], scores: Mapping[UUID, float]
) -> tuple[dict[UUID, float], dict[UUID, float]]:
    """Return the entities and the documents that hits lead to, each with how well it answers.

    A hit adds its score to what it leads to; a chunk shares it out among what it names, of which much says less of each. The entity that
    most speaks for answers as well as the best hit does.
    """
    leads: dict[UUID, list[Attached]] = {}
    for lead in await hits_lead_to(read, [hit.id for hit in hits if hit.kind is not NodeKind.ENTITY]):
        leads.setdefault(lead.origin, []).append(lead)
    entities: dict[UUID, float] = {}
    documents: dict[UUID, float] = {}
    for hit in hits:
        score, own = scores[hit.id], leads.get(hit.id, [])
        named = {hit.id} if hit.kind is NodeKind.ENTITY else {one.id for one in own if one.kind is NodeKind.ENTITY}
        for id in named:
            entities[id] = entities.get(id, 0.0) + _SHARES[hit.kind] * score / sqrt(len(named))
        for lead in own:
            if lead.kind is NodeKind.DOCUMENT and score >= _ANSWERS:
                documents[lead.id] = max(score, documents.get(lead.id, 0.0))
    most, best = max(entities.values(), default=1.0), max((scores[hit.id] for hit in hits), default=0.0)
    return {id: best * score / most for id, score in entities.items() if score >= _LEAST * most}, documents


def _best(scores: Mapping[UUID, float]) -> list[tuple[UUID, float]]:
    return sorted(scores.items(), key=lambda one: (-one[1], one[0]))
