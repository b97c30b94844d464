"""Quotes: a quote is found where the document says it, and the span is the document's own words."""

from __future__ import annotations

import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.services.quotes import QuoteIndex, locate

TEXTS = st.one_of(
    st.text(max_size=60),
    st.text(st.sampled_from("ab e\u0301\u0323é ẹ\n\u00a0가\u1100\u1161\u11a8각🎉\u212bÅ"), max_size=40),
)


def plain(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


@pytest.mark.parametrize(
    ("quote", "content", "span"),
    [
        ("He works", "He works.", (0, 8)),
        ("He works at Acme", "So: He  works\n\tat\u00a0Acme.", (4, 22)),
        ("  He works \n", "He works", (0, 8)),
        ("Café", "the Cafe\u0301 Noir", (4, 9)),
        ("Cafe\u0301", "the Café Noir", (4, 8)),
        ("fê", "🎉🎉 fe\u0302te", (3, 6)),
        ("한국", unicodedata.normalize("NFD", "대한국민"), (2, 8)),
        ("Å", "10 \u212b", (3, 4)),
        ("日本", "私は日本語", (2, 4)),
    ],
)
def test_a_quote_is_found_aside_from_white_space_and_normal_form(
    quote: str, content: str, span: tuple[int, int]
) -> None:
    assert locate(quote, content) == span
    assert plain(content[slice(*span)]) == plain(quote)


@pytest.mark.parametrize(
    ("quote", "content"),
    [
        ("", "text"),
        (" \n", "text"),
        ("he works", "He works"),
        ("It's", "It’s"),
        ("102", "10²"),
        ("Heworks", "He works"),
        ("a b", "ab"),
        ("He works at Acme", "He works"),
        ("e", "\u00e9"),
        ("x", ""),
    ],
)
def test_nothing_else_is_forgiven(quote: str, content: str) -> None:
    assert locate(quote, content) is None


def test_a_quote_does_not_match_a_part_of_a_character_while_another_place_matches_it_whole() -> None:
    assert locate("caf e", "caf e\u0301, caf e") == (8, 13)


def test_the_occurrence_nearest_to_the_position_is_taken() -> None:
    content = "Go is. Go was. Go will."
    assert [locate("Go", content, near=near) for near in (-5, 0, 3, 4, 10, 11, 12, 500)] == [
        (0, 2), (0, 2), (0, 2), (7, 9), (7, 9), (7, 9), (15, 17), (15, 17),
    ]  # fmt: skip


def test_an_occurrence_inside_the_span_is_preferred_to_a_nearer_one() -> None:
    content = "Go is.  Go was. Go  will."
    assert locate("Go", content, near=0, within=(5, 15)) == (8, 10)
    assert locate("Go", content, near=24, within=(0, 15)) == (8, 10)
    assert locate("Go", content, within=(9, 17)) == (8, 10)
    assert locate("Go will", content, within=(0, 7)) == (16, 24)
    assert locate("Go", content, within=(400, 500)) == (16, 18)


@given(TEXTS, st.data())
def test_every_part_of_a_text_is_found_in_it(content: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(content)))
    quote = content[start : data.draw(st.integers(start, len(content)))]
    span = locate(quote, content)
    assert (span is None) == (not quote.strip())
    if span:
        found = content[slice(*span)]
        assert plain(found) == plain(quote)
        assert found == found.strip()


@given(TEXTS, st.data(), st.sampled_from(["NFC", "NFD"]), st.sampled_from(["NFC", "NFD"]))
def test_words_are_found_whatever_the_normal_forms_and_the_spaces(
    content: str, data: st.DataObject, ours: str, theirs: str
) -> None:
    words = content.split()
    start = data.draw(st.integers(0, len(words)))
    quote = unicodedata.normalize(ours, "\n ".join(words[start : data.draw(st.integers(start, len(words)))]))
    document = unicodedata.normalize(theirs, content)
    span = locate(quote, document)
    assert (span is None) == (not quote.strip())
    if span:
        assert plain(document[slice(*span)]) == plain(quote)


@given(
    st.text(st.sampled_from("ab \n"), max_size=30),
    st.sampled_from(["a", "ab", "a b", "aa"]),
    st.integers(-2, 32),
    st.integers(0, 31),
    st.integers(0, 31),
)
def test_the_choice_is_the_one_a_full_scan_makes(content: str, quote: str, near: int, low: int, high: int) -> None:
    spans = [
        (i, j)
        for i in range(len(content))
        for j in range(i + 1, len(content) + 1)
        if plain(content[i:j]) == quote == quote.strip()
    ]
    spans = [(i, j) for i, j in spans if content[i:j] == content[i:j].strip()]
    assert locate(quote, content, near=near) == min(
        spans, key=lambda span: (abs(span[0] - near), span[0]), default=None
    )
    inside = [span for span in spans if low <= span[0] and span[1] <= high]
    found = locate(quote, content, near=near, within=(low, high))
    assert found in inside if inside else found in [*spans, None]
    assert (found is None) == (not spans)


def test_one_index_answers_many_quotes_of_a_megabyte_quickly() -> None:
    content = "".join(f"Sentence number {i} says café. " for i in range(32_000))
    index = QuoteIndex(unicodedata.normalize("NFD", content))
    started = time.perf_counter()
    for number in range(0, 32_000, 320):
        assert index.locate(f"number {number} says café.", near=number * 32) is not None
    assert time.perf_counter() - started < 3


def test_a_hostile_quote_takes_no_quadratic_time() -> None:
    index = QuoteIndex("a" * 1_000_000)
    started = time.perf_counter()
    assert index.locate("a" * 2_500 + "b" + "a" * 2_500, near=900_000) is None
    assert time.perf_counter() - started < 2


def test_every_character_that_composes_with_the_one_before_is_a_mark_or_a_hangul_letter() -> None:
    for code in range(sys.maxunicode + 1):
        parts = unicodedata.normalize("NFD", chr(code))
        if len(parts) > 1 and unicodedata.normalize("NFC", parts) != parts:
            assert all(unicodedata.category(part).startswith("M") or 0x1160 <= ord(part) < 0x1200 for part in parts[1:])
