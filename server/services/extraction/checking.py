"""Checking what a model says of a chunk, item by item: its fields, its keys, its dates, and its quote, which must occur in the chunk."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from server.errors import BadUserInput
from server.services.extraction.asking import SaidEntity, SaidFact, SaidRelationship
from server.services.extraction.protocol import (
    ChunkText,
    ExtractedEntity,
    ExtractedFact,
    ExtractedRelationship,
    Extraction,
    Instant,
    RejectedItem,
    Span,
    ValueType,
)
from server.services.facts import clean_value
from server.services.identity import match_key
from server.services.instants import check_interval, end_of, parse_instant
from server.services.quotes import QuoteIndex
from server.services.soundness import sound_entity, sound_fact, sound_relationship

__all__ = ["Checking"]

_FIELDS: dict[str, type[BaseModel]] = {"entity": SaidEntity, "fact": SaidFact, "relationship": SaidRelationship}
_MENTIONS = 100
_CERTAIN_ENTITY, _CERTAIN_CLAIM = 0.85, 0.80
"""What is stated outright is believed as much as this."""
T = TypeVar("T")


class Checking:
    """The items of one answer, as they are found sound. Entities come first: the others refer to them."""

    def __init__(self, chunk: ChunkText) -> None:
        self.said = Extraction()
        self._text = chunk.text
        self._quotes = QuoteIndex(chunk.text)
        self._names: dict[str, set[str]] = {}
        self._keys: dict[str, set[str]] = {}
        for known in chunk.known:
            self.meet(known.key, (known.name, *known.aliases))

    def take(self, kind: str, item: Any) -> None:
        """Keep an item, or reject it with the reason."""
        try:
            if not isinstance(item, dict):
                raise BadUserInput("It is no object.")
            given = {**dict.fromkeys(_FIELDS[kind].model_fields), **item}
            match kind:
                case "entity":
                    self.said.entities.append(self._entity(given))
                case "fact":
                    self.said.facts.append(self._fact(given))
                case _:
                    self.said.relationships.append(self._edge(given))
        except BadUserInput as error:
            self.said.rejected.append(RejectedItem(kind, _shown(item), error.message))

    def _entity(self, given: dict[str, Any]) -> ExtractedEntity:
        key, aliases = _text(given["key"], "key"), given["aliases"] or []
        entity = sound_entity(
            ExtractedEntity(
                key,
                given["name"],
                given["type"],
                given["quote"],
                aliases=tuple(_text(alias, "aliases") for alias in aliases if alias)
                if isinstance(aliases, list)
                else (),
                description=_optional(given["description"], "description"),
                stated_type=True,
                confidence=_confidence(given["confidence"], _CERTAIN_ENTITY),
            ),
            len(self._text),
        )
        quote = self._locate(entity.quote)
        names = (entity.name, *entity.aliases)
        if key in self._keys and not self._keys[key] & {match_key(name) for name in names}:
            raise BadUserInput("Its key is that of another entity.")
        self.meet(key, names)
        return replace(entity, mentions=self._mentions(names) or (quote,))

    def _fact(self, given: dict[str, Any]) -> ExtractedFact:
        since, until = _interval(given)
        value = _literal(given["value"])
        fact = sound_fact(
            ExtractedFact(
                self._key(given["subject"], "Its subject is not among the entities."),
                given["content"],
                given["quote"],
                category=_optional(given["category"], "category"),
                predicate=_optional(given["predicate"], "predicate"),
                value=value,
                value_type=_value_type(value, given["value_type"]),
                importance=_or(given["importance"], 0.5),
                valid_from=since,
                valid_to=until,
                confidence=_confidence(given["confidence"], _CERTAIN_CLAIM),
            )
        )
        self._locate(fact.quote)
        return fact

    def _edge(self, given: dict[str, Any]) -> ExtractedRelationship:
        since, until = _interval(given)
        missing = "One of its ends is not among the entities."
        edge = sound_relationship(
            ExtractedRelationship(
                self._key(given["source"], missing),
                given["type"],
                self._key(given["target"], missing),
                given["quote"],
                description=_optional(given["description"], "description"),
                valid_from=since,
                valid_to=until,
                confidence=_confidence(given["confidence"], _CERTAIN_CLAIM),
            )
        )
        if edge.source == edge.target:
            raise BadUserInput("Both ends are the same entity.")
        self._locate(edge.quote)
        return edge

    def meet(self, key: str, names: Iterable[str]) -> None:
        """Know an entity by its key and its names."""
        own = {match_key(name) for name in names}
        self._keys.setdefault(key, set()).update(own)
        for name in own:
            self._names.setdefault(name, set()).add(key)

    def _key(self, said: Any, missing: str) -> str:
        """Return the key that is meant: as it stands, or by the name of one entity."""
        if not isinstance(said, str):
            raise BadUserInput(missing)
        called = self._names.get(match_key(said), set())
        if said not in self._keys and len(called) != 1:
            raise BadUserInput(missing)
        return said if said in self._keys else next(iter(called))

    def _locate(self, quote: str) -> Span:
        found = self._quotes.locate(quote)
        if found is None:
            raise BadUserInput("The quote does not occur in the text.")
        return Span(*found)

    def _mentions(self, names: Iterable[str]) -> tuple[Span, ...]:
        """Return where the names stand as words of their own."""
        found = {
            Span(match.start(), match.end())
            for name in names
            for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", self._text)
        }
        return tuple(sorted(found, key=lambda span: (span.start, -span.end))[:_MENTIONS])


def _shown(item: Any) -> dict[str, Any]:
    """Return an item as it is listed: nothing that is nested deeper than our types can be."""
    if not isinstance(item, dict) or any(_nested(value) for value in item.values()):
        return {"value": item if isinstance(item, str | int | float | None) else "It is nested, and not shown."}
    return item


def _nested(value: Any) -> bool:
    inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return any(isinstance(one, list | dict) for one in inner)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadUserInput(f"{name} must be text.")
    return value


def _optional(value: Any, name: str) -> str | None:
    return None if value is None or value == "" else _text(value, name)


def _literal(value: Any) -> str | None:
    """Return a value as text: a number or a truth value without quotation marks means what it says."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else _optional(value, "value")


def _value_type(value: str | None, stated: Any) -> ValueType:
    """Return the type of a value: the stated one where the value is of it, else text."""
    if value is None:
        return ValueType.NONE
    with suppress(BadUserInput, ValueError):
        return clean_value(value, ValueType(stated))[1]
    return ValueType.TEXT


def _interval(given: dict[str, Any]) -> tuple[Instant | None, Instant | None]:
    """Return the stated interval, its end excluded."""
    since, until = _optional(given["valid_from"], "validFrom"), _optional(given["valid_to"], "validTo")
    start = None if since is None else parse_instant(since, "validFrom")
    end = None if until is None else parse_instant(until, "validTo")
    check_interval(start, end)
    return start, None if end is None else Instant(end_of(end), end.precision)


def _confidence(given: Any, most: float) -> Any:
    said = _or(given, most)
    return min(said, most) if isinstance(said, int | float) else said


def _or(value: T | None, default: T) -> T:
    return default if value is None else value
