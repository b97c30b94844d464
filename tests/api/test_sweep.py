"""The sweep for stale claims: what it asks, once, until new evidence comes; one process at a time, with a clock that is handed in."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from server import models
from server.ids import decode_id
from server.services.staleness import Sweep, Swept
from server.store import Store

if TYPE_CHECKING:
    from api.conftest import Api

COSTS = {"predicate": "COSTS", "value": "5 USD", "valueType": "MONEY"}
ITEM = """__typename importance decision decidedBy ... on StaleReview { dueSince claim { text } }"""


def sweeping(store: Store, days: float = 0, interval: float = 3600) -> Sweep:
    """Return a sweep whose clock is so many days ahead."""
    return Sweep(store, interval, lambda: datetime.now(UTC) + timedelta(days=days))


def row_id(claim: str) -> UUID:
    decoded = decode_id(claim)
    assert decoded is not None
    return decoded.id


async def queue(api: Api, states: str = "OPEN") -> list[dict[str, Any]]:
    asked = f"reviewQueue(filter: {{kinds: [STALE], states: [{states}]}}) {{ nodes {{ {ITEM} }} }}"
    nodes: list[dict[str, Any]] = (await api.volume(asked))["reviewQueue"]["nodes"]
    return nodes


async def two_claims(api: Api) -> list[str]:
    plan, ann = await api.entity("Plan"), await api.entity("Ann", importance=0.9)
    fact = await api.fact(plan, "It costs 5", importance=0.4, **COSTS)
    return [fact, await api.relationship(ann, "WORKS_AT", plan), plan]


async def test_each_stale_claim_is_asked_about_once_since_it_was_due(api: Api) -> None:
    await two_claims(api)
    assert await sweeping(api.store, 179).round() == Swept(0, 0)
    assert await sweeping(api.store, 181).round() == Swept(1, 0)
    assert await sweeping(api.store, 731).round() == Swept(1, 0)
    assert await sweeping(api.store, 731).round() == Swept(0, 0)
    found = await queue(api)
    days = {"It costs 5": 180, "Ann works at Plan": 730}
    newest = max(row["created_at"] for row in await api.rows(models.Evidence))
    for item in found:
        since = datetime.fromisoformat(item.pop("dueSince")) - timedelta(days=days[item["claim"]["text"]])
        assert abs(newest - since) < timedelta(seconds=60)
    shared = {"__typename": "StaleReview", "decision": None, "decidedBy": None}
    assert found == [
        {**shared, "importance": 0.9, "claim": {"text": "Ann works at Plan"}},
        {**shared, "importance": 0.4, "claim": {"text": "It costs 5"}},
    ]


async def test_the_question_goes_when_new_evidence_comes_and_is_asked_anew_when_that_is_old(api: Api) -> None:
    _, _, plan = await two_claims(api)
    await sweeping(api.store, 181).round()
    await api.fact(plan, "It still costs 5", **COSTS)
    volume = await api.store.volume("default")
    assert volume is not None
    newest = (await api.rows(models.Evidence))[-1]["id"]
    async with api.store.write(volume.id, "test") as tx:
        at = datetime.now(UTC) + timedelta(days=100)
        tx.set_among(models.Evidence, "id", [newest], {"created_at": at})
    assert await sweeping(api.store, 200).round() == Swept(0, 1)
    assert await queue(api) == []
    assert [(item["decision"], item["decidedBy"]) for item in await queue(api, "LAPSED")] == [("LAPSED", None)]
    assert await sweeping(api.store, 281).round() == Swept(1, 0)
    assert len(await queue(api)) == 1


async def test_a_question_goes_by_new_evidence_of_its_own_claim_alone(api: Api) -> None:
    _, _, plan = await two_claims(api)
    await sweeping(api.store, 731).round()
    assert len(await queue(api)) == 2
    volume = await api.store.volume("default")
    assert volume is not None
    others = [
        (await api.fact(plan, "It has 5 seats", **{**COSTS, "predicate": "HAS_PRICE"}), "fact_id"),
        (await api.relationship(await api.entity("Bob"), "WORKS_AT", plan), "relationship_id"),
    ]
    async with api.store.write(volume.id, "test") as tx:
        at = datetime.now(UTC) + timedelta(days=730)
        for claim, column in others:
            tx.set_among(models.Evidence, column, [row_id(claim)], {"created_at": at})
    assert await sweeping(api.store, 731).round() == Swept(0, 0)
    assert len(await queue(api)) == 2


async def test_what_was_approved_is_not_asked_again_before_its_time(api: Api) -> None:
    await two_claims(api)
    await sweeping(api.store, 181).round()
    (item,) = (await api.volume("reviewQueue(filter: {kinds: [STALE]}) { nodes { id } }"))["reviewQueue"]["nodes"]
    await api.do("resolveReview", "items { decision }", items=[item["id"]], action="APPROVE")
    assert await sweeping(api.store, 179).round() == Swept(0, 0)
    assert await queue(api) == []


async def test_a_claim_that_was_retracted_is_asked_about_no_more(api: Api) -> None:
    fact, _, _ = await two_claims(api)
    await sweeping(api.store, 181).round()
    await api.do("retractFact", "fact { id }", id=fact)
    assert await queue(api) == []
    async with api.unchanged():
        assert await sweeping(api.store, 181).round() == Swept(0, 0)


async def test_of_two_processes_one_sweeps_and_the_other_takes_over_when_that_is_gone(api: Api) -> None:
    await two_claims(api)
    other = Store(api.store.settings)
    try:
        first, second = sweeping(api.store, 181), sweeping(other, 181)
        rounds = await asyncio.gather(first.step(), second.step())
        assert sorted(rounds, key=str) == [None, Swept(1, 0)]
        assert await second.step() is None
        # One hour later a process takes its turn and is killed; another hour later the other one sweeps.
        at = datetime.now(UTC) + timedelta(days=731)
        assert await api.store.take_turn("staleness_sweep", at, at + timedelta(hours=1))
        assert await Sweep(other, 3600, lambda: at + timedelta(minutes=59)).step() is None
        assert await Sweep(other, 3600, lambda: at + timedelta(minutes=61)).step() == Swept(1, 0)
    finally:
        await other.close()


async def test_a_sweep_that_runs_asks_by_itself(api: Api) -> None:
    await two_claims(api)
    running = asyncio.create_task(sweeping(api.store, 181, interval=1).run())
    async with asyncio.timeout(20):
        while not await queue(api):
            await asyncio.sleep(0.05)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert [item["claim"]["text"] for item in await queue(api)] == ["It costs 5"]
