"""Edges of lives, institutions and companies: names that go on, who a surname means, and what a phrase hangs on."""

from __future__ import annotations

import pytest
from extracted import Edge, edges, read, types


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Burger King was founded in Oslo by Ada Roe.", "Burger King", "organization"),
        ("The funeral was held at St. Anne's Lutheran Church in Oslo.", "St. Anne's Lutheran Church", "organization"),
        (
            "Ada Lind studied at the Academy for Theatre, Radio, Film and Television in Oslo.",
            "Academy for Theatre, Radio, Film and Television",
            "organization",
        ),
        (
            "Ada Lind led the Ministry of Culture, Sport and Tourism.",
            "Ministry of Culture, Sport and Tourism",
            "organization",
        ),
        ("Ada Lind received the National Medal of Arts.", "National Medal of Arts", "award"),
        (
            "The North Branch of the Ash River is a river in Norway.",
            "North Branch of the Ash River",
            "place",
        ),
        ("Ada Lind entered the Rock and Roll Hall of Fame.", "Rock and Roll Hall of Fame", "organization"),
        (
            "Ada Lind graduated from Ash University of Science and Technology.",
            "Ash University of Science and Technology",
            "organization",
        ),
        (
            "Ada Lind edits the IEEE Robotics and Automation Letters.",
            "IEEE Robotics and Automation Letters",
            "product",
        ),
        (
            "Ada Lind works for Ash Labs (India) Private Limited.",
            "Ash Labs (India) Private Limited",
            "organization",
        ),
        ("ASH AMERICA, INC. is a subsidiary of Acme Corp.", "ASH AMERICA, INC", "organization"),
        ("Ada Lind exhibited at the Paula Roe Gallery.", "Paula Roe Gallery", "organization"),
        ("John Ash RSA was a painter.", "John Ash", "person"),
        ("Fergus mac Ronan was king of Ulster.", "Fergus mac Ronan", "person"),
    ],
)
def test_a_name_goes_on_over_what_belongs_to_it(text: str, name: str, kind: str) -> None:
    """A king in a company's name, fields of an institution, what a medal or a branch is of, the "and" of a hall, "son of"."""
    assert types(text)[name] == kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Ada Lind works for the Bank of Norway, Google and Apple.",
            {"Ada Lind", "Bank of Norway", "Google", "Apple"},
        ),
        ("The Swedish King visited Oslo.", {"Oslo"}),
        ("Ada Lind dedicated it to the young Englishman.", {"Ada Lind"}),
        ("Ada Lind holds a BA and MA from Yale University.", {"Ada Lind", "Yale University"}),
        ("Ada Lind lives in Boston, MA.", {"Ada Lind", "Boston", "MA"}),
        ("Acme supports MFA and SSO.", {"MFA", "SSO"}),
    ],
)
def test_what_names_nobody_is_no_name_and_a_list_stays_one(text: str, expected: set[str]) -> None:
    """Degrees and rulers without a name; companies after a bank; a state behind its city."""
    assert set(types(text)) == expected


def test_a_degree_is_taken_at_its_university_and_is_no_award() -> None:
    text = "Ada Lind received her BFA in 1975 at Ash University, Dallas, TX."
    assert edges(text) == {
        ("Ada Lind", "STUDIED_AT", "Ash University"),
        ("Ash University", "LOCATED_IN", "Dallas"),
        ("Dallas", "LOCATED_IN", "TX"),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Bo Lind died in Oslo. He left his wife, Ada Lind. Lind was the founder of Acme Corp.",
            ("Acme Corp.", "FOUNDED_BY", "Bo Lind"),
        ),
        (
            "Ada Marie Lind was born in Oslo. In 1990 Ada Lind moved to Bergen.",
            ("Ada Marie Lind", "MOVED_TO", "Bergen"),
        ),
        (
            "Ada Lind, KBE (10 May 1904 - 7 June 1963) was a director. She moved to Bergen.",
            ("Ada Lind", "MOVED_TO", "Bergen"),
        ),
        (
            "Ada Lind, born Šimková (11 July 1933 in Prague - 27 January 1996) was the wife of Bo Lind.",
            ("Ada Lind", "BORN_IN", "Prague"),
        ),
        (
            "The Ash Museum in Oslo closed after it sold the Lind Collection.",
            ("Ash Museum", "SOLD", "Lind Collection"),
        ),
        (
            "Robin Roe works in Oslo. The prize was founded by George Lind in honor of his wife, Ada Lind.",
            ("Ada Lind", "WIFE_OF", "George Lind"),
        ),
    ],
)
def test_a_surname_a_pronoun_and_letters_mean_who_the_text_is_about(text: str, expected: Edge) -> None:
    """Who came first, not the wife named since; the subject of the sentence, not the town behind it; who is a man for sure."""
    assert expected in edges(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Ada Lind received the Ph.D. degree from Ash University, Xi'an, Shaanxi, China, in 2018.",
            {
                ("Ash University", "LOCATED_IN", "Xi'an"),
                ("Shaanxi", "LOCATED_IN", "China"),
                ("Ada Lind", "STUDIED_AT", "Ash University"),
            },
        ),
        (
            "Ada Lind studied at the University of Tennessee, Knoxville in 1990.",
            {
                ("University of Tennessee", "LOCATED_IN", "Knoxville"),
                ("Ada Lind", "STUDIED_AT", "University of Tennessee"),
            },
        ),
        (
            "Ada Lind is a painter from Oslo, based in Bergen, Norway.",
            {
                ("Bergen", "LOCATED_IN", "Norway"),
                ("Ada Lind", "IS_FROM", "Oslo"),
                ("Ada Lind", "BASED_IN", "Bergen"),
            },
        ),
        (
            "Salt is a 1990 album by Bo Lind. It was recorded by Ada Roe, mixed by Sam Ash, and mastered by Eva Berg.",
            {
                ("Salt", "CREATED_BY", "Bo Lind"),
                ("Ada Roe", "RECORDED", "Salt"),
                ("Sam Ash", "MIXED", "Salt"),
                ("Eva Berg", "MASTERED", "Salt"),
            },
        ),
        (
            "Bo Lind obtained a doctorate at Ash University in 2023, advised by Ada Roe.",
            {("Bo Lind", "STUDIED_AT", "Ash University"), ("Ada Roe", "ADVISED", "Bo Lind")},
        ),
        ("Bo Lind was advised by Ada Roe.", {("Ada Roe", "ADVISED", "Bo Lind")}),
        ("Bo Lind realized shows in Italy, in Spain and Germany.", set()),
        (
            "Ada Lind earned a BA from Ash University in 1975 and an MFA from the Elm School of Theology.",
            {("Ada Lind", "STUDIED_AT", "Ash University"), ("Ada Lind", "STUDIED_AT", "Elm School of Theology")},
        ),
        (
            "Ada Browne, and her husband, Jo Berg (who founded the Ash Association in 1976), were members.",
            {("Jo Berg", "HUSBAND_OF", "Ada Browne"), ("Ash Association", "FOUNDED_BY", "Jo Berg")},
        ),
        ("Ada Lind was attorney general of Rhode Island.", {("Ada Lind", "ATTORNEY_GENERAL_OF", "Rhode Island")}),
        (
            "Ada Lind is the founder and artistic director of Ash Lab and director of Elm Days.",
            {
                ("Ash Lab", "FOUNDED_BY", "Ada Lind"),
                ("Ada Lind", "WORKS_AT", "Ash Lab"),
                ("Ada Lind", "WORKS_AT", "Elm Days"),
            },
        ),
        (
            "Ada Lind received an honorary doctorate from Yale University.",
            {("Ada Lind", "HONORARY_DOCTORATE_FROM", "Yale University")},
        ),
        (
            "Ada Lind competed at the 1988 Summer Olympics representing Norway.",
            {("Ada Lind", "COMPETES_AT", "1988 Summer Olympics"), ("Ada Lind", "REPRESENTS", "Norway")},
        ),
        ("Ada Lind was the Prime Minister of Togo.", {("Ada Lind", "PRIME_MINISTER_OF", "Togo")}),
        (
            "Salt is a 2017 film. It has won the Ash Prize at the Oslo Film Festival, and the Elm Prize at the Berg Film Festival.",
            {("Salt", "WON", "Ash Prize"), ("Salt", "WON", "Elm Prize")},
        ),
        ("Bo Roe was buried in St George's Chapel.", {("Bo Roe", "BURIED_IN", "St George's Chapel")}),
        ("Ada Lind was in the Eton XI of 1902.", set()),
        (
            "Ada Lind works for Liberty Bank. She lives in Liberty.",
            {("Ada Lind", "WORKS_AT", "Liberty Bank"), ("Ada Lind", "LIVES_IN", "Liberty")},
        ),
        (
            "Ada Lind exhibited in Oslo, Caracas, Washington D.C., and Miami.",
            {("Ada Lind", "EXHIBITED_IN", town) for town in ("Oslo", "Caracas", "Washington D.C.", "Miami")},
        ),
        (
            "Bo Lind worked for Google before leaving to join a startup; the company was acquired by Acme Corp.",
            {("Bo Lind", "WORKED_AT", "Google")},
        ),
        ("Ada Lind is the author of Lessons in Chemistry.", {("Ada Lind", "AUTHOR_OF", "Lessons in Chemistry")}),
        ("Ada Lind was elected a Fellow of Trinity College.", {("Ada Lind", "FELLOW_OF", "Trinity College")}),
        ("Jo Berg, sometimes spelled Jo Bergh, lives in Oslo.", {("Jo Berg", "LIVES_IN", "Oslo")}),
    ],
)
def test_what_follows_a_comma_is_said_of_who_or_what_it_can_be_said_of(text: str, expected: set[Edge]) -> None:
    """Where a university is, who is based somewhere, what was recorded and mixed, whom somebody advised."""
    assert edges(text) == expected


def test_a_ruler_whose_given_name_is_a_towns_is_called_by_it() -> None:
    text = "Adelaide of Hesse died in Oslo. Adelaide was a member of the House of Hesse."
    assert "Adelaide" not in types(text, title="Adelaide of Hesse")
    assert types(text, title="Adelaide of Hesse")["Adelaide of Hesse"] == "person"


def test_a_father_and_a_son_with_a_middle_name_are_two() -> None:
    assert set(types("Bo Lind is the father of the composer Bo Michael Lind.")) == {"Bo Lind", "Bo Michael Lind"}


def test_a_maiden_name_is_another_name_of_the_same_person() -> None:
    entity = read("Ada Lind, born Roe (11 July 1933 - 27 January 1996) was a Danish painter.").entities[0]
    assert (entity.name, entity.aliases) == ("Ada Lind", ("Roe",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada Lind was a Belgian politician and mayor of Brussels.", {("Ada Lind", "MAYOR_OF", "Brussels")}),
        (
            "Ada Lind is the chair of the joint program in physics at Ash University.",
            {("Ada Lind", "WORKS_AT", "Ash University")},
        ),
        ("Bo Roe was the head of the House of Brabant.", {("Bo Roe", "HEAD_OF", "House of Brabant")}),
        ("Ada Lind, of the House of Vasa, fled.", {("Ada Lind", "MEMBER_OF", "House of Vasa")}),
        ("Ada Lind, of the House of Lords, fled.", {("Ada Lind", "WORKS_AT", "House of Lords")}),
        (
            "Acme Corp. was founded in 1952 by Ada Roe from Oslo.",
            {("Acme Corp.", "FOUNDED_BY", "Ada Roe"), ("Ada Roe", "IS_FROM", "Oslo")},
        ),
        ("Ada Lind sold the rights to Popsicle in 1925.", set()),
        ("Ada Lind sold the house to Acme Corp. in 1925.", {("Ada Lind", "SOLD_TO", "Acme Corp.")}),
        ("Norway dropped the claims as outlined in the Oslo Treaty.", set()),
        (
            "Born as Ada Roe in Oslo, Ada Lind moved to Bergen.",
            {("Ada Lind", "BORN_IN", "Oslo"), ("Ada Lind", "MOVED_TO", "Bergen")},
        ),
        ("Ada Lind is about 6 miles from Oslo.", set()),
        ("Ada Lind is from Oslo.", {("Ada Lind", "IS_FROM", "Oslo")}),
        ("Ada Lind fainted on Independence Day.", set()),
    ],
)
def test_a_phrase_belongs_to_what_it_hangs_on(text: str, expected: set[Edge]) -> None:
    """What somebody is a mayor of, a chair at, by whom and from where; what is no deed of the subject makes no edge."""
    assert edges(text) == expected
