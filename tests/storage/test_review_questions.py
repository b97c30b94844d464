"""Questions for a person: each is asked once, whoever asks it and however often, and goes when its matter goes."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import event
from stores import add_entity, new_volume

from server import models
from server.ids import NodeKind
from server.services.reviews import ReviewQuestion, close_reviews, forget_reviews, open_review, open_reviews
from server.store import Store
from server.store.records import ChangeRecord, ReviewRecord
from server.terms import ReviewKind


@pytest.fixture
async def volume(store: Store) -> UUID:
    return await new_volume(store)


def alike(left: UUID, right: UUID, importance: float = 0.5) -> ReviewQuestion:
    """The question whether two entities are one."""
    about = ((NodeKind.ENTITY, left), (NodeKind.ENTITY, right))
    return ReviewQuestion(ReviewKind.DUPLICATE, about, importance, 0.9, ("one name is short for the other",))


async def asked(store: Store, volume: UUID, *questions: ReviewQuestion, anew: bool = False) -> list[UUID | None]:
    async with store.write(volume, "test") as tx:
        return await open_reviews(tx, questions, anew=anew)


async def closed(store: Store, volume: UUID, *entities: UUID) -> list[UUID]:
    async with store.write(volume, "test") as tx:
        return await close_reviews(tx, [(NodeKind.ENTITY, id) for id in entities])


async def log(store: Store) -> list[tuple[str, int]]:
    """Return the entries about reviews: (kind, how many)."""
    entries = await store.read.where(ChangeRecord)
    about = [e for e in entries if e.node_kind == "rev" or (e.batch is not None and e.batch[0][0] == "rev")]
    return [(entry.kind, entry.size) for entry in about]


async def test_a_question_has_what_it_is_about_and_a_place_in_the_queue(store: Store, volume: UUID) -> None:
    b, a = await add_entity(store, volume, "B"), await add_entity(store, volume, "A")
    (id,) = await asked(store, volume, alike(a, b, importance=0.75))
    (row,) = await store.read.where(ReviewRecord)
    assert row == ReviewRecord(
        id=row.id,
        volume_id=volume,
        kind="DUPLICATE",
        question=f"DUPLICATE:ent:{b.hex}:ent:{a.hex}",
        fact_id=None,
        relationship_id=None,
        left_id=b,
        right_id=a,
        conflict_id=None,
        score=0.9,
        reasons=["one name is short for the other"],
        importance=0.75,
        precedence=-0.75,
        due_since=None,
        opened_at=row.opened_at,
        decision=None,
        answer=None,
        decided_by=None,
        decided_at=None,
    )
    assert id == row.id
    assert await log(store) == [("CREATED", 1)]


async def test_an_open_question_is_not_opened_again_from_either_side(store: Store, volume: UUID) -> None:
    a, b = await add_entity(store, volume, "A"), await add_entity(store, volume, "B")
    assert await asked(store, volume, alike(a, b)) != [None]
    before = await store.read.where(ReviewRecord)
    assert await asked(store, volume, alike(b, a, 1.0), alike(a, b)) == [None, None]
    async with store.write(volume, "test") as tx:
        assert await open_review(tx, alike(a, b)) is None
    assert await store.read.where(ReviewRecord) == before
    assert await log(store) == [("CREATED", 1)]


async def test_a_question_that_is_asked_twice_in_one_transaction_is_one(store: Store, volume: UUID) -> None:
    a, b, c = [await add_entity(store, volume, name) for name in "ABC"]
    async with store.write(volume, "test") as tx:
        first, again, other = await open_reviews(tx, [alike(a, b), alike(b, a), alike(a, c)])
        assert first is not None
        assert again is None
        assert other is not None
        assert await open_review(tx, alike(b, a)) is None
        assert await close_reviews(tx, [(NodeKind.ENTITY, c)]) == [other]
    found = {row.id: row.decision for row in await store.read.where(ReviewRecord)}
    assert found == {first: None, other: "LAPSED"}


async def test_what_was_decided_is_not_asked_again_unless_a_person_doubts_it_anew(store: Store, volume: UUID) -> None:
    a, b = await add_entity(store, volume, "A"), await add_entity(store, volume, "B")
    (id,) = await asked(store, volume, alike(a, b))
    assert id is not None
    async with store.write(volume, "test") as tx:
        tx.update(models.Review, id, decision="KEPT_APART", answer="h", decided_by="eve")
    assert await asked(store, volume, alike(a, b)) == [None]
    assert [row.decision for row in await store.read.where(ReviewRecord)] == ["KEPT_APART"]
    assert await closed(store, volume, a) == []
    assert await asked(store, volume, alike(a, b), anew=True) == [id]
    (row,) = await store.read.where(ReviewRecord)
    assert (row.decision, row.answer, row.decided_by, row.decided_at) == (None, None, None, None)


async def test_what_lapsed_may_be_asked_again_and_has_waited_since_then(store: Store, volume: UUID) -> None:
    a, b = await add_entity(store, volume, "A"), await add_entity(store, volume, "B")
    (id,) = await asked(store, volume, alike(a, b))
    assert await closed(store, volume, b) == [id]
    (lapsed,) = await store.read.where(ReviewRecord)
    assert (lapsed.decision, lapsed.decided_by) == ("LAPSED", None)
    assert lapsed.decided_at is not None
    assert lapsed.decided_at > lapsed.opened_at
    assert await closed(store, volume, a, b) == []
    assert await asked(store, volume, alike(a, b, 1.0)) == [id]
    (row,) = await store.read.where(ReviewRecord)
    assert (row.decision, row.decided_at, row.importance, row.precedence) == (None, None, 1.0, -1.0)
    assert row.opened_at > lapsed.decided_at
    assert await log(store) == [("CREATED", 1), ("UPDATED", 1), ("UPDATED", 1)]


async def test_reviews_go_with_what_they_are_about(store: Store, volume: UUID) -> None:
    a, b, c = [await add_entity(store, volume, name) for name in "ABC"]
    await asked(store, volume, alike(a, b), alike(b, c), alike(a, c))
    async with store.write(volume, "test") as tx:
        await forget_reviews(tx, [(NodeKind.ENTITY, b)])
        tx.delete_ids(models.Entity, [b])
    assert [(row.left_id, row.right_id) for row in await store.read.where(ReviewRecord)] == [(a, c)]
    assert await log(store) == [("CREATED", 3), ("DELETED", 2)]


async def test_a_question_belongs_to_its_volume(store: Store, volume: UUID) -> None:
    a, b = await add_entity(store, volume, "A"), await add_entity(store, volume, "B")
    other = await new_volume(store, "w")
    assert None not in await asked(store, volume, alike(a, b)) + await asked(store, other, alike(a, b))


@pytest.mark.parametrize("width", [1, 300])
async def test_hundreds_of_questions_cost_as_many_statements_as_one(store: Store, volume: UUID, width: int) -> None:
    ids = [await add_entity(store, volume, str(n), indexed=False) for n in range(25)]
    pairs = [(a, b) for n, a in enumerate(ids) for b in ids[:n]][:width]
    statements: list[str] = []
    for engine in store.database.engines:
        event.listen(engine.sync_engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    await asked(store, volume, *(alike(a, b) for a, b in pairs))
    assert await store.read.count(models.Review) == width
    read, insert = "FROM review", "INTO review"
    assert [sum(part in one for one in statements) for part in (read, insert, "INTO change")] == [1 + 1, 1, 1]
