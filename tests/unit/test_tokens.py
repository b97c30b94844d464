"""Tokens are counted by a tokenizer that works offline, and no text is free."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.embeddings.wordpiece import WordPiece, read_vocabulary
from server.services.tokens import count


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t", 0),
        ("Ada Lind joined Northwind.", 7),
        ("[CLS] [MASK]", 7),
        ("東京大学", 4),
        ("ಠ", 1),
        ("ಠಠಠ ಠ", 4),
        ("x" * 300, 300),
    ],
)
def test_each_text_has_its_number_of_tokens(text: str, tokens: int) -> None:
    assert count(text) == tokens


def test_the_count_is_not_cut_where_the_model_cuts() -> None:
    assert count("word " * 20_000) == 20_000


@given(st.lists(st.text(), max_size=5))
def test_the_tokens_of_lines_add_up(lines: list[str]) -> None:
    assert count("\n".join(lines)) == sum(map(count, lines))


@given(st.text(alphabet=st.characters(categories=["L", "N", "P"]), max_size=40))
def test_a_text_that_the_model_knows_has_the_tokens_that_the_model_sees(text: str) -> None:
    ids = WordPiece(read_vocabulary()).encode(text)
    assert count(text) == len(ids) - 2 or 100 in ids
