"""Where claims compete: subjects with predicates of which they have one claim at a time, and which claims count there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any
from uuid import UUID

from server.services.claims import FACT, ClaimKind
from server.services.predicates import shipped
from server.store import Transaction
from server.terms import Cardinality, ClaimStatus

__all__ = ["COMPETING", "EVENTS", "Pair", "cardinalities", "pairs_of"]

EVENTS = frozenset({"BORN_IN", "BORN_ON", "DIED_IN", "DIED_ON", "FOUNDED_IN", "FOUNDED_ON", "PUBLISHED_IN", "PUBLISHED_ON",
                    "RELEASED_IN", "RELEASED_ON", "LAUNCHED_IN"})  # fmt: skip
"""The ONE-predicates of what happens once."""
COMPETING = (ClaimStatus.CURRENT, ClaimStatus.DISPUTED, ClaimStatus.SUPERSEDED)
"""The statuses of live claims that do not wait."""
Pair = tuple[UUID, str]
"""A subject and a predicate; for relationships their source and type."""


def pairs_of(kind: ClaimKind, claims: Iterable[Any]) -> set[Pair]:
    """Return the subjects and predicates of stored claims, or of their columns."""
    subject, predicate = ("subject_id", "predicate") if kind is FACT else ("source_id", "type")
    rows = (claim if isinstance(claim, Mapping) else claim._asdict() for claim in claims)
    return {(row[subject], row[predicate]) for row in rows if row[predicate] is not None}


async def cardinalities(tx: Transaction, names: Collection[str]) -> dict[str, Cardinality]:
    """Return of each predicate how many a subject has at a time: as the volume says, or as it would begin with it."""
    known = await tx.read.predicates_named(tx.volume_id, sorted(names))
    return {name: shipped(name).cardinality for name in names} | {p.name: Cardinality(p.cardinality) for p in known}
