"""Salvage: the items of an answer that was to be one JSON object of lists, whatever came instead.

JSON in a fence, prose before and after it, and an object that breaks off in the middle still give the items that are
whole. What is broken is told apart, so that nothing disappears in silence. What an item says is not looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Salvaged", "salvage"]

_DECODER = json.JSONDecoder()
_TRIES = 100
"""How many places of an answer are tried: a hostile one could have a brace at each."""


@dataclass(slots=True)
class Salvaged:
    """The items by list, in order, and the pieces that are none, each with the list that it stands in."""

    items: dict[str, list[Any]]
    broken: list[tuple[str, str]] = field(default_factory=list)
    found: bool = True
    """Whether there was any of the lists at all."""


def salvage(text: str, lists: Sequence[str]) -> Salvaged:
    """Return the items of these lists that `text` holds."""
    whole = next(_objects(text, lists), None)
    if whole is not None:
        return _of_whole(whole, lists)
    starts = list(re.finditer(rf'(?<!\\)"({"|".join(map(re.escape, lists))})"\s*:\s*\[', text))
    result = Salvaged({name: [] for name in lists}, found=bool(starts))
    for number, start in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(text)
        _pick(text[start.end() : end], start[1], result)
    return result


def _objects(text: str, lists: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text that have one of the lists, outermost first."""
    at = text.find("{")
    for _ in range(_TRIES):
        if at < 0:
            return
        value, _ = _decoded(text, at)
        if isinstance(value, dict) and any(name in value for name in lists):
            yield value
        at = text.find("{", at + 1)


def _decoded(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value that begins here and where it ends, or None."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at


def _of_whole(whole: dict[str, Any], lists: Sequence[str]) -> Salvaged:
    result = Salvaged({name: [] for name in lists})
    for name in lists:
        value = whole.get(name)
        if isinstance(value, list):
            result.items[name] = value
        elif value is not None:
            result.broken.append((name, json.dumps(value)))
    return result


def _pick(text: str, name: str, result: Salvaged) -> None:
    """Take the objects out of what is left of one list."""
    at = text.find("{")
    while at >= 0 and len(result.broken) < _TRIES:
        value, end = _decoded(text, at)
        if isinstance(value, dict):
            result.items[name].append(value)
            at = text.find("{", end)
            continue
        following = text.find("{", at + 1)
        result.broken.append((name, text[at : following if following >= 0 else len(text)].rstrip(" ,\n")))
        at = following
