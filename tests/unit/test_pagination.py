"""Cursors and connections: what they carry, what they refuse, and when lengths are counted."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
import strawberry
from hypothesis import given, settings
from hypothesis import strategies as st
from strawberry import Info

from schema.breadth import batched
from schema.pagination import Connection, Counts, Cursors, KeyValue, check_first, decode_cursor
from server.errors import BadUserInput

SECRET = b"a secret"
LIST = "Volume.entities|NAME ASC|{}"
VALUES: st.SearchStrategy[KeyValue] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=40),
    st.uuids(),
    st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45))])),
    st.datetimes(),
)
KEYS = st.lists(VALUES, max_size=4)


def encode(values: Sequence[KeyValue]) -> str:
    return Cursors(LIST, SECRET).of(values)


def decode(text: str, bound_to: str = LIST, secret: bytes = SECRET) -> list[KeyValue]:
    return decode_cursor(text, bound_to=bound_to, secret=secret)


def refused(text: str, bound_to: str = LIST, secret: bytes = SECRET) -> bool:
    with pytest.raises(BadUserInput) as refusal:
        decode(text, bound_to, secret)
    return refusal.value.argument == "after"


@settings(deadline=None)
@given(KEYS)
def test_a_cursor_gives_back_the_sort_key(values: list[KeyValue]) -> None:
    back = decode(encode(values))
    assert back == values
    assert list(map(type, back)) == list(map(type, values))


@settings(deadline=None)
@given(st.lists(KEYS, max_size=6))
def test_many_cursors_are_what_each_is_alone(keys: list[list[KeyValue]]) -> None:
    assert Cursors(LIST, SECRET).all_of(keys) == list(map(encode, keys))


@pytest.mark.parametrize("length", [1, 2, 3])
def test_many_cursors_of_one_length_are_what_each_is_alone(length: int) -> None:
    keys = [[str(n) * length] for n in range(10)]
    assert Cursors(LIST, SECRET).all_of(keys) == list(map(encode, keys))
    assert list(map(decode, map(encode, keys))) == keys


@settings(deadline=None)
@given(KEYS, st.data())
def test_any_change_of_one_character_is_refused(values: list[KeyValue], data: st.DataObject) -> None:
    text = encode(values)
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.one_of(st.sampled_from("ABCabc019-_+/="), st.characters()).filter(lambda c: c != text[at]))
    assert refused(text[:at] + other + text[at + 1 :])
    assert refused(text[:at] + text[at + 1 :])
    assert refused(text[:at] + other + text[at:])


def test_every_other_spelling_of_the_last_character_is_refused() -> None:
    for values in ([1], [12], [123]):  # the three lengths modulo 3, so that unused bits are met
        text = encode(values)
        for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_":
            if last != text[-1]:
                assert refused(text[:-1] + last)


@settings(deadline=None)
@given(st.text())
def test_any_other_text_is_refused(text: str) -> None:
    assert refused(text)


def test_a_cursor_of_another_list_order_filter_or_server_is_refused() -> None:
    text = encode(["a", 1])
    assert refused(text, bound_to="Volume.entities|NAME DESC|{}")
    assert refused(text, bound_to="")
    assert refused(text, secret=b"another")


def test_what_is_bound_and_what_is_held_cannot_flow_into_each_other() -> None:
    held = Cursors("a", SECRET).of(["b"])
    mac = base64.urlsafe_b64decode(held + "=" * (-len(held) % 4))[:12]
    moved = base64.urlsafe_b64encode(mac + b"]").decode().rstrip("=")
    assert refused(moved, bound_to='a["b"')


def test_a_cursor_over_32_kibibytes_is_refused_and_never_made() -> None:
    assert decode(encode(["x" * 24_500])) == ["x" * 24_500]
    assert refused("A" * 32_769)
    with pytest.raises(ValueError, match="too long"):
        encode(["x" * 24_600])


def test_a_sign_costs_a_cursor_the_bytes_that_it_has_in_utf8() -> None:
    assert len(encode(["東" * 500])) < 1500 * 4 / 3 + 64


def test_a_float_that_json_lacks_has_no_cursor() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode([float("nan")])


def test_a_secret_of_any_length_and_a_lone_surrogate_do() -> None:
    text = Cursors("\udfff", b"x" * 100).of(["\ud800"])
    assert decode(text, bound_to="\udfff", secret=b"x" * 100) == ["\ud800"]
    assert decode(encode([UUID(int=7), datetime(2024, 1, 1)])) == [UUID(int=7), datetime(2024, 1, 1)]  # noqa: DTZ001


@pytest.mark.parametrize("first", [0, -1, 101, 2**31 - 1])
def test_a_page_size_outside_the_limits_is_refused(first: int) -> None:
    with pytest.raises(BadUserInput) as refusal:
        check_first(first)
    assert (refusal.value.argument, refusal.value.message) == ("first", f"first must be from 1 to 100, not {first}.")


def test_a_page_size_within_the_limits_passes() -> None:
    assert [check_first(1), check_first(100), check_first(200, maximum=200)] == [1, 100, 200]


@dataclass
class Context:
    counted: list[int] = field(default_factory=list)
    loaders: dict[Any, Any] = field(default_factory=dict)


@strawberry.type
class Number:
    value: int

    @batched
    @staticmethod
    async def divisors(
        parents: list[Number], info: Info[Any, Any], after: str | None = None
    ) -> list[Connection[Number]]:
        async def load() -> list[int]:
            info.context.counted.append(len(parents))
            return [len(row) for row in rows]

        rows = [[n for n in range(1, parent.value + 1) if parent.value % n == 0] for parent in parents]
        counts = Counts(load)
        return [
            Connection(
                nodes=[Number(value=n) for n in row[:2]],
                keys=[[n] for n in row[:2]],
                cursors=Cursors(LIST, SECRET),
                has_next=len(row) > 2,
                has_previous=after is not None,
                counts=counts,
                position=position,
            )
            for position, row in enumerate(rows)
        ]


@strawberry.type
class Query:
    @strawberry.field
    def numbers(self) -> list[Number]:
        return [Number(value=n) for n in (1, 6, 7)]

    @strawberry.field
    def none(self) -> Connection[Number]:
        counts = Counts(lambda: asyncio.sleep(0, [0]))
        return Connection(
            nodes=[], keys=[], cursors=Cursors(LIST, SECRET), has_next=False, has_previous=False, counts=counts
        )


SCHEMA = strawberry.Schema(Query)


async def run(query: str) -> tuple[Any, Context]:
    context = Context()
    result = await SCHEMA.execute(query, context_value=context)
    assert result.errors is None
    return result.data, context


async def test_a_connection_answers_nodes_edges_and_where_it_stands() -> None:
    data, context = await run(
        """{ numbers { divisors { nodes { value } edges { cursor node { value } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }"""
    )
    assert data["numbers"][1]["divisors"] == {
        "nodes": [{"value": 1}, {"value": 2}],
        "edges": [{"cursor": encode([n]), "node": {"value": n}} for n in (1, 2)],
        "pageInfo": {
            "hasNextPage": True,
            "hasPreviousPage": False,
            "startCursor": encode([1]),
            "endCursor": encode([2]),
        },
    }
    assert [number["divisors"]["pageInfo"]["hasNextPage"] for number in data["numbers"]] == [False, True, False]
    assert context.counted == []


async def test_a_page_after_a_cursor_has_a_page_before_it() -> None:
    data, _ = await run('{ numbers { divisors(after: "x") { pageInfo { hasPreviousPage } } } }')
    assert data["numbers"][0]["divisors"]["pageInfo"] == {"hasPreviousPage": True}


async def test_the_lengths_of_one_level_are_counted_once() -> None:
    data, context = await run(
        "{ numbers { divisors { totalCount again: totalCount nodes { divisors { totalCount } } } } }"
    )
    assert [number["divisors"]["totalCount"] for number in data["numbers"]] == [1, 4, 2]
    assert context.counted == [3, 5]


async def test_an_empty_page_has_no_cursors() -> None:
    data, _ = await run("{ none { nodes { value } edges { cursor } pageInfo { startCursor endCursor } } }")
    assert data == {"none": {"nodes": [], "edges": [], "pageInfo": {"startCursor": None, "endCursor": None}}}


async def test_a_count_is_read_once_however_often_it_is_asked_for() -> None:
    calls: list[int] = []

    async def load() -> list[int]:
        calls.append(1)
        return [3, 4]

    counts = Counts(load)
    assert [await counts.all(), await counts.all()] == [[3, 4], [3, 4]]
    assert calls == [1]


async def test_a_caller_that_is_cancelled_leaves_the_count_to_the_others() -> None:
    release = asyncio.Event()

    async def load() -> list[int]:
        await release.wait()
        return [3]

    counts = Counts(load)
    first, second = asyncio.create_task(counts.all()), asyncio.create_task(counts.all())
    await asyncio.sleep(0)
    first.cancel()
    release.set()
    assert await second == [3]
    assert first.cancelled()


def test_names_and_descriptions_are_those_of_the_relay_specification() -> None:
    sdl = SCHEMA.as_str()
    assert "type NumberConnection {" in sdl
    assert "type NumberEdge {" in sdl
    connection = SCHEMA._schema.type_map["NumberConnection"].fields  # type: ignore[attr-defined]
    assert list(connection) == ["nodes", "edges", "pageInfo", "totalCount"]
    assert all(connected.description for connected in connection.values())
