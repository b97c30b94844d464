"""A graph as lines of JSON: entities, facts, relationships and memories, tied together by local keys.

Reads lines into batches of what an import takes, and says which line is at fault; writes stored rows as such lines. An
entity comes before whatever refers to it. Loading and finding the rows is left to the import and the export.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar
from uuid import UUID

import orjson

from server.errors import BadUserInput, ServerError
from server.services.entities import NewEntity
from server.services.extraction.protocol import Instant
from server.services.facts import NewFact
from server.services.imports import Graph, ImportedEntity, ImportedFact, ImportedMemory, ImportedRelationship
from server.services.instants import end_of, format_instant, parse_instant
from server.services.memories import NewMemory
from server.services.relationships import EntityRef, NewRelationship
from server.store.records import EntityRecord, FactRecord, MemoryRecord, RelationshipRecord
from server.terms import Authority, Precision, ValueType

Item = ImportedEntity | ImportedFact | ImportedRelationship | ImportedMemory
Line = dict[str, Any]
E = TypeVar("E", bound=StrEnum)
_NOBODY = UUID(int=0)
_PLACE = re.compile(r"(entities|facts|relationships|memories)\[(\d+)\](?:\.(.+))?")
_KEY_LIMIT = 200


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise BadUserInput(f"{name} must be a string.", argument=name)
    return value


def _key(value: Any, name: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _KEY_LIMIT:
        raise BadUserInput(f"{name} must be a string of 1 to {_KEY_LIMIT} characters.", argument=name)
    return value


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadUserInput(f"{name} must be a number.", argument=name)
    return value


def _whole(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadUserInput(f"{name} must be a whole number.", argument=name)
    return value


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise BadUserInput(f"{name} must be true or false.", argument=name)
    return value


def _texts(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BadUserInput(f"{name} must be a list of strings.", argument=name)
    return tuple(value)


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadUserInput(f"{name} must be an object.", argument=name)
    return value


def _instant(value: Any, name: str) -> Instant:
    return parse_instant(_text(value, name), name)


def _one_of(kind: type[E]) -> Callable[[Any, str], E]:
    def read(value: Any, name: str) -> E:
        known = {one.value: one for one in kind}
        if not isinstance(value, str) or value.upper() not in known:
            raise BadUserInput(f"{name} must be one of {', '.join(known)}.", argument=name)
        return known[value.upper()]

    return read


Readers = Mapping[str, Callable[[Any, str], Any]]
_SUPPORT: Readers = {
    "validFrom": _instant,
    "validTo": _instant,
    "confidence": _number,
    "authority": _one_of(Authority),
    "quote": _text,
}
_READERS: Mapping[str, Readers] = {
    "entity": {
        "key": _key,
        "name": _text,
        "type": _text,
        "description": _text,
        "aliases": _texts,
        "sense": _text,
        "properties": _object,
        "importance": _number,
        "confidence": _number,
    },
    "fact": {
        "subject": _key,
        "content": _text,
        "category": _text,
        "predicate": _text,
        "value": _text,
        "valueType": _one_of(ValueType),
        "importance": _number,
        **_SUPPORT,
    },
    "relationship": {
        "source": _key,
        "target": _key,
        "type": _text,
        "description": _text,
        "properties": _object,
        "bidirectional": _flag,
        "strength": _number,
        **_SUPPORT,
    },
    "memory": {
        "title": _text,
        "content": _text,
        "context": _text,
        "keywords": _texts,
        "tags": _texts,
        "importance": _whole,
        "provenance": _object,
        "entities": _texts,
    },
}
_REQUIRED: Mapping[str, Sequence[str]] = {
    "entity": ("key", "name", "type"),
    "fact": ("subject", "content"),
    "relationship": ("source", "target", "type"),
    "memory": ("title", "content"),
}
_RENAMED = {"valueType": "value_type", "validFrom": "valid_from", "validTo": "valid_to"}


def parse(line: bytes) -> Item:
    """Return what one line states; a null field is as good as an absent one.

    Raises:
        BadUserInput: it is no JSON object of a known kind, or a field is missing, unknown or of another type.
    """
    kind, fields = _fields(line)
    match kind:
        case "entity":
            return ImportedEntity(fields.pop("key"), NewEntity(**fields))
        case "fact":
            return ImportedFact(fields.pop("subject"), NewFact(subject=_NOBODY, **fields))
        case "relationship":
            ends = fields.pop("source"), fields.pop("target")
            return ImportedRelationship(*ends, NewRelationship(source=EntityRef(), target=EntityRef(), **fields))
        case _:
            return ImportedMemory(fields.pop("entities", ()), NewMemory(**fields))


def _fields(line: bytes) -> tuple[str, dict[str, Any]]:
    try:
        said = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadUserInput(f"It is not JSON in UTF-8: {error}.") from error
    if not isinstance(said, dict):
        raise BadUserInput("It is not a JSON object.")
    kind = said.pop("kind", None)
    if not isinstance(kind, str) or kind not in _READERS:
        raise BadUserInput(f"kind must be one of {', '.join(_READERS)}.", argument="kind")
    readers = _READERS[kind]
    for name in said.keys() - readers.keys():
        raise BadUserInput(f"The {kind} has no field {name!r}; it has {', '.join(readers)}.", argument=name)
    given = {name: readers[name](value, name) for name, value in said.items() if value is not None}
    for name in _REQUIRED[kind]:
        if name not in given:
            raise BadUserInput(f"The {kind} needs the field {name}.", argument=name)
    return kind, {_RENAMED.get(name, name): value for name, value in given.items()}


def references(item: Item) -> tuple[str, ...]:
    """Return the keys of other lines that an item refers to."""
    match item:
        case ImportedFact():
            return (str(item.subject),)
        case ImportedRelationship():
            return (str(item.source), str(item.target))
        case ImportedMemory():
            return tuple(map(str, item.entities))
    return ()


@dataclass(slots=True)
class Batch:
    """Some lines of a file, ready to be loaded in one transaction.

    `numbers` are the line numbers, by list of the graph; `last` is the number of the last line, `bytes` the length of all.
    """

    graph: Graph
    numbers: dict[str, list[int]]
    last: int
    bytes: int

    def located(self, error: ServerError) -> ServerError:
        """Return the refusal of this batch with the number of the line in front, where it speaks of one."""
        named = _PLACE.fullmatch(error.argument or "")
        if named is None:
            return error
        return BadUserInput(f"Line {self.numbers[named[1]][int(named[2])]}: {error.message}", argument=named[3])


@dataclass(slots=True)
class _Gathered:
    """A batch under way."""

    items: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in _LISTS.values()})
    numbers: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in _LISTS.values()})
    size: int = 0
    last: int = 0
    bytes: int = 0

    def add(self, item: Item, number: int) -> None:
        name = _LISTS[type(item)]
        self.last = number
        self.items[name].append(item)
        self.numbers[name].append(number)
        self.size += 1

    def batch(self) -> Batch:
        return Batch(Graph(**self.items), self.numbers, self.last, self.bytes)


_LISTS: dict[type[Any], str] = {
    ImportedEntity: "entities",
    ImportedFact: "facts",
    ImportedRelationship: "relationships",
    ImportedMemory: "memories",
}


def read_batches(lines: Iterable[bytes], size: int) -> Iterator[Batch]:
    """Yield the items of a file in batches of `size`, as they are read. Blank lines are passed over.

    Raises:
        BadUserInput: a line is wrong, gives a key twice, or refers to a key that no line before it gives; the message
            begins with the number of the line.
    """
    keys: set[str] = set()
    gathered = _Gathered()
    for number, line in enumerate(lines, start=1):
        gathered.bytes += len(line)
        line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if not line.strip():
            continue
        try:
            gathered.add(_known(parse(line), keys), number)
        except ServerError as error:
            raise BadUserInput(f"Line {number}: {error.message}", argument=error.argument) from error
        if gathered.size == size:
            yield gathered.batch()
            gathered = _Gathered()
    if gathered.size:
        yield gathered.batch()


def _known(item: Item, keys: set[str]) -> Item:
    if isinstance(item, ImportedEntity):
        if item.key in keys:
            raise BadUserInput(f"The key {item.key} is given twice.", argument="key")
        keys.add(item.key)
    for key in references(item):
        if key not in keys:
            raise BadUserInput(f"No entity before this line has the key {key}.")
    return item


def entity_line(key: str, entity: EntityRecord, aliases: Sequence[str]) -> Line:
    """Return an entity as a line; what is not set is left out, here and below."""
    return _line(
        "entity",
        key=key,
        name=entity.name,
        type=entity.type,
        description=entity.description,
        aliases=list(aliases),
        sense=entity.sense,
        properties=entity.properties,
        importance=entity.importance,
        confidence=entity.confidence,
    )


def fact_line(subject: str, fact: FactRecord, quote: str | None) -> Line:
    """Return a fact as a line; `quote` is the source's words where they differ from the fact's own."""
    return _line(
        "fact",
        subject=subject,
        content=fact.content,
        category=fact.category,
        predicate=fact.predicate,
        value=fact.value,
        valueType=None if fact.value is None else fact.value_type,
        importance=fact.importance,
        quote=quote,
        **_claim(fact),
    )


def relationship_line(source: str, target: str, edge: RelationshipRecord, quote: str | None) -> Line:
    """Return a relationship as a line; `quote` is the source's words where they differ from what an import makes."""
    return _line(
        "relationship",
        source=source,
        target=target,
        type=edge.type,
        description=edge.description,
        properties=edge.properties,
        bidirectional=edge.bidirectional or None,
        strength=edge.strength,
        quote=quote,
        **_claim(edge),
    )


def memory_line(memory: MemoryRecord, entities: Sequence[str]) -> Line:
    """Return a memory as a line."""
    return _line(
        "memory",
        title=memory.title,
        content=memory.content,
        context=memory.context,
        keywords=memory.keywords,
        tags=memory.tags,
        importance=memory.importance,
        provenance=memory.provenance,
        entities=list(entities),
    )


def _line(kind: str, **fields: Any) -> Line:
    return {"kind": kind, **{name: value for name, value in fields.items() if value not in (None, "", [], {})}}


def _claim(claim: FactRecord | RelationshipRecord) -> Line:
    return {
        "validFrom": stated_start(claim.valid_from, claim.valid_from_precision),
        "validTo": stated_end(claim.valid_to, claim.valid_to_precision),
        "confidence": claim.confidence,
        "authority": claim.authority,
    }


def stated_start(at: datetime | None, precision: str | None) -> str | None:
    """Return the text that states a stored validFrom."""
    if at is None:
        return None
    text = format_instant(Instant(at, Precision(precision or Precision.INSTANT)))
    return text if parse_instant(text).at == at else format_instant(Instant(at, Precision.INSTANT))


def stated_end(at: datetime | None, precision: str | None) -> str | None:
    """Return the text that states a stored validTo, which is exclusive: 2025-01-01 with the precision of a year is "2024"."""
    if at is None:
        return None
    if precision in (None, Precision.INSTANT):
        return format_instant(Instant(at, Precision.INSTANT))
    text = format_instant(Instant(at - timedelta(microseconds=1), Precision(precision)))
    return text if end_of(parse_instant(text)) == at else format_instant(Instant(at, Precision.INSTANT))
