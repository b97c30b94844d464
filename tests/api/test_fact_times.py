"""When facts hold and since when they are known, through GraphQL: precision, half-open ends, overlaps, instants."""

from __future__ import annotations

import asyncio
from datetime import UTC
from typing import TYPE_CHECKING

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

WHEN = "validFrom validFromPrecision validTo validToPrecision"


PERIODS = [
    (("2021", "2023"), ("2022", "2024"), True),
    (("2021", "2023"), ("2023-12-31", None), True),
    (("2021", "2023"), ("2024", None), False),
    (("2021", "2023"), ("2025", None), False),
    (("2021", "2023"), (None, "2020"), False),
    (("2021", "2023"), (None, "2021"), True),
    (("2021", "2023"), (None, None), True),
    ((None, None), ("2021", "2023"), True),
    (("2021", None), ("2023", None), True),
    ((None, "2023"), (None, "2021"), True),
]


async def test_the_same_claim_shares_an_instant_or_is_undated(api: Api) -> None:
    said = {"predicate": "MEMBER_OF", "value": "the club"}
    for number, (first, then, same) in enumerate(PERIODS):
        ada = await api.entity(f"Ada {number}")
        id = await api.fact(ada, "Is a member", validFrom=first[0], validTo=first[1], **said)
        again = await api.fact(ada, "Is a member", validFrom=then[0], validTo=then[1], **said)
        assert (again == id) == same, (first, then)


INSTANTS = [
    ("2021", "2024", "2021-01-01T00:00:00Z", "YEAR", "2025-01-01T00:00:00Z", "YEAR"),
    ("2024", "2024", "2024-01-01T00:00:00Z", "YEAR", "2025-01-01T00:00:00Z", "YEAR"),
    ("2024-02", "2024-02", "2024-02-01T00:00:00Z", "MONTH", "2024-03-01T00:00:00Z", "MONTH"),
    ("2023-12", "2023-12", "2023-12-01T00:00:00Z", "MONTH", "2024-01-01T00:00:00Z", "MONTH"),
    ("2024-02-28", "2024-02-28", "2024-02-28T00:00:00Z", "DAY", "2024-02-29T00:00:00Z", "DAY"),
    ("2024-02-29T10:00", "2024-02-29T12:30:15.5Z", "2024-02-29T10:00:00Z", "INSTANT", "2024-02-29T12:30:15.500000Z", "INSTANT"),
    ("2024-03-01T01:00:00+02:00", None, "2024-02-29T23:00:00Z", "INSTANT", None, None),
    (None, "0001", None, None, "0002-01-01T00:00:00Z", "YEAR"),
    ("9999-12-31T23:59:59Z", None, "9999-12-31T23:59:59Z", "INSTANT", None, None),
]  # fmt: skip


async def test_a_time_keeps_its_precision_and_an_end_includes_its_year_month_or_day(api: Api) -> None:
    for number, (start, end, *stored) in enumerate(INSTANTS):
        ada = await api.entity(f"Ada {number}")
        stated = {"subject": ada, "content": "Sings", "validFrom": start, "validTo": end}
        made = await api.do("createFact", f"fact {{ {WHEN} }}", **stated)
        assert made["fact"] == dict(zip(WHEN.split(), stored, strict=True)), (start, end)


async def test_an_interval_that_holds_no_time_is_refused(api: Api) -> None:
    ada = await api.entity("Ada")
    cases = [
        ("2024", "2023"),
        ("2024-06-01", "2024-05"),
        ("2024-06-02", "2024-06-01"),
        ("2025", "2025-01-01T00:00:00Z"),
    ]
    async with api.unchanged():
        for start, end in [*cases, (None, "9999")]:
            refused = await api.refusal("createFact", subject=ada, content="Sings", validFrom=start, validTo=end)
            assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "validTo"), (start, end)


async def test_a_time_that_is_none_is_refused(api: Api) -> None:
    ada = await api.entity("Ada")
    times = [
        "",
        "yesterday",
        "2024-13",
        "2023-02-29",
        "24",
        "2024-1",
        "10000",
        "2024-01-01T25:00",
        2024,
        True,
        ["2024"],
    ]
    async with api.unchanged():
        for time in times:
            refused = await api.refusal("createFact", subject=ada, content="Sings", validFrom=time)
            assert refused["code"] == "BAD_USER_INPUT", time


async def test_instants_of_the_log_are_strictly_increasing_and_those_of_the_claims(api: Api) -> None:
    ada = await api.entity("Ada")
    await asyncio.gather(*(api.fact(ada, f"Fact {n}") for n in range(8)))
    log = await api.rows(models.Change, node_kind="fct")
    instants = [row["at"] for row in log]
    assert instants == sorted(set(instants))
    known = {row["id"]: (row["known_from"], row["created_at"]) for row in await api.rows(models.Fact)}
    assert known == {row["node_id"]: (row["at"], row["at"]) for row in log}
    assert all(instant.tzinfo == UTC for instant in instants)
