"""What is a name, where it ends, and what kind of thing it names: each rule by texts of its own, with what must not come out."""

from __future__ import annotations

import pytest
from extracted import edges, read, types


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mona uses neovim and tmux on her laptop", {"mona": "person", "neovim": "technology", "tmux": "technology"}),
        ("we moved from jenkins to buildkite last month", {"jenkins": "technology", "buildkite": "product"}),
        ("We replaced the cron jobs and migrated to quorvex.", {"quorvex": "technology"}),
        (
            "lena works at siemens now, she left bosch in march",
            {"lena": "person", "siemens": "organization", "bosch": "organization"},
        ),
        ("can someone restart the jenkins box in frankfurt", {"jenkins": "technology", "frankfurt": "place"}),
        ("i would let windows shrink the partition", {"windows": "technology"}),
        ("the deploy to fly.io failed again", {"fly.io": "technology"}),
    ],
)
def test_names_in_lower_case_are_found(text: str, expected: dict[str, str]) -> None:
    """Listed names in any text, people and places in casual ones, unknown words where a tool stands."""
    assert types(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "thanks everyone, see you on monday!",
        "anyone tried that instead? i heard it works now",
        "please close the windows, it will rain",
        "i will mark the page and may ask again",
        "he keeps a python and we met in the spring",
        "We celebrated turkey day and had a nice meal.",
        "the webhooks and the autoscaler are misconfigured again",
        "somebody definately broke the biuld",
    ],
)
def test_common_words_in_lower_case_name_nothing(text: str) -> None:
    """Everyday words, words of the trade and slips of the pen."""
    assert types(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Oh, great. Thanks!",
        "Monday is a holiday. Please close the door.",
        "Running tests takes ten minutes. Click Save to continue.",
        "Nothing to see here. Everything works. Nobody knows why.",
        "Lists are mutable. Tuples are not.",
        "FIXED: crash on start. WARNING: do not retry.",
        "Set the LOG_LEVEL variable. The average was 25 °C and then 77 °F.",
        "Our Team is growing. We are hiring Engineers and Designers.",
        "She has a Bachelor of Science and a Master of Arts in Computer Science.",
        "The CEO resigned on Friday. The Board met.",
        "We bought two EPs, three CDs and a TV.",
    ],
)
def test_words_that_are_only_capitalised_name_nothing(text: str) -> None:
    """Interjections, weekdays, commands, degrees, roles, units, constants and words at a sentence's start."""
    assert types(text) == {}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Vincent van Gogh met Muhammad ibn Musa al-Khwarizmi.",
            ["Vincent van Gogh", "Muhammad ibn Musa al-Khwarizmi"],
        ),
        ("J. R. R. Tolkien met O'Brien and Ravi Shankar-Iyer.", ["J. R. R. Tolkien", "O'Brien", "Ravi Shankar-Iyer"]),
        ("Martin Luther King Jr. spoke. Song Kang-ho listened.", ["Martin Luther King Jr.", "Song Kang-ho"]),
        ("Dr. Jane Roe and Chancellor Olaf Scholz spoke.", ["Jane Roe", "Olaf Scholz"]),
        ("Microsoft CEO Satya Nadella spoke.", ["Microsoft", "Satya Nadella"]),
        ("AT&T and Procter & Gamble merged.", ["AT&T", "Procter & Gamble"]),
        ("The Act of Union and the Treaty of Versailles are old.", ["Act of Union", "Treaty of Versailles"]),
        ("He joined the Department of the Interior.", ["Department of the Interior"]),
        ("She leads the Department of Health and Human Services.", ["Department of Health and Human Services"]),
        ("They saw St Paul's Cathedral in Oslo.", ["St Paul's Cathedral", "Oslo"]),
        ("Margaret of Guelders met the Duke of Savoy.", ["Margaret of Guelders", "Savoy"]),
        ("Nobody uses RISC-V. Nobody knows why.", ["RISC-V"]),
        ("It ended World War I. It was long.", ["World War I"]),
        ("The 2018 Winter Olympics and PyCon 2023 were fun.", ["2018 Winter Olympics", "PyCon 2023"]),
        ("Marie Curie won the Nobel Prize in Physics.", ["Marie Curie", "Nobel Prize in Physics"]),
        ("The proposal is PEP 481, and RFC 9110 replaced others.", ["PEP 481", "RFC 9110"]),
        ("Hey @maria, the deploy failed.", ["maria"]),
        ("The Great Fire destroyed it.", ["Great Fire"]),
        ("It is the Second World War.", ["Second World War"]),
    ],
)
def test_where_a_name_begins_and_ends(text: str, names: list[str]) -> None:
    """Particles, initials, hyphens, ampersands, "of", suffixes and years belong to it; honorifics, roles and articles do not."""
    assert list(types(text)) == names


def test_a_bracket_abbreviates_the_words_before_it() -> None:
    """The whole expansion is the name, whatever the recogniser makes of its parts, and the letters are its alias."""
    entity = read("Security Assertion Markup Language (SAML) is old.").entities[0]
    assert (entity.name, entity.type, entity.aliases) == ("Security Assertion Markup Language", "technology", ("SAML",))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Kubernetes 1.29 drops support for it.", ["Kubernetes"]),
        ("Grafana Labs released Loki 3.0.", ["Grafana Labs", "Loki"]),
        ("WCAG 2.0 superseded WCAG 1.0.", ["WCAG 2.0", "WCAG 1.0"]),
        ("OAuth 2.0 and Windows 11 are names.", ["OAuth 2.0", "Windows 11"]),
    ],
)
def test_a_release_is_named_where_the_text_tells_two_apart(text: str, names: list[str]) -> None:
    """One release is the thing itself; two of one name are two things; some names hold their number."""
    assert list(types(text)) == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '"The Godfather" was directed by Francis Ford Coppola.',
            {"Godfather": "work", "Francis Ford Coppola": "person"},
        ),
        ('She starred in the film "We Bought a Zoo".', {"We Bought a Zoo": "work"}),
        (
            "Gabriel García Márquez wrote One Hundred Years of Solitude.",
            {"Gabriel García Márquez": "person", "One Hundred Years of Solitude": "work"},
        ),
        ("It is on the album Walk on Water.", {"Walk on Water": "work"}),
        ("Football of the Good Old Days is a 1973 comedy film.", {"Football of the Good Old Days": "work"}),
        ("Parasite is a 2019 film.", {"Parasite": "work"}),
        ('Press the "Save" button.', {}),
        ('He said "that is fine" and left.', {}),
    ],
)
def test_works_are_known_by_quotation_marks_verbs_and_definitions(text: str, expected: dict[str, str]) -> None:
    """A title is one name; what somebody says or presses is none."""
    assert {name.removeprefix("The "): kind for name, kind in types(text).items()} == expected


def test_the_bracket_of_a_title_says_what_it_names() -> None:
    """A page's title tells its subject from others of the name."""
    assert types("Caresses is set in Oslo.", "Caresses (film)") == {"Caresses": "work", "Oslo": "place"}
    assert types("Caresses is set in Oslo.", "Caresses (band)")["Caresses"] == "organization"


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Zigbee and Thread are wireless protocols.", "Thread", "technology"),
        ("Umeå hosts it. Älmhult is a town in Sweden.", "Älmhult", "place"),
        ("Monzo, a British bank, grew.", "Monzo", "organization"),
        ("Quorvex raised $4M.", "Quorvex", "organization"),
        ("She was born in Smiljan.", "Smiljan", "place"),
        ("He travelled from Tangier to China.", "Tangier", "place"),
        ("They met in Groot-Zundert, Netherlands.", "Groot-Zundert", "place"),
        ("She worked for Brightpath.", "Brightpath", "organization"),
        ("The compiler is written in Gleamix.", "Gleamix", "technology"),
        ("The film stars Pran, Alka and Bir Sakuja.", "Bir Sakuja", "person"),
        ("Release 3 ships with Calls, Boards and Playbooks.", "Playbooks", "feature"),
        ("Spotify's Discover Weekly is popular.", "Discover Weekly", "product"),
        ("The Plus plan includes Workers and Pages.", "Workers", "feature"),
        ("CTO Todd Park spoke.", "Todd Park", "person"),
        ("She belongs to the House of Flanders.", "House of Flanders", "organization"),
        ("Redis Cluster requires three nodes.", "Redis Cluster", "technology"),
        ("Recommended Records Japan published it.", "Recommended Records Japan", "organization"),
    ],
)
def test_the_words_around_a_name_say_what_it_is(text: str, name: str, kind: str) -> None:
    """Nouns, verbs and prepositions beside it, a list that it stands in, the country after it, a word of its own."""
    assert types(text)[name] == kind


def test_a_definite_noun_means_the_latest_thing_that_it_fits() -> None:
    """By a word of the name first, then by its type; what fits nothing stays unresolved."""
    assert edges("The TJ Ryan Foundation is old. The Foundation uses Kafka.") == {
        ("TJ Ryan Foundation", "USES", "Kafka")
    }
    assert edges("Brightpath raised $4M. The startup uses Kafka.") == {("Brightpath", "USES", "Kafka")}
    assert edges("Anna Berg left. The startup uses Kafka.") == set()


def test_a_surname_that_is_a_common_word_acts_as_a_name_where_it_acts() -> None:
    """Jobs left; jobs do not."""
    text = "Steve Jobs founded Apple. Jobs left Apple in 1985. Jobs are scarce."
    assert ("Steve Jobs", "LEFT", "Apple") in edges(text)
    assert [len(one.mentions) for one in read(text).entities] == [2, 2]


def test_who_is_named_in_full_later_is_the_one_whom_a_surname_named_before() -> None:
    """One person, by the full name; a month's name may be a given name."""
    assert types("Musk left. Elon Musk lives in Texas. He owns SpaceX.") == {
        "Elon Musk": "person",
        "Texas": "place",
        "SpaceX": "organization",
    }
    assert types("Garbarek was born in Mysen. Jan Garbarek plays.") == {"Jan Garbarek": "person", "Mysen": "place"}


def test_a_common_word_that_is_said_to_be_a_database_names_one_whatever_the_title() -> None:
    assert types("Orion is a database written in Rust. Orion uses Raft.")["Orion"] == "technology"
    assert "Water" not in types("Water is a liquid. Water flows.")


@pytest.mark.parametrize(
    ("text", "title", "named"),
    [
        ("The Bronze Plan costs $10 per month.", "10.txt", {"Bronze Plan"}),
        ("1917 was directed by Sam Mendes.", "1917", {"1917", "Sam Mendes"}),
        ("Sam Mendes directed 1917.", "1917 (film)", {"1917", "Sam Mendes"}),
    ],
)
def test_a_title_of_digits_is_a_name_only_where_it_says_so_or_the_text_begins_with_it(
    text: str, title: str, named: set[str]
) -> None:
    assert set(types(text, title)) == named
