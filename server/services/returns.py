"""Returns: what a source says again of a time after something else has held is a claim of its own, and no evidence for the old one.

Only claims of a ONE-predicate return. What stands by now ends where another claim takes its place; here it is found out before
that is judged, for claims that are stated together and whatever their order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from server.services.claims import FACT, Claim, ClaimKind, Period
from server.services.pairs import COMPETING, EVENTS, Pair, cardinalities, pairs_of
from server.store import Transaction
from server.terms import Cardinality

__all__ = ["Returns", "find_returns", "returns_among"]


class Returns:
    """When something else begins to hold of a subject and predicate: (what it says, the instant), by subject and predicate."""

    def __init__(self, begins: Mapping[Pair, Collection[tuple[Any, datetime]]] | None = None) -> None:
        self._begins = begins or {}

    def part(self, kind: ClaimKind, claim: Claim, period: Period) -> bool:
        """Return whether something else comes between when a claim begins and when the same one, of this period, does."""
        return self.between(kind, claim.columns, claim.period, period)

    def between(self, kind: ClaimKind, columns: Mapping[str, Any], one: Period, other: Period) -> bool:
        """Return whether something else than what these columns say begins between when the two intervals do."""
        if not self._begins or one.start is None or other.start is None:
            return False
        first, last = sorted((one.start, other.start))
        own = _says(kind, columns)
        return any(
            says != own and first < at <= last
            for pair in pairs_of(kind, [columns])
            for says, at in self._begins.get(pair, ())
        )


def _says(kind: ClaimKind, row: Mapping[str, Any]) -> Any:
    return row["claim_key"] if kind is FACT else row["target_id"]


async def returns_among(tx: Transaction, kind: ClaimKind, rows: Sequence[Any]) -> Returns:
    """Return what parts stored claims from each other. Two statements where some of one subject and predicate begin at different times."""
    starts: defaultdict[Pair, set[datetime]] = defaultdict(set)
    for row in rows:
        for pair in pairs_of(kind, [row]):
            starts[pair] |= {row.valid_from} - {None}
    suspects = {pair for pair, found in starts.items() if len(found) > 1 and pair[1] not in EVENTS}
    if not suspects:
        return Returns()
    ones = await cardinalities(tx, {name for _, name in suspects})
    suspects = {pair for pair in suspects if ones[pair[1]] is Cardinality.ONE}
    begins: defaultdict[Pair, list[tuple[Any, datetime]]] = defaultdict(list)
    for row in await _stored(tx, kind, suspects, frozenset()):
        for pair in pairs_of(kind, [row]) & suspects:
            if row.valid_from is not None:
                begins[pair].append((_says(kind, row._asdict()), row.valid_from))
    return Returns(begins)


async def find_returns(
    tx: Transaction,
    kind: ClaimKind,
    claims: Sequence[Claim],
    known: Mapping[Any, Iterable[Period]],
    fresh: frozenset[UUID],
) -> Returns:
    """Return what parts these claims from the same ones: those stated with them, and those of the periods `known` by their keys.

    Two statements where a claim has another beginning than the same one, none otherwise.
    """
    starts: defaultdict[Any, set[datetime]] = defaultdict(set)
    for claim in claims:
        periods = (claim.period, *known.get(claim.key, ()))
        starts[claim.key] |= {period.start for period in periods if period.start is not None}
    suspects = pairs_of(kind, [claim.columns for claim in claims if len(starts[claim.key]) > 1])
    suspects = {pair for pair in suspects if pair[1] not in EVENTS}
    if not suspects:
        return Returns()
    ones = await cardinalities(tx, {name for _, name in suspects})
    suspects = {pair for pair in suspects if ones[pair[1]] is Cardinality.ONE}
    rows: list[Mapping[str, Any]] = [{**claim.columns, "valid_from": claim.period.start} for claim in claims]
    rows += [row._asdict() for row in await _stored(tx, kind, suspects, fresh)]
    begins: defaultdict[Pair, list[tuple[Any, datetime]]] = defaultdict(list)
    for row in rows:
        for pair in pairs_of(kind, [row]) & suspects:
            if row["valid_from"] is not None:
                begins[pair].append((_says(kind, row), row["valid_from"]))
    return Returns(begins)


async def _stored(tx: Transaction, kind: ClaimKind, pairs: Collection[Pair], fresh: frozenset[UUID]) -> list[Any]:
    subjects = sorted({subject for subject, _ in pairs} - fresh)
    names = {name for _, name in pairs}
    rows: Sequence[Any]
    if kind is FACT:
        rows = await tx.read.same_facts(subjects, names, by="predicate")
    else:
        rows = await tx.read.same_relationships(subjects, names)
    return [row for row in rows if row.status in COMPETING and row.folded_into is None]
