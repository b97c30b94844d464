"""Finding the entities of a volume that look like one, and proposing them to a person."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import orjson

from server import models
from server.app import reading
from server.auth import LOCAL
from server.config import Settings
from server.errors import Conflict, Misconfigured, NotFound
from server.ids import NodeKind, encode_id
from server.llm import Claude, ModelFailure
from server.services.decisions import Reviews
from server.services.duplicates import Candidate, Proposed, Seen, nearness, propose_stored, scan
from server.services.judging import Ask, judge
from server.services.likeness import THRESHOLD
from server.store import Store
from server.store.records import VolumeRecord
from server.store.statistics import numbers_of_volumes

__all__ = ["Counted", "Found", "as_json", "as_line", "find"]

_log = logging.getLogger("loregraph")


@dataclass(slots=True)
class Counted:
    """How far it is: entities looked at, pairs found, those of them that were not asked about before, and what Claude decided."""

    entities: int = 0
    pairs: int = 0
    proposed: int = 0
    decided: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """A pair, with the review about it that waits for a person, if one does."""

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
    """Tell `found` each pair that looks like one, by names or vectors, as it is found. Memory has a bound.

    `total` is told beforehand how many entities there are, `progress` of each batch.

    Raises:
        Misconfigured: there is no store, or it is of another version.
        NotFound: there is no such volume.
        UpstreamUnavailable: the database does not answer.
    """
    async with reading(settings) as store, _judging(settings, store, proposing=proposing) as bench:
        own = await store.volume(volume)
        if own is None:
            raise NotFound(f"There is no volume {volume}.", argument="volume")
        total((await numbers_of_volumes(store.read, models.Entity, [own.id]))[0])
        near = await nearness(store, own.id)
        async for number, pairs in scan(store.read, own.id, threshold=threshold or THRESHOLD, near=near):
            asked = await _propose(store, own.id, pairs) if proposing and pairs else [Proposed(None)] * len(pairs)
            if bench is not None:
                counted.decided += await bench.decide(own, pairs, [one.review if one.new else None for one in asked])
            counted.entities += number
            counted.pairs += len(pairs)
            counted.proposed += sum(one.new for one in asked)
            for pair, one in zip(pairs, asked, strict=True):
                found(Found(pair, one.review))
            progress(number)


@asynccontextmanager
async def _judging(settings: Settings, store: Store, *, proposing: bool) -> AsyncIterator[Bench | None]:
    """Open Claude as the judge where the settings say so."""
    if not (settings.claude_judges and proposing):
        yield None
        return
    if settings.anthropic_key is None:
        raise Misconfigured("LOREGRAPH_CLAUDE_JUDGES needs LOREGRAPH_ANTHROPIC_KEY.")
    key, limits = settings.anthropic_key.get_secret_value(), (settings.claude_max_tokens, settings.claude_timeout)
    claude = Claude(key, base_url=settings.anthropic_url, max_tokens=limits[0], timeout=limits[1])
    try:
        yield Bench(partial(claude.fill, model=settings.claude_strong_model), Reviews(store))
    finally:
        await claude.aclose()


class Bench:
    """Claude's seat: it decides what was proposed, one entity at a time, until it fails once."""

    def __init__(self, ask: Ask, reviews: Reviews) -> None:
        self._ask = ask
        self._reviews = reviews
        self._sits = True

    async def decide(self, volume: VolumeRecord, pairs: Sequence[Candidate], reviews: Sequence[UUID | None]) -> int:
        """Decide new reviews; return how many entities were judged. What is not decided waits for a person."""
        of_one: dict[UUID, list[tuple[Candidate, UUID]]] = {}
        for pair, review in zip(pairs, reviews, strict=True):
            if review is not None:
                of_one.setdefault(pair.one.id, []).append((pair, review))
        judged = 0
        for found in of_one.values():
            if not self._sits:
                break
            try:
                judged += await judge(self._ask, self._reviews, volume, found) is not None
            except ModelFailure as error:
                _log.warning("Claude judges no more: %s What is open waits for a person.", error.message)
                self._sits = False
            except Conflict as error:
                _log.info("Left open: %s", error.message)
        return judged


async def _propose(store: Store, volume: UUID, pairs: list[Candidate]) -> list[Proposed]:
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
