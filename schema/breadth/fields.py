"""Fields of a selection: how each one's values come, as one column for all parents.

An attribute or a method of the parent is read at once. A batched field is one call of its function; any other field is one
call of graphql-core's resolver per parent, all of them awaited together. `info` is made once for all parents, so its path has no
indices of lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import isawaitable
from operator import attrgetter
from types import NoneType
from typing import Any, cast

from graphql import GraphQLError, GraphQLObjectType, GraphQLResolveInfo
from graphql.execution.collect_fields import FieldDetails
from graphql.execution.values import get_argument_values
from graphql.pyutils import Path
from strawberry.permission import PermissionExtension
from strawberry.types.arguments import convert_arguments
from strawberry.types.field import StrawberryField

from schema.breadth.analysis import holds_variable
from schema.breadth.caught import Caught, attempt, attempt_async
from schema.breadth.completion import Weights, awaited, completer_of, replaced
from schema.breadth.concurrency import side_by_side
from schema.breadth.declaring import BatchFunction, call, frozen
from schema.breadth.objects import ObjectOf, definition_of
from schema.breadth.permissions import permitted
from schema.breadth.run import Run, Unready, Work

__all__ = ["Field"]

_UNCHANGING = (str, int, float, NoneType)
"""What a resolver cannot change, so that several calls may share it."""


class Field:
    """What a selection asks for under one response key of one type.

    `read` takes a value from a parent, where that is all there is to do; `function` answers for all parents at once; a field with
    neither is resolved as graphql-core does. `__typename` has none of them.
    """

    def __init__(
        self, executor: Any, key: str, details: list[FieldDetails], parent: GraphQLObjectType, above: Path | None
    ) -> None:
        self.key = key
        self.details = details
        self.parent = parent
        self.nodes = [one.node for one in details]
        self.name = self.nodes[0].name.value
        self.path = Path(above, key, parent.name)
        self.definition: Any = executor.schema.get_field(parent, self.name)
        self.is_typename = self.name == "__typename"
        self.declared: StrawberryField | None = definition_of(self.definition)
        self.read: Callable[[Any], Any] | None = None
        self._read_all: Callable[[Sequence[Any]], list[Any]] | None = None
        self.function: BatchFunction | None = None
        self.needs: frozenset[str] | None = frozenset() if self.is_typename else None
        self._has_extensions = bool(self.declared is not None and self.declared.extensions)
        self._classify(executor)
        self.completer = completer_of(self.definition.type, self, ObjectOf)
        takes = bool(self.definition.args or self.nodes[0].arguments)
        self._arguments: dict[str, Any] | None = None if takes else {}
        self._given: dict[str, Any] | None = None
        self._is_constant = not any(map(holds_variable, self.nodes[0].arguments or ()))
        self.known_below: dict[Any, Any] = {}
        """What is asked of the field's results, once it was worked out."""

    def _classify(self, executor: Any) -> None:
        field = self.declared
        if field is None or executor.strawberry.exception_handlers:
            return
        resolver = field.base_resolver
        if resolver is None:
            if not field.extensions and executor.strawberry.config.default_resolver is getattr:
                self.read = attrgetter(field.python_name)
                self.needs = frozenset({field.python_name})
            return
        needs = getattr(resolver.wrapped_func, "__needs__", None)
        self.needs = None if needs is None else frozenset(needs)
        batched = getattr(resolver.wrapped_func, "__batched__", None)
        if batched is not None:
            if all(type(extension) is PermissionExtension for extension in field.extensions):
                self.function = batched
        elif not field.extensions and not field.arguments and not resolver.is_async and _takes_self_only(resolver):
            function = cast("Callable[[Any], Any]", resolver.wrapped_func)
            self.read = getattr(function, "__attribute__", function)
            self._read_all = getattr(function, "__column__", None)

    def resolve_info(self, run: Run) -> GraphQLResolveInfo[Any]:
        """Return graphql-core's info about this field."""
        return run.executor.build_resolve_info(self.definition, self.nodes, self.parent, self.path)

    def column(self, rows: Sequence[Any]) -> list[Any]:
        """Return what `read` takes from each parent, in its place the exception where it raises."""
        read = self.read
        assert read is not None
        with Caught():
            return list(map(read, rows)) if self._read_all is None else self._read_all(rows)
        return [attempt(read, row) for row in rows]  # each may fail on its own

    async def fill(self, run: Run, together: Sequence[Work]) -> list[Work]:
        """Resolve the field, and others of the same call, for all their parents; return what is to be resolved below.

        Each is completed by its own selection and written into its own objects.
        """
        rows = together[0].rows if len(together) == 1 else [row for work in together for row in work.rows]
        following: list[Work] = []
        with run.executor.span(self.parent.name, self.name, len(rows)):
            values = together[0].values
            if values is None:
                values = await self._values(run, rows, together)
            start = 0
            for work in together:
                end = start + len(work.rows)
                await work.field._complete(run, work, values[start:end], following)
                start = end
        return following

    async def _complete(self, run: Run, work: Work, values: Sequence[Any], following: list[Work]) -> None:
        below: list[Work] = []
        try:
            done = self.completer.complete(run, values, work.weights, below)
        except Unready as unready:
            below.clear()
            ready = await side_by_side(awaited(value, self.completer) for value in unready.column)
            done = self.completer.complete(run, ready, work.weights, below)
        following += below
        key = self.key
        for object_, value in zip(work.objects, done, strict=True):
            object_[key] = value

    def call_key(self, run: Run) -> Any:
        """Return what is equal for fields that one call of their function can answer; None where none can: at the root two
        equal fields are two calls, and permissions are of a type's own field.
        """
        if self.function is None or self._has_extensions or self.path.prev is None:
            return None
        try:
            return (self.function, frozen(self._coerced(run)))
        except GraphQLError:  # of an argument; the field's own call will meet it again
            return None

    async def _values(self, run: Run, rows: Sequence[Any], together: Sequence[Work]) -> Sequence[Any]:
        if self.read is not None:
            return self.column(rows)
        with Caught() as caught:
            arguments = self._coerced(run)
            if self.function is None:
                return await self._each(run, rows, arguments)
            return await self._batch(run, self.function, rows, together, arguments)
        return [caught.error] * len(rows)

    def _coerced(self, run: Run) -> dict[str, Any]:
        """Return the arguments as graphql-core coerces them, once where they hold no variable."""
        if self._arguments is not None:
            return self._arguments
        executor = run.executor
        arguments = get_argument_values(
            self.definition, self.nodes[0], executor.variable_values, None, executor.hide_suggestions
        )
        if self._is_constant and all(isinstance(value, _UNCHANGING) for value in arguments.values()):
            self._arguments = arguments
        return arguments

    async def _batch(
        self, run: Run, function: BatchFunction, rows: Sequence[Any], together: Sequence[Work], coerced: dict[str, Any]
    ) -> Sequence[Any]:
        field, strawberry = self.declared, run.executor.strawberry
        assert field is not None
        info = strawberry.config.info_class(_raw_info=self.resolve_info(run), _field=field)
        info._breadth = [(run, one.field) for one in together]
        info._weights = _weights(together)
        arguments = self._converted(coerced, strawberry.schema_converter, info)
        if self._has_extensions:
            return await permitted(field.extensions, function, rows, info, arguments)
        return await call(function, list(rows), info, arguments)

    def _converted(self, coerced: dict[str, Any], converter: Any, info: Any) -> dict[str, Any]:
        """Return the arguments as Strawberry gives them to a resolver, worked out once where they are always the same."""
        if self._given is not None:
            return self._given
        assert self.declared is not None
        declared = self.declared.arguments
        given = (
            convert_arguments(coerced, declared, converter.scalar_registry, converter.config, info) if coerced else {}
        )
        if coerced is self._arguments and all(isinstance(value, _UNCHANGING) for value in given.values()):
            self._given = given
        return given

    async def _each(self, run: Run, rows: Sequence[Any], arguments: dict[str, Any]) -> Sequence[Any]:
        resolve = self.definition.resolve or run.executor.field_resolver
        info = self.resolve_info(run)
        values = [attempt(resolve, row, info, **arguments) for row in rows]
        waiting = [position for position, value in enumerate(values) if isawaitable(value)]
        if waiting:
            results = await side_by_side(attempt_async(values[position]) for position in waiting)
            values = replaced(values, waiting, results)
        return values


def _weights(together: Sequence[Work]) -> Weights:
    if all(work.weights is None for work in together):
        return None
    return [weight for work in together for weight in work.weights or [1] * len(work.rows)]


def _takes_self_only(resolver: Any) -> bool:
    others = resolver.info_parameter or resolver.root_parameter or resolver.parent_parameter
    return resolver.self_parameter is not None and not others
