"""One operation, from its text to its result: read within the limits, validated, executed, its errors made safe to show.

Strawberry's own way runs extensions around every step, each by context managers made for the request: a third of what a small query
costs. Here the steps follow each other, and a document is parsed, counted and validated once: the outcome is kept, least recently
used dropped first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from inspect import isawaitable
from typing import Any, NamedTuple, cast

import strawberry
from graphql import DocumentNode, GraphQLError, OperationDefinitionNode, execute, specified_rules
from strawberry.exceptions import MissingQueryError
from strawberry.execution import optimized_is_awaitable
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.schema.schema import validate_document
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType

from schema.errors import SafeErrors
from schema.limits import Limits, check_variables, read_document
from server.errors import BadUserInput

__all__ = ["Schema"]

CACHED_DOCUMENTS = 256
CACHED_LENGTH = 32 * 1024  # a longer document is read each time, so that the cache stays small
_ALL = frozenset(OperationType)


class _Document(NamedTuple):
    """A document that is within the limits: its operations, and what is wrong with it."""

    node: DocumentNode
    operations: tuple[OperationDefinitionNode, ...]
    errors: tuple[GraphQLError, ...]

    def operation(self, name: str | None) -> OperationDefinitionNode:
        """Return the operation to run.

        Raises:
            BadUserInput: there are several, and none is named.
            CannotGetOperationTypeError: there is none, or none of that name.
        """
        if name is None and len(self.operations) > 1:
            message = f"The document has {len(self.operations)} operations: name the one to run as `operationName`."
            raise BadUserInput(message, argument="operationName")
        for one in self.operations:
            if name is None or (one.name is not None and one.name.value == name):
                return one
        raise CannotGetOperationTypeError(name)


class Schema(strawberry.Schema):
    """A schema that runs operations within `limits` and answers errors that are safe to show. It takes no extensions."""

    def __init__(self, *args: Any, limits: Limits, **options: Any) -> None:
        super().__init__(*args, **options)
        self._limits = limits
        self._read_once = lru_cache(CACHED_DOCUMENTS)(self._read)

    async def execute(
        self,
        query: str | None,
        variable_values: dict[str, Any] | None = None,
        context_value: Any | None = None,
        root_value: Any | None = None,
        operation_name: str | None = None,
        allowed_operation_types: Iterable[OperationType] | None = None,
        operation_extensions: dict[str, Any] | None = None,
    ) -> ExecutionResult:
        """Run an operation. All that goes wrong becomes an error of the result.

        Raises:
            InvalidOperationTypeError: it is of a type that is not among the allowed ones; the transport knows why.
        """
        errors, variables = SafeErrors(), variable_values or {}
        try:
            document = self._checked(query, variables, operation_name, allowed_operation_types or _ALL)
            if document.errors:
                return ExecutionResult(None, [errors.of(error) for error in document.errors])
            errors.executing = True
            result: Any = execute(
                self._schema,
                document.node,
                root_value=root_value,
                variable_values=variables,
                operation_name=operation_name,
                context_value=context_value,
                is_awaitable=cast("Any", optimized_is_awaitable),
                operation_extensions=operation_extensions,
                executor_class=self.execution_context_class,
            )
            if isawaitable(result):
                result = await result
        except InvalidOperationTypeError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, clients must not see it as it is
            return ExecutionResult(None, [errors.of(error)])
        return ExecutionResult(result.data, [errors.of(error) for error in result.errors] if result.errors else None)

    def _checked(
        self, text: str | None, variables: Mapping[str, Any], name: str | None, allowed: Iterable[OperationType]
    ) -> _Document:
        if not text:
            raise MissingQueryError
        document = self._read_once(text) if len(text) <= CACHED_LENGTH else self._read(text)
        operation = document.operation(name)
        check_variables(variables, self._limits.depth)
        if (kind := OperationType(operation.operation.value)) not in allowed:
            raise InvalidOperationTypeError(kind)
        return document

    def _read(self, text: str) -> _Document:
        node = read_document(text, self._limits)
        operations = tuple(one for one in node.definitions if isinstance(one, OperationDefinitionNode))
        return _Document(node, operations, tuple(validate_document(self._schema, node, specified_rules)))
