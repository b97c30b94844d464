"""Relationships as sentences: a type that is no verb by itself gets one, and no second."""

from __future__ import annotations

import pytest

from server.services.relationships import sentence


@pytest.mark.parametrize(
    ("type", "told"),
    [
        ("WORKS_AT", "A works at B"),
        ("CREATED_BY", "A was created by B"),
        ("WRITTEN_BY", "A was written by B"),
        ("IS_TUTORED_BY", "A is tutored by B"),
        ("WAS_TUTORED_BY", "A was tutored by B"),
        ("HAS_BEEN_SEEN_BY", "A has been seen by B"),
        ("ARE_DRIVEN_BY", "A are driven by B"),
        ("RELATED_TO", "A is related to B"),
    ],
)
def test_a_relationship_reads_as_a_sentence(type: str, told: str) -> None:
    assert sentence("A", type, "B") == told
