"""Completion of objects: which type each has, and what is selected of it."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from graphql import (
    GraphQLError,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLUnionType,
    is_abstract_type,
)
from graphql.execution.executor import invalid_return_type_error
from strawberry.schema.schema_converter import GraphQLCoreConverter

from schema.breadth.caught import attempt
from schema.breadth.completion import Column, Completer, Types, Weights, replaced

if TYPE_CHECKING:
    from schema.breadth.fields import Field
    from schema.breadth.plan import Selection
    from schema.breadth.run import Run, Work

__all__ = ["ObjectOf", "definition_of", "possible_types"]

Composite = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType


class ObjectOf(Completer):
    """An object, an interface or a union."""

    def __init__(self, field: Field, required: bool, type_: Composite) -> None:
        super().__init__(field, required)
        self.type = type_
        self.is_abstract = is_abstract_type(type_)
        self._selections: dict[str, Selection] = {}
        self._known: dict[type, GraphQLObjectType | None] = {}

    def selection(self, run: Run, type_: GraphQLObjectType) -> Selection:
        """Return what is selected of objects of a type."""
        found = self._selections.get(type_.name)
        if found is None:
            found = self._selections[type_.name] = run.plan.selection_below(run.executor, self.field, type_)
        return found

    def dense(self, run: Run, values: Column, types: Types, weights: Weights, work: list[Work]) -> list[Any]:
        if isinstance(self.type, GraphQLObjectType) and self.type.is_type_of is None:
            return self._objects(run, self.type, values, weights, work)
        if len(types) == 1 and (known := self._type_of_class(run, next(iter(types)))) is not None:
            return self._objects(run, known, values, weights, work)
        return self._by_type(run, values, weights, work)

    def _type_of_class(self, run: Run, class_: type) -> GraphQLObjectType | None:
        """Return the type that all objects of a class have here, or None where each is to be asked.

        A Strawberry type's own objects are of that type. (One that `strawberry.cast` has marked as another's is not asked.)
        """
        if class_ not in self._known:
            self._known[class_] = _own_type(run, self.type, class_)
        return self._known[class_]

    def _by_type(self, run: Run, values: Column, weights: Weights, work: list[Work]) -> list[Any]:
        out: list[Any] = [None] * len(values)
        parts: dict[GraphQLObjectType, list[int]] = {}
        info = self.field.resolve_info(run)
        for position, value in enumerate(values):
            type_ = attempt(self._type_of, run, info, value)
            if isinstance(type_, Exception):
                out[position] = run.fault(type_)
            else:
                parts.setdefault(type_, []).append(position)
        for type_, positions in parts.items():
            own = [values[position] for position in positions]
            shares = None if weights is None else [weights[position] for position in positions]
            out = replaced(out, positions, self._objects(run, type_, own, shares, work))
        return out

    def _type_of(self, run: Run, info: GraphQLResolveInfo[Any], value: Any) -> GraphQLObjectType:
        """Return the type of one object, as graphql-core finds and tests it."""
        executor, type_ = run.executor, self.type
        if not isinstance(type_, GraphQLObjectType):
            name: Any = (type_.resolve_type or executor.type_resolver)(value, info, type_)
            type_ = executor.ensure_valid_runtime_type(_sync(name), type_, self.field.details, info, value)
        if type_.is_type_of is not None and not _sync(type_.is_type_of(value, info)):
            raise invalid_return_type_error(type_, value, self.field.details)
        return type_

    def _objects(
        self, run: Run, type_: GraphQLObjectType, rows: Column, weights: Weights, work: list[Work]
    ) -> list[Any]:
        try:
            selection = self.selection(run, type_)
        except (GraphQLError, RecursionError) as error:  # of a variable of @skip or @include, or of fragments too deep
            return [run.fault(error) for _ in rows]
        if len(set(map(id, rows))) == len(rows):
            return self._made(run, selection, rows, weights, work)
        distinct = dict(zip(map(id, rows), rows, strict=True))
        counts = dict.fromkeys(distinct, 0)
        for row, weight in zip(rows, weights or [1] * len(rows), strict=True):
            counts[id(row)] += weight
        made = self._made(run, selection, list(distinct.values()), list(counts.values()), work)
        shared = dict(zip(distinct, made, strict=True))
        return [shared[id(row)] for row in rows]

    def _made(
        self, run: Run, selection: Selection, rows: Column, weights: Weights, work: list[Work]
    ) -> list[dict[str, Any]]:
        objects = selection.build(run, rows, weights, work)
        if self.is_abstract:
            run.made_by.update(zip(map(id, objects), [selection] * len(objects), strict=True))
        return objects

    def descend(self, value: Any, path: list[str | int], run: Run) -> Any:
        selection = run.made_by[id(value)] if self.is_abstract else self._selections[self.type.name]
        return selection.settle(value, path, run)


def _own_type(run: Run, type_: Composite, class_: type) -> GraphQLObjectType | None:
    asked = definition_of(type_)
    if getattr(asked, "resolve_type", None) is not None:
        return None
    definition = class_.__dict__.get("__strawberry_definition__")
    if definition is None or definition.is_interface or definition.is_type_of is not None:
        return None
    for possible in possible_types(run, type_):
        if definition_of(possible) is definition:
            return possible
    return None


def definition_of(made: GraphQLField | Composite) -> Any:
    """Return what Strawberry made a field or a type of the schema from, or None where it did not."""
    return made.extensions.get(GraphQLCoreConverter.DEFINITION_BACKREF)


def possible_types(run: Run, type_: Composite) -> Sequence[GraphQLObjectType]:
    """Return the types that an object of a type can have."""
    if isinstance(type_, GraphQLObjectType):
        return [type_]
    return run.executor.schema.get_possible_types(type_)


def _sync(value: Any) -> Any:
    if isawaitable(value):
        close = getattr(value, "close", None)
        if close is not None:
            close()
        raise TypeError("A type test of an object must not be awaitable.")
    return value
