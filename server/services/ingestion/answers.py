"""Answers of steps as JSON, for the spool and the queue, and back.

What an extractor returned is data from outside and is checked item by item later, so that reading it back converts
what is well formed and leaves the rest as it is. JSON's NaN and lone surrogates pass through.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from typing import Any, TypeVar

from server.services.chunking import Chunk
from server.services.extraction.protocol import (
    ExtractedEntity,
    ExtractedFact,
    ExtractedRelationship,
    Extraction,
    Instant,
    RejectedItem,
    Span,
)
from server.services.reading import NamedThing, Reading, Statement
from server.terms import NO_USAGE, Precision, Usage, ValueType

__all__ = ["decode_extraction", "decode_reading", "encode"]

T = TypeVar("T")


def encode(answer: Extraction | Reading) -> str:
    """Return an answer as JSON, in ASCII; what has its default is left out."""
    return json.dumps(answer, default=_plain, separators=(",", ":"))


_known_defaults: dict[type[Any], dict[str, Any]] = {}


def _defaults(kind: type[Any]) -> dict[str, Any]:
    if kind not in _known_defaults:
        _known_defaults[kind] = {f.name: f.default for f in fields(kind)}
    return _known_defaults[kind]


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        named = ((name, getattr(value, name), default) for name, default in _defaults(type(value)).items())
        return {name: own for name, own, default in named if default is MISSING or own is not default}
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


def _make(kind: type[T], given: dict[str, Any], **converted: Any) -> T:
    known = _defaults(kind)
    return kind(**{name: value for name, value in {**given, **converted}.items() if name in known})


def _instant(given: Any) -> Any:
    with suppress(KeyError, TypeError, ValueError):
        return Instant(datetime.fromisoformat(given["at"]), Precision(given["precision"]))
    return given


def _dated(given: dict[str, Any]) -> dict[str, Any]:
    return {name: _instant(given[name]) for name in ("valid_from", "valid_to") if name in given}


def _span(given: Any) -> Any:
    with suppress(KeyError, TypeError):
        return Span(given["start"], given["end"])
    return given


def _entity(given: dict[str, Any]) -> ExtractedEntity:
    listed = {name: tuple(given[name]) for name in ("aliases",) if isinstance(given.get(name), list)}
    if isinstance(given.get("mentions"), list):
        listed["mentions"] = tuple(map(_span, given["mentions"]))
    return _make(ExtractedEntity, given, **listed)


def _fact(given: dict[str, Any]) -> ExtractedFact:
    typed: dict[str, Any] = {}
    with suppress(ValueError):
        typed["value_type"] = ValueType(given.get("value_type", ValueType.NONE))
    return _make(ExtractedFact, given, **typed, **_dated(given))


def _edge(given: dict[str, Any]) -> ExtractedRelationship:
    return _make(ExtractedRelationship, given, **_dated(given))


def _rejected(given: dict[str, Any]) -> RejectedItem:
    return _make(RejectedItem, given)


def decode_extraction(text: str) -> Extraction:
    """Return the extraction that `encode` wrote."""
    given = json.loads(text)
    return Extraction(
        [_entity(one) for one in given.get("entities", ())],
        [_fact(one) for one in given.get("facts", ())],
        [_edge(one) for one in given.get("relationships", ())],
        [_rejected(one) for one in given.get("rejected", ())],
        _usage(given.get("usage")),
        given.get("unfinished") is True,
    )


def _usage(given: Any) -> Usage:
    return Usage(*given) if isinstance(given, list) else NO_USAGE


def decode_reading(text: str) -> Reading:
    """Return the reading that `encode` wrote."""
    given = json.loads(text)
    return Reading(
        [Chunk(start, end, tuple(headings)) for start, end, headings in given["chunks"]],
        {key: _thing(one) for key, one in given.get("things", {}).items()},
        [_statement(one) for one in given.get("statements", ())],
        [_rejected(one) for one in given.get("rejected", ())],
    )


def _thing(given: dict[str, Any]) -> NamedThing:
    return _make(NamedThing, given, mentions=[(number, _span(span)) for number, span in given.get("mentions", ())])


def _statement(given: dict[str, Any]) -> Statement:
    said = given["said"]
    return Statement(_fact(said) if "subject" in said else _edge(said), _span(given["span"]))
