"""Fusion: one score out of what a search found by meaning and by words.

Both are scaled to 0..1 over the candidates and added with fixed weights: measured on chat turns, that found more than the fusion of
ranks, which fell below words alone. Importance and recency are bounded boosts, so that relevance leads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import exp2
from uuid import UUID

from server.store.rankings import Hit
from server.store.searching import Candidate
from server.store.sifting import Standing

__all__ = ["MOST", "fuse"]

MOST = 100
"""How many candidates by meaning and how many by words are ranked."""
_DENSE, _DENSE_LITERAL = 0.6, 0.25
"""The weight of meaning; words have the rest."""
_BOOST = 0.05
"""What importance, and what recency, adds to a score at most: both together never lift a hit over one whose score is more than a
tenth higher (1.05 * 1.05 = 1.1025)."""
_HALF_LIFE = 90
"""In days, of which only whole ones count: the same search has the same scores."""


def fuse(
    candidates: Sequence[Candidate], standing: Mapping[UUID, Standing], now: datetime, *, literal: bool = False
) -> list[Hit]:
    """Return the best candidates by meaning and by words as one ranking, the best first; ties by id.

    Only those that stand count: the others may not be shown. A `literal` query is signs and codes alone, which have little meaning.
    """
    there = [one for one in candidates if one.id in standing]
    by_vector = _ranks({one.id: one.similarity for one in there})
    by_words = _ranks({one.id: one.relevance for one in there})
    kept = [one for one in there if one.id in by_vector or one.id in by_words]
    dense, words = _scaled([one.similarity for one in kept]), _scaled([one.relevance for one in kept], low=0.0)
    share = _DENSE_LITERAL if literal else _DENSE
    hits = [
        Hit(
            one.id,
            one.kind,
            (share * near + (1 - share) * worded) * _boost(standing[one.id], now),
            by_vector.get(one.id),
            by_words.get(one.id),
        )
        for one, near, worded in zip(kept, dense, words, strict=True)
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def _ranks(scores: Mapping[UUID, float | None]) -> dict[UUID, int]:
    """Return the places, from 1, of the best that have a score."""
    ordered = sorted((-score, id) for id, score in scores.items() if score is not None)
    return {id: place for place, (_, id) in enumerate(ordered[:MOST], 1)}


def _scaled(scores: Sequence[float | None], low: float | None = None) -> list[float]:
    """Return scores between 0, for the lowest or for `low`, and 1; what has none is 0. Where all are equal, they are 1."""
    there = [score for score in scores if score is not None]
    if not there:
        return [0.0] * len(scores)
    least = min(there) if low is None or len(there) == len(scores) else low
    span = max(there) - least
    return [0.0 if score is None else (score - least) / span if span > 0 else 1.0 for score in scores]


def _boost(stands: Standing, now: datetime) -> float:
    age = max(0, (now - stands.updated_at).days)
    return (1 + _BOOST * stands.importance) * (1 + _BOOST * exp2(-age / _HALF_LIFE))
