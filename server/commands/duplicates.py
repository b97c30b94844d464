"""Finding the entities of a volume that look like one, and proposing them to a person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import orjson

from server import models
from server.app import reading
from server.auth import LOCAL
from server.config import Settings
from server.errors import NotFound
from server.ids import NodeKind, encode_id
from server.services.duplicates import Candidate, Seen, propose_stored, scan
from server.services.likeness import THRESHOLD
from server.store import Store
from server.store.statistics import numbers_of_volumes

__all__ = ["Counted", "Found", "as_json", "as_line", "find"]


@dataclass(slots=True)
class Counted:
    """How far it is: entities looked at, pairs found, and those of them that were not asked about before."""

    entities: int = 0
    pairs: int = 0
    proposed: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """A pair, with the review that was opened now, if one was."""

    pair: Candidate
    review: UUID | None


async def find(
    settings: Settings,
    volume: str,
    threshold: float | None,
    *,
    proposing: bool,
    total: Callable[[int], None],
    progress: Callable[[int], None],
    found: Callable[[Found], None],
    counted: Counted,
) -> None:
    """Tell `found` each pair that looks like one, as it is found. Memory does not grow with the volume.

    `total` is told beforehand how many entities there are, `progress` of each batch.

    Raises:
        Misconfigured: there is no store, or it is of another version.
        NotFound: there is no such volume.
        UpstreamUnavailable: the database does not answer.
    """
    async with reading(settings) as store:
        own = await store.volume(volume)
        if own is None:
            raise NotFound(f"There is no volume {volume}.", argument="volume")
        total((await numbers_of_volumes(store.read, models.Entity, [own.id]))[0])
        async for number, pairs in scan(store.read, own.id, threshold=threshold or THRESHOLD):
            reviews = await _propose(store, own.id, pairs) if proposing and pairs else [None] * len(pairs)
            counted.entities += number
            counted.pairs += len(pairs)
            counted.proposed += sum(review is not None for review in reviews)
            for pair, review in zip(pairs, reviews, strict=True):
                found(Found(pair, review))
            progress(number)


async def _propose(store: Store, volume: UUID, pairs: list[Candidate]) -> list[UUID | None]:
    async with store.write(volume, LOCAL.actor) as tx:
        return await propose_stored(tx, pairs)


def as_json(found: Found) -> str:
    """Return a pair as one line of JSON."""
    pair = found.pair
    review = None if found.review is None else encode_id(NodeKind.REVIEW, found.review)
    sides = {"left": _side(pair.one), "right": _side(pair.other)}
    told = {"score": pair.likeness.score, "reasons": list(pair.likeness.reasons), "review": review}
    return orjson.dumps(sides | told).decode()


def _side(one: Seen) -> dict[str, str | None]:
    return {"id": encode_id(NodeKind.ENTITY, one.id), "name": one.look.name, "type": one.look.type}


def as_line(found: Found) -> str:
    """Return a pair as a line of text: score, names, reasons, parted by tabs."""
    pair = found.pair
    return "\t".join(
        [f"{pair.likeness.score:.2f}", pair.one.look.name, pair.other.look.name, ", ".join(pair.likeness.reasons)]
    )
