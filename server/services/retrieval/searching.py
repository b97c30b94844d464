"""Search: everything that a volume knows, by meaning and by words at once, and the pages of what was found.

Filters and views are SQL's. Where few nodes pass, exactly those are scored; where many do, the index is asked for more until
enough of what it answers has passed. So a filter loses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from server.embeddings import Embedder, TokenEmbedder
from server.errors import BadUserInput
from server.ids import NodeKind
from server.services.identity import clean_text
from server.services.retrieval.following import ranked, visits
from server.services.retrieval.fusion import MOST, fuse
from server.services.retrieval.linking import linked
from server.services.retrieval.reranking import reranked
from server.services.retrieval.walking import walk
from server.store import Store
from server.store.rankings import Hit, named
from server.store.records import FactRecord
from server.store.searching import Candidates, Wanted
from server.store.sifting import KINDS, SearchFilter, Standing, passing, sifted
from server.store.signs import signs_of
from server.store.transaction import Clock, utc_now
from server.terms import SearchMode
from server.views import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Asked", "FoundPage", "Place", "Searcher"]

LONGEST = 4_000
FEW = 5_000
_ALL = SearchFilter()
_CONTEXT = 0.25
_MORE = 8
_ROUNDING = 1e-5
"""The similarity of what was found by its words is computed another way."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is searched for, and where. `context` adds to the query's meaning: it draws its vector a quarter of the way towards its own."""

    volume: UUID
    query: str
    context: str | None = None
    kinds: tuple[NodeKind, ...] = KINDS
    filter: SearchFilter = _ALL
    view: View | None = None
    mode: SearchMode = SearchMode.HYBRID


class Place(NamedTuple):
    """Where a page begins: so many hits into a frozen ranking of so many."""

    ranking: UUID
    start: int
    total: int


class FoundPage(NamedTuple):
    """Some hits of a ranking, each with the place behind it, how many the ranking has, and whether more follow."""

    hits: list[Hit]
    places: list[Place]
    total: int
    has_next: bool


class Searcher:
    """Searches the volumes of one store. With a `reranker` the best 50 hits are ranked anew by their tokens, but for the walk's: its
    ranking gains nothing by seeds so ranked (R@5 95.0 instead of 95.8 on 2Wiki, 72.6 instead of 72.4 on MuSiQue).
    """

    def __init__(
        self, store: Store, embedder: Embedder, clock: Clock = utc_now, reranker: TokenEmbedder | None = None
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._reranker = reranker
        self._clock = clock

    async def vector(self, query: str, context: str | None = None) -> NDArray[np.float32]:
        """Return the meaning of a query, drawn a quarter of the way towards that of a context. One embedding.

        Raises:
            BadUserInput: the query is blank, or it or the context has more than 4,000 characters.
            UpstreamUnavailable: the embedding model does not answer.
        """
        texts = [clean_text(query, "query", LONGEST)]
        if context is None or not context.strip():
            vector: NDArray[np.float32] = (await self._embedder.embed(texts))[0]
            return vector
        own, other = await self._embedder.embed([*texts, clean_text(context, "context", LONGEST)])
        mixed: NDArray[np.float32] = (1 - _CONTEXT) * own + _CONTEXT * other
        length = float((mixed @ mixed) ** 0.5)
        return own if length < 1e-6 else mixed / length

    async def search(self, asked: Asked, vector: NDArray[np.float32]) -> list[Hit]:
        """Return what best answers a query, best first: at most 100 nodes that are near its `vector`, and 100 that have its words.

        `score` orders the hits of this call and means nothing across calls. Costs two reads of the index and two statements,
        three where a filter or a view narrows it, one more where hits are re-ranked, in the mode HYBRID and where the query has no signs or
        codes, which count as they are written; more reads only where it has some, or most of what is found may not be shown. In the mode
        GRAPH as much again, and the statements of the walk.

        Raises:
            UpstreamUnavailable: the vector index does not answer.
        """
        hits, fresh = await self._fused(asked, vector)
        if asked.mode is SearchMode.GRAPH:
            return await self._followed(asked, hits, vector)
        if self._reranker is None or signs_of(asked.query).all:
            return hits
        return await reranked(self._store.read, self._reranker, asked.query, hits, fresh)

    async def _fused(self, asked: Asked, vector: NDArray[np.float32]) -> tuple[list[Hit], Mapping[UUID, str]]:
        """Return the hits, and the texts of what the index does not hold yet."""
        kinds = asked.filter.kinds(asked.kinds)
        found, standing = await self._candidates(asked, kinds, vector)
        return fuse(found.found, standing, self._clock(), literal=signs_of(asked.query).alone), found.fresh

    async def _followed(self, asked: Asked, hits: Sequence[Hit], vector: NDArray[np.float32]) -> list[Hit]:
        """Return the hits as the walk ranks them, which begins from all chunks, whatever the filter."""
        read, chunks = self._store.read, replace(asked, kinds=(NodeKind.CHUNK,), filter=_ALL)
        seeds = hits if asked == chunks else (await self._fused(chunks, vector))[0]
        names = await linked(read, asked.volume, asked.query)
        found = visits(await walk(read, asked.volume, {hit.id: hit.score for hit in seeds}, names))
        kinds = asked.filter.kinds(asked.kinds)
        reached = [id for id, kind in found.kinds.items() if kind in kinds]
        standing = await self._sifted(asked, kinds, reached)
        facts = [hit.id for hit in hits if hit.kind is NodeKind.FACT]
        rows = await read.by_ids(FactRecord, facts, frozenset({"subject_id"}))
        return ranked(hits, found, standing.__contains__, {row.id: row.subject_id for row in rows if row is not None})

    async def first_page(self, asked: Asked, vector: NDArray[np.float32], first: int, *, keep: bool) -> FoundPage:
        """Return the first hits of a search, whose ranking is kept where more follow, or where it is to be (`keep`).

        One statement more than a search where it is kept.

        Raises:
            UpstreamUnavailable: as `search`.
        """
        hits = await self.search(asked, vector)
        if len(hits) > first or (keep and hits):
            await self._store.rankings.keep(asked.volume, hits)
        return _page(list(enumerate(hits, 1)), first, named(asked.volume, hits), len(hits))

    async def next_page(self, asked: Asked, first: int, place: Place) -> FoundPage:
        """Return the hits behind a place in a ranking, which is frozen as it was; what is gone since, or may not be shown any more,
        is left out. Two statements.

        Raises:
            BadUserInput: the ranking was not kept, or is not any more.
        """
        ranking, start, total = place
        rest: list[tuple[int, Hit]] = []
        if start < total:
            rest = list(enumerate(await self._kept(asked.volume, ranking), 1))[start:]
            kinds = asked.filter.kinds(asked.kinds)
            standing = await self._sifted(asked, kinds, [hit.id for _, hit in rest])
            rest = [(number, hit) for number, hit in rest if hit.id in standing]
        return _page(rest, first, ranking, total)

    async def _kept(self, volume: UUID, ranking: UUID) -> list[Hit]:
        hits = await self._store.rankings.of(volume, ranking)
        if hits is None:
            raise BadUserInput(
                "This cursor has expired: what the search had found is kept for some minutes only. Search anew, without `after`.",
                argument="after",
            )
        return hits

    async def _candidates(
        self, asked: Asked, kinds: tuple[NodeKind, ...], vector: NDArray[np.float32]
    ) -> tuple[Candidates, dict[UUID, Standing]]:
        """Return candidates among which are the best that may be shown, and those that may be, as they stand."""
        only = await self._few(asked, kinds) if asked.filter.narrows or asked.view is not None else None
        most = MOST
        while True:
            wanted = Wanted(asked.volume, frozenset(kinds) if only is None else None, only)
            found = await self._store.candidates(wanted, asked.query, vector, most)
            standing = await self._sifted(asked, kinds, [one.id for one in found.found])
            if only is not None or _enough(found, standing):
                return found, standing
            only = await self._few(asked, kinds) if most == MOST else None
            most = most if only is not None else most * _MORE

    async def _few(self, asked: Asked, kinds: tuple[NodeKind, ...]) -> list[UUID] | None:
        """Return what may be shown at all, or None where that is much."""
        return await passing(self._store.read, asked.volume, kinds, asked.filter, asked.view, FEW)

    async def _sifted(self, asked: Asked, kinds: tuple[NodeKind, ...], ids: Sequence[UUID]) -> dict[UUID, Standing]:
        return await sifted(self._store.read, asked.volume, kinds, asked.filter, asked.view, ids)


def _enough(found: Candidates, standing: dict[UUID, Standing]) -> bool:
    """Return whether no node that was not looked at could be among the best."""
    shown = [one for one in found.found if one.id in standing]
    near = sum(one.similarity is not None and one.similarity >= found.near - _ROUNDING for one in shown)
    worded = sum(one.relevance is not None and one.relevance >= found.worded for one in shown)
    return (near >= MOST or found.near < -1) and (worded >= MOST or not found.worded)


def _page(rest: Sequence[tuple[int, Hit]], first: int, ranking: UUID, total: int) -> FoundPage:
    shown = rest[:first]
    places = [Place(ranking, number, total) for number, _ in shown]
    return FoundPage([hit for _, hit in shown], places, total, len(rest) > first)
