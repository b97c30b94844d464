"""A claim that waits for review is on no default surface, displaces nothing, and is found where it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripted import edge, fact, ingest, thing

if TYPE_CHECKING:
    from api.conftest import Api

TEXT = "Ada likes tea. Ada likes rum. Ada works at Acme. Ada met Bob."
SURFACES = """
  facts { totalCount nodes { content } } relationships { totalCount nodes { type } }
  statistics { facts relationships relationshipsByType }
  documents { nodes { facts { totalCount nodes { content } } } }
  entity(by: {name: {name: "Ada"}}) {
    explanation facts { totalCount nodes { content } } relationships { totalCount nodes { type } }
    neighbors { totalCount nodes { name } } }
"""


async def told(api: Api) -> None:
    """Have a document say four things, two of them without being sure."""
    await ingest(
        api,
        TEXT,
        thing("Ada", "person"),
        thing("Acme", "organization"),
        thing("Bob", "person"),
        fact("Ada", "Likes tea", "Ada likes tea."),
        fact("Ada", "Likes rum", "Ada likes rum.", confidence=0.6),
        edge("Ada", "WORKS_AT", "Acme", "Ada works at Acme."),
        edge("Ada", "MET", "Bob", "Ada met Bob.", confidence=0.6),
    )


def without(numbers: dict[str, Any]) -> dict[str, Any]:
    """What the surfaces show while two of the four claims wait."""
    facts = {"totalCount": 1, "nodes": [{"content": "Likes tea"}]}
    edges = {"totalCount": 1, "nodes": [{"type": "WORKS_AT"}]}
    return {
        "facts": facts,
        "relationships": edges,
        "statistics": numbers,
        "documents": {"nodes": [{"facts": facts}]},
        "entity": {
            "explanation": "Ada (person)\n- Likes tea\nWORKS_AT -> Acme",
            "facts": facts,
            "relationships": edges,
            "neighbors": {"totalCount": 1, "nodes": [{"name": "Acme"}]},
        },
    }


async def test_it_is_on_no_surface_unless_it_is_asked_for(api: Api) -> None:
    await told(api)
    counted = {"facts": 1, "relationships": 1, "relationshipsByType": {"WORKS_AT": 1}}
    assert await api.volume(SURFACES) == without(counted)
    asked = "filter: {statuses: [PENDING_REVIEW]}"
    waiting = f"facts({asked}) {{ nodes {{ content }} }} relationships({asked}) {{ nodes {{ type }} }}"
    assert await api.volume(waiting) == {
        "facts": {"nodes": [{"content": "Likes rum"}]},
        "relationships": {"nodes": [{"type": "MET"}]},
    }


async def test_it_is_in_no_view_of_the_world_either(api: Api) -> None:
    await told(api)
    asked = "facts { nodes { content } } relationships { nodes { type } }"
    for view in ('asOf: {valid: "2026-01-01"}', "minConfidence: 0.5", 'asOf: {known: "2100-01-01"}'):
        found = await api.ask(f"{{ volume({view}) {{ {asked} }} }}")
        assert found["volume"] == {
            "facts": {"nodes": [{"content": "Likes tea"}]},
            "relationships": {"nodes": [{"type": "WORKS_AT"}]},
        }


async def test_approved_it_is_on_all_of_them(api: Api) -> None:
    await told(api)
    queue = (await api.volume("reviewQueue { nodes { id } }"))["reviewQueue"]["nodes"]
    await api.do("resolveReview", "items { id }", items=[item["id"] for item in queue], action="APPROVE")
    found = await api.volume(SURFACES)
    both = {"totalCount": 2, "nodes": [{"content": "Likes tea"}, {"content": "Likes rum"}]}
    assert found["facts"] == found["entity"]["facts"] == found["documents"]["nodes"][0]["facts"] == both
    assert found["entity"]["neighbors"] == {"totalCount": 2, "nodes": [{"name": "Acme"}, {"name": "Bob"}]}
    assert found["entity"]["explanation"] == "Ada (person)\n- Likes tea\n- Likes rum\nWORKS_AT -> Acme\nMET -> Bob"


async def test_it_displaces_nothing_of_which_a_subject_has_one_at_a_time(api: Api) -> None:
    team = await api.entity("Team", "plan")
    price = {"predicate": "COSTS", "valueType": "MONEY"}
    await api.fact(team, "Costs $9", value="$9", validFrom="2024", **price)
    id = await api.fact(team, "Costs $12", value="$12", validFrom="2025", confidence=0.5, **price)
    shown = "facts { nodes { value status } }"
    assert (await api.volume(shown))["facts"]["nodes"] == [{"value": "9 USD", "status": "CURRENT"}]
    assert (await api.node(id, "status"))["status"] == "PENDING_REVIEW"
