"""The executor: graphql-core's, with `execute_operation` done level by level where the operation allows it."""

from __future__ import annotations

import logging
import math
from collections import OrderedDict
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from graphql import GraphQLError, GraphQLObjectType, OperationDefinitionNode, OperationType
from graphql.execution import ExecutionResult
from graphql.execution.executor import SELECTIONS_NESTED_TOO_DEEPLY
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from schema.breadth.analysis import Declined, steering_variables
from schema.breadth.plan import Plan
from schema.breadth.run import Exceeded, Run, Work, drive

__all__ = ["BreadthFirst"]

_PLANS = 512
_OUTCOMES = 16
"""Plans of one operation that are kept, for the last outcomes of its @skip and @include: of thirty variables there are a billion."""
_log = logging.getLogger("schema.breadth")
_INLINE: AbstractContextManager[None] = nullcontext()


class _Operation(NamedTuple):
    """What is known of an operation: the operation itself, so that its identity stays its own, and its plans."""

    node: OperationDefinitionNode
    schema: Any
    steering: tuple[str, ...]
    declined: str | None
    plans: dict[tuple[Any, ...], Plan]


_operations: OrderedDict[tuple[int, int], _Operation] = OrderedDict()


class BreadthFirst(StrawberryGraphQLCoreExecutionContext):
    """Executes operations breadth first.

    A subclass may set the bounds of one answer, in which parts that stand there several times are counted as often, and the error
    of one beyond them; and what is entered around each field's resolution, for a trace.
    """

    @property
    def max_fields(self) -> float:
        """How many fields and items of lists one answer may have."""
        return math.inf

    @property
    def max_characters(self) -> float:
        """How many characters the texts of one answer may have."""
        return math.inf

    def exceeded(self) -> Exception:
        """Return the error of an answer that is larger than the bounds."""
        return GraphQLError("The answer is too large. Ask for less at once.")

    @classmethod
    def span(cls, parent: str, field: str, parents: int) -> AbstractContextManager[object]:
        """Return what is entered while a field is resolved and completed for its parents."""
        return _INLINE

    @property
    def strawberry(self) -> Any:
        """The Strawberry schema."""
        return self.schema._strawberry_schema  # type: ignore[attr-defined]

    def execute_operation(self, serially: bool | None = None) -> Any:
        """Execute the operation; an awaitable of its result."""
        try:
            operation = self._operation()
        except Declined as declined:
            _log.debug("Left to graphql-core: %s", declined)
            return super().execute_operation(serially)
        return self._execute(operation)

    def _operation(self) -> _Operation:
        middleware = self.middleware_manager
        if self.abort_signal is not None or self.hooks is not None or (middleware and middleware.middlewares):
            raise Declined("it has hooks, middleware or an abort signal")
        key = (id(self.operation), id(self.schema))
        known = _operations.get(key)
        if known is None:
            known = _operations[key] = self._analysed()
            if len(_operations) > _PLANS:
                _operations.popitem(last=False)
        else:
            _operations.move_to_end(key)
        if known.declined is not None:
            raise Declined(known.declined)
        return known

    def _analysed(self) -> _Operation:
        steering: tuple[str, ...] = ()
        declined = None
        try:
            steering = steering_variables(self.operation, self.fragment_definitions.values())
        except Declined as reason:
            declined = str(reason)
        return _Operation(self.operation, self.schema, steering, declined, {})

    async def _execute(self, operation: _Operation) -> ExecutionResult:
        errors: list[GraphQLError] = []
        try:
            run = Run(self, self._plan(operation))
            errors = run.errors
            is_mutation = self.operation.operation is OperationType.MUTATION
            data = await (self._serially(run) if is_mutation else self._together(run))
        except GraphQLError as error:
            errors.append(error)
            data = None
        except Exceeded as exceeded:
            errors[:] = [_of_operation(exceeded.error)]
            data = None
        return ExecutionResult(data, errors or None)

    def _plan(self, operation: _Operation) -> Plan:
        coerced = self.variable_values.coerced
        outcome = tuple(coerced.get(name) for name in operation.steering)
        plan = operation.plans.get(outcome)
        if plan is None:
            plan = operation.plans[outcome] = self._planned()
            if len(operation.plans) > _OUTCOMES:
                del operation.plans[next(iter(operation.plans))]
        return plan

    def _planned(self) -> Plan:
        root = self._root_type()
        try:
            return Plan(self, root)
        except RecursionError:
            pass  # outside of here, so that the error does not keep all the frames of the recursion
        raise GraphQLError(SELECTIONS_NESTED_TOO_DEEPLY, self.operation)

    def _root_type(self) -> GraphQLObjectType:
        operation = self.operation
        type_ = self.schema.get_root_type(operation.operation)
        if type_ is None:
            raise GraphQLError(f"Schema is not configured to execute {operation.operation.value} operation.", operation)
        return type_

    async def _together(self, run: Run) -> dict[str, Any]:
        root, work = run.plan.root, list[Work]()
        (data,) = root.build(run, [self.root_value], None, work)
        await drive(run, work)
        return root.settle(data, [], run) if run.failed else data

    async def _serially(self, run: Run) -> dict[str, Any]:
        """Execute root fields one after the other, each with everything below it."""
        data: dict[str, Any] = {}
        for field in run.plan.root.fields:
            holder: dict[str, Any] = {field.key: run.plan.root.typename}
            if not field.is_typename:
                await drive(run, [Work(field, [self.root_value], [holder], None)])
            value = holder[field.key]
            data[field.key] = field.completer.settle(value, [field.key], run) if run.failed else value
        return data


def _of_operation(error: Exception) -> GraphQLError:
    return error if isinstance(error, GraphQLError) else GraphQLError(str(error), original_error=error)
