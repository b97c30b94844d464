"""An exploration from its query to its answer: where it begins, what is around that, what of it fits, what it says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from server.ids import NodeKind
from server.services.exploration.entering import Asked, enter
from server.services.exploration.expanding import expand
from server.services.exploration.graph import Found
from server.services.exploration.packing import Budget, Packed, items, pack
from server.services.exploration.telling import suggested, themes
from server.services.omissions import Omission, counted
from server.services.retrieval.searching import Searcher
from server.store.reader import Reader
from server.store.records import (
    CodeArtifactRecord,
    DocumentRecord,
    EntityRecord,
    MemoryRecord,
    ProjectRecord,
    RelationshipRecord,
)
from server.terms import Reached

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Exploration", "FoundEntity", "FoundMemory", "explore"]

_RESERVED = 8
"""An eighth of the budget, at most 400 tokens, is kept for themes and suggested queries."""


class FoundMemory(NamedTuple):
    """A memory, how it was reached, in how many hops, how much it matters (1: the best), and the node that led to it."""

    row: MemoryRecord
    how: Reached
    hops: int
    score: float
    via: tuple[NodeKind, UUID] | None


class FoundEntity(NamedTuple):
    """An entity, and how many believed relationships and memories that are not obsolete it has in all."""

    row: EntityRecord
    relationships: int
    memories: int


class Exploration(NamedTuple):
    """What was found, the most important of each kind first. `names` are the entities at the ends of relationships too."""

    memories: list[FoundMemory]
    entities: list[FoundEntity]
    relationships: list[RelationshipRecord]
    documents: list[DocumentRecord]
    code_artifacts: list[CodeArtifactRecord]
    projects: list[ProjectRecord]
    names: dict[UUID, EntityRecord]
    themes: list[str]
    suggested: list[str]
    tokens: int
    truncated: bool
    omitted: list[Omission]


async def explore(read: Reader, searcher: Searcher, asked: Asked, vector: NDArray[np.float32]) -> Exploration:
    """Return what is known around a query whose meaning is `vector`, within the budget of tokens.

    Each node stands once, each relationship between entities that were found is kept, cycles end at what was visited. Costs one or two
    searches and at most 16 statements, whatever the width.

    Raises:
        UpstreamUnavailable: the vector index does not answer.
    """
    found = await expand(read, asked, await enter(read, searcher, asked, vector))
    rows, names = await _rows(read, found)
    budget = Budget(asked.budget)
    packed = pack(found, items(found, rows, names), names, budget, min(400, asked.budget // _RESERVED))
    shown = _fitting(found, "THEME", themes(found, packed), budget)
    questions = _fitting(found, "SUGGESTED_QUERY", suggested(asked.query, shown, packed, names), budget)
    return _exploration(found, packed, names, shown, questions, budget)


async def _rows(read: Reader, found: Found) -> tuple[dict[NodeKind, list[Any]], dict[UUID, EntityRecord]]:
    """Return the rows of what was found, by kind, and of all entities at ends of relationships. Five statements.

    What was deleted meanwhile is left out.
    """
    edges = [one.row for one in found.relationships.values()]
    ends = (id for edge in edges for id in (edge.source_id, edge.target_id))
    everyone = await read.by_ids(EntityRecord, list(dict.fromkeys([*found.entities, *ends])))
    names = {row.id: row for row in everyone if row is not None and row.merged_into is None}
    memories = await read.by_ids(MemoryRecord, list(found.memories))
    attached = {
        kind: await read.by_ids(record, list(found.attached[kind]))
        for kind, record in (
            (NodeKind.DOCUMENT, DocumentRecord),
            (NodeKind.CODE_ARTIFACT, CodeArtifactRecord),
            (NodeKind.PROJECT, ProjectRecord),
        )
    }
    rows: dict[NodeKind, list[Any]] = {
        NodeKind.MEMORY: [row for row in memories if row is not None and not row.obsolete],
        NodeKind.ENTITY: [names[id] for id in found.entities if id in names],
        NodeKind.RELATIONSHIP: [edge for edge in edges if edge.source_id in names and edge.target_id in names],
        **{kind: [row for row in found_rows if row is not None] for kind, found_rows in attached.items()},
    }
    return rows, names


def _fitting(found: Found, kind: str, texts: Iterable[str], budget: Budget) -> list[str]:
    """Return those of some texts that fit, and count the others."""
    kept = []
    for text in texts:
        if budget.takes([text]):
            kept.append(text)
        else:
            found.left_out[kind, "TOKEN_BUDGET"] += 1
    return kept


def _exploration(
    found: Found,
    packed: Packed,
    names: Mapping[UUID, EntityRecord],
    shown: list[str],
    questions: list[str],
    budget: Budget,
) -> Exploration:
    def rows(kind: NodeKind) -> list[Any]:
        return [item.row for item in packed.kept[kind].values()]

    traces = found.memories
    order = list(Reached)
    memories = [
        FoundMemory(row, traces[row.id].how, traces[row.id].hops, traces[row.id].weight, packed.via[row.id])
        for row in sorted(rows(NodeKind.MEMORY), key=lambda row: order.index(traces[row.id].how))
    ]
    entities = [
        FoundEntity(row, found.relationship_counts.get(row.id, 0), found.memory_counts.get(row.id, 0))
        for row in rows(NodeKind.ENTITY)
    ]
    return Exploration(
        memories,
        entities,
        rows(NodeKind.RELATIONSHIP),
        rows(NodeKind.DOCUMENT),
        rows(NodeKind.CODE_ARTIFACT),
        rows(NodeKind.PROJECT),
        dict(names),
        shown,
        questions,
        budget.taken,
        any(reason == "TOKEN_BUDGET" and number for (_, reason), number in found.left_out.items()),
        counted(found.left_out),
    )
