"""Rebuilding the vector index: for another model, and after an interruption."""

from __future__ import annotations

import numpy as np
import pytest
from doubles import HashEmbedder
from stores import add_entity, new_volume

from server.config import Settings
from server.errors import Misconfigured
from server.ids import NodeKind, new_id
from server.services import health
from server.services.indexing import reindex
from server.store import Store


class Interrupted(Exception):
    pass


async def test_another_model_is_refused_by_name_until_the_index_is_rebuilt(store: Store, settings: Settings) -> None:
    volume = await new_volume(store)
    id = await add_entity(store, volume, "amber")
    await store.follower.drain()
    other = HashEmbedder(dimension=8, name="hash@2")
    again = Store(settings)
    with pytest.raises(Misconfigured, match=r"hash@1 \(16\), the settings say hash@2 \(8\). Run: loregraph reindex"):
        await again.open(other.name, other.dimension, other.embed)
    assert await reindex(again, other, lambda _: None) == 1
    await again.open(other.name, other.dimension, other.embed)
    assert await again.index.node_ids() == {id}
    assert await again.index.words_indexed() == (True, 0)
    await again.close()


async def test_an_interrupted_rebuild_is_noticed_and_run_again(store: Store, settings: Settings) -> None:
    volume = await new_volume(store)
    id = await add_entity(store, volume, "amber")
    await store.follower.drain()
    embedder, again = HashEmbedder(), Store(settings)

    def interrupt(_: int) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        await reindex(again, embedder, interrupt)
    with pytest.raises(Misconfigured, match="a rebuild that has not ended"):
        await again.open(embedder.name, embedder.dimension, embedder.embed)
    assert await reindex(again, embedder, lambda _: None) == 1
    await again.open(embedder.name, embedder.dimension, embedder.embed)
    assert await again.index.node_ids() == {id}
    await again.close()


async def test_health_tells_of_many_texts_that_the_full_text_index_has_not(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_LATE", 1)
    volume = await new_volume(store)
    nodes = [(NodeKind.ENTITY, new_id(), name) for name in ("amber", "beryl")]
    await store.index_now(volume, nodes, np.eye(2, 16, dtype=np.float32))
    state = await health.check_health(store, "m")
    assert state.ready
    assert state.degraded == (
        "2 texts are not in the full-text index yet; search by words is slow until it is made in the background, or run: "
        "loregraph reindex",
    )
    await store.index.compact()
    assert (await health.check_health(store, "m")).degraded == ()
