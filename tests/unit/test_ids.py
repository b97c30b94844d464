"""Global ids: written by a table of digits, read by the standard library."""

from __future__ import annotations

import base64
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from server.ids import GlobalId, NodeKind, decode_id, encode_id


@settings(derandomize=True)
@given(st.sampled_from(NodeKind), st.uuids())
def test_an_id_is_its_kind_and_the_base32_of_its_bytes(kind: NodeKind, id: UUID) -> None:
    digits = base64.b32hexencode(id.bytes).decode().rstrip("=").lower()
    assert encode_id(kind, id) == f"{kind.value}_{digits}"
    assert decode_id(encode_id(kind, id)) == GlobalId(kind, id)


def test_the_smallest_and_the_largest_id() -> None:
    assert encode_id(NodeKind.FACT, UUID(int=0)) == "fct_" + "0" * 26
    assert encode_id(NodeKind.FACT, UUID(int=2**128 - 1)) == "fct_" + "v" * 25 + "s"
