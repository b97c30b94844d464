"""The graph walk: personalized PageRank over chunks and the entities that they name, from what a question names and what answers it.

A chunk that no search would find is found where it names what the best hits, or the question, name: the second hop of a question.
The graph is what lies one such step around the seeds: the entities that the best chunks name, and of each at most fifty
of the chunks that name it. From an entity the walk prefers chunks that answer the question themselves. A document's title
ties its chunks to the entity that it is the name of.

The form and its numbers were chosen on one of two data sets and reported on the other (benchmarks/README.md). PageRank by power iteration
over NumPy's arrays: Haveliwala, "Topic-sensitive PageRank" (2002); its use over passages: Gutiérrez and others, "HippoRAG" (2024).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from server.services.retrieval.linking import Linked
from server.store.mentioning import Naming, chunks_naming, named_in, title_keys_of, titled
from server.store.reader import Reader
from server.store.records import EntityRecord

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SEEDS", "Walked", "walk"]

SEEDS = 30
"""How many of the best chunks the walk begins from."""
_PER_ENTITY = 50
_TITLE = 3.0
_NAMED = 6.0
_BASE = 0.5
_FOLLOW = 0.85
_ROUNDS = 20


class Walked(NamedTuple):
    """How much of the walk's time chunks and entities take, the most first; ties by id."""

    chunks: list[tuple[UUID, float]]
    entities: list[tuple[UUID, float]]


async def walk(read: Reader, volume: UUID, scores: Mapping[UUID, float], names: Sequence[Linked]) -> Walked:
    """Return the chunks and entities around what answers a question, by the walk.

    `scores` are the chunks that a search has found, each between 0 and 1; `names` what the question names. Eight statements.
    """
    best = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))
    meant = dict.fromkeys(chunk for name in names for chunk in name.chunks)
    edges = {one[:2]: one.times for one in await named_in(read, list(dict.fromkeys([*best, *meant])))}
    seeds = {*best[:SEEDS], *meant}
    said = dict.fromkeys(entity for name in names for entity in name.entities)
    around = list(dict.fromkeys([*said, *sorted({entity for chunk, entity in edges if chunk in seeds})]))
    naming = await chunks_naming(read, around, _PER_ENTITY)
    chunks = _reached(seeds, around, naming, edges) | await _called(read, volume, around)
    edges |= {one[:2]: one.times for one in await named_in(read, sorted(chunks - scores.keys() - meant.keys()))}
    graph = _Graph(chunks, {pair: float(times) for pair, times in edges.items() if pair[0] in chunks}, around)
    graph.add_titles(await title_keys_of(read, graph.chunks), await _keys_of(read, graph.entities))
    return graph.walked(_begin(graph, best[:SEEDS], scores, names, naming), scores)


async def _called(read: Reader, volume: UUID, entities: Sequence[UUID]) -> set[UUID]:
    """Return the first chunks of the documents whose titles name these entities."""
    keys = await _keys_of(read, entities)
    return {one.chunk for one in await titled(read, volume, list(dict.fromkeys(keys.values())))}


def _reached(
    seeds: Iterable[UUID], around: Iterable[UUID], naming: Iterable[Naming], edges: Iterable[tuple[UUID, UUID]]
) -> set[UUID]:
    """Return the chunks of the graph: the seeds, those that the entities around them are named in, and hits that name one of these."""
    near = set(around)
    return {*seeds, *(one.chunk for one in naming), *(chunk for chunk, entity in edges if entity in near)}


async def _keys_of(read: Reader, entities: Sequence[UUID]) -> dict[UUID, str]:
    rows = await read.by_ids(EntityRecord, entities, frozenset({"match_key"}))
    return {row.id: row.match_key for row in rows if row is not None}


def _begin(
    graph: _Graph,
    best: Sequence[UUID],
    scores: Mapping[UUID, float],
    names: Sequence[Linked],
    naming: Sequence[Naming],
) -> dict[UUID, float]:
    """Return where the walk begins and begins again, and how often: at what is named, the rarer the more, and at the best hits.

    A name that is both an entity's and a title shares its weight between the two.
    """
    times: dict[UUID, int] = {}
    for one in naming:
        times[one.entity] = times.get(one.entity, 0) + 1
    begin: dict[UUID, float] = {}
    for name in names:
        share = _NAMED / (2 if name.entities and name.chunks else 1)
        for node in (*name.entities, *name.chunks):
            alike = len(name.entities if node in name.entities else name.chunks)
            begin[node] = begin.get(node, 0.0) + share / alike / sqrt(1 + times.get(node, 1))
    highest = scores[best[0]] if best else 0.0
    squares = {chunk: (scores[chunk] / highest) ** 2 if highest else 1.0 for chunk in best}
    whole = sum(squares.values())
    for chunk, square in squares.items():
        begin[chunk] = begin.get(chunk, 0.0) + square / whole
    return {node: weight for node, weight in begin.items() if node in graph.places}


class _Graph:
    """Chunks and the entities that they name, both numbered; an edge for each pair. Some chunks name none."""

    def __init__(self, chunks: Iterable[UUID], edges: dict[tuple[UUID, UUID], float], entities: Iterable[UUID]) -> None:
        self._edges = edges
        self.chunks = sorted(chunks)
        self.entities = sorted({*entities, *(entity for _, entity in edges)})
        self.places = {id: n for n, id in enumerate((*self.chunks, *self.entities))}

    def add_titles(self, titles: Mapping[UUID, str], keys: Mapping[UUID, str]) -> None:
        """Tie the chunks of a document to the entities that its title names."""
        called: dict[str, list[UUID]] = {}
        for entity, key in keys.items():
            called.setdefault(key, []).append(entity)
        for chunk in self.chunks:
            for entity in called.get(titles.get(chunk, ""), ()):
                self._edges[chunk, entity] = self._edges.get((chunk, entity), 0.0) + _TITLE

    def walked(self, begin: Mapping[UUID, float], scores: Mapping[UUID, float]) -> Walked:
        """Return how the walk's time is shared out."""
        import numpy as np

        if not begin:
            return Walked([], [])
        size = len(self.chunks)
        weights = np.fromiter(self._edges.values(), float, len(self._edges))
        own = np.fromiter((self.places[chunk] for chunk, _ in self._edges), int, len(weights))
        other = np.fromiter((self.places[entity] - size for _, entity in self._edges), int, len(weights))
        likely = np.array([_BASE + scores.get(chunk, 0.0) for chunk in self.chunks])
        start = np.zeros(size + len(self.entities))
        for node, weight in begin.items():
            start[self.places[node]] += weight
        shares = _iterate(start / start.sum(), (own, other), (weights, weights * likely[own]), size)
        return Walked(_ordered(self.chunks, shares[:size]), _ordered(self.entities, shares[size:]))


def _iterate(
    start: NDArray[np.float64],
    ends: tuple[NDArray[np.int_], NDArray[np.int_]],
    weights: tuple[NDArray[np.float64], NDArray[np.float64]],
    size: int,
) -> NDArray[np.float64]:
    """Return the shares after some rounds: of each round 0.85 follow an edge, the rest begin again."""
    import numpy as np

    (chunk, entity), (out, back) = ends, weights
    others = len(start) - size
    out = out / np.bincount(chunk, out, size)[chunk]
    back = back / np.bincount(entity, back, others)[entity]
    shares = start
    for _ in range(_ROUNDS):
        to_entities = np.bincount(entity, shares[chunk] * out, others)
        to_chunks = np.bincount(chunk, shares[size:][entity] * back, size)
        shares = _FOLLOW * np.concatenate((to_chunks, to_entities)) + (1 - _FOLLOW) * start
    return shares


def _ordered(ids: Sequence[UUID], shares: NDArray[np.float64]) -> list[tuple[UUID, float]]:
    return sorted(zip(ids, shares.tolist(), strict=True), key=lambda one: (-one[1], one[0]))
