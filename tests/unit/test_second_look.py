"""The second look at a résumé: where it is taken, and what it asks for."""

from __future__ import annotations

import pytest

from server.services.extraction.protocol import ChunkText, Extraction
from server.services.extraction.second_look import is_resume, prompt_of_more


@pytest.mark.parametrize(
    ("text", "headings", "expected"),
    [
        ("# Experience\n\nAda led five people.", (), True),
        ("WORK HISTORY\nAda led five people.", (), True),
        ("**Education**\n\nMSc, Lund", (), True),
        ("Ada led five people.", ("Ada Lind", "Employment"), True),
        ("Tea timer, written in Rust", ("Selected Projects",), True),
        ("# Projects\n\nTea timer, written in Rust", (), True),
        ("# Publications\n\nOn tea", (), False),
        ("# Skills\n\nRust", (), False),
        ("Ada has experience with tea, and an education.", (), False),
        ("Northwind has a lot of projects.", ("Northwind",), False),
    ],
)
def test_it_is_taken_of_jobs_studies_and_projects(text: str, headings: tuple[str, ...], expected: bool) -> None:
    assert is_resume(ChunkText(text, headings=headings)) is expected


def test_it_asks_for_three_to_six_facts_of_a_job_and_two_to_four_of_others() -> None:
    (instructions,) = prompt_of_more(ChunkText("x"), Extraction()).fixed
    assert "Of each work experience 3 to 6 facts in all, of each education or project 2 to 4" in instructions
