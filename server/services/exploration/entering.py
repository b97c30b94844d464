"""Where an exploration begins: the memories, entities and documents that answer its query themselves.

Memories come from a search among memories. Entities come in where the query names them, and from a search among entities, facts and
chunks: as hits, as what a fact is about, as what a chunk names. So a volume that only documents were read into is explored too. Where
projects bound the exploration, names alone do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from server.ids import NodeKind
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

_BEYOND = (NodeKind.ENTITY, NodeKind.FACT, NodeKind.CHUNK)
_FOLLOWED = 20
"""How many of the hits among entities, facts and chunks are followed."""
_SHARES = {NodeKind.ENTITY: 1.0, NodeKind.FACT: 0.6, NodeKind.CHUNK: 0.6}
_LEAST = 0.25
"""How well an entity or a document must answer, beside the best, to come in."""
_FOUND = 0.9
_WORDS = 40
"""Of so many words of the query names are looked for, so that it takes two statements."""


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
    """Return where an exploration begins. A search; two, three statements and names where entities may come in.

    They may at MEDIUM and DEEP; at SHALLOW they fill what memories leave free of `first`.
    """
    memories = _scaled(await searcher.search(_sought(asked, (NodeKind.MEMORY,)), vector))
    room = asked.first - (len(memories) if asked.depth is ExplorationDepth.SHALLOW else 0)
    if room <= 0:
        return Entries(memories, {}, {})
    hits = await searcher.search(_sought(asked, _BEYOND), vector)
    entities, documents = await _led_to(read, hits[:_FOLLOWED])
    named = await _named(read, asked)
    found = {id: _FOUND * score for id, score in entities.items() if score >= _LEAST and id not in named}
    come = [*dict.fromkeys(named, 1.0).items(), *_best(found)][:room]
    near = [(id, _FOUND * score) for id, score in _best(documents) if score >= _LEAST]
    return Entries(memories, dict(come), dict(near[:room]))


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
    words = " ".join(asked.query.split()[:_WORDS])
    return list(dict.fromkeys(id for one in await linked(read, asked.volume, words) for id in one.entities))


async def _led_to(read: Reader, hits: Sequence[Hit]) -> tuple[dict[UUID, float], dict[UUID, float]]:
    """Return the entities and the documents that hits lead to, each with how well it answers beside the best of its kind.

    A hit adds its score to what it leads to; a chunk shares it out among what it names, of which much says less of each.
    """
    leads: dict[UUID, list[Attached]] = {}
    for lead in await hits_lead_to(read, [hit.id for hit in hits if hit.kind is not NodeKind.ENTITY]):
        leads.setdefault(lead.origin, []).append(lead)
    entities: Counter[UUID] = Counter()
    documents: dict[UUID, float] = {}
    scores = _scaled(hits)
    for hit in hits:
        score, own = scores[hit.id], leads.get(hit.id, [])
        if hit.kind is NodeKind.ENTITY:
            entities[hit.id] += score  # type: ignore[assignment]
        named = dict.fromkeys(lead.id for lead in own if lead.kind is NodeKind.ENTITY)
        for id in named:
            entities[id] += _SHARES[hit.kind] * score / sqrt(len(named))  # type: ignore[assignment]
        for lead in own:
            if lead.kind is NodeKind.DOCUMENT:
                documents[lead.id] = max(score, documents.get(lead.id, 0.0))
    return _beside_best(entities), _beside_best(documents)


def _beside_best(scores: dict[UUID, float] | Counter[UUID]) -> dict[UUID, float]:
    best = max(scores.values(), default=0.0) or 1.0
    return {id: score / best for id, score in scores.items()}


def _best(scores: dict[UUID, float]) -> list[tuple[UUID, float]]:
    return sorted(scores.items(), key=lambda one: (-one[1], one[0]))
