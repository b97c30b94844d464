"""Rules of merging: chains, what is refused, other volumes, export, deletion, and how many statements it takes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from scripted import ingest, thing

from server import models
from server.services.exports import Export
from server.services.imports import Imports
from server.services.indexing import reindex
from server.services.jsonl import read_batches
from server.services.volumes import Volumes

if TYPE_CHECKING:
    from api.conftest import Api


@pytest.fixture
async def three(api: Api) -> list[str]:
    """Three entities that know each other in a ring, each with a fact of its own and one that all have."""
    ids = [await api.entity(name) for name in ("A", "B", "C")]
    for n, id in enumerate(ids):
        await api.fact(id, f"Is number {n}")
        await api.fact(id, "Is a letter", confidence=0.8)
        await api.relationship(id, "KNOWS", ids[(n + 1) % 3])
    return ids


async def merged(api: Api, into: str, *sources: str) -> list[str]:
    """Merge entities and return the ids of the records."""
    done = await api.do("mergeEntities", "merges { id }", into=into, **{"from": list(sources)})
    return [merge["id"] for merge in done["merges"]]


async def unmerge(api: Api, merge: str) -> None:
    await api.do("unmergeEntities", "survivor { id }", merge=merge)


async def state(api: Api, *ids: str) -> list[tuple[str, list[str], list[str]]]:
    """Return of each id the name of what it leads to, and what is said of that."""
    asked = "name facts { nodes { content } } relationships { nodes { text } }"
    found = [await api.node(id, asked) for id in ids]
    return [
        (
            one["name"],
            [fact["content"] for fact in one["facts"]["nodes"]],
            [edge["text"] for edge in one["relationships"]["nodes"]],
        )
        for one in found
    ]


async def test_a_chain_leads_to_its_end_and_comes_apart_in_the_middle(api: Api, three: list[str]) -> None:
    a, b, c = three
    before = await state(api, *three)
    (inner,) = await merged(api, b, c)
    (outer,) = await merged(api, a, b)
    both = ("A", ["Is number 0", "Is a letter", "Is number 1", "Is number 2"], [])
    assert await state(api, *three) == [both] * 3
    listed = "mergedFrom { totalCount nodes { id name survivor { name } } }"
    assert (await api.node(a, listed))["mergedFrom"] == {
        "totalCount": 2,
        "nodes": [
            {"id": outer, "name": "B", "survivor": {"name": "A"}},
            {"id": inner, "name": "C", "survivor": {"name": "A"}},
        ],
    }
    await unmerge(api, inner)
    two = ("A", ["Is number 0", "Is a letter", "Is number 1"], ["A knows C", "C knows A"])
    assert await state(api, *three) == [two, two, ("C", ["Is number 2", "Is a letter"], ["A knows C", "C knows A"])]
    await unmerge(api, outer)
    assert await state(api, *three) == before


async def test_undoing_the_later_of_two_merges_puts_what_was_taken_along_back_under_its_own(
    api: Api, three: list[str]
) -> None:
    a, b, c = three
    await merged(api, b, c)
    (outer,) = await merged(api, a, b)
    await unmerge(api, outer)
    ring = ["A knows B", "B knows A"]
    pair = ("B", ["Is number 1", "Is a letter", "Is number 2"], ring)
    assert await state(api, *three) == [("A", ["Is number 0", "Is a letter"], ring), pair, pair]
    found = await api.volume('entity(by: {name: {name: "C"}}) { id }')
    assert found["entity"] == {"id": b}


async def test_what_is_merged_already_is_answered_with_its_record_and_changes_nothing(
    api: Api, three: list[str]
) -> None:
    a, b, c = three
    first = await merged(api, a, b, c)
    async with api.unchanged():
        assert await merged(api, a, b, c) == first
        assert await merged(api, b, c) == first[1:]


async def test_merges_that_cannot_be_are_refused(api: Api, three: list[str]) -> None:
    a, b, _ = three
    (merge,) = await merged(api, a, b)
    fact = (await api.volume("facts { nodes { id } }"))["facts"]["nodes"][0]["id"]
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"into": a, "from": [a]}, "BAD_USER_INPUT", "from"),
        ({"into": a, "from": []}, "BAD_USER_INPUT", "from"),
        ({"into": b, "from": [a]}, "CONFLICT", "from"),
        ({"into": a, "from": [fact]}, "NOT_FOUND", "from"),
        ({"into": "nothing", "from": [a]}, "NOT_FOUND", "into"),
        ({"into": a, "from": [three[2]], "expectedVersion": 2}, "CONFLICT", "expectedVersion"),
    ]
    for input, code, argument in cases:
        refusal = await api.refused("mergeEntities", **input)
        assert (refusal["code"], refusal["argument"]) == (code, argument)
    refusal = await api.refused("unmergeEntities", merge=a)
    assert (refusal["code"], refusal["argument"]) == ("NOT_FOUND", "merge")
    await unmerge(api, merge)


async def test_types_that_exclude_each_other_are_not_merged_where_both_are_stated(api: Api) -> None:
    person, firm = await api.entity("Ford", "person"), await api.entity("Ford", "organization")
    refusal = await api.refused("mergeEntities", into=person, **{"from": [firm]})
    assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "from")
    await ingest(api, "Fordy drives.", thing("Fordy", "organization"))
    guessed = (await api.volume('entity(by: {name: {name: "Fordy"}}) { id }'))["entity"]["id"]
    await merged(api, person, guessed)


async def test_ids_of_another_volume_are_unknown(api: Api, three: list[str]) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    foreign = await api.entity("Foreign", volume="other")
    more = await api.entity("More", volume="other")
    for input in ({"into": three[0], "from": [foreign]}, {"into": foreign, "from": [three[0]]}):
        assert (await api.refused("mergeEntities", **input))["code"] == "NOT_FOUND"
    done = await api.do("mergeEntities", "merges { id }", volume="other", into=foreign, **{"from": [more]})
    refusal = await api.refused("unmergeEntities", merge=done["merges"][0]["id"])
    assert (refusal["code"], refusal["argument"]) == ("NOT_FOUND", "merge")


async def test_a_name_that_the_survivor_has_taken_keeps_a_merge_from_being_undone(api: Api) -> None:
    typo, right = await api.entity("Acmee"), await api.entity("Acme")
    (merge,) = await merged(api, typo, right)
    await api.do("updateEntity", "entity { name }", id=right, name="Acme")
    refusal = await api.refused("unmergeEntities", merge=merge)
    assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "merge")
    await api.do("updateEntity", "entity { name }", id=typo, name="Acmee")
    await unmerge(api, merge)
    assert [name for name, *_ in await state(api, typo, right)] == ["Acmee", "Acme"]


async def test_aliases_that_came_by_a_merge_are_not_made_the_survivors_own(api: Api) -> None:
    ada, lind = await api.entity("Ada", aliases=["A."]), await api.entity("Ada Lind", aliases=["Lind"])
    (merge,) = await merged(api, ada, lind)
    shown = (await api.node(lind, "aliases"))["aliases"]
    assert shown == ["A.", "Ada Lind", "Lind"]
    await api.do("updateEntity", "entity { id }", id=ada, aliases=[*shown, "Addie"])
    assert (await api.node(ada, "aliases"))["aliases"] == ["A.", "Ada Lind", "Addie", "Lind"]
    await unmerge(api, merge)
    assert [(await api.node(id, "aliases"))["aliases"] for id in (ada, lind)] == [["A.", "Addie"], ["Lind"]]


async def test_the_log_says_what_was_merged_by_ids_and_numbers(api: Api) -> None:
    ada, lind = await api.entity("Ada"), await api.entity("Ada Lind")
    await api.fact(lind, "Sings")
    (merge,) = await merged(api, ada, lind)
    await unmerge(api, merge)
    asked = "changes(filter: {kinds: [MERGED, UNMERGED]}) { nodes { kind before after actor node { id } } }"
    moved = {"facts": 1, "relationships": 0, "documents": 0, "memories": 0, "projects": 0}
    common = {"actor": "local", "node": {"id": lind}}
    assert (await api.volume(asked))["changes"]["nodes"] == [
        {"kind": "UNMERGED", "before": {"merge": merge, "survivor": ada}, "after": {"survivor": None}, **common},
        {
            "kind": "MERGED",
            "before": {"survivor": None},
            "after": {"merge": merge, "survivor": ada, "moved": moved},
            **common,
        },
    ]


async def test_the_log_says_why_they_were_merged_and_why_that_was_undone(api: Api) -> None:
    ada, lind = await api.entity("Ada"), await api.entity("Ada Lind")
    refusal = await api.refused("mergeEntities", into=ada, **{"from": [lind]}, reason="x" * 1_001)
    assert (refusal["code"], refusal["argument"]) == ("BAD_USER_INPUT", "reason")
    done = await api.do("mergeEntities", "merges { id reason }", into=ada, **{"from": [lind]}, reason="One person")
    (merge,) = done["merges"]
    refusal = await api.refused("unmergeEntities", merge=merge["id"], reason="x" * 1_001)
    assert (refusal["code"], refusal["argument"]) == ("BAD_USER_INPUT", "reason")
    await api.do("unmergeEntities", "restored { id }", merge=merge["id"], reason="Two after all")
    asked = "changes(filter: {kinds: [MERGED, UNMERGED]}) { nodes { kind after } }"
    found = (await api.volume(asked))["changes"]["nodes"]
    assert [(one["kind"], one["after"]["reason"]) for one in found] == [
        ("UNMERGED", "Two after all"),
        ("MERGED", merge["reason"]),
    ]
    assert merge["reason"] == "One person"


async def test_names_that_came_by_a_merge_stay_until_it_is_undone_whatever_list_is_given(api: Api) -> None:
    ada, lind = await api.entity("Ada", aliases=["A."]), await api.entity("Ada Lind", aliases=["Lind"])
    (merge,) = await merged(api, ada, lind)
    done = await api.do("updateEntity", "entity { aliases }", id=ada, aliases=[])
    assert done == {"entity": {"aliases": ["Ada Lind", "Lind"]}}
    await unmerge(api, merge)
    assert [(await api.node(id, "aliases"))["aliases"] for id in (ada, lind)] == [[], ["Lind"]]


async def test_deleting_an_old_id_is_refused_and_deletes_nothing(api: Api, three: list[str]) -> None:
    a, b, _ = three
    await merged(api, a, b)
    assert await api.refused("deleteEntity", id=b) == {
        "code": "CONFLICT",
        "argument": "id",
        "message": f"It counts as A since a merge. Undo the merge first, or delete {a} with all that it is.",
    }


async def test_deleting_a_survivor_deletes_all_that_is_one_with_it(api: Api, three: list[str]) -> None:
    a, b, c = three
    await merged(api, a, b)
    await api.do("deleteEntity", "deletedId", id=a)
    assert await api.ask("query($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=[a, b]) == {"nodes": [None, None]}
    assert await state(api, c) == [("C", ["Is number 2", "Is a letter"], [])]
    for model in (models.EntityMerge, models.ClaimApart):
        assert await api.rows(model) == []
    assert len(await api.rows(models.Entity)) == 1


async def test_an_exported_volume_comes_back_as_today_sees_it(api: Api, three: list[str]) -> None:
    a, b, _ = three
    await api.memory("Of B", entities=[b])
    await merged(api, a, b)
    volume = await api.store.volume("default")
    assert volume is not None
    lines = [line async for batch in Export(api.store, volume).batches() for line in batch]
    assert [line["name"] for line in lines if line["kind"] == "entity"] == ["A", "C"]
    other = await Volumes(api.store).ensure("other", "test")
    import orjson

    for batch in read_batches([orjson.dumps(line) for line in lines], 1_000):
        await Imports(api.store, api.knowledge.embedder).load(other, batch.graph, "test")
    asked = (
        "entities { nodes { name aliases facts { nodes { content confidence } } relationships { nodes { text } } "
        "memories { nodes { title } } } }"
    )
    assert await api.volume(asked, name="other") == await api.volume(asked)


async def test_the_index_holds_what_counts(api: Api, three: list[str]) -> None:
    a, b, _ = three

    async def indexed() -> int:
        await api.store.follower.drain()
        return (await api.ask("{ health { vectors } }"))["health"]["vectors"]

    assert await indexed() == 3 + 6
    (merge,) = await merged(api, a, b)
    assert await indexed() == 2 + 5
    assert await reindex(api.store, api.knowledge.embedder, lambda _: None) == 2 + 5
    await unmerge(api, merge)
    assert await indexed() == 3 + 6


async def statements_of(api: Api, size: int, volume: str) -> tuple[int, int]:
    """Return how many statements it takes to merge a hub of so many edges and facts, and to undo that."""
    await api.do("createVolume", "volume { id }", name=volume)
    hub, other = await api.entity("Hub", volume=volume), await api.entity("Other", volume=volume)
    named = [f"e{n}" for n in range(size)]
    graph = {
        "entities": [{"key": key, "name": f"Entity {key}", "type": "concept"} for key in named],
        "facts": [{"subject": hub, "content": f"Fact {key}"} for key in named]
        + [{"subject": other, "content": "Fact e0"}, {"subject": hub, "content": "Of its own"}],
        "relationships": [{"source": hub, "target": key, "type": "KNOWS"} for key in named]
        + [{"source": key, "target": hub, "type": "LIKES"} for key in named],
    }
    await api.do("importGraph", "factsCreated", volume=volume, **graph)
    done = await api.do("mergeEntities", "merges { id }", volume=volume, into=other, **{"from": [hub]})
    there = len(api.statements)
    await api.do("unmergeEntities", "restored { id }", volume=volume, merge=done["merges"][0]["id"])
    return there, len(api.statements)


async def test_the_statements_of_a_merge_do_not_grow_with_what_is_moved(api: Api) -> None:
    few = await statements_of(api, 1, "few")
    assert few == await statements_of(api, 40, "many")
    assert max(few) < 70


async def test_redirects_cost_a_statement_only_where_a_merged_id_is_met(api: Api) -> None:
    ada, lind = await api.entity("Ada"), await api.entity("Ada Lind")
    await merged(api, ada, lind)
    counts = []
    for id in (ada, lind):
        await api.ask("query($id: ID!) { node(id: $id) { id ... on Entity { name } } }", id=id)
        counts.append(len(api.statements))
        await api.volume("entity(by: {id: $id}) { name }", id=("ID!", id))
        counts.append(len(api.statements))
    for name in ("Ada", "Ada Lind"):
        await api.volume("entity(by: {name: {name: $n}}) { name }", n=("String!", name))
        counts.append(len(api.statements))
    assert counts == [1, 2, 2, 3, 2, 3]


async def test_two_merges_at_once_make_one(api: Api) -> None:
    ada, lind = await api.entity("Ada"), await api.entity("Ada Lind")
    done = await asyncio.gather(*(merged(api, ada, lind) for _ in range(3)))
    assert len({merge for merges in done for merge in merges}) == 1
    assert len(await api.rows(models.EntityMerge)) == 1
