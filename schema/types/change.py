"""The change log as clients see it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from schema.breadth import attribute, batched, computed
from schema.context import Info
from schema.lists import behind, bound, columns_of, cursors_of
from schema.nodes import FOUND, nodes_by_id
from schema.pagination import Connection, Counts, check_first
from schema.types.node import Node
from schema.views import seen
from server.ids import GlobalId, NodeKind, encode_id
from server.store.filters import ChangeFilter
from server.store.records import ChangeRecord
from server.terms import ChangeKind
from server.views import View

_LIST = "Volume.changes"
_HALF = 64  # bits of an id: its upper half is the entry's number, its lower half the place in the entry's batch
_MOST = 2**63 - 1
_ENDS = {
    "subject_id": ("subject", NodeKind.ENTITY),
    "source_id": ("source", NodeKind.ENTITY),
    "target_id": ("target", NodeKind.ENTITY),
    "survivor_id": ("survivor", NodeKind.ENTITY),
    "superseded_by_id": ("supersededBy", NodeKind.MEMORY),
}


def shown(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return logged columns under the names, and ids in the form, that clients know."""
    found: dict[str, Any] = {}
    for column, value in fields.items():
        if column in _ENDS:
            name, kind = _ENDS[column]
            found[name] = None if value is None else encode_id(kind, UUID(value))
        else:
            first, *rest = column.split("_")
            found[first + "".join(word.capitalize() for word in rest)] = value
    return found


def _id(change: Change) -> str:
    return encode_id(NodeKind.CHANGE, UUID(int=change.row.seq << _HALF | change.place), change.view)


def _before(change: Change) -> JSON | None:
    return None if change.row.before is None else JSON(shown(change.row.before))


def _after(change: Change) -> JSON | None:
    return None if change.row.after is None else JSON(shown(change.row.after))


def _about(change: Change) -> GlobalId | None:
    row = change.row
    if row.batch is not None:
        kind, id = row.batch[change.place]
        return GlobalId(NodeKind(kind), UUID(id), change.view)
    if row.node_kind is None or row.node_id is None:
        return None
    return GlobalId(NodeKind(row.node_kind), row.node_id, change.view)


@strawberry.type(description="An entry of the change log: something that was written, and by whom.")
class Change(Node):
    id: strawberry.ID = attribute(_id, needs=("row.seq",), description="The entry's id.")
    kind: ChangeKind = attribute("row.kind", description="What happened to the node.")
    before: JSON | None = attribute(
        _before,
        needs=("row.before",),
        description="The fields that changed, as they were. Null for what was made or deleted, and after redaction.",
    )
    after: JSON | None = attribute(
        _after,
        needs=("row.after",),
        description="The fields that changed, as they became. Null for what was imported or deleted, and after redaction.",
    )
    actor: str = attribute("row.actor", description="Who did it.")
    at: datetime = attribute("row.at", description="When it was written; later entries have later instants.")
    row: strawberry.Private[ChangeRecord]
    place: strawberry.Private[int]
    """Which of the nodes of a bulk entry it is about, from 0."""

    @staticmethod
    def of(row: ChangeRecord, place: int) -> Change:
        return Change(row=row, place=place)

    @computed(
        needs=("row.seq",),
        description="Its place in the whole log of its volume; opaque. Give it as `after` to `changes` without a filter.",
    )
    def cursor(self, info: Info) -> str:
        place, bound_to = (self.row.seq, self.place), bound(_LIST, ChangeFilter(), view=self.view)
        return cursors_of(info, bound_to).of(place)

    @batched(
        needs=("row.batch", "row.node_kind", "row.node_id"),
        description="The node that was written; null once it is deleted, and where it was not yet known in the view.",
    )
    @staticmethod
    async def node(parents: list[Change], info: Info) -> list[Node | None]:
        return await nodes_by_id(info, [_about(change) for change in parents])


async def changes_of(
    info: Info, volumes: list[UUID], view: View | None, filter: ChangeFilter, first: int, after: str | None
) -> list[Connection[Change]]:
    """Return each volume's page of the log, not yet counted. One statement, a second for the totals."""
    read, bound_to = info.context.store.read, bound(_LIST, filter, view=view)
    start = behind(info, after, bound_to)
    place = None if start is None else (int(str(start[0])), int(str(start[1])))
    columns = columns_of(info, ("nodes",), ("edges", "node"))
    found = await read.changes(volumes, filter, check_first(first), place, columns)
    totals, cursors = Counts(lambda: read.count_changes(volumes, filter)), cursors_of(info, bound_to)
    return [
        Connection(
            nodes=[seen(Change.of(row, n), view) for row, n in page.rows],
            keys=[(row.seq, n) for row, n in page.rows],
            cursors=cursors,
            has_next=page.has_next,
            has_previous=after is not None,
            counts=totals,
            position=position,
        )
        for position, page in enumerate(found)
    ]


async def entries_by_id(info: Info, ids: list[UUID], view: View | None) -> list[Node | None]:
    """Return the log's entries with these ids, None for unknown ones. One statement."""
    places = [(id.int >> _HALF, id.int & (1 << _HALF) - 1) for id in ids]
    rows = await info.context.store.read.changes_numbered({seq for seq, _ in places if seq <= _MOST})
    found = {row.seq: row for row in rows}
    return [
        seen(Change.of(found[seq], place), view) if seq in found and place < found[seq].size else None
        for seq, place in places
    ]


FOUND[NodeKind.CHANGE] = entries_by_id
