"""Staleness: a claim past its predicate's half-life without new evidence, as entities and their filter tell it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from server import models
from server.ids import decode_id

if TYPE_CHECKING:
    from api.conftest import Api


async def aged(api: Api, claim: str, days: float, seconds: float = 0) -> None:
    """Let all evidence of a claim be so old."""
    decoded, volume = decode_id(claim), await api.store.volume("default")
    assert decoded is not None
    assert volume is not None
    column = "fact_id" if claim.startswith("fct") else "relationship_id"
    at = datetime.now(UTC) - timedelta(days=days, seconds=seconds)
    async with api.store.write(volume.id, "test") as tx:
        tx.set_among(models.Evidence, column, [decoded.id], {"created_at": at})


async def stale(api: Api) -> list[str]:
    """Return the names of the stale entities, as they tell it themselves and as the filter finds them."""
    asked = """all: entities { nodes { name stale } } stale: entities(filter: {stale: true}) { totalCount nodes { name } }
        fresh: entities(filter: {stale: false}) { totalCount nodes { name } }"""
    found: dict[str, Any] = await api.volume(asked)
    told = [node["name"] for node in found["all"]["nodes"] if node["stale"]]
    assert [node["name"] for node in found["stale"]["nodes"]] == told
    assert found["stale"]["totalCount"] == len(told)
    assert [n["name"] for n in found["fresh"]["nodes"]] == [n["name"] for n in found["all"]["nodes"] if not n["stale"]]
    return told


async def test_a_fact_is_stale_from_its_half_life_on(api: Api) -> None:
    fact = await api.fact(await api.entity("Plan"), "It costs 5", predicate="COSTS", value="5 USD", valueType="MONEY")
    assert await stale(api) == []
    await aged(api, fact, 180, -60)
    assert await stale(api) == []
    await aged(api, fact, 180, 60)
    assert await stale(api) == ["Plan"]


async def test_a_relationship_is_a_claim_about_its_source(api: Api) -> None:
    ids = [await api.entity(name) for name in ("Ann", "Acme")]
    await aged(api, await api.relationship(ids[0], "WORKS_AT", ids[1]), 731)
    assert await stale(api) == ["Ann"]


async def test_new_evidence_makes_it_fresh_again(api: Api) -> None:
    plan = await api.entity("Plan")
    said = {"predicate": "COSTS", "value": "5 USD", "valueType": "MONEY"}
    await aged(api, await api.fact(plan, "It costs 5", **said), 200)
    assert await stale(api) == ["Plan"]
    await api.fact(plan, "It still costs 5", **said)
    assert await stale(api) == []


async def test_new_evidence_of_another_claim_keeps_none_fresh(api: Api) -> None:
    plan, fund, ann, bob = [await api.entity(name) for name in ("Plan", "Fund", "Ann", "Bob")]
    said = {"predicate": "COSTS", "value": "5 USD", "valueType": "MONEY"}
    old = await api.fact(plan, "It costs 5", **said)
    await api.fact(fund, "It costs 5", **said)
    worked = await api.relationship(ann, "WORKS_AT", fund)
    await api.relationship(bob, "WORKS_AT", fund)
    await aged(api, old, 181)
    await aged(api, worked, 731)
    assert await stale(api) == ["Ann", "Plan"]


async def test_what_does_not_age_is_over_or_is_not_believed_is_not_stale(api: Api) -> None:
    plan, ann, acme = [await api.entity(name) for name in ("Plan", "Ann", "Acme")]
    facts = [
        await api.fact(plan, "It was founded", predicate="FOUNDED_IN", value="1999", valueType="DATE"),
        await api.fact(plan, "It is blue"),
        await api.fact(plan, "It costs 7", predicate="COSTS", value="7 USD", valueType="MONEY", confidence=0.5),
        await api.relationship(ann, "WORKS_AT", acme, validFrom="2001", validTo="2003"),
    ]
    gone = await api.fact(ann, "She lives in Linz", predicate="LIVES_IN")
    await api.do("retractFact", "fact { id }", id=gone)
    for claim in (*facts, gone):
        await aged(api, claim, 9_000)
    assert await stale(api) == []


async def test_a_half_life_that_is_set_holds_at_once(api: Api) -> None:
    await aged(api, await api.fact(await api.entity("Sky"), "It is grey", predicate="LOOKS", value="grey"), 2)
    assert await stale(api) == []
    await api.do("setPredicate", "predicate { name }", name="LOOKS", cardinality="MANY", halfLifeDays=1.5)
    assert await stale(api) == ["Sky"]
    await api.do("setPredicate", "predicate { name }", name="LOOKS", cardinality="MANY", halfLifeDays=None)
    assert await stale(api) == []


async def test_all_entities_of_a_level_are_asked_about_by_one_statement(api: Api) -> None:
    ids = [await api.entity(f"E{n}") for n in range(20)]
    for id in ids[:10]:
        await aged(api, await api.fact(id, "It costs 5", predicate="COSTS", value="5 USD", valueType="MONEY"), 181)
    data = (await api.volume("entities { nodes { stale } }"))["entities"]["nodes"]
    assert sum(node["stale"] for node in data) == 10
    assert len(api.statements) == 3
