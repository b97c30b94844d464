"""Whether all sides answer alike: the same nodes in the same order with the same words; ids too, within one database."""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

import orjson

from _query.driver import connected
from _query.sides import Side
from server.ids import decode_id

__all__ = ["Size", "compared"]


class Size(NamedTuple):
    """How large an answer is."""

    fields: int
    kilobytes: float


async def compared(sides: list[Side]) -> dict[str, Size]:
    """Return the size of each query's answer.

    Raises:
        SystemExit: two sides differ, so that comparing them is worth nothing.
    """
    sizes: dict[str, Size] = {}
    for query in sides[0].asks:
        first, size = await _answers(sides[0], query)
        sizes[query] = size
        known = {sides[0].role is None: first}
        for side in sides[1:]:
            found, _ = await _answers(side, query)
            other = known.setdefault(side.role is None, found)
            if found != other or _without_ids(found) != _without_ids(first):
                raise SystemExit(
                    f"{query}: {side.name} and {sides[0].name} differ, so comparing them is worth nothing."
                )
    return sizes


async def _answers(side: Side, query: str) -> tuple[list[Any], Size]:
    async with connected(side.process.port, 1) as (connection,):
        bodies = [await connection.ask(request) for request in side.asks[query]]
    answers = [orjson.loads(body) for body in bodies]
    for answer in answers:
        if "errors" in answer or not answer["data"]:
            raise SystemExit(f"{query}: {side.name} answers {answer.get('errors')}")
    size = Size(_fields(answers[0]["data"]), round(len(bodies[0]) / 1000, 1))
    return [_plain(answer["data"]) for answer in answers], size


def _plain(value: Any, name: str = "") -> Any:
    """Return an answer with its ids as UUIDs; of a cursor only whether there is one, since each side makes its own."""
    if isinstance(value, dict):
        return {key: _plain(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if name == "id":
        known = decode_id(value)
        return UUID(value) if known is None else known.id
    return value is not None if name == "endCursor" else value


def _without_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_ids(one) for key, one in value.items() if key != "id"}
    return [_without_ids(one) for one in value] if isinstance(value, list) else value


def _fields(value: Any) -> int:
    if isinstance(value, dict):
        return sum(1 + _fields(one) for one in value.values())
    return sum(map(_fields, value)) if isinstance(value, list) else 0
