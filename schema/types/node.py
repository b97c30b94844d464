"""The interface of everything that has an id."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import strawberry

from schema.breadth import attribute
from server.ids import NodeKind, encode_id, encode_ids
from server.views import View

_view = attrgetter("view")


@strawberry.interface(description="Something with an id that stays the same for as long as it exists.")
class Node:
    id: strawberry.ID = strawberry.field(
        description="Its id: opaque, the same for good, unlike that of anything else. Give it to `node` to find it again. Where the "
        "node was read through a view of its volume (asOf, minConfidence), the id carries that view, and `node` brings both back."
    )
    view: strawberry.Private[View | None] = None
    """The view that it was read through, which what is read of it goes on in; None for the present one."""


def row_id(kind: NodeKind, description: str) -> Any:
    """Declare the id of a node that is made of its row."""

    def read(node: Any) -> str:
        return encode_id(kind, node.row.id, node.view)

    def read_all(nodes: Sequence[Any]) -> list[str]:
        ids = [node.row.id for node in nodes]
        return encode_ids(kind, ids, [node.view for node in nodes] if any(map(_view, nodes)) else None)

    return attribute(read, column=read_all, needs=("row.id",), description=description)
