"""Pages of many parents, on both databases."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy.exc import IntegrityError

from server import models
from server.errors import NotFound
from server.ids import NodeKind, new_id
from server.store import Store
from server.store import relations as rel
from server.store.filters import EntityFilter, FactFilter
from server.store.records import EntityRecord
from server.store.relations import Sorting
from server.terms import ChangeKind, Direction


async def new_volume(store: Store, name: str = "v") -> UUID:
    id = new_id()
    async with store.write_new_volume(id, "test") as tx:
        tx.insert(models.Volume, id=id, name=name)
        tx.log(ChangeKind.CREATED, NodeKind.VOLUME, id, after={"name": name})
    return id


async def graph(store: Store, volume: UUID, width: int = 3, facts: int = 4) -> list[UUID]:
    async with store.write(volume, "test") as tx:
        entities = [
            tx.insert(models.Entity, name=f"E{n}", match_key=f"e{n}", type="concept", importance=n / 10)
            for n in range(width)
        ]
        for n, entity in enumerate(entities):
            for f in range(facts):
                tx.insert(
                    models.Fact, subject_id=entity, content=f"{n}.{f}", claim_key=f"{n}.{f}", importance=(f % 2) / 2
                )
            tx.insert(models.Relationship, source_id=entity, target_id=entities[(n + 1) % width], type="NEXT")
        tx.insert(models.Relationship, source_id=entities[0], target_id=entities[0], type="SELF", bidirectional=True)
    return entities


async def test_each_parent_gets_its_own_first_rows_in_order(store: Store) -> None:
    volume = await new_volume(store)
    a, b, c = await graph(store, volume)
    pages = await store.read.pages(rel.FACTS_OF_ENTITY, [c, a, c], FactFilter(), first=3)
    assert [[f.content for f in p.rows] for p in pages] == [
        ["2.0", "2.1", "2.2"],
        ["0.0", "0.1", "0.2"],
        ["2.0", "2.1", "2.2"],
    ]
    assert [p.has_next for p in pages] == [True, True, True]
    after = (pages[1].rows[-1].id,)
    rest = await store.read.pages(rel.FACTS_OF_ENTITY, [a], FactFilter(), first=3, after=after)
    assert [f.content for f in rest[0].rows] == ["0.3"]
    assert rest[0].has_next is False
    assert await store.read.counts(rel.FACTS_OF_ENTITY, [b, new_id()], FactFilter()) == [4, 0]


async def test_a_sorted_page_goes_on_behind_equal_values(store: Store) -> None:
    volume = await new_volume(store)
    (a,) = await graph(store, volume, width=1, facts=6)
    by_importance = Sorting(("importance",), descending=True)
    seen: list[str] = []
    after = None
    for _ in range(3):
        (page,) = await store.read.pages(
            rel.FACTS_OF_ENTITY, [a], FactFilter(), first=2, sorting=by_importance, after=after
        )
        seen += [f.content for f in page.rows]
        after = (page.rows[-1].importance, page.rows[-1].id)
    assert seen == ["0.5", "0.3", "0.1", "0.4", "0.2", "0.0"]


async def test_relationships_are_found_from_either_end_once(store: Store) -> None:
    volume = await new_volume(store)
    a, _, c = await graph(store, volume)

    async def types(direction: Direction, entity: UUID) -> list[str]:
        (page,) = await store.read.pages(rel.RELATIONSHIPS_OF_ENTITY[direction], [entity], first=10)
        (count,) = await store.read.counts(rel.RELATIONSHIPS_OF_ENTITY[direction], [entity])
        assert count == len(page.rows)
        return [r.type for r in page.rows]

    assert await types(Direction.OUT, a) == ["NEXT", "SELF"]
    assert await types(Direction.IN, a) == ["NEXT", "SELF"]
    assert await types(Direction.BOTH, a) == ["NEXT", "NEXT", "SELF"]
    assert await types(Direction.BOTH, c) == ["NEXT", "NEXT"]


async def test_pages_of_relationships_that_go_both_ways_follow_each_other(store: Store) -> None:
    volume = await new_volume(store)
    async with store.write(volume, "test") as tx:
        a, b = (tx.insert(models.Entity, name=n, match_key=n, type="concept") for n in "ab")
        for n, (source, target, either) in enumerate(
            [(a, b, 0), (b, a, 1), (b, a, 0), (a, a, 1), (a, b, 1), (b, b, 1)]
        ):
            tx.insert(models.Relationship, source_id=source, target_id=target, type=str(n), bidirectional=bool(either))
    after, seen = None, []
    for _ in range(3):
        (page,) = await store.read.pages(rel.RELATIONSHIPS_OF_ENTITY[Direction.BOTH], [a], first=2, after=after)
        after = (page.rows[-1].id,)
        seen.append(([r.type for r in page.rows], page.has_next))
    assert seen == [(["0", "1"], True), (["2", "3"], True), (["4"], False)]
    (out, of_b) = await store.read.pages(rel.RELATIONSHIPS_OF_ENTITY[Direction.OUT], [a, b], first=3)
    assert ([r.type for r in out.rows], out.has_next) == (["0", "1", "3"], True)
    assert ([r.type for r in of_b.rows], of_b.has_next) == (["1", "2", "4"], True)
    (into, _) = await store.read.pages(rel.RELATIONSHIPS_OF_ENTITY[Direction.IN], [a, b], first=9)
    assert [r.type for r in into.rows] == ["1", "2", "3", "4"]
    counts = [await store.read.counts(rel.RELATIONSHIPS_OF_ENTITY[way], [a, b]) for way in Direction]
    assert dict(zip(Direction, counts, strict=True)) == {
        Direction.OUT: [4, 4],
        Direction.IN: [4, 4],
        Direction.BOTH: [5, 5],
    }


async def test_entities_are_filtered_by_a_part_of_a_name_or_alias(store: Store) -> None:
    volume = await new_volume(store)
    a, b, _ = await graph(store, volume)
    async with store.write(volume, "test") as tx:
        tx.insert(models.Alias, entity_id=b, match_key="100%_x", name="100%_X")
    (page,) = await store.read.pages(rel.ENTITIES_OF_VOLUME, [volume], EntityFilter(name_part="0%_"), first=10)
    assert [e.id for e in page.rows] == [b]
    found = await store.read.entities_named(volume, ["e0", "100%_x", "none"])
    assert {key: [e.id for e in entities] for key, entities in found.items()} == {"e0": [a], "100%_x": [b], "none": []}
    assert await store.read.by_ids(EntityRecord, [new_id()]) == [None]


async def test_a_transaction_stamps_its_rows_and_log_with_one_increasing_instant(store: Store) -> None:
    volume = await new_volume(store)
    (a,) = await graph(store, volume, width=1, facts=1)
    entity = await store.read.one(EntityRecord, a)
    async with store.write(volume, "ann") as tx:
        tx.update(models.Entity, a, name="New", version=2)
        tx.log(ChangeKind.UPDATED, NodeKind.ENTITY, a, before={"name": "E0"}, after={"name": "New"})
        tx.log_batch(ChangeKind.CREATED, [(NodeKind.FACT, a), (NodeKind.FACT, volume)])
    changed = await store.read.one(EntityRecord, a)
    assert entity is not None
    assert changed is not None
    assert (changed.name, changed.version, changed.updated_at) == ("New", 2, tx.at)
    assert changed.created_at == entity.created_at
    assert tx.at is not None
    assert tx.at > entity.updated_at
    from server.store.filters import ChangeFilter

    (page,) = await store.read.changes([volume], ChangeFilter(), 2, None)
    assert [(c.kind, n, c.actor, c.at) for c, n in page.rows] == [
        ("CREATED", 1, "ann", tx.at),
        ("CREATED", 0, "ann", tx.at),
    ]
    last, place = page.rows[-1]
    (rest,) = await store.read.changes([volume], ChangeFilter(), 9, (last.seq, place))
    assert [(c.kind, c.before, c.after) for c, _ in rest.rows] == [
        ("UPDATED", {"name": "E0"}, {"name": "New"}),
        ("CREATED", None, {"name": "v"}),
    ]
    assert await store.read.count_changes([volume], ChangeFilter()) == [4]


async def test_a_refused_write_leaves_nothing_behind(store: Store) -> None:
    volume = await new_volume(store)
    await graph(store, volume, width=1, facts=0)
    before = await store.read.rows(models.LogHead.__table__.select())
    with pytest.raises(IntegrityError):
        async with store.write(volume, "test") as tx:
            tx.insert(models.Entity, name="Other", match_key="other", type="concept")
            tx.insert(models.Entity, name="E0", match_key="e0", type="concept")
    with pytest.raises(NotFound):
        async with store.write(new_id(), "test"):
            pass
    assert await store.read.count(models.Entity) == 1
    assert await store.read.rows(models.LogHead.__table__.select()) == before
