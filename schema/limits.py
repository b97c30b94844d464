"""Limits on a request, checked on the parsed document before validation, which a hostile document could keep busy.

Cost, deadlines and rates are decided elsewhere; here is what can be counted in time linear in the document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphql import (
    ArgumentNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLSyntaxError,
    InlineFragmentNode,
    ListValueNode,
    Node,
    ObjectFieldNode,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    StringValueNode,
    parse,
)

from server.errors import BadUserInput, LimitExceeded

__all__ = ["Limits", "check_variables", "read_document"]

_MANY = 1_000_000  # counting stops here: a bomb's number has hundreds of digits
_MAX_LEVELS = 200  # of selection sets, fragments included: more than any document that passes the other limits needs


@dataclass(frozen=True)
class Limits:
    """How much one request may ask for.

    `depth` counts nested fields, introspection included, and bounds the nesting of literals and variables too;
    `fields` counts a field as often as fragments repeat it; `aliases` and `directives` count what is written.
    """

    tokens: int = 1_000
    depth: int = 20
    aliases: int = 15
    fields: int = 300
    directives: int = 30
    directives_per_location: int = 4


def read_document(text: str, limits: Limits) -> DocumentNode:
    """Return the parsed document.

    Raises:
        GraphQLSyntaxError: The text is no document.
        LimitExceeded: It goes beyond one of the limits; the message names the number, the limit and what to do.
        BadUserInput: A string in it holds what cannot be stored.
    """
    try:
        document = parse(text, max_tokens=limits.tokens, allow_empty_selection_sets=False)
    except GraphQLSyntaxError as error:
        if "tokens. Parsing aborted" in error.description:
            raise _exceeded(
                "tokens", f"more than {limits.tokens:,}", limits.tokens, "Move values to variables"
            ) from None
        if "nested too deeply" in error.description:
            raise _exceeded("levels of nesting", "far more", limits.depth, "Ask in several requests") from None
        raise
    _check_writing(document, limits)
    _check_reach(document, limits)
    return document


def check_variables(variables: Mapping[str, Any], depth: int) -> None:
    """Check values as JSON gives them, without recursion.

    Raises:
        BadUserInput: A value is nested deeper than `depth`, or a text holds U+0000 or half of a surrogate pair.
    """
    pending: list[tuple[Any, str, int]] = [(value, name, 0) for name, value in variables.items()]
    while pending:
        value, name, level = pending.pop()
        if isinstance(value, str):
            _check_text(value, name)
        elif isinstance(value, dict | list):
            if level >= depth:
                raise BadUserInput(f"{name} is nested deeper than {depth} levels. Flatten it.", argument=name)
            if isinstance(value, dict):
                for key, item in value.items():
                    _check_text(key, name)
                    pending.append((item, key, level + 1))
            else:
                pending.extend((item, name, level + 1) for item in value)


def _check_writing(document: DocumentNode, limits: Limits) -> None:
    """Check what counts as often as it is written: aliases, directives, and the depth and texts of literals."""
    aliases = directives = 0
    pending: list[tuple[Node, str, int]] = [(definition, "query", 0) for definition in document.definitions]
    while pending:
        node, name, level = pending.pop()
        if isinstance(node, StringValueNode):
            _check_text(node.value, name)
        elif isinstance(node, ArgumentNode | ObjectFieldNode):
            name = node.name.value
        elif isinstance(node, ListValueNode | ObjectValueNode):
            level += 1
            if level > limits.depth:
                raise BadUserInput(f"{name} is nested deeper than {limits.depth} levels. Flatten it.", argument=name)
        elif isinstance(node, FieldNode) and node.alias:
            aliases += 1
        here = len(getattr(node, "directives", None) or ())
        if here > limits.directives_per_location:
            raise _exceeded("directives in one place", here, limits.directives_per_location, "Leave some out")
        directives += here
        pending.extend((child, name, level) for child in _children(node))
    if aliases > limits.aliases:
        raise _exceeded("aliases", aliases, limits.aliases, "Ask in several requests")
    if directives > limits.directives:
        raise _exceeded("directives", directives, limits.directives, "Ask in several requests")


def _children(node: Node) -> Iterator[Node]:
    for key in node.keys:
        child = getattr(node, key, None)
        if isinstance(child, Node):
            yield child
        elif isinstance(child, list | tuple):
            yield from child


class _Reach(NamedTuple):
    """What a selection asks for once its fragments are expanded."""

    fields: int
    depth: int


def _check_reach(document: DocumentNode, limits: Limits) -> None:
    fragments = {d.name.value: d.selection_set for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
    known: dict[str, _Reach] = {}
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode):
            fields, depth = _reach(definition.selection_set, fragments, known, 1)
            if depth > limits.depth:
                raise _exceeded("levels of fields", depth, limits.depth, "Ask in several requests")
            if fields > limits.fields:
                raise _exceeded("fields, fragments expanded", fields, limits.fields, "Ask for less at once")


def _reach(
    selections: SelectionSetNode, fragments: Mapping[str, SelectionSetNode], known: dict[str, _Reach], level: int
) -> _Reach:
    """Count a selection set; a fragment is counted once and remembered, so that a bomb of fragments costs nothing.

    A fragment inside itself and an unknown one count as nothing: validation refuses them.
    """
    if level > _MAX_LEVELS:
        raise _exceeded("levels of selections", f"more than {_MAX_LEVELS}", _MAX_LEVELS, "Ask in several requests")
    fields = depth = 0
    for selection in selections.selections:
        below = _Reach(0, 0)
        if isinstance(selection, FragmentSpreadNode):
            name = selection.name.value
            if name in fragments and name not in known:
                known[name] = below
                known[name] = _reach(fragments[name], fragments, known, level + 1)
            below = known.get(name, below)
        elif isinstance(selection, FieldNode | InlineFragmentNode) and selection.selection_set:
            below = _reach(selection.selection_set, fragments, known, level + 1)
        own = isinstance(selection, FieldNode)
        fields, depth = min(fields + below.fields + own, _MANY), max(depth, below.depth + own)
    return _Reach(fields, depth)


def _check_text(text: str, name: str) -> None:
    if "\0" in text:
        raise BadUserInput(f"{name} holds the character U+0000, which cannot be stored. Remove it.", argument=name)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            message = f"{name} holds half of a surrogate pair, which is no character. Remove it."
            raise BadUserInput(message, argument=name) from None


def _exceeded(what: str, number: int | str, limit: int, remedy: str) -> LimitExceeded:
    shown = number if isinstance(number, str) else f"{number:,}" if number < _MANY else f"{_MANY:,} or more"
    return LimitExceeded(f"The document has {shown} {what}; the limit is {limit:,}. {remedy}.")
