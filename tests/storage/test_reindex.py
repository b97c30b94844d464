"""Rebuilding the vector index: for another model, and after an interruption."""

from __future__ import annotations

import pytest
from doubles import HashEmbedder
from stores import add_entity, new_volume

from server.config import Settings
from server.errors import Misconfigured
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
