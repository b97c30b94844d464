"""What a claim is by itself while it counts as one with others, or has evidence that names another entity than it was stated for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from server import models
from server.services.claims import ClaimKind
from server.store import Transaction
from server.store.records import ApartRecord

__all__ = ["COLUMNS", "as_it_was", "note", "note_new"]

COLUMNS = (
    "confidence",
    "authority",
    "status",
    "status_reason",
    "valid_from",
    "valid_from_precision",
    "valid_to",
    "valid_to_precision",
    "superseded_at",
    "superseded_by",
)
"""What a claim's evidence, and other claims, make of it."""
_TIMES = ("valid_from", "valid_to", "superseded_at")


def note(tx: Transaction, kind: ClaimKind, id: UUID, columns: Mapping[str, Any], evidence: Iterable[UUID]) -> None:
    """Keep what a claim is by itself, as its own evidence makes it."""
    own = {name: columns.get(name) for name in COLUMNS}
    tx.insert(models.ClaimApart, **{kind.evidence: id}, columns=own, evidence=sorted(map(str, evidence)))


async def note_new(tx: Transaction, kind: ClaimKind, claims: Sequence[tuple[Any, Sequence[UUID]]]) -> None:
    """Keep what claims are by themselves, each with its own evidence, unless that is kept. One read."""
    known = await tx.read.lists(ApartRecord, kind.evidence, [claim.id for claim, _ in claims], "id")
    for (claim, evidence), rows in zip(claims, known, strict=True):
        if not rows:
            note(tx, kind, claim.id, claim._asdict(), evidence)


def as_it_was(row: Any, kept: ApartRecord) -> tuple[Any, frozenset[UUID]]:
    """Return a claim's row as it is by itself, and the evidence that makes it so."""
    columns = {name: kept.columns[name] for name in COLUMNS}
    columns |= {n: datetime.fromisoformat(columns[n]) for n in _TIMES if columns[n] is not None}
    if columns["superseded_by"] is not None:
        columns["superseded_by"] = UUID(columns["superseded_by"])
    return row._replace(**columns), frozenset(map(UUID, kept.evidence))
