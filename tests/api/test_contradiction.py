"""Conflicts: opened where no rule decides, resolved by rank or by a person, reopened, and seen from all sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from server import models
from server.errors import BadUserInput
from server.ids import NodeKind, decode_id, encode_id
from server.services.contradiction import decide
from server.services.rivals import CHALLENGED, LESS_SURE, OUTRANKED, TIED
from server.store.records import ConflictRecord

if TYPE_CHECKING:
    from api.conftest import Api

CONFLICT = "conflicts { status reason claims { text } winner { text } }"


async def lives(api: Api, who: str, where: str, since: Any = None, **rest: Any) -> str:
    """State where someone lives and return the relationship's id."""
    ends = {"source": {"id": who}, "target": {"name": {"name": where, "type": "place"}}}
    stated = {"type": "LIVES_IN", "validFrom": since and str(since), **ends, **rest}
    return str((await api.do("createRelationship", "relationship { id }", **stated))["relationship"]["id"])


async def born(api: Api, who: str, value: str, **rest: Any) -> str:
    """State when someone was born and return the fact's id."""
    return await api.fact(who, f"Born {value}", predicate="BORN_ON", value=value, valueType="DATE", **rest)


async def standing(api: Api, *ids: str) -> list[tuple[str, str | None]]:
    """Return each claim's status and the text of what has superseded it."""
    found = [await api.node(id, "status supersededBy { text }") for id in ids]
    return [(one["status"], one["supersededBy"] and one["supersededBy"]["text"]) for one in found]


async def conflicts(api: Api, id: str) -> list[dict[str, Any]]:
    """Return the conflicts of a claim, their claims by their texts."""
    found = (await api.node(id, CONFLICT))["conflicts"]
    texts = [{**one, "claims": [claim["text"] for claim in one["claims"]]} for one in found]
    return [{**one, "winner": one["winner"] and one["winner"]["text"]} for one in texts]


async def settle(api: Api, conflict: str, winner: str, reason: str | None = None, actor: str = "judge") -> None:
    """Decide a conflict as a review does."""
    named, chosen = decode_id(conflict), decode_id(winner)
    assert named is not None
    assert chosen is not None
    row = await api.store.read.one(ConflictRecord, named.id)
    assert row is not None
    async with api.store.write(row.volume_id, actor) as tx:
        await decide(tx, row, chosen.id, actor, reason)


async def ids_of(api: Api, claim: str) -> list[str]:
    return [one["id"] for one in (await api.node(claim, "conflicts { id }"))["conflicts"]]


IN_ROME, IN_OSLO, IN_KYIV = (f"Ada lives in {place}" for place in ("Rome", "Oslo", "Kyiv"))
CURRENT, DISPUTED = ("CURRENT", None), ("DISPUTED", None)


@pytest.mark.parametrize(("first", "then"), [(None, None), (2020, None), (2020, 2020)])
async def test_undated_or_equally_dated_the_lower_authority_never_held(api: Api, first: Any, then: Any) -> None:
    ada = await api.entity("Ada")
    low = await lives(api, ada, "Rome", first, authority="THIRD_PARTY")
    high = await lives(api, ada, "Oslo", then, authority="OFFICIAL", confidence=0.75)
    assert await standing(api, low, high) == [("SUPERSEDED", IN_OSLO), CURRENT]
    resolved = {"status": "AUTO_RESOLVED", "reason": OUTRANKED, "claims": [IN_ROME, IN_OSLO], "winner": IN_OSLO}
    assert await conflicts(api, low) == await conflicts(api, high) == [resolved]
    assert (await api.node(low, "validFrom effectiveTo"))["effectiveTo"] is None


async def test_a_lower_authority_that_is_dated_earlier_ends_where_the_higher_begins(api: Api) -> None:
    ada = await api.entity("Ada")
    low = await lives(api, ada, "Rome", 2020, authority="THIRD_PARTY")
    high = await lives(api, ada, "Oslo", 2022, authority="OFFICIAL")
    assert await standing(api, low, high) == [("SUPERSEDED", IN_OSLO), CURRENT]
    assert (await api.node(low, "effectiveTo"))["effectiveTo"] == "2022-01-01T00:00:00Z"
    assert await conflicts(api, low) == []


async def test_a_lower_authority_that_is_dated_later_challenges_what_stands(api: Api) -> None:
    ada = await api.entity("Ada")
    high = await lives(api, ada, "Rome", 2020, authority="OFFICIAL")
    low = await lives(api, ada, "Oslo", 2022, authority="THIRD_PARTY")
    assert await standing(api, high, low) == [CURRENT, DISPUTED]
    opened = {"status": "OPEN", "reason": CHALLENGED, "claims": [IN_ROME, IN_OSLO], "winner": None}
    assert await conflicts(api, high) == await conflicts(api, low) == [opened]


@pytest.mark.parametrize(("first", "then"), [(None, None), (2020, None), (2020, 2020)])
async def test_equal_authority_without_a_telling_date_is_disputed(api: Api, first: Any, then: Any) -> None:
    ada = await api.entity("Ada")
    one = await lives(api, ada, "Rome", first)
    ends = {"source": {"id": ada}, "target": {"name": {"name": "Oslo"}}, "validFrom": then and str(then)}
    asked = (
        "relationship { id status } superseded { id } conflicts { status reason claims { id status } winner { id } }"
    )
    made = await api.do("createRelationship", asked, type="lives in", confidence=0.8, **ends)
    other = made["relationship"]["id"]
    claims = [{"id": one, "status": "DISPUTED"}, {"id": other, "status": "DISPUTED"}]
    assert made == {
        "relationship": {"id": other, "status": "DISPUTED"},
        "superseded": [],
        "conflicts": [{"status": "OPEN", "reason": TIED, "claims": claims, "winner": None}],
    }
    believed = (await api.node(ada, "relationships { nodes { status } }"))["relationships"]["nodes"]
    assert believed == [{"status": "DISPUTED"}, {"status": "DISPUTED"}]
    explained = (await api.node(ada, "explanation"))["explanation"]
    assert explained.count("disputed]") == 2


async def test_all_within_a_fifth_of_the_surest_are_in_one_conflict_and_those_below_never_held(api: Api) -> None:
    ada = await api.entity("Ada")
    sure = await lives(api, ada, "Rome", confidence=1.0)
    near = await lives(api, ada, "Oslo", confidence=0.8)
    below = await lives(api, ada, "Kyiv", confidence=0.79)
    assert await standing(api, sure, near, below) == [DISPUTED, DISPUTED, ("SUPERSEDED", IN_ROME)]
    opened = {"status": "OPEN", "reason": TIED, "claims": [IN_ROME, IN_OSLO], "winner": None}
    resolved = {"status": "AUTO_RESOLVED", "reason": LESS_SURE, "claims": [IN_ROME, IN_KYIV], "winner": IN_ROME}
    assert await conflicts(api, near) == [opened]
    assert await conflicts(api, below) == [resolved]
    assert await conflicts(api, sure) == [opened, resolved]


async def test_a_single_surest_with_none_within_a_fifth_is_current(api: Api) -> None:
    ada = await api.entity("Ada")
    sure, less = await born(api, ada, "1815-12-10"), await born(api, ada, "1816-12-10", confidence=0.75)
    assert await standing(api, sure, less) == [CURRENT, ("SUPERSEDED", "Born 1815-12-10")]


async def test_an_event_has_one_date_so_a_later_one_contradicts_it(api: Api) -> None:
    ada = await api.entity("Ada")
    one = await born(api, ada, "1815-12-10", validFrom="1815-12-10")
    other = await born(api, ada, "1816-12-10", validFrom="1816-12-10")
    assert await standing(api, one, other) == [DISPUTED, DISPUTED]


async def test_a_year_says_nothing_against_a_day_in_it(api: Api) -> None:
    ada = await api.entity("Ada")
    assert await standing(api, await born(api, ada, "1815"), await born(api, ada, "1815-12-10")) == [CURRENT, CURRENT]


async def test_a_date_and_a_place_of_birth_say_nothing_against_each_other(api: Api) -> None:
    ada = await api.entity("Ada")
    one = await api.fact(ada, "Born in 1815", predicate="BORN_IN", value="1815", valueType="DATE")
    other = await api.fact(ada, "Born in London", predicate="BORN_IN", value="London")
    assert await standing(api, one, other) == [CURRENT, CURRENT]


async def test_the_same_claim_again_disputes_nothing_and_gains_what_lets_it_win(api: Api) -> None:
    ada = await api.entity("Ada")
    one, other = await lives(api, ada, "Rome"), await lives(api, ada, "Oslo")
    (conflict,) = await ids_of(api, one)
    assert await lives(api, ada, "Rome") == one
    assert await ids_of(api, one) == await ids_of(api, other) == [conflict]
    assert await lives(api, ada, "Rome", authority="OFFICIAL") == one
    assert await standing(api, one, other) == [CURRENT, ("SUPERSEDED", IN_ROME)]
    assert await ids_of(api, other) == [conflict]
    assert await conflicts(api, one) == [
        {"status": "AUTO_RESOLVED", "reason": OUTRANKED, "claims": [IN_ROME, IN_OSLO], "winner": IN_ROME}
    ]


async def test_a_conflict_keeps_its_id_while_it_goes_on_and_goes_with_it(api: Api) -> None:
    ada = await api.entity("Ada")
    one, other = await lives(api, ada, "Rome"), await lives(api, ada, "Oslo")
    (conflict,) = await ids_of(api, one)
    third = await lives(api, ada, "Kyiv")
    assert await ids_of(api, third) == [conflict]
    assert [len(c["claims"]) for c in await conflicts(api, one)] == [3]
    shown = await api.node(conflict, "id predicate status subject { name } claims { id } decidedBy decidedAt")
    assert shown == {
        "id": conflict,
        "predicate": "LIVES_IN",
        "status": "OPEN",
        "subject": {"name": "Ada"},
        "claims": [{"id": one}, {"id": other}, {"id": third}],
        "decidedBy": None,
        "decidedAt": None,
    }
    for id in (one, third):
        await api.do("retractRelationship", "relationship { id }", id=id)
    assert await standing(api, one, other, third) == [("RETRACTED", None), CURRENT, ("RETRACTED", None)]
    assert (await api.ask("query($id: ID!) { node(id: $id) { id } }", id=conflict))["node"] is None
    assert await api.rows(models.ConflictClaim) == []


async def test_a_conflict_of_another_volume_is_not_shown_by_its_claims(api: Api) -> None:
    ada = await api.entity("Ada")
    one = await lives(api, ada, "Rome")
    await api.do("createVolume", "volume { id }", name="other")
    there = await api.entity("Ada", volume="other")
    ends = {"source": {"id": there}, "target": {"name": {"name": "Oslo"}}}
    await api.do("createRelationship", "relationship { id }", type="LIVES_IN", volume="other", **ends)
    assert await standing(api, one) == [CURRENT]
    assert await api.rows(models.Conflict) == []


async def test_a_person_decides_and_the_others_never_held(api: Api) -> None:
    ada = await api.entity("Ada")
    one, other = await lives(api, ada, "Rome"), await lives(api, ada, "Oslo")
    (conflict,) = await ids_of(api, one)
    await settle(api, conflict, other, "She said so.")
    assert await standing(api, one, other) == [("SUPERSEDED", IN_OSLO), CURRENT]
    resolved = {"status": "RESOLVED", "reason": "She said so.", "claims": [IN_ROME, IN_OSLO], "winner": IN_OSLO}
    assert await conflicts(api, one) == await conflicts(api, other) == [resolved]
    shown = await api.node(conflict, "decidedBy decidedAt")
    (entry,) = (await api.volume("changes(first: 1) { nodes { at actor kind node { id } } }"))["changes"]["nodes"]
    assert shown == {"decidedBy": "judge", "decidedAt": entry["at"]}
    assert (entry["actor"], entry["kind"], entry["node"]) == ("judge", "UPDATED", {"id": conflict})


async def test_deciding_the_same_again_changes_nothing_and_otherwise_turns_it_round(api: Api) -> None:
    ada = await api.entity("Ada")
    one, other = await lives(api, ada, "Rome"), await lives(api, ada, "Oslo")
    (conflict,) = await ids_of(api, one)
    await settle(api, conflict, other)
    rows = await api.rows(models.Relationship), await api.rows(models.Conflict), await api.rows(models.Change)
    await settle(api, conflict, other)
    assert (await api.rows(models.Relationship), await api.rows(models.Conflict), await api.rows(models.Change)) == rows
    await settle(api, conflict, one)
    assert await standing(api, one, other) == [CURRENT, ("SUPERSEDED", IN_ROME)]


async def test_what_is_no_live_claim_of_the_conflict_cannot_win_and_nothing_changes(api: Api) -> None:
    ada = await api.entity("Ada")
    one, _ = await lives(api, ada, "Rome"), await lives(api, ada, "Oslo")
    stranger = await lives(api, await api.entity("Bob"), "Rome")
    (conflict,) = await ids_of(api, one)
    async with api.unchanged():
        with pytest.raises(BadUserInput, match="The winner must be one of the claims"):
            await settle(api, conflict, stranger)


async def test_a_decision_is_remembered_while_the_claims_say_the_same_and_a_new_claim_reopens(api: Api) -> None:
    ada = await api.entity("Ada")
    one, other = await lives(api, ada, "Rome"), await lives(api, ada, "Oslo")
    (conflict,) = await ids_of(api, one)
    await settle(api, conflict, other)
    await lives(api, ada, "Rome", authority="OFFICIAL")
    assert await standing(api, one, other) == [("SUPERSEDED", IN_OSLO), CURRENT]
    third = await lives(api, ada, "Kyiv", authority="OFFICIAL")
    assert await standing(api, one, third) == [DISPUTED, DISPUTED]
    await api.do("retractRelationship", "relationship { id }", id=third)
    assert await standing(api, one, other) == [("SUPERSEDED", IN_OSLO), CURRENT]


async def test_a_reopened_conflict_keeps_its_id_and_comes_to_rest_when_the_new_claim_goes(api: Api) -> None:
    ada = await api.entity("Ada")
    one, other = await lives(api, ada, "Rome"), await lives(api, ada, "Oslo")
    (conflict,) = await ids_of(api, one)
    await settle(api, conflict, other, "Seen.")
    third = await lives(api, ada, "Kyiv")
    assert await standing(api, one, other, third) == [DISPUTED, DISPUTED, DISPUTED]
    assert await ids_of(api, third) == await ids_of(api, one) == [conflict]
    assert await api.node(conflict, "status reason decidedBy winner { id }") == {
        "status": "OPEN",
        "reason": TIED,
        "decidedBy": None,
        "winner": None,
    }
    await api.do("retractRelationship", "relationship { id }", id=third)
    assert await standing(api, one, other) == [("SUPERSEDED", IN_OSLO), CURRENT]
    assert await conflicts(api, one) == [
        {"status": "RESOLVED", "reason": "Seen.", "claims": [IN_ROME, IN_OSLO], "winner": IN_OSLO}
    ]


async def test_a_decision_ends_with_its_winner_and_a_claim_that_says_otherwise_now_reopens(api: Api) -> None:
    ada = await api.entity("Ada")
    one, other = await born(api, ada, "1815-12-10"), await born(api, ada, "1816-12-10")
    (conflict,) = await ids_of(api, one)
    await settle(api, conflict, other)
    await api.do("updateFact", "fact { id }", id=one, value="1817-01-01")
    assert await standing(api, one, other) == [DISPUTED, DISPUTED]
    assert (await api.node(conflict, "status"))["status"] == "OPEN"
    await settle(api, conflict, other)
    await api.do("retractFact", "fact { id }", id=other)
    assert await standing(api, one, other) == [CURRENT, ("RETRACTED", None)]


async def test_a_challenger_that_is_confirmed_holds_from_its_date_on(api: Api) -> None:
    ada = await api.entity("Ada")
    high = await lives(api, ada, "Rome", 2020, authority="OFFICIAL")
    low = await lives(api, ada, "Oslo", 2022, authority="THIRD_PARTY")
    (conflict,) = await ids_of(api, low)
    await settle(api, conflict, low)
    assert await standing(api, high, low) == [("SUPERSEDED", IN_OSLO), CURRENT]
    assert (await api.node(high, "effectiveTo"))["effectiveTo"] == "2022-01-01T00:00:00Z"
    await settle(api, conflict, high)
    assert await standing(api, high, low) == [CURRENT, ("SUPERSEDED", IN_ROME)]


async def test_the_log_tells_of_conflicts(api: Api) -> None:
    ada = await api.entity("Ada")
    one, other = await lives(api, ada, "Rome"), await lives(api, ada, "Oslo")
    (conflict,) = await ids_of(api, one)
    asked = "changes(first: 4) { nodes { kind before after node { id } } }"
    _question, opened, disputed, created = (await api.volume(asked))["changes"]["nodes"]
    after = {"subject": ada, "predicate": "LIVES_IN", "status": "OPEN", "reason": TIED}
    assert opened == {"kind": "CREATED", "before": None, "after": after, "node": {"id": conflict}}
    assert disputed == {
        "kind": "UPDATED",
        "before": {"status": "CURRENT"},
        "after": {"status": "DISPUTED"},
        "node": {"id": one},
    }
    assert (created["node"], created["after"]["status"]) == ({"id": other}, "DISPUTED")
    await api.do("retractRelationship", "relationship { id }", id=other)
    _question, deleted, _, _ = (await api.volume(asked))["changes"]["nodes"]
    assert deleted == {"kind": "DELETED", "before": None, "after": None, "node": None}


async def test_entities_that_are_merged_contradict_each_other_until_they_are_parted(api: Api) -> None:
    ada, lady = await api.entity("Ada"), await api.entity("Lady Lovelace")
    one, other = await lives(api, ada, "Rome"), await lives(api, lady, "Oslo")
    merged = await api.do("mergeEntities", "merges { id }", into=ada, **{"from": [lady]})
    assert await standing(api, one, other) == [DISPUTED, DISPUTED]
    (merge,) = merged["merges"]
    await api.do("unmergeEntities", "survivor { id }", merge=merge["id"])
    assert await standing(api, one, other) == [CURRENT, CURRENT]
    assert await api.rows(models.Conflict) == []


async def test_places_that_are_merged_contradict_each_other_no_more(api: Api) -> None:
    ada = await api.entity("Ada")
    one, other = await lives(api, ada, "Rome"), await lives(api, ada, "Roma")
    assert await standing(api, one, other) == [("DISPUTED", None), ("DISPUTED", None)]
    (rome, roma) = [(await api.node(id, "target { id }"))["target"]["id"] for id in (one, other)]
    await api.do("mergeEntities", "entity { id }", into=rome, **{"from": [roma]})
    assert await standing(api, one) == [CURRENT]
    assert await conflicts(api, one) == []


async def asked(api: Api) -> list[tuple[str | None, list[str], float]]:
    """Return decision, reasons and importance of each review of a conflict."""
    rows = await api.rows(models.Review, kind="CONFLICT")
    return [(row["decision"], row["reasons"], row["importance"]) for row in rows]


async def test_an_open_conflict_is_a_question_that_lapses_when_the_conflict_ends(api: Api) -> None:
    ada = await api.entity("Ada", importance=0.9)
    one, other = await lives(api, ada, "Rome"), await lives(api, ada, "Oslo")
    assert await asked(api) == [(None, [TIED], 0.9)]
    third = await lives(api, ada, "Kyiv")
    assert await asked(api) == [("LAPSED", [TIED], 0.9), (None, [TIED], 0.9)]
    await api.do("retractRelationship", "relationship { id }", id=third)
    assert await asked(api) == [(None, [TIED], 0.9), ("LAPSED", [TIED], 0.9)]
    await lives(api, ada, "Rome", authority="OFFICIAL")
    assert await asked(api) == [("LAPSED", [TIED], 0.9), ("LAPSED", [TIED], 0.9)]
    for id in (one, other):
        await api.do("retractRelationship", "relationship { id }", id=id)
    assert await asked(api) == []


async def test_what_was_asked_about_an_entitys_conflicts_goes_with_it(api: Api) -> None:
    ada = await api.entity("Ada")
    await lives(api, ada, "Rome")
    await lives(api, ada, "Oslo")
    assert len(await asked(api)) == 1
    await api.do("deleteEntity", "deletedId", id=ada)
    assert await asked(api) == await api.rows(models.Conflict) == []


async def test_a_decision_leaves_its_review_to_whoever_decides(api: Api) -> None:
    ada = await api.entity("Ada")
    one, _ = await lives(api, ada, "Rome"), await lives(api, ada, "Oslo")
    (conflict,) = await ids_of(api, one)
    await settle(api, conflict, one)
    assert await asked(api) == [(None, [TIED], 0.5)]


@pytest.mark.parametrize("width", [1, 10, 60])
async def test_conflicts_of_many_claims_take_as_many_statements_as_of_one(api: Api, width: int) -> None:
    entities = [{"key": f"e{n}", "name": f"Person {n}", "type": "person"} for n in range(width)]
    entities += [{"key": key, "name": key, "type": "place"} for key in ("Rome", "Oslo", "Kyiv")]
    edges = [
        {"source": f"e{n}", "target": place, "type": "LIVES_IN", "confidence": sure}
        for n in range(width)
        for place, sure in (("Rome", 1.0), ("Oslo", 0.9), ("Kyiv", 0.75))
    ]
    await api.do("importGraph", "relationshipsCreated", entities=entities, relationships=edges)
    data = await api.volume(
        "relationships(first: 100) { nodes { supersedes { text } supersededBy { text } "
        "conflicts { subject { name } claims { text conflicts { id } } winner { text } } } }"
    )
    nodes = data["relationships"]["nodes"]
    assert len(nodes) == min(100, 2 * width)
    assert [[len(c["claims"]) for c in node["conflicts"]] for node in nodes[:2]] == [[2, 2], [2]]
    assert [len(node["supersedes"]) for node in nodes[:2]] == [1, 0]
    assert len(api.statements) == 14


def test_ids_of_conflicts_have_a_kind_of_their_own() -> None:
    assert encode_id(NodeKind.CONFLICT, decode_id("vol_" + "0" * 26).id).startswith("cfl_")  # type: ignore[union-attr]
