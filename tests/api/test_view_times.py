"""A volume at an instant of valid time, and by confidence: which claims lists show then, and where those stand."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from api.test_views import instants, read

from server import models
from server.ids import NodeKind, decode_id
from server.terms import ChangeKind

if TYPE_CHECKING:
    from api.conftest import Api

EVERY = "[CURRENT, DISPUTED, PENDING_REVIEW, SUPERSEDED, RETRACTED, REJECTED]"


async def gives_way(api: Api, id: str, **columns: Any) -> None:
    """Write of a fact what another claim makes of it, in a new version."""
    fact = decode_id(id)
    assert fact is not None
    (row,) = await api.rows(models.Fact, id=fact.id)
    async with api.store.write(row["volume_id"], "test") as tx:
        tx.archive(models.Fact, models.FactVersion, [fact.id])
        tx.update(models.Fact, fact.id, **columns, version=row["version"] + 1)
        tx.log(ChangeKind.UPDATED, NodeKind.FACT, fact.id, before={}, after={})


async def plan(api: Api) -> str:
    """State of a plan what held, holds, will hold, never held or is not sure, each by a word of its own; return its id."""
    plan = await api.entity("Plan", "product")
    await api.fact(plan, "always")
    await api.fact(plan, "ended", validTo="2022")
    old = await api.fact(plan, "old", validFrom="2023")
    await api.fact(plan, "new", validFrom="2025")
    await api.fact(plan, "coming", validFrom="2999")
    beaten = await api.fact(plan, "beaten")
    disputed = await api.fact(plan, "disputed", validFrom="2020-06", validTo="2024-02")
    await api.fact(plan, "waiting", confidence=0.5)
    await api.do("retractFact", "fact { id }", id=await api.fact(plan, "retracted"))
    await gives_way(api, old, superseded_at=datetime(2025, 1, 1, tzinfo=UTC))
    await gives_way(api, beaten, status="SUPERSEDED")
    await gives_way(api, disputed, status="DISPUTED")
    return plan


async def shown(api: Api, filter: str = "", **view: Any) -> dict[str, str]:
    """Return the contents of the facts that a view lists, each with its status; their number must be the total."""
    given = f"(first: 100{filter})"
    found = (await read(api, f"facts{given} {{ totalCount nodes {{ content status }} }}", **view))["facts"]
    assert found["totalCount"] == len(found["nodes"])
    return {fact["content"]: fact["status"] for fact in found["nodes"]}


async def test_without_an_instant_lists_show_what_is_believed_ended_ones_and_coming_ones_included(api: Api) -> None:
    await plan(api)
    names = ["always", "ended", "new", "coming", "disputed"]
    assert await shown(api) == {**dict.fromkeys(names, "CURRENT"), "disputed": "DISPUTED"}


@pytest.mark.parametrize(
    ("valid", "names"),
    [
        ("0001", "always ended"),
        ("2020-05-31T23:59:59.999999Z", "always ended"),
        ("2020-06", "always ended disputed"),
        ("2022-12-31T23:59:59.999999Z", "always ended disputed"),
        ("2023", "always old disputed"),
        ("2024-02-29T23:59:59Z", "always old disputed"),
        ("2024-03-01", "always old"),
        ("2024-12-31T23:59:59.999999Z", "always old"),
        ("2025-01-01T00:00:00", "always new"),
        ("2025-01-01T00:30:00+01:00", "always old"),
        ("2024-12-31T23:30:00-01:00", "always new"),
        ("2998", "always new"),
        ("9999-12-31", "always new coming"),
    ],
)
async def test_an_instant_shows_what_held_then_ended_or_superseded_since(api: Api, valid: str, names: str) -> None:
    await plan(api)
    statuses = {"old": "SUPERSEDED", "disputed": "DISPUTED"}
    assert await shown(api, valid=valid) == {name: statuses.get(name, "CURRENT") for name in names.split()}


async def test_statuses_select_among_what_held_then(api: Api) -> None:
    await plan(api)
    others = {"beaten": "SUPERSEDED", "waiting": "PENDING_REVIEW", "retracted": "RETRACTED"}
    assert await shown(api, f", filter: {{statuses: {EVERY}}}", valid="2024-06") == {
        "always": "CURRENT",
        "old": "SUPERSEDED",
        **others,
    }
    assert await shown(api, ", filter: {statuses: [SUPERSEDED]}", valid="2024-06") == {
        "old": "SUPERSEDED",
        "beaten": "SUPERSEDED",
    }
    assert await shown(api, ", filter: {statuses: [CURRENT, DISPUTED]}", valid="2024-01") == {
        "always": "CURRENT",
        "disputed": "DISPUTED",
    }
    assert await shown(api, ", filter: {statuses: [SUPERSEDED]}", valid="2025-06") == {"beaten": "SUPERSEDED"}
    assert await shown(api, ", filter: {statuses: []}", valid="2024-06") == {}


async def test_both_axes_are_independent(api: Api) -> None:
    await plan(api)
    *_, retracted, replaced, _, _ = await instants(api)
    assert await shown(api, valid="2025-06", known=retracted) == dict.fromkeys(
        ["always", "old", "new", "beaten"], "CURRENT"
    )
    assert await shown(api, valid="2025-06", known=replaced) == dict.fromkeys(["always", "new", "beaten"], "CURRENT")
    assert await shown(api, valid="2024-06", known=replaced) == {
        "always": "CURRENT",
        "old": "SUPERSEDED",
        "beaten": "CURRENT",
    }
    assert await shown(api, valid="2024-01", known=replaced) == {
        "always": "CURRENT",
        "old": "SUPERSEDED",
        "beaten": "CURRENT",
        "disputed": "CURRENT",
    }


async def test_a_claim_that_gives_way_later_than_the_known_instant_was_current_then(api: Api) -> None:
    plan = await api.entity("Plan")
    coming = datetime.now(UTC).replace(year=datetime.now(UTC).year + 1)
    await gives_way(api, await api.fact(plan, "old"), superseded_at=coming)
    assert await shown(api) == {"old": "CURRENT"}
    assert await shown(api, known=f"{coming.year + 1}") == {}
    assert await shown(api, ", filter: {statuses: [SUPERSEDED]}", known=f"{coming.year + 1}") == {"old": "SUPERSEDED"}


async def test_the_least_confidence_holds_for_all_claims_that_lists_show_and_for_no_names(api: Api) -> None:
    ada, bob = await api.entity("Ada", confidence=0.1), await api.entity("Bob", confidence=0.1)
    await api.fact(ada, "sure", confidence=0.9)
    await api.fact(ada, "exact", confidence=0.8)
    await api.fact(ada, "unsure", confidence=0.75)
    await api.relationship(ada, "knows", bob, confidence=0.9)
    await api.relationship(ada, "likes", bob, confidence=0.7)
    selection = """facts { totalCount nodes { content } } statistics { facts relationships relationshipsByType }
        entities { nodes { name explanation facts { totalCount nodes { content } } relationships { totalCount nodes { type } }
            neighbors { totalCount edges { relationship { type } node { name } } } } }"""
    found = await read(api, selection, sure=0.8)
    facts = {"totalCount": 2, "nodes": [{"content": "sure"}, {"content": "exact"}]}
    assert found["facts"] == facts
    assert found["statistics"] == {"facts": 2, "relationships": 1, "relationshipsByType": {"KNOWS": 1}}
    knows = {"totalCount": 1, "nodes": [{"type": "KNOWS"}]}
    edge = {"relationship": {"type": "KNOWS"}}
    assert found["entities"]["nodes"] == [
        {
            "name": "Ada",
            "explanation": "Ada (concept)\n- sure\n- exact\nKNOWS -> Bob",
            "facts": facts,
            "relationships": knows,
            "neighbors": {"totalCount": 1, "edges": [{**edge, "node": {"name": "Bob"}}]},
        },
        {
            "name": "Bob",
            "explanation": "Bob (concept)\nAda -> KNOWS",
            "facts": {"totalCount": 0, "nodes": []},
            "relationships": knows,
            "neighbors": {"totalCount": 1, "edges": [{**edge, "node": {"name": "Ada"}}]},
        },
    ]
    assert await shown(api, ", filter: {minConfidence: 0.85}", sure=0.8) == {"sure": "CURRENT"}
    assert await shown(api, ", filter: {minConfidence: 0.1}", sure=0.8) == {"sure": "CURRENT", "exact": "CURRENT"}


@pytest.mark.parametrize("confidence", [-0.1, 1.1])
async def test_a_confidence_outside_0_to_1_is_refused(api: Api, confidence: float) -> None:
    body = await api.send("query($m: Float!) { volume(minConfidence: $m) { id } }", m=confidence)
    (error,) = body["errors"]
    assert error["message"] == "minConfidence must be from 0 to 1."
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": "minConfidence"}
    assert body["data"] == {"volume": None}


async def test_an_instant_that_is_none_is_refused(api: Api) -> None:
    body = await api.send('{ volume(asOf: {known: "yesterday"}) { id } }')
    assert [error["extensions"]["code"] for error in body["errors"]] == ["GRAPHQL_VALIDATION_FAILED"]
