"""Naming: where a text names what a volume knows, and which things it may mean there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from server.services.retrieval.linking import Linked, named_in_each
from server.store.reader import Reader
from server.store.records import EntityRecord

__all__ = ["Named", "Thing", "names_in"]

_WORDS = 60


class Thing(NamedTuple):
    """An entity as sentences name it."""

    id: UUID
    name: str
    type: str


class Named(NamedTuple):
    """A name at [start, end) of a text, and the entities that it may stand for."""

    start: int
    end: int
    things: tuple[Thing, ...]

    @property
    def ids(self) -> frozenset[UUID]:
        """The entities that it may stand for."""
        return frozenset(thing.id for thing in self.things)


async def names_in(read: Reader, volume: UUID, texts: Sequence[str]) -> list[list[Named]]:
    """Return the names of entities in the first 60 words of each text, in order. A word in lower case beside capitals is one only as it is
    written ("asyncio", not "go"). One statement, and one for each 500 possible names."""
    linked = await named_in_each(read, volume, texts, _WORDS)
    ids = list(dict.fromkeys(id for own in linked for name in own for id in name.entities))
    rows = await read.by_ids(EntityRecord, ids, frozenset({"name", "type"}))
    things = {row.id: Thing(row.id, row.name, row.type) for row in rows if row is not None}
    return [_placed(text, own, things) for text, own in zip(texts, linked, strict=True)]


def _placed(text: str, linked: Sequence[Linked], things: dict[UUID, Thing]) -> list[Named]:
    found, start = [], 0
    cased = any(sign.isupper() for sign in text[1:])
    for name in linked:
        at = text.find(name.name, start)
        small = cased and name.name.islower() and " " not in name.name
        own = tuple(things[id] for id in name.entities if id in things and not (small and things[id].name != name.name))
        if own:
            found.append(Named(at, at + len(name.name), own))
        start = at + len(name.name)
    return found
