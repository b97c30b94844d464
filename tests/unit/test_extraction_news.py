"""What news says of names: offices before them, ages and scores between them, champions, results, and what it only alleges."""

from __future__ import annotations

import pytest
from extracted import Edge, edges, types


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Siemens Chief Financial Officer Anna Berg resigned.", {"Siemens", "Anna Berg"}),
        ("Turkish Foreign Minister Omar Demir met Angela Lind.", {"Omar Demir", "Angela Lind"}),
        ("He was told by the Israeli Foreign Minister, David Levin, in a call.", {"David Levin"}),
        ("New Jersey Democratic Gov. Peter Lind resigned.", {"New Jersey", "Peter Lind"}),
        ("Guitarist Robert Holm died on Dec. 1 in Los Angeles.", {"Robert Holm", "Los Angeles"}),
        ("Senate Majority Leader Anna Berg spoke.", {"Senate", "Anna Berg"}),
        ("Master Sergeant Peter Lind spoke.", {"Peter Lind"}),
        ("World Heavyweight Champion Peter Lind fought Robert Holm.", {"Peter Lind", "Robert Holm"}),
        (
            "Anna Berg established the American Research and Development Corporation.",
            {"Anna Berg", "American Research and Development Corporation"},
        ),
    ],
)
def test_offices_honours_and_dates_are_no_part_of_a_name(text: str, expected: set[str]) -> None:
    """What stands before a person in capitals is a title, its field goes with it, and a body's two fields make one name."""
    assert set(types(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("U.S. President Peter Lind spoke.", {("Peter Lind", "PRESIDENT_OF", "U.S.")}),
        ("Norway's Migration Minister Anna Berg spoke.", {("Anna Berg", "MIGRATION_MINISTER_OF", "Norway")}),
        (
            "Israel's former prime minister Anna Berg spoke.",
            {("Anna Berg", "FORMER_PRIME_MINISTER_OF", "Israel")},
        ),
        ("Kremlin spokesman Peter Lind spoke.", {("Peter Lind", "WORKS_AT", "Kremlin")}),
        ("The head of the Siemens Institute, Anna Berg, spoke.", {("Anna Berg", "WORKS_AT", "Siemens Institute")}),
        ("The lawyer for Peter Lind, Anna Berg, spoke.", set()),
        ("Oslo lawyer Anna Berg spoke.", set()),
        ("Siemens's Anna Berg spoke.", {("Anna Berg", "WORKS_AT", "Siemens")}),
    ],
)
def test_an_office_over_a_place_and_a_post_in_an_institution(text: str, expected: set[Edge]) -> None:
    """Who governs a place is something of it, who works in a seat of power works there, and who only lives somewhere is neither."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Siemens on Friday named Anna Berg as its new CEO.", {("Anna Berg", "WORKS_AT", "Siemens")}),
        ("Anna Berg beat Maria Lind 6-4, 7-6 (8-6) in Oslo.", {("Anna Berg", "BEAT", "Maria Lind")}),
        ("Peter Lind, 72, was arrested in Oslo.", {("Peter Lind", "ARRESTED_IN", "Oslo")}),
    ],
)
def test_a_weekday_an_age_and_a_score_do_not_part_a_name_from_its_verb(text: str, expected: set[Edge]) -> None:
    """The parser reads the sentence as if they were not there."""
    assert expected <= edges(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna Berg stunned the defending champion Maria Lind.", {("Anna Berg", "STUNNED", "Maria Lind")}),
        ("Anna Berg reached the final by beating Maria Lind.", {("Anna Berg", "BEAT", "Maria Lind")}),
        ("Anna Berg's victory over Maria Lind was no surprise.", {("Anna Berg", "DEFEATED", "Maria Lind")}),
        ("Anna Berg's loss to Maria Lind was no surprise.", {("Anna Berg", "LOST_TO", "Maria Lind")}),
        (
            "Siemens completed the signing of midfielder Peter Lind from Bosch.",
            {("Siemens", "SIGNED", "Peter Lind")},
        ),
        ("The Oslo-born painter Anna Berg spoke.", {("Anna Berg", "BORN_IN", "Oslo")}),
        ("Oslo-based Siemens grew.", {("Siemens", "BASED_IN", "Oslo")}),
        ("Anna Berg passed away in Oslo.", {("Anna Berg", "DIED_IN", "Oslo")}),
    ],
)
def test_who_beat_signed_or_came_from(text: str, expected: set[Edge]) -> None:
    """A name right behind what it is takes the verb; a win, a signing and an origin are edges without a verb of their own."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The former boss of the furniture firm Siemens joined Bosch.",
        "Peter Lind decided to sell Bosch.",
        "Accused of working with Anna Berg, Peter Lind fled.",
        "Norway attacked targets in Syria linked to Iran.",
        "Peter Lind arranged for Anna Berg to meet Maria Holm.",
        "Anna Berg voted for the plan but against Peter's.",
        "The Siemens hit saw its actress Anna Berg leave.",
    ],
)
def test_what_is_said_of_somebody_unnamed_or_only_planned_makes_no_edge(text: str) -> None:
    """Neither a firm for its boss, nor a plan, an accusation, a distant participle, a purpose, an ellipsis or an unnamed owner."""
    assert edges(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Peter Lind is the son of Karl Lind and his wife Anna Berg.", ("Anna Berg", "WIFE_OF", "Karl Lind")),
        ("In Oslo, Siemens fired its director Anna Berg.", ("Anna Berg", "WORKS_AT", "Siemens")),
        ("Anna Berg beat Maria Lind because she trained Kim Holm.", ("Anna Berg", "TRAINED", "Kim Holm")),
    ],
)
def test_a_pronoun_stands_for_the_subject_around_it_or_the_name_that_it_is_listed_with(
    text: str, expected: Edge
) -> None:
    """The subject of its own sentence comes before whoever was named last."""
    assert expected in edges(text)


def test_a_son_of_somebody_of_a_place_is_not_the_place_s() -> None:
    """The title of a parent is a place, not a parent."""
    assert edges("Karl Lind was the son of Peter Lind of Bergen.") == {("Karl Lind", "SON_OF", "Peter Lind")}


def test_a_place_before_a_company_s_officer_is_not_in_the_company() -> None:
    """Only what is known for a place lies around another one."""
    assert ("Raleigh", "LOCATED_IN", "Texcor") not in edges("In Raleigh, Texcor CEO Anna Berg spoke.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tom Ek and Anna Berg, the Siemens coach, spoke.", {("Anna Berg", "WORKS_AT", "Siemens")}),
        (
            "Anna Berg, director of the research division of Siemens, spoke.",
            {("Anna Berg", "WORKS_AT", "Siemens")},
        ),
        ("Anna Berg, editor at the research firm Siemens, spoke.", {("Anna Berg", "WORKS_AT", "Siemens")}),
        ("Tom Ek is a founding member of the band Pentane.", {("Tom Ek", "MEMBER_OF", "Pentane")}),
        ("Tom Ek followed, with Anna Berg in tears.", set()),
    ],
)
def test_a_post_belongs_to_the_name_before_it_and_to_the_body_behind_its_parts(text: str, expected: set[Edge]) -> None:
    """The last of a list has the post; a division's head and a firm's publisher work for the body that is named."""
    assert edges(text) == expected


def test_a_flight_is_called_by_its_number() -> None:
    """The number of a flight is part of its name."""
    assert "Oslo Airlines Flight 587" in types("Oslo Airlines Flight 587 crashed near Bergen.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("President Peter Lind named Anna Berg a judge in Oslo.", ("Anna Berg", "WORKS_AT", "Peter Lind")),
        ("Peter Lind joined Siemens to oppose the plan.", ("Peter Lind", "WORKS_AT", "Siemens")),
    ],
)
def test_nobody_is_employed_by_a_person_or_for_one_purpose(text: str, expected: Edge) -> None:
    """Who appoints for a state is no employer, who joins others to do one thing is not hired: neither works there."""
    assert expected not in edges(text)


def test_a_broadcaster_is_not_directed() -> None:
    """What a director directed is the series, though the broadcaster's name stands before the participle."""
    assert edges("It is a series from HBO, directed by Anna Berg.") == set()
