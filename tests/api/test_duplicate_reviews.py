"""Two entities that may be one are a question in the queue; what a person says to it is kept, from either side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from server.ids import NodeKind, decode_id
from server.services.reviews import ReviewQuestion, open_review
from server.terms import ReviewKind

if TYPE_CHECKING:
    from api.conftest import Api

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


async def john(api: Api) -> tuple[str, str]:
    return await api.entity("John Doe", "person"), await api.entity("John T. Doe", "person")


async def test_a_pair_is_shown_with_its_score_and_reasons_the_older_entity_first(api: Api) -> None:
    one, other = await john(api)
    assert await proposed(api, other, one)
    (item,) = await queue(api)
    assert item == {
        "__typename": "DuplicateReview",
        "id": item["id"],
        "importance": 0.8,
        "decision": None,
        "left": {"id": one, "name": "John Doe"},
        "right": {"id": other, "name": "John T. Doe"},
        "score": 0.93,
        "reasons": ["a middle name more"],
    }
    assert (await api.volume("statistics { reviewsByKind }"))["statistics"] == {"reviewsByKind": {"DUPLICATE": 1}}


async def test_kept_apart_it_is_never_proposed_again_from_either_side(api: Api) -> None:
    one, other = await john(api)
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
    one, other = await john(api)
    await proposed(api, one, other)
    (item,) = await queue(api)
    for action, more in (("APPROVE", {}), ("REJECT", {}), ("EDIT", {"edit": {"content": "x"}})):
        refusal = await api.refused("resolveReview", items=[item["id"]], action=action, **more)
        assert (refusal["code"], refusal["argument"]) == ("BAD_USER_INPUT", "items[0]")


async def test_its_item_goes_with_either_entity(api: Api) -> None:
    one, other = await john(api)
    await proposed(api, one, other)
    await api.do("deleteEntity", "deletedId", id=other)
    assert await queue(api, "(filter: {states: [OPEN, DECIDED, LAPSED]})") == []
