"""Pages of a list: connections by the Relay cursor specification, and the opaque keyset cursors that turn them.

A cursor holds the sort key of one row, signed together with the list it belongs to, so that no client can make one up
or carry it to another field, order or filter. What a page holds is read elsewhere; nothing here knows our domain.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
from binascii import b2a_base64
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

import strawberry

from schema.breadth import attribute, batched
from server.errors import BadUserInput

__all__ = [
    "Connection",
    "Counts",
    "Cursors",
    "Edge",
    "KeyValue",
    "Page",
    "PageInfo",
    "check_first",
    "decode_cursor",
    "page_info",
    "totals",
]

T = TypeVar("T")
KeyValue = str | int | float | bool | datetime | UUID | None
MAX_CURSOR_LENGTH = 32 * 1024  # a name of 500 signs has a match key of up to 9,000, where one sign stands for 18
_MAC_SIZE = 12
_MAX_SIZE = MAX_CURSOR_LENGTH // 4 * 3
_URL_SAFE = bytes.maketrans(b"+/", b"-_")


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


class Cursors:
    """The cursors of one list, all bound to it: the field, its order and its filter."""

    __slots__ = ("_begun",)

    def __init__(self, bound_to: str, secret: bytes) -> None:
        self._begun = _begun(bound_to, secret)

    def of(self, values: Sequence[KeyValue]) -> str:
        """Return the cursor of a row by its sort key, in base64url without padding. An aware datetime keeps its offset, not its zone.

        Raises:
            ValueError: A float is not finite, or the cursor would be longer than `decode_cursor` accepts.
        """
        return self.all_of([values])[0]

    def all_of(self, keys: Sequence[Sequence[KeyValue]]) -> list[str]:
        """Return the cursors of rows by their sort keys, in order, at half of what `of` costs for each.

        Raises:
            ValueError: as `of`.
        """
        signed = [self.mac(payload) + payload for payload in map(_written, keys)]
        if any(len(raw) > _MAX_SIZE for raw in signed):
            raise ValueError(f"a sort key of {max(map(len, signed)) - _MAC_SIZE} bytes is too long for a cursor")
        return _base64(signed)

    def mac(self, payload: bytes) -> bytes:
        """Return what says that a sort key was written here, for this list."""
        begun = self._begun.copy()
        begun.update(payload)
        return begun.digest()


class Page(Protocol):
    """What is known of a page: the sort keys of its nodes, the list's cursors, and whether more stands on either side."""

    @property
    def keys(self) -> Sequence[Sequence[KeyValue]]: ...
    @property
    def cursors(self) -> Cursors: ...
    @property
    def has_next(self) -> bool: ...
    @property
    def has_previous(self) -> bool: ...


def _start(page: Page) -> str | None:
    return page.cursors.of(page.keys[0]) if page.keys else None


def _end(page: Page) -> str | None:
    return page.cursors.of(page.keys[-1]) if page.keys else None


def _starts(pages: Sequence[Page]) -> list[str | None]:
    return _of_all([(page.cursors, page.keys[0]) if page.keys else None for page in pages])


def _ends(pages: Sequence[Page]) -> list[str | None]:
    return _of_all([(page.cursors, page.keys[-1]) if page.keys else None for page in pages])


def _of_all(places: Sequence[tuple[Cursors, Sequence[KeyValue]] | None]) -> list[str | None]:
    """Return the cursors of places in lists, those of each list made together."""
    keys: dict[Cursors, list[Sequence[KeyValue]]] = {}
    for place in places:
        if place is not None:
            keys.setdefault(place[0], []).append(place[1])
    made = {cursors: iter(cursors.all_of(wanted)) for cursors, wanted in keys.items()}
    return [None if place is None else next(made[place[0]]) for place in places]


@strawberry.type(description="Where a page stands in its list.")
class PageInfo:
    """A view of a page: the page itself is what its fields are read from."""

    has_next_page: bool = attribute("has_next", description="Whether the list goes on after this page.")
    has_previous_page: bool = attribute("has_previous", description="Whether this page was asked for by a cursor.")
    start_cursor: str | None = attribute(
        _start, column=_starts, description="The cursor of the page's first node; null on an empty page."
    )
    end_cursor: str | None = attribute(
        _end,
        column=_ends,
        description="The cursor of the page's last node: give it as `after` for the next page. Null on an empty page.",
    )


def page_info() -> Any:
    """Declare the field of a type of pages that says where a page stands."""
    return attribute(_itself, description="Where the page stands in the list, and the cursors to go on from.")


def _itself(page: Page) -> Page:
    return page


async def totals(lists: Sequence[tuple[Counts, int]]) -> list[int]:
    """Return the length of each list, given by the counts of its level and its place there; each level is read once."""
    levels = list({id(counts): counts for counts, _ in lists}.values())
    numbers = dict(zip(map(id, levels), await asyncio.gather(*(counts.all() for counts in levels)), strict=True))
    return [numbers[id(counts)][position] for counts, position in lists]


def _cursor(edge: Edge[Any]) -> str:
    return edge.page.cursors.of(edge.page.keys[edge.index])


def _cursors(edges: Sequence[Edge[Any]]) -> list[str | None]:
    return _of_all([(edge.page.cursors, edge.page.keys[edge.index]) for edge in edges])


@strawberry.type(description="A node in its place in a list.")
class Edge(Generic[T]):
    cursor: str = attribute(
        _cursor,
        column=_cursors,
        description="The node's place in this list, in this order and with this filter; opaque. Give it as `after`.",
    )
    node: T = strawberry.field(description="The node itself.")
    index: strawberry.Private[int]
    page: strawberry.Private[Page]


def _edges(page: Connection[T]) -> list[Edge[T]]:
    return [Edge(index=index, page=page, node=node) for index, node in enumerate(page.nodes)]


@strawberry.type(description="One page of a list.")
class Connection(Generic[T]):
    nodes: list[T] = strawberry.field(description="The page's nodes, in the list's order.")
    keys: strawberry.Private[Sequence[Sequence[KeyValue]]]
    cursors: strawberry.Private[Cursors]
    has_next: strawberry.Private[bool]
    has_previous: strawberry.Private[bool]
    counts: strawberry.Private[Counts]
    position: strawberry.Private[int] = 0
    """The list's place among the level's lists in `counts`."""
    edges: list[Edge[T]] = attribute(_edges, description="The page's nodes, each with its cursor.")
    page_info: PageInfo = page_info()

    @batched(description="How many nodes the whole list has, with this filter. Counted only when it is asked for.")
    @staticmethod
    async def total_count(parents: list[Connection[T]], info: strawberry.Info[Any, Any]) -> list[int]:
        return await totals([(parent.counts, parent.position) for parent in parents])


def check_first(first: int, maximum: int = 100) -> int:
    """Return `first`, the size of a page.

    Raises:
        BadUserInput: It is outside 1..maximum.
    """
    if 1 <= first <= maximum:
        return first
    raise BadUserInput(f"first must be from 1 to {maximum}, not {first}.", argument="first")


def decode_cursor(text: str, *, bound_to: str, secret: bytes) -> list[KeyValue]:
    """Return the sort key that a cursor was made of with the same `bound_to` and `secret`.

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
        if hmac.compare_digest(mac, Cursors(bound_to, secret).mac(payload)) and _base64([raw]) == [text]:
            return [_value(plain) for plain in json.loads(payload)]
    raise BadUserInput(
        "This cursor is not of this list, with this order and filter. Leave it out to start from the first page.",
        argument="after",
    )


def _written(values: Sequence[KeyValue]) -> bytes:
    first: Any = values[0] if len(values) == 1 else None
    if _is_uuid(first.__class__):  # most lists are in the order of ids
        return b'[{"u":"%b"}]' % first.hex.encode()
    plain = [_plain(value) for value in values]
    return json.dumps(plain, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


@lru_cache(512)
def _begun(bound_to: str, secret: bytes) -> blake2b:
    """Return the hash of what all cursors of a list have in common."""
    key = blake2b(secret).digest()  # a key of any length becomes one that blake2b takes
    bound = bound_to.encode("utf-8", "surrogatepass")
    return blake2b(b"%d:%b" % (len(bound), bound), key=key, digest_size=_MAC_SIZE)


def _base64(raws: Sequence[bytes]) -> list[str]:
    """Return each in base64url without padding; those of one length are spelled as one."""
    if not raws:
        return []
    size = len(raws[0])
    if any(len(raw) != size for raw in raws):
        return [_base64([raw])[0] for raw in raws]
    gap, shown = bytes(-size % 3), (4 * size + 2) // 3
    step = (size + len(gap)) // 3 * 4
    text = b2a_base64(gap.join(raws) + gap, newline=False).translate(_URL_SAFE).decode()
    return [text[at : at + shown] for at in range(0, len(text), step)]


@cache
def _is_uuid(kind: Any) -> bool:
    return issubclass(kind, UUID)


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
