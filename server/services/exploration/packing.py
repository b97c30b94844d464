"""One token budget for all that an exploration shows: what matters most comes in first, entry memories before anything else.

What does not fit is left out and counted, and weaker things that do fit come in. A memory whose ways in were all left out is left
out too. Counted is the text of what is shown: of memories title, content, context, keywords and tags; of entities name, type and
description; of relationships their sentence and description; of documents title and uri; of code artifacts title, language,
description, code and tags; of projects name and description; themes and suggested queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from server.ids import NodeKind
from server.services.exploration.graph import Found
from server.services.relationships import sentence
from server.services.tokens import count
from server.store.records import EntityRecord, RelationshipRecord
from server.terms import Reached

__all__ = ["KINDS", "Budget", "Item", "items", "pack"]

KINDS = (
    NodeKind.MEMORY,
    NodeKind.ENTITY,
    NodeKind.PROJECT,
    NodeKind.RELATIONSHIP,
    NodeKind.DOCUMENT,
    NodeKind.CODE_ARTIFACT,
)
NAMES = {kind: kind.name for kind in KINDS}


@dataclass(slots=True)
class Budget:
    """So many tokens, and how many of them are taken."""

    tokens: int
    taken: int = 0

    def takes(self, texts: Iterable[str | None], reserved: int = 0) -> bool:
        """Take the tokens of some texts, unless that would leave fewer than are reserved."""
        wanted = count("\n".join(text for text in texts if text))
        if self.taken + wanted > self.tokens - reserved:
            return False
        self.taken += wanted
        return True


class Item(NamedTuple):
    """Something that may be shown: its row, and how much it matters."""

    kind: NodeKind
    row: Any
    weight: float


@dataclass(slots=True)
class Packed:
    """What is shown, the most important of each kind first, and through which node each memory was reached."""

    kept: dict[NodeKind, dict[UUID, Item]] = field(default_factory=lambda: {kind: {} for kind in KINDS})
    via: dict[UUID, tuple[NodeKind, UUID] | None] = field(default_factory=dict)


def items(found: Found, rows: Mapping[NodeKind, Iterable[Any]], names: Mapping[UUID, EntityRecord]) -> list[Item]:
    """Return what was found as items, the most important first: entry memories, then by weight; ties by what they are called."""
    weights: dict[NodeKind, Callable[[UUID], float]] = {
        NodeKind.MEMORY: lambda one: found.memories[one].weight,
        NodeKind.ENTITY: found.entities.__getitem__,
        NodeKind.RELATIONSHIP: lambda one: found.relationships[one].weight,
        **{kind: weights.__getitem__ for kind, weights in found.attached.items()},
    }
    made = [Item(kind, row, weights[kind](row.id)) for kind in KINDS for row in rows[kind]]
    return sorted(
        made,
        key=lambda one: (
            not _is_entry(found, one),
            round(-one.weight, 6),
            KINDS.index(one.kind),
            _called(one, names),
            one.row.id,
        ),
    )


def _called(item: Item, names: Mapping[UUID, EntityRecord]) -> str:
    if item.kind is NodeKind.RELATIONSHIP:
        return told(item.row, names)
    called: str = item.row.name if item.kind in (NodeKind.ENTITY, NodeKind.PROJECT) else item.row.title
    return called


def _is_entry(found: Found, item: Item) -> bool:
    return item.kind is NodeKind.MEMORY and found.memories[item.row.id].how is Reached.PRIMARY


def pack(
    found: Found, ordered: Iterable[Item], names: Mapping[UUID, EntityRecord], budget: Budget, reserved: int
) -> Packed:
    """Return what fits, leaving so many tokens free; what does not is counted in `found.left_out`."""
    packed = Packed()
    for item in ordered:
        id = item.row.id
        if item.kind is NodeKind.MEMORY:
            origins = found.memories[id].origins
            via = next((origin for origin in origins if origin[1] in packed.kept[origin[0]]), None)
            packed.via[id] = via
            reachable = via is not None or not origins
        else:
            reachable = True
        if reachable and budget.takes(_texts(item, names), reserved):
            packed.kept[item.kind][id] = item
        else:
            found.left_out[NAMES[item.kind], "TOKEN_BUDGET"] += 1
    return packed


def _texts(item: Item, names: Mapping[UUID, EntityRecord]) -> list[str | None]:
    row = item.row
    if item.kind is NodeKind.MEMORY:
        return [row.title, row.content, row.context, *row.keywords, *row.tags]
    if item.kind is NodeKind.ENTITY:
        return [row.name, row.type, row.description]
    if item.kind is NodeKind.RELATIONSHIP:
        return [told(row, names), row.description]
    if item.kind is NodeKind.DOCUMENT:
        return [row.title, row.uri]
    if item.kind is NodeKind.CODE_ARTIFACT:
        return [row.title, row.language, row.description, row.code, *row.tags]
    return [row.name, row.description]


def told(row: RelationshipRecord, names: Mapping[UUID, EntityRecord]) -> str:
    """Return a relationship as a sentence."""
    return sentence(names[row.source_id].name, row.type, names[row.target_id].name)
