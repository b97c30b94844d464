"""A volume read at another instant, or by another confidence: what was believed then, wherever it is reached from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from api.conftest import Api

BEFORE_ALL, AFTER_ALL = "1999-12-31T23:59:59Z", "2999-01-01"


async def read(api: Api, selection: str, **view: Any) -> Any:
    """Return a selection of the volume "default" read through a view."""
    given = {name: view[name] for name in ("valid", "known") if name in view}
    query = f"query($o: AsOfInput, $m: Float! = 0) {{ volume(asOf: $o, minConfidence: $m) {{ {selection} }} }}"
    return (await api.ask(query, o=given, m=view.get("sure", 0)))["volume"]


async def instants(api: Api) -> list[str]:
    """Return the instants of all log entries, oldest first."""
    nodes = (await api.volume("changes(first: 100) { nodes { at } }"))["changes"]["nodes"]
    return [node["at"] for node in reversed(nodes)]


async def corrected(api: Api) -> tuple[str, str, str, list[str]]:
    """State a fact and a relationship of Ada, correct both and take the fact back; return the ids and the instants of the five writes."""
    ada, acme = await api.entity("Ada", "person"), await api.entity("Acme", "organization")
    fact = await api.fact(ada, "Is an engineer")
    edge = await api.relationship(ada, "works at", acme, description="as an engineer", confidence=0.8)
    await api.do("updateFact", "fact { id }", id=fact, content="Is an architect", confidence=0.75)
    await api.do("updateRelationship", "relationship { id }", id=edge, description="as an architect", confidence=0.9)
    await api.do("retractFact", "fact { id }", id=fact)
    return ada, fact, edge, (await instants(api))[-5:]


CLAIMS = """facts { totalCount nodes { content status confidence version knownFrom knownTo } }
    relationships { totalCount nodes { description status confidence version knownFrom knownTo } }"""


async def test_a_known_instant_shows_each_claim_as_it_was_believed_then(api: Api) -> None:
    _, _, _, (fact1, edge1, fact2, edge2, gone) = await corrected(api)
    before = {"facts": {"totalCount": 0, "nodes": []}, "relationships": {"totalCount": 0, "nodes": []}}
    for instant in (BEFORE_ALL, "0001-01-01"):
        assert await read(api, CLAIMS, known=instant) == before
    first = {
        "content": "Is an engineer",
        "status": "CURRENT",
        "confidence": 1.0,
        "version": 1,
        "knownFrom": fact1,
        "knownTo": fact2,
    }
    assert await read(api, CLAIMS, known=fact1) == {**before, "facts": {"totalCount": 1, "nodes": [first]}}
    edge = {
        "description": "as an engineer",
        "status": "CURRENT",
        "confidence": 0.8,
        "version": 1,
        "knownFrom": edge1,
        "knownTo": edge2,
    }
    second = {
        **first,
        "content": "Is an architect",
        "confidence": 0.75,
        "version": 2,
        "knownFrom": fact2,
        "knownTo": gone,
    }
    assert await read(api, CLAIMS, known=fact2) == {
        "facts": {"totalCount": 1, "nodes": [second]},
        "relationships": {"totalCount": 1, "nodes": [edge]},
    }
    later = {
        **edge,
        "description": "as an architect",
        "confidence": 0.9,
        "version": 2,
        "knownFrom": edge2,
        "knownTo": None,
    }
    now = {"facts": {"totalCount": 0, "nodes": []}, "relationships": {"totalCount": 1, "nodes": [later]}}
    for instant in (gone, AFTER_ALL, "9999-12-31T23:59:59.999999Z"):
        assert await read(api, CLAIMS, known=instant) == now
    assert await read(api, CLAIMS) == now


async def test_a_version_is_known_from_its_instant_on_and_until_just_before_the_next_one(api: Api) -> None:
    _, _, _, (fact1, _, fact2, _, _) = await corrected(api)
    content = "facts { nodes { content } }"
    assert await read(api, content, known=fact1) == {"facts": {"nodes": [{"content": "Is an engineer"}]}}
    just_before = fact2[:-1] + "+00:00"
    assert await read(api, content, known=just_before) == {"facts": {"nodes": [{"content": "Is an architect"}]}}


@pytest.mark.parametrize(("statuses", "shown"), [(None, []), (["RETRACTED"], ["RETRACTED"]), (["CURRENT"], [])])
async def test_statuses_are_asked_for_in_a_view_as_without(
    api: Api, statuses: list[str] | None, shown: list[str]
) -> None:
    _, _, _, (*_, gone) = await corrected(api)
    data = await api.ask(
        "query($k: DateTime, $s: [ClaimStatus!]) { volume(asOf: {known: $k}) { facts(filter: {statuses: $s}) { nodes { status } } } }",
        k=gone,
        s=statuses,
    )
    assert data["volume"]["facts"]["nodes"] == [{"status": status} for status in shown]
