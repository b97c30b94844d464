"""How sure the offline extractor is of an edge: the shape of its sentence tells, and what is likely wrong waits for review."""

from __future__ import annotations

import pytest
from extracted import read

from server.services.claims import status_for
from server.services.extraction.certainty import confidence

Sure = dict[tuple[str, str, str], float]


def sure(text: str) -> Sure:
    """Return the confidence of each relationship: (source, type, target)."""
    extraction = read(text)
    names = {one.key: one.name for one in extraction.entities}
    return {(names[one.source], one.type, names[one.target]): one.confidence for one in extraction.relationships}


def test_an_edge_waits_for_review_from_two_marks_of_doubt_on() -> None:
    assert [confidence(marks) for marks in range(6)] == [0.80, 0.80, 0.62, 0.58, 0.58, 0.58]
    assert [status_for(confidence(marks)) for marks in range(4)] == ["CURRENT", "CURRENT"] + 2 * ["PENDING_REVIEW"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Jean-Luc Perrault wrote the score for Blue Noon, a 1978 film directed by Claude Sautin and produced by Gaumont.",
            {
                ("Claude Sautin", "DIRECTED", "Blue Noon"): 0.80,
                ("Gaumont", "PRODUCED", "Jean-Luc Perrault"): 0.58,
            },
        ),
        (
            "Born in Lviv, then Lemberg, to a railway clerk, Anna Berg moved to Oslo.",
            {
                ("Lemberg", "BORN_IN", "Lviv"): 0.58,
                ("Anna Berg", "BORN_IN", "Lviv"): 0.80,
                ("Lemberg", "MOVED_TO", "Oslo"): 0.80,
                ("Anna Berg", "MOVED_TO", "Oslo"): 0.80,
            },
        ),
    ],
)
def test_an_edge_whose_subject_another_parse_does_not_give_the_verb_is_doubtful(text: str, expected: Sure) -> None:
    assert sure(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Venezuela freed seven Americans, five of them executives of Citgo.",
            {("Venezuela", "FREED", "Americans"): 0.62, ("Americans", "WORKS_AT", "Citgo"): 0.62},
        ),
        (
            "In 1066 Alfonso married Helen and fought against Peter of Castile.",
            {("Alfonso", "MARRIED", "Helen"): 0.80, ("Alfonso", "FOUGHT_AGAINST", "Peter"): 0.58},
        ),
        ("Walter Tyrell works at Acme Corp.", {("Walter Tyrell", "WORKS_AT", "Acme Corp."): 0.80}),
        ("Vercel hosts Next.js applications.", {("Vercel", "HOSTS", "Next.js"): 0.80}),
    ],
)
def test_an_end_that_the_recogniser_sees_as_part_of_a_name_or_as_a_people_is_doubtful(
    text: str, expected: Sure
) -> None:
    """A name that a list knows needs no recogniser."""
    assert sure(text) == expected
