"""setPredicate and the relationships that are there: what says the same from opposite ends is one, and competes, as set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scripted import edge, ingest, thing

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

COUNTED = {"version", "updated_at", "known_from"}
CHANGED = "joined { id text } parted { id text } superseded { text } conflicts { predicate }"
NOTHING: dict[str, Any] = {"joined": [], "parted": [], "superseded": [], "conflicts": []}


async def stored(api: Api) -> list[list[dict[str, Any]]]:
    """Return the rows of relationships and their evidence, but for what counts their writes."""
    found = [await api.rows(model) for model in (models.Relationship, models.Evidence, models.ClaimApart)]
    return [[{n: v for n, v in row.items() if n not in COUNTED} for row in rows] for rows in found]


async def put(api: Api, name: str, cardinality: str = "MANY", **rest: Any) -> dict[str, Any]:
    return await api.do("setPredicate", CHANGED, name=name, cardinality=cardinality, **rest)


async def standing(api: Api) -> dict[str, str]:
    """Return how each relationship stands, by its sentence."""
    asked = "relationships(filter: {statuses: [CURRENT, DISPUTED, SUPERSEDED]}) { nodes { text status } }"
    return {edge["text"]: edge["status"] for edge in (await api.volume(asked))["relationships"]["nodes"]}


async def both_ways(api: Api, one: str, other: str) -> tuple[str, str]:
    """State that Ann is something to Bob, and the same by another word from the other end."""
    ann, bob = await api.entity("Ann"), await api.entity("Bob")
    first = await api.relationship(ann, one, bob, confidence=0.8)
    return first, await api.relationship(bob, other, ann, confidence=0.75)


@pytest.mark.parametrize(
    ("one", "other", "set_so", "back"),
    [
        ("DANCES_WITH", "DANCES_WITH", {"symmetric": True}, {}),
        ("TEACHES_PIANO", "LEARNS_FROM", {"inverse": "LEARNS_FROM"}, {"inverse": None}),
    ],
)
async def test_edges_that_say_the_same_by_it_are_one_and_two_again_when_it_is_set_back(
    api: Api, one: str, other: str, set_so: dict[str, Any], back: dict[str, Any]
) -> None:
    first, second = await both_ways(api, one, other)
    await api.relationship(await api.entity("Ann"), one, await api.entity("Cal"))
    before, texts = await stored(api), list(await standing(api))
    async with api.unchanged():
        would = await put(api, one, dryRun=True, **set_so)
    joined = NOTHING | {"joined": [{"id": first, "text": texts[0]}]}
    assert would == joined
    assert await put(api, one, **set_so) == joined
    assert await api.node(first, "evidence { quote }") == {"evidence": [{"quote": texts[0]}, {"quote": texts[1]}]}
    assert await api.ask("query($id: ID!) { node(id: $id) { id } }", id=second) == {"node": {"id": first}}
    assert list(await standing(api)) == [texts[0], texts[2]]
    async with api.unchanged():
        assert await put(api, one, **set_so) == NOTHING
    assert await put(api, one, **back) == NOTHING | {"parted": [{"id": second, "text": texts[1]}]}
    assert await stored(api) == before


async def test_edges_of_different_times_stay_two(api: Api) -> None:
    ann, bob = await api.entity("Ann"), await api.entity("Bob")
    await api.relationship(ann, "DANCES_WITH", bob, validFrom="2001", validTo="2003")
    await api.relationship(bob, "DANCES_WITH", ann, validFrom="2005")
    assert await put(api, "DANCES_WITH", symmetric=True) == NOTHING
    assert len(await standing(api)) == 2


async def test_what_is_stated_by_the_inverse_competes_once_there_is_one_of_it(api: Api) -> None:
    ids = {name: await api.entity(name) for name in ("Ann", "Acme", "Globex", "Bob")}
    edge = await api.relationship(ids["Acme"], "EMPLOYS", ids["Ann"], validFrom="2019")
    await api.relationship(ids["Ann"], "WORKS_AT", ids["Globex"], validFrom="2022")
    await api.relationship(ids["Globex"], "EMPLOYS", ids["Bob"])
    known = (await api.node(edge, "knownFrom"))["knownFrom"]
    async with api.unchanged():
        await put(api, "WORKS_AT", "ONE", dryRun=True)
    assert await put(api, "WORKS_AT", "ONE") == NOTHING | {"superseded": [{"text": "Ann works at Acme"}]}
    assert await standing(api) == {
        "Ann works at Acme": "SUPERSEDED",
        "Ann works at Globex": "CURRENT",
        "Bob works at Globex": "CURRENT",
    }
    then = await api.ask(
        "query($k: DateTime) { volume(asOf: {known: $k}) { relationships { nodes { text status } } } }", k=known
    )
    assert then["volume"]["relationships"]["nodes"] == [{"text": "Acme employs Ann", "status": "CURRENT"}]
    asked = 'neighbors(types: ["EMPLOYS"]) { edges { direction node { name } } }'
    assert (await api.node(ids["Globex"], asked))["neighbors"]["edges"] == [
        {"direction": "OUT", "node": {"name": "Ann"}},
        {"direction": "OUT", "node": {"name": "Bob"}},
    ]
    entries = (await api.volume("changes { nodes { node { id } before after } }"))["changes"]["nodes"]
    entry = next(one for one in entries if one["node"] == {"id": edge})
    told = ("type", "source", "target", "supersededAt")
    assert [entry["before"][name] for name in told] == ["EMPLOYS", ids["Acme"], ids["Ann"], None]
    assert [entry["after"][name] for name in told] == [
        "WORKS_AT",
        ids["Ann"],
        ids["Acme"],
        "2022-01-01T00:00:00+00:00",
    ]


async def test_what_is_stated_by_a_predicate_competes_once_there_is_one_of_its_inverse(api: Api) -> None:
    ids = {name: await api.entity(name) for name in ("Ann", "Bob", "Acme")}
    for name in ("Ann", "Bob"):
        await api.relationship(ids[name], "WORKS_AT", ids["Acme"])
    assert await put(api, "EMPLOYS", "ONE") == NOTHING | {"conflicts": [{"predicate": "EMPLOYS"}]}
    assert await standing(api) == {"Acme employs Ann": "DISPUTED", "Acme employs Bob": "DISPUTED"}
    assert await put(api, "EMPLOYS") == NOTHING
    assert set((await standing(api)).values()) == {"CURRENT"}


async def test_an_inverse_that_is_set_of_what_there_is_one_of_makes_its_claims_compete(api: Api) -> None:
    ids = {name: await api.entity(name) for name in ("Ann", "Bob", "Acme")}
    await api.relationship(ids["Acme"], "LED_IN_FACT_BY", ids["Ann"])
    await api.relationship(ids["Bob"], "LEADS_IN_FACT", ids["Acme"])
    await put(api, "LED_IN_FACT_BY", "ONE")
    done = await put(api, "LEADS_IN_FACT", inverse="LED_IN_FACT_BY")
    assert done == NOTHING | {"conflicts": [{"predicate": "LED_IN_FACT_BY"}]}
    assert set((await standing(api)).values()) == {"DISPUTED"}


async def test_doubles_that_become_one_stay_so_where_there_is_one_of_it(api: Api) -> None:
    first, _ = await both_ways(api, "LEADS_IN_FACT", "LED_IN_FACT_BY")
    done = await put(api, "LED_IN_FACT_BY", "ONE", inverse="LEADS_IN_FACT")
    assert [one["id"] for one in done["joined"]] == [first]
    assert await standing(api) == {"Bob led in fact by Ann": "CURRENT"}
    (edge,) = (await api.volume("relationships { nodes { type evidence { quote } } }"))["relationships"]["nodes"]
    assert (edge["type"], len(edge["evidence"])) == ("LED_IN_FACT_BY", 2)
    again = await put(api, "LED_IN_FACT_BY")
    assert again == NOTHING
    assert await standing(api) == {"Ann leads in fact Bob": "CURRENT"}


async def test_an_inverse_that_was_set_together_with_one_is_set_back_to_what_was_stated(api: Api) -> None:
    _, second = await both_ways(api, "LEADS_IN_FACT", "LED_IN_FACT_BY")
    await api.relationship(await api.entity("Ann"), "LEADS_IN_FACT", await api.entity("Cal"), validFrom="2020")
    before, texts = await stored(api), await standing(api)
    await put(api, "LED_IN_FACT_BY", "ONE", inverse="LEADS_IN_FACT")
    assert await standing(api) == {"Bob led in fact by Ann": "CURRENT", "Cal led in fact by Ann": "CURRENT"}
    async with api.unchanged():
        await put(api, "LED_IN_FACT_BY", inverse=None, dryRun=True)
    done = await put(api, "LED_IN_FACT_BY", inverse=None)
    assert done == NOTHING | {"parted": [{"id": second, "text": "Bob led in fact by Ann"}]}
    assert await stored(api) == before
    assert await standing(api) == texts


async def test_an_inverse_that_is_given_to_another_type_leaves_its_edges_as_they_were_stated(api: Api) -> None:
    ids = {name: await api.entity(name) for name in ("Ann", "Bob", "Acme")}
    for name in ("Ann", "Bob"):
        await api.relationship(ids[name], "LEADS_IN_FACT", ids["Acme"])
    await api.relationship(ids["Bob"], "HEADS", ids["Acme"])
    before = await stored(api)
    await put(api, "LED_IN_FACT_BY", "ONE", inverse="LEADS_IN_FACT")
    disputed = {"Acme led in fact by Ann": "DISPUTED", "Acme led in fact by Bob": "DISPUTED"}
    assert await standing(api) == disputed | {"Bob heads Acme": "CURRENT"}
    await put(api, "LED_IN_FACT_BY", "ONE", inverse="HEADS")
    left = {"Ann leads in fact Acme": "CURRENT", "Bob leads in fact Acme": "CURRENT"}
    assert await standing(api) == left | {"Acme led in fact by Bob": "CURRENT"}
    assert await api.rows(models.Conflict) == []
    await put(api, "HEADS", inverse=None)
    assert await stored(api) == before


async def test_what_is_many_again_is_stored_as_it_was_stated_and_stands_again(api: Api) -> None:
    ids = {name: await api.entity(name) for name in ("Ann", "Acme", "Globex")}
    await api.relationship(ids["Acme"], "EMPLOYS", ids["Ann"], validFrom="2019")
    await api.relationship(ids["Ann"], "WORKS_AT", ids["Globex"], validFrom="2022")
    before = await stored(api)
    await put(api, "WORKS_AT", "ONE")
    assert await standing(api) == {"Ann works at Acme": "SUPERSEDED", "Ann works at Globex": "CURRENT"}
    await api.relationship(ids["Globex"], "EMPLOYS", await api.entity("Cal"))
    assert await put(api, "WORKS_AT") == NOTHING
    assert [rows[: len(was)] for rows, was in zip(await stored(api), before, strict=True)] == before
    assert list(await standing(api)) == ["Acme employs Ann", "Ann works at Globex", "Globex employs Cal"]


async def test_a_price_that_returned_while_there_was_one_is_one_claim_again_when_there_are_many(api: Api) -> None:
    plan = await api.entity("Pro")
    asked = "facts(filter: {statuses: [CURRENT, SUPERSEDED]}) { nodes { id value validFrom effectiveTo status evidence { quote current } } }"
    for value, since in ((10, "2024"), (20, "2025"), (10, "2026")):
        words = {"predicate": "FEE", "value": f"{value} USD", "valueType": "MONEY", "validFrom": since}
        await api.fact(plan, f"It was {value} in {since}", **words)
    before, shown = await api.rows(models.Fact), await api.volume(asked)
    ends = []
    for _ in range(2):
        await put(api, "FEE", "ONE")
        ends.append([(one["value"], one["effectiveTo"]) for one in (await api.volume(asked))["facts"]["nodes"]])
        await put(api, "FEE")
        assert await api.volume(asked) == shown
    there = [("10 USD", "2025-01-01T00:00:00Z"), ("20 USD", "2026-01-01T00:00:00Z"), ("10 USD", None)]
    assert ends == [there, there]
    plain = [{n: v for n, v in row.items() if n not in COUNTED} for row in await api.rows(models.Fact)]
    assert plain[:2] == [{n: v for n, v in row.items() if n not in COUNTED} for row in before]
    assert [(row["status"], row["value"]) for row in plain[2:]] == [("RETRACTED", "10 USD")]


async def test_an_edge_that_is_corrected_into_the_inverse_of_what_there_is_one_of_competes(api: Api) -> None:
    ids = {name: await api.entity(name) for name in ("Paris", "France", "Gaul")}
    await api.relationship(ids["Paris"], "CAPITAL_OF", ids["Gaul"])
    edge = await api.relationship(ids["France"], "HAS_TOWN", ids["Paris"])
    await api.do("updateRelationship", "relationship { id }", id=edge, type="HAS_CAPITAL")
    assert await api.node(edge, "text status evidence { quote }") == {
        "text": "Paris is capital of France",
        "status": "DISPUTED",
        "evidence": [{"quote": "France has town Paris"}, {"quote": "Paris is capital of France"}],
    }


async def test_what_was_merged_before_an_edge_was_turned_comes_apart_as_stated(api: Api) -> None:
    ids = {name: await api.entity(name) for name in ("Ada", "Ada Lind", "Acme")}
    await api.relationship(ids["Ada"], "WORKS_AT", ids["Acme"], confidence=0.8)
    await api.relationship(ids["Acme"], "EMPLOYS", ids["Ada Lind"], confidence=0.75)
    done = await api.do("mergeEntities", "merges { id }", into=ids["Ada"], **{"from": [ids["Ada Lind"]]})
    await api.relationship(ids["Acme"], "EMPLOYS", ids["Ada Lind"], confidence=0.9)
    assert await put(api, "WORKS_AT", "ONE") == NOTHING
    await api.do("unmergeEntities", "restored { id }", merge=done["merges"][0]["id"])
    asked = "relationships { nodes { text confidence source { name } } }"
    found = [(await api.node(ids[name], asked))["relationships"]["nodes"] for name in ("Ada", "Ada Lind")]
    assert found == [
        [{"text": "Ada works at Acme", "confidence": 0.8, "source": {"name": "Ada"}}],
        [{"text": "Ada Lind works at Acme", "confidence": 0.9, "source": {"name": "Ada Lind"}}],
    ]


async def test_a_document_that_stood_for_one_of_two_joined_edges_takes_that_one_along(api: Api) -> None:
    ann, bob = await api.entity("Ann"), await api.entity("Bob")
    text = "Bob dances with Ann."
    done = await ingest(api, text, thing("Ann"), thing("Bob"), edge("Bob", "DANCES_WITH", "Ann", text))
    await api.relationship(ann, "DANCES_WITH", bob, confidence=0.75)
    asked = "relationships { nodes { text confidence evidence { quote } } }"
    await put(api, "DANCES_WITH", symmetric=True)
    both = {
        "text": "Bob dances with Ann",
        "confidence": 0.95,
        "evidence": [{"quote": text}, {"quote": "Ann dances with Bob"}],
    }
    assert (await api.volume(asked))["relationships"]["nodes"] == [both]
    gone = await api.do("deleteDocument", "claimsRemoved claimsKept", id=done["document"]["id"])
    assert gone == {"claimsRemoved": 1, "claimsKept": 0}
    left = {"text": "Ann dances with Bob", "confidence": 0.75, "evidence": [{"quote": "Ann dances with Bob"}]}
    assert (await api.volume(asked))["relationships"]["nodes"] == [left]
    assert await api.rows(models.ClaimApart) == []
    await api.do("deleteEntity", "deletedId", id=bob)
    assert await api.rows(models.Relationship) == []
