"""Names as encyclopaedias write them: works that open a text, particles, towns on rivers, titles and offices behind names."""

from __future__ import annotations

import pytest
from extracted import edges, read, types

from server.services.extraction.predicates import relationship_type


@pytest.mark.parametrize(
    ("text", "work"),
    [
        (
            'Salt, Pepper and Thyme( Italian:" Sale, pepe") is a 1980 Italian comedy film directed by Ada Roe.',
            "Salt, Pepper and Thyme",
        ),
        (
            "Salt, Pepper and Thyme (Italian: Sale, pepe e timo) is a 1980 film directed by Ada Roe.",
            "Salt, Pepper and Thyme",
        ),
        (
            "Devil on the Rhine, also known as Drums by the Rhine, is a 1948 American film directed by Ada Roe.",
            "Devil on the Rhine",
        ),
        (
            "Devil on the Rhine (also known as Drums by the Rhine) is an American film directed by Ada Roe.",
            "Devil on the Rhine",
        ),
        ("Good Morning, Harbour! was a 1956 British comedy film directed by Ada Roe.", "Good Morning, Harbour!"),
        ("Salt and Snow is an American film directed by Ada Roe.", "Salt and Snow"),
        ("Salt, Pepper & Thyme is the 1980 film directed by Ada Roe.", "Salt, Pepper & Thyme"),
        ("Hush (French: Silence), also known as The Quiet, is a 1964 French film directed by Ada Roe.", "Hush"),
    ],
)
def test_a_work_that_opens_a_text_to_say_what_it_is_is_one_name(text: str, work: str) -> None:
    """Commas, small words and whatever else it is called make no names of their own that somebody directed."""
    assert types(text)[work] == "work"
    assert edges(text) == {("Ada Roe", "DIRECTED", work)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "In Oslo, Salt is a 1980 film directed by Ada Roe.",
            {"Oslo": "place", "Salt": "work", "Ada Roe": "person"},
        ),
        ("Directed by Ada Roe, Salt is a 1980 Italian film.", {"Ada Roe": "person", "Salt": "work"}),
        ("Set in Oslo, Salt is a 1980 Italian film.", {"Oslo": "place", "Salt": "work"}),
        ("Ada Roe, also known as Bo Lind, is an American film director.", {"Ada Roe": "person", "Bo Lind": "person"}),
    ],
)
def test_what_stands_before_a_work_or_a_person_is_no_part_of_a_title(text: str, expected: dict[str, str]) -> None:
    """A phrase that opens the sentence, and who is defined as no work."""
    assert types(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Princess Alia bint Hussein married Nasser bin Mirza.",
            {("Princess Alia bint Hussein", "MARRIED", "Nasser bin Mirza")},
        ),
        (
            "Princess Alia bint Hussein is the daughter of Sharifa Dina bint Abdul- Hamid.",
            {("Princess Alia bint Hussein", "DAUGHTER_OF", "Sharifa Dina bint Abdul- Hamid")},
        ),
        ("Saad ben Abdul-Aziz was born in Riyadh.", {("Saad ben Abdul-Aziz", "BORN_IN", "Riyadh")}),
        ("Jan van der Meer was born in Oslo.", {("Jan van der Meer", "BORN_IN", "Oslo")}),
        ("Pieter van de Velde was born in Oslo.", {("Pieter van de Velde", "BORN_IN", "Oslo")}),
    ],
)
def test_particles_join_a_name(text: str, expected: set[tuple[str, str, str]]) -> None:
    """One or two of them, and a hyphen that the text has torn."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada Roe lived in Burton upon Trent.", {("Ada Roe", "LIVES_IN", "Burton upon Trent")}),
        ("Ada Roe was born in Newcastle upon Tyne.", {("Ada Roe", "BORN_IN", "Newcastle upon Tyne")}),
        ("Ada Roe was born in Great Burton upon Trent.", {("Ada Roe", "BORN_IN", "Great Burton upon Trent")}),
        ("Ada Roe died in Stoke-on-Trent.", {("Ada Roe", "DIED_IN", "Stoke-on-Trent")}),
        ("Ada Roe died in Walton-on-Quorn.", {("Ada Roe", "DIED_IN", "Walton-on-Quorn")}),
        ("Ada Roe lives in Boulogne-sur-Mer.", {("Ada Roe", "LIVES_IN", "Boulogne-sur-Mer")}),
        ("Ada relied upon Bob Lind.", {("Ada", "RELIES_UPON", "Bob Lind")}),
    ],
)
def test_a_town_with_its_river_is_one_name(text: str, expected: set[tuple[str, str, str]]) -> None:
    """ "Upon" and hyphened small words bind a town and a water, not a verb and whom it needs."""
    assert edges(text) == expected


def test_rome_upon_egypt_is_no_town() -> None:
    """Two realms with "upon" between them stay two."""
    assert types("The attack of Rome upon Egypt failed.") == {"Rome": "place", "Egypt": "place"}


@pytest.mark.parametrize(
    "titles", ["5th Earl of Stanley and 1st Baron Dudley, KB, KG", "5th Earl of Stanley, 1st Baron Dudley KG"]
)
def test_every_title_of_a_peer_is_his(titles: str) -> None:
    """A list of titles and the letters of orders name nobody else, and the dates behind them are his."""
    text = f"Edmund Roe, {titles} (2 March 1377 – 1403) was the son of Hugh de Roe."
    assert edges(text) == {("Edmund Roe", "SON_OF", "Hugh de Roe")}
    assert {fact.content for fact in read(text).facts} == {
        "Born 2 March 1377",
        "Died 1403",
        "Was the son of Hugh de Roe",
    }
    assert types(text) == {"Edmund Roe": "person", "Hugh de Roe": "person"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Ada of Roe was the daughter of Charles V, Holy Roman Emperor, and Isabella of Portugal.",
            {("Ada of Roe", "DAUGHTER_OF", "Charles V"), ("Ada of Roe", "DAUGHTER_OF", "Isabella of Portugal")},
        ),
        ("Maria of Roe married Rudolf II, Holy Roman Emperor.", {("Maria of Roe", "MARRIED", "Rudolf II")}),
        (
            "Charles V, Holy Roman Emperor, married Isabella of Portugal.",
            {("Charles V", "MARRIED", "Isabella of Portugal")},
        ),
        ("Philip I, Elector Palatine, married Anna of Roe.", {("Philip I", "MARRIED", "Anna of Roe")}),
        (
            "Maria of Roe married Frederick III, Elector of Saxony.",
            {("Maria of Roe", "MARRIED", "Frederick III"), ("Frederick III", "ELECTOR_OF", "Saxony")},
        ),
    ],
)
def test_an_office_behind_a_name_is_no_second_name(text: str, expected: set[tuple[str, str, str]]) -> None:
    """Emperors and electors are who is named before them."""
    assert edges(text) == expected
    assert not {"Holy Roman Emperor", "Elector", "Elector Palatine"} & types(text).keys()


def test_a_participle_that_opens_a_sentence_belongs_to_its_subject() -> None:
    """ "Located in Coudersport, it" means what was named before, and nothing where that is unknown."""
    text = "Located in the Coudersport Historic District in Coudersport, it was added to the National Register in 1975."
    assert edges(text) == set()
    assert ("Roe House", "LOCATED_IN", "Coudersport Historic District") in edges(f"Roe House is a building. {text}")


def test_who_opens_the_clause_behind_a_place_is_no_place() -> None:
    """ "Founded in Oslo, Roe Steel makes" lists no places."""
    text = "Founded in Oslo, Roe Steel makes pumps."
    assert types(text) == {"Oslo": "place", "Roe Steel": "organization"}
    assert edges(text) == {("Roe Steel", "FOUNDED_IN", "Oslo")}
    assert edges("Located in Ash Park, Lind House was built in 1900.") == {("Lind House", "LOCATED_IN", "Ash Park")}
    assert edges("Located in Ash Park, Norway, it was built in 1900.") == {("Ash Park", "LOCATED_IN", "Norway")}


def test_a_verb_that_the_tagger_leaves_as_it_stands_gets_no_second_ending() -> None:
    """Not MARRIEDED."""
    assert relationship_type("married", "married", "JJ", passive=False) == "MARRIED"


def test_rulers_keep_their_realm() -> None:
    """A numeral or a given name with "of" and a place is one person."""
    text = "Maria Roe was the sister of Baldwin V of Hainaut and the mother of Elisabeth of Luxembourg."
    assert types(text) == {
        "Maria Roe": "person",
        "Baldwin V of Hainaut": "person",
        "Elisabeth of Luxembourg": "person",
    }


def test_who_stands_beside_a_listed_parent_is_of_the_last_one() -> None:
    """A ruler's realm is part of the name, and an office behind the last name is not the first one's."""
    text = (
        "Henry of Roe was a younger son of Baldwin V, Count of Hainaut, and Margaret I of Flanders, "
        "sister of Philip of Alsace, count of Flanders."
    )
    assert edges(text) == {
        ("Henry of Roe", "SON_OF", "Baldwin V"),
        ("Henry of Roe", "SON_OF", "Margaret I of Flanders"),
        ("Margaret I of Flanders", "SISTER_OF", "Philip of Alsace"),
    }
