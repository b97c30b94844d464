"""The review queue: asking a person what no rule decides, once, and noticing where a question has gone by itself.

A question is known by its kind and what it is about, by ids; while it is open, and once it was decided, it is not asked
again. One that lapsed may come back. What is decided, and what follows from it, is in decisions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from server import models
from server.ids import NodeKind, new_id
from server.store import Transaction
from server.store.questions import reviews_asked
from server.store.records import EntityRecord, ReviewRecord
from server.terms import ChangeKind, ReviewDecision, ReviewKind

__all__ = [
    "Node",
    "ReviewQuestion",
    "close_pairs_within",
    "close_reviews",
    "forget_reviews",
    "open_review",
    "open_reviews",
    "reviews_about",
    "waiting_about",
]

Node = tuple[NodeKind, UUID]
_COLUMNS: Mapping[NodeKind, tuple[str, ...]] = {
    NodeKind.FACT: ("fact_id",),
    NodeKind.RELATIONSHIP: ("relationship_id",),
    NodeKind.ENTITY: ("left_id", "right_id"),
    NodeKind.CONFLICT: ("conflict_id",),
}


_PAIRS = (ReviewKind.DUPLICATE,)


class ReviewQuestion(NamedTuple):
    """A question about to be asked.

    `about` is the claim (of a low confidence, or stale), the two entities of a possible duplicate in either order, or the
    conflict. `occasion` tells apart what may be asked again about the same nodes (since when a claim is stale, the claims of
    a conflict); it is made of ids, times and hashes, and so are no reasons of anybody's words.
    """

    kind: ReviewKind
    about: tuple[Node, ...]
    importance: float = 0.5
    score: float | None = None
    reasons: tuple[str, ...] = ()
    due_since: datetime | None = None
    occasion: str = ""

    @property
    def text(self) -> str:
        """Return what the question is known by within its volume."""
        nodes = sorted(f"{kind}:{id.hex}" for kind, id in self.about)
        return ":".join([self.kind, *nodes, *([self.occasion] if self.occasion else [])])

    @property
    def pair(self) -> frozenset[UUID]:
        """Return the two entities that it asks about, or nothing."""
        return frozenset(id for _, id in self.about) if self.kind is ReviewKind.DUPLICATE else frozenset()

    def columns(self) -> dict[str, Any]:
        """Return the columns of the row that asks it."""
        found: dict[str, Any] = {}
        for kind, id in sorted(self.about, key=lambda one: one[1]):
            name = next(name for name in _COLUMNS[kind] if name not in found)
            found[name] = id
        importance = min(1.0, max(0.0, self.importance))
        own = {"score": self.score, "reasons": list(self.reasons), "due_since": self.due_since}
        return {**own, **found, "kind": self.kind.value, "question": self.text, **_weighed(importance)}


def _weighed(importance: float) -> dict[str, float]:
    return {"importance": importance, "precedence": -importance}


async def open_review(tx: Transaction, question: ReviewQuestion) -> UUID | None:
    """Ask a question; return the id of its review, or None where it is open already or was decided. One statement."""
    return (await open_reviews(tx, [question]))[0]


async def open_reviews(
    tx: Transaction, questions: Sequence[ReviewQuestion], *, anew: bool = False
) -> list[UUID | None]:
    """Ask many questions as `open_review` does, each once. One statement for each 500 and three for pairs of entities; the log
    gets one entry for all.

    `anew` asks again what was decided: for doubts that a person raises.
    """
    if not questions:
        return []
    asked = {question.text: question for question in questions}
    known: dict[str, Any] = {row["question"]: row["decision"] for row in tx.collected(models.Review)}
    stored = {row.question: row for row in await reviews_asked(tx.read, tx.volume_id, list(asked))}
    rows = await _pairs_asked(tx, {one for question in asked.values() for one in question.pair})
    pairs = {pair: row.question for pair, row in rows.items()}
    opened: dict[str, UUID] = {}
    again: list[dict[str, Any]] = []
    for text, question in asked.items():
        row = stored.get(text)
        if pairs.get(question.pair, text) != text:
            continue
        if row is None and text not in known:
            opened[text] = tx.insert(models.Review, id=new_id(), **question.columns())
        elif row is not None and (row.decision == ReviewDecision.LAPSED or (anew and row.decision is not None)):
            opened[text] = row.id
            again.append({"id": row.id, **question.columns(), **_UNDECIDED})
    _reopen(tx, again)
    returned = {row["id"] for row in again}
    tx.log_batch(ChangeKind.CREATED, [(NodeKind.REVIEW, id) for id in opened.values() if id not in returned])
    tx.log_batch(ChangeKind.UPDATED, [(NodeKind.REVIEW, id) for id in opened.values() if id in returned])
    first = dict(zip(asked, (opened.get(text) for text in asked), strict=True))
    return [first.pop(question.text, None) for question in questions]


_UNDECIDED: Mapping[str, Any] = {"decision": None, "answer": None, "decided_by": None, "decided_at": None}


def _reopen(tx: Transaction, rows: Iterable[Mapping[str, Any]]) -> None:
    alike: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        alike.setdefault(tuple(sorted(row)), []).append(row)
    for group in alike.values():
        tx.update_many(models.Review, group, stamp=("opened_at",))


async def reviews_about(
    tx: Transaction, nodes: Iterable[Node], kinds: Collection[ReviewKind] = tuple(ReviewKind)
) -> list[ReviewRecord]:
    """Return the reviews about any of these nodes, oldest first. One statement for each column that names such a node."""
    by_kind: dict[NodeKind, dict[UUID, None]] = {}
    for kind, id in nodes:
        by_kind.setdefault(kind, {})[id] = None
    found: dict[UUID, ReviewRecord] = {}
    for kind, ids in by_kind.items():
        for column in _COLUMNS[kind]:
            for rows in await tx.read.lists(ReviewRecord, column, list(ids), "id"):
                found.update((row.id, row) for row in rows if row.kind in kinds)
    return [found[id] for id in sorted(found)]


def _is_about(row: Mapping[str, Any], nodes: Sequence[Node]) -> bool:
    return any(row[column] == id for kind, id in nodes for column in _COLUMNS[kind])


async def close_reviews(
    tx: Transaction,
    nodes: Iterable[Node],
    kinds: Collection[ReviewKind] = tuple(ReviewKind),
    *,
    but: Collection[UUID] = (),
) -> list[UUID]:
    """Close the open questions about these nodes, `but` not those that are being decided; return their ids.

    The matter has gone by itself, and may be asked again. Call it where a claim is retracted or confirmed by new evidence, where a conflict has
    ended and where an entity was merged. One statement for each column that names such a node.
    """
    about = list(nodes)
    waiting = [row.id for row in await reviews_about(tx, about, kinds) if row.decision is None and row.id not in but]
    waiting += [row["id"] for row in tx.collected(models.Review) if row["kind"] in kinds and _is_about(row, about)]
    _close(tx, waiting)
    return waiting


def _close(tx: Transaction, ids: Sequence[UUID]) -> None:
    lapsed = {"decision": ReviewDecision.LAPSED.value}  # whose act it followed from, the log says; nobody decided
    tx.update_many(models.Review, [{"id": id, **lapsed} for id in ids], stamp=("decided_at",))
    for id in ids:
        tx.log(ChangeKind.UPDATED, NodeKind.REVIEW, id, before={"decision": None}, after=lapsed)


async def close_pairs_within(tx: Transaction, survivor: UUID, *, but: Collection[UUID] = ()) -> None:
    """Close the open questions whether two entities are one that both count as the survivor now. Three statements."""
    roots = await _counting(tx, [survivor])
    rows = await reviews_about(tx, [(NodeKind.ENTITY, id) for id in roots], _PAIRS)
    waiting = [row for row in rows if row.decision is None and row.id not in but]
    _close(tx, [row.id for row in waiting if _pair(row, roots) == {survivor}])


async def waiting_about(tx: Transaction, pairs: Collection[frozenset[UUID]]) -> dict[frozenset[UUID], UUID]:
    """Return the open review about each of these pairs of entities, or of what counts as them, where one waits. Three statements."""
    rows = await _pairs_asked(tx, {id for pair in pairs for id in pair})
    return {pair: row.id for pair, row in rows.items() if pair in pairs and row.decision is None}


async def _pairs_asked(tx: Transaction, entities: Collection[UUID]) -> dict[frozenset[UUID], ReviewRecord]:
    """Return the pairs of these entities, by what they count as, about which one waits or that were kept apart, with the review.

    Two that were kept apart stay so for all that counts as them, and what waits about them is not asked again about their survivors.
    """
    if not entities:
        return {}
    roots = await _counting(tx, entities)
    rows = await reviews_about(tx, [(NodeKind.ENTITY, id) for id in roots], _PAIRS)
    asked = [row for row in rows if row.decision in (None, ReviewDecision.KEPT_APART)]
    return {_pair(row, roots): row for row in asked if row.volume_id == tx.volume_id}


async def _counting(tx: Transaction, entities: Collection[UUID]) -> dict[UUID, UUID]:
    """Return these entities and those that were merged into them, each with what it counts as."""
    own = sorted(entities)
    lists = await tx.read.lists(EntityRecord, "merged_into", own, "id")
    return {id: id for id in own} | {row.id: root for root, rows in zip(own, lists, strict=True) for row in rows}


def _pair(row: ReviewRecord, roots: Mapping[UUID, UUID]) -> frozenset[UUID]:
    """Return what the two entities of a review count as."""
    return frozenset(roots.get(id, id) for id in (row.left_id, row.right_id) if id is not None)


async def forget_reviews(tx: Transaction, nodes: Iterable[Node]) -> None:
    """Delete the reviews about nodes that are deleted, with what the log holds of them; the log keeps that there were some."""
    gone = [row.id for row in await reviews_about(tx, nodes)]
    tx.delete_ids(models.Review, gone)
    tx.redact_log(gone)
    tx.log_batch(ChangeKind.DELETED, [(NodeKind.REVIEW, id) for id in gone])
