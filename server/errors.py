"""The refusals of Loregraph: each carries the code that clients see, and says what to do.

Anything raised that is not a ServerError is a defect and reaches clients as INTERNAL, without its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class ServerError(Exception):
    """A refusal that a caller may read: nothing was changed.

    `argument` names the argument or input field at fault, as the caller wrote it; `details` holds further plain values
    for error extensions (candidates of an ambiguous name, say).
    """

    code: ClassVar[str] = "INTERNAL"

    def __init__(self, message: str, *, argument: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.argument = argument
        self.details = dict(details or {})


class BadUserInput(ServerError):
    """The input itself is wrong, whatever the state of the graph."""

    code = "BAD_USER_INPUT"


class NotFound(ServerError):
    """No such thing in this volume; the same for ids of other volumes."""

    code = "NOT_FOUND"


class Forbidden(ServerError):
    """The caller may not do this, or not from there."""

    code = "FORBIDDEN"


class Ambiguous(ServerError):
    """A name stands for several things; details["candidates"] lists their ids."""

    code = "AMBIGUOUS"


class Conflict(ServerError):
    """The input was fine, but what is stored forbids it: another version, a key in use."""

    code = "CONFLICT"


class LimitExceeded(ServerError):
    """The request asks for more than the server's limits allow."""

    code = "LIMIT_EXCEEDED"


class UpstreamUnavailable(ServerError):
    """Something outside that the server needs does not answer: the database, the vectors, a model."""

    code = "UPSTREAM_UNAVAILABLE"


class Busy(UpstreamUnavailable):
    """It does not answer now, and may in a moment: the same request can be sent again. `wait`: the seconds that it asked for."""

    def __init__(
        self,
        message: str,
        *,
        argument: str | None = None,
        details: Mapping[str, Any] | None = None,
        wait: float | None = None,
    ) -> None:
        super().__init__(message, argument=argument, details=details)
        self.wait = wait


class Misconfigured(ServerError):
    """A setting keeps the server from starting; the command line prints the message and exits with 2."""

    code = "INTERNAL"
