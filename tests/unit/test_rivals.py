"""Rivals: claims of one subject and one ONE-predicate against each other, sentence by sentence of the three rules."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import combinations, permutations
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.services.rivals import (
    CHALLENGED,
    DECIDED,
    LESS_SURE,
    OUTRANKED,
    TIED,
    Day,
    Decision,
    Judgement,
    Rival,
    judge,
)
from server.terms import ClaimStatus

OFFICIAL, MARKETING, USER = 0, 1, 2


def year(number: int | None) -> datetime | None:
    return None if number is None else datetime(number, 1, 1, tzinfo=UTC)


def rival(
    name: str,
    start: int | None = None,
    end: int | None = None,
    *,
    says: str | None = None,
    rank: int = USER,
    sure: float = 0.8,
) -> Rival:
    """Return a claim that says its own name unless told what; ids are in the order of names."""
    return Rival(UUID(int=ord(name)), says or name, year(start), year(end), rank, sure)


def name(id: UUID | None) -> str | None:
    return None if id is None else chr(id.int)


def stands(*rivals: Rival, decisions: Any = ()) -> dict[str, tuple[Any, ...]]:
    """Return status, year of the end and what made it end, or what has beaten it, of each claim; the same in any order."""
    found = judge(rivals, decisions)
    for other in permutations(rivals) if len(rivals) < 5 else [rivals[::-1]]:
        assert judge(other, decisions) == found
    return {
        str(name(id)): (v.status.value, None if v.at is None else v.at.year, name(v.by)) if v.by else (v.status.value,)
        for id, v in found.verdicts.items()
    }


def conflicts(*rivals: Rival, decisions: Any = ()) -> list[tuple[Any, ...]]:
    """Return status, claims, reason and winner of each conflict."""
    return [
        (d.status.value, "".join(sorted(chr(id.int) for id in d.claims)), d.reason, name(d.winner))
        for d in judge(rivals, decisions).disputes
    ]


def decided(winner: str, among: str) -> Decision:
    return Decision(UUID(int=ord(winner)), frozenset(UUID(int=ord(one)) for one in among))


CURRENT, DISPUTED = ("CURRENT",), ("DISPUTED",)


def never(by: str) -> tuple[str, None, str]:
    return "SUPERSEDED", None, by


def until(at: int, by: str, status: str = "CURRENT") -> tuple[str, int, str]:
    return status, at, by


def test_a_claim_alone_is_current_without_a_conflict() -> None:
    assert stands(rival("a")) == {"a": CURRENT}
    assert conflicts(rival("a")) == []
    assert judge([]) == Judgement({}, [], [])


def test_claims_whose_intervals_do_not_overlap_do_not_compete() -> None:
    pair = rival("a", 2020, 2022, rank=OFFICIAL), rival("b", 2022, 2023)
    assert stands(*pair) == {"a": CURRENT, "b": CURRENT}
    assert conflicts(*pair) == []


@pytest.mark.parametrize(
    ("first", "second"), [((), ()), ((2020,), ()), ((2020,), (2020,)), ((None, 2022), (None, 2025))]
)
def test_undated_or_equally_dated_the_lower_authority_never_held(first: Any, second: Any) -> None:
    pair = rival("a", *first, sure=1.0), rival("b", *second, rank=OFFICIAL, sure=0.7)
    assert stands(*pair) == {"a": never("b"), "b": CURRENT}
    assert conflicts(*pair) == [("AUTO_RESOLVED", "ab", OUTRANKED, "b")]
    assert judge(pair).verdicts[pair[0].id].reason == OUTRANKED


def test_a_lower_authority_that_is_dated_earlier_ends_where_the_higher_one_begins() -> None:
    pair = rival("a", 2020), rival("b", 2022, rank=OFFICIAL)
    assert stands(*pair) == {"a": until(2022, "b"), "b": CURRENT}
    assert conflicts(*pair) == []


def test_a_lower_authority_that_is_dated_later_challenges_the_standing_claim_which_stays_current() -> None:
    pair = rival("a", 2020, rank=OFFICIAL, sure=0.7), rival("b", 2022, sure=1.0)
    assert stands(*pair) == {"a": CURRENT, "b": DISPUTED}
    assert conflicts(*pair) == [("OPEN", "ab", CHALLENGED, None)]


def test_a_challenger_is_measured_against_what_holds_when_it_begins() -> None:
    chain = rival("a", 2018, rank=OFFICIAL), rival("b", 2020, rank=OFFICIAL)
    assert stands(*chain, rival("c", 2022)) == {"a": until(2020, "b"), "b": CURRENT, "c": DISPUTED}
    assert conflicts(*chain, rival("c", 2022)) == [("OPEN", "bc", CHALLENGED, None)]
    assert stands(*chain, rival("c", 2019)) == {"a": until(2020, "b"), "b": CURRENT, "c": until(2020, "b", "DISPUTED")}
    assert conflicts(*chain, rival("c", 2019)) == [("OPEN", "ac", CHALLENGED, None)]


def test_challengers_of_one_authority_follow_each_other_in_one_conflict() -> None:
    claims = rival("a", 2018, rank=OFFICIAL), rival("b", 2020), rival("c", 2022)
    assert stands(*claims) == {"a": CURRENT, "b": until(2022, "c", "DISPUTED"), "c": DISPUTED}
    assert conflicts(*claims) == [("OPEN", "abc", CHALLENGED, None)]


def test_of_equal_authority_the_later_holds_from_its_beginning_on() -> None:
    claims = rival("a", 2020, sure=1.0), rival("b", 2022, sure=0.7), rival("c", 2021, sure=0.7)
    assert stands(*claims) == {"a": until(2021, "c"), "b": CURRENT, "c": until(2022, "b")}
    assert conflicts(*claims) == []


def test_an_open_beginning_with_a_stated_end_is_earlier_than_any_date() -> None:
    assert stands(rival("a", None, 2023), rival("b", 2022)) == {"a": until(2022, "b"), "b": CURRENT}


def test_an_earlier_claim_does_not_come_back_where_a_later_one_has_ended() -> None:
    assert stands(rival("a", 2020), rival("b", 2021, 2022)) == {"a": until(2021, "b"), "b": CURRENT}


def test_half_overlapping_intervals_end_where_the_next_begins() -> None:
    claims = rival("a", 2020, 2023), rival("b", 2022, 2025), rival("c", 2024)
    assert stands(*claims) == {"a": until(2022, "b"), "b": until(2024, "c"), "c": CURRENT}


def test_a_return_is_a_claim_of_its_own() -> None:
    claims = rival("a", 2020, says="Acme"), rival("b", 2022, says="Beta"), rival("c", 2024, says="Acme")
    assert stands(*claims) == {"a": until(2022, "b"), "b": until(2024, "c"), "c": CURRENT}


@pytest.mark.parametrize(
    ("first", "second"), [((), ()), ((2020,), ()), ((2020,), (2020,)), ((None, 2022), (None, 2025))]
)
def test_equal_authority_without_a_telling_date_is_disputed_within_a_fifth(first: Any, second: Any) -> None:
    pair = rival("a", *first, sure=0.9), rival("b", *second, sure=0.7)
    assert stands(*pair) == {"a": DISPUTED, "b": DISPUTED}
    assert conflicts(*pair) == [("OPEN", "ab", TIED, None)]


def test_all_within_a_fifth_of_the_highest_are_disputed_in_one_conflict_and_those_below_never_held() -> None:
    claims = rival("a", sure=1.0), rival("b", sure=0.8), rival("c", sure=0.79)
    assert stands(*claims) == {"a": DISPUTED, "b": DISPUTED, "c": never("a")}
    assert conflicts(*claims) == [("AUTO_RESOLVED", "ac", LESS_SURE, "a"), ("OPEN", "ab", TIED, None)]


def test_a_single_highest_with_none_within_a_fifth_is_current() -> None:
    claims = rival("a", 2020, sure=1.0), rival("b", 2020, sure=0.75), rival("c", sure=0.7)
    assert stands(*claims) == {"a": CURRENT, "b": never("a"), "c": never("a")}
    assert conflicts(*claims) == [("AUTO_RESOLVED", "abc", LESS_SURE, "a")]


def test_a_claim_is_beaten_only_by_one_that_it_ties_with() -> None:
    claims = rival("a", 2020, sure=1.0), rival("b", 2022, sure=0.75), rival("c", sure=0.75)
    assert stands(*claims) == {"a": until(2022, "b"), "b": CURRENT, "c": never("a")}


def test_what_never_held_ends_and_disputes_nothing() -> None:
    claims = rival("a", 2020), rival("b", 2022, rank=MARKETING), rival("c", 2022, 2023, rank=OFFICIAL)
    assert stands(*claims) == {"a": until(2022, "c"), "b": never("c"), "c": CURRENT}


def test_a_disputed_pair_still_ends_what_was_before() -> None:
    claims = rival("a", 2020), rival("b", 2022, sure=0.9), rival("c", 2022)
    assert stands(*claims) == {"a": until(2022, "b"), "b": DISPUTED, "c": DISPUTED}
    assert conflicts(*claims) == [("OPEN", "bc", TIED, None)]


def test_rows_with_one_value_stand_together_as_sure_as_the_surest() -> None:
    rows = rival("a", 2020, says="x", sure=1.0), rival("b", 2020, says="x", sure=0.75)
    assert stands(*rows) == {"a": CURRENT, "b": CURRENT}
    assert conflicts(*rows) == []
    assert stands(*rows, rival("c", 2020, sure=0.7)) == {"a": CURRENT, "b": CURRENT, "c": never("a")}
    assert stands(*rows, rival("c", 2020, sure=0.9)) == {"a": DISPUTED, "b": DISPUTED, "c": DISPUTED}
    assert conflicts(*rows, rival("c", 2020, sure=0.9)) == [("OPEN", "abc", TIED, None)]


def test_dates_of_which_one_lies_within_the_other_do_not_compete() -> None:
    year, month, day, other = (
        rival(name, says=Day(date), sure=sure)  # type: ignore[arg-type]
        for name, date, sure in zip(
            "abcd", ("1815", "1815-12", "1815-12-10", "1815-11-10"), (0.8, 0.8, 1.0, 0.9), strict=True
        )
    )
    assert stands(year, month, day) == {"a": CURRENT, "b": CURRENT, "c": CURRENT}
    assert stands(year, day, other) == {"a": CURRENT, "c": DISPUTED, "d": DISPUTED}
    assert conflicts(year, month, other) == [("OPEN", "bd", TIED, None)]


def test_a_decision_lets_the_winner_hold_and_the_others_never_have_held() -> None:
    claims = rival("a"), rival("b"), rival("c")
    assert stands(*claims, decisions=[decided("b", "abc")]) == {"a": never("b"), "b": CURRENT, "c": never("b")}
    assert conflicts(*claims, decisions=[decided("b", "abc")]) == []
    assert judge(claims, [decided("b", "abc")]).verdicts[claims[0].id].reason == DECIDED


def test_a_decision_outlasts_the_loss_of_a_loser_and_ends_with_the_winner() -> None:
    assert stands(rival("a"), rival("b"), decisions=[decided("b", "abc")]) == {"a": never("b"), "b": CURRENT}
    assert stands(rival("a"), rival("c"), decisions=[decided("b", "abc")]) == {"a": DISPUTED, "c": DISPUTED}


def test_a_new_claim_in_the_dispute_reopens_what_was_decided() -> None:
    claims = rival("a"), rival("b"), rival("c")
    assert stands(*claims, decisions=[decided("b", "ab")]) == {"a": DISPUTED, "b": DISPUTED, "c": DISPUTED}
    assert judge(claims, [decided("b", "ab")]).in_force == []


def test_a_new_claim_that_disputes_nothing_leaves_the_decision_in_force() -> None:
    claims = rival("a"), rival("b"), rival("c", rank=OFFICIAL + 3)
    assert stands(*claims, decisions=[decided("b", "ab")]) == {"a": never("b"), "b": CURRENT, "c": never("b")}


def test_a_challenger_that_a_person_confirms_holds_from_its_beginning_on() -> None:
    pair = rival("a", 2020, rank=OFFICIAL), rival("b", 2022)
    assert stands(*pair, decisions=[decided("b", "ab")]) == {"a": until(2022, "b"), "b": CURRENT}
    assert stands(*pair, decisions=[decided("a", "ab")]) == {"a": CURRENT, "b": never("a")}


def test_a_challenger_that_a_person_passes_over_never_held() -> None:
    claims = rival("a", 2018, rank=OFFICIAL), rival("b", 2020), rival("c", 2022)
    found = stands(*claims, decisions=[decided("c", "abc")])
    assert found == {"a": until(2022, "c"), "b": never("a"), "c": CURRENT}


def test_the_last_of_two_decisions_counts() -> None:
    pair = rival("a"), rival("b")
    assert stands(*pair, decisions=[decided("a", "ab"), decided("b", "ab")]) == {"a": never("b"), "b": CURRENT}


YEARS = st.one_of(st.none(), st.integers(2018, 2024))


@st.composite
def claims(draw: st.DrawFn) -> list[Rival]:
    found = []
    for number in range(draw(st.integers(1, 7))):
        start, length = draw(YEARS), draw(st.one_of(st.none(), st.integers(1, 4)))
        end = None if length is None else (start or 2018) + length
        sure = draw(st.sampled_from([0.7, 0.75, 0.8, 0.9, 1.0]))
        says, rank = draw(st.sampled_from("xyz")), draw(st.sampled_from([OFFICIAL, MARKETING, USER]))
        found.append(rival(chr(ord("a") + number), start, end, says=says, rank=rank, sure=sure))
    return found


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Rival], list[Decision]]:
    rivals = draw(claims())
    ids = [one.id for one in rivals]
    among = st.sets(st.sampled_from(ids), min_size=1)
    made = draw(st.lists(among, max_size=2))
    return rivals, [Decision(draw(st.sampled_from(sorted(ids))), frozenset(ids)) for ids in made]


@given(cases(), st.randoms(use_true_random=False))
@settings(max_examples=300)
def test_the_order_of_arrival_never_matters(case: Any, random: Any) -> None:
    rivals, decisions = case
    shuffled = [*rivals]
    random.shuffle(shuffled)
    assert judge(shuffled, decisions) == judge(rivals, decisions)


@given(cases())
@settings(max_examples=300)
def test_effective_intervals_of_current_claims_with_different_values_never_overlap(case: Any) -> None:
    rivals, decisions = case
    found = judge(rivals, decisions).verdicts
    for a, b in combinations([r for r in rivals if found[r.id].status is ClaimStatus.CURRENT], 2):
        if a.says != b.says:
            one, other = (r._replace(end=min((e for e in (r.end, found[r.id].at) if e), default=None)) for r in (a, b))
            assert not one.overlaps(other)


@given(cases())
@settings(max_examples=300)
def test_who_stands_has_beaten_nobody_in_silence_and_disputes_are_told(case: Any) -> None:
    """Every disputed claim is in one open conflict, every claim that a rule has beaten in one resolved conflict with its winner."""
    rivals, decisions = case
    found = judge(rivals, decisions)
    for one in rivals:
        verdict = found.verdicts[one.id]
        opened = [d for d in found.disputes if d.status == "OPEN" and one.id in d.claims]
        lost = [d for d in found.disputes if d.winner not in (None, one.id) and one.id in d.claims]
        assert len(opened) <= 1
        assert verdict.status is not ClaimStatus.DISPUTED or len(opened) == 1
        by_rule = verdict.status is ClaimStatus.SUPERSEDED and verdict.reason != DECIDED
        assert [d.winner for d in lost] == ([verdict.by] if by_rule else [])
        assert verdict.at is None or (one.begin < verdict.at and (one.end is None or verdict.at < one.end))


@given(claims())
@settings(max_examples=300)
def test_the_surest_of_the_highest_authority_is_never_beaten(rivals: list[Rival]) -> None:
    top = min(rivals, key=lambda one: (one.rank, -one.confidence))
    assert judge(rivals).verdicts[top.id].status is not ClaimStatus.SUPERSEDED
