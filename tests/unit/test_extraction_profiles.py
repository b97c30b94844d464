"""What lives and profiles say of people: posts, studies, families and titles, and what they only seem to say."""

from __future__ import annotations

import pytest
from extracted import Edge, edges


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Before joining Klarna, Anna Berg was a product manager at Spotify.",
            {("Anna Berg", "WORKS_AT", "Klarna"), ("Anna Berg", "WORKED_AT", "Spotify")},
        ),
        ("Anna Berg was previously a data scientist at Spotify.", {("Anna Berg", "WORKED_AT", "Spotify")}),
        ("Anna Berg spent three years as an analyst at Goldman Sachs.", {("Anna Berg", "WORKED_AT", "Goldman Sachs")}),
        ("Anna Berg spent five years at Google.", {("Anna Berg", "WORKED_AT", "Google")}),
        ("Anna Berg began her career as a reporter for The Guardian.", {("Anna Berg", "WORKED_AT", "Guardian")}),
        ("Anna Berg is a former Microsoft engineer.", {("Anna Berg", "WORKED_AT", "Microsoft")}),
        ("Anna Berg spent a year at Uppsala University.", set()),
        (
            "Anna Berg joined Spotify after working for Google.",
            {("Anna Berg", "WORKS_AT", "Spotify"), ("Anna Berg", "WORKED_AT", "Google")},
        ),
        (
            "After teaching at Yale University, Anna Berg moved to Oslo.",
            {("Anna Berg", "WORKED_AT", "Yale University"), ("Anna Berg", "MOVED_TO", "Oslo")},
        ),
    ],
)
def test_a_post_before_another_has_ended(text: str, expected: set[Edge]) -> None:
    """What somebody was before, or spent years at, is no present employment; years at a school may be a student's."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna Berg joined the faculty of Uppsala University.", {("Anna Berg", "WORKS_AT", "Uppsala University")}),
        ("Anna Berg joined the board of Spotify.", {("Anna Berg", "BOARD_MEMBER_OF", "Spotify")}),
        ("Anna Berg was elected a fellow of the Royal Society.", {("Anna Berg", "FELLOW_OF", "Royal Society")}),
        ("Anna Berg was awarded the Turing Award.", {("Anna Berg", "RECEIVED", "Turing Award")}),
        ("Anna Berg was elected mayor of Bergen.", {("Anna Berg", "MAYOR_OF", "Bergen")}),
        ("Anna Berg is a core contributor to Kubernetes.", {("Anna Berg", "CONTRIBUTOR_TO", "Kubernetes")}),
        (
            "Anna Berg succeeded Karl Holm as president of Spotify.",
            {("Anna Berg", "WORKS_AT", "Spotify"), ("Anna Berg", "SUCCEEDED", "Karl Holm")},
        ),
        (
            "Anna Berg, a visiting scholar at Uppsala University, lives in Oslo.",
            {("Anna Berg", "WORKS_AT", "Uppsala University"), ("Anna Berg", "LIVES_IN", "Oslo")},
        ),
        (
            "A graduate of Uppsala University, Anna Berg lives in Oslo.",
            {("Anna Berg", "GRADUATE_OF", "Uppsala University"), ("Anna Berg", "LIVES_IN", "Oslo")},
        ),
        (
            "Altenbrook served as the first chairman of the Swedish Academy.",
            {("Altenbrook", "WORKS_AT", "Swedish Academy")},
        ),
    ],
)
def test_posts_and_honours_are_held_where_the_sentence_says(text: str, expected: set[Edge]) -> None:
    """The noun beside the verb says what somebody is there; only a person serves as a chairman."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Anna Berg has a B.A. in history from Yale University and an MBA from Harvard Business School.",
            {("Anna Berg", "STUDIED_AT", "Yale University"), ("Anna Berg", "STUDIED_AT", "Harvard Business School")},
        ),
        (
            "Anna Berg is a biologist with degrees from Yale University and Brown University.",
            {("Anna Berg", "STUDIED_AT", "Yale University"), ("Anna Berg", "STUDIED_AT", "Brown University")},
        ),
        (
            "Anna Berg completed her doctoral studies at the University of Vienna.",
            {("Anna Berg", "STUDIED_AT", "University of Vienna")},
        ),
        ("Anna Berg graduated with honors from Yale University.", {("Anna Berg", "GRADUATED_FROM", "Yale University")}),
    ],
)
def test_a_degree_is_no_name_and_says_where_one_studied(text: str, expected: set[Edge]) -> None:
    """Every degree of a list has its own school."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Anna Berg is the wife of Karl Holm and the mother of Lise Holm.",
            {("Anna Berg", "WIFE_OF", "Karl Holm"), ("Anna Berg", "MOTHER_OF", "Lise Holm")},
        ),
        (
            "Anna Berg was the daughter of Karl Berg and Ida Lund, daughter of Peter Lund and Eva Moe.",
            {
                ("Anna Berg", "DAUGHTER_OF", "Karl Berg"),
                ("Anna Berg", "DAUGHTER_OF", "Ida Lund"),
                ("Ida Lund", "DAUGHTER_OF", "Peter Lund"),
                ("Ida Lund", "DAUGHTER_OF", "Eva Moe"),
            },
        ),
        (
            "Anna Berg is survived by a daughter, Lise Holm, and a son, Erik Holm.",
            {
                ("Lise Holm", "DAUGHTER_OF", "Anna Berg"),
                ("Erik Holm", "SON_OF", "Anna Berg"),
                ("Lise Holm", "SURVIVES", "Anna Berg"),
                ("Erik Holm", "SURVIVES", "Anna Berg"),
            },
        ),
        (
            "Anna Berg was raised by her uncle Karl Holm in the house of Peter Lund.",
            {("Karl Holm", "UNCLE_OF", "Anna Berg"), ("Karl Holm", "RAISED", "Anna Berg")},
        ),
        ("Anna Berg is married to the actor Karl Holm.", {("Anna Berg", "MARRIED_TO", "Karl Holm")}),
        (
            "Peter Holm, 2nd Earl of York, was a son of Karl Holm, 1st Earl of York and Ida Lund.",
            {("Peter Holm", "SON_OF", "Karl Holm"), ("Peter Holm", "SON_OF", "Ida Lund")},
        ),
    ],
)
def test_a_family_is_told_by_its_nouns(text: str, expected: set[Edge]) -> None:
    """Each noun has its own names, "her" is the subject's, and a numbered title is part of the name before it."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Anna Berg lives in Portland, Oregon and works at Spotify.",
            {
                ("Portland", "LOCATED_IN", "Oregon"),
                ("Anna Berg", "LIVES_IN", "Portland"),
                ("Anna Berg", "WORKS_AT", "Spotify"),
            },
        ),
        (
            "Anna Berg was born in Calgary, Alberta, Canada.",
            {
                ("Calgary", "LOCATED_IN", "Alberta"),
                ("Alberta", "LOCATED_IN", "Canada"),
                ("Anna Berg", "BORN_IN", "Calgary"),
            },
        ),
        (
            "Anna Berg died at her home in Boston, Massachusetts.",
            {("Boston", "LOCATED_IN", "Massachusetts"), ("Anna Berg", "DIED_IN", "Boston")},
        ),
        (
            "Originally from Poland, Anna Berg lives in London.",
            {("Anna Berg", "IS_FROM", "Poland"), ("Anna Berg", "LIVES_IN", "London")},
        ),
    ],
)
def test_a_place_is_one_with_its_region(text: str, expected: set[Edge]) -> None:
    """A known region after a city says where that lies, whatever follows; nobody lives from somewhere."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Karl Holm, Count of Holland and Zeeland, married Ida Lund.",
            {
                ("Karl Holm", "COUNT_OF", "Holland"),
                ("Karl Holm", "COUNT_OF", "Zeeland"),
                ("Karl Holm", "MARRIED", "Ida Lund"),
            },
        ),
        ("Karl the Bold was a brother of Peter Holm.", {("Karl the Bold", "BROTHER_OF", "Peter Holm")}),
        ("Anna Berg was First Lady of Chile.", {("Anna Berg", "FIRST_LADY_OF", "Chile")}),
        ("Holm was the son of Sir Peter Holm.", {("Holm", "SON_OF", "Peter Holm")}),
        ("Karl Holm was a brother-in-law of Anna Berg.", {("Karl Holm", "BROTHER_IN_LAW_OF", "Anna Berg")}),
        (
            "Anna Berg competed in the sprint at the 2016 Winter Olympics.",
            {("Anna Berg", "COMPETES_AT", "2016 Winter Olympics")},
        ),
        (
            "Anna Berg served as a delegate to the Nashville Convention.",
            {("Anna Berg", "DELEGATE_TO", "Nashville Convention")},
        ),
        ("Anna Berg is a co-chair of the Linux Foundation.", {("Anna Berg", "CO_CHAIR_OF", "Linux Foundation")}),
        (
            "Anna Berg is a developer of Django and a director of the Linux Foundation.",
            {("Anna Berg", "DEVELOPER_OF", "Django"), ("Anna Berg", "WORKS_AT", "Linux Foundation")},
        ),
    ],
)
def test_titles_and_roles_are_whose_they_stand_beside(text: str, expected: set[Edge]) -> None:
    """A title over places, an epithet, a relative's surname, a role of its own."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She was a friend of Anna Berg. She died in Oslo.", set()),
        ("As a son of Karl Holm, he was a member of the Swedish Academy.", set()),
        (
            "Anna Berg and Karl Holm are friends of Peter Lund and were painted by him.",
            {
                ("Anna Berg", "FRIEND_OF", "Peter Lund"),
                ("Karl Holm", "FRIEND_OF", "Peter Lund"),
                ("Peter Lund", "PAINTED", "Anna Berg"),
                ("Peter Lund", "PAINTED", "Karl Holm"),
            },
        ),
        (
            "Anna Berg lives in Oslo. Her brother Karl Holm works at Google.",
            {
                ("Anna Berg", "LIVES_IN", "Oslo"),
                ("Karl Holm", "BROTHER_OF", "Anna Berg"),
                ("Karl Holm", "WORKS_AT", "Google"),
            },
        ),
    ],
)
def test_a_pronoun_means_a_subject_or_nobody(text: str, expected: set[Edge]) -> None:
    """Somebody unnamed stays unnamed, and an object is not its own clause's subject."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Anna Berg attended the first Python workshop.",
        "Native to the Netherlands, Gallenbrook was raised at home.",
        "Anna Berg was created Baroness by Karl Holm.",
        "Anna Berg is an author, first published in France.",
        "Anna Berg met a singer from Mavrino.",
    ],
)
def test_what_only_stands_near_is_not_related(text: str) -> None:
    """A workshop is not its language, an author is not published somewhere, an origin is no employer."""
    assert edges(text) == set()


def test_or_between_subjects_gives_another_name_of_one() -> None:
    """What is said of "A or B" is said once."""
    assert edges("Anna Berg or Anna Bergen was born in Oslo.") == {("Anna Berg", "BORN_IN", "Oslo")}


def test_the_film_after_its_director_is_not_the_director() -> None:
    """A participle's name before "the film" is no apposition of it, and a person is not directed."""
    assert edges("Directed by Anna Berg, the film stars Karl Holm.") == set()
    assert edges('"Winterreise" is a film about Anna Berg directed by Karl Holm.') == {
        ("Karl Holm", "DIRECTED", "Winterreise")
    }
