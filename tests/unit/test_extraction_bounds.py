"""Bounds: where a name begins and ends among other words with capitals; half a name makes no entity and no edge."""

from __future__ import annotations

import pytest
from extracted import edges, read, types


def names(text: str, title: str = "") -> set[str]:
    return set(types(text, title))


def test_the_field_of_a_post_is_no_part_of_who_holds_it() -> None:
    assert names("Former Secretary of State Julia Barrow met Omar Lind in Oslo.") == {
        "Julia Barrow",
        "Omar Lind",
        "Oslo",
    }
    assert "Julia Barrow" in names("Yesterday the Dean of the Faculty Julia Barrow resigned.")
    assert "Julia Barrow" in names("Yesterday the President of Norway Julia Barrow resigned.")
    assert "Museum of Fine Arts" in names("She became director of the Museum of Fine Arts in 2001.")
    assert "Johns Hopkins University" in names("He was president of Johns Hopkins University.")


def test_what_somebody_is_stands_before_the_name() -> None:
    assert "Julia Barrow" in names("Geneticist Julia Barrow joined Lanternworks.")
    assert {"Julia Barrow", "Omar Lind"} <= names("Presidents Julia Barrow and Omar Lind met in Oslo.")


def test_a_post_with_its_field_is_no_part_of_the_country() -> None:
    assert edges("United States Trade Representative Julia Barrow met Omar Lind.") == {
        ("Julia Barrow", "MET", "Omar Lind")
    }


def test_a_score_is_no_part_of_who_was_beaten() -> None:
    assert edges("Julia Barrow defeated Omar Lind 4 and 3 in the final.") == {("Julia Barrow", "DEFEATED", "Omar Lind")}


def test_a_score_behind_a_surname_is_none_of_the_name() -> None:
    assert "Lind 5" not in names("She crushed the struggling Lind 5 and 4, her third win.")
    assert "Widget 3" in names("She sells Widget 3 and Lantern in Oslo.")


def test_the_party_of_somebody_stands_before_the_name() -> None:
    assert edges("Omar Lind met Republican Michael Barrow.") == {("Omar Lind", "MET", "Michael Barrow")}


def test_a_name_begins_a_sentence_behind_a_firm() -> None:
    found = names("She left Lind Co. Michael Barrow, who led it for years, stayed.")
    assert "Michael Barrow" in found
    assert "Lind Co. Research" in names("She left Lind Co. Research for Oslo.")


def test_a_street_has_its_number() -> None:
    assert edges("The play is on at the 16th Street Theater in Chicago.") == {
        ("16th Street Theater", "LOCATED_IN", "Chicago")
    }


def test_a_dateline_inside_a_digest_wins_nothing() -> None:
    text = "Julia Barrow resigned on Sunday. MIDLAND, Norway (AP) — Omar Lind beat Anna Berg."
    assert edges(text) == {("Omar Lind", "BEAT", "Anna Berg"), ("MIDLAND", "LOCATED_IN", "Norway")}


def test_a_title_goes_on_over_small_words_where_its_article_or_its_owner_tells_it() -> None:
    assert "Road Beyond the Hills" in names("They met on set while filming The Road Beyond the Hills in 2012.")
    assert ("Bend of the River", "CREATED_BY", "Anthony Lind") in edges(
        "She worked in Anthony Lind's Bend of the River."
    )
    assert "Guardian" in names("Last year The Guardian in London wrote about it.")


def test_awards_for_a_part_in_something_are_named_to_the_end() -> None:
    award = "Lind Award for Best Actress in a Leading Role"
    assert edges(f"Julia Barrow received the {award} in 2011.") == {("Julia Barrow", "RECEIVED", award)}


@pytest.mark.parametrize("name", ["US Open", "Another World"])
def test_a_small_word_with_a_capital_inside_a_sentence_opens_a_name(name: str) -> None:
    assert name in names(f"Julia Barrow left the {name} on Friday.")


def test_a_shortened_word_does_not_end_a_name() -> None:
    assert edges("Julia Barrow joined Lind Bros. Records in 2012.") == {
        ("Julia Barrow", "WORKS_AT", "Lind Bros. Records")
    }


def test_half_a_name_is_none() -> None:
    assert edges("That is because Jane's Addiction lead singer Omar Lind was hurt.") == set()
    assert "Class" not in names("The club is controlled by Manchester United's Class of 92.")
    assert edges("Council President Julia Barrow said the council never met.") == set()
    assert edges("Senate leader Julia Barrow met Omar Lind.") == {
        ("Julia Barrow", "WORKS_AT", "Senate"),
        ("Julia Barrow", "MET", "Omar Lind"),
    }


def test_a_surname_for_a_title_does_not_cut_the_full_name() -> None:
    assert "Golden Theatre" in names("The play is on at the Golden Theatre. Theatre is alive.", "Theatre")
    text = "Mette Lindqvist married Omar Barrow in 1990. Lindqvist lives in Oslo."
    assert names(text, "Lindqvist") == {"Mette Lindqvist", "Omar Barrow", "Oslo"}


def test_a_listed_company_does_not_cut_who_is_called_like_it() -> None:
    assert "Ratan Tata" in names("Ratan Tata visited Oslo.")


def test_what_stands_beside_a_comma_need_not_lie_in_the_next_place() -> None:
    assert edges("In addition to Ash Park, Salford City announced a sale.") == set()
    located = edges("Shareholders of Lind Group, Memphis-based Ash Group and others agreed.")
    assert ("Lind Group", "LOCATED_IN", "Memphis") not in located
    assert edges("They lived in Raleigh, North Carolina, for years.") == {("Raleigh", "LOCATED_IN", "North Carolina")}


def test_a_place_that_is_talked_about_is_no_end_of_an_edge() -> None:
    assert edges("Julia Barrow and Omar Lind met on Syria.") == set()
    assert edges("Julia Barrow and Omar Lind met in Syria.") == {
        ("Julia Barrow", "MET_IN", "Syria"),
        ("Omar Lind", "MET_IN", "Syria"),
    }


def test_who_did_a_version_of_something_has_no_edge_to_it() -> None:
    assert edges("Julia Barrow did a stage version of Norwegian Wood.") == set()
    assert read("Julia Barrow did it.").relationships == []


def test_who_is_called_after_what_is_studied_does_not_work_there() -> None:
    assert edges("Julia Barrow, a well-regarded Renoir scholar, succeeds Omar Lind.") == {
        ("Julia Barrow", "SUCCEEDED", "Omar Lind")
    }
    assert ("Julia Barrow", "WORKS_AT", "Harvard") in edges("Julia Barrow, a Harvard scholar, succeeds Omar Lind.")


def test_the_field_of_a_curator_or_a_minister_is_no_employer() -> None:
    assert edges("Julia Barrow is curator of Modern Art.") == set()
    assert edges("Julia Barrow was appointed as the Federal Minister for Interior.") == set()
    assert edges("Julia Barrow is curator of the Museum of Modern Art.") == {
        ("Julia Barrow", "WORKS_AT", "Museum of Modern Art")
    }


def test_several_museums_of_a_city_are_one_name() -> None:
    assert edges("Julia Barrow is director of the Fine Arts Museums of San Francisco.") == {
        ("Julia Barrow", "WORKS_AT", "Fine Arts Museums of San Francisco")
    }
