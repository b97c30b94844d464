"""Where a parse is no ground for an edge: names out of a verb's reach, lists of places, pronouns for places, and what is only striven for."""

from __future__ import annotations

import pytest
from extracted import Edge, edges, read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna Berg waits for the boy next door: the doctor's son Peter Lind.", set()),
        ("Anna Berg met the doctor's son Peter Lind.", {("Anna Berg", "MET", "Peter Lind")}),
        (
            "Anna Berg was defeated and killed in the same cold year by the riders from the north at the Battle of Hastings.",
            set(),
        ),
        ("Anna Berg was killed at the Battle of Hastings.", {("Anna Berg", "KILLED_AT", "Battle of Hastings")}),
        (
            "Anna Berg flew from Oslo to Bergen.",
            {("Anna Berg", "FLEW_FROM", "Oslo"), ("Anna Berg", "FLEW_TO", "Bergen")},
        ),
    ],
)
def test_a_name_far_from_its_verb_or_behind_a_colon_makes_no_edge(text: str, expected: set[Edge]) -> None:
    """Near its verb the same name makes one."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In the war, tanks struck Oslo and fighter jets hit Bergen.", set()),
        ("Anna Berg knows that Peter Lind is sure the man detained in Norway is her friend.", set()),
        ("In a filing with the Siemens Institute, the group, led by Acme Corp, said it sold shares.", set()),
        ("Elliott, the hedge fund led by Peter Lind, sold shares.", {("Peter Lind", "LEADS", "Elliott")}),
        (
            'Peter Lind directed "Heatwave", which won two prizes, and was shown at the Oslo Film Festival.',
            {("Peter Lind", "DIRECTED", "Heatwave")},
        ),
        (
            "Fancy Rain is a 1950 American romantic comedy film, directed by Peter Lind starring Anna Berg and Maria Lind.",
            {("Fancy Rain", "STARS", "Anna Berg"), ("Fancy Rain", "STARS", "Maria Lind")},
        ),
    ],
)
def test_a_verb_is_said_of_nobody_whom_the_parser_has_only_taken_for_its_subject(
    text: str, expected: set[Edge]
) -> None:
    """Another verb's object, the phrase that opens a sentence, and a person whose film was shown are no subjects."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The flights go from Cairns to Osaka, Nagoya, Singapore, Taipei and Fukuoka.", set()),
        ("The members France, Italy, Canada, Spain and possibly Germany came.", set()),
        ("The islands are Tonga, Samoa, Fiji, Vanuatu, Hawaii and others.", set()),
        (
            "He spoke in Paris, France, London, England and Rome, Italy.",
            {("Paris", "France"), ("London", "England"), ("Rome", "Italy")},
        ),
        ("He spoke in Cardiff, Wales, United Kingdom.", {("Cardiff", "Wales"), ("Wales", "United Kingdom")}),
    ],
)
def test_of_a_list_of_places_none_lies_in_the_next(text: str, expected: set[tuple[str, str]]) -> None:
    """Towns with their regions do, however many are listed; a country lies in none but a union."""
    assert edges(text) == {(town, "LOCATED_IN", region) for town, region in expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Siemens strives to acquire Bosch.", set()),
        ("Siemens managed to acquire Bosch.", {("Siemens", "ACQUIRED", "Bosch")}),
        ("As one of the powers that watch Iran, it has criticized Sweden.", set()),
        ("Iran has criticized Sweden.", {("Iran", "CRITICIZED", "Sweden")}),
        ("Norwegian officers are to meet with Anna Berg, arrested by Siemens.", {("Siemens", "ARRESTED", "Anna Berg")}),
        ("Siemens is to buy Bosch.", set()),
        ("Anna Berg was in Beijing last month to attend the meeting.", set()),
        ("The Crown is the largest of the British Overseas Territories.", set()),
    ],
)
def test_what_is_striven_for_over_or_said_of_a_place_by_a_pronoun_is_no_edge(text: str, expected: set[Edge]) -> None:
    """What came about, and what a place does by its name, are edges."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Peter Lind is the director of Infectious Diseases at the Royal Hospital.",
            {("Peter Lind", "WORKS_AT", "Royal Hospital")},
        ),
        (
            "Peter Lind, a senior Treasury strategist at Acme Corp, spoke.",
            {("Peter Lind", "WORKS_AT", "Acme Corp")},
        ),
        ("Israel's right-wing Prime Minister Peter Lind spoke.", {("Peter Lind", "PRIME_MINISTER_OF", "Israel")}),
        (
            "However, Britain's Prime Minister Anton Lind and US President Robert B Holm expressed sympathy with Norway.",
            {("Anton Lind", "PRIME_MINISTER_OF", "Britain")},
        ),
    ],
)
def test_a_post_is_held_where_it_says_and_by_whom_it_names_first(text: str, expected: set[Edge]) -> None:
    """A field before a post is no employer beside the one that follows "at"."""
    assert edges(text) == expected


def test_names_bound_by_hyphens_or_a_word_for_son_are_one() -> None:
    """Half a name is nobody."""
    text = "India accused Lashkar-e-Taiba, and Peter Lind supported bin Laden."
    assert {one.name for one in read(text).entities} == {"India", "Lashkar-e-Taiba", "Peter Lind", "bin Laden"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Peter Lind was riding with Anna Berg.", "RIDES_WITH"),
        ("Peter Lind felled Anna Berg.", "FELLED"),
        ("Peter Lind was ridding with Anna Berg.", "RIDS_WITH"),
    ],
)
def test_a_verb_of_which_the_model_has_made_another_keeps_its_own_name(text: str, expected: str) -> None:
    """ "Riding" is no form of "rid", for that doubles its last letter."""
    assert {kind for _, kind, _ in edges(text)} == {expected}
