"""Candidates of a search: by meaning and by words, from the index and from what is pending, in one pass.

What was committed is found at once: pending rows are scored exactly and win over what the index still has of the same nodes,
and what was deleted is left out. Which of the candidates may be shown is for others to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import Uuid, bindparam, select

from server import models
from server.ids import NodeKind
from server.store.reader import Reader
from server.store.relations import table_of
from server.store.vectors import Match, VectorIndex, Wanted, as_vector
from server.store.words import relevances
from server.terms import VectorAction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Candidate", "Candidates", "Wanted", "find_candidates"]

_pending_vector = table_of(models.PendingVector)
_PENDING = (
    select(*(_pending_vector.c[name] for name in ("node_id", "kind", "action", "text", "vector")))
    .where(_pending_vector.c.volume_id == bindparam("volume", type_=Uuid))
    .order_by(_pending_vector.c.seq)
)
_NO_END = -2.0
"""Less than any similarity."""


class Candidate(NamedTuple):
    """A node that may answer a query: the cosine of its vector, and the BM25 of its words, None where neither counts.

    A node that waits for its vector has no similarity, one with none of the words no relevance.
    """

    id: UUID
    kind: NodeKind
    similarity: float | None
    relevance: float | None


class Candidates(NamedTuple):
    """What was found, in no order: all that is wanted with a similarity above `near`, or a relevance above `worded`."""

    found: list[Candidate]
    near: float
    worded: float


class _Fresh(NamedTuple):
    """The newest that is pending of a node; gone where it has no text."""

    kind: NodeKind
    text: str | None
    vector: NDArray[np.float32] | None


async def find_candidates(
    read: Reader, index: VectorIndex, wanted: Wanted, query: str, vector: NDArray[np.float32], most: int
) -> Candidates:
    """Return the `most` wanted nodes nearest to a normalised vector and the `most` with the words of a query, everything
    committed included.

    The query is plain text. Costs one statement and two reads of the index.
    """
    fresh = await _pending(read, wanted)
    if wanted.volume in fresh:
        return Candidates([], _NO_END, 0.0)
    k, words = most + min(len(fresh), most), bool(fresh)  # rows that what is pending takes the place of
    near, worded = await index.both(wanted, query, vector, k, texts=words)
    found = _joined(match for match in (*worded, *near) if match.id not in fresh)
    found += _scored(fresh, wanted, query, vector, worded)
    return Candidates(
        found,
        near[-1].similarity if len(near) == k else _NO_END,
        (worded[-1].relevance or 0.0) if len(worded) == k else 0.0,
    )


def _joined(matches: Iterable[Match]) -> list[Candidate]:
    """Return one candidate per node; of the same node the first match counts, which knows more."""
    found: dict[UUID, Candidate] = {}
    for match in matches:
        found.setdefault(match.id, Candidate(*match[:4]))
    return list(found.values())


def _scored(
    fresh: dict[UUID, _Fresh], wanted: Wanted, query: str, vector: NDArray[np.float32], worded: Sequence[Match]
) -> list[Candidate]:
    """Return what is pending as candidates."""
    if not fresh:
        return []
    only = None if wanted.only is None else set(wanted.only)
    rows = {
        id: row
        for id, row in fresh.items()
        if row.text is not None and (wanted.kinds is None or row.kind in wanted.kinds) and (only is None or id in only)
    }
    known = [(match.text, match.relevance or 0.0) for match in worded]
    scores = relevances(query, [row.text or "" for row in rows.values()], known)
    return [
        Candidate(id, row.kind, None if row.vector is None else float(row.vector @ vector), score or None)
        for (id, row), score in zip(rows.items(), scores, strict=True)
    ]


async def _pending(read: Reader, wanted: Wanted) -> dict[UUID, _Fresh]:
    """Return the newest pending state of each node of the volume. Where the volume itself is gone, it is among the nodes."""
    found: dict[UUID, _Fresh] = {}
    for id, kind, action, text, stored in await read.fetch(_PENDING, {"volume": wanted.volume}):
        gone = action == VectorAction.DELETE.value
        found[id] = _Fresh(NodeKind(kind), None if gone else text or "", None if stored is None else as_vector(stored))
    return found
