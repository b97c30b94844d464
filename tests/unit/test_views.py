"""Views: each has one spelling, which stands behind the ids of what was read through it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ids import GlobalId, NodeKind, decode_id, encode_id, encode_ids
from server.views import View, parse_view, spelled, view_of

INSTANTS = st.none() | st.datetimes(timezones=st.just(UTC))
VIEWS = st.builds(view_of, INSTANTS, INSTANTS, st.floats(0, 1))
BODY = "0" * 26
LAST = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)


@settings(derandomize=True)
@given(st.sampled_from(NodeKind), st.uuids(), VIEWS)
def test_an_id_brings_its_view_back(kind: NodeKind, id: UUID, view: View | None) -> None:
    assert decode_id(encode_id(kind, id, view)) == GlobalId(kind, id, view)


@settings(derandomize=True)
@given(VIEWS, VIEWS)
def test_two_views_are_spelled_alike_only_where_they_are_one(one: View | None, other: View | None) -> None:
    ids = {encode_id(NodeKind.FACT, UUID(int=1), view) for view in (one, other)}
    assert len(ids) == (1 if one == other else 2)


@settings(derandomize=True)
@given(st.lists(st.tuples(st.uuids(), VIEWS), max_size=80))
def test_many_ids_with_views_are_what_each_is_alone(pairs: list[tuple[UUID, View | None]]) -> None:
    ids, views = [id for id, _ in pairs], [view for _, view in pairs]
    assert encode_ids(NodeKind.ENTITY, ids, views) == [encode_id(NodeKind.ENTITY, id, view) for id, view in pairs]


def test_the_spelling_is_microseconds_since_the_year_1_and_the_bits_of_the_confidence() -> None:
    first = datetime(1, 1, 1, tzinfo=UTC)
    assert spelled(View(first, first + timedelta(microseconds=33), 0.0)) == "w000000000000x000000000011"
    assert spelled(View(None, LAST, 1.0)) == "x8o841f5pu7vvy3vs0000000000"
    assert encode_id(NodeKind.FACT, UUID(int=0), View(None, None, 0.5)) == f"fct_{BODY}_y3vo0000000000"


def test_the_present_view_has_no_spelling() -> None:
    assert view_of(None, None, 0) is None
    assert encode_id(NodeKind.FACT, UUID(int=0), None) == f"fct_{BODY}"


def test_an_instant_is_the_same_view_in_every_time_zone() -> None:
    here = datetime(2024, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    assert view_of(here, None) == View(datetime(2024, 1, 1, tzinfo=UTC))
    assert repr(view_of(here, None)) == repr(view_of(datetime(2024, 1, 1, tzinfo=UTC), None))


@pytest.mark.parametrize(
    "text",
    [
        *("", "w", "w00000000000", "w0000000000000", "x000000000000w000000000000", "z000000000000"),
        *("W000000000000", "w00000000000 ", "w00000000000٠", "w000000000000_", "_w000000000000", "w0_0000000000"),
        *("wvvvvvvvvvvvv", "w8o841f5pu800", "x8o841f5pu800"),
        *(
            "y0000000000000",
            "yvvvvvvvvvvvvv",
            "y8000000000000",
            "y3vs0000000001",
            "y7vu0000000000",
            "y7vs0000000000",
            "ybvo0000000000",
        ),
        *("y3vs0000000000y3vs0000000000", "y3vs0000000000w000000000000", "w000000000000" * 400),
    ],
)
def test_no_other_spelling_is_a_view(text: str) -> None:
    assert parse_view(text) is None
    assert decode_id(f"fct_{BODY}_{text}") is None
