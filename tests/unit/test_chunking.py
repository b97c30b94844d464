"""Chunking: chunks cover the text in order, within the limit, and end where sections, blocks and sentences end."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.services.chunking import Chunk, chunk, sentences

LINES = st.sampled_from(
    ["# A", "## B c", "Title\n=====", "text one. Text two!", "- item", "  - inner", "1. one", "> quoted", "> # not", "```py", "```", "    code",
     "|a|b|", "|-|-|", "|1|2|", "", " ", "---", "[x]: http://y", "<div>", "<!--",
     "\u2028", "\f", "東京。大阪！", "e\u0301🎉", "word " * 12, "x" * 40, "\x00", "\ud800"]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=120),
    st.lists(LINES, max_size=20).flatmap(
        lambda lines: st.sampled_from(["\n", "\r\n", "\r", "\n\n"]).map(lambda end: end.join(lines))
    ),
)
MIME_TYPES = st.sampled_from(["text/plain", "text/markdown", "text/markdown; charset=utf-8", "text/html"])


def texts(text: str, **options: object) -> list[str]:
    return [text[part.start : part.end] for part in chunk(text, **options)]  # type: ignore[arg-type]


def said(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@given(TEXTS, MIME_TYPES, st.integers(1, 60), st.integers(0, 40))
def test_chunks_cover_all_that_shows_in_order_and_within_the_limit(
    text: str, mime_type: str, target: int, more: int
) -> None:
    parts = chunk(text, mime_type=mime_type, target=target, limit=target + more)
    at = 0
    for part in parts:
        assert at <= part.start < part.end <= len(text)
        assert part.end - part.start <= target + more
        assert not text[at : part.start].strip()
        assert text[part.start : part.end] == text[part.start : part.end].strip()
        at = part.end
    assert not text[at:].strip()


WORDS = st.sampled_from(["Dr.", "A.", "end.", "(x)", "\n", "\r\n", " ", "- b", "1.", "。", "?", "»", "3.14", "Foo"])


@given(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=20).map(" ".join)))
def test_sentences_cover_all_that_shows_in_order(text: str) -> None:
    at = 0
    for start, end in sentences(text):
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Noor met J. Smith at Acme Inc. She left.", ["Dr. Noor met J. Smith at Acme Inc.", "She left."]),
        (
            "It grew 3.14 times, e.g. in the U.S. Senate. Really?! Yes…",
            ["It grew 3.14 times, e.g. in the U.S. Senate.", "Really?!", "Yes…"],
        ),
        ("He lives in the U.S. The rest is gone.", ["He lives in the U.S.", "The rest is gone."]),
        ("Acme Corp. Holdings grew. Yahoo! is old.", ["Acme Corp. Holdings grew.", "Yahoo! is old."]),
        ("Founded in 2024. Node.js and .NET. Go!", ["Founded in 2024.", "Node.js and .NET.", "Go!"]),
        ('"No." he said. "Never." They left.', ['"No." he said.', '"Never."', "They left."]),
        ("東京は首都です。「はい。」次！最後", ["東京は首都です。", "「はい。」", "次！", "最後"]),
        ("هل أنت هنا؟ نعم.", ["هل أنت هنا؟", "نعم."]),
        ("यह है। ठीक।", ["यह है।", "ठीक।"]),
        (
            "1. Open it.\r\n2. Close it.\r\n- a\r\n- b\r\nstill b",
            ["1. Open it.", "2. Close it.", "- a", "- b\r\nstill b"],
        ),
        ("a line\nthat goes on\n\nNext paragraph", ["a line\nthat goes on", "Next paragraph"]),
        ("  \n ", []),
    ],
)
def test_a_text_falls_into_its_sentences(text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_paragraphs_are_gathered_up_to_the_target() -> None:
    text = "\n\n".join(["a" * 40, "b" * 40, "c" * 40, "d" * 90, "e"])
    assert texts(text, target=90, limit=100) == ["a" * 40 + "\n\n" + "b" * 40, "c" * 40, "d" * 90, "e"]


def test_a_paragraph_between_target_and_limit_stays_whole() -> None:
    text = "One sentence here. Another one here. A third."
    assert texts(text, target=20, limit=50) == [text]
    assert texts(text, target=20, limit=40) == ["One sentence here.", "Another one here.", "A third."]


def test_a_sentence_too_long_is_cut_between_words_and_a_word_too_long_at_the_limit() -> None:
    assert texts("aaa bbb ccc ddd", target=7, limit=7) == ["aaa bbb", "ccc ddd"]
    assert texts("aaa bbbb", target=7, limit=7) == ["aaa", "bbbb"]
    assert texts("x" * 25, target=10, limit=10) == ["x" * 10, "x" * 10, "x" * 5]


@pytest.mark.parametrize("sign", ["e\u0301", "👩\u200d💻", "👍🏽", "🇩🇪", "\u1112\u1161\u11ab", "नि"])
def test_what_is_drawn_as_one_is_not_parted(sign: str) -> None:
    for limit in range(len(sign), 4 * len(sign)):
        assert {len(part) % len(sign) for part in texts(sign * 20, target=limit, limit=limit)} == {0}


MARKDOWN = """---
title: x
---
Intro.

# Plans

## Professional Plus

It costs $349/month.

- API Access
- SSO

Title
=====

```py
# no heading
```

> ## no heading

### Below
| a | b |
|---|---|
| 1 | 2 |

# End
"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_markdown_section_is_a_chunk_under_its_headings(line_end: str) -> None:
    text = MARKDOWN.replace("\n", line_end)
    found = [
        (part.headings, text[part.start : part.end].replace(line_end, "\n"))
        for part in chunk(text, mime_type="text/markdown")
    ]
    assert found == [
        ((), "---\ntitle: x\n---\nIntro."),
        (
            ("Plans", "Professional Plus"),
            "# Plans\n\n## Professional Plus\n\nIt costs $349/month.\n\n- API Access\n- SSO",
        ),
        (("Title",), "Title\n=====\n\n```py\n# no heading\n```\n\n> ## no heading"),
        (("Title", "Below"), "### Below\n| a | b |\n|---|---|\n| 1 | 2 |"),
        (("End",), "# End"),
    ]


def test_plain_text_has_no_headings() -> None:
    assert chunk("# A\n\ntext") == [Chunk(0, 9)]


def test_a_heading_without_a_text_below_does_not_join_a_section_beside_it() -> None:
    assert texts("## A\n## B\ntext", mime_type="text/markdown") == ["## A", "## B\ntext"]


def test_a_heading_takes_a_part_of_a_block_along_that_does_not_fit() -> None:
    text = "# Heading\n\n" + "A sentence here. " * 3
    assert texts(text, mime_type="text/markdown", target=40, limit=55) == [
        "# Heading\n\nA sentence here.",
        "A sentence here. A sentence here.",
    ]


def test_lists_tables_and_code_that_are_too_long_are_cut_between_items_rows_and_lines() -> None:
    assert texts("- one. Two.\n- three\n- four", mime_type="text/markdown", target=20, limit=20) == [
        "- one. Two.\n- three",
        "- four",
    ]
    assert texts("|a|b|\n|-|-|\n|1|2|\n|3|4|", mime_type="text/markdown", target=12, limit=12) == [
        "|a|b|\n|-|-|",
        "|1|2|\n|3|4|",
    ]
    assert texts("```\nx. Y\nz. W\n```", mime_type="text/markdown", target=9, limit=9) == ["```\nx. Y", "z. W\n```"]


def test_a_code_block_that_fits_stays_whole() -> None:
    code = "```\na\n\n\nb\n```"
    assert texts("Text before it.\n\n" + code, mime_type="text/markdown", target=20, limit=25) == [
        "Text before it.",
        code,
    ]


@pytest.mark.parametrize(("target", "limit"), [(0, 10), (20, 10), (-1, 5)])
def test_sizes_that_make_no_sense_are_refused(target: int, limit: int) -> None:
    with pytest.raises(ValueError, match="target"):
        chunk("text", target=target, limit=limit)


MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "x" * MEGABYTE,
        "word word. " * 90_000,
        "." * MEGABYTE + "x",
        ".)" * 500_000,
        "a" + " " * MEGABYTE + "b",
        ("\n" + " " * 50) * 20_000,
        "\u0301" * MEGABYTE,
        "🇩" * 300_000,
        "> " * 10_000,
        "[" * 50_000,
        "- " * 500_000,
        "- a\n" * 250_000,
        ("> " * 19 + "- a\n") * 20_000,
        "|" + "a|" * 250_000 + "\n|" + "-|" * 250_000 + "\n",
        "[a]: b '\n" * 100_000,
        "# a\n" * 29_000,
    ],
    ids=lambda text: repr(text[:12]),
)
@pytest.mark.parametrize("mime_type", ["text/plain", "text/markdown"])
def test_a_megabyte_of_anything_is_cut_in_linear_time(text: str, mime_type: str) -> None:
    started = time.perf_counter()
    parts = chunk(text, mime_type=mime_type)
    assert time.perf_counter() - started < 60
    assert all(part.end - part.start <= 1600 for part in parts)
