"""The replaying extractor of benchmarks/replay.py: what is sound of a recorded answer is said, the rest is listed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from _replay import Recorded, Replay

from server.services.reading import Reading, cut

TEXT = "The journal Nature is published by Springer. Ada Roe edits Nature in London."


async def read(names: list[Any], triples: list[Any], text: str = TEXT, size: int = 1200) -> Reading:
    passage = Recorded("Nature", text, names, triples)
    extractor = Replay([passage])
    gathering = await cut(title="Nature", content=passage.content, mime_type="text/plain", chunk_size=size)
    for number in range(len(gathering.reading.chunks)):
        gathering.add(number, await extractor.extract(gathering.text(number)))
    return gathering.reading


async def test_a_triple_between_two_listed_names_is_a_relationship_with_its_sentence() -> None:
    found = await read(["Nature", "Springer"], [["Nature", "published by", "Springer"]])
    (statement,) = found.statements
    content = f"Nature\n{TEXT}"
    assert (statement.said.type, content[statement.span.start : statement.span.end]) == (  # type: ignore[union-attr]
        "PUBLISHED_BY",
        "Nature\nThe journal Nature is published by Springer.",
    )


async def test_a_triple_with_an_object_that_is_not_listed_is_a_fact() -> None:
    found = await read(["Ada Roe"], [["Ada Roe", "edits", "a journal of science"]])
    said = found.statements[0].said
    assert (said.content, said.predicate, said.value) == (  # type: ignore[union-attr]
        "Ada Roe edits a journal of science",
        "EDITS",
        "a journal of science",
    )


async def test_a_subject_that_is_not_listed_but_stands_in_the_passage_becomes_an_entity() -> None:
    found = await read([], [["the journal", "is read in", "London"]])
    assert [thing.name for thing in found.things.values()] == ["the journal"]


@pytest.mark.parametrize(
    ("triple", "reason"),
    [
        (["Nature", "published by"], "A triple has three parts; this has 2."),
        (["Nature", "published", "in", "London"], "A triple has three parts; this has 4."),
        (["Nature", "published by", None], "A triple must be three texts."),
        (["Nature", " ", "Springer"], "A triple must be three texts."),
        ("Nature is published", "A triple must be three texts."),
        (["Science", "published by", "Springer"], "The passage does not have the name Science."),
        (["Nat", "published by", "Springer"], "The passage does not have the name Nat."),
    ],
)
async def test_a_malformed_triple_is_listed_with_its_reason_and_the_sound_one_beside_it_is_said(
    triple: Any, reason: str
) -> None:
    found = await read(["Nature", "Springer"], [triple, ["Nature", "published by", "Springer"]])
    assert [(one.kind, one.item, one.reason) for one in found.rejected] == [("triple", {"triple": triple}, reason)]
    assert len(found.statements) == 1


async def test_a_name_that_the_passage_does_not_have_is_listed() -> None:
    found = await read(["Science", None], [])
    assert [(one.item, one.reason) for one in found.rejected] == [
        ({"name": "Science"}, "The passage does not have this name."),
        ({"name": None}, "A name must be text."),
    ]


async def test_of_a_passage_of_several_chunks_each_triple_is_said_once() -> None:
    text = " ".join([TEXT, "Nothing else is said here at all." * 10, "Springer sits in Berlin.", "More words follow."])
    triples = [
        ["Nature", "published by", "Springer"],
        ["Springer", "sits in", "Berlin"],
        ["Ada Roe", "edits", "Nature"],
    ]
    found = await read(["Nature", "Springer", "Ada Roe", "Berlin"], [*triples, ["Nature"]], text, 200)
    assert len(found.chunks) > 1
    assert sorted(one.said.type for one in found.statements) == [  # type: ignore[union-attr]
        "EDITS",
        "PUBLISHED_BY",
        "SITS_IN",
    ]
    assert [one.reason for one in found.rejected] == ["A triple has three parts; this has 1."]
