"""The order of arrival never matters: what is stated of one subject and one ONE-predicate makes the same claims in any order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import permutations
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import pytest
from doubles import HashEmbedder
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from server import models
from server.services.assertions import write_claims
from server.services.claims import FACT, Period, Support, Written, fact_claim
from server.services.decisions import Resolution, Reviews
from server.services.entities import NewEntity
from server.services.extraction.protocol import Instant
from server.services.facts import Facts
from server.services.imports import Graph, ImportedEntity, Imports
from server.services.indexing import Embedded
from server.services.merges import Merges
from server.services.volumes import Volumes
from server.store import Store
from server.store.records import (
    ConflictClaimRecord,
    ConflictRecord,
    EvidenceRecord,
    FactRecord,
    ReviewRecord,
    VolumeRecord,
)
from server.terms import Authority, ClaimStatus, Origin, Precision, ReviewAction, ValueType
from server.views import View

BELIEVED = (ClaimStatus.CURRENT, ClaimStatus.DISPUTED, ClaimStatus.SUPERSEDED, ClaimStatus.PENDING_REVIEW)


class Stated(NamedTuple):
    """A price that a document, or a person (None), states."""

    value: int
    since: int | None = None
    until: int | None = None
    document: int | None = None
    authority: Authority = Authority.UNKNOWN
    confidence: float = 0.8


def first(number: int | None) -> datetime | None:
    return None if number is None else datetime(number, 1, 1, tzinfo=UTC)


class Prices:
    """A thing of which prices are stated, and documents that state them."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def start(self) -> Prices:
        self.volume: VolumeRecord = await Volumes(self.store).ensure(f"v{uuid4().hex}", "test")
        graph = Graph(entities=[ImportedEntity("Pro", NewEntity("Pro", "product"))])
        self.pro = (await Imports(self.store, HashEmbedder()).load(self.volume, graph, "test")).ids["Pro"]
        async with self.store.write(self.volume.id, "test") as tx:
            self.documents = [
                tx.insert(models.Document, title=f"{n}", mime_type="text/plain", content_hash=uuid4().hex)
                for n in range(5)
            ]
        return self

    async def state(self, *all_at_once: Stated, subject: UUID | None = None) -> list[Written]:
        claims = [self.claim(one, subject or self.pro) for one in all_at_once]
        async with self.store.write(self.volume.id, "test") as tx:
            return await write_claims(tx, FACT, claims, Embedded({}))

    def claim(self, one: Stated, subject: UUID) -> Any:
        precision = Precision.YEAR
        period = Period(
            first(one.since), precision if one.since else None, first(one.until), precision if one.until else None
        )
        document = None if one.document is None else self.documents[one.document]
        origin = Origin.STATED if document is None else Origin.EXTRACTED
        support = Support(f"{one}", one.confidence, one.authority, document, document and 1, origin=origin)
        said = {"predicate": "COSTS", "value": f"{one.value} USD", "value_type": ValueType.MONEY}
        return fact_claim(subject, "Pro", f"It costs {one.value}", period, support, **said)  # type: ignore[arg-type]

    async def claims(self) -> list[FactRecord]:
        rows = await self.store.read.same_facts([self.pro], {"COSTS"}, by="predicate")
        return [row for row in rows if row.status in BELIEVED]

    async def stands(self) -> list[Any]:
        """Return each claim: what it says, from when until when, how it stands, and what it rests on."""
        rows = await self.claims()
        lists = await self.store.read.lists(EvidenceRecord, "fact_id", [row.id for row in rows], "id")
        named = {row.id: (row.value, row.valid_from and row.valid_from.year) for row in rows}
        return sorted(
            (
                (
                    *named[row.id],
                    row.valid_to and row.valid_to.year,
                    row.superseded_at and row.superseded_at.year,
                    row.superseded_by and named[row.superseded_by],
                    row.status,
                    row.status_reason,
                    row.confidence,
                    row.authority,
                    sorted(one.quote for one in evidence if one.live),
                )
                for row, evidence in zip(rows, lists, strict=True)
            ),
            key=str,
        )

    async def conflicts(self) -> list[Any]:
        """Return each conflict: how it stands, why, what it is between, and which claim has won."""
        named = {row.id: (row.value, row.valid_from and row.valid_from.year) for row in await self.claims()}
        conflicts = await self.store.read.where(ConflictRecord, subject_id=self.pro)
        lists = await self.store.read.lists(ConflictClaimRecord, "conflict_id", [one.id for one in conflicts], "id")
        return sorted(
            (
                (
                    one.status,
                    one.reason,
                    named.get(one.winner_id),
                    sorted((named[p.fact_id] for p in part if p.takes_part), key=str),
                )
                for one, part in zip(conflicts, lists, strict=True)
            ),
            key=str,
        )

    async def instant(self) -> datetime:
        """Return the instant of the last change."""
        return max(row.known_from for row in await self.store.read.same_facts([self.pro], {"COSTS"}, by="predicate"))

    async def known(self, at: datetime) -> list[tuple[Any, ...]]:
        """Return what `brief` does, of what was known at an instant."""
        rows = await self.store.read.same_facts([self.pro], {"COSTS"}, by="predicate")
        then = await self.store.read.by_ids(FactRecord, [row.id for row in rows], view=View(known=at))
        return sorted(
            (
                int(str(r.value).split()[0]),
                r.valid_from and r.valid_from.year,
                r.superseded_at and r.superseded_at.year,
                r.status,
            )
            for r in then
            if r is not None and r.status in BELIEVED
        )

    async def brief(self) -> list[tuple[Any, ...]]:
        """Return of each claim what it says, from when and until when that holds, and how it stands."""
        return [
            (int(value.split()[0]), since, over or until, status)
            for value, since, until, over, _, status, *_ in await self.stands()
        ]


A, B, C = Stated(10, 2024), Stated(20, 2025), Stated(10, 2026)
THREE = [(10, 2024, 2025, "CURRENT"), (10, 2026, None, "CURRENT"), (20, 2025, 2026, "CURRENT")]


@pytest.mark.parametrize("order", list(permutations((A, B, C))))
async def test_a_price_that_returns_is_three_claims_in_any_order(store: Store, order: Sequence[Stated]) -> None:
    prices = await Prices(store).start()
    written = [(await prices.state(one))[0] for one in order]
    assert await prices.brief() == THREE
    claims = {row.id: (row.value, row.valid_from) for row in await prices.claims()}
    assert claims[written[-1].id] == (f"{order[-1].value} USD", first(order[-1].since))
    assert await prices.conflicts() == []


statements = st.lists(
    st.builds(
        Stated,
        st.sampled_from((10, 20, 30)),
        st.none() | st.sampled_from((2020, 2021, 2022, 2023)),
        st.none() | st.just(2024),
        st.none() | st.integers(0, 4),
        st.sampled_from((Authority.UNKNOWN, Authority.UNKNOWN, Authority.OFFICIAL)),
        st.sampled_from((0.8, 0.8, 0.5, 1.0)),
    ),
    min_size=2,
    max_size=5,
    unique=True,
)


async def outcome(store: Store, *said: Sequence[Stated]) -> tuple[list[Any], list[Any]]:
    """Return the claims and conflicts of a new thing of which this is stated, some at once."""
    prices = await Prices(store).start()
    for one in said:
        await prices.state(*one)
    return await prices.stands(), await prices.conflicts()


async def check_any_order(store: Store, said: list[Stated], data: st.DataObject) -> None:
    """Stated one by one, in another order, or in two goes: the same claims, the same conflicts."""
    expected = await outcome(store, *([one] for one in said))
    other = data.draw(st.permutations(said))
    cut = data.draw(st.integers(1, len(said) - 1))
    assert await outcome(store, *([one] for one in other)) == expected
    assert await outcome(store, other[:cut], other[cut:]) == expected


def few(number: int) -> Any:
    return examples(max_examples=number, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
@given(said=statements, data=st.data())
@few(15)
async def test_what_is_stated_makes_the_same_claims_in_any_order(
    store: Store, said: list[Stated], data: st.DataObject
) -> None:
    await check_any_order(store, said, data)


@pytest.mark.parametrize("settings", ["postgresql"], indirect=True)
@given(said=statements, data=st.data())
@few(3)
async def test_so_it_does_on_postgresql(store: Store, said: list[Stated], data: st.DataObject) -> None:
    await check_any_order(store, said, data)


@pytest.mark.soak
@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
@given(said=statements, data=st.data())
@few(3_000)
async def test_so_it_does_in_the_long_run(store: Store, said: list[Stated], data: st.DataObject) -> None:
    await check_any_order(store, said, data)


async def test_what_parted_them_gone_the_two_are_one_again_and_what_was_known_stays(store: Store) -> None:
    """The claim of the later date is retracted, and comes back with its id when something comes between again."""
    prices = await Prices(store).start()
    for one in (A, C):
        await prices.state(one)
    (joined,) = await prices.claims()
    (between,) = await prices.state(B)
    (again,) = [row for row in await prices.claims() if row.valid_from == first(2026)]
    before = await prices.instant()
    await Facts(store, HashEmbedder()).retract(prices.volume, between.id, None, None, "test")
    assert await prices.brief() == [(10, 2024, None, "CURRENT")]
    assert [row.id for row in await prices.claims()] == [joined.id]
    assert await prices.known(before) == THREE
    await prices.state(B)
    assert await prices.brief() == THREE
    assert {row.id for row in await prices.claims()} > {joined.id, again.id}


async def test_a_person_who_puts_a_date_right_is_not_overruled_by_what_was_stated_before(store: Store) -> None:
    prices = await Prices(store).start()
    (ten,) = await prices.state(A)
    changes = {"valid_from": Instant(datetime(2025, 1, 1, tzinfo=UTC), Precision.YEAR)}
    await Facts(store, HashEmbedder()).update(prices.volume, ten.id, changes, None, "test")
    await prices.state(C)
    await prices.state(Stated(20, 2023))
    assert await prices.brief() == [(10, 2025, None, "CURRENT"), (20, 2023, 2025, "CURRENT")]
    await prices.state(Stated(10, 2022))
    assert (10, 2022, 2023, "CURRENT") in await prices.brief()


async def test_what_is_stated_without_a_date_supports_the_latest(store: Store) -> None:
    prices = await Prices(store).start()
    await prices.state(Stated(10, document=1))
    for one in (A, C, B):
        await prices.state(one)
    assert await prices.brief() == THREE
    confidences = {row.valid_from: row.confidence for row in await prices.claims()}
    assert confidences[first(2026)] > confidences[first(2024)]


@pytest.mark.parametrize("order", list(permutations((A, Stated(10, 2023), Stated(10, 2025, 2027))))[::2])
async def test_without_anything_between_the_earliest_beginning_and_the_stated_end_count(
    store: Store, order: Sequence[Stated]
) -> None:
    prices = await Prices(store).start()
    for one in order:
        await prices.state(one)
    assert await prices.brief() == [(10, 2023, 2027, "CURRENT")]


async def test_what_a_person_is_not_sure_of_and_was_rejected_is_not_asked_again(store: Store) -> None:
    prices = await Prices(store).start()
    unsure = Stated(10, confidence=0.5)
    (first_time,) = await prices.state(unsure)
    (review,) = await store.read.where(ReviewRecord)
    await Reviews(store).resolve(prices.volume, Resolution([review.id], ReviewAction.REJECT), "test")
    (again,) = await prices.state(unsure._replace(value=10, authority=Authority.USER))
    assert (again.id, again.known) == (first_time.id, True)
    assert [(one.id, one.decision) for one in await store.read.where(ReviewRecord)] == [(review.id, "REJECTED")]
    (sure,) = await prices.state(Stated(10, confidence=1.0))
    assert [(row.id, row.status) for row in await prices.claims()] == [(sure.id, "CURRENT")]


async def test_a_merge_leaves_a_price_that_returns_two_claims_and_its_end_gives_each_its_own(store: Store) -> None:
    prices = await Prices(store).start()
    graph = Graph(entities=[ImportedEntity("Other", NewEntity("Other", "product"))])
    other = (await Imports(store, HashEmbedder()).load(prices.volume, graph, "test")).ids["Other"]
    await prices.state(A)
    for one in (B, C):
        await prices.state(one, subject=other)
    done = await Merges(store).merge(prices.volume, prices.pro, [other], None, None, "test")
    assert [one for one in await prices.brief() if one[3] == "CURRENT"] == THREE
    await Merges(store).unmerge(prices.volume, done.merges[0], None, "test")
    assert await prices.brief() == [(10, 2024, None, "CURRENT")]
