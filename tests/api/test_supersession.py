"""Claims that give way to others by date or by rank: intervals, statuses, versions, the log, and who superseded whom."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from scripted import edge, fact, ingest, thing, year

from server import models
from server.ids import decode_id
from server.terms import ValueType

if TYPE_CHECKING:
    from api.conftest import Api

STANDS = "content status validFrom effectiveTo supersededBy { text }"
ALL = "filter: {statuses: [CURRENT, DISPUTED, SUPERSEDED, PENDING_REVIEW, RETRACTED, REJECTED]}"
Standing = tuple[str, str | None, str | None]


def instant(number: int) -> str:
    return f"{number}-01-01T00:00:00Z"


async def costs(api: Api, subject: str, value: str, since: Any = None, **rest: Any) -> str:
    """State a price and return the fact's id."""
    stated = {"predicate": "COSTS", "value": value, "valueType": "MONEY", "validFrom": since and str(since)}
    return await api.fact(subject, f"It costs {value}", **stated, **rest)


async def standing(api: Api, subject: str) -> dict[str, Standing]:
    """Return status, year of the effective end and successor of each price of a thing, by its amount."""
    found = (await api.node(subject, f"facts({ALL}, first: 100) {{ nodes {{ {STANDS} }} }}"))["facts"]["nodes"]
    return {
        one["content"].removeprefix("It costs "): (
            one["status"],
            one["effectiveTo"] and one["effectiveTo"][:4],
            one["supersededBy"] and one["supersededBy"]["text"].removeprefix("It costs "),
        )
        for one in found
    }


CURRENT: Standing = ("CURRENT", None, None)


async def test_the_later_of_two_prices_holds_from_its_date_on(api: Api) -> None:
    pro = await api.entity("Acme Pro")
    old, new = await costs(api, pro, "$299", 2023), await costs(api, pro, "$349", 2024)
    assert await standing(api, pro) == {"$299": ("SUPERSEDED", "2024", "$349"), "$349": CURRENT}
    believed = await api.node(pro, f"facts {{ totalCount nodes {{ {STANDS} }} }}")
    expected = {"content": "It costs $349", "status": "CURRENT", "validFrom": instant(2024), "effectiveTo": None}
    assert believed["facts"] == {"totalCount": 1, "nodes": [{**expected, "supersededBy": None}]}
    shown = await api.node(new, "supersedes { id status } supersededBy { id } conflicts { id }")
    assert shown == {"supersedes": [{"id": old, "status": "SUPERSEDED"}], "supersededBy": None, "conflicts": []}
    assert await api.node(old, "validTo supersedes { id } supersededBy { id }") == {
        "validTo": None,
        "supersedes": [],
        "supersededBy": {"id": new},
    }


async def test_a_price_announced_for_a_year_to_come_leaves_todays_price_current_until_then(api: Api) -> None:
    pro = await api.entity("Acme Pro")
    await costs(api, pro, "$299", 2020)
    stated = {"subject": pro, "content": "It costs $349", "predicate": "COSTS", "value": "$349", "valueType": "MONEY"}
    made = await api.do("createFact", "superseded { text status } conflicts { id }", validFrom="2090", **stated)
    assert made == {"superseded": [{"text": "It costs $299", "status": "CURRENT"}], "conflicts": []}
    assert await standing(api, pro) == {"$299": ("CURRENT", "2090", "$349"), "$349": CURRENT}
    lines = (await api.node(pro, "explanation"))["explanation"].splitlines()
    assert lines[1:] == ["- It costs $299 [from 2020, until 2090-01-01]", "- It costs $349 [from 2090]"]


PRICES = [("$10", 2020), ("$12", 2021), ("$11", 2023), ("$15", 2022)]


@pytest.mark.parametrize("order", list(permutations(range(4)))[::5])
async def test_late_arrivals_end_in_the_same_intervals_whatever_the_order(api: Api, order: tuple[int, ...]) -> None:
    pro = await api.entity("Acme Pro")
    for number in order:
        await costs(api, pro, *PRICES[number])
    assert await standing(api, pro) == {
        "$10": ("SUPERSEDED", "2021", "$12"),
        "$12": ("SUPERSEDED", "2022", "$15"),
        "$15": ("SUPERSEDED", "2023", "$11"),
        "$11": CURRENT,
    }


async def test_intervals_that_do_not_overlap_compete_with_nothing(api: Api) -> None:
    pro = await api.entity("Acme Pro")
    await costs(api, pro, "$10", 2020, validTo="2021")
    await costs(api, pro, "$12", 2022)
    assert await standing(api, pro) == {"$10": ("CURRENT", "2022", None), "$12": CURRENT}


async def test_half_overlapping_intervals_end_where_the_next_begins(api: Api) -> None:
    pro = await api.entity("Acme Pro")
    await costs(api, pro, "$12", 2021, validTo="2023")
    await costs(api, pro, "$10", 2020, validTo="2021")
    assert await standing(api, pro) == {"$10": ("SUPERSEDED", "2021", "$12"), "$12": ("CURRENT", "2024", None)}


async def test_a_return_is_a_claim_of_its_own(api: Api) -> None:
    ada, acme = await api.entity("Ada"), await api.entity("Acme")
    first = await api.relationship(ada, "LIVES_IN", acme, validFrom="2021", validTo="2023")
    again = await api.relationship(ada, "LIVES_IN", acme, validFrom="2025")
    assert first != again
    shown = "status effectiveTo supersededBy { id }"
    assert await api.node(first, shown) == {"status": "CURRENT", "effectiveTo": instant(2024), "supersededBy": None}
    assert await api.node(again, shown) == {"status": "CURRENT", "effectiveTo": None, "supersededBy": None}


async def test_a_return_after_something_else_is_a_claim_of_its_own_though_the_first_has_no_stated_end(api: Api) -> None:
    ada, oslo, rome = await api.entity("Ada"), await api.entity("Oslo"), await api.entity("Rome")
    first = await api.relationship(ada, "LIVES_IN", oslo, validFrom="2020")
    between = await api.relationship(ada, "LIVES_IN", rome, validFrom="2021")
    again = await api.relationship(ada, "LIVES_IN", oslo, validFrom="2022")
    assert len({first, between, again}) == 3
    shown = "status effectiveTo supersededBy { id }"
    ended = {"status": "SUPERSEDED", "effectiveTo": instant(2021), "supersededBy": {"id": between}}
    assert await api.node(first, shown) == ended
    assert await api.node(between, shown) == {**ended, "effectiveTo": instant(2022), "supersededBy": {"id": again}}
    assert await api.node(again, shown) == {"status": "CURRENT", "effectiveTo": None, "supersededBy": None}


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_a_return_that_is_stated_with_the_rest_is_a_claim_of_its_own_whatever_the_order(
    api: Api, order: tuple[int, ...]
) -> None:
    stays = [("Oslo", "2020"), ("Rome", "2021"), ("Oslo", "2022")]
    entities = [{"key": key, "name": key, "type": "place"} for key in ("Ada", "Oslo", "Rome")]
    edges = [{"source": "Ada", "target": stays[n][0], "type": "LIVES_IN", "validFrom": stays[n][1]} for n in order]
    await api.do("importGraph", "relationshipsCreated", entities=entities, relationships=edges)
    found = await api.volume(f"relationships({ALL}) {{ nodes {{ text status validFrom effectiveTo }} }}")
    assert sorted(
        (e["text"], e["status"], e["validFrom"], e["effectiveTo"]) for e in found["relationships"]["nodes"]
    ) == [
        ("Ada lives in Oslo", "CURRENT", instant(2022), None),
        ("Ada lives in Oslo", "SUPERSEDED", instant(2020), instant(2021)),
        ("Ada lives in Rome", "SUPERSEDED", instant(2021), instant(2022)),
    ]


async def test_the_same_again_with_nothing_between_is_evidence_and_no_return(api: Api) -> None:
    pro = await api.entity("Acme Pro")
    first = await costs(api, pro, "$10", 2020)
    assert await costs(api, pro, "$10", 2022) == first
    assert await standing(api, pro) == {"$10": CURRENT}


async def test_a_retracted_successor_gives_the_place_back(api: Api) -> None:
    pro = await api.entity("Acme Pro")
    await costs(api, pro, "$10", 2020)
    wrong, last = await costs(api, pro, "$12", 2021), await costs(api, pro, "$15", 2022)
    await api.do("retractFact", "fact { id }", id=wrong)
    assert await standing(api, pro) == {
        "$10": ("SUPERSEDED", "2022", "$15"),
        "$12": ("RETRACTED", None, None),
        "$15": CURRENT,
    }
    await api.do("retractFact", "fact { id }", id=last)
    assert (await standing(api, pro))["$10"] == CURRENT


async def test_adding_and_retracting_a_claim_leaves_the_others_as_they_were(api: Api) -> None:
    pro = await api.entity("Acme Pro")
    await costs(api, pro, "$10", 2020)
    await costs(api, pro, "$12", 2022, authority="OFFICIAL")
    await costs(api, pro, "$15", 2022)
    before = await standing(api, pro)
    added = await costs(api, pro, "$99", 2021, authority="OFFICIAL")
    assert await standing(api, pro) != before
    await api.do("retractFact", "fact { id }", id=added)
    assert await standing(api, pro) == {**before, "$99": ("RETRACTED", None, None)}


async def test_a_correction_of_the_date_is_judged_anew(api: Api) -> None:
    pro = await api.entity("Acme Pro")
    first, second = await costs(api, pro, "$10", 2020), await costs(api, pro, "$12", 2021)
    done = await api.do("updateFact", "fact { status } superseded { id }", id=first, validFrom="2022")
    assert done == {"fact": {"status": "CURRENT"}, "superseded": [{"id": second}]}
    assert await standing(api, pro) == {"$10": CURRENT, "$12": ("SUPERSEDED", "2022", "$10")}
    await api.do("updateFact", "fact { id }", id=first, predicate="HAD_COST")
    assert await standing(api, pro) == {"$10": CURRENT, "$12": CURRENT}


async def test_of_many_claims_none_gives_way(api: Api) -> None:
    ada = await api.entity("Ada")
    edges = [
        await api.relationship(ada, "WORKS_AT", await api.entity(n), validFrom=n[-4:]) for n in ("A 2020", "B 2022")
    ]
    facts = [await api.fact(ada, text, validFrom=text[-4:]) for text in ("Sang in 2020", "Sang in 2022")]
    for id in (*edges, *facts):
        assert await api.node(id, "status version supersededBy { id } conflicts { id }") == {
            "status": "CURRENT",
            "version": 1,
            "supersededBy": None,
            "conflicts": [],
        }


async def test_claims_of_other_subjects_predicates_or_kinds_never_retire_each_other(api: Api) -> None:
    one, other = await api.entity("Acme Pro"), await api.entity("Acme Lite")
    await costs(api, one, "$10", 2020)
    await costs(api, other, "$12", 2021)
    await api.fact(one, "Priced at $15", predicate="PRICED_AT", value="$15", valueType="MONEY", validFrom="2022")
    await api.relationship(one, "COSTS", other, validFrom="2023")
    assert (await standing(api, one))["$10"] == CURRENT
    assert await standing(api, other) == {"$12": CURRENT}


async def test_a_claim_that_gives_way_gets_a_version_and_the_one_that_is_new_does_not(api: Api) -> None:
    pro = await api.entity("Acme Pro")
    old = await costs(api, pro, "$10", 2020)
    before = await api.node(old, "knownFrom")
    new = await costs(api, pro, "$12", 2021)
    now = await api.node(old, "version knownFrom updatedAt")
    stamp = (await api.node(new, "version knownFrom createdAt"))["knownFrom"]
    assert now == {"version": 2, "knownFrom": stamp, "updatedAt": stamp}
    assert await api.node(new, "version createdAt") == {"version": 1, "createdAt": stamp}
    named = decode_id(old)
    assert named is not None
    (was,) = await api.rows(models.FactVersion, id=named.id)
    assert (was["version"], was["status"], was["superseded_at"], was["superseded_by"]) == (1, "CURRENT", None, None)
    assert was["known_from"].isoformat().replace("+00:00", "Z") == before["knownFrom"]
    assert was["known_to"].isoformat().replace("+00:00", "Z") == stamp


async def test_the_log_says_what_gave_way_to_what(api: Api) -> None:
    pro = await api.entity("Acme Pro")
    old, new = await costs(api, pro, "$10", 2020), await costs(api, pro, "$12", 2021)
    asked = "changes(first: 2) { nodes { kind before after node { id } } }"
    superseded, created = (await api.volume(asked))["changes"]["nodes"]
    assert superseded == {
        "kind": "SUPERSEDED",
        "node": {"id": old},
        "before": {"supersededAt": None, "supersededBy": None},
        "after": {"supersededAt": "2021-01-01T00:00:00+00:00", "supersededBy": new},
    }
    assert (created["kind"], created["node"], created["after"]["status"]) == ("CREATED", {"id": new}, "CURRENT")
    await api.do("retractFact", "fact { id }", id=new)
    back, retracted = (await api.volume(asked))["changes"]["nodes"]
    assert (back["kind"], back["node"]) == ("UPDATED", {"id": old})
    assert back["after"] == {"supersededAt": None, "supersededBy": None}
    assert (retracted["kind"], retracted["after"]["status"]) == ("RETRACTED", "RETRACTED")


async def test_a_claim_that_waits_for_review_displaces_nothing(api: Api) -> None:
    pro = await api.entity("Acme Pro")
    await costs(api, pro, "$10", 2020)
    unsure = await costs(api, pro, "$12", 2021, confidence=0.69)
    assert await standing(api, pro) == {"$10": CURRENT, "$12": ("PENDING_REVIEW", None, None)}
    await api.do("updateFact", "fact { id }", id=unsure, confidence=0.7)
    assert await standing(api, pro) == {"$10": ("SUPERSEDED", "2021", "$12"), "$12": CURRENT}
    await api.do("updateFact", "fact { id }", id=unsure, confidence=0.5)
    assert await standing(api, pro) == {"$10": CURRENT, "$12": ("PENDING_REVIEW", None, None)}


async def test_a_document_supersedes_and_its_deletion_gives_back(api: Api) -> None:
    said = {"predicate": "COSTS", "value_type": ValueType.MONEY}
    await ingest(
        api,
        "Acme Pro costs $10 since 2020.",
        thing("Acme Pro", "product"),
        fact(
            "Acme Pro", "It costs $10", "Acme Pro costs $10 since 2020.", value="10 USD", valid_from=year(2020), **said
        ),
        title="Old",
    )
    later = await ingest(
        api,
        "Acme Pro costs $12 since 2022.",
        thing("Acme Pro", "product"),
        fact(
            "Acme Pro", "It costs $12", "Acme Pro costs $12 since 2022.", value="12 USD", valid_from=year(2022), **said
        ),
        title="New",
    )
    (pro,) = (await api.volume("entities { nodes { id } }"))["entities"]["nodes"]
    assert await standing(api, pro["id"]) == {"$10": ("SUPERSEDED", "2022", "$12"), "$12": CURRENT}
    await api.do("deleteDocument", "deletedId", id=later["document"]["id"])
    assert await standing(api, pro["id"]) == {"$10": CURRENT}


async def test_a_new_revision_that_drops_the_later_claim_gives_back(api: Api) -> None:
    ada = [thing("Ada", "person"), thing("Rome", "place"), thing("Oslo", "place")]
    old = edge("Ada", "LIVES_IN", "Rome", "Ada lives in Rome since 2020.", valid_from=year(2020))
    new = edge("Ada", "LIVES_IN", "Oslo", "Ada lives in Oslo since 2022.", valid_from=year(2022))
    text = "Ada lives in Rome since 2020."
    await ingest(api, f"{text} Ada lives in Oslo since 2022.", *ada, old, new, uri="a")
    asked = f"relationships({ALL}) {{ nodes {{ text status effectiveTo }} }}"
    assert (await api.volume(asked))["relationships"]["nodes"] == [
        {"text": "Ada lives in Rome", "status": "SUPERSEDED", "effectiveTo": instant(2022)},
        {"text": "Ada lives in Oslo", "status": "CURRENT", "effectiveTo": None},
    ]
    await ingest(api, f"{text} Oslo.", *ada, old, uri="a")
    assert (await api.volume(asked))["relationships"]["nodes"] == [
        {"text": "Ada lives in Rome", "status": "CURRENT", "effectiveTo": None},
        {"text": "Ada lives in Oslo", "status": "RETRACTED", "effectiveTo": None},
    ]


async def test_deleting_the_entity_that_a_later_claim_leads_to_gives_back(api: Api) -> None:
    ada, oslo, rome = await api.entity("Ada"), await api.entity("Oslo"), await api.entity("Rome")
    first = await api.relationship(ada, "LIVES_IN", oslo, validFrom="2020")
    await api.relationship(ada, "LIVES_IN", rome, validFrom="2021")
    assert await api.node(first, "status") == {"status": "SUPERSEDED"}
    await api.do("deleteEntity", "deletedId", id=rome)
    assert await api.node(first, "status effectiveTo") == {"status": "CURRENT", "effectiveTo": None}


async def import_prices(api: Api, volume: str, things: int) -> int:
    """Import three prices of each of some things, two of them with one date; return the number of statements."""
    entities = [{"key": f"e{n}", "name": f"Thing {n}", "type": "product"} for n in range(things)]
    prices = (("$12", "2022"), ("$10", "2020"), ("$20", "2022"))
    shared = {"predicate": "COSTS", "valueType": "MONEY"}
    facts = [
        {"subject": f"e{n}", "content": f"It costs {value}", "value": value, "validFrom": since, **shared}
        for n in range(things)
        for value, since in prices
    ]
    await api.do("importGraph", "factsCreated", volume=volume, entities=entities, facts=facts)
    return len(api.statements)


async def test_an_import_judges_all_its_claims_in_as_many_statements_as_one(api: Api) -> None:
    taken = []
    for things in (1, 20, 100):
        await api.do("createVolume", "volume { id }", name=f"of {things}")
        taken.append(await import_prices(api, f"of {things}", things))
        asked = (
            f"{s}: facts(filter: {{statuses: [{s}]}}) {{ totalCount }}" for s in ("CURRENT", "SUPERSEDED", "DISPUTED")
        )
        assert await api.volume(" ".join(asked), f"of {things}") == {
            "CURRENT": {"totalCount": 0},
            "SUPERSEDED": {"totalCount": things},
            "DISPUTED": {"totalCount": 2 * things},
        }
    assert taken == [taken[0]] * 3
    assert len(await api.rows(models.Conflict, status="OPEN")) == 121
    assert {row["version"] for row in await api.rows(models.Fact)} == {1}
