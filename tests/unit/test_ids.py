"""Global ids: written by a table of digits, read by the standard library."""

from __future__ import annotations

import base64
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ids import GlobalId, NodeKind, decode_id, encode_id, encode_ids


@settings(derandomize=True)
@given(st.sampled_from(NodeKind), st.uuids())
def test_an_id_is_its_kind_and_the_base32_of_its_bytes(kind: NodeKind, id: UUID) -> None:
    digits = base64.b32hexencode(id.bytes).decode().rstrip("=").lower()
    assert encode_id(kind, id) == f"{kind.value}_{digits}"
    assert decode_id(encode_id(kind, id)) == GlobalId(kind, id)


@settings(derandomize=True)
@given(st.sampled_from(NodeKind), st.lists(st.uuids(), max_size=150))
def test_many_ids_are_what_each_is_alone(kind: NodeKind, ids: list[UUID]) -> None:
    assert encode_ids(kind, ids) == [encode_id(kind, id) for id in ids]


def test_more_ids_than_stand_in_one_number() -> None:
    ids = [UUID(int=n * 2**120 + n) for n in range(200)]
    assert encode_ids(NodeKind.MEMORY, ids) == [encode_id(NodeKind.MEMORY, id) for id in ids]


def test_the_smallest_and_the_largest_id() -> None:
    assert encode_id(NodeKind.FACT, UUID(int=0)) == "fct_" + "0" * 26
    assert encode_id(NodeKind.FACT, UUID(int=2**128 - 1)) == "fct_" + "v" * 25 + "s"


@pytest.mark.parametrize(
    "body",
    [
        "",
        *("0" * 25, "0" * 27, "0" * 25 + "1", "V" * 26, "v" * 5000),
        *(" " + "0" * 25, "+" + "0" * 25, "-" + "0" * 25, "0_0" * 8 + "00"),
        *("٠" * 26, "0" * 25 + "w", "0" * 25 + "\0"),
    ],
)
def test_no_other_spelling_is_an_id(body: str) -> None:
    assert decode_id("fct_" + body) is None
