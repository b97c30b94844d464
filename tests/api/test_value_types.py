"""A value that is stated without a type says what the same one does that a document states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripted import fact, ingest, thing

from server.terms import ValueType

if TYPE_CHECKING:
    from api.conftest import Api

PRICE = "Pro costs $10 per month."
SHOWN = "facts { nodes { id value valueType status confidence evidence { quote } } }"


async def priced(api: Api) -> tuple[str, str]:
    """Have a document state a price; return the ids of the plan and of the fact."""
    said = fact("Pro", "Costs $10 per month", PRICE, predicate="COSTS", value="$10/month", value_type=ValueType.MONEY)
    await ingest(api, PRICE, thing("Pro", "product"), said)
    found = await api.volume("entities { nodes { id } } facts { nodes { id } }")
    return found["entities"]["nodes"][0]["id"], found["facts"]["nodes"][0]["id"]


async def facts(api: Api) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = (await api.volume(SHOWN))["facts"]["nodes"]
    return nodes


async def test_the_price_of_a_document_gains_evidence_by_hand_and_by_import(api: Api) -> None:
    plan, price = await priced(api)
    assert await api.fact(plan, "It is $10 a month", predicate="costs", value="10 USD / month") == price
    line = {"subject": plan, "content": "Ten dollars", "predicate": "COSTS", "value": "$10.00 monthly"}
    await api.do("importGraph", "factsCreated", facts=[line])
    (one,) = await facts(api)
    assert (one["id"], one["value"], one["valueType"], one["status"], one["confidence"]) == (
        price,
        "10 USD/month",
        "MONEY",
        "CURRENT",
        1.0,
    )
    assert [row["quote"] for row in one["evidence"]] == [PRICE, "It is $10 a month", "Ten dollars"]


async def test_another_price_competes_with_it_and_text_stays_text(api: Api) -> None:
    plan, price = await priced(api)
    other = await api.fact(plan, "It is $12", predicate="COSTS", value="$12/month", authority="UNKNOWN", confidence=0.8)
    assert [(one["id"], one["status"]) for one in await facts(api)] == [(price, "DISPUTED"), (other, "DISPUTED")]
    text = await api.fact(plan, "So it says", predicate="HAS_LABEL", value="$10/month", valueType="TEXT")
    asked = "value valueType"
    assert await api.node(text, asked) == {"value": "$10/month", "valueType": "TEXT"}


async def test_an_update_reads_the_type_off_a_first_value_and_keeps_that_of_another(api: Api) -> None:
    plan = await api.entity("Pro")
    id = await api.fact(plan, "It has a price", predicate="COSTS")
    for value, expected in (("$10/month", ("10 USD/month", "MONEY")), ("12 USD a month", ("12 USD/month", "MONEY"))):
        done = await api.do("updateFact", "fact { value valueType }", id=id, value=value)
        assert (done["fact"]["value"], done["fact"]["valueType"]) == expected
    refused = await api.refused("updateFact", id=id, value="a lot")
    assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "value")
    done = await api.do("updateFact", "fact { value valueType }", id=id, value="a lot", valueType="TEXT")
    assert done["fact"] == {"value": "a lot", "valueType": "TEXT"}
