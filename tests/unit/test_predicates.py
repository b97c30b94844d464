"""The shipped list of predicates: it agrees with itself, and says of the common ones what one would."""

from __future__ import annotations

from server.services.identity import relation_type
from server.services.predicates import SHIPPED, Shipped, shipped
from server.terms import Cardinality


def test_every_name_is_written_as_types_are_stored() -> None:
    assert [name for name in SHIPPED if relation_type(name) != name] == []


def test_inverses_are_each_other_s_and_change_alike() -> None:
    for name, one in SHIPPED.items():
        if one.inverse is not None:
            other = shipped(one.inverse)
            assert (name, other.inverse) == (name, name)
            assert (name, other.half_life_days) == (name, one.half_life_days)


def test_of_a_symmetric_one_and_of_two_inverses_at_most_one_has_one_claim_at_a_time() -> None:
    ones = {name for name, one in SHIPPED.items() if one.cardinality is Cardinality.ONE}
    assert {name for name in ones if SHIPPED[name].inverse in ones} == set()
    assert "COSTS" in ones
    assert "WORKS_AT" not in ones


def test_every_one_says_what_it_means() -> None:
    assert [name for name, one in SHIPPED.items() if not one.description] == []


def test_what_changes_has_a_half_life_and_what_happened_has_none() -> None:
    assert {
        n: shipped(n).half_life_days for n in ("COSTS", "WORKS_AT", "LIVES_IN", "LATEST_VERSION", "EMPLOYEE_COUNT")
    } == {
        "COSTS": 180.0,
        "WORKS_AT": 730.0,
        "LIVES_IN": 730.0,
        "LATEST_VERSION": 90.0,
        "EMPLOYEE_COUNT": 365.0,
    }
    happened = ("BORN_IN", "FOUNDED_BY", "CREATED_BY", "PARENT_OF", "STUDIED_AT")
    assert {shipped(name).half_life_days for name in happened} == {None}


def test_what_is_not_listed_may_be_many_and_stays_true() -> None:
    assert shipped("SINGS") == Shipped(Cardinality.MANY, None, None, None)
