"""Likeness: what looks like one, what is vetoed, and that order, case and Unicode form of names never count."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from server.services.likeness import THRESHOLD, Likeness, Look, likeness

WORDS = st.sampled_from(
    ["John", "J.", "T.", "Doe", "Jr.", "II", "Müller", "Muller", "IBM", "International", "Business", "Machines", "mlp-332",
     "mlp-333", "Rev", "A", "B", "C++", "C#", "New", "York", "Times", "Москва", "Moskva", "東京", "大学", "the", "of", "&",
     "Dr.", "Inc.", "GmbH", "iPhone", "14", "15", "Élodie", "E\u0301lodie", "ﬁ", "Three", "三", "-", ",", "'", "हिन्दी", "محمد"]
)  # fmt: skip
NAMES = st.one_of(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), st.text(min_size=1, max_size=20))
TYPES = st.sampled_from([None, "person", "organization", "product"])


def score(one: str, other: str, type: str | None = None) -> float:
    return likeness(Look(one, type=type), Look(other, type=type)).score


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("John Doe", "John T. Doe", 0.92),
        ("John Doe", "John Thomas Doe", 0.92),
        ("J. Doe", "John Doe", 0.9),
        ("Doe, John", "John Doe", 0.95),
        ("Dr. John Doe", "John Doe", 1.0),
        ("José Álvarez", "Jose Alvarez", 0.95),
        ("Сергей Королёв", "Sergey Korolev", 0.95),
        ("Bob Doe", "Robert Doe", 0.925),
        ("Martin Luther", "Martin Luther King", 0.8),
        ("Doe", "John Doe", 0.5),
        ("John Smith", "Joan Smith", 0.4),
        ("John T. Doe", "John R. Doe", 0.0),
    ],
)
def test_people_are_compared_by_the_parts_of_their_names(one: str, other: str, expected: float) -> None:
    assert score(one, other, "person") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("IBM", "International Business Machines", 0.85),
        ("U.N.", "United Nations", 0.76),
        ("Zürich", "Zurich", 0.95),
        ("Microsft", "Microsoft", 0.88),
        ("Marks & Spencer plc", "Marks and Spencer", 1.0),
        ("Mount Everest", "Mt. Everest", 0.98),
        ("Lufthansa Group", "Lufthansa", 0.82),
        ("Москва", "Moskva", 0.95),
        ("华为", "華為", 0.8),
        ("New York", "New York Times", 0.55),
        ("Bank of England", "Bank of Ireland", 0.4),
        ("Go", "Google", 0.0),
        ("R", "SSO Feature", 0.0),
        ("Java", "JavaScript", 0.0),
        ("東京大学", "京都大学", 0.0),
        ("Austria", "Australia", 0.0),
    ],
)
def test_other_names_are_compared_by_their_words(one: str, other: str, expected: float) -> None:
    assert score(one, other) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("one", "other", "veto"),
    [
        ("mlp-332", "mlp-333", "digits differ"),
        ("iPhone 15", "iPhone 15 Pro Max 2", "digits differ"),
        ("Windows", "Windows 11", "digits differ"),
        ("Windows 11", "Windows 1 1", "digits differ"),
        ("Python 3.1", "Python 3.10", "digits differ"),
        ("E-4711", "F-4711", "codes differ"),
        ("GPT-4", "GPT-4o", "codes differ"),
        ("Rev A", "Rev B", "letters differ"),
        ("Vitamin", "Vitamin C", "letters differ"),
        ("C", "C++", "signs differ"),
        ("C++", "C#", "signs differ"),
        ('12"', "12", "signs differ"),
        ("Final Fantasy VII", "Final Fantasy VIII", "generations differ"),
        ("Rocky", "Rocky II", "numbers differ"),
        ("Chapter Two", "Chapter Three", "numbers differ"),
        ("鈴木一郎", "鈴木二郎", "numbers differ"),
    ],
)
def test_digits_versions_codes_and_signs_are_vetoes(one: str, other: str, veto: str) -> None:
    assert likeness(Look(one), Look(other)) == Likeness(0.0, (), veto)


@pytest.mark.parametrize(
    ("one", "other", "veto"),
    [
        ("John Doe Jr.", "John Doe Sr.", "generations differ"),
        ("John Doe II", "John Doe III", "generations differ"),
        ("J. T. Doe", "J. R. Doe", "initials differ"),
    ],
)
def test_generations_and_initials_are_vetoes_of_people(one: str, other: str, veto: str) -> None:
    assert likeness(Look(one, type="person"), Look(other, type="person")) == Likeness(0.0, (), veto)


@pytest.mark.parametrize(
    ("one", "other"),
    [("E-4711", "E4711"), ("ISO 9001", "ISO-9001"), ("RFC 2616", "RFC2616"), ("Galaxy-S24", "Galaxy S24")],
)
def test_a_code_spelled_otherwise_is_no_other_code(one: str, other: str) -> None:
    assert score(one, other) >= 0.98


def test_types_that_exclude_each_other_are_a_veto_only_where_both_are_stated() -> None:
    person, place = Look("Jordan", type="person", stated=True), Look("Jordán", type="place", stated=True)
    assert likeness(person, place) == Likeness(0.0, (), "types exclude each other")
    guessed = likeness(person, replace(place, stated=False))
    assert guessed.score == 0.91
    assert guessed.reasons == ("accents or script", "types differ")


def test_namesakes_that_a_person_told_apart_are_not_alike() -> None:
    one, other = Look("Paris", sense="France"), Look("Paris", sense="Texas")
    assert likeness(one, other) == Likeness(0.0, (), "senses differ")
    assert likeness(one, Look("Paris")).score == 1.0


def test_aliases_count_as_names_but_lift_no_veto() -> None:
    one, other = Look("International Business Machines", aliases=("IBM",)), Look("I.B.M.")
    assert likeness(one, other) == Likeness(1.0, ("the same words",))
    assert likeness(Look("iPhone 14", aliases=("Phone",)), Look("iPhone 15", aliases=("Phone",))).score == 0.0


def test_what_else_is_shared_raises_a_score_and_is_told() -> None:
    one, other = Look("José García López", type="person"), Look("José García", type="person")
    assert likeness(one, other) == Likeness(0.8, ("a name more",))
    near = {"neighbours": ("Vigo", "Acme"), "description": "professor of botany in Vigo"}
    found = likeness(replace(one, **near), replace(other, **near))  # type: ignore[arg-type]
    assert found == Likeness(0.93, ("a name more", "2 shared neighbours", "descriptions alike"))


def test_near_vectors_raise_a_score_of_names() -> None:
    one, other = Look("Bob Doe", type="person"), Look("Robert Doe", type="person")
    assert likeness(one, other, 1.0) == Likeness(0.9363, ("a pet name", "vectors 1.00"))
    assert likeness(one, other, 0.79) == Likeness(0.925, ("a pet name",))


def test_vectors_propose_whatever_the_names_where_descriptions_agree_or_nothing_could_be_nearer() -> None:
    one = Look("lawyer", type="concept", description="person who practises law")
    other = Look("attorney", type="concept", description="person that practises law")
    assert likeness(one, other, 0.92) == Likeness(0.84, ("vectors 0.92", "descriptions alike"))
    assert likeness(one, other, 0.88).score == 0.0
    assert likeness(one, replace(other, description=None), 0.95).score == 0.0
    assert likeness(one, replace(other, description=None), 0.96) == Likeness(0.82, ("vectors 0.96",))
    assert likeness(Look("東京大学"), Look("東京工業大学"), 0.97).score == 0.0


def test_nearness_of_vectors_overrides_no_veto() -> None:
    found = likeness(Look("mlp-332", description="a pump"), Look("mlp-333", description="a pump"), 0.99)
    assert found == Likeness(0.0, (), "digits differ")


def test_what_is_no_candidate_stays_below_the_threshold() -> None:
    assert score("New York", "New York Times") < THRESHOLD <= score("John Doe", "John T. Doe", "person")


@settings(suppress_health_check=[HealthCheck.too_slow])  # the first names load tables of scripts
@given(NAMES, NAMES, TYPES, TYPES)
def test_likeness_is_symmetric(one: str, other: str, first: str | None, second: str | None) -> None:
    """So are its reasons and its veto."""
    left, right = Look(one, type=first, stated=True), Look(other, type=second, stated=True)
    there, back = likeness(left, right), likeness(right, left)
    assert (there.score, sorted(there.reasons), there.veto) == (back.score, sorted(back.reasons), back.veto)
    assert 0 <= there.score <= 1


@given(NAMES, TYPES)
def test_a_name_is_wholly_like_itself(name: str, type: str | None) -> None:
    assume(any(sign.isalpha() for sign in name))
    found = likeness(Look(name, type=type), Look(name, type=type))
    assert found.veto is None
    assert found.score >= 0.98


@given(NAMES, NAMES, TYPES)
def test_case_and_unicode_form_do_not_count(one: str, other: str, type: str | None) -> None:
    assume("ı" not in one)  # its capital is I, whose small letter is i
    there = likeness(Look(one, type=type), Look(other, type=type))
    for form in (one.casefold(), *(unicodedata.normalize(form, one) for form in ("NFC", "NFD"))):
        assert likeness(Look(form, type=type), Look(other, type=type)) == there


@given(st.lists(WORDS, min_size=1, max_size=3).map(" ".join), st.integers(0, 999), st.integers(0, 999), TYPES)
def test_names_with_different_numbers_are_never_alike(name: str, one: int, other: int, type: str | None) -> None:
    assume(one != other)
    assert score(f"{name} {one}", f"{name} {other}", type) == 0.0
