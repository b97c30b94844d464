"""Claims that give way to others at an instant: what lists, counts and fields show of them before and after it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import update

from server import models
from server.ids import decode_id
from server.store import believing
from server.store.relations import table_of

if TYPE_CHECKING:
    from api.conftest import Api

THEN = datetime(2031, 1, 1, tzinfo=UTC)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Set the present instant."""

    def set_present(instant: datetime) -> None:
        for module in ("server.store.scopes", "server.store.believing"):
            monkeypatch.setattr(f"{module}.present", lambda: instant)

    return set_present


async def give_way(api: Api, model: Any, id: str, at: datetime) -> None:
    table, named = table_of(model), decode_id(id)
    assert named is not None
    async with api.store.database.writing() as connection:
        await connection.execute(update(table).where(table.c.id == named.id).values(superseded_at=at))


async def test_lists_and_counts_leave_a_fact_out_from_the_instant_on_at_which_it_gives_way(api: Api, at: Any) -> None:
    entity = await api.entity("Acme Pro")
    fact = await api.fact(entity, "It is blue", validTo="2040")
    await give_way(api, models.Fact, fact, THEN)
    listed = "facts { totalCount nodes { status effectiveTo validTo } }"
    shown = {"effectiveTo": "2031-01-01T00:00:00Z", "validTo": "2041-01-01T00:00:00Z"}
    at(THEN - timedelta(microseconds=1))
    assert await api.volume(listed) == {"facts": {"totalCount": 1, "nodes": [{"status": "CURRENT", **shown}]}}
    at(THEN)
    assert await api.volume(listed) == {"facts": {"totalCount": 0, "nodes": []}}
    assert await api.node(entity, listed) == {"facts": {"totalCount": 0, "nodes": []}}
    superseded = "facts(filter: {statuses: [SUPERSEDED]}) { totalCount nodes { status effectiveTo validTo } }"
    assert await api.volume(superseded) == {"facts": {"totalCount": 1, "nodes": [{"status": "SUPERSEDED", **shown}]}}
    current = "facts(filter: {statuses: [CURRENT, PENDING_REVIEW]}) { totalCount }"
    assert await api.volume(current) == {"facts": {"totalCount": 0}}
    assert await api.node(fact, "status") == {"status": "SUPERSEDED"}


async def test_relationships_and_neighbours_leave_an_edge_out_from_the_instant_on_at_which_it_gives_way(
    api: Api, at: Any
) -> None:
    one, other = await api.entity("Ada"), await api.entity("Paris")
    edge = await api.relationship(one, "LIKES", other)
    await give_way(api, models.Relationship, edge, THEN)
    listed = "relationships { totalCount nodes { status } } neighbors { totalCount nodes { name } }"
    at(THEN - timedelta(microseconds=1))
    assert await api.node(one, listed) == {
        "relationships": {"totalCount": 1, "nodes": [{"status": "CURRENT"}]},
        "neighbors": {"totalCount": 1, "nodes": [{"name": "Paris"}]},
    }
    at(THEN)
    assert await api.node(one, listed) == {
        "relationships": {"totalCount": 0, "nodes": []},
        "neighbors": {"totalCount": 0, "nodes": []},
    }
    assert (await api.node(one, "explanation"))["explanation"] == "Ada (concept)"
    assert await api.volume("relationships(filter: {statuses: [SUPERSEDED]}) { nodes { status } }") == {
        "relationships": {"nodes": [{"status": "SUPERSEDED"}]}
    }


def test_the_present_is_an_instant_of_utc() -> None:
    assert believing.present().tzinfo is UTC
