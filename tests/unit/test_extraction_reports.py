"""What reports say of whom: datelines, second clauses, pronouns beside other names, and what merely stands together."""

from __future__ import annotations

import pytest
from extracted import Edge, edges, types


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("LONDON, April 26 Peter Lind has left Siemens.", {("Peter Lind", "LEFT", "Siemens")}),
        ("BERLIN (AP) — Peter Lind has left Siemens.", {("Peter Lind", "LEFT", "Siemens")}),
        ("Oslo, Sept 26: Peter Lind has left Siemens.", {("Peter Lind", "LEFT", "Siemens")}),
        ("NASA - Peter Lind left Siemens.", {("Peter Lind", "LEFT", "Siemens")}),
        ("Berlin attracted Peter Lind.", {("Berlin", "ATTRACTED", "Peter Lind")}),
    ],
)
def test_a_dateline_acts_in_no_sentence(text: str, expected: set[Edge]) -> None:
    """Where a report was written is no subject; a place that does something is."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Siemens is set to beat Bosch and Anna Berg has left Philips.",
            {("Anna Berg", "LEFT", "Philips")},
        ),
        (
            "Tottenham continue to be linked with Peter Lind and Bo Holm and Liverpool remain keen on Anna Berg.",
            {
                ("Tottenham", "LINKED_WITH", "Peter Lind"),
                ("Tottenham", "LINKED_WITH", "Bo Holm"),
                ("Liverpool", "KEEN_ON", "Anna Berg"),
            },
        ),
        (
            "Siemens bought Bosch and Philips and sold Osram.",
            {("Siemens", "BOUGHT", "Bosch"), ("Siemens", "BOUGHT", "Philips"), ("Siemens", "SOLD", "Osram")},
        ),
    ],
)
def test_a_second_clause_has_its_own_subject(text: str, expected: set[Edge]) -> None:
    """The name before a second finite verb is what that verb is said of, not one more object of the first."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Although Peter Lind and Bo Holm won, it rained. Although Peter Lind tried, he was beaten by Max Berg.",
            {("Max Berg", "BEAT", "Peter Lind")},
        ),
        (
            "Peter Lind wanted to keep Bo Holm in the team but Max Berg forced him to leave.",
            {("Max Berg", "FORCED", "Peter Lind")},
        ),
        (
            "Peter Lind named Bo Holm a judge and Max Berg praised him.",
            {("Max Berg", "PRAISED", "Bo Holm")},
        ),
        (
            "Karl Holm met Peter Lind, who also pressed him.",
            {("Karl Holm", "MET", "Peter Lind"), ("Peter Lind", "PRESSED", "Karl Holm")},
        ),
        ("As for Peter Lind, he defeated Max Berg.", {("Peter Lind", "DEFEATED", "Max Berg")}),
        (
            "Philip Berg left. The king, the younger son of Karl Lind and his first wife Diana, left.",
            {("Diana", "WIFE_OF", "Karl Lind")},
        ),
    ],
)
def test_whom_a_pronoun_means_beside_other_names(text: str, expected: set[Edge]) -> None:
    """A clause in front names whom "he" means; an object takes up a like object, else the subject of the clause around."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Police investigated the shooting of Charlie Holm at Oslo University.", set()),
        ("She met Charlie Holm at Oslo University.", set()),
        ("A study by Anna Berg of Oslo University appeared.", {("Anna Berg", "WORKS_AT", "Oslo University")}),
        ("Russia, China, the United States and France voted.", set()),
        ("The shops are in Oslo; Bergen, the capital, has none.", set()),
        ("Netflix is adapting Anna Berg and Bo Holm's novel.", set()),
        (
            "Kraft owns a business in Poland, which it acquired in 2010.",
            set(),
        ),
        ("Peter Lind drives the ball against the Lakers past guard Max Berg.", set()),
        (
            'Anna Berg wrote the film "Night Shift". Max Berg is a producer of the film that won.',
            {("Anna Berg", "WROTE", "Night Shift")},
        ),
        (
            'Anna Berg wrote the film "Night Shift". Max Berg is a producer of the film, which won.',
            {("Anna Berg", "WROTE", "Night Shift"), ("Max Berg", "PRODUCER_OF", "Night Shift")},
        ),
        (
            "A team led by Anna Berg at Oslo University left.",
            {("Anna Berg", "WORKS_AT", "Oslo University")},
        ),
    ],
)
def test_what_merely_stands_together_is_no_edge(text: str, expected: set[Edge]) -> None:
    """A place of an event, a list of countries, the owner of an object and the whereabouts of one make nothing of a name."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Siemens is acting as financial advisor to Bosch.", {("Siemens", "ADVISOR_TO", "Bosch")}),
        ("Peter Lind was clean-bowled by Max Berg.", {("Max Berg", "BOWLED", "Peter Lind")}),
        ("Peter Lind stepped in for Max Berg.", {("Peter Lind", "STEPPED_IN_FOR", "Max Berg")}),
        ("Osram is controlled by Siemens.", {("Siemens", "CONTROLS", "Osram")}),
        ("Osram was controlled by Siemens.", {("Siemens", "CONTROLLED", "Osram")}),
        ("They met Uncut Stones actress Anna Berg.", {("Anna Berg", "STARS_IN", "Uncut Stones")}),
        ("They met Bollywood actress Anna Berg.", set()),
        ("They met Siemens engineer Anna Berg.", {("Anna Berg", "WORKS_AT", "Siemens")}),
        ("Anna Berg, a spokeswoman for the Broomfield police department, left.", set()),
        ("Max Berg worked with Steel Panther.", {("Max Berg", "WORKS_WITH", "Steel Panther")}),
        ("Max Berg worked with Kubernetes.", {("Max Berg", "HAS_SKILL", "Kubernetes")}),
    ],
)
def test_what_an_edge_is_called(text: str, expected: set[Edge]) -> None:
    """The predicate says what the words say: the role acted in, the verb in a participle, the particle, the film played in."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("On Monday Financial Director Anna Berg resigned.", {"Anna Berg"}),
        ("The top-seeded Spaniard recovered before he beat Max Berg.", {"Max Berg"}),
        ("It failed, Opposition leader Anna Berg said.", {"Anna Berg"}),
        ("Siemens said its Board of Directors has met.", {"Siemens"}),
        ("Former Siemens engineer Anna Berg left.", {"Siemens", "Anna Berg"}),
    ],
)
def test_a_post_a_people_and_a_board_are_no_names(text: str, expected: set[str]) -> None:
    """What only says what somebody is names nobody."""
    assert set(types(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Timothy Holm is an actor. He is the son of Karl Holm and Olive Holm. Holm joined Siemens.",
            {
                ("Timothy Holm", "SON_OF", "Karl Holm"),
                ("Timothy Holm", "SON_OF", "Olive Holm"),
                ("Timothy Holm", "WORKS_AT", "Siemens"),
            },
        ),
        (
            "Anna Berg met Karl Holm. Karl Holm beat Max Holm. Holm joined Siemens.",
            {
                ("Anna Berg", "MET", "Karl Holm"),
                ("Karl Holm", "BEAT", "Max Holm"),
                ("Karl Holm", "WORKS_AT", "Siemens"),
            },
        ),
        (
            "Karl Holm joined Siemens. Holm left Siemens.",
            {("Karl Holm", "WORKS_AT", "Siemens"), ("Karl Holm", "LEFT", "Siemens")},
        ),
        ("Karl Holm met Max Berg. Holm taught himself.", {("Karl Holm", "MET", "Max Berg")}),
    ],
)
def test_a_bare_surname_is_whom_the_text_is_about(text: str, expected: set[Edge]) -> None:
    """Of several who bear it the one named most often, else the first; "himself" is nobody else."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bosch fell. Siemens announced that it had acquired Osram.", {("Siemens", "ACQUIRED", "Osram")}),
        ("Bosch fell. Siemens revealed the shops that it had sold to Osram.", {("Siemens", "SOLD_TO", "Osram")}),
        ("Bosch fell. A rival announced that it had acquired Osram.", set()),
        ("Bosch fell. It acquired Osram.", {("Bosch", "ACQUIRED", "Osram")}),
    ],
)
def test_what_is_told_is_told_of_who_tells(text: str, expected: set[Edge]) -> None:
    """An "it" in what somebody says is who says it; where that has no name, it is nobody named before."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Raese ran and lost to Max Byrd.", {("Raese", "LOST_TO", "Max Byrd")}),
        (
            "Anna Berg lived and worked in Oslo.",
            {("Anna Berg", "LIVES_IN", "Oslo"), ("Anna Berg", "WORKS_IN", "Oslo")},
        ),
        ("Max Holm was knocked out by Karl Berg.", {("Karl Berg", "KNOCKED_OUT", "Max Holm")}),
        ("Max Holm was fined by Karl Berg.", {("Karl Berg", "FINED", "Max Holm")}),
        ("Max Holm is slated to meet Karl Berg.", set()),
        (
            "They are joined by pundit Max Holm, Siemens captain Karl Berg and Anna Lind.",
            {("Karl Berg", "WORKS_AT", "Siemens")},
        ),
        (
            "Max Holm was born in 1934 in Bradford, the son of Karl Berg.",
            {("Max Holm", "BORN_IN", "Bradford"), ("Max Holm", "SON_OF", "Karl Berg")},
        ),
        (
            "Max Holm played Geoffrey, the father of Lucy Adams (played by Anna Berg).",
            {
                ("Max Holm", "PLAYED", "Geoffrey"),
                ("Geoffrey", "FATHER_OF", "Lucy Adams"),
                ("Anna Berg", "PLAYED", "Lucy Adams"),
            },
        ),
        (
            'Anna Berg illustrated the magazine "Rhythm", edited by Max Holm.',
            {("Anna Berg", "ILLUSTRATED", "Rhythm"), ("Max Holm", "EDITED", "Rhythm")},
        ),
        ("Max Holm visited the offices of nuclear fusion startup Fuse.", set()),
        ("Max Holm regularly broke the rules by using Kubernetes.", {("Max Holm", "USES", "Kubernetes")}),
        ("Max Holm uses Kubernetes.", {("Max Holm", "HAS_SKILL", "Kubernetes")}),
        (
            "The agency questions the acquisition of Osram, which Siemens is investigating.",
            set(),
        ),
        ("He lives with Anna Berg, whom Max Holm married.", {("Max Holm", "MARRIED", "Anna Berg")}),
    ],
)
def test_whose_deed_a_second_verb_or_a_participle_is(text: str, expected: set[Edge]) -> None:
    """A verb takes what belongs to it; a participle, a bracket and a post say something of the name that they stand beside."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The singer met his rumoured girlfriend Irina Lind. Max Holm is the alleged leader of Hamas.", set()),
        ("The arrest of alleged Hamas leader Max Holm shocked Oslo.", set()),
        ("The arrest of Hamas leader Max Holm shocked Oslo.", {("Max Holm", "WORKS_AT", "Hamas")}),
        ("It would be a gamble for Siemens to replace Max Holm, who is popular.", set()),
        ("Max Holm closed in on becoming the first to win the Vezina Trophy.", set()),
        ("Max Holm closed the year by winning the Vezina Trophy.", {("Max Holm", "WON", "Vezina Trophy")}),
        ("Max Holm quit as a private secretary to Anna Berg.", set()),
        ("It came amid a buildup at the border with Ukraine, which prompted Anna Berg to leave.", set()),
        (
            "Max Holm works for Siemens, which prompted Anna Berg to leave.",
            {("Max Holm", "WORKS_AT", "Siemens"), ("Siemens", "PROMPTED", "Anna Berg")},
        ),
        ("With one seat not yet counted, Max Holm's Conservatives have won.", set()),
        ("Siemens went back to the top of the Bundesliga.", set()),
        ("Siemens is built on top of Kubernetes.", {("Siemens", "BUILT_ON", "Kubernetes")}),
        ("Max Holm won the race with Karl Berg just behind.", set()),
        ("Max Holm worked with Karl Berg.", {("Max Holm", "WORKS_WITH", "Karl Berg")}),
        (
            "Nigeria's Vice President, Max Holm, met Karl Berg.",
            {("Max Holm", "VICE_PRESIDENT_OF", "Nigeria"), ("Max Holm", "MET", "Karl Berg")},
        ),
        ("Max Holm, Senior Vice President of Siemens, left.", {("Max Holm", "WORKS_AT", "Siemens")}),
    ],
)
def test_what_is_alleged_or_meant_is_not_said(text: str, expected: set[Edge]) -> None:
    """An alleged leader leads nobody yet, and what would be good for somebody to do is not done."""
    assert edges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The warning covers Pennsylvania, New Jersey, West Virginia, Maryland, Delaware and other states.", set()),
        ("Ryanair, Europe's largest airline, reported a loss.", set()),
        ("They met in Hamburg, Germany, on March 3.", {("Hamburg", "LOCATED_IN", "Germany")}),
        (
            "Max Holm has left. Karl Berg smiled, as his college honoured the number he wore while he led Siemens.",
            {("Karl Berg", "LEADS", "Siemens")},
        ),
    ],
)
def test_a_list_of_states_and_an_owner_are_no_whereabouts(text: str, expected: set[Edge]) -> None:
    """What follows a comma is where something lies, unless a list goes on or it owns what comes; "he" looks up to the sentence."""
    assert edges(text) == expected
