"""Views in a level: its parents mostly have one, so a level is one read; those of several are read view by view.

What is read through a view carries it on, so that everything that is reached from a volume stays in that volume's view.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from operator import attrgetter
from typing import Any, Protocol, TypeVar

from server.views import View

__all__ = ["Seen", "by_view", "places_by_view", "seen"]

T = TypeVar("T")
_view = attrgetter("view")


class Seen(Protocol):
    """What was read through a view."""

    view: View | None


SeenT = TypeVar("SeenT", bound=Seen)


def seen(one: SeenT, view: View | None) -> SeenT:
    """Return something just made, marked as read through a view."""
    if view is not None:
        one.view = view
    return one


def places_by_view(parents: Sequence[Seen]) -> dict[View | None, Sequence[int]]:
    """Return the places of a level's parents by their views."""
    if not any(map(_view, parents)):
        return {None: range(len(parents))}
    places: dict[View | None, list[int]] = {}
    for place, parent in enumerate(parents):
        places.setdefault(parent.view, []).append(place)
    return dict(places)


async def by_view(
    parents: Sequence[SeenT], read: Callable[[Sequence[SeenT], View | None], Awaitable[Sequence[T]]]
) -> list[T]:
    """Return what `read` answers for each parent: one call for the parents of each view, mostly one for all."""
    places = places_by_view(parents)
    if len(places) == 1:
        return list(await read(parents, next(iter(places))))
    found: dict[int, Any] = {}
    for view, own in places.items():
        found.update(zip(own, await read([parents[place] for place in own], view), strict=True))
    return [found[place] for place in range(len(parents))]
