"""Soundness of what an extractor returned: data from outside, held to the rules that input by hand is held to.

Each check returns the item in the form in which it is stored. What an item says of the document (its quote, its ends) is checked where
the document is read.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any

from server.errors import BadUserInput
from server.services.checks import optional_text, within
from server.services.extraction.protocol import (
    ExtractedEntity,
    ExtractedFact,
    ExtractedRelationship,
    Instant,
    RejectedItem,
    ValueType,
)
from server.services.facts import CONTENT_LIMIT, clean_value
from server.services.identity import clean_name, clean_text, normalise_type, relation_type

_SHOWN = ("name", "type", "subject", "content", "source", "target", "predicate", "value", "quote")


def sound_entity(entity: ExtractedEntity, size: int) -> ExtractedEntity:
    """Return an entity of a chunk of `size` code points as it is stored.

    Raises:
        BadUserInput: a field is missing or out of its bounds, or a mention is.
    """
    _require_text(name=entity.name, type=entity.type, quote=entity.quote)
    if any(not 0 <= span.start < span.end <= size for span in entity.mentions):
        raise BadUserInput("A mention lies outside the chunk.")
    return replace(
        entity,
        name=clean_name(entity.name),
        type=normalise_type(entity.type),
        aliases=tuple(clean_name(alias, "aliases") for alias in entity.aliases),
        description=optional_text(entity.description, "description", CONTENT_LIMIT),
        confidence=_share(entity.confidence, "confidence"),
    )


def sound_fact(fact: ExtractedFact) -> ExtractedFact:
    """Return a fact as it is stored.

    Raises:
        BadUserInput: a field is missing or out of its bounds.
    """
    _require_text(content=fact.content, quote=fact.quote)
    _require_zone(validFrom=fact.valid_from, validTo=fact.valid_to)
    value, value_type = clean_value(fact.value, None if fact.value_type is ValueType.NONE else fact.value_type)
    return replace(
        fact,
        content=clean_text(fact.content, "content", CONTENT_LIMIT).strip(),
        category=optional_text(fact.category, "category", 100),
        predicate=None if fact.predicate is None else relation_type(fact.predicate, "predicate"),
        value=value,
        value_type=value_type,
        importance=_share(fact.importance, "importance"),
        confidence=_share(fact.confidence, "confidence"),
    )


def sound_relationship(edge: ExtractedRelationship) -> ExtractedRelationship:
    """Return a relationship as it is stored.

    Raises:
        BadUserInput: a field is missing or out of its bounds.
    """
    _require_text(type=edge.type, quote=edge.quote)
    _require_zone(validFrom=edge.valid_from, validTo=edge.valid_to)
    return replace(
        edge,
        type=relation_type(edge.type),
        description=optional_text(edge.description, "description", CONTENT_LIMIT),
        confidence=_share(edge.confidence, "confidence"),
    )


def shown(item: ExtractedEntity | ExtractedFact | ExtractedRelationship) -> dict[str, Any]:
    """Return an item as JSON values, to be listed as rejected."""
    return {name: getattr(item, name) for name in _SHOWN if getattr(item, name, None) is not None}


def storable(rejected: RejectedItem) -> RejectedItem:
    """Return a rejected item with everything that no database stores written as an escape."""
    return replace(
        rejected, kind=_escaped(rejected.kind), item=_escaped(rejected.item), reason=_escaped(rejected.reason)
    )


def _escaped(value: Any) -> Any:
    match value:
        case str():
            return value.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode()
        case dict():
            return {_escaped(str(key)): _escaped(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_escaped(inner) for inner in value]
        case bool() | int() | None:
            return value
        case float() if isfinite(value):
            return value
    return _escaped(str(value))


def _require_text(**fields: Any) -> None:
    for name, value in fields.items():
        if not isinstance(value, str):
            raise BadUserInput(f"{name} must be text.", argument=name)


def _require_zone(**instants: Instant | None) -> None:
    for name, instant in instants.items():
        if instant is not None and instant.at.tzinfo is None:
            raise BadUserInput(f"{name} needs a time zone.", argument=name)


def _share(number: Any, name: str) -> float:
    if not isinstance(number, int | float):
        raise BadUserInput(f"{name} must be a number.", argument=name)
    return within(number, 0, 1, name)
