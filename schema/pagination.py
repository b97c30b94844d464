"""Pages of a list: connections by the Relay cursor specification, and the opaque keyset cursors that turn them.

A cursor holds the sort key of one row, signed together with the list it belongs to, so that no client can make one up
or carry it to another field, order or filter. What a page holds is read elsewhere; nothing here knows our domain.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Generic, TypeVar
from uuid import UUID

import strawberry

from schema.breadth import attribute, batched, computed
from server.errors import BadUserInput

__all__ = [
    "Connection",
    "Counts",
    "Edge",
    "KeyValue",
    "PageInfo",
    "check_first",
    "connect",
    "decode_cursor",
    "encode_cursor",
    "page_info",
    "totals",
]

T = TypeVar("T")
KeyValue = str | int | float | bool | datetime | UUID | None
MAX_CURSOR_LENGTH = 32 * 1024  # a name of 500 signs has a match key of up to 9,000, where one sign stands for 18
_MAC_SIZE = 12


class Counts:
    """The lengths of the lists of one level, read by one call of `load` when the first of them is asked for.

    `load` answers one number per list, in the order of the level's parents.
    """

    def __init__(self, load: Callable[[], Awaitable[Sequence[int]]]) -> None:
        self._load = load
        self._read: asyncio.Future[Sequence[int]] | None = None

    async def all(self) -> Sequence[int]:
        """Return every list's length. A caller that is cancelled does not cancel the others' read."""
        if self._read is None:
            self._read = asyncio.ensure_future(self._load())
        return await asyncio.shield(self._read)


def _start(page: PageInfo) -> str | None:
    return page.cursor_at(0) if page.length else None


def _end(page: PageInfo) -> str | None:
    return page.cursor_at(page.length - 1) if page.length else None


@strawberry.type(description="Where a page stands in its list.")
class PageInfo:
    has_next_page: bool = strawberry.field(description="Whether the list goes on after this page.")
    has_previous_page: bool = strawberry.field(description="Whether this page was asked for by a cursor.")
    start_cursor: str | None = attribute(
        _start, description="The cursor of the page's first node; null on an empty page."
    )
    end_cursor: str | None = attribute(
        _end,
        description="The cursor of the page's last node: give it as `after` for the next page. Null on an empty page.",
    )
    cursor_at: strawberry.Private[Callable[[int], str]]
    length: strawberry.Private[int]


def page_info(cursor_at: Callable[[int], str], length: int, *, has_next: bool, has_previous: bool) -> PageInfo:
    """Return where a page of `length` nodes stands; its two cursors are made when they are asked for."""
    return PageInfo(has_next_page=has_next, has_previous_page=has_previous, cursor_at=cursor_at, length=length)


async def totals(lists: Sequence[tuple[Counts, int]]) -> list[int]:
    """Return the length of each list, given by the counts of its level and its place there; each level is read once."""
    levels = list({id(counts): counts for counts, _ in lists}.values())
    numbers = dict(zip(map(id, levels), await asyncio.gather(*(counts.all() for counts in levels)), strict=True))
    return [numbers[id(counts)][position] for counts, position in lists]


def _cursor(edge: Edge[Any]) -> str:
    return edge.cursor_at(edge.index)


@strawberry.type(description="A node in its place in a list.")
class Edge(Generic[T]):
    cursor: str = attribute(
        _cursor,
        description="The node's place in this list, in this order and with this filter; opaque. Give it as `after`.",
    )
    node: T = strawberry.field(description="The node itself.")
    index: strawberry.Private[int]
    cursor_at: strawberry.Private[Callable[[int], str]]


@strawberry.type(description="One page of a list.")
class Connection(Generic[T]):
    nodes: list[T] = strawberry.field(description="The page's nodes, in the list's order.")
    cursor_at: strawberry.Private[Callable[[int], str]]
    has_next: strawberry.Private[bool]
    has_previous: strawberry.Private[bool]
    counts: strawberry.Private[Counts]
    position: strawberry.Private[int]

    @computed(description="The page's nodes, each with its cursor.")
    def edges(self) -> list[Edge[T]]:
        return [Edge(index=index, cursor_at=self.cursor_at, node=node) for index, node in enumerate(self.nodes)]

    @computed(description="Where the page stands in the list, and the cursors to go on from.")
    def page_info(self) -> PageInfo:
        return page_info(self.cursor_at, len(self.nodes), has_next=self.has_next, has_previous=self.has_previous)

    @batched(description="How many nodes the whole list has, with this filter. Counted only when it is asked for.")
    @staticmethod
    async def total_count(parents: list[Connection[T]], info: strawberry.Info[Any, Any]) -> list[int]:
        return await totals([(parent.counts, parent.position) for parent in parents])


def connect(
    nodes: list[T],
    keys: Sequence[Sequence[KeyValue]],
    *,
    bound_to: str,
    secret: bytes,
    has_next: bool,
    after: str | None,
    counts: Counts,
    position: int = 0,
) -> Connection[T]:
    """Return the page of `nodes`, whose sort keys are `keys`, one per node.

    Cursors are made only where they are asked for. `position` is the list's place among the level's lists in `counts`.
    """
    return Connection(
        nodes=nodes,
        cursor_at=lambda index: encode_cursor(keys[index], bound_to=bound_to, secret=secret),
        has_next=has_next,
        has_previous=after is not None,
        counts=counts,
        position=position,
    )


def check_first(first: int, maximum: int = 100) -> int:
    """Return `first`, the size of a page.

    Raises:
        BadUserInput: It is outside 1..maximum.
    """
    if 1 <= first <= maximum:
        return first
    raise BadUserInput(f"first must be from 1 to {maximum}, not {first}.", argument="first")


def encode_cursor(values: Sequence[KeyValue], *, bound_to: str, secret: bytes) -> str:
    """Return the cursor of a row by its sort key, in base64url without padding.

    `bound_to` names the list: the field, its order and its filter. An aware datetime keeps its offset, not its zone.

    Raises:
        ValueError: A float is not finite, or the cursor would be longer than `decode_cursor` accepts.
    """
    payload = _written(values)
    text = _base64(_mac(payload, bound_to, secret) + payload)
    if len(text) > MAX_CURSOR_LENGTH:
        raise ValueError(f"a sort key of {len(payload)} bytes is too long for a cursor")
    return text


def decode_cursor(text: str, *, bound_to: str, secret: bytes) -> list[KeyValue]:
    """Return the sort key that `encode_cursor` was given with the same `bound_to` and `secret`.

    Raises:
        BadUserInput: The cursor is malformed, was changed, or belongs to another list, order or filter.
    """
    if len(text) <= MAX_CURSOR_LENGTH and text.isascii():
        try:
            raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        except ValueError:
            raw = b""
        mac, payload = raw[:_MAC_SIZE], raw[_MAC_SIZE:]
        # The unused bits of the last character carry nothing: only one spelling of a cursor is accepted.
        if hmac.compare_digest(mac, _mac(payload, bound_to, secret)) and _base64(raw) == text:
            return [_value(plain) for plain in json.loads(payload)]
    raise BadUserInput(
        "This cursor is not of this list, with this order and filter. Leave it out to start from the first page.",
        argument="after",
    )


def _written(values: Sequence[KeyValue]) -> bytes:
    if len(values) == 1 and isinstance(values[0], UUID):  # most lists are in the order of ids
        return b'[{"u":"%b"}]' % values[0].hex.encode()
    plain = [_plain(value) for value in values]
    return json.dumps(plain, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


def _mac(payload: bytes, bound_to: str, secret: bytes) -> bytes:
    begun = _begun(bound_to, secret).copy()
    begun.update(payload)
    return begun.digest()


@lru_cache(512)
def _begun(bound_to: str, secret: bytes) -> blake2b:
    """Return the hash of what all cursors of a list have in common."""
    key = blake2b(secret).digest()  # a key of any length becomes one that blake2b takes
    bound = bound_to.encode("utf-8", "surrogatepass")
    return blake2b(b"%d:%b" % (len(bound), bound), key=key, digest_size=_MAC_SIZE)


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _plain(value: KeyValue) -> Any:
    """Return a JSON value; what JSON lacks becomes an object of one member, which no sort key is."""
    if isinstance(value, datetime):
        return {"t": value.isoformat()}
    return {"u": value.hex} if isinstance(value, UUID) else value


def _value(plain: Any) -> KeyValue:
    match plain:
        case {"t": text}:
            return datetime.fromisoformat(text)
        case {"u": digits}:
            return UUID(hex=digits)
    scalar: KeyValue = plain
    return scalar
