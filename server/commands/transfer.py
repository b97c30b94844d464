"""Carrying a graph in and out of a store as lines of JSON, without a server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import BinaryIO
from uuid import UUID

import orjson

from server.app import opened, reading
from server.auth import LOCAL
from server.config import Settings
from server.errors import NotFound, ServerError
from server.services.exports import Export
from server.services.jsonl import Batch, read_batches
from server.services.knowledge import Knowledge
from server.store.records import VolumeRecord

__all__ = ["Loaded", "export_lines", "import_lines"]

_KINDS = ("entities", "facts", "relationships", "memories")


class Stopped(ServerError):
    """An import that ended early; the message says why, and which lines are in."""


@dataclass(slots=True)
class Loaded:
    """How far an import is: items by kind, those of them that were made rather than met, and the last line."""

    given: Counter[str] = field(default_factory=Counter)
    created: Counter[str] = field(default_factory=Counter)
    last: int = 0
    keys: dict[str, UUID] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """Return the counts as a phrase."""
        return ", ".join(f"{self.given[kind]:,} {kind} ({self.created[kind]:,} new)" for kind in _KINDS)


async def import_lines(
    settings: Settings, lines: Iterable[bytes], volume: str, size: int, progress: Callable[[int], None]
) -> Loaded:
    """Load lines into a volume, `size` to a transaction, making the volume where it is missing.

    `progress` is told the bytes of each batch. Vectors are left to the next server that runs on the store.

    Raises:
        Stopped: a line is wrong, or the store gave up; the batches before stay.
    """
    loaded = Loaded()
    async with opened(settings) as knowledge:
        into = await knowledge.volumes.ensure(volume, LOCAL.actor)
        try:
            for batch in read_batches(lines, size):
                await _load(knowledge, into, batch, loaded)
                progress(batch.bytes)
        except ServerError as error:
            raise Stopped(f"{error.message} {_so_far(loaded)}") from error
    return loaded


def _so_far(loaded: Loaded) -> str:
    if not loaded.last:
        return "Nothing was imported."
    return f"The lines up to {loaded.last} are in; imported again they are met, memories apart, which would double."


async def _load(knowledge: Knowledge, into: VolumeRecord, batch: Batch, loaded: Loaded) -> None:
    try:
        result = await knowledge.imports.load(into, batch.graph, LOCAL.actor, known=loaded.keys)
    except ServerError as error:
        raise batch.located(error) from error
    loaded.keys |= result.ids
    loaded.last = batch.last
    loaded.given.update({kind: len(getattr(batch.graph, kind)) for kind in _KINDS})
    loaded.created.update({kind: getattr(result, f"{kind}_created") for kind in _KINDS})


async def export_lines(settings: Settings, volume: str, out: BinaryIO) -> Export:
    """Write a volume to `out`, a line for each thing, and return what was written and left out.

    Raises:
        Misconfigured: there is no store, or it is of another version.
        NotFound: it has no such volume.
    """
    async with reading(settings) as store:
        found = await store.volume(volume)
        if found is None:
            raise NotFound(f"There is no volume {volume}.", argument="volume")
        export = Export(store, found)
        async for lines in export.batches():
            out.writelines(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)
    out.flush()
    return export
