"""Several tasks' texts in one call of the embedder: who gets which vectors, how long a call waits, and who fails with whom."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from doubles import HashEmbedder
from numpy.typing import NDArray

from server.errors import UpstreamUnavailable
from server.services.indexing import Together


class Noting(HashEmbedder):
    """Notes what each call was given; fails when told."""

    def __init__(self) -> None:
        super().__init__(8)
        self.given: list[list[str]] = []
        self.fails = False

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.given.append(list(texts))
        await asyncio.sleep(0)
        if self.fails:
            raise UpstreamUnavailable("The model does not answer.")
        return await super().embed(texts)


async def test_calls_that_wait_become_one_and_each_gets_its_own_vectors() -> None:
    embedder = Noting()
    together = Together(embedder, lambda: 3, patience=10)
    calls = (["a", "b"], [], ["c"])
    found = await asyncio.gather(*(together.embed(texts) for texts in calls))
    assert embedder.given == [["a", "b", "c"]]
    for texts, vectors in zip(calls, found, strict=True):
        assert vectors.tolist() == (await HashEmbedder(8).embed(texts)).tolist()


async def test_a_call_alone_waits_for_its_patience_only() -> None:
    embedder = Noting()
    together = Together(embedder, lambda: 3, patience=0.01)
    async with asyncio.timeout(5):
        await together.embed(["a"])
        await together.embed(["b"])
    assert embedder.given == [["a"], ["b"]]


async def test_whoever_comes_after_the_call_has_begun_is_in_the_next_one() -> None:
    embedder = Noting()
    together = Together(embedder, lambda: 2, patience=10)
    await asyncio.gather(*(together.embed([letter]) for letter in "abcd"))
    assert embedder.given == [["a", "b"], ["c", "d"]]


async def test_one_that_is_cancelled_leaves_the_others_their_vectors() -> None:
    together = Together(Noting(), lambda: 3, patience=0.05)
    first, second = (asyncio.create_task(together.embed([letter])) for letter in "ab")
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).tolist() == (await HashEmbedder(8).embed(["b"])).tolist()
    assert first.cancelled()


async def test_a_failure_is_everybodys_and_the_next_call_is_tried_anew() -> None:
    embedder = Noting()
    embedder.fails = True
    together = Together(embedder, lambda: 2, patience=10)
    found = await asyncio.gather(together.embed(["a"]), together.embed(["b"]), return_exceptions=True)
    assert [type(one) for one in found] == [UpstreamUnavailable, UpstreamUnavailable]
    embedder.fails = False
    assert len(await Together(embedder, lambda: 1).embed(["c"])) == 1


async def test_the_vectors_are_the_callers_own() -> None:
    together = Together(Noting(), lambda: 2, patience=10)
    first, second = await asyncio.gather(together.embed(["a"]), together.embed(["a"]))
    first[:] = 0
    assert np.linalg.norm(second) == pytest.approx(1)
