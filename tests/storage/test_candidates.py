"""Candidates of a search: by vector and by words, from the index and from what is pending, whichever process asks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from stores import add_entity, direction, new_volume, opened, remove_entity, reword_entity

from server.config import Settings
from server.ids import NodeKind, new_id
from server.store import Store
from server.store.searching import Candidate, Wanted

TEXTS = (
    "The pump failed with error code E-4711",
    "C++ is fast",
    "call snake_case_name here",
    "東京大学で研究する",
    "مرحبا بالعالم",
    "Привет, книга",
    'say "quoted" (words) AND star* OR C:\\a\\b',
)


@pytest.fixture
async def other(store: Store, settings: Settings) -> AsyncIterator[Store]:
    """Another process's view of the same store, whose index is a read interval behind."""
    async with opened(settings) as elsewhere:
        yield elsewhere


async def looked(store: Store, volume: UUID, query: str, angle: float = 0.0, most: int = 10) -> dict[UUID, Candidate]:
    """Return the candidates of a query by their ids."""
    found = await store.candidates(Wanted(volume), query, direction(angle), most)
    assert len({one.id for one in found.found}) == len(found.found)
    return {one.id: one for one in found.found}


async def worded(store: Store, volume: UUID, query: str) -> list[UUID]:
    """Return what is found by its words, the best first."""
    found = [one for one in (await looked(store, volume, query)).values() if one.relevance]
    return [one.id for one in sorted(found, key=lambda one: -(one.relevance or 0))]


QUERIES = [
    ("E-4711", 0),
    ("4711", 0),
    ("C++", 1),
    ("snake_case", 2),
    ("snake_case_name", 2),
    ("大学", 3),
    ("بالعالم", 4),
    ("КНИГА", 5),
    ('"quoted"', 6),
    ("(words)", 6),
    ("star*", 6),
    ("OR", 6),
    ("C:\\a\\b", 6),
    ("AND NOT (", 6),
]


async def test_words_of_any_script_are_found_before_and_after_the_index_has_them(store: Store, other: Store) -> None:
    volume = await new_volume(store)
    ids = [await add_entity(store, volume, text, direction(3.0)) for text in TEXTS]

    async def look() -> None:
        for reader in (store, other):
            for query, place in QUERIES:
                assert (await worded(reader, volume, query))[0] == ids[place], query

    await look()
    await store.follower.drain()
    await look()
    await store.index.compact()
    await look()
    assert await store.index.words_indexed() == (True, 0)


async def test_a_query_of_signs_finds_nothing_by_words(store: Store) -> None:
    volume = await new_volume(store)
    a = await add_entity(store, volume, "alpha", direction(0.5))
    for query in ("???", "*", '"', "( )", "\\"):
        assert await looked(store, volume, query, 0.5) == {a: Candidate(a, NodeKind.ENTITY, 1.0, None)}
        await store.follower.drain()


async def test_what_is_pending_counts_as_it_will_in_the_index(store: Store) -> None:
    volume = await new_volume(store)
    for n in range(12):
        await add_entity(store, volume, f"filler {n} about red things and other things", direction(2.0))
    await store.follower.drain()
    a = await add_entity(store, volume, "one blue lamp", direction(0.3))
    before = (await looked(store, volume, "blue red"))[a]
    await store.follower.drain()
    after = (await looked(store, volume, "blue red"))[a]
    assert before.similarity == pytest.approx(after.similarity, abs=1e-5)
    assert before.relevance is not None
    assert after.relevance is not None
    fillers = [one.relevance for id, one in (await looked(store, volume, "blue red")).items() if id != a]
    assert min(before.relevance, after.relevance) > max(score or 0.0 for score in fillers)


async def test_a_changed_text_is_found_by_its_new_words_only(store: Store, other: Store) -> None:
    volume = await new_volume(store)
    a = await add_entity(store, volume, "old wording", direction(0.0))
    await store.follower.drain()
    await reword_entity(store, volume, a, "novel phrase", None)
    for reader in (store, other):
        assert await worded(reader, volume, "old") == []
        assert await worded(reader, volume, "novel") == [a]
        assert (await looked(reader, volume, "novel"))[a].similarity is None
    await store.follower.drain()
    for reader in (store, other):
        assert await worded(reader, volume, "old") == []
        assert await worded(reader, volume, "novel") == [a]


async def test_what_was_deleted_is_no_candidate_from_that_moment_on(store: Store, other: Store) -> None:
    volume = await new_volume(store)
    a = await add_entity(store, volume, "alpha", direction(0.0))
    await store.follower.drain()
    await remove_entity(store, volume, a)
    for reader in (store, other):
        assert await looked(reader, volume, "alpha") == {}
    await store.follower.drain()
    for reader in (store, other):
        assert await looked(reader, volume, "alpha") == {}


async def test_candidates_are_of_one_volume_of_the_kinds_and_among_the_nodes_that_are_wanted(store: Store) -> None:
    volume, foreign = await new_volume(store), await new_volume(store, "w")
    a = await add_entity(store, volume, "alpha one", direction(0.0))
    b = await add_entity(store, volume, "alpha two", direction(0.1))
    await add_entity(store, foreign, "alpha three", direction(0.0))
    for _ in range(2):
        assert set(await looked(store, volume, "alpha")) == {a, b}
        for wanted, ids in (
            (Wanted(volume, frozenset({NodeKind.FACT})), set()),
            (Wanted(volume, frozenset({NodeKind.ENTITY, NodeKind.FACT})), {a, b}),
            (Wanted(volume, only=[b, new_id()]), {b}),
            (Wanted(volume, only=[]), set()),
        ):
            found = await store.candidates(wanted, "alpha", direction(0.0), 10)
            assert {one.id for one in found.found} == ids
        await store.follower.drain()


async def test_it_is_told_down_to_where_all_was_found(store: Store) -> None:
    volume = await new_volume(store)
    for n in range(5):
        await add_entity(store, volume, f"alpha {n}" + " beta" * n, direction(n / 10))
    await store.follower.drain()
    few = await store.candidates(Wanted(volume), "alpha", direction(-0.1), 1)
    every = await store.candidates(Wanted(volume), "alpha", direction(-0.1), 20)
    assert few.near < 1.0
    assert few.worded > 0.0
    assert (every.near, every.worded, len(every.found)) == (-2.0, 0.0, 5)


async def test_an_index_without_words_gets_them_when_it_is_compacted_and_finds_meanwhile(store: Store) -> None:
    volume = await new_volume(store)
    a = await add_entity(store, volume, "alpha", direction(0.0))
    await store.follower.drain()
    table = store.index._table
    assert table is not None
    await table._table.drop_index("text_idx")
    assert await store.index.words_indexed() == (False, 1)
    assert await worded(store, volume, "alpha") == [a]
    await store.index.compact()
    assert await store.index.words_indexed() == (True, 0)
    assert await worded(store, volume, "alpha") == [a]
