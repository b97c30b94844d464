"""Running coroutines side by side, cancelled together: what one of them breaks down with ends all."""

from __future__ import annotations

from asyncio import CancelledError, TaskGroup, current_task
from collections.abc import Coroutine, Iterable
from typing import Any

__all__ = ["side_by_side"]


class _Ended(Exception):
    """A coroutine was cancelled by itself: a group would take that for the end of one task, not of all."""


async def side_by_side(coroutines: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
    """Return the coroutines' results, in order.

    Raises:
        BaseException: what the first of them raised, once the others have been cancelled and have ended.
    """
    try:
        async with TaskGroup() as group:
            tasks = [group.create_task(_whole(one)) for one in coroutines]
    except BaseExceptionGroup as failures:
        first = failures.exceptions[0]
        raise (CancelledError() if isinstance(first, _Ended) else first) from None
    return [task.result() for task in tasks]


async def _whole(coroutine: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await coroutine
    except CancelledError:
        task = current_task()
        if task is None or task.cancelling():
            raise
        raise _Ended from None
