"""Finding any node by its id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from schema.context import Info
from schema.lists import columns_of
from schema.types.conflict import Conflict
from schema.types.document import Chunk, Document, Ingestion
from schema.types.entity import Entity
from schema.types.fact import Fact
from schema.types.memory import Memory
from schema.types.merge import EntityMerge
from schema.types.node import Node
from schema.types.project import CodeArtifact, Project
from schema.types.relationship import Relationship
from schema.views import seen
from server.ids import GlobalId, NodeKind
from server.store import records
from server.store.statements import Record
from server.views import View

Find = Callable[[Info, list[UUID], View | None], Awaitable[list[Node | None]]]


def rows_of(record: type[Record], make: Callable[[Record], Node], *, leads: str | None = None) -> Find:
    """Return how to find nodes that are rows of a table, each shown by `make`, in a view.

    A row whose column `leads` names another one is shown as that: one more statement, where there is such a row. One that names itself
    is not shown.
    """
    always = frozenset() if leads is None else frozenset({leads})

    async def find(info: Info, ids: list[UUID], view: View | None) -> list[Node | None]:
        read, columns = info.context.store.read, columns_of(info, (), always=always)
        rows = await read.by_ids(record, ids, columns, view)
        if leads is not None:
            next_ids = [None if row is None else getattr(row, leads) for row in rows]
            others = await read.by_ids(record, [id for id in next_ids if id is not None], columns, view)
            shown = {row.id: row for row in others if row is not None and getattr(row, leads) is None}  # type: ignore[attr-defined]
            rows = [row if id is None else shown.get(id) for row, id in zip(rows, next_ids, strict=True)]
        return [None if row is None else seen(make(row), view) for row in rows]

    return find


FOUND: dict[NodeKind, Find] = {
    NodeKind.ENTITY: rows_of(records.EntityRecord, Entity.of, leads="merged_into"),
    NodeKind.FACT: rows_of(records.FactRecord, Fact.of, leads="folded_into"),
    NodeKind.RELATIONSHIP: rows_of(records.RelationshipRecord, Relationship.of, leads="folded_into"),
    NodeKind.MERGE: rows_of(records.MergeRecord, EntityMerge.of),
    NodeKind.MEMORY: rows_of(records.MemoryRecord, Memory.of),
    NodeKind.DOCUMENT: rows_of(records.DocumentRecord, Document.of),
    NodeKind.CHUNK: rows_of(records.ChunkRecord, Chunk.of),
    NodeKind.CODE_ARTIFACT: rows_of(records.CodeArtifactRecord, CodeArtifact.of),
    NodeKind.PROJECT: rows_of(records.ProjectRecord, Project.of),
    NodeKind.INGESTION: rows_of(records.IngestionRecord, Ingestion.of),
    NodeKind.CONFLICT: rows_of(records.ConflictRecord, Conflict.of),
}
"""How each kind of node is found; the volume and the log's entry, which are made of these, add themselves."""


async def nodes_by_id(info: Info, wanted: Sequence[GlobalId | None]) -> list[Node | None]:
    """Return the nodes with these ids in the views that they carry, None for unknown ones.

    One statement for each kind and view among them.
    """
    by_kind: defaultdict[tuple[NodeKind, View | None], list[UUID]] = defaultdict(list)
    for one in wanted:
        if one is not None and one.kind in FOUND:
            by_kind[one.kind, one.view].append(one.id)
    found: dict[GlobalId, Node | None] = {}
    for (kind, view), ids in by_kind.items():
        nodes = await FOUND[kind](info, ids, view)
        found.update(zip((GlobalId(kind, id, view) for id in ids), nodes, strict=True))
    return [None if one is None else found.get(one) for one in wanted]
