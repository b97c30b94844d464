"""What a batched field's function may know of the operation around it: what is asked of its results, and how often its parents stand
in the answer. Under the ordinary executor, where one call serves several selections, it knows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from graphql import GraphQLError

from schema.breadth.completion import Completer, ListOf
from schema.breadth.objects import ObjectOf, possible_types

if TYPE_CHECKING:
    from schema.breadth.fields import Field
    from schema.breadth.run import Run

__all__ = ["needed", "occurrences", "remembered", "selected"]

T = TypeVar("T")


def needed(info: Any, *through: str) -> frozenset[str] | None:
    """Return the attributes of its results that the operation reads, as the fields declare them; None: any of them may be.

    `through` goes down by fields first: `needed(info, "edges", "node")` is of a connection's nodes.
    """
    found: set[str] = set()
    for run, field in _asking(info):
        known = _known(field, ("needs", *through), lambda: _needs(run, _object(field.completer), through))  # noqa: B023
        if known is None:
            return None
        found |= known
    return frozenset(found) if _asking(info) else None


def selected(info: Any, *through: str) -> frozenset[str] | None:
    """Return the names of the fields that the operation asks of its results, going down `through` fields first, or None."""
    found: set[str] = set()
    for run, field in _asking(info):
        found |= _known(field, ("names", *through), lambda: _names(run, _object(field.completer), through)) or set()  # noqa: B023
    return frozenset(found) if _asking(info) else None


def remembered(info: Any, key: Hashable, find: Callable[[], T]) -> T:
    """Return what `find` works out from what is needed and selected, and from that alone: once for a field of a plan, under `key`."""
    asking = _asking(info)
    if len(asking) != 1:
        return find()
    known: dict[Any, Any] = asking[0][1].known_below
    if key not in known:
        known[key] = find()
    found: T = known[key]
    return found


def occurrences(info: Any) -> Sequence[int] | None:
    """Return how often each parent of a batched field's call stands in the answer; None where each stands there once.

    Equal parents are passed once, and what is answered for them is shared.
    """
    return cast("Sequence[int] | None", getattr(info, "_weights", None))


def _asking(info: Any) -> Sequence[tuple[Run, Field]]:
    asking: Sequence[tuple[Run, Field]] = getattr(info, "_breadth", ())
    return asking


def _known(field: Field, key: tuple[str, ...], find: Any) -> frozenset[str] | None:
    known: dict[Any, frozenset[str] | None] = field.known_below
    if key not in known:
        known[key] = find()
    return known[key]


def _object(completer: Completer) -> ObjectOf | None:
    while isinstance(completer, ListOf):
        completer = completer.item
    return completer if isinstance(completer, ObjectOf) else None


def _fields(run: Run, object_: ObjectOf) -> Sequence[Field]:
    try:
        return [field for one in possible_types(run, object_.type) for field in object_.selection(run, one).fields]
    except (GraphQLError, RecursionError):  # it becomes the error of the objects, if there are any
        return ()


def _names(run: Run, object_: ObjectOf | None, through: tuple[str, ...]) -> frozenset[str]:
    fields = [] if object_ is None else _fields(run, object_)
    if not through:
        return frozenset(field.name for field in fields)
    below = [_names(run, _object(field.completer), through[1:]) for field in fields if field.name == through[0]]
    return frozenset().union(*below)


def _needs(run: Run, object_: ObjectOf | None, through: tuple[str, ...]) -> frozenset[str] | None:
    fields = [] if object_ is None else _fields(run, object_)
    if through:
        found = [_needs(run, _object(one.completer), through[1:]) for one in fields if one.name == through[0]]
    else:
        found = [one.needs for one in fields]
    return None if None in found else frozenset().union(*(one for one in found if one is not None))
