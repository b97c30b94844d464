"""Short forms: script what an extractor says of a text, ingest it, and look at what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from doubles import ScriptedExtractor
from sqlalchemy import select, text

from server import models
from server.services.extraction.protocol import (
    ExtractedEntity,
    ExtractedFact,
    ExtractedRelationship,
    Extraction,
    Instant,
)
from server.store import Store
from server.terms import Precision

PAYLOAD = (
    "created document { id title uri content } "
    "ingestion { id status error chunksTotal chunksDone entitiesFound factsFound relationshipsFound "
    "rejected { kind item reason } }"
)
Item = ExtractedEntity | ExtractedFact | ExtractedRelationship


class Client(Protocol):
    """What `ingest` needs of the tests' API client."""

    extractor: ScriptedExtractor

    async def do(self, mutation: str, selection: str, **input: Any) -> dict[str, Any]: ...


def thing(name: str, type: str = "concept", **more: Any) -> ExtractedEntity:
    """An entity whose key is its name in lower case, quoted by its name."""
    return ExtractedEntity(**{"key": name.casefold(), "name": name, "type": type, "quote": name, **more})


def fact(subject: str, content: str, quote: str | None = None, **more: Any) -> ExtractedFact:
    return ExtractedFact(subject.casefold(), content, content if quote is None else quote, **more)


def edge(source: str, type: str, target: str, quote: str, **more: Any) -> ExtractedRelationship:
    return ExtractedRelationship(source.casefold(), type, target.casefold(), quote, **more)


def year(number: int) -> Instant:
    return Instant(datetime(number, 1, 1, tzinfo=UTC), Precision.YEAR)


def extraction(items: Sequence[Item]) -> Extraction:
    found = Extraction()
    for item in items:
        if isinstance(item, ExtractedEntity):
            found.entities.append(item)
        elif isinstance(item, ExtractedFact):
            found.facts.append(item)
        else:
            found.relationships.append(item)
    return found


async def ingest(api: Client, text: str, *items: Item, title: str = "Notes", **input: Any) -> dict[str, Any]:
    """Ingest a text of one chunk that says `items`, and wait for the end."""
    api.extractor.answers[text] = extraction(items)
    return await api.do("ingestDocument", PAYLOAD, **{"title": title, "text": text, "wait": True, **input})


def reasons(payload: dict[str, Any]) -> list[tuple[str, str]]:
    """What was rejected: (kind, reason)."""
    return [(item["kind"], item["reason"]) for item in payload["ingestion"]["rejected"]]


def counts(payload: dict[str, Any]) -> tuple[str, int, int, int]:
    """The ingestion's status, and how many entities, facts and relationships it found."""
    run = payload["ingestion"]
    return run["status"], run["entitiesFound"], run["factsFound"], run["relationshipsFound"]


_FILLED = text(
    " UNION ALL ".join(
        f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM \"{name}\")"
        for name in (table.name for table in models.metadata.sorted_tables)
    )
)


async def filled(store: Store) -> set[str]:
    """Return the names of the tables that have a row, in one statement: most have none, and need not be read."""
    return {row[0] for row in await store.read.rows(_FILLED)}


async def dump(store: Store, *tables: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table, or of the named ones, in order."""
    named = [t for t in models.metadata.sorted_tables if not tables or t.name in tables]
    some = await filled(store)
    return {
        t.name: sorted(map(tuple, await store.read.rows(select(t))), key=repr) if t.name in some else [] for t in named
    }


async def names(api: Any) -> list[tuple[str, str, list[str]]]:
    """Return the entities of the volume "default" by name: (name, type, aliases)."""
    data = await api.ask("{ volume { entities(first: 100) { nodes { name type aliases } } } }")
    return sorted((e["name"], e["type"], sorted(e["aliases"])) for e in data["volume"]["entities"]["nodes"])
