"""What clients see when something fails: every error of a result becomes a refusal with a code, or INTERNAL.

A refusal (ServerError, or a GraphQLError that has a code already) keeps its words. So do the errors that graphql-core
reports about the document, the variables and the arguments. Everything else is a defect: the client gets an id, and the
log gets the traceback under that id, once.
"""

from __future__ import annotations

import logging
import secrets
from typing import Any

from graphql import GraphQLError, GraphQLSyntaxError, ValueNode
from strawberry.exceptions import MissingQueryError
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types.graphql import OperationType

from server.errors import BadUserInput, ServerError

__all__ = ["SafeErrors", "about_operation", "refusal"]

logger = logging.getLogger("loregraph.errors")


def refusal(error: ServerError) -> GraphQLError:
    """Return what clients see of a refusal: its message; code, argument and details in the extensions."""
    extensions: dict[str, Any] = {**error.details, "code": error.code}
    if error.argument is not None:
        extensions["argument"] = error.argument
    return GraphQLError(error.message, extensions=extensions)


class SafeErrors:
    """Makes every error of one operation safe to show; paths and locations are kept.

    `executing` says whether the operation's execution has begun, so that what is wrong with the input is not the document's fault.
    """

    def __init__(self) -> None:
        self.executing = False
        self._logged: dict[int, tuple[Exception, str]] = {}

    def of(self, error: Exception) -> GraphQLError:
        """Return what clients see of an error."""
        return self._safe(error if isinstance(error, GraphQLError) else GraphQLError(str(error), original_error=error))

    def _safe(self, error: GraphQLError) -> GraphQLError:
        shown = self._shown(error)
        return GraphQLError(
            shown.message, error.nodes, error.source, error.positions, error.path, extensions=shown.extensions
        )

    def _shown(self, error: GraphQLError) -> GraphQLError:
        """Return an error with the message and the extensions that clients see."""
        cause = _root_cause(error)
        if isinstance(cause, ServerError) and cause.code != "INTERNAL":
            return refusal(cause)
        if isinstance(cause, MissingQueryError | CannotGetOperationTypeError | InvalidOperationTypeError):
            return refusal(about_operation(cause))
        if isinstance(cause, GraphQLError) and isinstance((cause.extensions or {}).get("code"), str):
            return cause
        if isinstance(cause, GraphQLSyntaxError):
            return GraphQLError(error.message, extensions={"code": "GRAPHQL_PARSE_FAILED"})
        if _is_about_input(error):
            code = "BAD_USER_INPUT" if self.executing else "GRAPHQL_VALIDATION_FAILED"
            return GraphQLError(error.message, extensions={"code": code})
        return self._internal(cause, error)

    def _internal(self, cause: Exception, error: GraphQLError) -> GraphQLError:
        if id(cause) not in self._logged:  # a batch that fails is one cause with an error for every parent
            self._logged[id(cause)] = (cause, secrets.token_hex(4))
            logger.error("Internal error %s at %s", self._logged[id(cause)][1], error.path, exc_info=cause)
        message = f"Internal error. The server's log has the details under {self._logged[id(cause)][1]}."
        return GraphQLError(message, extensions={"code": "INTERNAL"})


def about_operation(error: MissingQueryError | CannotGetOperationTypeError | InvalidOperationTypeError) -> BadUserInput:
    """Return the refusal of a request whose operation is missing, not found, or not allowed where it was sent."""
    match error:
        case CannotGetOperationTypeError(operation_name=str(name)):
            return BadUserInput(f'The document has no operation named "{name}".', argument="operationName")
        case InvalidOperationTypeError(operation_type=OperationType.MUTATION):
            return BadUserInput("Mutations must be sent by POST.")
        case InvalidOperationTypeError():
            return BadUserInput("Subscriptions need a transport that can stream.")
        case MissingQueryError():
            return BadUserInput("The request has no document: send one as the string `query`.", argument="query")
    return BadUserInput("The document has no operation to run.", argument="query")


def _root_cause(error: Exception) -> Exception:
    while isinstance(error, GraphQLError) and error.original_error is not None:
        error = error.original_error
    return error


def _is_about_input(error: GraphQLError) -> bool:
    """Tell whether graphql-core itself reports the error, about a document, variables or arguments.

    Those of the document and the variables have no path, and a node or no cause. Those of an argument have the path of
    the field and point at the value; all others with a path point at the field, and are the server's fault.
    """
    node = error.nodes[0] if error.nodes else None
    if error.path is None:
        return node is not None or error.original_error is None
    return isinstance(node, ValueNode)
