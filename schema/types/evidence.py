"""Evidence, and the interface that facts and relationships share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, ClassVar
from uuid import UUID

import strawberry

from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import columns_of, made_of, nodes_named
from schema.types.node import Node
from schema.views import by_view
from server.store.believing import effective_end, moment_of, status_at
from server.store.records import (
    ConflictClaimRecord,
    ConflictRecord,
    DocumentRecord,
    EvidenceRecord,
    FactRecord,
    RelationshipRecord,
)
from server.store.relations import SUPERSEDED_BY
from server.terms import Authority, ClaimStatus, Precision
from server.views import View

if TYPE_CHECKING:
    from schema.types.conflict import Conflict
    from schema.types.document import Document

LazyConflict = Annotated["Conflict", strawberry.lazy("schema.types.conflict")]
LazyDocument = Annotated["Document", strawberry.lazy("schema.types.document")]
_MOST = 100


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
        description="Whether it counts: false where a later revision of the document does not say it any more, where another "
        "claim has it now, or a person has retracted what it was said for.",
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
    record: ClassVar[type[Any]]

    @batched(
        needs=("row.id",),
        description="The words it rests on, oldest first; also what it once rested on and later revisions do not say any more.",
    )
    @staticmethod
    async def evidence(parents: list[Claim], info: Info) -> list[list[Evidence]]:
        found = await by_view(parents, partial(_evidence, info, columns_of(info, ())))
        info.context.spend(info, [len(evidence) for evidence in found])
        return found

    @batched(
        needs=("row.id",),
        description="The claims that it has beaten, or whose place it takes from its validFrom on, oldest first; the first 100.",
    )
    @staticmethod
    async def supersedes(parents: list[Claim], info: Info) -> list[list[Claim]]:
        return await superseded_of(info, parents)

    @batched(
        needs=("row.superseded_by",),
        description="The claim that has beaten it, or that takes its place from effectiveTo on, which may be to come; null: none.",
    )
    @staticmethod
    async def superseded_by(parents: list[Claim], info: Info) -> list[Claim | None]:
        found: dict[int, Claim | None] = {}
        for kind, places in _by_kind(parents):
            own = [parents[place] for place in places]
            ids, views = [claim.row.superseded_by for claim in own], [claim.view for claim in own]
            named = await nodes_named(info, kind, kind.record, ids, views, columns_of(info, ()))
            found.update(zip(places, named, strict=True))
        return [found[place] for place in range(len(parents))]

    @batched(
        needs=("row.id",),
        description="The conflicts that it takes part in as of today, settled ones too, oldest first.",
    )
    @staticmethod
    async def conflicts(parents: list[Claim], info: Info) -> list[list[LazyConflict]]:
        return await conflicts_of(info, parents)


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


def _by_kind(claims: Sequence[Claim]) -> list[tuple[type[Claim], list[int]]]:
    """Return the places of the facts and those of the relationships."""
    found: dict[type[Claim], list[int]] = {}
    for place, claim in enumerate(claims):
        found.setdefault(type(claim), []).append(place)
    return sorted(found.items(), key=lambda one: one[0].evidence_column)


async def superseded_of(info: Info, claims: Sequence[Claim]) -> list[list[Claim]]:
    """Return what each claim supersedes, as far as its view knows. One statement for facts, one for relationships."""
    found = await by_view(claims, partial(_superseded, info, columns_of(info, ())))
    info.context.spend(info, [len(superseded) for superseded in found])
    return found


async def _superseded(
    info: Info, columns: frozenset[str] | None, claims: Sequence[Claim], view: View | None
) -> list[list[Claim]]:
    known = None if view is None or view.known is None else View(None, view.known, 0.0)
    found: dict[UUID, list[Claim]] = {}
    for kind, places in _by_kind(claims):
        keys = [claims[place].row.id for place in places]
        relation = SUPERSEDED_BY[kind.record]
        read = await info.context.store.read.pages(relation, keys, first=_MOST, columns=columns, view=known)
        found.update((key, made_of(kind, page.rows, view)) for key, page in zip(keys, read, strict=True))
    return [found[claim.row.id] for claim in claims]


async def conflicts_of(info: Info, claims: Sequence[Claim]) -> list[list[Conflict]]:
    """Return the conflicts of each claim. A statement for facts, one for relationships, and one for the conflicts."""
    from schema.types.conflict import Conflict

    read, ids = info.context.store.read, dict[UUID, list[UUID]]()
    for kind, places in _by_kind(claims):
        keys = [claims[place].row.id for place in places]
        lists = await read.lists(ConflictClaimRecord, kind.evidence_column, keys, "conflict_id")
        ids.update(
            (key, [row.conflict_id for row in rows if row.takes_part]) for key, rows in zip(keys, lists, strict=True)
        )
    pairs = [(id, claim.view) for claim in claims for id in ids[claim.row.id]]
    wanted, views = [id for id, _ in pairs], [view for _, view in pairs]
    named = iter(await nodes_named(info, Conflict, ConflictRecord, wanted, views, columns_of(info, ())))
    info.context.spend(info, [len(ids[claim.row.id]) for claim in claims])
    return [[one for one in islice(named, len(ids[claim.row.id])) if one is not None] for claim in claims]
