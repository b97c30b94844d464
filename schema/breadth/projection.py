"""Column projection: which attributes of its results a batched field's selection reads, for a function that reads wide rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from graphql import GraphQLError

from schema.breadth.completion import Completer, ListOf
from schema.breadth.objects import ObjectOf

if TYPE_CHECKING:
    from schema.breadth.fields import Field
    from schema.breadth.run import Run

__all__ = ["occurrences", "selected"]


def selected(info: Any, *through: str) -> frozenset[str] | None:
    """Return the names of the GraphQL fields that this request asks of the results of a batched field.

    `through` goes down by fields first: `selected(info, "nodes")` of a connection. None where that is not known: under
    the ordinary executor, which calls one function for several selections.
    """
    known = getattr(info, "_breadth", None)
    if known is None:
        return None
    run, field = cast("tuple[Run, Field]", known)
    if through not in field.selected:
        field.selected[through] = _names(run, _object(field.completer), through)
    return field.selected[through]


def _fields(run: Run, object_: ObjectOf, type_: Any) -> Sequence[Field]:
    try:
        return object_.selection(run, type_).fields
    except GraphQLError:  # it becomes the error of the objects, if there are any
        return ()


def occurrences(info: Any) -> Sequence[int] | None:
    """Return how often each parent of a batched field's call stands in the answer; None where each stands there once.

    Equal parents are passed once, and what is answered for them is shared.
    """
    return cast("Sequence[int] | None", getattr(info, "_weights", None))


def _object(completer: Completer) -> ObjectOf | None:
    while isinstance(completer, ListOf):
        completer = completer.item
    return completer if isinstance(completer, ObjectOf) else None


def _names(run: Run, object_: ObjectOf | None, through: tuple[str, ...]) -> frozenset[str]:
    if object_ is None:
        return frozenset()
    schema, type_ = run.executor.schema, object_.type
    possible = schema.get_possible_types(cast("Any", type_)) if object_.is_abstract else [type_]
    found: set[str] = set()
    for one in possible:
        for field in _fields(run, object_, one):
            if not through:
                found.add(field.name)
            elif field.name == through[0]:
                found |= _names(run, _object(field.completer), through[1:])
    return frozenset(found)
