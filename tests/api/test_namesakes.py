"""Namesakes: documents that state one role at different organizations speak of two people, who are told apart by sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scripted import edge, fact, ingest, thing, year

from server.services.extraction.protocol import Instant
from server.store.records import EntityRecord, ReviewRecord

if TYPE_CHECKING:
    from api.conftest import Api


async def tell(api: Api, company: str, number: int = 0, type: str = "CFO_OF", **times: Instant) -> None:
    """Ingest a document that states Li Wei's role at a company."""
    text = f"{number}: Li Wei is CFO of {company}."
    people = (thing("Li Wei", "person"), thing(company, "organization", stated_type=True))
    await ingest(api, text, *people, edge("Li Wei", type, company, text, **times))


async def senses(api: Api) -> list[str]:
    """Return the senses of all who are called Li Wei."""
    return sorted(one.sense for one in await api.store.read.where(EntityRecord) if one.name == "Li Wei")


async def test_one_role_at_two_organizations_makes_two_people_and_asks_whether_they_are_one(api: Api) -> None:
    await tell(api, "Acme")
    await tell(api, "Globex")
    assert await senses(api) == ["", "CFO of Globex"]
    (asked,) = await api.store.read.where(ReviewRecord)
    assert (asked.kind, asked.score) == ("DUPLICATE", 1.0)


async def test_each_later_document_goes_to_the_one_of_its_organization(api: Api) -> None:
    await tell(api, "Acme")
    await tell(api, "Globex")
    for number, company in enumerate(("Acme", "Globex", "Acme"), start=1):
        await tell(api, company, number)
    assert await senses(api) == ["", "CFO of Globex"]
    await tell(api, "Initech")
    assert await senses(api) == ["", "CFO of Globex", "CFO of Initech"]


async def test_a_fact_states_a_role_as_a_relationship_does(api: Api) -> None:
    for company in ("Acme", "Globex"):
        text = f"Li Wei is the CFO of {company}."
        role = fact("Li Wei", f"CFO of {company}", text, predicate="HAS_ROLE")
        people = (thing("Li Wei", "person"), thing(company, "organization"))
        await ingest(api, text, *people, role, edge("Li Wei", "WORKS_AT", company, text))
    assert await senses(api) == ["", "CFO of Globex"]


@pytest.mark.parametrize("type", ["WORKS_AT", "MEMBER_OF", "ADVISES"])
async def test_what_many_can_have_at_once_tells_nobody_apart(api: Api, type: str) -> None:
    await tell(api, "Acme", type=type)
    await tell(api, "Globex", type=type)
    assert await senses(api) == [""]


async def test_one_role_after_another_is_one_career(api: Api) -> None:
    await tell(api, "Acme", valid_from=year(2010), valid_to=year(2015))
    await tell(api, "Globex", valid_from=year(2015))
    assert await senses(api) == [""]


async def test_two_roles_of_one_document_are_one_persons(api: Api) -> None:
    text = "Li Wei is CFO of Acme and CFO of Globex."
    people = (thing("Li Wei", "person"), thing("Acme", "organization"), thing("Globex", "organization"))
    await ingest(api, text, *people, *(edge("Li Wei", "CFO_OF", at, text) for at in ("Acme", "Globex")))
    await tell(api, "Globex")
    assert await senses(api) == [""]


async def test_a_document_that_changes_its_mind_speaks_of_the_same_person(api: Api) -> None:
    for company in ("Acme", "Globex"):
        text = f"Li Wei is CFO of {company}."
        people = (thing("Li Wei", "person"), thing(company, "organization"))
        await ingest(api, text, *people, edge("Li Wei", "CFO_OF", company, text), uri="file:a")
    assert await senses(api) == [""]
