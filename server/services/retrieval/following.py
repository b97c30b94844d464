"""Following: what a search has found, ranked anew by the graph walk, with what only the walk has found.

Chunks and entities are ranked by the walk, each kind by its own most visited, those that it has not reached behind all others. A fact
counts half by itself and half by its subject, everything else by itself. Visits fall off steeply, so that beside other scores
stands their fourth root.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from server.ids import NodeKind
from server.services.retrieval.walking import Walked
from server.store.rankings import Hit

__all__ = ["MOST", "Visits", "ranked", "visits"]

MOST = 200
"""How many hits a ranking has at most."""


_WALKED = (NodeKind.CHUNK, NodeKind.ENTITY)
_BEHIND = 0.001


class Visits(NamedTuple):
    """What the walk says of nodes: how much each is visited, 1 for the most visited of its kind, its place among its kind, and its kind."""

    shares: dict[UUID, float]
    places: dict[UUID, int]
    kinds: dict[UUID, NodeKind]


def visits(walked: Walked) -> Visits:
    """Return what a walk says of chunks and entities."""
    found = Visits({}, {}, {})
    for kind, nodes in ((NodeKind.CHUNK, walked.chunks), (NodeKind.ENTITY, walked.entities)):
        most = max((share for _, share in nodes), default=0.0) or 1.0
        for place, (id, share) in enumerate(nodes, 1):
            found.shares[id], found.places[id], found.kinds[id] = (share / most) ** 0.25, place, kind
    return found


def ranked(
    hits: Sequence[Hit], found: Visits, shown: Callable[[UUID], bool], subjects: Mapping[UUID, UUID]
) -> list[Hit]:
    """Return the ranking of hits and of what the walk has visited and may be `shown`, best first, at most 200.

    `subjects` are those of the facts among the hits.
    """
    known = {hit.id: hit for hit in hits}
    fresh = [Hit(id, kind, 0.0, None, None) for id, kind in found.kinds.items() if id not in known and shown(id)]
    rated = [
        hit._replace(score=_score(hit, found, subjects), graph_rank=found.places.get(hit.id)) for hit in (*hits, *fresh)
    ]
    return sorted(rated, key=lambda hit: (-hit.score, hit.id))[:MOST]


def _score(hit: Hit, found: Visits, subjects: Mapping[UUID, UUID]) -> float:
    if hit.id in found.shares:
        return found.shares[hit.id]
    if hit.kind in _WALKED:
        return hit.score * _BEHIND
    subject = subjects.get(hit.id)
    return hit.score if subject is None else (hit.score + found.shares.get(subject, 0.0)) / 2
