"""Fusion: scores by meaning and by words become one ranking, and boosts stay within their bounds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ids import NodeKind
from server.services.retrieval.fusion import MOST, fuse
from server.store.searching import Candidate
from server.store.sifting import Standing

NOW = datetime(2026, 6, 1, tzinfo=UTC)
OLD = Standing(0.0, NOW - timedelta(days=36_500))


def candidate(number: int, similarity: float | None, relevance: float | None) -> Candidate:
    """Return a candidate with a number for its id."""
    return Candidate(UUID(int=number), NodeKind.MEMORY, similarity, relevance)


def fused(*candidates: Candidate, **stands: Standing) -> list[tuple[int, float]]:
    """Return (number, score) of a ranking; those that `stands` names by n and a number stand so, the others as OLD."""
    standing = {one.id: stands.get(f"n{one.id.int}", OLD) for one in candidates}
    return [(hit.id.int, round(hit.score, 4)) for hit in fuse(candidates, standing, NOW)]


def test_meaning_counts_six_tenths_and_words_four_each_scaled_over_the_candidates() -> None:
    found = fused(candidate(1, 0.8, None), candidate(2, 0.6, 4.0), candidate(3, 0.4, 8.0))
    assert found == [(1, 0.6), (2, 0.5), (3, 0.4)]


def test_without_a_word_in_common_meaning_alone_ranks() -> None:
    assert fused(candidate(1, 0.1, None), candidate(2, 0.9, None)) == [(2, 0.6), (1, 0.0)]


def test_what_waits_for_its_vector_ranks_by_its_words() -> None:
    assert fused(candidate(1, None, 5.0), candidate(2, 0.9, None), candidate(3, 0.5, None)) == [
        (2, 0.6),
        (1, 0.4),
        (3, 0.0),
    ]


def test_one_hit_has_the_full_score_of_what_it_was_found_by() -> None:
    assert fused(candidate(1, 0.3, 1.0)) == [(1, 1.0)]
    assert fused(candidate(1, 0.3, None)) == [(1, 0.6)]
    assert fused() == []


def test_places_by_meaning_and_by_words_are_told_beside_the_score() -> None:
    candidates = [candidate(1, 0.8, None), candidate(2, 0.6, 2.0), candidate(3, 0.4, 8.0)]
    hits = fuse(candidates, {one.id: OLD for one in candidates}, NOW)
    assert {hit.id.int: (hit.vector_rank, hit.text_rank) for hit in hits} == {1: (1, None), 2: (2, 2), 3: (3, 1)}


def test_at_most_a_hundred_by_each_are_ranked() -> None:
    near = [candidate(n, 0.9 - n / 1000, None) for n in range(150)]
    worded = [candidate(n, 0.1, float(n)) for n in range(200, 350)]
    found = fused(*near, *worded)
    assert sorted(n for n, _ in found) == [*range(MOST), *range(250, 350)]


def test_what_may_not_be_shown_neither_ranks_nor_scales() -> None:
    candidates = [candidate(1, 0.9, None), candidate(2, 0.5, None), candidate(3, 0.4, None)]
    hits = fuse(candidates, {UUID(int=2): OLD, UUID(int=3): OLD}, NOW)
    assert [(hit.id.int, round(hit.score, 4)) for hit in hits] == [(2, 0.6), (3, 0.0)]


def test_importance_and_recency_decide_between_equals() -> None:
    two = candidate(1, 0.5, None), candidate(2, 0.5, None)
    assert fused(*two, n2=Standing(1.0, OLD.updated_at)) == [(2, 0.63), (1, 0.6)]
    assert fused(*two, n2=Standing(0.0, NOW)) == [(2, 0.63), (1, 0.6)]
    assert fused(*two, n2=Standing(0.0, NOW - timedelta(days=90))) == [(2, 0.615), (1, 0.6)]


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(0.1, 30)), min_size=2, max_size=20),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5_000)), min_size=20, max_size=20),
)
def test_boosts_never_lift_a_hit_over_one_that_is_more_than_a_tenth_better(
    scores: list[tuple[float, float]], standings: list[tuple[float, int]]
) -> None:
    candidates = [candidate(n, *pair) for n, pair in enumerate(scores)]
    plain = {hit.id: hit.score for hit in fuse(candidates, {one.id: OLD for one in candidates}, NOW)}
    stands = {
        one.id: Standing(importance, NOW - timedelta(days=age))
        for one, (importance, age) in zip(candidates, standings, strict=False)
    }
    places = {hit.id: place for place, hit in enumerate(fuse(candidates, stands, NOW))}
    for better in candidates:
        for worse in candidates:
            if plain[better.id] > 1.1026 * plain[worse.id]:
                assert places[better.id] < places[worse.id]


def test_the_most_a_score_can_be_is_what_is_documented() -> None:
    assert fused(candidate(1, 0.9, 1.0), n1=Standing(1.0, NOW)) == [(1, pytest.approx(1.1025))]
