"""What extractors answered, as JSON and back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from server.services.chunking import Chunk
from server.services.extraction.protocol import (
    ExtractedEntity,
    ExtractedFact,
    ExtractedRelationship,
    Extraction,
    Instant,
    RejectedItem,
    Span,
)
from server.services.ingestion.answers import decode_extraction, decode_reading, encode
from server.services.reading import NamedThing, Reading, Statement
from server.terms import Precision, Usage, ValueType

_text = st.text(max_size=20)
_span = st.builds(Span, st.integers(0, 99), st.integers(0, 99))
_instant = st.none() | st.builds(Instant, st.datetimes(timezones=st.just(UTC)), st.sampled_from(Precision))
_share = st.floats(0, 1)
_entities = st.builds(
    ExtractedEntity,
    key=_text,
    name=_text,
    type=_text,
    quote=_text,
    mentions=st.lists(_span, max_size=3).map(tuple),
    aliases=st.lists(_text, max_size=3).map(tuple),
    description=st.none() | _text,
    stated_type=st.booleans(),
    confidence=_share,
)
_facts = st.builds(
    ExtractedFact,
    subject=_text,
    content=_text,
    quote=_text,
    predicate=st.none() | _text,
    value=st.none() | _text,
    value_type=st.sampled_from(ValueType),
    valid_from=_instant,
    valid_to=_instant,
    importance=_share,
)
_edges = st.builds(
    ExtractedRelationship, source=_text, type=_text, target=_text, quote=_text, valid_from=_instant, valid_to=_instant
)
_rejected = st.builds(
    RejectedItem, kind=_text, item=st.dictionaries(_text, _text | st.none(), max_size=2), reason=_text
)
_extractions = st.builds(
    Extraction,
    st.lists(_entities, max_size=3),
    st.lists(_facts, max_size=3),
    st.lists(_edges, max_size=3),
    st.lists(_rejected, max_size=2),
    st.builds(Usage, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)),
    st.booleans(),
)


@given(_extractions)
def test_an_extraction_comes_back_as_it_was(said: Extraction) -> None:
    text = encode(said)
    assert text.isascii()
    assert decode_extraction(text) == said


_things = st.builds(
    NamedThing,
    name=_text,
    type=_text,
    stated=st.booleans(),
    confidence=_share,
    description=st.none() | _text,
    aliases=st.lists(_text, max_size=2),
    mentions=st.lists(st.tuples(st.integers(0, 9), _span), max_size=2),
)


@given(
    st.lists(
        st.builds(Chunk, st.integers(0, 9), st.integers(0, 9), st.lists(_text, max_size=2).map(tuple)), max_size=3
    ),
    st.dictionaries(_text, _things, max_size=3),
    st.lists(st.builds(Statement, _facts | _edges, _span), max_size=3),
    st.lists(_rejected, max_size=2),
)
def test_a_reading_comes_back_as_it_was(
    chunks: list[Chunk], things: dict[str, NamedThing], statements: list[Statement], rejected: list[RejectedItem]
) -> None:
    reading = Reading(chunks, things, statements, rejected)
    assert decode_reading(encode(reading)) == reading


def test_what_is_not_well_formed_stays_as_it_is_for_the_checks_to_come() -> None:
    """A null where text belongs, numbers that are none, ends that are no instants, unknown fields."""
    odd: Any = ExtractedFact("s", None, 3, confidence=float("nan"), valid_from="soon", value_type="ODD")  # type: ignore[arg-type]
    back = decode_extraction(encode(Extraction(facts=[odd]))).facts[0]
    assert (back.content, back.quote, back.valid_from, back.value_type) == (None, 3, "soon", "ODD")
    assert back.confidence != back.confidence
    assert decode_extraction('{"entities": [], "facts": [], "usage": 3}') == Extraction()
    known = ExtractedEntity("k", "n", "t", "q")
    assert decode_extraction(encode(Extraction([known])).replace('"k"', '"k","colour":"red"', 1)).entities == [known]


def test_lone_surrogates_and_control_characters_pass_through() -> None:
    said = Extraction([ExtractedEntity("k", "a\ud800\x00", "t", "q")])
    assert decode_extraction(encode(said)) == said


def test_an_instant_keeps_its_zone_and_its_precision() -> None:
    at = Instant(datetime(2024, 5, 1, 12, 30, 0, 5, tzinfo=UTC), Precision.DAY)
    fact = ExtractedFact("s", "c", "q", valid_from=at)
    (back,) = decode_extraction(encode(Extraction(facts=[fact]))).facts
    assert back == fact
    assert back.valid_from is not None
    assert back.valid_from.at.tzinfo is not None
