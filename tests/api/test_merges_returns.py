"""A claim that a merge has made of two is two again where something else has held in between, and one where that is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from api.conftest import Api


async def costs(api: Api, plan: str, price: int, since: str) -> str:
    return await api.fact(plan, f"It costs {price}", predicate="COSTS", value=f"{price} USD", validFrom=since)


async def prices(api: Api, plan: str) -> list[tuple[str, str, str | None, str]]:
    asked = (
        "facts(filter: {statuses: [CURRENT, DISPUTED, SUPERSEDED]}) { nodes { value validFrom effectiveTo status } }"
    )
    found = (await api.node(plan, asked))["facts"]["nodes"]
    rows = [(one["value"], one["validFrom"][:4], (one["effectiveTo"] or "")[:4], one["status"]) for one in found]
    return sorted(rows, key=lambda row: row[1])


async def test_something_that_falls_between_later_parts_it_and_what_follows_is_as_stated(api: Api) -> None:
    pro, other = await api.entity("Pro"), await api.entity("Pro Plan")
    first, last = await costs(api, pro, 10, "2024"), await costs(api, other, 10, "2026")
    done = await api.do("mergeEntities", "merges { id }", into=pro, **{"from": [other]})
    assert await prices(api, pro) == [("10 USD", "2024", "", "CURRENT")]
    between = await costs(api, pro, 20, "2025")
    three = [
        ("10 USD", "2024", "2025", "SUPERSEDED"),
        ("20 USD", "2025", "2026", "SUPERSEDED"),
        ("10 USD", "2026", "", "CURRENT"),
    ]
    assert await prices(api, pro) == three
    assert (await api.node(last, "evidence { quote } subject { name }")) == {
        "evidence": [{"quote": "It costs 10"}],
        "subject": {"name": "Pro"},
    }
    await api.do("retractFact", "fact { id }", id=between)
    assert await prices(api, pro) == [("10 USD", "2024", "", "CURRENT")]
    assert await api.ask("query($id: ID!) { node(id: $id) { id } }", id=last) == {"node": {"id": first}}
    await costs(api, pro, 20, "2025")
    assert await prices(api, pro) == three
    await api.do("unmergeEntities", "restored { id }", merge=done["merges"][0]["id"])
    assert await prices(api, pro) == [("10 USD", "2024", "2025", "SUPERSEDED"), ("20 USD", "2025", "", "CURRENT")]
    assert await prices(api, other) == [("10 USD", "2026", "", "CURRENT")]


async def test_in_any_order_the_same_three_prices_are_told(api: Api) -> None:
    pro, other = await api.entity("Pro"), await api.entity("Pro Plan")
    await costs(api, other, 10, "2026")
    await costs(api, other, 20, "2025")
    await api.do("mergeEntities", "merges { id }", into=pro, **{"from": [other]})
    await costs(api, pro, 10, "2024")
    assert await prices(api, other) == [
        ("10 USD", "2024", "2025", "SUPERSEDED"),
        ("20 USD", "2025", "2026", "SUPERSEDED"),
        ("10 USD", "2026", "", "CURRENT"),
    ]


async def test_what_was_said_of_the_merged_one_after_the_merge_comes_apart_too(api: Api) -> None:
    pro, other = await api.entity("Pro"), await api.entity("Pro Plan")
    await costs(api, pro, 10, "2024")
    done = await api.do("mergeEntities", "merges { id }", into=pro, **{"from": [other]})
    await costs(api, other, 10, "2026")
    assert await prices(api, pro) == [("10 USD", "2024", "", "CURRENT")]
    between = await costs(api, pro, 20, "2025")
    assert await prices(api, pro) == [
        ("10 USD", "2024", "2025", "SUPERSEDED"),
        ("20 USD", "2025", "2026", "SUPERSEDED"),
        ("10 USD", "2026", "", "CURRENT"),
    ]
    await api.do("retractFact", "fact { id }", id=between)
    assert await prices(api, pro) == [("10 USD", "2024", "", "CURRENT")]
    await api.do("unmergeEntities", "restored { id }", merge=done["merges"][0]["id"])
    assert await prices(api, pro) == [("10 USD", "2024", "", "CURRENT")]
    assert await prices(api, other) == [("10 USD", "2026", "", "CURRENT")]
