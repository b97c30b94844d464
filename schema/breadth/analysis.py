"""What a document says about how it can be executed: what has to be left to graphql-core, and which variables steer the plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphql import (
    DirectiveNode,
    FieldNode,
    FragmentDefinitionNode,
    Node,
    OperationDefinitionNode,
    OperationType,
    VariableNode,
)

__all__ = ["Declined", "holds_variable", "steering_variables"]

_INTROSPECTION = frozenset({"__schema", "__type"})
_STEERING = frozenset({"skip", "include"})


class Declined(Exception):
    """The operation is for graphql-core to execute; the message says why."""


def steering_variables(
    operation: OperationDefinitionNode, fragments: Iterable[FragmentDefinitionNode]
) -> tuple[str, ...]:
    """Return the names of the variables of @skip and @include in an operation and its document's fragments.

    Raises:
        Declined: something in it is not known here.
    """
    if operation.operation is OperationType.SUBSCRIPTION:
        raise Declined("it is a subscription")
    if operation.directives:
        raise Declined(f"the operation has the directive @{operation.directives[0].name.value}")
    names: set[str] = set()
    for definition in (operation, *fragments):
        if isinstance(definition, FragmentDefinitionNode) and definition.variable_definitions:
            raise Declined(f"the fragment {definition.name.value} has variables")
        names.update(_steering(definition))
    return tuple(sorted(names))


def _steering(definition: Node) -> Iterator[str]:
    for node in _walk(definition):
        if isinstance(node, FieldNode) and node.name.value in _INTROSPECTION:
            raise Declined(f"it asks for {node.name.value}")
        if isinstance(node, DirectiveNode):
            if node.name.value not in _STEERING:
                raise Declined(f"it has the directive @{node.name.value}")
            yield from (one.name.value for one in _walk(node) if isinstance(one, VariableNode))


def holds_variable(node: Node) -> bool:
    """Return whether a variable is used anywhere in a node."""
    return any(isinstance(one, VariableNode) for one in _walk(node))


def _walk(node: Node) -> Iterator[Node]:
    pending = [node]
    while pending:
        one = pending.pop()
        yield one
        for key in one.keys:
            child = getattr(one, key, None)
            if isinstance(child, Node):
                pending.append(child)
            elif isinstance(child, list | tuple):
                pending.extend(item for item in child if isinstance(item, Node))
