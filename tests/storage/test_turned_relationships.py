"""Pages of an entity's relationships by type, direction and inverse: what a plain look at all rows finds, each row once."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any
from uuid import UUID

import pytest
from stores import new_volume

from server import models
from server.store import Store
from server.store.filters import RelationshipFilter
from server.store.records import RelationshipRecord
from server.store.relations import Turned, relationships_of_entity
from server.terms import Direction

TYPES = ("WORKS_AT", "EMPLOYS", "KNOWS", "MARRIED_TO")
ASKED: list[tuple[tuple[str, ...] | None, Turned]] = [
    (None, ()),
    ((), ()),
    (("KNOWS",), ()),
    (("MARRIED_TO", "KNOWS"), ()),
    (("EMPLOYS",), ((None, ("WORKS_AT",)),)),
    (("EMPLOYS", "WORKS_AT"), ((None, ("EMPLOYS", "WORKS_AT")),)),
    (("EMPLOYS", "KNOWS"), ((None, ("WORKS_AT",)),)),
]


def expected(row: RelationshipRecord, key: UUID, direction: Direction, asked: Any, turned: Turned) -> bool:
    """Say whether a relationship is one of an entity's, seen from either end."""
    ways = set()
    both = row.bidirectional or row.mutual
    for type, way in ((row.type, True), *((t, False) for _, types in turned for t in types)):
        if way and asked is not None and type not in asked:
            continue
        if type == row.type:
            out, into = (row.source_id, row.target_id) if way else (row.target_id, row.source_id)
            ways |= {Direction.OUT} if key == out or (both and key == into) else set()
            ways |= {Direction.IN} if key == into or (both and key == out) else set()
    return bool(ways) if direction is Direction.BOTH else direction in ways


async def world(store: Store, seed: int) -> tuple[list[UUID], list[RelationshipRecord]]:
    volume, chance = await new_volume(store), Random(seed)
    async with store.write(volume, "test") as tx:
        entities = [tx.insert(models.Entity, name=n, match_key=n, type="x") for n in "abc"]
        for _ in range(60):
            source, target = chance.choice(entities), chance.choice(entities)
            type = chance.choice(TYPES)
            both = {"bidirectional": chance.random() < 0.3, "mutual": type == "MARRIED_TO"}
            tx.insert(models.Relationship, source_id=source, target_id=target, type=type, **both)
    return entities, await store.read.where(RelationshipRecord, volume_id=volume)


@pytest.mark.parametrize("seed", range(3))
async def test_each_page_and_each_count_is_what_a_look_at_all_rows_finds(store: Store, seed: int) -> None:
    entities, rows = await world(store, seed)
    for direction, (asked, turned) in product(Direction, ASKED):
        relation = relationships_of_entity(direction, asked, turned)
        wanted = [[row.id for row in rows if expected(row, key, direction, asked, turned)] for key in entities]
        assert await store.read.counts(relation, entities, RelationshipFilter()) == list(map(len, wanted)), (
            direction,
            asked,
        )
        for entity, ids in zip(entities, wanted, strict=True):
            found: list[UUID] = []
            while True:
                after = found[-1:] or None
                (page,) = await store.read.pages(relation, [entity], RelationshipFilter(), first=7, after=after)
                found += [row.id for row in page.rows]
                if not page.has_next:
                    break
            assert found == ids, (direction, asked)
