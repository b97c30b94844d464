"""Signs and codes of a query: what counts as one, and which texts have it."""

from __future__ import annotations

import pytest

from server.store.signs import Sign, signs_of


@pytest.mark.parametrize(
    ("query", "signs", "alone"),
    [
        ("C++", ["C++"], True),
        ("is C++ better than C or C#?", ["C++", "C", "C#"], False),
        ("E-4712", ["E-4712"], True),
        ('the error "E-4712", again', ["E-4712"], False),
        ("→", ["→"], True),
        ("🚀 launch", ["🚀"], False),
        ("launch🚀🎉", ["🚀", "🎉"], False),
        ("👩🏽\u200d💻 ❤\ufe0f", ["👩🏽\u200d💻", "❤"], True),
        ("???", ["???"], True),
        ("snake_case_name at user@example.com", ["snake_case_name", "user@example.com"], False),
        (".NET v1.2.3", [".NET", "v1.2.3"], True),
        ("AT&T for $10", ["AT&T", "$10"], False),
        ("R", ["R"], True),
        ("I", ["I"], True),
        ("I have A plan", [], False),
        ("Is Ada M. Lind of Henry V?", ["V"], False),
        ("state-of-the-art and/or well-known, 10,000 at 2.5 (U.S.)", [], False),
        ("star* -- a + b = c", [], False),
        ("Foo® 東京大学", [], False),
        ("E-1 E-2 E-3 E-4 E-5", ["E-1", "E-2", "E-3", "E-4"], True),
    ],
)
def test_signs_of_a_query_are_what_words_lose(query: str, signs: list[str], alone: bool) -> None:
    found = signs_of(query)
    assert ([sign.text for sign in found.all], found.alone) == (signs, alone)


@pytest.mark.parametrize(
    ("sign", "text", "often"),
    [
        ("C", "C, not C++ or C# or AC or Obj-C or C-3PO. C!", 2),
        ("C++", "C and C++, (c++) or C++17, not C+++ or ABC++", 3),
        ("C#", "C# or c#, not C## or F#", 2),
        ("E-4712", "e-4712. (E-4712) not AE-4712, E-47123, E-4712-B or X-E-4712", 2),
        ("→", "a→b →→", 3),
        ("❤", "❤\ufe0f and ❤", 2),
        ("AT&T", "AT&T's", 1),
        ("a.b*", "aXbb", 0),
    ],
)
def test_a_sign_is_found_as_it_is_written_and_not_within_another(sign: str, text: str, often: int) -> None:
    assert Sign(sign).often(text) == often


def test_a_text_is_worth_more_the_more_of_the_signs_it_has() -> None:
    signs = signs_of("C++ E-4712")
    worth = [signs.worth(text) for text in ("nothing", "C++", "C++ E-4712", "C++ E-4712 C++ E-4712")]
    assert worth == sorted(worth)
    assert worth[0] == 0
    assert 0.5 < worth[1] < 1 < worth[2] < worth[3] < 1.25
    letter = signs_of("compiler in C")
    assert letter.sought == ()
    assert 0 < letter.worth("in C") < 0.2
    assert letter.worth("in C++") == 0
    assert signs_of("none of them").worth("C++") == 0
