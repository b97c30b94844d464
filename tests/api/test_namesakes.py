"""Namesakes: documents that state one role at different organizations speak of two people, who are told apart by sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scripted import edge, fact, ingest, thing, year

from server.ids import NodeKind, encode_id
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


async def one_of(api: Api) -> tuple[str, list[str]]:
    """Merge the CFO of Globex into that of Acme; return the record's id and theirs."""
    await tell(api, "Acme")
    await tell(api, "Globex")
    rows = {one.sense: one.id for one in await api.store.read.where(EntityRecord) if one.name == "Li Wei"}
    ids = [encode_id(NodeKind.ENTITY, rows[sense]) for sense in ("", "CFO of Globex")]
    done = await api.do("mergeEntities", "merges { id }", into=ids[0], **{"from": ids[1:]})
    return done["merges"][0]["id"], ids


async def said_of(api: Api, ids: list[str]) -> list[list[str]]:
    """Return what is said of each, and in which documents."""
    asked = "facts { nodes { content } } documents { nodes { title } }"
    found = [await api.node(id, asked) for id in ids]
    return [
        [*(f["content"] for f in one["facts"]["nodes"]), *(d["title"] for d in one["documents"]["nodes"])]
        for one in found
    ]


async def test_what_was_said_while_namesakes_were_one_goes_to_the_one_whose_neighbours_the_document_names(
    api: Api,
) -> None:
    merge, ids = await one_of(api)
    for company, likes in (("Globex", "tea"), ("Acme", "jazz"), (None, "chess")):
        text = f"Li Wei likes {likes}{f' at {company}' if company else ''}."
        there = [thing(company, "organization")] if company else []
        said = fact("Li Wei", f"Likes {likes}", text)
        await ingest(api, text, thing("Li Wei", "person"), *there, said, title=likes)
    together = ["Likes tea", "Likes jazz", "Likes chess", "Notes", "Notes", "tea", "jazz", "chess"]
    assert await said_of(api, ids) == [together] * 2
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert await said_of(api, ids) == [
        ["Likes jazz", "Likes chess", "Notes", "jazz", "chess"],
        ["Likes tea", "Notes", "tea"],
    ]


async def test_a_revision_after_the_merge_of_namesakes_speaks_of_the_one_that_it_spoke_of_before(api: Api) -> None:
    await tell(api, "Acme")
    text = "Li Wei is CFO of Globex."
    people = (thing("Li Wei", "person"), thing("Globex", "organization", stated_type=True))
    await ingest(api, text, *people, edge("Li Wei", "CFO_OF", "Globex", text), uri="u")
    rows = {one.sense: one.id for one in await api.store.read.where(EntityRecord) if one.name == "Li Wei"}
    ids = [encode_id(NodeKind.ENTITY, rows[sense]) for sense in ("", "CFO of Globex")]
    done = await api.do("mergeEntities", "merges { id }", into=ids[0], **{"from": ids[1:]})
    await ingest(api, "Li Wei sings.", thing("Li Wei", "person"), fact("Li Wei", "Sings", "Li Wei sings."), uri="u")
    await api.do("unmergeEntities", "restored { id }", merge=done["merges"][0]["id"])
    assert await said_of(api, ids) == [["Notes"], ["Sings", "Notes"]]
