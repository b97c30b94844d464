"""Permissions of a batched field, checked before its function is called.

A permission is asked once for each parent. One that says of itself that it does not look at the parent, by the class attribute
`of_source = False`, is asked once for all of them, with None as the source.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from strawberry.exceptions import PermissionReturnedNonBooleanError
from strawberry.permission import BasePermission, PermissionExtension
from strawberry.utils.await_maybe import await_maybe

from schema.breadth.caught import attempt_async
from schema.breadth.completion import replaced
from schema.breadth.declaring import BatchFunction, call

__all__ = ["permitted"]


class _Asked:
    """The answers of permissions that do not look at the source, for one call."""

    def __init__(self, info: Any, arguments: dict[str, Any]) -> None:
        self._info = info
        self._arguments = arguments
        self._known: dict[int, bool] = {}

    async def allows(self, permission: BasePermission, source: Any) -> bool:
        if getattr(permission, "of_source", True):
            return await self._ask(permission, source)
        if id(permission) not in self._known:
            self._known[id(permission)] = await self._ask(permission, None)
        return self._known[id(permission)]

    async def _ask(self, permission: BasePermission, source: Any) -> bool:
        answer: Any = await await_maybe(permission.has_permission(source, self._info, **self._arguments))
        if not isinstance(answer, bool):
            if inspect.iscoroutine(answer):
                answer.close()
            raise PermissionReturnedNonBooleanError(permission, answer)
        return answer


async def permitted(
    extensions: Sequence[Any], function: BatchFunction, parents: Sequence[Any], info: Any, arguments: dict[str, Any]
) -> list[Any]:
    """Return the function's results for the parents that every permission allows; for the others what the first refusal says."""
    asked = _Asked(info, arguments)
    results: list[Any] = [None] * len(parents)
    allowed = []
    for position, parent in enumerate(parents):
        refusal = await attempt_async(_refusal(extensions, asked, parent))
        if isinstance(refusal, Exception):
            results[position] = refusal
        elif refusal is None:
            allowed.append(position)
        else:
            results[position] = refusal[0]
    if allowed:
        if info._weights is not None:
            info._weights = [info._weights[position] for position in allowed]
        answers = await attempt_async(call(function, [parents[position] for position in allowed], info, arguments))
        if isinstance(answers, Exception):
            answers = [answers] * len(allowed)
        results = replaced(results, allowed, answers)
    return results


async def _refusal(extensions: Sequence[PermissionExtension], asked: _Asked, parent: Any) -> tuple[Any] | None:
    """Return what a refused field answers, or None. The extension named last is the outermost, so it is asked first."""
    for extension in reversed(extensions):
        for permission in extension.permissions:
            if not await asked.allows(permission, parent):
                return (extension._on_unauthorized(permission),)
    return None
