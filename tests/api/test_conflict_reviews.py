"""A conflict that no rule decides is a question in the queue: the winner that a person chooses holds, the others give way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from api.conftest import Api

ITEM = "__typename id importance decision ... on ConflictReview { conflict { id status predicate claims { id } } }"
DONE = (
    "items { decision } claims { id status ... on Fact { value } } "
    "conflicts { status reason decidedBy winner { id } claims { id } }"
)


async def queue(api: Api, arguments: str = "") -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = (await api.volume(f"reviewQueue{arguments} {{ nodes {{ {ITEM} }} }}"))["reviewQueue"][
        "nodes"
    ]
    return nodes


async def prices(api: Api, **more: Any) -> tuple[str, list[str]]:
    """State two prices that no rule decides between; return the item that asks about them, and their ids."""
    team = await api.entity("Team", "plan", importance=0.75)
    price = {"predicate": "COSTS", "valueType": "MONEY", **more}
    ids = [await api.fact(team, f"Costs ${n}", value=f"${n}", **price) for n in (9, 12)]
    (item,) = await queue(api)
    return item["id"], ids


async def statuses(api: Api, ids: list[str]) -> list[str]:
    return [(await api.node(id, "status"))["status"] for id in ids]


async def test_two_prices_that_no_rule_decides_between_are_asked_about(api: Api) -> None:
    item, ids = await prices(api)
    (found,) = await queue(api)
    conflict = {
        "id": found["conflict"]["id"],
        "status": "OPEN",
        "predicate": "COSTS",
        "claims": [{"id": i} for i in ids],
    }
    kind = {"__typename": "ConflictReview", "id": item, "importance": 0.75, "decision": None}
    assert found == {**kind, "conflict": conflict}
    assert await statuses(api, ids) == ["DISPUTED", "DISPUTED"]


async def test_the_winner_holds_and_the_other_gives_way(api: Api) -> None:
    item, ids = await prices(api)
    decided = {"items": [item], "action": "CHOOSE_WINNER", "winner": ids[0], "reason": "On the bill."}
    done = await api.do("resolveReview", DONE, **decided)
    assert done["items"] == [{"decision": "WINNER_CHOSEN"}]
    assert [(claim["value"], claim["status"]) for claim in done["claims"]] == [
        ("9 USD", "CURRENT"),
        ("12 USD", "SUPERSEDED"),
    ]
    (conflict,) = done["conflicts"]
    assert (conflict["status"], conflict["reason"], conflict["decidedBy"]) == ("RESOLVED", "On the bill.", "local")
    assert conflict["winner"] == {"id": ids[0]}
    assert await statuses(api, ids) == ["CURRENT", "SUPERSEDED"]
    assert await queue(api) == []
    (newest,) = (await api.volume("changes(first: 1) { nodes { actor after node { id } } }"))["changes"]["nodes"]
    told = {"decision": "WINNER_CHOSEN", "reason": "On the bill."}
    assert newest == {"actor": "local", "after": told, "node": {"id": item}}


async def test_the_same_winner_twice_changes_nothing_and_another_is_refused(api: Api) -> None:
    item, ids = await prices(api)
    decided = {"items": [item], "action": "CHOOSE_WINNER"}
    await api.do("resolveReview", DONE, **decided, winner=ids[0])
    async with api.unchanged():
        again = await api.do("resolveReview", DONE, **decided, winner=ids[0])
        assert again == {"items": [{"decision": "WINNER_CHOSEN"}], "claims": [], "conflicts": []}
        refusal = await api.refusal("resolveReview", **decided, winner=ids[1])
        assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "items[0]")


async def test_a_rehearsal_answers_what_would_hold_and_changes_nothing(api: Api) -> None:
    item, ids = await prices(api)
    decided = {"items": [item], "action": "CHOOSE_WINNER", "winner": ids[1], "dryRun": True}
    async with api.unchanged():
        done = await api.do("resolveReview", DONE, **decided)
    assert done["items"] == [{"decision": "WINNER_CHOSEN"}]
    assert [(claim["id"], claim["status"]) for claim in done["claims"]] == [(ids[0], "SUPERSEDED"), (ids[1], "CURRENT")]
    assert [conflict["status"] for conflict in done["conflicts"]] == ["RESOLVED"]
    assert await statuses(api, ids) == ["DISPUTED", "DISPUTED"]


async def test_what_is_no_claim_of_the_conflict_cannot_win(api: Api) -> None:
    item, ids = await prices(api)
    team = await api.entity("Team", "plan")
    other = await api.fact(team, "Is good")
    for winner, code in (
        (other, "BAD_USER_INPUT"),
        (team, "BAD_USER_INPUT"),
        (None, "BAD_USER_INPUT"),
        ("fct_x", "NOT_FOUND"),
    ):
        refusal = await api.refused("resolveReview", items=[item], action="CHOOSE_WINNER", winner=winner)
        assert (refusal["code"], refusal["argument"]) == (code, "winner")
    refusal = await api.refused("resolveReview", items=[item], action="APPROVE")
    assert (refusal["code"], refusal["argument"]) == ("BAD_USER_INPUT", "items[0]")
    assert await statuses(api, ids) == ["DISPUTED", "DISPUTED"]


async def test_it_lapses_when_only_one_claim_is_left(api: Api) -> None:
    _, ids = await prices(api)
    await api.do("retractFact", "fact { id }", id=ids[0])
    assert await queue(api) == []
    assert await statuses(api, ids[1:]) == ["CURRENT"]


async def test_an_approval_makes_a_waiting_claim_compete_and_says_what_that_does(api: Api) -> None:
    """Rehearsed first: the price of today would be disputed, and a conflict be opened."""
    team = await api.entity("Team", "plan")
    price = {"predicate": "COSTS", "valueType": "MONEY"}
    today = await api.fact(team, "Costs $9", value="$9", **price)
    waiting = await api.fact(team, "Costs $12", value="$12", confidence=0.5, **price)
    (item,) = await queue(api)
    decided = {"items": [item["id"]], "action": "APPROVE"}
    async with api.unchanged():
        rehearsed = await api.do("resolveReview", DONE, **decided, dryRun=True)
    done = await api.do("resolveReview", DONE, **decided)
    for answer in (rehearsed, done):
        assert {claim["id"]: claim["status"] for claim in answer["claims"]} == {today: "DISPUTED", waiting: "DISPUTED"}
        assert [conflict["status"] for conflict in answer["conflicts"]] == ["OPEN"]
    assert [found["__typename"] for found in await queue(api)] == ["ConflictReview"]


async def test_a_settled_question_is_asked_anew_when_one_of_its_claims_says_something_else(api: Api) -> None:
    item, ids = await prices(api)
    await api.do("resolveReview", "items { id }", items=[item], action="CHOOSE_WINNER", winner=ids[1])
    await api.do("updateFact", "fact { id }", id=ids[0], validFrom="2025-03")
    assert await statuses(api, ids) == ["DISPUTED", "DISPUTED"]
    assert [(one["id"], one["decision"], one["conflict"]["status"]) for one in await queue(api)] == [
        (item, None, "OPEN")
    ]
    await api.do("resolveReview", "items { id }", items=[item], action="CHOOSE_WINNER", winner=ids[0])
    assert await statuses(api, ids) == ["CURRENT", "SUPERSEDED"]
    assert await queue(api) == []


async def test_a_question_comes_back_when_the_claim_that_won_it_later_is_retracted(api: Api) -> None:
    item, ids = await prices(api)
    await api.do("resolveReview", "items { id }", items=[item], action="CHOOSE_WINNER", winner=ids[0])
    subject = (await api.node(ids[0], "subject { id }"))["subject"]["id"]
    third = await api.fact(subject, "Costs $15", value="$15", predicate="COSTS", valueType="MONEY")
    (other,) = await queue(api)
    await api.do("resolveReview", "items { id }", items=[other["id"]], action="CHOOSE_WINNER", winner=third)
    await api.do("retractFact", "fact { id }", id=third)
    assert await statuses(api, ids) == ["DISPUTED", "DISPUTED"]
    assert [one["conflict"]["claims"] for one in await queue(api)] == [[{"id": id} for id in ids]]


async def settled(api: Api, since: str | None = None) -> tuple[str, list[str], str]:
    """Return a plan of which the price of $12 is settled against one of $9, the two facts, and the conflict."""
    plan = await api.entity("Plan", "plan")
    price = {"predicate": "COSTS", "valueType": "MONEY", "validFrom": since}
    ids = [await api.fact(plan, f"Costs {value}", value=value, **price) for value in ("$9", "$12")]
    (item,) = await queue(api)
    await api.do("resolveReview", "items { id }", items=[item["id"]], action="CHOOSE_WINNER", winner=ids[1])
    return plan, ids, item["id"]


@pytest.mark.parametrize(("since", "then"), [(None, None), ("2024", "2024"), ("2024", "2026"), (None, "2026")])
async def test_a_source_of_higher_authority_that_comes_later_does_not_overrule_in_silence_what_was_settled(
    api: Api, since: str | None, then: str | None
) -> None:
    plan, ids, old = await settled(api, since)
    official = {"predicate": "COSTS", "valueType": "MONEY", "authority": "OFFICIAL", "validFrom": then}
    third = await api.fact(plan, "Costs $15", value="$15", **official)
    assert await statuses(api, [*ids, third]) == ["SUPERSEDED", "CURRENT", "DISPUTED"]
    (asked,) = await queue(api)
    assert asked["id"] != old
    assert (asked["conflict"]["status"], asked["conflict"]["claims"]) == ("OPEN", [{"id": ids[1]}, {"id": third}])
    await api.do("resolveReview", "items { id }", items=[asked["id"]], action="CHOOSE_WINNER", winner=third)
    after = await statuses(api, [*ids, third])
    assert after == ["SUPERSEDED", "SUPERSEDED", "CURRENT"]
    assert await queue(api) == []


async def test_a_price_of_the_same_authority_that_is_dated_later_follows_what_was_settled(api: Api) -> None:
    plan, ids, _ = await settled(api, "2024")
    third = await api.fact(plan, "Costs $15", value="$15", predicate="COSTS", valueType="MONEY", validFrom="2026")
    assert await statuses(api, [*ids, third]) == ["SUPERSEDED", "SUPERSEDED", "CURRENT"]
    assert await queue(api) == []


async def test_a_settled_conflict_goes_with_the_document_of_its_winner(api: Api) -> None:
    plan = await api.entity("Plan", "plan")
    price = {"predicate": "COSTS", "valueType": "MONEY", "authority": "UNKNOWN"}
    facts = []
    for value in ("$9", "$12"):
        source = await api.do("ingestDocument", "document { id }", title=value, text=f"Costs {value}")
        document = source["document"]["id"]
        facts.append((await api.fact(plan, f"Costs {value}", value=value, document=document, **price), document))
    (item,) = await queue(api)
    winner, document = facts[1]
    await api.do("resolveReview", "items { id }", items=[item["id"]], action="CHOOSE_WINNER", winner=winner)
    await api.do("deleteDocument", "deletedId", id=document)
    left = await api.node(facts[0][0], "status conflicts { id }")
    assert left == {"status": "CURRENT", "conflicts": []}
    assert await queue(api) == []
