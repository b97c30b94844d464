"""Passages: which sentences of a chunk are told beside its claims, which never are, and how neighbours are joined."""

from __future__ import annotations

from uuid import UUID

import pytest

from server.services.retrieval.passages import passages_of
from server.services.retrieval.weighing import Weighed, terms, weigh
from server.store.quoting import Quoted
from server.store.records import ChunkRecord

CHUNK, CLAIM = UUID(int=1), UUID(int=2)
BEGIN = 100


def passages(text: str, quote: str = "", said: str | None = None, *, disputed: bool = False) -> tuple[list[str], int]:
    """Return the passages of a chunk that begins at 100, one sentence of which is quoted for a claim that says `said`, or is not shown."""
    chunk = ChunkRecord(CHUNK, UUID(int=3), UUID(int=4), 1, 0, text, BEGIN, BEGIN + len(text))
    start = BEGIN + text.index(quote)
    quoted = [Quoted(CHUNK, CLAIM, None, start, start + len(quote))] if quote else []
    told = {} if said is None else {CLAIM: terms(said)}
    found, withheld = passages_of([chunk], quoted, told, {CLAIM} if disputed else set())
    assert all(one.text == text[one.start - BEGIN : one.end - BEGIN] for one in found)
    return [one.text for one in found], withheld


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Title\n\nOne thing. Another thing.", ["One thing. Another thing."]),
        ("One thing.\n\nAnother thing.", ["One thing.", "Another thing."]),
        ("It has:\n\n- red boats\n- blue boats", ["red boats", "blue boats"]),
        ("```sh\nrun it fast\n```\n\nDone with boats.", ["run it fast", "Done with boats."]),
        ("| Owner | Task |\n| --- | --- |\n| Tom | boats |", ["Owner | Task |", "Tom | boats |"]),
        ("東京大学は大きい。学生は多い。", ["東京大学は大きい。学生は多い。"]),
        ("***\n\n---", []),
    ],
)
def test_neighbours_of_a_paragraph_are_told_together_without_marks_and_headings(text: str, found: list[str]) -> None:
    assert passages(text) == (found, 0)


def test_long_neighbours_stand_apart_unless_one_leans_on_the_other() -> None:
    first, second = f"A boat {'x' * 200}.", f"A pier {'y' * 200}."
    assert passages(f"{first} {second}")[0] == [first, second]
    leaning = second.replace("A pier", "It")
    assert passages(f"{first} {leaning}")[0] == [f"{first} {leaning}"]


def test_what_a_claim_says_is_no_passage_but_what_it_leaves_out_is() -> None:
    text = "Ada likes tea. The pier was built of oak by Tom."
    assert passages(text, "Ada likes tea.", "Ada likes tea")[0] == ["The pier was built of oak by Tom."]
    assert passages(text, "The pier was built of oak by Tom.", "pier built")[0] == [text]


def test_a_sentence_of_a_claim_that_is_not_shown_is_withheld_and_one_that_is_disputed_is_left_to_it() -> None:
    text = "Ada likes rum. She has a boat."
    assert passages(text, "likes rum") == (["She has a boat."], 1)
    assert passages(text, "likes rum", "x", disputed=True) == (["She has a boat."], 0)


def test_a_sentence_that_leans_brings_the_one_before_it_though_a_claim_tells_that() -> None:
    text = "Ada likes rum. She has a boat."
    assert passages(text, "Ada likes rum.", "Ada likes rum") == ([text], 0)


def test_a_piece_is_weighed_by_what_it_is_about_where_it_stands_and_the_better_of_two_likenesses() -> None:
    pieces = [
        Weighed(1.0, 1.0, 0.0, terms("boats of oak")),
        Weighed(1.0, 0.0, 1.0, terms("piers")),
        Weighed(None, 0.5, 0.0, terms("nothing")),
        Weighed(None, None, 2.0, terms("nothing")),
    ]
    assert [round(one, 4) for one in weigh("Which boat is it?", pieces)] == [1.0, 0.75, 0.1923, 1.0]
    assert weigh("is it?", []) == []
