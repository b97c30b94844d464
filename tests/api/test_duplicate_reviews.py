"""Two entities that may be one are a question in the queue; what a person says to it is kept, from either side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from server.ids import NodeKind, decode_id
from server.services.reviews import ReviewQuestion, open_review
from server.terms import ReviewKind

if TYPE_CHECKING:
    from api.conftest import Api

DECIDED = "filter: {states: [DECIDED]}"
ITEM = "__typename id importance decision ... on DuplicateReview { left { id name } right { id name } score reasons }"


def own_id(id: str) -> UUID:
    decoded = decode_id(id)
    assert decoded is not None
    return decoded.id


async def proposed(api: Api, one: str, other: str) -> bool:
    """Propose a pair as whatever finds likeness does; return whether it is asked about now."""
    volume = await api.store.volume("default")
    assert volume is not None
    about = ((NodeKind.ENTITY, own_id(one)), (NodeKind.ENTITY, own_id(other)))
    question = ReviewQuestion(ReviewKind.DUPLICATE, about, 0.8, 0.93, ("a middle name more",))
    async with api.store.write(volume.id, "test") as tx:
        return await open_review(tx, question) is not None


async def queue(api: Api, arguments: str = "") -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = (await api.volume(f"reviewQueue{arguments} {{ nodes {{ {ITEM} }} }}"))["reviewQueue"][
        "nodes"
    ]
    return nodes


async def two(api: Api) -> tuple[str, str]:
    return await api.entity("Ada Lind", "person"), await api.entity("Max Ebert", "person")


async def test_a_pair_is_shown_with_its_score_and_reasons_the_older_entity_first(api: Api) -> None:
    one, other = await two(api)
    assert await proposed(api, other, one)
    (item,) = await queue(api)
    assert item == {
        "__typename": "DuplicateReview",
        "id": item["id"],
        "importance": 0.8,
        "decision": None,
        "left": {"id": one, "name": "Ada Lind"},
        "right": {"id": other, "name": "Max Ebert"},
        "score": 0.93,
        "reasons": ["a middle name more"],
    }
    assert (await api.volume("statistics { reviewsByKind }"))["statistics"] == {"reviewsByKind": {"DUPLICATE": 1}}


async def test_kept_apart_it_is_never_proposed_again_from_either_side(api: Api) -> None:
    one, other = await two(api)
    await proposed(api, one, other)
    (item,) = await queue(api)
    decided = {"items": [item["id"]], "action": "KEEP_APART", "reason": "Father and son."}
    done = await api.do("resolveReview", "items { id decision } claims { id }", **decided)
    assert done == {"items": [{"id": item["id"], "decision": "KEPT_APART"}], "claims": []}
    assert not await proposed(api, one, other)
    assert not await proposed(api, other, one)
    assert await queue(api) == []
    assert [found["decision"] for found in await queue(api, "(filter: {states: [DECIDED]})")] == ["KEPT_APART"]
    async with api.unchanged():
        await api.do("resolveReview", "items { id }", **decided)


async def test_actions_for_claims_are_none_for_a_pair(api: Api) -> None:
    one, other = await two(api)
    await proposed(api, one, other)
    (item,) = await queue(api)
    for action, more in (("APPROVE", {}), ("REJECT", {}), ("EDIT", {"edit": {"content": "x"}})):
        refusal = await api.refused("resolveReview", items=[item["id"]], action=action, **more)
        assert (refusal["code"], refusal["argument"]) == ("BAD_USER_INPUT", "items[0]")


async def test_its_item_goes_with_either_entity(api: Api) -> None:
    one, other = await two(api)
    await proposed(api, one, other)
    await api.do("deleteEntity", "deletedId", id=other)
    assert await queue(api, "(filter: {states: [OPEN, DECIDED, LAPSED]})") == []


class TestMerge:
    async def test_lets_the_other_one_count_as_the_older_and_can_be_undone(self, api: Api) -> None:
        one, other = await two(api)
        await api.fact(other, "Likes rum")
        await proposed(api, one, other)
        (item,) = await queue(api)
        asked = "items { decision } claims { id } merges { id name reason survivor { id } }"
        done = await api.do("resolveReview", asked, items=[item["id"]], action="MERGE", reason="One man.")
        (merge,) = done["merges"]
        assert done["items"] == [{"decision": "MERGED"}]
        assert (merge["name"], merge["reason"], merge["survivor"]) == ("Max Ebert", "One man.", {"id": one})
        assert (await api.node(one, "facts { nodes { content } }"))["facts"]["nodes"] == [{"content": "Likes rum"}]
        (decided,) = await queue(api, "(filter: {states: [DECIDED]})")
        assert decided["left"] == decided["right"] == {"id": one, "name": "Ada Lind"}
        asked_about = "leftName rightName"
        (shown,) = (
            await api.volume(f"reviewQueue({DECIDED}) {{ nodes {{ ... on DuplicateReview {{ {asked_about} }} }} }}")
        )["reviewQueue"]["nodes"]
        assert shown == {"leftName": "Ada Lind", "rightName": "Max Ebert"}
        await api.do("unmergeEntities", "restored { id }", merge=merge["id"])
        assert not await proposed(api, one, other)
        assert await queue(api) == []

    async def test_or_as_the_one_that_is_named(self, api: Api) -> None:
        one, other = await two(api)
        await proposed(api, one, other)
        (item,) = await queue(api)
        decided = {"items": [item["id"]], "action": "MERGE"}
        third = await api.entity("Ida Ruiz")
        refusal = await api.refused("resolveReview", **decided, winner=third)
        assert (refusal["code"], refusal["argument"]) == ("BAD_USER_INPUT", "winner")
        done = await api.do("resolveReview", "merges { name survivor { id } }", **decided, winner=other)
        assert done["merges"] == [{"name": "Ada Lind", "survivor": {"id": other}}]
        async with api.unchanged():
            again = await api.do("resolveReview", "merges { id } items { decision }", **decided, winner=other)
            assert again == {"merges": [], "items": [{"decision": "MERGED"}]}
            assert (await api.refusal("resolveReview", **decided, winner=one))["code"] == "CONFLICT"

    async def test_of_many_pairs_makes_one_of_all_of_them(self, api: Api) -> None:
        ids = [await api.entity(name, "person") for name in ("Nils Oort", "Ada Lind", "Max Ebert")]
        for a, b in ((0, 1), (1, 2), (0, 2)):
            await proposed(api, ids[a], ids[b])
        items = [item["id"] for item in await queue(api)]
        asked = "items { decision } merges { name survivor { id } }"
        done = await api.do("resolveReview", asked, items=items, action="MERGE")
        assert done["items"] == [{"decision": "MERGED"}] * 3
        assert done["merges"] == [{"name": name, "survivor": {"id": ids[0]}} for name in ("Ada Lind", "Max Ebert")]

    async def test_is_refused_where_the_entities_cannot_be_one(self, api: Api) -> None:
        one, other = await api.entity("Doe", "person"), await api.entity("Doe Inc.", "organization")
        await proposed(api, one, other)
        (item,) = await queue(api)
        refusal = await api.refused("resolveReview", items=[item["id"]], action="MERGE")
        assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "items[0]")

    async def test_can_be_rehearsed(self, api: Api) -> None:
        one, other = await two(api)
        await proposed(api, one, other)
        (item,) = await queue(api)
        rehearsed = {"items": [item["id"]], "action": "MERGE", "dryRun": True}
        async with api.unchanged():
            done = await api.do("resolveReview", "items { decision } merges { id name }", **rehearsed)
            assert await api.ask("query($id: ID!) { node(id: $id) { id } }", id=done["merges"][0]["id"]) == {
                "node": None
            }
        assert (done["items"], done["merges"][0]["name"]) == ([{"decision": "MERGED"}], "Max Ebert")


class TestThroughMerges:
    async def test_a_merge_by_hand_closes_the_question_and_those_that_become_it(self, api: Api) -> None:
        ids = [await api.entity(name, "person") for name in ("Nils Oort", "Ada Lind", "Max Ebert", "Ida Ruiz")]
        for a, b in ((0, 1), (1, 2), (2, 3)):
            await proposed(api, ids[a], ids[b])
        await api.do("mergeEntities", "entity { id }", into=ids[0], **{"from": [ids[1]]})
        assert [(i["left"]["name"], i["right"]["name"]) for i in await queue(api)] == [
            ("Nils Oort", "Max Ebert"),
            ("Max Ebert", "Ida Ruiz"),
        ]
        await api.do("mergeEntities", "entity { id }", into=ids[0], **{"from": [ids[2]]})
        assert [(i["left"]["name"], i["right"]["name"]) for i in await queue(api)] == [("Nils Oort", "Ida Ruiz")]
        assert len(await queue(api, "(filter: {states: [LAPSED]})")) == 2

    async def test_what_was_kept_apart_is_not_proposed_of_survivors_and_what_waits_not_twice(self, api: Api) -> None:
        one, other = await two(api)
        third, fourth = await api.entity("Ugo Tran", "person"), await api.entity("Ida Ruiz", "person")
        await proposed(api, one, other)
        await proposed(api, one, fourth)
        apart = [item["id"] for item in await queue(api) if item["right"]["id"] == other]
        await api.do("resolveReview", "items { id }", items=apart, action="KEEP_APART")
        await api.do("mergeEntities", "entity { id }", into=third, **{"from": [one]})
        assert not await proposed(api, third, other)
        assert not await proposed(api, other, third)
        assert not await proposed(api, fourth, third)
        assert await proposed(api, other, fourth)

    async def test_an_undone_merge_lets_a_lapsed_question_be_asked_again(self, api: Api) -> None:
        one, other = await two(api)
        await proposed(api, one, other)
        done = await api.do("mergeEntities", "merges { id }", into=one, **{"from": [other]})
        assert await queue(api) == []
        await api.do("unmergeEntities", "restored { id }", merge=done["merges"][0]["id"])
        assert await proposed(api, other, one)

    async def test_a_waiting_claim_that_becomes_the_same_as_another_is_asked_about_once(self, api: Api) -> None:
        """By hand 0.5 and 0.6 count once: one claim of 0.6 waits. Each waits again when the merge is undone."""
        one, other = await two(api)
        kept = await api.fact(one, "Likes rum", confidence=0.5)
        folded = await api.fact(other, "Likes rum", confidence=0.6)
        shown = "reviewQueue { nodes { ... on LowConfidenceReview { claim { id confidence } } } }"
        done = await api.do("mergeEntities", "merges { id }", into=one, **{"from": [other]})
        waiting = (await api.volume(shown))["reviewQueue"]["nodes"]
        assert [item["claim"] for item in waiting] == [{"id": kept, "confidence": 0.6}]
        await api.do("unmergeEntities", "restored { id }", merge=done["merges"][0]["id"])
        waiting = [item["claim"] for item in (await api.volume(shown))["reviewQueue"]["nodes"]]
        assert sorted(claim["confidence"] for claim in waiting) == [0.5, 0.6]
        assert {claim["id"] for claim in waiting} == {kept, folded}
