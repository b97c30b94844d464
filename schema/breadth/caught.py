"""The one place where whatever a resolver, a scalar or a type's test raises is taken: it is the error of a field."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any

__all__ = ["Caught", "attempt", "attempt_async"]


class Caught:
    """Takes the exception that ends its block, if any, as `error`; what ends a task or a process goes on."""

    __slots__ = ("error",)

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __enter__(self) -> Caught:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> bool:
        if isinstance(error, Exception):
            self.error = error
        return self.error is not None


def attempt(function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
    """Return what a function returns, or the exception that it raises."""
    with Caught() as caught:
        return function(*arguments, **named)
    return caught.error


async def attempt_async(value: Awaitable[Any]) -> Any:
    """Return what an awaitable gives, or the exception that it raises."""
    with Caught() as caught:
        return await value
    return caught.error
