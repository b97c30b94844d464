"""What comes after a merge of entities: documents, their revisions and their end, statements by hand; and the way back from there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scripted import edge, fact, ingest, thing

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

ADA, LIND, ACME = thing("Ada", "person"), thing("Ada Lind", "person"), thing("Acme", "organization")


@pytest.fixture
async def two(api: Api) -> tuple[str, str]:
    """Ada and Ada Lind, stated by hand."""
    return await api.entity("Ada", "person"), await api.entity("Ada Lind", "person")


async def merged(api: Api, into: str, source: str) -> str:
    """Merge two entities and return the record's id."""
    done = await api.do("mergeEntities", "merges { id }", into=into, **{"from": [source]})
    (merge,) = done["merges"]
    return str(merge["id"])


async def said_of(api: Api, entity: str) -> dict[str, list[Any]]:
    """Return the confidence of each fact of an entity, and the quotes of its current evidence, by what the fact says."""
    asked = "facts(first: 100) { nodes { content confidence evidence { quote current } } }"
    found = (await api.node(entity, asked))["facts"]["nodes"]
    return {
        one["content"]: [one["confidence"], *(row["quote"] for row in one["evidence"] if row["current"])]
        for one in found
    }


async def titles_of(api: Api, entity: str) -> list[str]:
    """Return the titles of the documents that mention an entity."""
    nodes = (await api.node(entity, "documents { nodes { title } }"))["documents"]["nodes"]
    return [one["title"] for one in nodes]


async def test_what_a_document_says_after_a_merge_goes_to_the_one_that_it_names(api: Api, two: tuple[str, str]) -> None:
    ada, lind = two
    await api.fact(ada, "Likes tea", confidence=0.8)
    merge = await merged(api, ada, lind)
    tea, chess = "Ada Lind likes tea.", "Ada Lind plays chess."
    await ingest(
        api,
        f"{tea} {chess}",
        LIND,
        fact("Ada Lind", "likes tea", tea),
        fact("Ada Lind", "Plays chess", chess),
        title="One",
    )
    await ingest(api, "Ada plays chess.", ADA, fact("Ada", "Plays chess", "Ada plays chess."), title="Two")
    assert await said_of(api, ada) == {
        "Likes tea": [0.96, "Likes tea", tea],
        "Plays chess": [0.96, chess, "Ada plays chess."],
    }
    assert await titles_of(api, ada) == ["One", "Two"]
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert await said_of(api, ada) == {"Likes tea": [0.8, "Likes tea"], "Plays chess": [0.8, "Ada plays chess."]}
    assert await said_of(api, lind) == {"likes tea": [0.8, tea], "Plays chess": [0.8, chess]}
    assert (await titles_of(api, ada), await titles_of(api, lind)) == (["Two"], ["One"])


async def test_a_revision_that_drops_a_claim_drops_it_on_the_side_that_had_it(api: Api, two: tuple[str, str]) -> None:
    ada, lind = two
    await api.fact(ada, "Likes tea", confidence=0.8)
    tea = "Ada Lind likes tea."
    one = {"uri": "u", "title": "One"}
    await ingest(api, tea, LIND, fact("Ada Lind", "Likes tea", tea), **one)
    merge = await merged(api, ada, lind)
    assert await said_of(api, ada) == {"Likes tea": [0.96, "Likes tea", tea]}
    await ingest(api, "Ada Lind sings.", LIND, fact("Ada Lind", "Sings", "Ada Lind sings."), **one)
    assert await said_of(api, ada) == {"Likes tea": [0.8, "Likes tea"], "Sings": [0.8, "Ada Lind sings."]}
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert await said_of(api, ada) == {"Likes tea": [0.8, "Likes tea"]}
    assert await said_of(api, lind) == {"Sings": [0.8, "Ada Lind sings."]}
    lost = [row for row in await api.rows(models.Fact, content="Likes tea") if row["status"] == "RETRACTED"]
    assert [row["status_reason"] for row in lost] == ["no longer in its source"]
    await ingest(api, f"{tea} So it is.", LIND, fact("Ada Lind", "Likes tea", tea), **one)
    assert await said_of(api, lind) == {"Likes tea": [0.8, tea]}


async def test_a_relationship_between_the_merged_that_a_document_states_is_set_aside_until_they_are_two(
    api: Api, two: tuple[str, str]
) -> None:
    ada, lind = two
    merge = await merged(api, ada, lind)
    text = "Ada knows Ada Lind."
    await ingest(api, text, ADA, LIND, edge("Ada", "KNOWS", "Ada Lind", text))
    assert (await api.node(ada, "relationships { totalCount }"))["relationships"] == {"totalCount": 0}
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    found = await api.node(ada, "relationships { nodes { text target { id } } }")
    assert found["relationships"]["nodes"] == [{"text": "Ada knows Ada Lind", "target": {"id": lind}}]


async def test_a_relationship_by_hand_between_the_merged_is_refused(api: Api, two: tuple[str, str]) -> None:
    ada, lind = two
    await merged(api, ada, lind)
    ends = {"source": {"id": ada}, "target": {"name": {"name": "Ada Lind"}}}
    refusal = await api.refused("createRelationship", type="KNOWS", **ends)
    assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "target")
    graph = {"relationships": [{"source": ada, "target": lind, "type": "KNOWS"}]}
    refusal = await api.refused("importGraph", **graph)
    assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "relationships[0].target")


async def test_what_is_stated_by_hand_for_an_old_id_or_name_goes_back_with_it(api: Api, two: tuple[str, str]) -> None:
    ada, lind = two
    acme = await api.entity("Acme", "organization")
    merge = await merged(api, ada, lind)
    await api.fact(lind, "Likes tea")
    ends = {"source": {"name": {"name": "Ada Lind"}}, "target": {"id": acme}}
    await api.do("createRelationship", "relationship { id }", type="WORKS_AT", **ends)
    memory = await api.memory("Of both", entities=[lind])
    later = await api.memory("Of one", entities=[ada])
    about = "entities { nodes { name } }"
    assert await said_of(api, ada) == {"Likes tea": [1.0, "Likes tea"]}
    for one in (memory, later):
        assert (await api.node(one, about))["entities"]["nodes"] == [{"name": "Ada"}]
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert (await said_of(api, ada), await said_of(api, lind)) == ({}, {"Likes tea": [1.0, "Likes tea"]})
    assert (await api.node(lind, "relationships { nodes { text } }"))["relationships"]["nodes"] == [
        {"text": "Ada Lind works at Acme"}
    ]
    assert (await api.node(memory, about))["entities"]["nodes"] == [{"name": "Ada Lind"}]
    assert (await api.node(later, about))["entities"]["nodes"] == [{"name": "Ada"}]


async def test_memories_documents_and_projects_of_both_are_the_survivors_once(api: Api, two: tuple[str, str]) -> None:
    ada, lind = two
    project = (await api.do("createProject", "project { id }", name="P"))["project"]["id"]
    await api.entity("Ada Lind", "person", projects=[project])
    memory = await api.memory("Of both", entities=[ada, lind])
    await ingest(api, "Ada met Ada Lind.", ADA, LIND, title="Both")
    asked = "memories { totalCount } documents { totalCount } projects { nodes { name } }"
    merge = await merged(api, ada, lind)
    assert await api.node(ada, asked) == {
        "memories": {"totalCount": 1},
        "documents": {"totalCount": 1},
        "projects": {"nodes": [{"name": "P"}]},
    }
    for id, kind in ((memory, "entities"), (project, "entities")):
        assert (await api.node(id, f"{kind} {{ totalCount nodes {{ name }} }}"))[kind] == {
            "totalCount": 1,
            "nodes": [{"name": "Ada"}],
        }
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert (await api.node(ada, asked))["projects"]["nodes"] == []
    assert await api.node(lind, asked) == {
        "memories": {"totalCount": 1},
        "documents": {"totalCount": 1},
        "projects": {"nodes": [{"name": "P"}]},
    }


async def test_detaching_the_survivor_detaches_what_is_one_with_it(api: Api, two: tuple[str, str]) -> None:
    ada, lind = two
    memory = await api.memory("Of one", entities=[lind])
    merge = await merged(api, ada, lind)
    await api.do("detachFromMemory", "memory { id }", id=memory, entities=[ada])
    assert (await api.node(memory, "entities { totalCount }"))["entities"] == {"totalCount": 0}
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert (await api.node(memory, "entities { totalCount }"))["entities"] == {"totalCount": 0}


async def test_a_claim_that_was_taken_back_while_it_counted_for_both_stays_so_alone(
    api: Api, two: tuple[str, str]
) -> None:
    ada, lind = two
    head, _ = await api.fact(ada, "Likes tea"), await api.fact(lind, "Likes tea", confidence=0.75)
    merge = await merged(api, ada, lind)
    await api.do("retractFact", "fact { id }", id=head, reason="No")
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert (await said_of(api, ada), await said_of(api, lind)) == ({}, {"Likes tea": [0.75, "Likes tea"]})
    assert (await api.rows(models.Fact, status="RETRACTED"))[0]["status_reason"] == "No"


async def test_a_deleted_document_takes_its_words_out_of_what_is_set_aside_and_merged(
    api: Api, two: tuple[str, str]
) -> None:
    ada, _ = two
    await api.fact(ada, "Likes tea", confidence=0.8)
    text = "Zelda likes TEA indeed."
    payload = await ingest(
        api,
        text,
        thing("Zelda", "person", description="zelda of old"),
        fact("Zelda", "likes TEA.", "likes TEA indeed."),
    )
    zelda = (await api.volume('entity(by: {name: {name: "Zelda"}}) { id }'))["entity"]["id"]
    merge = await merged(api, ada, zelda)
    assert await said_of(api, ada) == {"Likes tea": [0.96, "Likes tea", "likes TEA indeed."]}
    done = await api.do("deleteDocument", "claimsRemoved claimsKept entitiesRemoved", id=payload["document"]["id"])
    assert done == {"claimsRemoved": 1, "claimsKept": 0, "entitiesRemoved": 1}
    assert await said_of(api, ada) == {"Likes tea": [0.8, "Likes tea"]}
    assert [await api.holding(word) for word in ("zelda", "indeed", "tea.")] == [[], [], []]
    assert await api.ask("query($id: ID!) { node(id: $id) { id } }", id=merge) == {"node": None}
    assert await api.rows(models.ClaimApart) == []


async def test_a_deleted_document_of_the_survivor_leaves_what_was_merged_into_it(api: Api) -> None:
    text = "Zelda likes tea."
    first = await ingest(api, text, thing("Zelda", "person"), fact("Zelda", "Likes tea", text), title="One")
    tea, sings = "Ada Lind likes tea.", "Bo sings."
    await ingest(api, tea, LIND, fact("Ada Lind", "likes tea.", tea), title="Two")
    await ingest(api, sings, thing("Bo", "person"), fact("Bo", "Sings", sings), title="Three")
    ids = {one["name"]: one["id"] for one in (await api.volume("entities { nodes { id name } }"))["entities"]["nodes"]}
    await merged(api, ids["Zelda"], ids["Ada Lind"])
    merge = await merged(api, ids["Zelda"], ids["Bo"])
    done = await api.do("deleteDocument", "claimsRemoved claimsKept entitiesRemoved", id=first["document"]["id"])
    assert done == {"claimsRemoved": 1, "claimsKept": 0, "entitiesRemoved": 1}
    assert await api.holding("zelda") == []
    lind = ids["Ada Lind"]
    assert await api.node(lind, "id name aliases mergedFrom { nodes { id } }") == {
        "id": lind,
        "name": "Ada Lind",
        "aliases": ["Bo"],
        "mergedFrom": {"nodes": [{"id": merge}]},
    }
    assert await said_of(api, ids["Bo"]) == {"likes tea.": [0.8, tea], "Sings": [0.8, sings]}
    assert await titles_of(api, lind) == ["Two", "Three"]
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert (await said_of(api, lind), await said_of(api, ids["Bo"])) == (
        {"likes tea.": [0.8, tea]},
        {"Sings": [0.8, sings]},
    )


async def test_a_deleted_document_of_the_middle_of_a_chain_leaves_both_ends(api: Api) -> None:
    text = "Zelda sings."
    middle = await ingest(api, text, thing("Zelda", "person"), fact("Zelda", "Sings", text))
    zelda = (await api.volume("entities { nodes { id } }"))["entities"]["nodes"][0]["id"]
    top, bottom = await api.entity("Ada", "person"), await api.entity("Bo", "person")
    await api.fact(bottom, "Likes tea")
    merge = await merged(api, zelda, bottom)
    await merged(api, top, zelda)
    done = await api.do("deleteDocument", "claimsRemoved claimsKept entitiesRemoved", id=middle["document"]["id"])
    assert done == {"claimsRemoved": 1, "claimsKept": 0, "entitiesRemoved": 1}
    assert await api.holding("zelda") == []
    assert await said_of(api, bottom) == await said_of(api, top) == {"Likes tea": [1.0, "Likes tea"]}
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    assert (await said_of(api, top), await said_of(api, bottom)) == ({}, {"Likes tea": [1.0, "Likes tea"]})


async def test_a_correction_while_a_claim_counted_for_both_is_its_own_after(api: Api, two: tuple[str, str]) -> None:
    ada, lind = two
    head, _ = await api.fact(ada, "Likes tea", confidence=0.8), await api.fact(lind, "Likes tea", confidence=0.75)
    merge = await merged(api, ada, lind)
    await api.do("updateFact", "fact { id }", id=head, content="Likes green tea", confidence=0.9, validFrom="2020")
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    asked = "facts { nodes { content confidence validFrom } }"
    found = [(await api.node(id, asked))["facts"]["nodes"] for id in two]
    assert found == [
        [{"content": "Likes green tea", "confidence": 0.9, "validFrom": "2020-01-01T00:00:00Z"}],
        [{"content": "Likes tea", "confidence": 0.75, "validFrom": None}],
    ]


async def test_a_merge_is_todays_view_of_every_instant(api: Api, two: tuple[str, str]) -> None:
    ada, lind = two
    await api.fact(ada, "Likes tea", confidence=0.8)
    await api.fact(lind, "Likes tea", confidence=0.8)
    fact = await api.fact(lind, "Sings", confidence=0.8)
    known = (await api.node(fact, "knownFrom"))["knownFrom"]
    await api.do("updateFact", "fact { id }", id=fact, content="Sings well", confidence=0.9)
    asked = "query($id: ID!, $k: DateTime) { volume(asOf: {known: $k}) { entity(by: {id: $id}) { facts { nodes { content } } } } }"
    merge = await merged(api, ada, lind)
    then = (await api.ask(asked, id=lind, k=known))["volume"]["entity"]["facts"]["nodes"]
    assert [one["content"] for one in then] == ["Likes tea", "Sings"]
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    for id, contents in ((ada, ["Likes tea"]), (lind, ["Likes tea", "Sings"])):
        then = (await api.ask(asked, id=id, k=known))["volume"]["entity"]["facts"]["nodes"]
        assert [one["content"] for one in then] == contents


async def test_claims_of_which_a_subject_has_one_are_judged_as_one_subjects_until_it_is_two(
    api: Api, two: tuple[str, str]
) -> None:
    ada, lind = two
    old = {"predicate": "LIVES_IN", "validFrom": "2010"}
    await api.fact(ada, "Lives in Oslo", value="Oslo", **old)
    await api.fact(lind, "Lives in Bonn", value="Bonn", **(old | {"validFrom": "2020"}))
    merge = await merged(api, ada, lind)
    asked = "facts(filter: {statuses: [CURRENT, SUPERSEDED]}) { nodes { value status } }"
    assert (await api.node(ada, asked))["facts"]["nodes"] == [
        {"value": "Oslo", "status": "SUPERSEDED"},
        {"value": "Bonn", "status": "CURRENT"},
    ]
    await api.do("unmergeEntities", "restored { id }", merge=merge)
    found = [(await api.node(id, asked))["facts"]["nodes"] for id in two]
    assert found == [[{"value": "Oslo", "status": "CURRENT"}], [{"value": "Bonn", "status": "CURRENT"}]]
