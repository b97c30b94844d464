"""Short forms: what the offline extractor says of a text."""

from __future__ import annotations

from server.services.extraction.offline import OfflineExtractor
from server.services.extraction.protocol import ChunkText, Extraction

Edge = tuple[str, str, str]


def read(text: str, title: str = "") -> Extraction:
    return OfflineExtractor().extract(ChunkText(text, title))


def types(text: str, title: str = "") -> dict[str, str]:
    """Return the type of each entity, by its name."""
    return {entity.name: entity.type for entity in read(text, title).entities}


def edges(text: str) -> set[Edge]:
    """Return the relationships: (source, type, target)."""
    extraction = read(text)
    names = {one.key: one.name for one in extraction.entities}
    return {(names[edge.source], edge.type, names[edge.target]) for edge in extraction.relationships}
