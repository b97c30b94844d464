"""Completion by column: all values of a field at one level become what is answered, by the type that the schema gives it.

A completer takes values of which some may be null, exceptions or marks of errors, and answers as many; what it costs depends on
the number of types among them, not on the number of values, wherever a type needs no conversion. `settle` is the second walk,
made only where an error occurred: it locates the errors in the answer's order and carries nulls upwards as the specification says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from inspect import isawaitable
from itertools import chain
from operator import mul
from typing import TYPE_CHECKING, Any, cast

from graphql import (
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLError,
    GraphQLFloat,
    GraphQLID,
    GraphQLInt,
    GraphQLLeafType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLOutputType,
    GraphQLString,
    is_leaf_type,
    located_error,
)
from graphql.pyutils import Undefined, inspect, is_iterable

from schema.breadth.caught import Caught
from schema.breadth.concurrency import side_by_side
from schema.breadth.run import NOTHING, Fault, Unready

if TYPE_CHECKING:
    from schema.breadth.fields import Field
    from schema.breadth.run import Run, Work

__all__ = ["Column", "Completer", "Leaf", "ListOf", "Types", "Weights", "completer_of", "replaced"]

Column = Sequence[Any]
Types = set[type]
Weights = Sequence[int] | None
_INT = range(-(2**31), 2**31)


class Completer:
    """Completes the values of one type in one place of a query. `required`: the type is non-null."""

    def __init__(self, field: Field, required: bool) -> None:
        self.field = field
        self.required = required

    def complete(self, run: Run, values: Column, weights: Weights, work: list[Work]) -> list[Any]:
        """Return what is answered of each value, null where there is none and a Fault where it is an error.

        What has to be resolved below is added to `work`.

        Raises:
            Unready: a value is awaitable; nothing was changed that a second call would not do again.
        """
        types = set(map(type, values))
        if not _is_mixed(types, values):
            return self.dense(run, values, types, weights, work)
        out, kept = self._set_apart(run, values)
        if kept:
            dense = [values[position] for position in kept]
            shares = None if weights is None else [weights[position] for position in kept]
            try:
                done = self.dense(run, dense, set(map(type, dense)), shares, work)
            except Unready as unready:
                raise Unready(replaced(values, kept, unready.column)) from None
            out = replaced(out, kept, done)
        return out

    def dense(self, run: Run, values: Column, types: Types, weights: Weights, work: list[Work]) -> list[Any]:
        """Complete values of which none is null or an error; `types` are their classes."""
        raise NotImplementedError

    def _set_apart(self, run: Run, values: Column) -> tuple[list[Any], list[int]]:
        """Return the column with only its nulls and errors, and the positions of the rest."""
        out: list[Any] = [None] * len(values)
        kept = []
        for position, value in enumerate(values):
            if value is None or value is Undefined:
                if self.required:
                    out[position] = run.fault(self._null())
            elif isinstance(value, Exception):
                out[position] = run.fault(value)
            elif value.__class__ is Fault:
                out[position] = value
            else:
                kept.append(position)
        return out, kept

    def _null(self) -> TypeError:
        return TypeError(f"Cannot return null for non-nullable field {self.field.parent}.{self.field.name}.")

    def settle(self, value: Any, path: list[str | int], run: Run) -> Any:
        """Return the completed value with its errors located and their nulls in place.

        Raises:
            GraphQLError: the value is an error, or holds one that no nullable place below keeps, and may not be null itself.
        """
        try:
            if value.__class__ is Fault:
                raise located_error(value.error, self.field.nodes, path)
            return None if value is None else self.descend(value, path, run)
        except GraphQLError as error:
            if self.required:
                raise
            run.errors.append(error)
            return None

    def descend(self, value: Any, path: list[str | int], run: Run) -> Any:
        """Settle what is inside a value."""
        return value


class Leaf(Completer):
    """A scalar or an enum."""

    def __init__(self, field: Field, required: bool, type_: GraphQLLeafType) -> None:
        super().__init__(field, required)
        self._type = type_
        self._is_text = type_ is GraphQLString or type_ is GraphQLID
        self._as_it_is = _AS_IT_IS.get(type_.name) if type_ in _BUILT_IN else None

    def dense(self, run: Run, values: Column, types: Types, weights: Weights, work: list[Work]) -> list[Any]:
        if self._is_text and all(issubclass(one, str) for one in types):
            run.spend(0, _characters(values, weights))
            return cast("list[Any]", values)
        if len(types) == 1 and self._as_it_is is not None and self._as_it_is(next(iter(types)), values):
            return cast("list[Any]", values)
        done = self._coerced(run, values, types)
        run.spend(0, _characters([one if isinstance(one, str) else repr(one) for one in done], weights))
        return done

    def _coerced(self, run: Run, values: Column, types: Types) -> list[Any]:
        if isinstance(self._type, GraphQLEnumType):
            if types == {str}:
                return self._once(run, values, values)
            if all(issubclass(one, Enum) for one in types):
                return self._once(run, list(map(id, values)), values)
        return self._each(run, values)

    def _once(self, run: Run, keys: Column, values: Column) -> list[Any]:
        """Return what `_each` does, coercing once what has equal keys."""
        distinct = dict(zip(keys, values, strict=True))
        done = dict(zip(distinct, self._each(run, distinct.values()), strict=True))
        return [done[key] for key in keys]

    def _each(self, run: Run, values: Iterable[Any]) -> list[Any]:
        coerce = self._type.coerce_output_value
        done = []
        for value in values:
            with Caught() as caught:
                coerced = coerce(value)
                if coerced is None or coerced is Undefined:
                    raise self._coerced_to_nothing(value, coerced)
            done.append(coerced if caught.error is None else run.fault(caught.error))
        return done

    def _coerced_to_nothing(self, value: Any, coerced: Any) -> TypeError:
        call = f"`{inspect(self._type)}.coerce_output_value({inspect(value)})`"
        return TypeError(f"Expected {call} to return non-nullable value, returned: {inspect(coerced)}")


class ListOf(Completer):
    """A list; the items of all lists of the column are completed as one column."""

    def __init__(self, field: Field, required: bool, item: Completer) -> None:
        super().__init__(field, required)
        self.item = item

    def dense(self, run: Run, values: Column, types: Types, weights: Weights, work: list[Work]) -> list[Any]:
        faults: dict[int, Fault] = {}
        lists = values if types == {list} else self._lists(run, values, faults)
        items = list(chain.from_iterable(lists))
        shares = None
        if weights is not None:
            shares = [w for w, own in zip(weights, lists, strict=True) for _ in own]
        number = len(items) if shares is None else sum(shares)
        run.spend(number)
        try:
            done = self.item.complete(run, items, shares, work) if items else items
        except Unready as unready:
            run.spend(-number)  # the column comes again
            raise Unready(_cut(unready.column, lists, faults)) from None
        return _cut(done, lists, faults)

    def _lists(self, run: Run, values: Column, faults: dict[int, Fault]) -> list[list[Any]]:
        lists: list[list[Any]] = []
        for position, value in enumerate(values):
            if hasattr(value, "__aiter__"):
                read = [faults.get(index, own) for index, own in enumerate(lists)]
                raise Unready([*read, *values[position:]])
            with Caught() as caught:
                if not is_iterable(value):
                    where = f"{self.field.parent}.{self.field.name}"
                    raise GraphQLError(f"Expected Iterable, but did not find one for field '{where}'.")
                lists.append(list(value))
            if caught.error is not None:
                faults[position] = run.fault(caught.error)
                lists.append([])
        return lists

    def descend(self, value: Any, path: list[str | int], run: Run) -> Any:
        settle = self.item.settle
        return [settle(item, [*path, index], run) for index, item in enumerate(value)]


def completer_of(
    type_: GraphQLOutputType, field: Field, composite: Callable[[Field, bool, Any], Completer], required: bool = False
) -> Completer:
    """Return the completer of a type; `composite` makes those of objects, interfaces and unions."""
    if isinstance(type_, GraphQLNonNull):
        return completer_of(type_.of_type, field, composite, True)
    if isinstance(type_, GraphQLList):
        return ListOf(field, required, completer_of(type_.of_type, field, composite))
    if is_leaf_type(type_):
        return Leaf(field, required, type_)
    return composite(field, required, type_)


async def awaited(value: Any, completer: Completer) -> Any:
    """Return a value with itself, and the items of its lists, awaited; an error that is met stands in its place."""
    with Caught() as caught:
        while isawaitable(value):
            value = await value
        if not isinstance(completer, ListOf) or value is None or isinstance(value, Exception):
            return value
        if hasattr(value, "__aiter__"):
            value = [item async for item in value]
        elif not is_iterable(value):
            return value
        return await side_by_side(awaited(item, completer.item) for item in value)
    return caught.error


def replaced(column: Column, positions: Sequence[int], values: Column) -> list[Any]:
    """Return a copy of a column with other values in some positions."""
    out = list(column)
    for position, value in zip(positions, values, strict=True):
        out[position] = value
    return out


def _is_mixed(types: Types, values: Column) -> bool:
    mixed = False
    for one in types:
        if one in NOTHING or one is Fault or issubclass(one, Exception):
            mixed = True
        elif hasattr(one, "__await__"):
            raise Unready(values)
    return mixed


def _cut(done: Column, lists: Column, faults: dict[int, Fault]) -> list[Any]:
    """Cut a column of items into the lists that they came from."""
    out: list[Any] = []
    start = 0
    for own in lists:
        end = start + len(own)
        out.append(list(done[start:end]))
        start = end
    for position, fault in faults.items():
        out[position] = fault
    return out


def _characters(texts: Column, weights: Weights) -> int:
    if weights is None:
        return sum(map(len, texts))
    return sum(map(mul, map(len, texts), weights))


_BUILT_IN = frozenset({GraphQLBoolean, GraphQLInt, GraphQLFloat})
_AS_IT_IS: dict[str, Callable[[type, Column], bool]] = {
    GraphQLBoolean.name: lambda one, values: one is bool,
    GraphQLInt.name: lambda one, values: one is int and min(values) in _INT and max(values) in _INT,
    GraphQLFloat.name: lambda one, values: one is float and all(map(math.isfinite, values)),
}
"""Whether values of a built-in scalar that are all of one class are answered unchanged."""
