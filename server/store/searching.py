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
from server.store.signs import Signs, signs_of
from server.store.vectors import Match, VectorIndex, Wanted, as_vector
from server.store.words import relevances
from server.terms import VectorAction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Candidate", "Candidates", "Wanted", "find_candidates"]

_pending_vector = table_of(models.PendingVector)
_PENDING = (
    select(
        *(_pending_vector.c[name] for name in ("node_id", "kind", "action", "text", "vector")),
        _pending_vector.c.moved_at.is_not(None).label("moved"),
    )
    .where(_pending_vector.c.volume_id == bindparam("volume", type_=Uuid))
    .order_by(_pending_vector.c.seq)
)
_NO_END = -2.0
"""Less than any similarity."""
_LOOKED_AT = 1_000
"""How many texts that have the words of a sign are looked at before all are gone through for it."""
_ALONE = 3.0
"""What signs are worth to a query of nothing else, over the best by words: what only resembles them falls under a quarter of it."""


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
    fresh: dict[UUID, str]
    """The texts of what the index does not hold yet."""


class _Fresh(NamedTuple):
    """The newest that is pending of a node; gone where it has no text."""

    kind: NodeKind
    text: str | None
    vector: NDArray[np.float32] | None
    moved: bool


async def find_candidates(
    read: Reader, index: VectorIndex, wanted: Wanted, query: str, vector: NDArray[np.float32], most: int
) -> Candidates:
    """Return the `most` wanted nodes nearest to a normalised vector and the `most` with the words of a query, everything
    committed included.

    The query is plain text. What has its signs and codes as they are written is found too, and worth more than all that has their
    parts. Costs one statement and two reads of the index, and one or two for each sign, of which four count.
    """
    fresh = await _pending(read, wanted)
    if wanted.volume in fresh:
        return Candidates([], _NO_END, 0.0, {})
    signs = signs_of(query)
    k, words = most + min(len(fresh), most), bool(fresh or signs.all)  # rows that what is pending takes the place of
    near, worded = await index.both(wanted, query, vector, k, texts=words)
    looked_at = max(k, _LOOKED_AT)
    lists = await index.holding(wanted, signs.sought, vector, looked_at) if signs.sought else []
    held = [match for one in lists for match in one if signs.worth(match.text)]
    found = _joined(match for match in (*worded, *held, *near) if match.id not in fresh)
    found += _scored(fresh, wanted, query, vector, worded)
    end = (worded[-1].relevance or 0.0) if len(worded) == k else 0.0
    if signs.all:
        written = {match.id: match.text for match in (*worded, *held)}
        written |= {id: row.text or "" for id, row in fresh.items()}
        lift = _lift(signs, found)
        found = [_lifted(one, signs.worth(written.get(one.id, "")) * lift) for one in found]
        end = max(end, lift) if any(len(one) == looked_at for one in lists) else end
    texts = {id: row.text for id, row in fresh.items() if row.text is not None and not row.moved}
    return Candidates(found, near[-1].similarity if len(near) == k else _NO_END, end, texts)


def _lift(signs: Signs, found: Sequence[Candidate]) -> float:
    """Return what signs are worth that a text has as they are written: as much as the best by words at least."""
    best = max((one.relevance or 0.0 for one in found), default=0.0) or 1.0
    return best * (_ALONE if signs.alone else 1.0)


def _lifted(one: Candidate, more: float) -> Candidate:
    return one._replace(relevance=(one.relevance or 0.0) + more) if more else one


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
    for id, kind, action, text, stored, moved in await read.fetch(_PENDING, {"volume": wanted.volume}):
        gone = action == VectorAction.DELETE.value
        vector = None if stored is None else as_vector(stored)
        found[id] = _Fresh(NodeKind(kind), None if gone else text or "", vector, moved)
    return found
