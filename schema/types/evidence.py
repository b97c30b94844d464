"""Evidence, and the interface that facts and relationships share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar
from uuid import UUID

import strawberry

from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import columns_of, made_of, nodes_named
from schema.types.node import Node
from schema.views import by_view
from server.store.believing import effective_end, moment_of, status_at
from server.store.records import DocumentRecord, EvidenceRecord, FactRecord, RelationshipRecord
from server.terms import Authority, ClaimStatus, Precision
from server.views import View

if TYPE_CHECKING:
    from schema.types.document import Document

LazyDocument = Annotated["Document", strawberry.lazy("schema.types.document")]


def _counts(evidence: Evidence) -> bool:
    ended, known = evidence.row.ended_at, None if evidence.view is None else evidence.view.known
    return ended is None or (known is not None and ended > known)


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
        _counts,
        needs=("row.ended_at",),
        description="Whether it counts: false where a later revision of the document does not say it any more.",
    )
    row: strawberry.Private[EvidenceRecord]
    view: strawberry.Private[View | None] = None

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

        ids, views = [e.row.document_id for e in parents], [e.view for e in parents]
        return await nodes_named(info, Document, DocumentRecord, ids, views, columns_of(info, ()))


def _known_to(claim: Claim) -> datetime | None:
    # Only what is read at a known instant can be an earlier version, and only its row says so.
    until: datetime | None = getattr(claim.row, "known_to", None)
    return until


def _status(claim: Claim) -> ClaimStatus:
    return status_at(claim.row, moment_of(claim.view))


def _statuses(claims: Sequence[Claim]) -> list[ClaimStatus]:
    moments = {view: moment_of(view) for view in {claim.view for claim in claims}}
    return [status_at(claim.row, moments[claim.view]) for claim in claims]


@strawberry.interface(description="A statement that rests on evidence: a fact or a relationship.")
class Claim(Node):
    text: str = attribute("row.content", description="What it says, as one readable text.")
    confidence: float = attribute(
        "row.confidence", description="How sure it is: 0 to 1. Independent documents that say the same raise it."
    )
    status: ClaimStatus = attribute(
        _status,
        needs=("row.status", "row.superseded_at"),
        column=_statuses,
        description="Where it stands at present, or where it stood at the known instant of the view.",
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
    known_to: datetime | None = attribute(
        _known_to,
        needs=("row.known_to",),
        description="Until when the store believed this version of it; null for the present one. Earlier ones are read by asOf(known).",
    )
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
        found = await by_view(parents, partial(_evidence, info, columns_of(info, ())))
        info.context.spend(info, [len(evidence) for evidence in found])
        return found


async def _evidence(
    info: Info, columns: frozenset[str] | None, claims: Sequence[Claim], view: View | None
) -> list[list[Evidence]]:
    """Return the evidence of each claim that was written by the instant that the view knows. One statement for each kind of claim."""
    known, found = None if view is None else view.known, dict[UUID, list[Evidence]]()
    for column in sorted({claim.evidence_column for claim in claims}):
        keys = [claim.row.id for claim in claims if claim.evidence_column == column]
        read = info.context.store.read
        lists = await read.lists(EvidenceRecord, column, keys, "id", columns=columns, known=known)
        found.update(zip(keys, (made_of(Evidence, rows, view) for rows in lists), strict=True))
    return [found[claim.row.id] for claim in claims]
