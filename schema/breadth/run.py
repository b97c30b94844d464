"""One execution: what its columns share, and the order in which their work is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from graphql import GraphQLError
from graphql.pyutils import Undefined

from schema.breadth.concurrency import side_by_side

if TYPE_CHECKING:
    from schema.breadth.executor import BreadthFirst
    from schema.breadth.fields import Field
    from schema.breadth.plan import Plan, Selection

__all__ = ["NOTHING", "Fault", "Run", "Unready", "Work", "drive"]

NOTHING = frozenset({type(None), type(Undefined)})
"""The types of the values that stand for null."""


class Fault:
    """A field's error in the place of its value, not yet located."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


class Unready(Exception):
    """A value, or an item of a list, has to be awaited before its column can be completed.

    `column` is what is to be awaited and completed instead of the column: an iterator in it was read into a list.
    """

    def __init__(self, column: Sequence[Any]) -> None:
        super().__init__()
        self.column = column


class Work(NamedTuple):
    """A field to be resolved for the objects of a selection: `rows` are the parents, `objects` what is answered of them.

    `weights` says how often each of them stands in the answer; None where each stands there once. `values` are what was read of
    the rows and has to be awaited.
    """

    field: Field
    rows: Sequence[Any]
    objects: Sequence[dict[str, Any]]
    weights: Sequence[int] | None
    values: Sequence[Any] | None = None


class Run:
    """The state of one execution. `errors` are located; `failed` says that the answer holds marks of errors."""

    def __init__(self, executor: BreadthFirst, plan: Plan) -> None:
        self.executor = executor
        self.plan = plan
        self.failed = False
        self.errors: list[GraphQLError] = []
        self.made_by: dict[int, Selection] = {}
        """Which selection made an object of an abstract type, by the object's id; the answer holds the object."""
        self._fields = self._characters = 0
        self._most_fields, self._most_characters = executor.max_fields, executor.max_characters

    def fault(self, error: Exception) -> Fault:
        """Return the mark of an error."""
        self.failed = True
        return Fault(error)

    def spend(self, fields: int, characters: int = 0) -> None:
        """Count what the answer grows by, shared parts as often as they stand in it.

        Raises:
            Exception: the answer would be larger than the executor allows; the whole operation fails with it.
        """
        self._fields += fields
        self._characters += characters
        if self._fields > self._most_fields or self._characters > self._most_characters:
            raise Exceeded(self.executor.exceeded())


class Exceeded(Exception):
    """The answer is larger than allowed; it ends the operation with `error`, whatever field it was met in."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def _calls(run: Run, work: list[Work]) -> list[list[Work]]:
    """Return what is resolved together: an interface's batched field over several types is one call, as are equal fields."""
    if len({id(one.field.function) for one in work}) == len(work):
        return [[one] for one in work]
    groups: dict[Any, list[Work]] = {}
    for position, one in enumerate(work):
        groups.setdefault(one.field.call_key(run) or position, []).append(one)
    return list(groups.values())


async def drive(run: Run, work: list[Work]) -> None:
    """Do the work and all that follows from it: what stands side by side concurrently, and cancelled together."""
    while len(work) == 1:
        work = await work[0].field.fill(run, work)
    if not work:
        return
    await side_by_side(_fill(run, together) for together in _calls(run, work))


async def _fill(run: Run, together: list[Work]) -> None:
    await drive(run, await together[0].field.fill(run, together))
