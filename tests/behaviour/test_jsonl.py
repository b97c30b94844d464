"""A graph as lines of JSON: what a line may say, which line is at fault, and that an export brings back the same export."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from doubles import HashEmbedder
from hypothesis import given
from hypothesis import strategies as st

from server.config import Settings
from server.errors import BadUserInput, ServerError
from server.services.claims import stated_period
from server.services.entities import NewEntity
from server.services.exports import Export
from server.services.extraction.protocol import ChunkText, Extraction, Instant
from server.services.facts import NewFact
from server.services.imports import ImportedEntity, ImportedFact, ImportedMemory, ImportedRelationship
from server.services.instants import parse_instant
from server.services.jsonl import parse, read_batches, stated_end, stated_start
from server.services.knowledge import Knowledge
from server.services.memories import NewMemory
from server.services.relationships import EntityRef, NewRelationship
from server.store import Store
from server.terms import Authority, Precision, ValueType

Line = dict[str, Any]


def lines_of(items: Iterable[Line]) -> list[bytes]:
    return [orjson.dumps(item) + b"\n" for item in items]


def entity(key: str, name: str, **more: Any) -> Line:
    return {"kind": "entity", "key": key, "name": name, "type": "concept", **more}


def refusal_of(*items: Line | bytes) -> str:
    with pytest.raises(BadUserInput) as refused:
        list(read_batches([item if isinstance(item, bytes) else orjson.dumps(item) for item in items], 100))
    return refused.value.message


async def silent(text: ChunkText) -> Extraction:
    return Extraction()


@pytest.fixture
async def knowledge(settings: Settings, store: Store) -> Knowledge:
    return Knowledge(settings, store, HashEmbedder(), "silent", silent)


async def load(knowledge: Knowledge, volume: str, items: Iterable[Line], size: int = 100) -> None:
    into = await knowledge.volumes.ensure(volume, "test")
    keys: dict[str, Any] = {}
    for batch in read_batches(lines_of(items), size):
        keys |= (await knowledge.imports.load(into, batch.graph, "test", known=keys)).ids


async def exported(knowledge: Knowledge, volume: str) -> list[Line]:
    export = Export(knowledge.store, await knowledge.volumes.named(volume))
    return [line async for lines in export.batches() for line in lines]


def by_name(lines: Iterable[Line]) -> list[Line]:
    """Return lines with names for keys, in an order of their own: equal for equal graphs."""
    names: dict[str, list[str]] = {}
    found = []
    for line in lines:
        told = dict(line)
        if told["kind"] == "entity":
            names[told.pop("key")] = [told["name"], told["type"], told.get("sense", "")]
        told |= {end: names[told[end]] for end in ("subject", "source", "target") if end in told}
        if "entities" in told:
            told["entities"] = sorted(names[key] for key in told["entities"])
        found.append(told)
    return sorted(found, key=lambda one: orjson.dumps(one, option=orjson.OPT_SORT_KEYS))


def test_a_line_states_an_entity() -> None:
    said = entity("e1", "Go", description="A language", aliases=["Golang"], sense="language", properties={"year": 2009})
    said |= {"importance": 0.75, "confidence": 1}
    assert parse(orjson.dumps(said)) == ImportedEntity(
        "e1", NewEntity("Go", "concept", "A language", ("Golang",), "language", {"year": 2009}, 0.75, 1)
    )


def test_a_line_states_a_fact() -> None:
    said = {"kind": "fact", "subject": "e1", "content": "Costs $349", "category": "price", "predicate": "costs"}
    said |= {"value": "$349", "valueType": "money", "validFrom": "2021", "validTo": "2021-05", "quote": "It costs $349"}
    said |= {"importance": 0.25, "confidence": 0.5, "authority": "OFFICIAL"}
    item = parse(orjson.dumps(said))
    assert isinstance(item, ImportedFact)
    assert item == ImportedFact(
        "e1",
        NewFact(
            subject=item.fact.subject,
            content="Costs $349",
            category="price",
            predicate="costs",
            value="$349",
            value_type=ValueType.MONEY,
            valid_from=Instant(datetime(2021, 1, 1, tzinfo=UTC), Precision.YEAR),
            valid_to=Instant(datetime(2021, 5, 1, tzinfo=UTC), Precision.MONTH),
            importance=0.25,
            confidence=0.5,
            authority=Authority.OFFICIAL,
            quote="It costs $349",
        ),
    )


def test_a_line_states_a_relationship() -> None:
    said = {"kind": "relationship", "source": "a", "target": "b", "type": "KNOWS", "bidirectional": True}
    said |= {"strength": 0.5, "description": "from school", "properties": {"since": "school"}}
    assert parse(orjson.dumps(said)) == ImportedRelationship(
        "a",
        "b",
        NewRelationship(EntityRef(), EntityRef(), "KNOWS", "from school", {"since": "school"}, True, 0.5),
    )


def test_a_line_states_a_memory() -> None:
    said = {"kind": "memory", "title": "T", "content": "C", "context": "X", "keywords": ["k"], "tags": ["t"]}
    said |= {"importance": 7, "provenance": {"by": "me"}, "entities": ["a", "b"]}
    assert parse(orjson.dumps(said)) == ImportedMemory(
        ("a", "b"), NewMemory("T", "C", "X", ("k",), ("t",), 7, {"by": "me"})
    )


def test_null_is_as_good_as_absent() -> None:
    assert parse(orjson.dumps(entity("e1", "Go", description=None))) == ImportedEntity("e1", NewEntity("Go", "concept"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "Line 2: It is not JSON in UTF-8: "),
        (b'{"kind":"entity","key":"\xff"}', "Line 2: It is not JSON in UTF-8: "),
        (b"[]", "Line 2: It is not a JSON object."),
        ({"key": "x"}, "Line 2: kind must be one of entity, fact, relationship, memory."),
        ({"kind": ["entity"]}, "Line 2: kind must be one of entity, fact, relationship, memory."),
        ({"kind": "entity", "key": "x", "name": "X"}, "Line 2: The entity needs the field type."),
        (entity("x", "X", nmae="Y"), "Line 2: The entity has no field 'nmae'; it has key, name, type, "),
        (entity("", "X"), "Line 2: key must be a string of 1 to 200 characters."),
        (entity("x", "X", importance="high"), "Line 2: importance must be a number."),
        (entity("x", "X", importance=True), "Line 2: importance must be a number."),
        (entity("x", "X", aliases="Y"), "Line 2: aliases must be a list of strings."),
        (entity("x", "X", properties=[]), "Line 2: properties must be an object."),
        (entity("a", "X"), "Line 2: The key a is given twice."),
        ({"kind": "fact", "subject": "b", "content": "C"}, "Line 2: No entity before this line has the key b."),
        ({"kind": "fact", "subject": "a", "content": 5}, "Line 2: content must be a string."),
        (
            {"kind": "fact", "subject": "a", "content": "C", "validFrom": "soon"},
            "Line 2: validFrom: write a year (2024), a month (2024-03), a day (2024-03-05) or an ISO 8601 time.",
        ),
        (
            {"kind": "fact", "subject": "a", "content": "C", "authority": "KING"},
            "Line 2: authority must be one of OFFICIAL, MARKETING, USER, THIRD_PARTY, UNKNOWN.",
        ),
        (
            {"kind": "relationship", "source": "a", "target": "a", "type": "T", "bidirectional": 1},
            "Line 2: bidirectional must be true or false.",
        ),
        (
            {"kind": "relationship", "source": "a", "target": "z", "type": "T"},
            "Line 2: No entity before this line has the key z.",
        ),
        ({"kind": "memory", "title": "T", "content": "C", "importance": 1.5}, "Line 2: importance must be a whole number."),
        (
            {"kind": "memory", "title": "T", "content": "C", "entities": ["a", "z"]},
            "Line 2: No entity before this line has the key z.",
        ),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named_with_what_is_wrong(line: Line | bytes, message: str) -> None:
    assert refusal_of(entity("a", "A"), line).startswith(message)


def test_lines_are_batched_in_order_blank_ones_passed_over_and_all_bytes_counted() -> None:
    given = [b"\xef\xbb\xbf", b"\n", *lines_of([entity("a", "A")]), b"  \n"]
    given += lines_of([entity("b", "B"), {"kind": "fact", "subject": "a", "content": "C"}])
    first, second = read_batches(given, 2)
    assert [item.key for item in first.graph.entities] == ["a", "b"]
    assert first.numbers == {"entities": [3, 5], "facts": [], "relationships": [], "memories": []}
    assert (first.last, second.last) == (5, 6)
    assert [item.subject for item in second.graph.facts] == ["a"]
    assert first.bytes + second.bytes == sum(map(len, given))


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    (batch,) = read_batches([b"\xef\xbb\xbf" + lines_of([entity("a", "A")])[0]], 10)
    assert [item.entity.name for item in batch.graph.entities] == ["A"]


def test_a_batch_is_read_before_a_wrong_line_behind_it() -> None:
    batches = read_batches([*lines_of([entity("a", "A")]), b"nonsense"], 1)
    assert next(batches).last == 1
    with pytest.raises(BadUserInput, match=r"^Line 2: "):
        next(batches)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("facts[1].subject", "Line 4: It is wrong."),
        ("entities[0].name", "Line 1: It is wrong."),
        ("volume", "It is wrong."),
        (None, "It is wrong."),
    ],
)
def test_a_refusal_of_a_batch_gets_the_number_of_its_line(argument: str | None, message: str) -> None:
    facts = [{"kind": "fact", "subject": "a", "content": f"C{n}"} for n in range(2)]
    (batch,) = read_batches([*lines_of([entity("a", "A")]), b"\n", *lines_of(facts)], 10)
    assert batch.located(BadUserInput("It is wrong.", argument=argument)).message == message


INSTANTS = st.one_of(
    st.integers(1, 9998).map(lambda y: f"{y:04}"),
    st.dates(datetime(1, 1, 1).date(), datetime(9998, 12, 31).date()).flatmap(  # noqa: DTZ001
        lambda d: st.sampled_from([d.isoformat()[:7], d.isoformat()])
    ),
    st.datetimes(datetime(1, 1, 2), datetime(9998, 12, 31)).map(lambda t: t.isoformat() + "Z"),  # noqa: DTZ001
)


@given(INSTANTS)
def test_an_instant_that_was_stated_is_exported_as_it_was_stated(text: str) -> None:
    stated = parse_instant(text)
    since, until = stated_period(stated, None), stated_period(None, stated)
    assert since.start_precision is not None
    assert until.end_precision is not None
    assert parse_instant(stated_start(since.start, since.start_precision) or "") == stated
    assert parse_instant(stated_end(until.end, until.end_precision) or "") == stated


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 30)), st.sampled_from(Precision))  # noqa: DTZ001
def test_an_instant_that_its_precision_cannot_state_is_exported_exactly(at: datetime, precision: Precision) -> None:
    moment = at.replace(tzinfo=UTC)
    start, end = (
        parse_instant(stated_start(moment, precision) or ""),
        parse_instant(stated_end(moment, precision) or ""),
    )
    assert start.at == moment
    assert stated_period(None, end).end == moment


def test_an_end_of_a_year_s_precision_says_the_year_that_it_includes() -> None:
    assert stated_end(datetime(2025, 1, 1, tzinfo=UTC), "YEAR") == "2024"
    assert stated_end(datetime(2025, 1, 1, tzinfo=UTC), "MONTH") == "2024-12"
    assert stated_end(datetime(2025, 1, 1, tzinfo=UTC), "DAY") == "2024-12-31"
    assert stated_end(datetime(2025, 1, 1, tzinfo=UTC), "INSTANT") == "2025-01-01T00:00:00Z"
    assert stated_end(datetime(2025, 1, 1, tzinfo=UTC) + timedelta(hours=1), "YEAR") == "2025-01-01T01:00:00Z"


GRAPH: list[Line] = [
    entity("john", "John Doe", type="person", aliases=["Johnny"], importance=0.9, confidence=0.85),
    entity("acme", "Acme Inc", type="organization", description="Makes everything", properties={"size": {"n": [1, 2]}}),
    entity("wei1", "Li Wei", type="person", sense="CFO of A"),
    entity("wei2", "Li Wei", type="person", sense="CFO of B"),
    entity("wei0", "東京大学", type="organization"),
    {"kind": "fact", "subject": "john", "content": "Is 40", "value": "40", "valueType": "NUMBER", "category": "age"},
    {"kind": "fact", "subject": "acme", "content": "Costs $349/month", "predicate": "COSTS", "value": "$349/month",
     "valueType": "MONEY", "validFrom": "2024-03", "validTo": "2024", "quote": "It is $349 a month."},
    {"kind": "fact", "subject": "john", "content": "May be tall", "confidence": 0.4, "authority": "THIRD_PARTY"},
    {"kind": "relationship", "source": "john", "target": "acme", "type": "WORKS_AT", "validFrom": "2021",
     "validTo": "2023-06-30", "quote": "John worked at Acme.", "strength": 0.5, "confidence": 0.8},
    {"kind": "relationship", "source": "john", "target": "acme", "type": "WORKS_AT", "validFrom": "2025-02-01T08:30:00Z"},
    {"kind": "relationship", "source": "wei1", "target": "wei2", "type": "KNOWS", "bidirectional": True,
     "description": "from school", "properties": {"since": "2001"}},
    {"kind": "memory", "title": "Ask John", "content": "He knows.", "context": "at lunch", "keywords": ["lunch"],
     "tags": ["people", "todo"], "importance": 8, "provenance": {"by": "me"}, "entities": ["john", "acme"]},
    {"kind": "memory", "title": "Nothing", "content": "About nobody."},
]  # fmt: skip


@pytest.mark.parametrize("size", [1, 2, 100])
async def test_an_export_imported_into_an_empty_volume_gives_the_same_export(knowledge: Knowledge, size: int) -> None:
    await load(knowledge, "one", GRAPH)
    first = await exported(knowledge, "one")
    await load(knowledge, "two", first, size)
    assert by_name(await exported(knowledge, "two")) == by_name(first)
    assert len(first) == len(GRAPH)


async def test_an_export_says_what_was_imported(knowledge: Knowledge) -> None:
    await load(knowledge, "one", GRAPH)
    lines = await exported(knowledge, "one")
    assert [line["kind"] for line in lines] == ["entity"] * 5 + ["fact"] * 3 + ["relationship"] * 3 + ["memory"] * 2
    assert [line["name"] for line in lines[:5]] == ["John Doe", "Acme Inc", "東京大学", "Li Wei", "Li Wei"]
    assert lines[0] == {"kind": "entity", "key": "e1", "name": "John Doe", "type": "person", "aliases": ["Johnny"],
                        "importance": 0.9, "confidence": 0.85}  # fmt: skip
    price = next(line for line in lines if line.get("predicate") == "COSTS")
    assert price == {"kind": "fact", "subject": "e2", "content": "Costs $349/month", "predicate": "COSTS",
                     "value": "349 USD/month", "valueType": "MONEY", "importance": 0.5, "quote": "It is $349 a month.",
                     "validFrom": "2024-03", "validTo": "2024", "confidence": 1.0, "authority": "USER"}  # fmt: skip
    memory = next(line for line in lines if line.get("title") == "Ask John")
    assert sorted(memory["entities"]) == ["e1", "e2"]


async def test_what_was_taken_back_is_left_out_and_counted(knowledge: Knowledge) -> None:
    await load(knowledge, "one", GRAPH)
    volume = await knowledge.volumes.named("one")
    john = (await knowledge.entities.create(volume, NewEntity("John Doe", "person"), "test")).id
    fact = await knowledge.facts.create(volume, NewFact(john, "Is 40", value="40", value_type=ValueType.NUMBER), "test")
    assert fact.known
    await knowledge.facts.retract(volume, fact.id, "He is 41", None, "test")
    memory = await knowledge.memories.create(volume, NewMemory("Old", "Not true any more"), "test")
    await knowledge.memories.supersede(volume, memory.id, None, None, None, "test")
    export = Export(knowledge.store, volume)
    lines = [line async for part in export.batches() for line in part]
    assert +export.left_out == {"fact": 1, "memory": 1}
    assert export.written == {"entity": 5, "fact": 2, "relationship": 3, "memory": 2}
    assert "Is 40" not in {line.get("content") for line in lines}
    assert "Old" not in {line.get("title") for line in lines}


async def test_a_memory_of_very_many_entities_keeps_them_all(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.services.exports._ATTACHED", 2)
    keys = [f"k{n}" for n in range(5)]
    memory = {"kind": "memory", "title": "All", "content": "of them", "entities": keys}
    await load(knowledge, "one", [*(entity(key, f"Thing {key}") for key in keys), memory])
    (line,) = [line for line in await exported(knowledge, "one") if line["kind"] == "memory"]
    assert sorted(line["entities"]) == ["e1", "e2", "e3", "e4", "e5"]


async def test_a_batch_at_fault_writes_nothing_and_names_the_line(knowledge: Knowledge) -> None:
    wrong = [entity("a", "A"), {"kind": "fact", "subject": "a", "content": "C", "confidence": 7}]
    (batch,) = read_batches(lines_of(wrong), 10)
    volume = await knowledge.volumes.ensure("one", "test")
    with pytest.raises(ServerError) as refused:
        await knowledge.imports.load(volume, batch.graph, "test")
    assert batch.located(refused.value).message == "Line 2: confidence must be from 0 to 1."
    assert await exported(knowledge, "one") == []
