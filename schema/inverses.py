"""Types that are asked for by either name: A EMPLOYS B is stored as B WORKS_AT A, and found by both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from schema.context import Info
from server.store.relations import Turned, Types

__all__ = ["turned_types"]


async def turned_types(info: Info, volumes: Sequence[UUID], types: Types | None) -> Turned:
    """Return the types whose inverse is among those that are asked for, as these volumes have set it. At most one statement."""
    if not types:
        return ()
    known = await info.context.inverses(volumes)
    found = {volume: _turned(known[volume].items(), types) for volume in volumes}
    if len(set(found.values())) == 1:
        (names,) = set(found.values())
        return ((None, names),) if names else ()
    return tuple((volume, names) for volume, names in sorted(found.items()) if names)


def _turned(inverses: Iterable[tuple[str, str]], types: Types) -> Types:
    return tuple(sorted(name for name, inverse in inverses if inverse in types))
