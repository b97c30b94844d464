"""Reading a document: chunks it, has each chunk extracted, and gathers what the whole document says.

Keys of one chunk's extraction are local; here they become keys of the document, and every span becomes a span of its
content. Nothing is stored and nothing is resolved against the graph.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

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
from server.services.formats.types import text_kind
from server.services.identity import exclude_each_other, match_key
from server.services.quotes import QuoteIndex
from server.services.soundness import shown, sound_entity, sound_fact, sound_relationship, storable
from server.services.surroundings import surroundings

_KNOWN = 200
_MISSING = "The quote does not occur in the document."


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


async def cut(*, title: str, content: str, mime_type: str, chunk_size: int) -> Gathering:
    """Return what gathers the chunks of a document; takes a thread, for a long content takes long."""
    kind, limit = text_kind(mime_type), chunk_size * 4 // 3
    chunks = await asyncio.to_thread(chunk, content, mime_type=kind, target=chunk_size, limit=limit)
    return await asyncio.to_thread(Gathering, title, content, chunks)


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
    gathering = await cut(title=title, content=content, mime_type=mime_type, chunk_size=chunk_size)
    total = len(gathering.reading.chunks)
    await progress(0, total)
    for number in range(total):
        gathering.add(number, await extract(gathering.text(number)))
        await progress(number + 1, total)
    return gathering.reading


class Gathering:
    """Collects the extractions of a document's chunks, in order. The same answers make the same reading."""

    def __init__(self, title: str, content: str, chunks: list[Chunk]) -> None:
        self.reading = Reading(chunks)
        self._title = title
        self._content = content
        self._quotes = QuoteIndex(content)
        self._around = surroundings(content, chunks)
        self._by_name: dict[str, list[str]] = {}
        self._recent: dict[str, None] = {}

    def text(self, number: int) -> ChunkText:
        """Return a chunk as an extractor sees it, with the names so far, the latest mentioned last."""
        place, things = self.reading.chunks[number], self.reading.things
        known = (KnownName(k, things[k].name, things[k].type, tuple(things[k].aliases)) for k in self._known())
        around = self._around[number]
        text = self._content[place.start : place.end]
        return ChunkText(text, self._title, tuple(known), around.headings, around.table)

    def _known(self) -> list[str]:
        return list(self._recent)[-_KNOWN:]

    def add(self, number: int, found: Extraction) -> None:
        """Add what one chunk says; items that cannot stand are rejected with the reason."""
        place = self.reading.chunks[number]
        for item in map(storable, found.rejected):
            if not item.kept or item not in self.reading.rejected:
                self.reading.rejected.append(item)
        keys = {key: key for key in self._known()}
        for entity in found.entities:
            key = self._entity(number, place, entity, keys)
            if key is not None:
                keys[entity.key] = key
        for fact in found.facts:
            self._fact(place, fact, keys)
        for edge in found.relationships:
            self._edge(place, edge, keys)

    def _entity(self, number: int, place: Chunk, said: ExtractedEntity, keys: dict[str, str]) -> str | None:
        try:
            entity = sound_entity(said, place.end - place.start)
        except BadUserInput as error:
            self._reject("entity", said, error.message)
            return None
        spans = [Span(place.start + s.start, place.start + s.end) for s in entity.mentions]
        if not spans:
            quoted = self._locate(entity.quote, place)
            if quoted is None:
                self._reject("entity", said, _MISSING)
                return None
            spans = [quoted]
        key = keys.get(entity.key) or self._same(entity) or f"{number}:{entity.key}"
        if entity.key in keys and not _named_alike(self.reading.things[key], entity):
            self._reject("entity", said, "Its key is that of another entity.")
            return None
        thing = self.reading.things.setdefault(
            key, NamedThing(entity.name, entity.type, entity.stated_type, entity.confidence)
        )
        if entity.stated_type and not thing.stated:
            thing.type, thing.stated = entity.type, True
        thing.confidence = max(thing.confidence, entity.confidence)
        thing.description = thing.description or entity.description
        names = (entity.name, *entity.aliases)
        thing.aliases += [a for a in dict.fromkeys(names) if a != thing.name and a not in thing.aliases]
        thing.mentions += [(number, span) for span in spans]
        for own in names:
            called_so = self._by_name.setdefault(match_key(own), [])
            called_so += [] if key in called_so else [key]
        self._recent.pop(key, None)
        self._recent[key] = None
        return key

    def _same(self, entity: ExtractedEntity) -> str | None:
        """Return the thing of the document that an entity is: one of its name, or one that its aliases name in full.

        Stated types that exclude each other are two things. An alias leads only to what nothing else has been said to be
        called yet: "John Smith" may be the Smith before, "Jane Smith" after that may not.
        """
        things = self.reading.things
        fit = [key for key in self._by_name.get(match_key(entity.name), ()) if _may_be(things[key], entity)]
        exact = [key for key in fit if things[key].type == entity.type]
        if fit:
            return (exact or fit)[0]
        for alias in entity.aliases:
            for key in self._by_name.get(match_key(alias), ()):
                bare = match_key(things[key].name) == match_key(alias) and not things[key].aliases
                if bare and _may_be(things[key], entity):
                    return key
        return None

    def _fact(self, place: Chunk, said: ExtractedFact, keys: dict[str, str]) -> None:
        try:
            fact = sound_fact(said)
        except BadUserInput as error:
            self._reject("fact", said, error.message)
            return
        span = self._locate(fact.quote, place)
        if fact.subject not in keys:
            self._reject("fact", said, "Its subject is not among the entities.")
        elif span is None:
            self._reject("fact", said, _MISSING)
        else:
            self.reading.statements.append(Statement(replace(fact, subject=keys[fact.subject]), span))

    def _edge(self, place: Chunk, said: ExtractedRelationship, keys: dict[str, str]) -> None:
        try:
            edge = sound_relationship(said)
        except BadUserInput as error:
            self._reject("relationship", said, error.message)
            return
        span = self._locate(edge.quote, place)
        if edge.source not in keys or edge.target not in keys:
            self._reject("relationship", said, "One of its ends is not among the entities.")
        elif span is None:
            self._reject("relationship", said, _MISSING)
        elif keys[edge.source] == keys[edge.target]:
            self._reject("relationship", said, "Both ends are the same entity.")
        else:
            edge = replace(edge, source=keys[edge.source], target=keys[edge.target])
            self.reading.statements.append(Statement(edge, span))

    def _locate(self, quote: str, place: Chunk) -> Span | None:
        found = self._quotes.locate(quote, near=place.start, within=(place.start, place.end))
        return None if found is None else Span(found[0], found[1])

    def _reject(self, kind: str, item: ExtractedEntity | ExtractedFact | ExtractedRelationship, reason: str) -> None:
        self.reading.rejected.append(storable(RejectedItem(kind, shown(item), reason)))


def _may_be(thing: NamedThing, entity: ExtractedEntity) -> bool:
    return not (thing.stated and entity.stated_type and exclude_each_other(thing.type, entity.type))


def _named_alike(thing: NamedThing, entity: ExtractedEntity) -> bool:
    own = {match_key(name) for name in (thing.name, *thing.aliases)}
    return any(match_key(name) in own for name in (entity.name, *entity.aliases))
