"""Whatever text comes in, the extractor answers in time proportional to its length, with quotes and spans that hold."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.services.extraction.markup import LONGEST_BLOCK, blocks
from server.services.extraction.money import amounts
from server.services.extraction.offline import OfflineExtractor
from server.services.extraction.periods import periods
from server.services.extraction.protocol import ChunkText

VOCABULARY = """
Anna Berg Google Okta SSO plan Plan the it She includes uses , . ? : ( ) - # * ** ` $49/month 2019 2021-2024 in since not might and
or José 東京 مرحبا 😀 | > https://x.example [a](b) ``` Enterprise founded by of co - founded engineer at
6-4, 2–1. (3) 41, on Monday beat (German: Ein Berg) "The Night" “Say ” ' film Dr. her he who company which
"""
WORDS = st.sampled_from([*VOCABULARY.split(), "\n", "\n\n", "\t", "\x00", "\ud800"])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(WORDS, max_size=40).map(" ".join))
def test_quotes_and_spans_hold_for_any_text(text: str) -> None:
    """Every claim's quote is verbatim, every mention lies in the text, every key is known."""
    extraction = OfflineExtractor().extract(ChunkText(text))
    keys = {entity.key for entity in extraction.entities}
    for entity in extraction.entities:
        assert all(0 <= span.start < span.end <= len(text) for span in entity.mentions)
        assert entity.name.strip()
    for item in (*extraction.entities, *extraction.facts, *extraction.relationships):
        assert item.quote
        assert item.quote in text
    assert {fact.subject for fact in extraction.facts} <= keys
    assert {key for edge in extraction.relationships for key in (edge.source, edge.target)} <= keys


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text(max_size=300))
def test_blocks_keep_the_place_of_every_character(text: str) -> None:
    """A block's characters stand in the text at their offsets; only white space may be put for something else."""
    for block in blocks(text):
        assert len(block.text) == len(block.offsets) <= LONGEST_BLOCK
        assert list(block.offsets) == sorted(set(block.offsets))
        assert all(
            text[place : place + 1] == character or character == " "
            for character, place in zip(block.text, block.offsets, strict=True)
        )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text(alphabet="0123456789-–/$€.,Qto Marchpesntu", max_size=40))
def test_dates_and_amounts_never_fail(text: str) -> None:
    """Impossible dates and odd numbers are read as far as they make sense."""
    assert all(text[one.start : one.end] == one.text for one in (*periods(text), *amounts(text)))


@pytest.mark.parametrize(
    "after", ["", ". Then it rained.", ".  Then it rained.", " \n", "  ", "\u00a0", " \u200b", " - "]
)
def test_a_score_may_end_a_text_or_stand_before_odd_white_space(after: str) -> None:
    extraction = OfflineExtractor().extract(ChunkText(f"Marta Berg beat Olga Lind 6-4, 6-3{after}"))
    assert [entity.name for entity in extraction.entities] == ["Marta Berg", "Olga Lind"]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "Go " * 10_000,
        "[" * 50_000,
        "(" * 50_000,
        "*" * 50_000,
        "- a\n" * 5_000,
        "$1" * 50_000,
        "a.b" * 50_000,
    ],
    ids=["no space", "one word", "brackets", "parentheses", "stars", "many items", "prices", "dots"],
)
def test_large_and_odd_texts_are_read_in_time(text: str) -> None:
    """Nothing is quadratic: what a chunk never holds must not hang a worker either."""
    started = time.process_time()
    OfflineExtractor().extract(ChunkText(text))
    assert time.process_time() - started < 30
