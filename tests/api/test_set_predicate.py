"""setPredicate: what a volume sets of a predicate, its inverse in step, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

SET = "name cardinality inverse symmetric halfLifeDays description"


async def put(api: Api, name: str, cardinality: str = "MANY", **rest: Any) -> dict[str, Any]:
    done = await api.do("setPredicate", f"predicate {{ {SET} }}", name=name, cardinality=cardinality, **rest)
    predicate: dict[str, Any] = done["predicate"]
    return predicate


async def inverses(api: Api) -> dict[str, str | None]:
    nodes = (await api.volume("predicates { nodes { name inverse symmetric } }"))["predicates"]["nodes"]
    assert all(node["symmetric"] is (node["inverse"] == node["name"]) for node in nodes)
    return {node["name"]: node["inverse"] for node in nodes}


async def test_a_predicate_is_made_with_what_is_given_and_else_as_it_is_listed(api: Api) -> None:
    assert await put(api, "pays rent to", "ONE", inverse="gets rent from", halfLifeDays=30.5, description="Rent") == {
        "name": "PAYS_RENT_TO",
        "cardinality": "ONE",
        "inverse": "GETS_RENT_FROM",
        "symmetric": False,
        "halfLifeDays": 30.5,
        "description": "Rent",
    }
    assert await put(api, "WORKS_AT") == {
        "name": "WORKS_AT",
        "cardinality": "MANY",
        "inverse": "EMPLOYS",
        "symmetric": False,
        "halfLifeDays": 730.0,
        "description": "At which organization someone works.",
    }
    made = {row["name"]: (row["cardinality"], row["half_life_days"]) for row in await api.rows(models.Predicate)}
    assert made == {
        "PAYS_RENT_TO": ("ONE", 30.5),
        "GETS_RENT_FROM": ("MANY", 30.5),
        "WORKS_AT": ("MANY", 730.0),
        "EMPLOYS": ("MANY", 730.0),
    }


async def test_what_is_left_out_stays_and_null_clears(api: Api) -> None:
    await put(api, "COSTS", "ONE", halfLifeDays=10, description="d")
    assert (await put(api, "COSTS", "MANY"))["halfLifeDays"] == 10.0
    cleared = await put(api, "COSTS", "MANY", halfLifeDays=None, description=None)
    assert (cleared["halfLifeDays"], cleared["description"]) == (None, None)


async def test_two_inverses_are_each_other_s_and_former_partners_have_none(api: Api) -> None:
    await put(api, "A", inverse="B")
    await put(api, "C", inverse="D")
    assert await inverses(api) == {"A": "B", "B": "A", "C": "D", "D": "C"}
    await put(api, "A", inverse="C")
    assert await inverses(api) == {"A": "C", "B": None, "C": "A", "D": None}
    await put(api, "B", symmetric=True)
    await put(api, "D", inverse="B")
    assert await inverses(api) == {"A": "C", "B": "D", "C": "A", "D": "B"}
    await put(api, "C", inverse=None)
    assert await inverses(api) == {"A": None, "B": "D", "C": None, "D": "B"}


async def test_a_listed_inverse_that_comes_into_use_later_respects_what_was_set(api: Api) -> None:
    await put(api, "WORKS_AT", inverse="HAS_ON_STAFF")
    ids = [await api.entity(name) for name in ("Google", "John")]
    await api.relationship(ids[0], "EMPLOYS", ids[1])
    assert await inverses(api) == {"EMPLOYS": None, "HAS_ON_STAFF": "WORKS_AT", "WORKS_AT": "HAS_ON_STAFF"}
    await api.relationship(ids[1], "WORKS_AT", ids[0])
    assert len(await api.rows(models.Relationship)) == 2


async def test_what_is_symmetric_counts_from_both_ends_as_soon_as_it_is_set_and_no_longer(api: Api) -> None:
    ids = [await api.entity(name) for name in ("Ann", "Bob")]
    await api.relationship(ids[0], "DANCES_WITH", ids[1])

    async def led() -> list[str]:
        asked = 'neighbors(direction: OUT, types: ["DANCES_WITH"]) { edges { direction } }'
        return [edge["direction"] for edge in (await api.node(ids[1], asked))["neighbors"]["edges"]]

    assert await led() == []
    await put(api, "DANCES_WITH", symmetric=True)
    assert await led() == ["BOTH"]
    await put(api, "DANCES_WITH", symmetric=False)
    assert await led() == []


async def test_an_inverse_that_is_set_is_found_at_once(api: Api) -> None:
    ids = [await api.entity(name) for name in ("Ann", "Bob")]
    await api.relationship(ids[0], "TEACHES_PIANO", ids[1])
    asked = 'neighbors(direction: OUT, types: ["LEARNS_PIANO_FROM"]) { nodes { name } }'
    assert (await api.node(ids[1], asked))["neighbors"]["nodes"] == []
    await put(api, "TEACHES_PIANO", inverse="LEARNS_PIANO_FROM")
    assert (await api.node(ids[1], asked))["neighbors"]["nodes"] == [{"name": "Ann"}]


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        ("name", {"name": "?"}),
        ("inverse", {"inverse": "?"}),
        ("inverse", {"symmetric": True, "inverse": "B"}),
        ("symmetric", {"inverse": "a"}),
        ("cardinality", {"symmetric": True, "cardinality": "ONE"}),
        ("cardinality", {"inverse": "CAPITAL_OF", "cardinality": "ONE"}),
        ("halfLifeDays", {"halfLifeDays": 0}),
        ("halfLifeDays", {"halfLifeDays": -1}),
        ("halfLifeDays", {"halfLifeDays": 1e9}),
        ("description", {"description": "x" * 1001}),
    ],
)
async def test_nonsense_is_refused_and_changes_nothing(api: Api, argument: str, wrong: dict[str, Any]) -> None:
    refusal = await api.refused("setPredicate", **{"name": "A", "cardinality": "MANY", **wrong})
    assert (refusal["code"], refusal["argument"]) == ("BAD_USER_INPUT", argument)


async def test_a_rehearsal_answers_what_would_be_set_and_changes_nothing(api: Api) -> None:
    await put(api, "A", inverse="B")
    async with api.unchanged():
        would = await put(api, "A", "ONE", inverse="C", halfLifeDays=7, dryRun=True)
        await put(api, "Z", symmetric=True, dryRun=True)
    assert (would["cardinality"], would["inverse"], would["halfLifeDays"]) == ("ONE", "C", 7.0)


async def test_the_same_again_changes_nothing(api: Api) -> None:
    await put(api, "A", "ONE", inverse="B", halfLifeDays=7)
    async with api.unchanged():
        await put(api, "a", "ONE", inverse="b", halfLifeDays=7)


async def test_the_log_says_who_set_what_of_which_predicate(api: Api) -> None:
    await put(api, "A", inverse="B", halfLifeDays=7)
    await put(api, "A", "ONE", inverse=None)
    found = (await api.volume("changes(first: 4) { nodes { kind node { id } before after } }"))["changes"]["nodes"]
    of_a = [entry for entry in found if (entry["before"] or entry["after"])["name"] == "A"]
    assert of_a == [
        {
            "kind": "UPDATED",
            "node": None,
            "before": {"name": "A", "cardinality": "MANY", "inverse": "B"},
            "after": {"cardinality": "ONE", "inverse": None},
        },
        {
            "kind": "CREATED",
            "node": None,
            "before": None,
            "after": {
                "name": "A",
                "cardinality": "MANY",
                "inverse": "B",
                "symmetric": False,
                "halfLifeDays": 7.0,
                "description": None,
            },
        },
    ]
    assert [(e["kind"], e["before"], e["after"]) for e in found if e not in of_a and e["kind"] == "UPDATED"] == [
        ("UPDATED", {"name": "B", "inverse": "A"}, {"inverse": None})
    ]


async def test_a_predicate_of_another_volume_is_its_own(api: Api) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    await put(api, "A", inverse="B", volume="other")
    assert await inverses(api) == {}
    await put(api, "A", inverse="C")
    assert await inverses(api) == {"A": "C", "C": "A"}


JUDGED = "superseded { text status } conflicts { status predicate claims { text } } predicate { cardinality }"


async def residences(api: Api) -> dict[str, str]:
    ids = {name: await api.entity(name) for name in ("Ann", "Linz", "Wien", "Bob", "Graz")}
    await api.relationship(ids["Ann"], "STAYS_IN", ids["Linz"], validFrom="2019")
    await api.relationship(ids["Ann"], "STAYS_IN", ids["Wien"], validFrom="2022")
    await api.relationship(ids["Bob"], "STAYS_IN", ids["Wien"])
    await api.relationship(ids["Bob"], "STAYS_IN", ids["Graz"])
    await api.relationship(ids["Linz"], "STAYS_IN", ids["Graz"])
    await api.fact(ids["Ann"], "Ann stays in 1 room", predicate="STAYS_IN", value="1", valueType="NUMBER")
    return ids


async def test_with_another_cardinality_all_claims_are_judged_anew(api: Api) -> None:
    await residences(api)
    done = await api.do("setPredicate", JUDGED, name="STAYS_IN", cardinality="ONE")
    assert done == {
        "predicate": {"cardinality": "ONE"},
        "superseded": [{"text": "Ann stays in Linz", "status": "SUPERSEDED"}],
        "conflicts": [
            {
                "status": "OPEN",
                "predicate": "STAYS_IN",
                "claims": [{"text": "Bob stays in Wien"}, {"text": "Bob stays in Graz"}],
            }
        ],
    }
    statuses = "relationships(filter: {statuses: [CURRENT, DISPUTED, SUPERSEDED]}) { nodes { text status } }"
    stand = {e["text"]: e["status"] for e in (await api.volume(statuses))["relationships"]["nodes"]}
    assert stand == {
        "Ann stays in Linz": "SUPERSEDED",
        "Ann stays in Wien": "CURRENT",
        "Bob stays in Wien": "DISPUTED",
        "Bob stays in Graz": "DISPUTED",
        "Linz stays in Graz": "CURRENT",
    }
    back = await api.do("setPredicate", JUDGED, name="STAYS_IN", cardinality="MANY")
    assert back == {"predicate": {"cardinality": "MANY"}, "superseded": [], "conflicts": []}
    stand = {e["text"]: e["status"] for e in (await api.volume(statuses))["relationships"]["nodes"]}
    assert set(stand.values()) == {"CURRENT"}
    assert await api.rows(models.Conflict) == []


async def test_a_rehearsal_tells_what_would_give_way_and_changes_nothing(api: Api) -> None:
    await residences(api)
    asked = "superseded { text status } conflicts { status predicate claims { text } }"
    async with api.unchanged():
        would = await api.do("setPredicate", asked, name="STAYS_IN", cardinality="ONE", dryRun=True)
    assert would == {
        "superseded": [{"text": "Ann stays in Linz", "status": "SUPERSEDED"}],
        "conflicts": [{"status": "OPEN", "predicate": "STAYS_IN", "claims": []}],
    }
