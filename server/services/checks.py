"""Checks that many inputs share: ranges, lengths, counts, ids of the volume, and expected versions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar
from uuid import UUID

import orjson

from server.errors import BadUserInput, Conflict, NotFound
from server.services.identity import clean_text, clean_title
from server.store.reader import Reader
from server.store.statements import Record

T = TypeVar("T")
Changes = Mapping[str, Any]
"""The fields of an update that the caller named; absent means "leave it", None means "clear it"."""
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


class HasVersion(Protocol):
    """A row with an optimistic version."""

    @property
    def version(self) -> int: ...


def within(value: float, low: float, high: float, argument: str) -> float:
    """Return `value` if it lies between the bounds, both included.

    Raises:
        BadUserInput: it does not, or is not a number.
    """
    if not low <= value <= high:
        raise BadUserInput(f"{argument} must be from {_number(low)} to {_number(high)}.", argument=argument)
    return value


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:g}"


def optional_text(text: str | None, argument: str, limit: int) -> str | None:
    """Return a text as `clean_text` does; None and blank text are None."""
    return None if text is None or not text.strip() else clean_text(text, argument, limit)


def clean_budget(tokens: int | None, *, heeded: bool = True, spent: int = 0) -> int | None:
    """Return the tokens that a model may take for an ingestion in all, where they are bounded.

    Raises:
        BadUserInput: they are none, it has `spent` as many already, or what reads takes none, so that no bound is `heeded`.
    """
    if tokens is None:
        return None
    budget = int(within(tokens, 1, 2**31 - 1, "budget"))
    if not heeded:
        told = "A budget bounds the tokens that Claude takes, and documents are read offline here, which takes none."
        raise BadUserInput(f"{told} Leave it out, or set LOREGRAPH_ANTHROPIC_KEY.", argument="budget")
    if budget <= spent:
        told = f"It has taken {spent} tokens already: budget must be larger, for it counts those too."
        raise BadUserInput(told, argument="budget")
    return budget


def words(values: Sequence[str] | None, argument: str, count: int, limit: int = 100) -> list[str]:
    """Return keywords or tags: trimmed, without signs that nobody sees, without repeats, in order.

    Raises:
        BadUserInput: there are more than `count`, or one is blank or longer than `limit`.
    """
    cleaned = list(dict.fromkeys(clean_title(value, argument, limit) for value in values or ()))
    if len(cleaned) > count:
        raise BadUserInput(f"At most {count} {argument} fit; there are {len(cleaned)}.", argument=argument)
    return cleaned


def json_object(value: Any, argument: str, limit: int = 20_000) -> dict[str, Any]:
    """Return a JSON object of at most `limit` bytes.

    Raises:
        BadUserInput: it is no object, too large, or holds what cannot be stored.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadUserInput(f"{argument} must be a JSON object.", argument=argument)
    try:
        written = orjson.dumps(value)
    except (TypeError, RecursionError) as error:
        raise BadUserInput(f"{argument} is not JSON that can be stored: {error}.", argument=argument) from error
    if len(written) > limit:
        raise BadUserInput(f"{argument} has {len(written)} bytes; at most {limit} fit.", argument=argument)
    if _NUL.search(written):
        raise BadUserInput(f"{argument} holds a NUL character: remove it.", argument=argument)
    if orjson.loads(written) != value:  # it writes what is no finite number as null
        raise BadUserInput(f"{argument} holds a number that JSON cannot write: infinite, or none.", argument=argument)
    return value


def check_version(row: HasVersion, expected: int | None) -> None:
    """Refuse to edit another version than the caller has seen.

    Raises:
        Conflict: the row is at another version.
    """
    if expected is not None and row.version != expected:
        raise Conflict(
            f"It is at version {row.version}, not {expected}. Read it again and decide anew.",
            argument="expectedVersion",
        )


def found(row: T | None, argument: str, what: str) -> T:
    """Return the row.

    Raises:
        NotFound: there is none.
    """
    if row is None:
        raise NotFound(f"There is no such {what} in this volume.", argument=argument)
    return row


async def in_volume(
    read: Reader, record: type[Record], volume_id: UUID, ids: Sequence[UUID] | None, argument: str, what: str
) -> list[Record]:
    """Return the rows with these ids, each of this volume, without repeats. One statement.

    Raises:
        NotFound: one is unknown or of another volume.
    """
    rows = await read.by_ids(record, list(dict.fromkeys(ids or ())))
    for row in rows:
        if row is None or row.volume_id != volume_id:  # type: ignore[attr-defined]
            raise NotFound(f"There is no such {what} in this volume.", argument=argument)
    return [row for row in rows if row is not None]


async def claim_in_volume(read: Reader, record: type[Record], volume_id: UUID, id: UUID, what: str) -> Record:
    """Return the claim with this id, of this volume; for one that counts as another since a merge, the other one.

    Raises:
        NotFound: it is unknown, of another volume, or set aside because a merge has made its two ends one.
    """
    row = await one_in_volume(read, record, volume_id, id, "id", what)
    counts: UUID | None = row.folded_into  # type: ignore[attr-defined]
    if counts == id:
        raise NotFound(f"A merge has made the two ends of this {what} one: it is set aside.", argument="id")
    return row if counts is None else await one_in_volume(read, record, volume_id, counts, "id", what)


async def one_in_volume(
    read: Reader, record: type[Record], volume_id: UUID, id: UUID, argument: str, what: str
) -> Record:
    """Return the row with this id, of this volume.

    Raises:
        NotFound: it is unknown or of another volume.
    """
    return (await in_volume(read, record, volume_id, [id], argument, what))[0]
