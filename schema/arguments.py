"""Arguments that many fields share, each declared and described once."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import strawberry

from server.errors import NotFound
from server.ids import NodeKind, decode_id

First = Annotated[int, strawberry.argument(description="How many nodes the page has at most: 1 to 100.")]
After = Annotated[
    str | None,
    strawberry.argument(description="A cursor of this list, with this order and filter: the page begins behind it."),
]

_NAMES = {
    NodeKind.VOLUME: "volume",
    NodeKind.ENTITY: "entity",
    NodeKind.FACT: "fact",
    NodeKind.RELATIONSHIP: "relationship",
    NodeKind.MEMORY: "memory",
    NodeKind.DOCUMENT: "document",
    NodeKind.CHUNK: "chunk",
    NodeKind.CODE_ARTIFACT: "code artifact",
    NodeKind.PROJECT: "project",
    NodeKind.INGESTION: "ingestion",
    NodeKind.REVIEW: "review item",
    NodeKind.MERGE: "merge",
    NodeKind.UPLOAD: "upload",
}


def id_of(text: str, kind: NodeKind, argument: str) -> UUID:
    """Return the id that an input names.

    Raises:
        NotFound: it is malformed or of another kind of node: as unknown as an id of another volume.
    """
    decoded = decode_id(text)
    if decoded is None or decoded.kind is not kind:
        raise NotFound(f"There is no such {_NAMES[kind]} in this volume.", argument=argument)
    return decoded.id


def ids_of(texts: list[strawberry.ID] | None, kind: NodeKind, argument: str) -> tuple[UUID, ...]:
    """Return the ids that an input names, without repeats.

    Raises:
        NotFound: one is malformed or of another kind of node.
    """
    return tuple(dict.fromkeys(id_of(text, kind, argument) for text in texts or ()))
