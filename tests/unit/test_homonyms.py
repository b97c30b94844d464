"""Homonyms: roles of one holder, and when they show that two people of one name are two."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from server.services.homonyms import Role, role_of_edge, role_of_fact, told_apart

Y2010, Y2015, Y2020 = (datetime(year, 1, 1, tzinfo=UTC) for year in (2010, 2015, 2020))
ACME, GLOBEX = Role("CFO", "acme", "Acme"), Role("CFO", "globex", "Globex")


@pytest.mark.parametrize(
    ("type", "title"),
    [
        ("CFO_OF", "CFO"),
        ("IS_CFO_OF", "CFO"),
        ("CHIEF_FINANCIAL_OFFICER_OF", "CFO"),
        ("BECAME_PRESIDENT_OF", "PRESIDENT"),
        ("HEADS", "HEAD"),
        ("CHAIRWOMAN_OF", "CHAIR"),
    ],
)
def test_a_relationship_states_a_role_of_one_holder(type: str, title: str) -> None:
    assert role_of_edge(type, "Acme, Inc.") == Role(title, "acme", "Acme, Inc.")


@pytest.mark.parametrize("type", ["WORKS_AT", "MEMBER_OF", "ENGINEER_OF", "FOUNDED"])
def test_other_relationships_state_none(type: str) -> None:
    assert role_of_edge(type, "Acme") is None


@pytest.mark.parametrize(
    ("content", "role"),
    [
        ("CFO of Acme", ACME),
        ("Chief financial officer at Acme", ACME),
        ("The CFO of Acme since 2010", ACME),
        ("CFO of Acme 2010 to 2015", ACME),
        ("Engineer at Acme", None),
        ("Likes tea", None),
    ],
)
def test_a_fact_states_a_role_of_one_holder(content: str, role: Role | None) -> None:
    assert role_of_fact(content) == role


def test_one_role_at_two_organizations_tells_two_people_apart() -> None:
    assert told_apart([ACME], [GLOBEX]) == GLOBEX
    assert (ACME.sense, GLOBEX.sense) == ("CFO of Acme", "CFO of Globex")
    assert Role("MANAGING_DIRECTOR", "acme", "Acme").sense == "Managing director of Acme"


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ([ACME], [ACME]),
        ([ACME], []),
        ([ACME], [Role("CEO", "globex", "Globex")]),
        ([ACME, GLOBEX], [GLOBEX]),
        ([Role("CFO", "acme", "Acme", Y2010, Y2015)], [Role("CFO", "globex", "Globex", Y2015, Y2020)]),
        ([Role("CFO", "acme", "Acme", Y2015)], [Role("CFO", "globex", "Globex", Y2010, Y2015)]),
    ],
    ids=[
        "the same",
        "none said",
        "another role",
        "an organization in common",
        "one after the other",
        "one before the other",
    ],
)
def test_nothing_else_tells_them_apart(known: list[Role], said: list[Role]) -> None:
    assert told_apart(known, said) is None


def test_times_that_overlap_or_are_unknown_tell_apart() -> None:
    first = Role("CFO", "acme", "Acme", Y2010, Y2020)
    assert told_apart([first], [Role("CFO", "globex", "Globex", Y2015, None)]) is not None
    assert told_apart([first], [GLOBEX]) == GLOBEX
