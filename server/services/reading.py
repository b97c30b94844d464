"""Reading a document: chunks it, has each chunk extracted, and gathers what the whole document says.

Keys of one chunk's extraction are local; here they become keys of the document, and every span becomes a span of its
content. Nothing is stored and nothing is resolved against the graph.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from server.errors import BadUserInput
from server.services.chunking import Chunk, chunk
from server.services.extraction.protocol import (
    ChunkText,
    ExtractedEntity,
    ExtractedFact,
    ExtractedRelationship,
    Extraction,
    KnownName,
    RejectedItem,
    Span,
)
from server.services.identity import clean_name, match_key, normalise_type, relation_type
from server.services.quotes import QuoteIndex

_KNOWN = 200


@dataclass(slots=True)
class NamedThing:
    """An entity as one document speaks of it: its names, and where they stand in the content."""

    name: str
    type: str
    stated: bool
    confidence: float
    description: str | None = None
    aliases: list[str] = field(default_factory=list)
    mentions: list[tuple[int, Span]] = field(default_factory=list)
    """(number of the chunk, span in the content)"""


@dataclass(slots=True)
class Statement:
    """A fact or relationship of the document: what the extractor said, and the verified span of its quote."""

    said: ExtractedFact | ExtractedRelationship
    span: Span


@dataclass(slots=True)
class Reading:
    """What a document says. Things are keyed by the document's keys; statements refer to those."""

    chunks: list[Chunk]
    things: dict[str, NamedThing] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    rejected: list[RejectedItem] = field(default_factory=list)


Progress = Callable[[int, int], Awaitable[None]]


async def read_document(
    extract: Callable[[ChunkText], Awaitable[Extraction]],
    *,
    title: str,
    content: str,
    mime_type: str,
    chunk_size: int,
    progress: Progress,
) -> Reading:
    """Return what a document says. `progress` is told (chunks done, chunks in all) before the first and after each."""
    chunks = await asyncio.to_thread(chunk, content, mime_type=mime_type, target=chunk_size, limit=chunk_size * 4 // 3)
    gathering = _Gathering(content, Reading(chunks))
    await progress(0, len(chunks))
    for number, place in enumerate(chunks):
        known = tuple(gathering.known())
        found = await extract(ChunkText(content[place.start : place.end], title, known))
        gathering.add(number, place, found, {name.key for name in known})
        await progress(number + 1, len(chunks))
    return gathering.reading


class _Gathering:
    """Collects the extractions of a document's chunks, in order."""

    def __init__(self, content: str, reading: Reading) -> None:
        self.reading = reading
        self._content = content
        self._quotes = QuoteIndex(content)
        self._by_name: dict[str, str] = {}
        self._recent: dict[str, None] = {}

    def known(self) -> list[KnownName]:
        """Return the names so far, the latest mentioned last."""
        names = list(self._recent)[-_KNOWN:]
        things = self.reading.things
        return [KnownName(k, things[k].name, things[k].type, tuple(things[k].aliases)) for k in names]

    def add(self, number: int, place: Chunk, found: Extraction, known: set[str]) -> None:
        """Add what one chunk says; items that cannot stand are rejected with the reason."""
        self.reading.rejected += found.rejected
        keys = {key: key for key in known}
        for entity in found.entities:
            key = self._entity(number, place, entity)
            if key is not None:
                keys[entity.key] = key
        for fact in found.facts:
            self._fact(place, fact, keys)
        for edge in found.relationships:
            self._edge(place, edge, keys)

    def _entity(self, number: int, place: Chunk, entity: ExtractedEntity) -> str | None:
        try:
            name, type = clean_name(entity.name), normalise_type(entity.type)
        except BadUserInput as error:
            self._reject("entity", _plain(entity), error.message)
            return None
        spans = [Span(place.start + s.start, place.start + s.end) for s in entity.mentions]
        if not spans:
            quoted = self._locate(entity.quote, place)
            if quoted is None:
                self._reject("entity", _plain(entity), "The quote does not occur in the document.")
                return None
            spans = [quoted]
        key = self._by_name.get(match_key(name)) or f"{number}:{entity.key}"
        thing = self.reading.things.setdefault(key, NamedThing(name, type, entity.stated_type, entity.confidence))
        if entity.stated_type and not thing.stated:
            thing.type, thing.stated = type, True
        thing.confidence = max(thing.confidence, entity.confidence)
        thing.description = thing.description or entity.description
        thing.aliases += [a for a in (name, *entity.aliases) if a != thing.name and a not in thing.aliases]
        thing.mentions += [(number, span) for span in spans]
        for own in (name, *entity.aliases):
            self._by_name.setdefault(match_key(own), key)
        self._recent.pop(key, None)
        self._recent[key] = None
        return key

    def _fact(self, place: Chunk, fact: ExtractedFact, keys: dict[str, str]) -> None:
        span = self._locate(fact.quote, place)
        if fact.subject not in keys:
            self._reject("fact", _plain(fact), "Its subject is not among the entities.")
        elif span is None:
            self._reject("fact", _plain(fact), "The quote does not occur in the document.")
        else:
            try:
                predicate = None if fact.predicate is None else relation_type(fact.predicate)
            except BadUserInput as error:
                self._reject("fact", _plain(fact), error.message)
                return
            said = replace(fact, subject=keys[fact.subject], predicate=predicate)
            self.reading.statements.append(Statement(said, span))

    def _edge(self, place: Chunk, edge: ExtractedRelationship, keys: dict[str, str]) -> None:
        span = self._locate(edge.quote, place)
        if edge.source not in keys or edge.target not in keys:
            self._reject("relationship", _plain(edge), "One of its ends is not among the entities.")
        elif span is None:
            self._reject("relationship", _plain(edge), "The quote does not occur in the document.")
        elif keys[edge.source] == keys[edge.target]:
            self._reject("relationship", _plain(edge), "Both ends are the same entity.")
        else:
            try:
                said = replace(edge, source=keys[edge.source], target=keys[edge.target], type=relation_type(edge.type))
            except BadUserInput as error:
                self._reject("relationship", _plain(edge), error.message)
                return
            self.reading.statements.append(Statement(said, span))

    def _locate(self, quote: str, place: Chunk) -> Span | None:
        found = self._quotes.locate(quote, near=place.start, within=(place.start, place.end))
        return None if found is None else Span(found[0], found[1])

    def _reject(self, kind: str, item: dict[str, Any], reason: str) -> None:
        self.reading.rejected.append(RejectedItem(kind, item, reason))


def _plain(item: ExtractedEntity | ExtractedFact | ExtractedRelationship) -> dict[str, Any]:
    """Return an item as JSON values."""
    names = ("name", "type", "subject", "content", "source", "target", "predicate", "value", "quote")
    return {name: getattr(item, name) for name in names if getattr(item, name, None) is not None}
