"""Token vectors beside the index: they follow its texts, and a search ranks by them what is in it and what is not yet."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from uuid import UUID

import numpy as np
import pytest
from doubles import HashEmbedder
from sqlalchemy import event
from stores import DIMENSION, add_entity, direction, new_volume, number_of, remove_entity, reword_entity

from server import models
from server.config import Settings
from server.embeddings import QueryTokens
from server.services.indexing import reindex
from server.services.retrieval.reranking import MADE
from server.services.retrieval.searching import Asked, Searcher
from server.services.volumes import Volumes
from server.store import Store
from server.store.token_vectors import signs_of

GOOD, BAD = b"\xff\xff", b"\x00\x00"


class Tokens:
    """Knows two tokens: that of texts which say "good", and the opposite. `signed` lists the texts it was asked for."""

    def __init__(self) -> None:
        self.signed: list[str] = []

    async def query_tokens(self, text: str) -> QueryTokens:
        return QueryTokens(np.full((1, 16), 0.25, np.float32), np.ones(1, np.float32))

    async def token_signs(self, texts: Sequence[str]) -> list[bytes]:
        self.signed += texts
        return [GOOD if "good" in text else BAD for text in texts]


@pytest.fixture
def tokens() -> Tokens:
    return Tokens()


@pytest.fixture
async def signing(store: Store, settings: Settings, tokens: Tokens) -> AsyncIterator[Store]:
    """The same store, opened by a process that keeps token vectors."""
    embedder, own = HashEmbedder(DIMENSION), Store(settings)
    await own.open(embedder.name, embedder.dimension, embedder.embed, tokens.token_signs)
    yield own
    await own.close()


async def ranked(store: Store, volume: UUID, tokens: Tokens | None, query: str = "unheard") -> list[UUID]:
    """Return what a search finds, the best first; by meaning alone unless told."""
    searcher = Searcher(store, HashEmbedder(DIMENSION), lambda: datetime(2020, 1, 1, tzinfo=UTC), tokens)
    return [hit.id for hit in await searcher.search(Asked(volume, query), direction(0.0))]


async def three(store: Store, volume: UUID) -> list[UUID]:
    """Make three entities, ever farther, of which the second is good."""
    return [
        await add_entity(store, volume, text, direction(angle))
        for text, angle in (("bad one", 0.1), ("good one", 0.2), ("bad two", 0.3))
    ]


async def test_hits_are_ranked_by_their_tokens_from_the_first_moment_on_in_any_process(
    store: Store, signing: Store, tokens: Tokens
) -> None:
    volume = await new_volume(store)
    a, b, c = await three(store, volume)
    for reader in (store, signing):
        assert await ranked(reader, volume, None) == [a, b, c]
        assert await ranked(reader, volume, tokens) == [b, a, c]
    await signing.follower.drain()
    assert await signs_of(store.read, [a, b, c]) == {a: BAD, b: GOOD, c: BAD}
    tokens.signed.clear()
    for reader in (store, signing):
        assert await ranked(reader, volume, tokens) == [b, a, c]
    assert tokens.signed == []


async def test_a_query_with_a_code_is_ranked_by_its_code(store: Store, tokens: Tokens) -> None:
    volume = await new_volume(store)
    coded = await add_entity(store, volume, "bad E-4711", direction(0.1))
    good = await add_entity(store, volume, "good", direction(0.2))
    assert await ranked(store, volume, tokens, "E-4711") == [coded, good]
    assert await ranked(store, volume, tokens) == [good, coded]


async def test_a_changed_text_is_ranked_by_its_new_tokens_at_once(store: Store, signing: Store, tokens: Tokens) -> None:
    volume = await new_volume(store)
    a, b, c = await three(store, volume)
    await signing.follower.drain()
    await reword_entity(store, volume, b, "bad three", direction(0.2))
    assert await ranked(store, volume, tokens) == [a, b, c]
    await signing.follower.drain()
    assert await ranked(store, volume, tokens) == [a, b, c]
    assert await signs_of(store.read, [b]) == {b: BAD}


async def test_none_of_an_older_text_stay_where_a_process_moves_that_makes_none(
    store: Store, signing: Store, tokens: Tokens
) -> None:
    volume = await new_volume(store)
    a, b, c = await three(store, volume)
    await signing.follower.drain()
    await signing.follower.release()
    await reword_entity(store, volume, b, "bad three", direction(0.2))
    await store.follower.drain()
    assert await signs_of(store.read, [a, b, c]) == {a: BAD, c: BAD}
    assert await ranked(store, volume, tokens) == [a, b, c]


async def test_what_is_deleted_takes_its_tokens_along_and_nothing_else(store: Store, signing: Store) -> None:
    volume, other = await new_volume(store), await new_volume(store, "w")
    a, b, c = await three(store, volume)
    d = await add_entity(store, other, "good", direction(0.0))
    await signing.follower.drain()
    await remove_entity(store, volume, b)
    await signing.follower.drain()
    assert set(await signs_of(store.read, [a, b, c, d])) == {a, c, d}
    volumes = Volumes(store)
    await volumes.delete(await volumes.named("v"), "v", "test")
    await signing.follower.drain()
    assert set(await signs_of(store.read, [a, b, c, d])) == {d}


async def test_of_many_that_were_written_just_now_only_some_tokens_are_made(store: Store, tokens: Tokens) -> None:
    volume = await new_volume(store)
    made = [await add_entity(store, volume, f"bad {n}", direction(n / 50)) for n in range(MADE + 4)]
    assert len(await ranked(store, volume, tokens)) == len(made)
    assert tokens.signed == [f"bad {n}" for n in range(MADE)]


async def test_reranking_takes_one_statement(store: Store, signing: Store, tokens: Tokens) -> None:
    volume = await new_volume(store)
    await three(store, volume)
    await signing.follower.drain()
    said: list[str] = []
    for engine in store.database.engines:
        event.listen(engine.sync_engine, "before_cursor_execute", lambda *args: said.append(args[2]))
    await ranked(store, volume, None)
    plain = len(said)
    await ranked(store, volume, tokens)
    assert (plain, len(said) - plain) == (2, 3)


async def test_a_rebuild_makes_them_for_all_that_is_there_or_drops_them(
    store: Store, signing: Store, tokens: Tokens
) -> None:
    volume = await new_volume(store)
    await three(store, volume)
    await store.follower.drain()
    assert await number_of(store, models.TokenVectors) == 0
    for reranker, number in ((tokens, 3), (None, 0)):
        assert await reindex(signing, HashEmbedder(DIMENSION), lambda _: None, reranker) == 3
        assert await number_of(store, models.TokenVectors) == number
