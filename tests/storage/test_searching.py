"""Searching with filters: what passes is found however far it is and however much else there is."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import numpy as np
import pytest
from doubles import HashEmbedder
from stores import DIMENSION, direction, new_volume

from server import models
from server.ids import NodeKind
from server.services.retrieval import searching
from server.services.retrieval.searching import Asked, Searcher
from server.store import Store
from server.store import searching as candidates
from server.store.sifting import SearchFilter
from server.terms import ChangeKind, ClaimStatus

NEAR = direction(0.0)
NUMBER = 600


async def entities(store: Store, volume: UUID) -> list[UUID]:
    """Make entities ever farther from NEAR, every 50th of them a rare one; return those, the nearest first."""
    rare, angles = [], np.linspace(0.01, 3.0, NUMBER)
    async with store.write(volume, "test") as tx:
        made = []
        for n, angle in enumerate(angles):
            type = "rare" if n % 50 == 49 else "common"
            id = tx.insert(models.Entity, name=f"e{n}", match_key=f"e{n}", type=type)
            tx.index(NodeKind.ENTITY, id, f"word {n}", direction(float(angle)))
            made.append((NodeKind.ENTITY, id))
            rare += [id] if type == "rare" else []
        tx.log_batch(ChangeKind.CREATED, made)
    return rare


async def found(store: Store, asked: Asked) -> list[UUID]:
    """Return what a search near NEAR finds, the best first."""
    searcher = Searcher(store, HashEmbedder(DIMENSION), lambda: datetime(2020, 1, 1, tzinfo=UTC))
    return [hit.id for hit in await searcher.search(asked, NEAR)]


@pytest.mark.parametrize("few", [5_000, 11, 0])
async def test_a_filter_that_two_in_a_hundred_pass_loses_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(searching, "FEW", few)
    volume = await new_volume(store)
    rare = await entities(store, volume)
    for query in ("???", "word"):
        asked = Asked(volume, query, filter=SearchFilter(types=("rare",)))
        assert sorted(await found(store, asked)) == sorted(rare)
    await store.follower.drain()
    assert await found(store, Asked(volume, "???", filter=SearchFilter(types=("rare",)))) == rare
    assert await found(store, Asked(volume, "???", filter=SearchFilter(types=("unheard",)))) == []
    assert len(await found(store, Asked(volume, "???"))) == 100


@pytest.mark.parametrize("few", [5_000, 0])
async def test_what_may_be_shown_is_found_behind_all_that_may_not(
    store: Store, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(searching, "FEW", few)
    volume = await new_volume(store)
    async with store.write(volume, "test") as tx:
        subject = tx.insert(models.Entity, name="a", match_key="a", type="concept")
        last = None
        for n in range(300):
            status = ClaimStatus.CURRENT if n == 299 else ClaimStatus.RETRACTED
            last = tx.insert(
                models.Fact, subject_id=subject, content=f"f{n}", claim_key=f"f{n}", status=status, known_from=None
            )
            tx.index(NodeKind.FACT, last, f"word {n}", direction(0.01 * n))
        tx.log(ChangeKind.CREATED, NodeKind.ENTITY, subject)
    for _ in range(2):
        for query in ("???", "word"):
            assert await found(store, Asked(volume, query)) == [last]
        await store.follower.drain()


@pytest.mark.parametrize("most", [1_000, 10])
async def test_a_sign_is_found_behind_many_texts_that_have_only_its_words(
    store: Store, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(candidates, "_LOOKED_AT", most)
    monkeypatch.setattr(searching, "MOST", 10)
    volume = await new_volume(store)
    texts = [f"C {n} e c" for n in range(300)] + ["the last of all of these many long texts is about C++"]
    async with store.write(volume, "test") as tx:
        for n, text in enumerate(texts):
            last = tx.insert(models.Entity, name=f"e{n}", match_key=f"e{n}", type="concept")
            tx.index(NodeKind.ENTITY, last, text, direction(3.0 * (n == 300)))
    await store.follower.drain()
    assert (await found(store, Asked(volume, "C++")))[0] == last
