"""Finding any node by its id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from schema.context import Info
from schema.types.document import Chunk, Document, Ingestion
from schema.types.entity import Entity
from schema.types.fact import Fact
from schema.types.memory import Memory
from schema.types.node import Node
from schema.types.project import CodeArtifact, Project
from schema.types.relationship import Relationship
from server.ids import NodeKind
from server.store import records

FOUND: dict[NodeKind, tuple[type[Any], Callable[[Any], Node]]] = {
    NodeKind.ENTITY: (records.EntityRecord, Entity.of),
    NodeKind.FACT: (records.FactRecord, Fact.of),
    NodeKind.RELATIONSHIP: (records.RelationshipRecord, Relationship.of),
    NodeKind.MEMORY: (records.MemoryRecord, Memory.of),
    NodeKind.DOCUMENT: (records.DocumentRecord, Document.of),
    NodeKind.CHUNK: (records.ChunkRecord, Chunk.of),
    NodeKind.CODE_ARTIFACT: (records.CodeArtifactRecord, CodeArtifact.of),
    NodeKind.PROJECT: (records.ProjectRecord, Project.of),
    NodeKind.INGESTION: (records.IngestionRecord, Ingestion.of),
}
"""How each kind of node is read and shown; the volume adds itself, it is made of lists of all of these."""


async def nodes_by_id(info: Info, wanted: Sequence[tuple[NodeKind, UUID] | None]) -> list[Node | None]:
    """Return the nodes with these ids, None for unknown ones. One statement for each kind among them."""
    by_kind: defaultdict[NodeKind, list[UUID]] = defaultdict(list)
    for one in wanted:
        if one is not None and one[0] in FOUND:
            by_kind[one[0]].append(one[1])
    found: dict[tuple[NodeKind, UUID], Node] = {}
    for kind, ids in by_kind.items():
        record, make = FOUND[kind]
        for row in await info.context.store.read.by_ids(record, ids):
            if row is not None:
                found[kind, row.id] = make(row)
    return [None if one is None else found.get(one) for one in wanted]
