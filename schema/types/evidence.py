"""Evidence, and the interface that facts and relationships share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, ClassVar
from uuid import UUID

import strawberry

from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import columns_of
from schema.types.node import Node
from server.store.believing import effective_end, present, status_at
from server.store.records import DocumentRecord, EvidenceRecord, FactRecord, RelationshipRecord
from server.terms import Authority, ClaimStatus, Precision

if TYPE_CHECKING:
    from schema.types.document import Document

LazyDocument = Annotated["Document", strawberry.lazy("schema.types.document")]


@strawberry.type(description="The words that a claim rests on.")
class Evidence:
    quote: str = attribute(
        "row.quote", description="The words. With `start` and `end` they are the document's own, from there to there."
    )
    start: int | None = attribute(
        "row.start",
        description="Where the quote begins in the content of that revision, in code points; null without a place.",
    )
    end: int | None = attribute("row.end", description="Where the quote ends in that content, itself excluded.")
    authority: Authority = attribute("row.authority", description="How authoritative the source is.")
    confidence: float = attribute("row.confidence", description="How sure this source alone makes the claim: 0 to 1.")
    verified: bool = attribute("row.verified", description="Whether the quote was found in the document.")
    revision: int | None = attribute(
        "row.revision",
        description="The revision of the document whose content from `start` to `end` the quote is; null without a document.",
    )
    current: bool = attribute(
        "row.live",
        description="Whether it counts: false where a later revision of the document does not say it any more.",
    )
    row: strawberry.Private[EvidenceRecord]

    @staticmethod
    def of(row: EvidenceRecord) -> Evidence:
        return Evidence(row=row)

    @batched(
        needs=("row.document_id",),
        description="The document that has the words; null where a person stated the claim without one.",
    )
    @staticmethod
    async def document(parents: list[Evidence], info: Info) -> list[LazyDocument | None]:
        from schema.types.document import Document

        ids = [e.row.document_id for e in parents]
        rows = await info.context.store.read.by_ids(
            DocumentRecord, [id for id in ids if id is not None], columns_of(info, ())
        )
        found = {row.id: Document.of(row) for row in rows if row is not None}
        return [None if id is None else found.get(id) for id in ids]


def _status(claim: Claim) -> ClaimStatus:
    return status_at(claim.row, present())


def _statuses(claims: Sequence[Claim]) -> list[ClaimStatus]:
    now = present()
    return [status_at(claim.row, now) for claim in claims]


@strawberry.interface(description="A statement that rests on evidence: a fact or a relationship.")
class Claim(Node):
    text: str = attribute("row.content", description="What it says, as one readable text.")
    confidence: float = attribute(
        "row.confidence", description="How sure it is: 0 to 1. Independent documents that say the same raise it."
    )
    status: ClaimStatus = attribute(
        _status, needs=("row.status", "row.superseded_at"), column=_statuses, description="Where it stands at present."
    )
    valid_from: datetime | None = attribute(
        "row.valid_from", description="From when on it is true in the world; null: nobody said."
    )
    valid_from_precision: Precision | None = attribute(
        "row.valid_from_precision", description="How exactly validFrom was stated."
    )
    valid_to: datetime | None = attribute(
        "row.valid_to",
        description="Until when it is true, itself excluded: an end of 2024 is 2025-01-01. Null: open, or nobody said.",
    )
    valid_to_precision: Precision | None = attribute(
        "row.valid_to_precision", description="How exactly validTo was stated."
    )
    effective_to: datetime | None = attribute(
        lambda claim: effective_end(claim.row),
        needs=("row.valid_to", "row.superseded_at"),
        description="Until when it holds, itself excluded: the earlier of validTo and the instant from which another claim holds in "
        "its place. validFrom is where it begins. A claim that never held has the end that was stated.",
    )
    known_from: datetime = attribute("row.known_from", description="Since when the store believes this version of it.")
    version: int = attribute(
        "row.version", description="How often it was written; give it as expectedVersion of an update."
    )
    created_at: datetime = attribute("row.created_at", description="When it came into the volume.")
    updated_at: datetime = attribute("row.updated_at", description="When it last changed.")
    row: strawberry.Private[FactRecord | RelationshipRecord]
    evidence_column: ClassVar[str]

    @batched(
        needs=("row.id",),
        description="The words it rests on, oldest first; also what it once rested on and later revisions do not say any more.",
    )
    @staticmethod
    async def evidence(parents: list[Claim], info: Info) -> list[list[Evidence]]:
        found: dict[UUID, list[EvidenceRecord]] = {}
        columns = columns_of(info, ())
        for column in sorted({claim.evidence_column for claim in parents}):
            keys = [claim.row.id for claim in parents if claim.evidence_column == column]
            lists = await info.context.store.read.lists(EvidenceRecord, column, keys, "id", columns=columns)
            found.update(zip(keys, lists, strict=True))
        info.context.spend(info, [len(found[claim.row.id]) for claim in parents])
        return [[Evidence.of(row) for row in found[claim.row.id]] for claim in parents]
