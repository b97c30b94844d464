"""Merging entities: what counts for the survivor, where old ids and names lead, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from api.conftest import Api

MERGED = "entity { id name } merges { id name actor reason moved undoneAt survivor { name } }"


async def merged(api: Api, into: str, *sources: str, **rest: Any) -> list[str]:
    """Merge entities and return the ids of the records."""
    done = await api.do("mergeEntities", "merges { id }", into=into, **{"from": list(sources)}, **rest)
    return [merge["id"] for merge in done["merges"]]


async def unmerged(api: Api, merge: str) -> dict[str, Any]:
    """Undo a merge and return the names of the two that it parts."""
    done = await api.do("unmergeEntities", "survivor { name } restored { name }", merge=merge)
    return {name: entity["name"] for name, entity in done.items()}


async def said_of(api: Api, entity: str) -> list[str]:
    """Return the contents of an entity's facts."""
    node = await api.node(entity, "facts(first: 100) { nodes { content } }")
    return [fact["content"] for fact in node["facts"]["nodes"]]


async def edges_of(api: Api, entity: str) -> list[str]:
    """Return an entity's relationships as sentences."""
    node = await api.node(entity, "relationships(first: 100) { nodes { text } }")
    return [edge["text"] for edge in node["relationships"]["nodes"]]


async def test_a_merge_moves_what_is_stated_to_the_survivor_and_says_so(api: Api) -> None:
    ada, lind, acme = await api.entity("Ada"), await api.entity("Ada Lind"), await api.entity("Acme")
    await api.fact(ada, "Plays chess")
    await api.fact(lind, "Born in Oslo")
    edge = await api.relationship(lind, "WORKS_AT", acme)
    done = await api.do("mergeEntities", MERGED, into=ada, **{"from": [lind]}, reason="One person")
    (merge,) = done["merges"]
    moved = {"facts": 1, "relationships": 1, "documents": 0, "memories": 0, "projects": 0}
    told = {"name": "Ada Lind", "actor": "local", "reason": "One person", "undoneAt": None, "survivor": {"name": "Ada"}}
    assert done["entity"] == {"id": ada, "name": "Ada"}
    assert merge == {"id": merge["id"], "moved": moved, **told}
    assert await said_of(api, ada) == ["Plays chess", "Born in Oslo"]
    assert await edges_of(api, ada) == ["Ada works at Acme"]
    assert (await api.node(edge, "source { id }"))["source"] == {"id": ada}
    assert (await api.volume("entities { totalCount nodes { name } }"))["entities"] == {
        "totalCount": 2,
        "nodes": [{"name": "Acme"}, {"name": "Ada"}],
    }


async def test_the_old_id_and_all_names_lead_to_the_survivor(api: Api) -> None:
    ada, lind = await api.entity("Ada"), await api.entity("Ada Lind", aliases=["A. Lind"])
    await merged(api, ada, lind)
    asked = "query($id: ID!) { node(id: $id) { id } nodes(ids: [$id]) { id } }"
    assert await api.ask(asked, id=lind) == {"node": {"id": ada}, "nodes": [{"id": ada}]}
    by_id = await api.volume("entity(by: {id: $id}) { id }", id=("ID!", lind))
    assert by_id["entity"] == {"id": ada}
    for name in ("Ada", "Ada Lind", "a. LIND"):
        found = await api.volume("entity(by: {name: {name: $n}}) { id aliases }", n=("String!", name))
        assert found["entity"] == {"id": ada, "aliases": ["A. Lind", "Ada Lind"]}
    texts = await api.volume('entities(filter: {text: "lind"}) { nodes { id } }')
    assert texts["entities"]["nodes"] == [{"id": ada}]


async def test_unmerging_puts_everything_back(api: Api) -> None:
    ada, lind, acme = (
        await api.entity("Ada"),
        await api.entity("Ada Lind", aliases=["A. Lind"]),
        await api.entity("Acme"),
    )
    await api.fact(ada, "Plays chess")
    await api.fact(lind, "Born in Oslo")
    await api.relationship(acme, "EMPLOYS", lind)
    (merge,) = await merged(api, ada, lind)
    assert await unmerged(api, merge) == {"survivor": "Ada", "restored": "Ada Lind"}
    assert (await said_of(api, ada), await said_of(api, lind)) == (["Plays chess"], ["Born in Oslo"])
    assert (await edges_of(api, ada), await edges_of(api, lind)) == ([], ["Acme employs Ada Lind"])
    found = await api.volume('entity(by: {name: {name: "A. Lind"}}) { id aliases }')
    assert found["entity"] == {"id": lind, "aliases": ["A. Lind"]}
    assert (await api.node(ada, "mergedFrom { totalCount }"))["mergedFrom"] == {"totalCount": 0}
    refusal = await api.refused("unmergeEntities", merge=merge)
    assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "merge")


async def test_a_claim_that_both_have_counts_once_and_is_two_again_after(api: Api) -> None:
    ada, lind = await api.entity("Ada"), await api.entity("Ada Lind")
    one = await api.fact(ada, "Plays chess", confidence=0.8)
    two = await api.fact(lind, "plays chess.", confidence=0.75)
    (merge,) = await merged(api, ada, lind)
    asked = "facts { totalCount nodes { id content confidence evidence { quote confidence } } }"
    assert (await api.node(ada, asked))["facts"] == {
        "totalCount": 1,
        "nodes": [
            {
                "id": one,
                "content": "Plays chess",
                "confidence": 0.8,
                "evidence": [
                    {"quote": "Plays chess", "confidence": 0.8},
                    {"quote": "plays chess.", "confidence": 0.75},
                ],
            }
        ],
    }
    assert await api.ask("query($id: ID!) { node(id: $id) { id } }", id=two) == {"node": {"id": one}}
    await unmerged(api, merge)
    asked = "facts { nodes { id content confidence evidence { quote } } }"
    assert [(await api.node(id, asked))["facts"]["nodes"] for id in (ada, lind)] == [
        [{"id": one, "content": "Plays chess", "confidence": 0.8, "evidence": [{"quote": "Plays chess"}]}],
        [{"id": two, "content": "plays chess.", "confidence": 0.75, "evidence": [{"quote": "plays chess."}]}],
    ]


async def test_a_relationship_between_the_merged_is_set_aside_and_comes_back(api: Api) -> None:
    ada, lind, itself = await api.entity("Ada"), await api.entity("Ada Lind"), await api.entity("Bo")
    between = await api.relationship(lind, "KNOWS", ada)
    await api.relationship(itself, "KNOWS", itself)
    (merge,) = await merged(api, ada, lind)
    assert await edges_of(api, ada) == []
    assert (await api.volume("relationships { totalCount nodes { text } } statistics { relationships }")) == {
        "relationships": {"totalCount": 1, "nodes": [{"text": "Bo knows Bo"}]},
        "statistics": {"relationships": 1},
    }
    assert await api.ask("query($id: ID!) { node(id: $id) { id } }", id=between) == {"node": None}
    assert (await api.refused("retractRelationship", id=between))["code"] == "NOT_FOUND"
    await unmerged(api, merge)
    assert await edges_of(api, ada) == await edges_of(api, lind) == ["Ada Lind knows Ada"]


async def test_a_relationship_that_the_two_state_from_opposite_ends_counts_once(api: Api) -> None:
    ada, lind = await api.entity("Ada", "person"), await api.entity("Ada Lind", "person")
    bo, acme = await api.entity("Bo", "person"), await api.entity("Acme", "organization")
    await api.relationship(ada, "MARRIED_TO", bo)
    await api.relationship(bo, "MARRIED_TO", lind)
    await api.relationship(lind, "WORKS_AT", acme)
    await api.relationship(acme, "EMPLOYS", ada)
    before = await edges_of(api, ada), await edges_of(api, lind)
    (merge,) = await merged(api, ada, lind)
    assert await edges_of(api, ada) == ["Ada is married to Bo", "Acme employs Ada"]
    await unmerged(api, merge)
    assert (await edges_of(api, ada), await edges_of(api, lind)) == before
