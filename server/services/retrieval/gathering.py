"""Gathering: the claims, memories and passages that a question is answered by, ranked, each with the words that it rests on.

The walk (mode GRAPH of search) says which entities and chunks matter. Gathered are the claims that the best twenty chunks are quoted for,
the newest forty facts and relationships of each of the best twelve entities, the facts and memories that search itself finds, what stands
against a disputed one of these, and passages of the chunks (passages.py). Claims are those that the view shows by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from server.ids import NodeKind
from server.services.retrieval.pieces import SEARCHED, Claim, Hits, Material, Piece, Source, ends_of, pieces_of
from server.services.retrieval.searching import Asked, Searcher
from server.store.filters import ClaimFilter, FactFilter, RelationshipFilter
from server.store.quoting import quoted_in, rivals_of, shown
from server.store.reader import Reader
from server.store.records import (
    ChunkRecord,
    DocumentRecord,
    EntityRecord,
    EvidenceRecord,
    FactRecord,
    MemoryRecord,
    RelationshipRecord,
)
from server.store.relations import FACTS_OF_ENTITY, RELATIONSHIPS_OF_ENTITY, Relation, Sorting
from server.store.statements import Page
from server.store.traversal import entities_of
from server.terms import Authority, ClaimStatus, Direction, SearchMode
from server.views import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["BEYOND", "BUDGET", "Gathered", "gather"]

ENTITIES, CHUNKS, CLAIMS = 12, 20, 40
"""How many of the best entities and chunks are looked at, and how many facts and relationships of each of the entities."""
_ATTACHED = 1_000
_NEWEST = Sorting(descending=True)
BEYOND, BUDGET = "LIMIT", "TOKEN_BUDGET"
_AUTHORITIES = {authority.value: place for place, authority in enumerate(Authority)}
_OF_ENTITY: tuple[tuple[Relation[Any], ClaimFilter, NodeKind], ...] = (
    (FACTS_OF_ENTITY, FactFilter(), NodeKind.FACT),
    (RELATIONSHIPS_OF_ENTITY[Direction.BOTH], RelationshipFilter(), NodeKind.RELATIONSHIP),
)
_KINDS = ((FactRecord, "fact_id", NodeKind.FACT), (RelationshipRecord, "relationship_id", NodeKind.RELATIONSHIP))


@dataclass(slots=True)
class Gathered:
    """Pieces, the best first; the entities that they are about, with the other names of the first of each; titles of documents; and what
    was left out, each as (kind, reason)."""

    pieces: list[Piece]
    entities: dict[UUID, EntityRecord]
    other_names: dict[UUID, list[str]] = field(default_factory=dict)
    titles: dict[UUID, str] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)


async def gather(
    read: Reader,
    searcher: Searcher,
    asked: Asked,
    vector: NDArray[np.float32],
    least: float,
    most: int,
) -> Gathered:
    """Return at most so many pieces, whose claims are at least so sure; of what is `asked` the volume, the query and the view count.

    The statements of a search in the mode GRAPH, and 19 more at most.

    Raises:
        UpstreamUnavailable: the vector index does not answer.
    """
    wanted = Asked(asked.volume, asked.query, asked.context, SEARCHED, view=asked.view, mode=SearchMode.GRAPH)
    material = Material(Hits.of(await searcher.search(wanted, vector)))
    beyond = await _read_claims(read, material, asked.view)
    await _read_rivals(read, material, asked.view)
    await _read_memories(read, material)
    pieces, left_out = pieces_of(material, asked.query, least)
    left_out += beyond + [(piece.name, BUDGET) for piece in pieces[most:]]
    found = Gathered(pieces[:most], material.entities, left_out=left_out)
    await _read_sources(read, material, found, asked.view)
    return found


async def _read_claims(read: Reader, material: Material, view: View | None) -> list[tuple[str, str]]:
    """Read the best chunks and the claims in question, and return what is left out. Six statements, and one for each kind that an entity
    has more claims of.
    """
    best, chunks = list(material.hits.entities)[:ENTITIES], list(material.hits.chunks)[:CHUNKS]
    material.chunks = [row for row in await read.by_ids(ChunkRecord, chunks) if row is not None]
    material.quoted = await quoted_in(read, chunks)
    crowded: list[tuple[Any, ClaimFilter, str, list[UUID]]] = []
    for relation, believed, kind in _OF_ENTITY:
        pages: list[Page[Any]] = await read.pages(relation, best, believed, first=CLAIMS, sorting=_NEWEST, view=view)
        _take(material, (_whole(relation.record, row) for page in pages for row in page.rows))
        crowded.append(
            (relation, believed, kind.name, [id for id, page in zip(best, pages, strict=True) if page.has_next])
        )
    named = [one.fact for one in material.quoted if one.fact is not None]
    edges = [one.relationship for one in material.quoted if one.relationship is not None]
    await _show(read, material, [*material.hits.facts, *named], edges, view)
    left_out: list[tuple[str, str]] = []
    for relation, believed, name, entities in crowded:
        whole = sum(await read.counts(relation, entities, believed, view=view))
        known = sum(id in ends_of(row) for row in material.claims.values() if _kind(row) == name for id in entities)
        left_out += [(name, BEYOND)] * (whole - known)
    return left_out


async def _read_rivals(read: Reader, material: Material, view: View | None) -> None:
    """Read what stands against the claims that are disputed. Four statements, where any is."""
    for record, *_ in _KINDS:
        rows = [row for row in material.claims.values() if isinstance(row, record)]
        disputed = [row.id for row in rows if row.status == ClaimStatus.DISPUTED]
        material.against |= await rivals_of(read, record, disputed)
    facts = [id for own, others in material.against.items() if _kind(material.claims[own]) == "FACT" for id in others]
    edges = [id for others in material.against.values() for id in others if id not in facts]
    await _show(read, material, facts, edges, view)


async def _read_memories(read: Reader, material: Material) -> None:
    """Read the memories found and what they are about, and all entities by name. Three statements."""
    rows = await read.by_ids(MemoryRecord, list(material.hits.memories))
    material.memories = [row for row in rows if row is not None]
    attached, _ = await entities_of(read, [row.id for row in material.memories], most=_ATTACHED)
    for one in attached:
        material.subjects.setdefault(one.origin, []).append(one.other)
    ids = [id for row in material.claims.values() for id in ends_of(row)] + [one.other for one in attached]
    entities = await read.by_ids(EntityRecord, list(dict.fromkeys(ids)))
    material.entities = {row.id: row for row in entities if row is not None}


async def _show(
    read: Reader, material: Material, facts: Sequence[UUID], edges: Sequence[UUID], view: View | None
) -> None:
    """Take those of these claims that the view shows. Two statements at most."""
    for (record, *_), ids in zip(_KINDS, (facts, edges), strict=True):
        _take(material, await shown(read, record, [id for id in ids if id not in material.claims], view))


def _take(material: Material, rows: Iterable[Claim]) -> None:
    material.claims.update((row.id, row) for row in rows)


def _whole(record: type[Any], row: Any) -> Any:
    """Return a claim as its record: a version that a view knows says one thing more."""
    return row if isinstance(row, record) else record._make(row[: len(record._fields)])


def _kind(row: Claim) -> str:
    return NodeKind.FACT.name if isinstance(row, FactRecord) else NodeKind.RELATIONSHIP.name


async def _read_sources(read: Reader, material: Material, found: Gathered, view: View | None) -> None:
    """Read the words that the claims rest on, titles of documents and other names of entities. Four statements."""
    known = None if view is None else view.known
    places = {row.id: row for row in material.chunks}
    reached: dict[Any, float] = {}
    for one in material.quoted:
        place, score = places.get(one.chunk), material.hits.chunks[one.chunk]
        if place is not None:
            key = (place.document_id, place.revision, one.start, one.end)
            reached[key] = max(score, reached.get(key, 0.0))
    for _, column, kind in _KINDS:
        own = [piece for piece in found.pieces if piece.kind is kind]
        lists = await read.lists(EvidenceRecord, column, [piece.id for piece in own], "id", known=known)
        for piece, rows in zip(own, lists, strict=True):
            live = [row for row in rows if row.ended_at is None or (known is not None and row.ended_at > known)]
            if live:
                piece.source = _source(min(live, key=lambda row: _rank(row, reached)))
    documents = [piece.source.document for piece in found.pieces if piece.source.document is not None]
    titles = await read.by_ids(DocumentRecord, list(dict.fromkeys(documents)), frozenset({"title"}))
    found.titles = {row.id: row.title for row in titles if row is not None}
    first = list(dict.fromkeys(piece.about[0] for piece in found.pieces if piece.about))
    found.other_names = dict(zip(first, await read.other_names(first), strict=True))


def _rank(row: EvidenceRecord, reached: dict[Any, float]) -> tuple[Any, ...]:
    """Return what the better evidence of a claim has the less of: what the walk reached, then what was found in its document, then what is
    of the higher authority, then the newest.
    """
    here = reached.get((row.document_id, row.revision, row.start, row.end), 0.0)
    return -here, not row.verified, _AUTHORITIES[row.authority], -row.created_at.timestamp(), row.id


def _source(row: EvidenceRecord) -> Source:
    return Source(row.quote, row.document_id, row.revision, row.start, row.end)
