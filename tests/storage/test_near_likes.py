"""Entities whose vectors are near are proposed though their names are nothing alike; what the index has and what waits for it count."""

from __future__ import annotations

from doubles import HashEmbedder
from stores import new_volume

from server.services.duplicates import nearness, propose_stored, scan
from server.services.entities import Entities, NewEntity
from server.store import Store
from server.store.records import ReviewRecord

SAID = "somebody who has studied law and speaks for other people before a court or writes their contracts"


async def test_near_vectors_and_descriptions_that_agree_open_one_review(store: Store) -> None:
    volume = await new_volume(store)
    entities, own = Entities(store, HashEmbedder()), await store.volume("v")
    assert own is not None
    lawyer = (await entities.create(own, NewEntity("lawyer", "concept", SAID), "test")).id
    await store.follower.drain()
    attorney = (await entities.create(own, NewEntity("attorney", "concept", SAID), "test")).id
    await entities.create(own, NewEntity("advocate", "concept"), "test")
    await entities.create(own, NewEntity("harbour", "place", "where ships lie"), "test")
    for _ in range(2):
        near = await nearness(store, volume)
        assert {id: [other for other, _ in found] for id, found in near.items()} == {attorney: [lawyer]}
        (pair,) = [pair async for _, pairs in scan(store.read, volume, near=near) for pair in pairs]
        assert (pair.one.id, pair.other.id, pair.likeness.reasons[1:]) == (attorney, lawyer, ("descriptions alike",))
        assert pair.likeness.reasons[0] == f"vectors {near[attorney][0][1]:.2f}"
        async with store.write(volume, "test") as tx:
            asked = await propose_stored(tx, [pair])
        await store.follower.drain()
    (review,) = await store.read.where(ReviewRecord, volume_id=volume)
    assert asked == [(review.id, False)]
    assert (review.left_id, review.right_id, review.score, review.reasons) == (
        lawyer, attorney, pair.likeness.score, list(pair.likeness.reasons),
    )  # fmt: skip
    assert [pair async for _, pairs in scan(store.read, volume) for pair in pairs] == []
