"""Words of texts, and what texts are worth that the full-text index does not hold yet."""

from __future__ import annotations

import pytest

from server.store.words import relevances, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Error E-4711 at snake_case_name", ["error", "e", "4711", "at", "snake", "case", "name"]),
        ("Ünïcode CAFÉ", ["unicode", "cafe"]),
        ("Книга и كتاب", ["книга", "и", "كتاب"]),
        ("東京大学 v2", ["東京", "京大", "大学", "v2"]),
        ("A東B", ["a", "東", "b"]),
        ("?! \x00 _", []),
        ("", []),
    ],
)
def test_words_are_cut_at_signs_in_any_script(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_a_text_is_worth_what_the_index_says_of_an_equal_one() -> None:
    known = [("red apple pie", 3.0), ("green apple", 1.2), ("red", 2.0)]
    same = relevances("red apple", ["red apple pie", "nothing of it", "red"], known)
    assert same == [pytest.approx(3.0, abs=0.5), 0.0, pytest.approx(2.0, abs=0.5)]


def test_a_word_that_no_indexed_text_has_weighs_as_a_rare_one() -> None:
    (rare, none) = relevances("zebra apple", ["one zebra", "one horse"], [("green apple", 1.2)])
    assert rare == pytest.approx(7.6, rel=0.2)
    assert none == 0.0


def test_while_the_index_has_none_the_words_that_few_texts_have_weigh_most() -> None:
    scores = relevances("e 4712", ["e 4711 e", "e 4713 e", "a long report that ends with e 4712"], [])
    assert scores.index(max(scores)) == 2


def test_without_words_nothing_is_worth_anything() -> None:
    assert relevances("?!", ["one", "two"], []) == [0.0, 0.0]
    assert relevances("one", [], [("one", 1.0)]) == []
