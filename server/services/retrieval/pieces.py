"""Pieces of evidence: claims, memories and passages as what they say, whom they are about and where the words stand, the best first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from server.ids import NodeKind
from server.services.relationships import sentence
from server.services.retrieval.passages import Passage, passages_of
from server.services.retrieval.weighing import Weighed, terms, weigh
from server.store.quoting import Quoted
from server.store.rankings import Hit
from server.store.records import ChunkRecord, EntityRecord, FactRecord, MemoryRecord, RelationshipRecord
from server.terms import ClaimStatus

__all__ = [
    "PASSAGE",
    "SEARCHED",
    "UNSURE",
    "UNTOLD",
    "Claim",
    "Hits",
    "Material",
    "Piece",
    "Source",
    "ends_of",
    "pieces_of",
]

SEARCHED = (NodeKind.ENTITY, NodeKind.CHUNK, NodeKind.FACT, NodeKind.MEMORY)
PASSAGE = "PASSAGE"
UNSURE, UNTOLD, WEAK = "MIN_CONFIDENCE", "CLAIM_NOT_SHOWN", "RELEVANCE"
_RELEVANT = 0.25
"""What share of the best score a piece must have."""
Claim = FactRecord | RelationshipRecord
Weighing = tuple["Piece", Weighed]


class Source(NamedTuple):
    """Words, and where they stand: [start, end) of a revision's content in code points, or nowhere."""

    quote: str
    document: UUID | None = None
    revision: int | None = None
    start: int | None = None
    end: int | None = None


@dataclass(slots=True)
class Piece:
    """A claim, a memory or a passage: what it says, whom it is about (the most relevant first), and how well it answers.

    `id` is that of the claim or the memory; of a passage that of its chunk. `rivals` are the claims that it is disputed by.
    """

    kind: NodeKind
    id: UUID
    said: str
    about: tuple[UUID, ...]
    source: Source
    score: float = 0.0
    claim: Claim | None = None
    memory: MemoryRecord | None = None
    rivals: tuple[UUID, ...] = ()

    @property
    def name(self) -> str:
        """What it is, as omissions name it."""
        return PASSAGE if self.kind is NodeKind.CHUNK else self.kind.name


class Hits(NamedTuple):
    """What search has found, by kind, each with its score, the best first."""

    entities: dict[UUID, float]
    chunks: dict[UUID, float]
    facts: dict[UUID, float]
    memories: dict[UUID, float]

    @staticmethod
    def of(hits: Iterable[Hit]) -> Hits:
        """Return hits by their kinds, which are those of `SEARCHED`."""
        found: dict[NodeKind, dict[UUID, float]] = {kind: {} for kind in SEARCHED}
        for hit in hits:
            found[hit.kind][hit.id] = hit.score
        return Hits(*found.values())


@dataclass(slots=True)
class Material:
    """What was read around hits: chunks and what they are quoted for, claims that the view shows, what stands against each of those that
    are disputed, memories with the entities that they are about, and all entities by their ids."""

    hits: Hits
    chunks: list[ChunkRecord] = field(default_factory=list)
    quoted: list[Quoted] = field(default_factory=list)
    claims: dict[UUID, Claim] = field(default_factory=dict)
    against: dict[UUID, list[UUID]] = field(default_factory=dict)
    memories: list[MemoryRecord] = field(default_factory=list)
    subjects: dict[UUID, list[UUID]] = field(default_factory=dict)
    entities: dict[UUID, EntityRecord] = field(default_factory=dict)

    def said(self, claim: Claim) -> str:
        """Return a claim as a readable text."""
        if isinstance(claim, FactRecord):
            return claim.content
        source, target = (self.entities[id].name for id in ends_of(claim))
        return claim.description or sentence(source, claim.type, target)

    def words(self, claim: Claim) -> str:
        """Return the words of a claim, those of its type and of the names of what it is about among them."""
        type = claim.predicate if isinstance(claim, FactRecord) else claim.type
        names = " ".join(self.entities[id].name for id in ends_of(claim))
        return f"{self.said(claim)} {(type or '').replace('_', ' ')} {names}"


def ends_of(claim: Claim) -> tuple[UUID, ...]:
    """Return whom a claim is about."""
    return (claim.subject_id,) if isinstance(claim, FactRecord) else (claim.source_id, claim.target_id)


def pieces_of(material: Material, question: str, least: float) -> tuple[list[Piece], list[tuple[str, str]]]:
    """Return the pieces, the best first, and what is left out, each as (kind, reason): claims that are less sure than `least`, what
    passages must not say, and what is not a quarter as good as the best.

    A disputed claim is as good as the best of those that it stands against, so that they stand or go together.
    """
    claims, unsure = _claims(material, least)
    told = {piece.id: weighed.terms for piece, weighed in claims}
    disputed = {id for id, row in material.claims.items() if row.status == ClaimStatus.DISPUTED}
    passages, withheld = passages_of(material.chunks, material.quoted, told, disputed)
    weighed = [*claims, *(_memory(material, row) for row in material.memories)]
    weighed += [_passage(material, one) for one in passages]
    for (piece, _), score in zip(weighed, weigh(question, [one for _, one in weighed]), strict=True):
        piece.score = score
    scores = {piece.id: piece.score for piece, _ in claims}
    for piece, _ in claims:
        piece.rivals = tuple(id for id in material.against.get(piece.id, ()) if id in scores)
        piece.score = max([piece.score, *(scores[id] for id in piece.rivals)])
    pieces = sorted((piece for piece, _ in weighed), key=lambda one: (-one.score, one.id, one.source.start or 0))
    weak = [(piece.name, WEAK) for piece in pieces if piece.score < _RELEVANT * pieces[0].score]
    return pieces[: len(pieces) - len(weak)], unsure + weak + [(PASSAGE, UNTOLD)] * withheld


def _claims(material: Material, least: float) -> tuple[list[Weighing], list[tuple[str, str]]]:
    within: dict[UUID, float] = {}
    for one in material.quoted:
        for id in one.claims:
            within[id] = max(within.get(id, 0.0), material.hits.chunks[one.chunk])
    found: list[Weighing] = []
    unsure: list[tuple[str, str]] = []
    for row in material.claims.values():
        if any(id not in material.entities for id in ends_of(row)):
            continue  # one was deleted meanwhile
        piece = _claim(material, row)
        if row.confidence < least:
            unsure.append((piece.name, UNSURE))
            continue
        scores = [material.hits.entities.get(id, 0.0) for id in ends_of(row)]
        hit = material.hits.facts.get(row.id, 0.0)
        good = (2 * max(scores) + min(scores)) / 3
        weighed = Weighed(good, within.get(row.id, 0.0), hit, terms(material.words(row)))
        found.append((piece, weighed))
    return found, unsure


def _claim(material: Material, row: Claim) -> Piece:
    kind = NodeKind.FACT if isinstance(row, FactRecord) else NodeKind.RELATIONSHIP
    about = sorted(ends_of(row), key=lambda end: -material.hits.entities.get(end, 0.0))
    said = material.said(row)
    return Piece(kind, row.id, said, tuple(dict.fromkeys(about)), Source(said), claim=row)


def _memory(material: Material, row: MemoryRecord) -> Weighing:
    scores = material.hits.entities
    known = [id for id in material.subjects.get(row.id, ()) if id in material.entities]
    about = sorted(known, key=lambda one: (-scores.get(one, 0.0), one))
    piece = Piece(NodeKind.MEMORY, row.id, row.content, tuple(about), Source(row.content), memory=row)
    words = " ".join((row.title, row.content, *row.keywords, *row.tags))
    good = scores.get(about[0], 0.0) if about else None
    return piece, Weighed(good, None, material.hits.memories[row.id], terms(words))


def _passage(material: Material, passage: Passage) -> Weighing:
    chunk, text = passage.chunk, passage.text
    source = Source(text, chunk.document_id, chunk.revision, passage.start, passage.end)
    piece = Piece(NodeKind.CHUNK, chunk.id, text, (), source)
    return piece, Weighed(None, material.hits.chunks[chunk.id], 0.0, terms(text))
