"""Claims that were written before claims were judged: judged once, when the store is opened by a version that does."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import select
from stores import new_volume, number_of

from server import models
from server.services.contradiction import judge_earlier
from server.store import Store
from server.store.relations import table_of


async def fill(store: Store, volume: UUID) -> list[UUID]:
    """Write two prices of a thing one after the other, and two undated ones of another."""
    prices = [("a", "10", 2020), ("a", "12", 2022), ("b", "10", None), ("b", "12", None)]
    async with store.write(volume, "test") as tx:
        tx.insert(models.Predicate, name="COSTS", cardinality="ONE")
        things = {n: tx.insert(models.Entity, name=n, match_key=n, type="product") for n in ("a", "b")}
        return [
            tx.insert(
                models.Fact,
                subject_id=things[thing],
                content=f"It costs {price}",
                predicate="COSTS",
                claim_key=f"COSTS\\nNUMBER:{price}",
                valid_from=None if year is None else datetime(year, 1, 1, tzinfo=UTC),
            )
            for thing, price, year in prices
        ]


async def standing(store: Store) -> dict[UUID, tuple[str, UUID | None, int]]:
    table = table_of(models.Fact)
    rows = await store.read.rows(select(table.c.id, table.c.status, table.c.superseded_by, table.c.version))
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


async def test_what_was_there_is_judged_once(store: Store) -> None:
    a10, a12, b10, b12 = await fill(store, await new_volume(store))
    await judge_earlier(store)
    judged = {
        a10: ("CURRENT", a12, 2),
        a12: ("CURRENT", None, 1),
        b10: ("DISPUTED", None, 2),
        b12: ("DISPUTED", None, 2),
    }
    assert await standing(store) == judged
    assert await number_of(store, models.Conflict) == await number_of(store, models.Review) == 1
    await judge_earlier(store)
    assert await standing(store) == judged


async def test_many_volumes_are_judged_and_an_empty_store_needs_nothing(store: Store) -> None:
    for number in range(101):
        volume = await new_volume(store, f"v{number:03}")
    a10, a12, _, _ = await fill(store, volume)
    await judge_earlier(store)
    assert (await standing(store))[a10] == ("CURRENT", a12, 2)
    assert await store.setting("claims_judged") == "yes"
