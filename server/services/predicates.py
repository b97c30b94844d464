"""Predicates: of which a subject has one at a time, and which are each other's inverse; the shipped list is data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from server import models
from server.store import Transaction
from server.terms import Cardinality

__all__ = ["INVERSES", "ONE", "SYMMETRIC", "register"]

ONE = frozenset({"COSTS", "PRICED_AT", "LIVES_IN", "BORN_IN", "BORN_ON", "DIED_IN", "DIED_ON", "FOUNDED_IN", "FOUNDED_ON",
                 "HEADQUARTERED_IN", "PUBLISHED_IN", "PUBLISHED_ON", "RELEASED_IN", "RELEASED_ON", "LAUNCHED_IN", "CAPITAL_OF"})  # fmt: skip
"""The predicates of which a subject has one at a time; everything else is MANY."""
SYMMETRIC = frozenset({"COMPATIBLE_WITH", "DIFFERS_FROM", "MARRIED_TO", "SIBLING_OF", "RELATED_TO", "CONFLICTS_WITH"})
INVERSES = {"PART_OF": "HAS_PART", "HAS_PART": "PART_OF", "INCLUDES": "INCLUDED_IN", "INCLUDED_IN": "INCLUDES",
            "CREATED_BY": "CREATED", "CREATED": "CREATED_BY", "FOUNDED_BY": "FOUNDED", "FOUNDED": "FOUNDED_BY",
            "WORKS_AT": "EMPLOYS", "EMPLOYS": "WORKS_AT", "REQUIRES": "REQUIRED_BY", "REQUIRED_BY": "REQUIRES"}  # fmt: skip


def register(tx: Transaction, names: Iterable[str | None]) -> None:
    """Make the predicates and relationship types in use known to the volume."""
    rows: list[dict[str, Any]] = [
        {
            "volume_id": tx.volume_id,
            "name": name,
            "cardinality": (Cardinality.ONE if name in ONE else Cardinality.MANY).value,
            "inverse": name if name in SYMMETRIC else INVERSES.get(name),
            "symmetric": name in SYMMETRIC,
        }
        for name in sorted({name for name in names if name is not None})
    ]
    tx.insert_if_absent(models.Predicate, rows)
