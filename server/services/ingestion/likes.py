"""What a document's new entities look like: each is compared with the known ones and with each other, and a person is asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from server.services.duplicates import Seen, among, candidates
from server.services.likeness import Look
from server.services.reading import NamedThing
from server.services.reviews import open_reviews
from server.store import Transaction

__all__ = ["propose_likes"]

_MOST = 500


async def propose_likes(
    tx: Transaction,
    fresh: Mapping[UUID, Sequence[NamedThing]],
    *,
    edges: Iterable[tuple[UUID, UUID]],
    gone: Collection[UUID],
) -> None:
    """Ask whether new entities are ones that they look like. `edges` are the ends of what the document ties together, `gone` the
    entities that go with it.

    Costs one statement, at most six where something is alike; of a document with more than 500 new entities the first are
    compared.
    """
    near: dict[UUID, set[UUID]] = {}
    for one, other in edges:
        near.setdefault(one, set()).add(other)
        near.setdefault(other, set()).add(one)
    sought = [Seen(id, _look(things, near.get(id, set()))) for id, things in list(fresh.items())[:_MOST]]
    if not sought:
        return
    found = await candidates(tx.read, tx.volume_id, sought)
    stored = [candidate for own in found for candidate in own if candidate.other.id not in gone]
    await open_reviews(tx, [candidate.question for candidate in (*among(sought), *stored)])


def _look(things: Sequence[NamedThing], neighbours: set[UUID]) -> Look:
    first = things[0]
    names = dict.fromkeys(name for thing in things for name in (thing.name, *thing.aliases))
    return Look(
        name=first.name,
        aliases=tuple(name for name in names if name != first.name),
        type=first.type,
        stated=any(thing.stated for thing in things),
        description=next((thing.description for thing in things if thing.description is not None), None),
        neighbours=neighbours,
    )
