"""The interface of everything that has an id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import strawberry

from schema.breadth import attribute
from server.ids import NodeKind, encode_id, encode_ids


@strawberry.interface(description="Something with an id that stays the same for as long as it exists.")
class Node:
    id: strawberry.ID = strawberry.field(
        description="Its id: opaque, the same for good, unlike that of anything else. Give it to `node` to find it again."
    )


def row_id(kind: NodeKind, description: str) -> Any:
    """Declare the id of a node that is made of its row."""

    def read(node: Any) -> str:
        return encode_id(kind, node.row.id)

    def read_all(nodes: Sequence[Any]) -> list[str]:
        return encode_ids(kind, [node.row.id for node in nodes])

    return attribute(read, column=read_all, needs=("row.id",), description=description)
