"""Plans: what an operation selects of each type, worked out once and kept for the operation's document.

A plan belongs to one operation and one outcome of the variables of its @skip and @include. Selections below the root are made when
an object of their type is first met.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphql import GraphQLObjectType
from graphql.execution.collect_fields import FieldDetailsList, collect_fields, collect_subfields
from graphql.pyutils import Path

from schema.breadth.fields import Field
from schema.breadth.run import Run, Unready, Work

if TYPE_CHECKING:
    from schema.breadth.completion import Weights
    from schema.breadth.executor import BreadthFirst

__all__ = ["Plan", "Selection"]

Make = Callable[..., list[dict[str, Any]]]


class Selection:
    """The fields that are selected of one type, in the order of the answer."""

    def __init__(
        self, executor: Any, type_: GraphQLObjectType, grouped: dict[str, FieldDetailsList], above: Path | None
    ) -> None:
        self.typename = type_.name
        known = ((key, details) for key, details in grouped.items() if _exists(executor, type_, details))
        self.fields = [Field(executor, key, details, type_, above) for key, details in known]
        self._now = [field for field in self.fields if field.read is not None]
        self._later = [field for field in self.fields if field.read is None and not field.is_typename]
        self._make: Make = _maker(_source(self.fields, self.typename))

    def build(self, run: Run, rows: Sequence[Any], weights: Weights, work: list[Work]) -> list[dict[str, Any]]:
        """Return an object for each row; fields that are resolved later are added to `work`."""
        run.spend((len(rows) if weights is None else sum(weights)) * len(self.fields))
        unready: list[tuple[Field, Sequence[Any]]] = []
        columns = []
        for field in self._now:
            try:
                columns.append(field.completer.complete(run, field.column(rows), weights, work))
            except Unready as found:
                columns.append([None] * len(rows))
                unready.append((field, found.column))
        objects = self._make(len(rows), *columns)
        work += [Work(field, rows, objects, weights, values) for field, values in unready]
        work += [Work(field, rows, objects, weights) for field in self._later]
        return objects

    def settle(self, value: dict[str, Any], path: list[str | int], run: Run) -> dict[str, Any]:
        """Return a copy of an object with the errors inside located and their nulls in place."""
        return {field.key: field.completer.settle(value[field.key], [*path, field.key], run) for field in self.fields}


class Plan:
    """What one operation selects, from its root."""

    def __init__(self, executor: BreadthFirst, root: GraphQLObjectType) -> None:
        collected = collect_fields(
            executor.schema,
            executor.fragments,
            executor.variable_values,
            root,
            executor.operation,
            executor.hide_suggestions,
        )
        self.root = Selection(executor, root, collected.grouped_field_set, None)

    def selection_below(self, executor: BreadthFirst, field: Field, type_: GraphQLObjectType) -> Selection:
        """Return what is selected of objects of a type that a field answers."""
        collected = collect_subfields(
            executor.schema,
            executor.fragments,
            executor.variable_values,
            executor.operation,
            type_,
            field.details,
            executor.hide_suggestions,
        )
        return Selection(executor, type_, collected.grouped_field_set, field.path)


def _exists(executor: Any, type_: GraphQLObjectType, details: FieldDetailsList) -> bool:
    return executor.schema.get_field(type_, details[0].node.name.value) is not None


def _source(fields: Sequence[Field], typename: str) -> str:
    """Return the source of a function from the number of objects and their columns to the objects.

    The literal of a dict is made three times faster than any call makes one. Keys are names of GraphQL, so nothing in
    the source comes from a client as anything but letters, figures and underscores.
    """
    columns = [f"x{n}" for n, field in enumerate(fields) if field.read is not None]
    items = ",".join(
        f"{field.key!r}:" + (f"x{n}" if field.read is not None else repr(typename) if field.is_typename else "None")
        for n, field in enumerate(fields)
    )
    if not columns:
        return f"lambda n: [{{{items}}} for _ in range(n)]"
    if len(columns) == 1:
        return f"lambda n, c: [{{{items}}} for {columns[0]} in c]"
    return f"lambda n, *c: [{{{items}}} for {','.join(columns)} in zip(*c)]"


@lru_cache(2048)
def _maker(source: str) -> Make:
    made: Make = eval(source)
    return made
