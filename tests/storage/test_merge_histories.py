"""Whatever entities are merged, and in whatever order that is undone: in the end the graph is what it would be without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from doubles import HashEmbedder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted import year
from sqlalchemy import select

from server import models
from server.errors import BadUserInput, Conflict
from server.services.definitions import Definition, Definitions
from server.services.entities import NewEntity
from server.services.facts import NewFact
from server.services.imports import Graph, ImportedEntity, ImportedFact, ImportedMemory, ImportedRelationship, Imports
from server.services.memories import NewMemory
from server.services.merges import Merges
from server.services.relationships import EntityRef, NewRelationship
from server.services.volumes import Volumes
from server.store import Store
from server.store.records import VolumeRecord
from server.store.relations import table_of
from server.terms import Cardinality, ClaimStatus

ENTITIES = ("Ada", "Ada Lind", "A. Lind", "Ada L.")
TYPES = ("KNOWS", "WORKS_AT", "EMPLOYS", "SIBLING_OF")
"""One that is nobody's inverse, two inverses, and one that is symmetric."""
NOBODY = UUID(int=0)
COUNTED = {"version", "updated_at", "known_from"}
"""What says how often a row was written, and when: a merge and its end are two writes."""
LINKS = (models.MemoryEntity, models.ProjectEntity, models.DocumentEntity)
TIMES: list[dict[str, Any]] = [
    {},
    {"valid_from": year(2001), "valid_to": year(2003)},
    {"valid_from": year(2005), "valid_to": year(2007)},
]


@dataclass(frozen=True)
class Said:
    """A fact about an entity or, with `other`, a relationship to one; `way` is how it is put, which changes nothing."""

    entity: int
    other: int | None
    what: int
    way: int
    time: int
    confidence: float

    def imported(self, ids: dict[str, UUID]) -> Graph:
        common: dict[str, Any] = {"confidence": self.confidence, **TIMES[self.time]}
        subject = ids[ENTITIES[self.entity]]
        if self.other is None:
            content = (f"Likes tea {self.what}", f"likes tea {self.what}.")[self.way]
            return Graph(facts=[ImportedFact(subject, NewFact(subject=NOBODY, content=content, **common))])
        new = NewRelationship(EntityRef(), EntityRef(), TYPES[self.what], description=f"in way {self.way}", **common)
        return Graph(relationships=[ImportedRelationship(subject, ids[ENTITIES[self.other]], new)])


async def begun(store: Store, memories: list[tuple[int, ...]]) -> tuple[VolumeRecord, dict[str, UUID]]:
    """Return a volume with all entities, and memories about some of them."""
    volume = await Volumes(store).ensure(f"v{uuid4().hex}", "test")
    graph = Graph(
        entities=[ImportedEntity(n, NewEntity(n, "concept", aliases=(f"Alias of {n}",))) for n in ENTITIES],
        memories=[
            ImportedMemory(tuple(ENTITIES[n] for n in about), NewMemory(f"Memory {k}", "text"))
            for k, about in enumerate(memories)
        ],
    )
    return volume, (await Imports(store, HashEmbedder()).load(volume, graph, "test")).ids


@dataclass(frozen=True)
class Setting:
    """KNOWS becomes symmetric, or WORKS_AT the inverse of EMPLOYS; or so no more."""

    symmetric: bool
    so: bool

    async def put(self, store: Store, volume: VolumeRecord) -> None:
        changes = {} if self.symmetric else {"inverse": "EMPLOYS" if self.so else None}
        name = "KNOWS" if self.symmetric else "WORKS_AT"
        new = Definition(name, Cardinality.MANY, self.symmetric and self.so, changes)
        await Definitions(store).set(volume, new, "test")


async def say(store: Store, volume: VolumeRecord, ids: dict[str, UUID], said: Said) -> bool:
    """State it; False where it is refused because its ends are one."""
    try:
        await Imports(store, HashEmbedder()).load(volume, said.imported(ids), "test")
    except Conflict:
        return False
    return True


async def merge(store: Store, volume: VolumeRecord, ids: dict[str, UUID], into: int, source: int) -> list[UUID]:
    """Merge one into another and return the record, if that made one."""
    try:
        done = await Merges(store).merge(volume, ids[ENTITIES[into]], [ids[ENTITIES[source]]], None, None, "test")
    except (BadUserInput, Conflict):
        return []
    return done.merges


async def rows(store: Store, volume: VolumeRecord) -> dict[str, list[dict[str, Any]]]:
    """Return what a volume holds, but for what counts its writes."""
    found: dict[str, list[dict[str, Any]]] = {}
    entities = select(table_of(models.Entity).c.id).where(table_of(models.Entity).c.volume_id == volume.id)
    tables = (models.Entity, models.Alias, models.Fact, models.Relationship, models.Evidence, *LINKS)
    for model in tables:
        table = table_of(model)
        own = table.c.volume_id == volume.id if "volume_id" in table.c else table.c.entity_id.in_(entities)
        statement = select(table).where(own).order_by(*table.primary_key)
        stored = [dict(row._mapping) for row in await store.read.rows(statement)]
        found[table.name] = [{n: v for n, v in row.items() if n not in COUNTED} for row in stored]
    return found


async def check_merged(store: Store, volume: VolumeRecord) -> None:
    """What counts, counts for what is not merged; what is set aside counts as what is not."""
    held = await rows(store, volume)
    roots = {row["id"] for row in held["entity"] if row["merged_into"] is None}
    assert {row["merged_into"] for row in held["entity"]} <= {None, *roots}
    for name, ends in (("fact", ("subject_id",)), ("relationship", ("source_id", "target_id"))):
        claims = {row["id"]: row for row in held[name]}
        heads = {id for id, row in claims.items() if row["folded_into"] is None}
        for id, row in claims.items():
            assert row["folded_into"] in {None, id, *heads}
            assert row["folded_into"] == id or {row[end] for end in ends} <= roots
        named = {row[f"{name}_id"] for row in held["evidence"]} - {None}
        assert named == {id for id, row in claims.items() if row["folded_into"] in (None, id)}
    tied = {(row["memory_id"], row["entity_id"]) for row in held["memory_entity"]}
    counts_as = {row["id"]: row["merged_into"] or row["id"] for row in held["entity"]}
    assert tied >= {(memory, counts_as[entity]) for memory, entity in tied}


async def apart(store: Store) -> int:
    return await store.read.count(models.ClaimApart)


async def believed(store: Store, volume: VolumeRecord, *, sure: bool) -> list[tuple[str, ...]]:
    """Return each piece of evidence with the entities and what it speaks for, by name; with how its claim stands, if `sure`."""
    held = await rows(store, volume)
    named = {row["id"]: row["name"] for row in held["entity"]}
    found = []
    for row in held["evidence"]:
        kind, ends = ("fact", ("subject_id",)) if row["fact_id"] else ("relationship", ("source_id", "target_id"))
        claim = next(one for one in held[kind] if one["id"] == row[f"{kind}_id"])
        what = claim["claim_key"] if kind == "fact" else claim["type"]
        words = claim["content"] if kind == "fact" else claim["description"]
        stands = (
            [claim["confidence"], claim["status"], words, row["said"]] if sure else [row["valid_from"], row["quote"]]
        )
        about = [named[claim[end]] for end in ends]
        if what == "EMPLOYS":
            about, what = about[::-1], "WORKS_AT"
        elif what in ("SIBLING_OF", "KNOWS"):
            about.sort()
        found.append(tuple(map(str, (*about, what, *stands, row["confidence"]))))
        assert claim["status"] in (ClaimStatus.CURRENT, ClaimStatus.PENDING_REVIEW)
    return sorted(found)


Step = Said | Setting | tuple[int, int]
number = st.integers(0, len(ENTITIES) - 1)
said = st.builds(
    Said,
    number,
    st.none() | number,
    st.integers(0, len(TYPES) - 1),
    st.integers(0, 1),
    st.integers(0, 2),
    st.sampled_from((0.6, 0.8)),
)
merges = st.lists(st.tuples(number, number), max_size=4)
ONCE = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@ONCE
@given(
    st.lists(said, max_size=8),
    st.lists(st.lists(number, max_size=3, unique=True).map(tuple), max_size=2),
    merges,
    st.data(),
)
async def test_when_all_merges_are_undone_in_any_order_the_rows_are_what_they_were(
    store: Store, stated: list[Said], memories: list[tuple[int, ...]], pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    volume, ids = await begun(store, memories)
    for one in stated:
        await say(store, volume, ids, one)
    before, noted = await rows(store, volume), await apart(store)
    records: list[UUID] = []
    for into, source in pairs:
        records += [one for one in await merge(store, volume, ids, into, source) if one not in records]
        await check_merged(store, volume)
    for record in data.draw(st.permutations(records)):
        await Merges(store).unmerge(volume, record, None, "test")
        await check_merged(store, volume)
    assert await rows(store, volume) == before
    assert await apart(store) == noted


async def check_sides(store: Store, steps: Sequence[Step], data: st.DataObject, *, sure: bool) -> None:
    volume, ids = await begun(store, [])
    other, others = await begun(store, [])
    records: list[UUID] = []
    for step in steps:
        if isinstance(step, Setting):
            await step.put(store, volume)
            await step.put(store, other)
        elif isinstance(step, Said):
            if await say(store, volume, ids, step):
                await say(store, other, others, step)
        else:
            records += [one for one in await merge(store, volume, ids, *step) if one not in records]
        await check_merged(store, volume)
    for record in data.draw(st.permutations(records)):
        await Merges(store).unmerge(volume, record, None, "test")
        await check_merged(store, volume)
    assert await believed(store, volume, sure=sure) == await believed(store, other, sure=sure)


@ONCE
@given(st.lists(said | st.tuples(number, number), max_size=10), st.data())
async def test_what_was_said_between_goes_to_the_entity_that_it_names(
    store: Store, steps: list[Said | tuple[int, int]], data: st.DataObject
) -> None:
    await check_sides(store, steps, data, sure=False)


undated = said.map(lambda one: Said(one.entity, one.other, one.what, one.way, 0, one.confidence))


@ONCE
@given(st.lists(undated | st.tuples(number, number), max_size=10), st.data())
async def test_claims_without_dates_stand_as_if_there_had_been_no_merge(
    store: Store, steps: list[Said | tuple[int, int]], data: st.DataObject
) -> None:
    await check_sides(store, steps, data, sure=True)


SETTINGS = st.lists(said | st.tuples(number, number) | st.builds(Setting, st.booleans(), st.booleans()), max_size=10)
MANY = settings(ONCE, max_examples=300)


@ONCE
@given(SETTINGS, st.data())
async def test_what_was_said_goes_to_whom_it_names_whatever_types_were_set_to_between(
    store: Store, steps: list[Step], data: st.DataObject
) -> None:
    await check_sides(store, steps, data, sure=False)


@pytest.mark.soak
@MANY
@given(SETTINGS, st.data())
async def test_what_was_said_goes_to_whom_it_names_in_many_histories(
    store: Store, steps: list[Step], data: st.DataObject
) -> None:
    await check_sides(store, steps, data, sure=False)
