"""Where a claim stands at an instant: by a function of its row, and by a condition of the database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select
from storage.test_pages import new_volume

from server import models
from server.ids import new_id
from server.store import Store
from server.store.believing import NOW, effective_end, standing_in, status_at
from server.store.relations import table_of
from server.terms import ClaimStatus

AT = datetime(2026, 6, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)
ENDS = (None, AT - TICK, AT, AT + TICK)
SUBSETS = [set(chosen) for size in range(7) for chosen in combinations(ClaimStatus, size)]


@pytest.mark.parametrize(
    ("stored", "end", "expected"),
    [
        ("CURRENT", None, "CURRENT"),
        ("CURRENT", AT + TICK, "CURRENT"),
        ("CURRENT", AT, "SUPERSEDED"),
        ("CURRENT", AT - TICK, "SUPERSEDED"),
        ("DISPUTED", None, "DISPUTED"),
        ("DISPUTED", AT + TICK, "DISPUTED"),
        ("DISPUTED", AT, "SUPERSEDED"),
        ("PENDING_REVIEW", AT, "PENDING_REVIEW"),
        ("SUPERSEDED", None, "SUPERSEDED"),
        ("RETRACTED", AT, "RETRACTED"),
        ("REJECTED", AT, "REJECTED"),
    ],
)
def test_a_believed_claim_is_superseded_from_the_instant_on_at_which_another_takes_its_place(
    stored: str, end: datetime | None, expected: str
) -> None:
    assert status_at(SimpleNamespace(status=stored, superseded_at=end), AT) == expected


@pytest.mark.parametrize(
    ("stated", "superseded", "expected"),
    [(None, None, None), (AT, None, AT), (None, AT, AT), (AT, AT - TICK, AT - TICK), (AT - TICK, AT, AT - TICK)],
)
def test_a_claim_holds_until_the_earlier_of_its_two_ends(
    stated: datetime | None, superseded: datetime | None, expected: datetime | None
) -> None:
    assert effective_end(SimpleNamespace(valid_to=stated, superseded_at=superseded)) == expected


async def test_the_condition_finds_what_the_function_says_for_every_set_of_statuses(store: Store) -> None:
    volume, subject = await new_volume(store), new_id()
    rows: list[Any] = [SimpleNamespace(id=new_id(), status=s, superseded_at=end) for s in ClaimStatus for end in ENDS]
    async with store.write(volume, "test") as tx:
        tx.insert(models.Entity, id=subject, name="A", match_key="a", type="concept")
        for row in rows:
            tx.insert(models.Fact, subject_id=subject, content="x", claim_key="x", **vars(row))
    table = table_of(models.Fact)
    for wanted in SUBSETS:
        statement = select(table.c.id).where(standing_in(table, wanted))
        values = {NOW: AT} if f":{NOW}" in str(statement) else {}
        found = {row[0] for row in await store.read.rows(statement, values)}
        assert found == {row.id for row in rows if status_at(row, AT) in wanted}, wanted
