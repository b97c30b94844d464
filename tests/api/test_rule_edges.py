"""Where the three rules of contradiction lead at their edges: gaps, disputes that are over, and what is announced."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from api.conftest import Api

ALL = "statuses: [CURRENT, DISPUTED, SUPERSEDED]"


async def costs(
    api: Api, plan: str, price: int, since: str | None = None, until: str | None = None, **rest: Any
) -> str:
    dates = {"validFrom": since, "validTo": until}
    return await api.fact(plan, f"It costs {price}", predicate="COSTS", value=f"{price} USD", **dates, **rest)


async def prices(api: Api, volume: str = "volume(name: $v)") -> list[tuple[str, str, str | None]]:
    """Return each price with its status and until when it holds, by a view of the volume."""
    asked = f"{{ facts(filter: {{{ALL}}}) {{ nodes {{ value status effectiveTo }} }} }}"
    found = (await api.ask(f"query($v: String!) {{ volume: {volume} {asked} }}", v="default"))["volume"]["facts"][
        "nodes"
    ]
    return sorted((one["value"], one["status"], (one["effectiveTo"] or "")[:10]) for one in found)


async def at(api: Api, instant: str) -> list[tuple[str, str, str | None]]:
    return await prices(api, f'volume(name: $v, asOf: {{valid: "{instant}"}})')


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
async def test_what_ended_where_a_later_price_began_does_not_come_back_when_that_ends(
    api: Api, order: tuple[int, ...]
) -> None:
    """Rule 2: the earlier one's effective interval ends where the later begins; it has one end."""
    plan = await api.entity("Pro")
    said = [(10, None, "2026-02"), (15, "2025", "2025"), (12, "2026-03", None)]
    for n in order:
        await costs(api, plan, *said[n])
    assert await prices(api) == [
        ("10 USD", "SUPERSEDED", "2025-01-01"),
        ("12 USD", "CURRENT", ""),
        ("15 USD", "CURRENT", "2026-01-01"),
    ]
    assert [(await at(api, day))[0][0] for day in ("2024-06-01", "2025-06-01", "2026-06-01")] == [
        "10 USD",
        "15 USD",
        "12 USD",
    ]
    assert await at(api, "2026-02-01") == []


@pytest.mark.parametrize("order", list(permutations(range(3)))[::2])
async def test_a_dispute_that_a_later_claim_has_ended_is_told_by_its_conflict(api: Api, order: tuple[int, ...]) -> None:
    """Rule 1: the challenger of 2022 is DISPUTED; both have given way since 2023, and are SUPERSEDED by date."""
    plan = await api.entity("Pro")
    said = [(10, "2020", "OFFICIAL"), (20, "2022", "USER"), (30, "2023", "OFFICIAL")]
    ids = {}
    for n in order:
        ids[n] = await costs(api, plan, said[n][0], said[n][1], authority=said[n][2])
    both = [("10 USD", "SUPERSEDED", "2023-01-01"), ("20 USD", "SUPERSEDED", "2023-01-01")]
    assert await at(api, "2022-06-01") == both
    assert await prices(api) == [*both, ("30 USD", "CURRENT", "")]
    found = await api.node(ids[1], "conflicts { status claims { text } }")
    (conflict,) = found["conflicts"]
    assert (conflict["status"], sorted(one["text"] for one in conflict["claims"])) == (
        "OPEN",
        ["It costs 10", "It costs 20"],
    )


async def test_a_price_without_a_date_and_one_that_is_announced_contradict_each_other(api: Api) -> None:
    """Rule 3: one undated; dated, the standing one stays CURRENT until the other begins (rule 2)."""
    plan = await api.entity("Pro")
    now = await costs(api, plan, 10)
    await costs(api, plan, 12, "2999")
    assert await prices(api) == [("10 USD", "DISPUTED", ""), ("12 USD", "DISPUTED", "")]
    await api.do("updateFact", "fact { id }", id=now, validFrom="2020")
    assert await prices(api) == [("10 USD", "CURRENT", "2999-01-01"), ("12 USD", "CURRENT", "")]
