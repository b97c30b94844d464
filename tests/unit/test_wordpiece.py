"""The WordPiece tokeniser: the ids that uncased BERT gives, and bounded work on whatever text comes."""

from __future__ import annotations

import hashlib
import time
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.embeddings.wordpiece import MAX_CHARACTERS, MAX_TOKENS, WordPiece, read_vocabulary

VOCABULARY = read_vocabulary()
TOKENS = {id: token for token, id in VOCABULARY.items()}
WORDPIECE = WordPiece(VOCABULARY)
CLS, SEP, UNK = 101, 102, 100


def tokens(text: str) -> list[str]:
    """What stands between [CLS] and [SEP], readable."""
    ids = WORDPIECE.encode(text)
    assert (ids[0], ids[-1]) == (CLS, SEP)
    return [TOKENS[id] for id in ids[1:-1]]


def test_the_vocabulary_is_the_one_that_notice_names() -> None:
    folder = files("server.embeddings")
    assert (
        hashlib.sha256(folder.joinpath("vocab.txt").read_bytes()).hexdigest() in folder.joinpath("NOTICE").read_text()
    )
    assert len(VOCABULARY) == 30_522
    assert [VOCABULARY[token] for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the")] == [0, UNK, CLS, SEP, 1996]


# The expected ids are those of the tokenizers package 0.23 (BertWordPieceTokenizer, lower-casing) over the same vocabulary.
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", []),
        (" \n\t ", []),
        ("Hello, world!", [7592, 1010, 2088, 999]),
        ("The quick brown fox jumps over the lazy dog.", [1996, 4248, 2829, 4419, 14523, 2058, 1996, 13971, 3899, 1012]),
        ("unaffable embeddings", [14477, 20961, 3468, 7861, 8270, 4667, 2015]),
        ("Café naïve Ångström in Zürich", [7668, 15743, 17076, 15687, 1999, 10204]),
        ("İstanbul Straße", [9960, 2358, 27807]),
        ("東京大学 and 京都", [1879, 1755, 1810, 1817, 1998, 1755, 1961]),
        ("한국어", [1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008]),
        ("I ❤️ pizza 🍕!", [1045, UNK, 10733, UNK, 999]),
        ("مرحبا بالعالم", [1295, 17149, 29820, 29816, 25573, 1271, 25573, 23673, 29830, 25573, 23673, 22192]),
        ("שָׁלוֹם", [1266, 29799, 29792, 29800]),
        ("हिन्दी", [1339, 29877, 29863, 29861, 29878]),
        ("ΟΔΥΣΣΕΥΣ", [1169, 29722, 29735, 29733, 29733, 29723, 29735, 29733]),
        ("C++ costs $349/month (not C#).", [1039, 1009, 1009, 5366, 1002, 4090, 2683, 1013, 3204, 1006, 2025, 1039, 1001, 1007, 1012]),
        ("E-4711: don't panic—yet…", [1041, 1011, 4700, 14526, 1024, 2123, 1005, 1056, 6634, 1517, 2664, 1529]),
        (
            "tab\tnewline\nzero\u200bwidth\u00adsoft\x00nul",
            [21628, 2047, 4179, 5717, 9148, 11927, 7898, 15794, 11231, 2140],
        ),
        ("ﬁne", [1984, 2638]),
        ("ＡＣＭＥ １２", [UNK, UNK]),
        ("x" * 100 + " " + "x" * 101, [22038, *[20348] * 49, UNK]),
    ],
)  # fmt: skip
def test_ids_are_those_of_bert(text: str, ids: list[int]) -> None:
    assert WORDPIECE.encode(text) == [CLS, *ids, SEP]


def test_special_tokens_in_a_text_are_only_text() -> None:
    assert tokens("[CLS] [MASK]") == ["[", "cl", "##s", "]", "[", "mask", "]"]


def test_a_lone_surrogate_is_dropped() -> None:
    assert tokens("sur\ud800face") == ["surface"]


def test_a_composed_and_a_decomposed_spelling_are_the_same() -> None:
    assert WORDPIECE.encode("e\u0301cole") == WORDPIECE.encode("\u00e9cole")


def test_a_long_text_is_cut_at_256_tokens_with_its_end_marked() -> None:
    ids = WORDPIECE.encode("dog " * 400)
    assert ids == [CLS, *[VOCABULARY["dog"]] * 254, SEP]


def test_a_word_that_crosses_the_limit_is_cut_too() -> None:
    assert WORDPIECE.encode("dog embeddings", limit=5) == [CLS, VOCABULARY["dog"], 7861, 8270, SEP]


def test_only_the_first_characters_are_considered() -> None:
    assert tokens(" " * (MAX_CHARACTERS - 3) + "dog cat") == ["dog"]


@pytest.mark.parametrize(
    "text",
    ["a" * 1_000_000, " " * 1_000_000, "東" * 1_000_000, "🤖" * 1_000_000, ("qzxj" * 24 + "\u16a0 ") * 10_000, "\u0301" * 1_000_000],
    ids=["one word", "spaces", "ideographs", "emoji", "words that fail late", "accents"],
)  # fmt: skip
def test_a_hostile_megabyte_costs_no_more_than_a_long_paragraph(text: str) -> None:
    start = time.thread_time()
    assert 2 <= len(WORDPIECE.encode(text)) <= MAX_TOKENS
    assert time.thread_time() - start < 0.5


@given(st.text(st.characters(), max_size=400))
def test_any_text_gives_known_ids_between_the_marks(text: str) -> None:
    ids = WORDPIECE.encode(text)
    assert ids[0] == CLS
    assert ids[-1] == SEP
    assert 2 <= len(ids) <= MAX_TOKENS
    assert set(ids[1:-1]) <= TOKENS.keys() - {CLS, SEP}


@given(st.text(st.characters(), max_size=60), st.text(st.characters(), max_size=60))
def test_texts_apart_by_a_space_tokenise_apart(left: str, right: str) -> None:
    assert WORDPIECE.encode(f"{left} {right}") == [*WORDPIECE.encode(left)[:-1], *WORDPIECE.encode(right)[1:]]


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=100))
def test_the_pieces_of_a_latin_word_spell_it(word: str) -> None:
    assert "".join(piece.removeprefix("##") for piece in tokens(word)) == word
