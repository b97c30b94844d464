"""What both executors must answer to one operation, and how their answers are compared.

Three runs: the executor under test, graphql-core's, and graphql-core's with every error kept where it occurs instead of
nulling what is around it (`Tolerant`). The third lists all errors that there are and which positions may not be null, from which
the specification's answer follows whatever the timing: in the order of the response, an error whose position or one above it
is null already is dropped, any other nulls the nearest position that may be null (at most the whole data) and is reported.

The rule: data are equal to the last type and in the order of keys. The errors of the executor under test (message, path,
locations, extensions) are exactly those of the specification, in the response's order. graphql-core's own errors come as its
tasks end, and where several lie under one nulled position its timing decides which of them it reports: of its errors each must be
one of the third run, each at most once, and the positions that they null must be the same. Where nothing had
to be awaited, and where nothing was executed, its list must be the same list. What mutations wrote must be the same.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import pytest
import strawberry
from graphql import GraphQLError, is_non_null_type
from graphql.pyutils import Path
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

__all__ = ["BESIDE_CORE", "Answer", "Fault", "Oracle", "Tolerant", "declining", "typed"]

_LEFT = "coroutine.*(Executor|GraphQLCoreConverter)"
BESIDE_CORE = pytest.mark.filterwarnings(
    f"ignore:{_LEFT}.* was never awaited:RuntimeWarning",
    f"ignore:Exception ignored in. <{_LEFT}:pytest.PytestUnraisableExceptionWarning",
)
"""The mark of tests that run graphql-core: where an error cancels what has not begun, it leaves coroutines behind."""

Position = tuple[str | int, ...]


@dataclass(frozen=True)
class Fault:
    """An error as clients see it. As text: the path, the places in the document, the message and the extensions."""

    message: str
    path: Position | None
    locations: tuple[tuple[int, int], ...]
    extensions: str

    def __str__(self) -> str:
        path = "" if self.path is None else ".".join(map(str, self.path)) + " "
        places = " ".join(f"{line}:{column}" for line, column in self.locations)
        return f"{path}{places} {self.message}" + (f" {self.extensions}" if self.extensions != "{}" else "")

    @staticmethod
    def of(error: GraphQLError) -> Fault:
        # How many parents share a call is the executor's affair.
        message = re.sub(
            r"\w+\.(\w+) answered \d+ results for \d+ parents", r"\1 answered too few results", error.message
        )
        message = re.sub(r"details under [0-9a-f]{8}", "details", message)
        locations = tuple((location.line, location.column) for location in error.locations or ())
        path = None if error.path is None else tuple(error.path)
        return Fault(message, path, locations, json.dumps(error.extensions or {}, sort_keys=True))


@dataclass
class Record:
    """What happened in a tolerant run: where errors occurred, and which positions may not be null."""

    faults: dict[Position, Fault] = field(default_factory=dict)
    strict: dict[Position, bool] = field(default_factory=dict)
    awaited: bool = False


_RECORD: ContextVar[Record] = ContextVar("record")


class Observed(StrawberryGraphQLCoreExecutionContext):
    """graphql-core's executor, which notes whether it has met anything to await."""

    def complete_awaitable_value(self, *arguments: Any) -> Any:
        _RECORD.get(Record()).awaited = True
        return super().complete_awaitable_value(*arguments)

    def complete_async_iterator_value(self, *arguments: Any) -> Any:
        _RECORD.get(Record()).awaited = True
        return super().complete_async_iterator_value(*arguments)

    def complete_awaitable_list_item_value(self, *arguments: Any) -> Any:
        _RECORD.get(Record()).awaited = True
        return super().complete_awaitable_list_item_value(*arguments)


class Tolerant(StrawberryGraphQLCoreExecutionContext):
    """graphql-core's executor, but an error stays where it occurs."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.error_propagation = False

    def complete_value(self, return_type: Any, details: Any, info: Any, path: Path, *rest: Any) -> Any:
        _RECORD.get().strict.setdefault(tuple(path.as_list()), is_non_null_type(return_type))
        return super().complete_value(return_type, details, info, path, *rest)

    def handle_field_error(self, raw_error: Exception, return_type: Any, details: Any, path: Path) -> None:
        record, position = _RECORD.get(), tuple(path.as_list())
        record.strict[position] = is_non_null_type(return_type)
        super().handle_field_error(raw_error, return_type, details, path)
        record.faults[position] = Fault.of(self.collected_errors.errors[-1])


@dataclass
class Answer:
    """What came of an operation; `declined` lists why the executor under test has left it to graphql-core."""

    data: Any
    errors: list[Fault]
    context: Any
    declined: list[str]


@contextmanager
def declining() -> Iterator[list[str]]:
    """Give what the package says when it declines an operation."""
    lines: list[str] = []
    logger, handler = logging.getLogger("schema.breadth"), logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield lines
    logger.setLevel(level)
    logger.removeHandler(handler)


def typed(value: Any) -> Any:
    """Return a value that is equal only for values of the same types, with keys in the same order."""
    if isinstance(value, dict):
        return [(key, typed(item)) for key, item in value.items()]
    return [typed(item) for item in value] if isinstance(value, list) else (type(value), value)


def _in_order(data: Any, at: Position = ()) -> list[Position]:
    """Return every position of a response, in its order."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [at, *(position for key, item in items for position in _in_order(item, (*at, key)))]


def _without(data: Any, nulled: set[Position], at: Position = ()) -> Any:
    if at in nulled:
        return None
    if isinstance(data, dict):
        return {key: _without(item, nulled, (*at, key)) for key, item in data.items()}
    return [_without(item, nulled, (*at, n)) for n, item in enumerate(data)] if isinstance(data, list) else data


def _target(position: Position, record: Record) -> Position:
    """Return the position that an error nulls."""
    while position and record.strict[position]:
        position = position[:-1]
    return position


def specified(data: Any, record: Record) -> tuple[Any, list[Fault], set[Position]]:
    """Return the data and errors that the specification asks for, and which positions are null for an error."""
    nulled: set[Position] = set()
    errors = []
    for position in _in_order(data):
        if position in record.faults and not any(position[:n] in nulled for n in range(len(position) + 1)):
            errors.append(record.faults[position])
            nulled.add(_target(position, record))
    return _without(data, nulled), errors, _topmost(nulled)


def _topmost(positions: set[Position]) -> set[Position]:
    return {p for p in positions if not any(p[:length] in positions for length in range(len(p)))}


class Oracle:
    """Asks all three executors. `build` makes a schema over an executor, `context` the context of one operation."""

    def __init__(self, build: Callable[[Any], strawberry.Schema], executor: Any, context: Callable[[], Any]) -> None:
        self.context = context
        self.core, self.tolerant, self.breadth = build(Observed), build(Tolerant), build(executor)

    async def ask(
        self, schema: strawberry.Schema, query: str, variables: Mapping[str, Any] | None = None, name: str | None = None
    ) -> Answer:
        """Return what one of the three schemas answers."""
        context = self.context()
        with declining() as declined:
            result = await schema.execute(query, dict(variables or {}), context_value=context, operation_name=name)
        return Answer(result.data, list(map(Fault.of, result.errors or [])), context, declined)

    async def check(self, query: str, variables: Mapping[str, Any] | None = None, name: str | None = None) -> Answer:
        """Return what the executor under test answers.

        Raises:
            AssertionError: It is not what graphql-core answers, by the rule above.
        """
        record = Record()
        token = _RECORD.set(record)
        all_of_it = await self.ask(self.tolerant, query, variables, name)
        core = await self.ask(self.core, query, variables, name)
        _RECORD.reset(token)
        ours = await self.ask(self.breadth, query, variables, name)
        assert typed(ours.data) == typed(core.data)
        assert getattr(ours.context, "written", None) == getattr(core.context, "written", None)
        if any(fault.path is None for fault in core.errors):
            assert ours.errors == core.errors
            return ours
        expected, errors, nulled = specified(all_of_it.data, record)
        assert typed(core.data) == typed(expected)
        assert ours.errors == errors
        if not record.awaited:
            assert core.errors == errors
        _check_timed(core.errors, record, nulled)
        return ours


def _check_timed(errors: list[Fault], record: Record, nulled: set[Position]) -> None:
    """Check errors of which the timing chose some."""
    places: dict[Fault, list[Position]] = {}
    for position, fault in record.faults.items():
        places.setdefault(fault, []).append(position)
    assert Counter(errors) <= Counter(record.faults.values())
    reached = {_target(position, record) for fault in errors for position in places[fault]}
    assert _topmost(reached) == nulled
