"""Memories through GraphQL: bounds, automatic links, near-duplicates, supersession, attachments, lists.

Texts are made of words that the tests' embedder puts on axes of their own, so that similarities are exact fractions.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

AXES = "ab ac af ag aj ak an ao bb bc bf bg bj bk bn bo".split()
SAID = "id title content context keywords tags importance obsolete obsoleteReason provenance version"
LINKS = "links { edges { node { title } type similarity automatic } totalCount }"


def mixed(*times: int, sign: str = "") -> dict[str, str]:
    """Return a memory whose vector has these lengths along the axes, before it is normalised; `sign` marks its title."""
    words = [axis for axis, number in zip(AXES, times, strict=False) for _ in range(number)]
    return {"title": f"{words[0]} {sign}".strip(), "content": " ".join(words[1:]) or "."}


async def links_of(api: Api, id: str) -> list[tuple[str, str, float | None, bool]]:
    """Return what a memory is linked to: title, type, similarity, automatic."""
    found = (await api.node(id, LINKS))["links"]
    assert found["totalCount"] == len(found["edges"])
    return [(e["node"]["title"], e["type"], e["similarity"], e["automatic"]) for e in found["edges"]]


async def titles(api: Api, selection: str = "memories", **arguments: tuple[str, Any]) -> list[str]:
    """Return the titles of a list of the volume's memories, and check its total."""
    found = (await api.volume(f"{selection} {{ nodes {{ title }} totalCount }}", **arguments))["memories"]
    assert found["totalCount"] == len(found["nodes"])
    return [node["title"] for node in found["nodes"]]


async def test_what_is_stated_of_a_memory_is_answered_and_read_back(api: Api) -> None:
    stated = {
        "content": "  Use asyncio for I/O.\n",
        "context": "Chosen in May.",
        "keywords": ["asyncio", "I/O"],
        "tags": ["Python", "decision"],
        "importance": 9,
        "provenance": {"source": "chat", "turn": 3},
    }
    made = await api.do(
        "createMemory", f"memory {{ {SAID} }} links {{ type }} similar {{ similarity }}", title=" A ", **stated
    )
    memory = made["memory"]
    assert made["links"] == made["similar"] == []
    rest = {"obsolete": False, "obsoleteReason": None, "version": 1}
    assert memory == {"id": memory["id"], "title": "A", **stated, **rest}
    assert await api.node(memory["id"], SAID) == memory
    plain = (await api.do("createMemory", f"memory {{ {SAID} }}", title="B", content="c", keywords=["k", " k ", "K"]))[
        "memory"
    ]
    assert (plain["context"], plain["keywords"], plain["tags"]) == (None, ["k", "K"], [])
    assert (plain["importance"], plain["provenance"]) == (5, {})


BOUNDS: list[tuple[str, Any, Any]] = [
    ("title", "é" * 200, "é" * 201),
    ("content", "京" * 2_000, "京" * 2_001),
    ("context", "c" * 500, "c" * 501),
    ("keywords", [f"k{n}" for n in range(10)], [f"k{n}" for n in range(11)]),
    ("tags", [f"t{n}" for n in range(10)], [f"t{n}" for n in range(11)]),
    ("keywords", ["k" * 100], ["k" * 101]),
    ("tags", ["t" * 100], ["t" * 101]),
    ("importance", 1, 0),
    ("importance", 10, 11),
    ("title", "x", ""),
    ("content", "x", " \n"),
    ("title", "evil می\u200cروم", "\u202e\u200b"),
    ("tags", ["x"], [""]),
    ("keywords", ["👩‍👩‍👧"], [" "]),
    ("provenance", {"a": None}, []),
    ("content", "a\tb\r\nc", "a\x00b"),
]


async def test_a_memory_is_taken_at_its_bounds_and_refused_one_past_them(api: Api) -> None:
    plain, other = {"title": "t", "content": "c"}, await api.memory("other")
    for field, fits, too_much in BOUNDS:
        made = (await api.do("createMemory", f"memory {{ {SAID} }}", **{**plain, field: fits}))["memory"]
        updated = (await api.do("updateMemory", f"memory {{ {SAID} }}", id=other, **{field: fits}))["memory"]
        assert made[field] == updated[field] == fits
        async with api.unchanged():
            created = await api.refusal("createMemory", **{**plain, field: too_much})
            changed = await api.refusal("updateMemory", id=made["id"], **{field: too_much})
        for refused in (created, changed):
            assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", field), too_much


@pytest.mark.parametrize("moved", [False, True])
async def test_a_new_memory_links_itself_to_its_three_nearest_and_names_near_duplicates(api: Api, moved: bool) -> None:
    for sign, times in {"-": (15, 8), "=": (24, 7), "/": (3, 4), "*": (4, 3), "+": (12, 5)}.items():
        id = await api.memory(**mixed(*times, sign=sign))
        for link in await links_of(api, id):
            other = (await api.volume("memories { nodes { id title } }"))["memories"]["nodes"]
            (found,) = [node["id"] for node in other if node["title"] == link[0]]
            await api.do("unlinkMemories", "removed", memory=id, other=found)
    if moved:
        await api.store.follower.drain()
        assert await api.store.index.count() == 5
    asked = """memory { id title } similar { memory { title } similarity }
        links { memory { id } other { title } type similarity automatic }"""
    made = await api.do("createMemory", asked, **mixed(1))
    id, common = made["memory"]["id"], {"type": "RELATED", "automatic": True}
    assert made["links"] == [
        {"memory": {"id": id}, "other": {"title": title}, "similarity": similarity, **common}
        for title, similarity in (("ab =", 0.96), ("ab +", 0.923077), ("ab -", 0.882353))
    ]
    assert made["similar"] == [
        {"memory": {"title": "ab ="}, "similarity": 0.96},
        {"memory": {"title": "ab +"}, "similarity": 0.923077},
    ]
    stored = [("ab =", "RELATED", 0.96, True), ("ab +", "RELATED", 0.923077, True), ("ab -", "RELATED", 0.882353, True)]
    assert await links_of(api, id) == stored
    assert len(await api.rows(models.MemoryLink)) == 3


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize(
    ("times", "linked", "similar"),
    [
        ((7, 7, 1, 1), [0.7], []),
        ((7, 7, 1, 1, 1), [], []),
        ((89, 45, 7, 2, 1), [0.89], [0.89]),
        ((88, 45, 7, 2, 1), [0.887893], []),
        ((1,), [1.0], [1.0]),
        ((0, 1), [], []),
    ],
)
async def test_links_begin_at_seven_tenths_and_near_duplicates_at_eighty_nine_hundredths(
    api: Api, moved: bool, times: tuple[int, ...], linked: list[float], similar: list[float]
) -> None:
    await api.memory(**mixed(1))
    if moved:
        await api.store.follower.drain()
    made = await api.do("createMemory", "links { similarity } similar { similarity }", **mixed(*times))
    assert [link["similarity"] for link in made["links"]] == pytest.approx(linked, abs=1e-6)
    assert [near["similarity"] for near in made["similar"]] == pytest.approx(similar, abs=1e-6)


async def test_a_memory_links_to_no_obsolete_one_however_many_there_are(api: Api) -> None:
    live = await api.memory(**mixed(4, 3, sign="+"))
    memories = [{**mixed(1), "title": f"ab {'!' * n}"} for n in range(1, 41)]
    await api.do("importGraph", "memoriesCreated", memories=memories)
    await api.store.follower.drain()
    found = await api.volume("memories(first: 100) { nodes { id } }")
    for node in found["memories"]["nodes"]:
        if node["id"] != live:
            await api.do("supersedeMemory", "memory { id }", id=node["id"])
    made = await api.do("createMemory", "links { other { id } similarity } similar { similarity }", **mixed(1))
    assert made == {"links": [{"other": {"id": live}, "similarity": 0.8}], "similar": []}


async def test_memories_that_are_written_at_once_find_each_other(api: Api) -> None:
    document = "mutation($i: CreateMemoryInput!) { createMemory(input: $i) { links { similarity } } }"
    answers = await asyncio.gather(*(api.ask(document, i=mixed(1, sign="!" * n)) for n in range(5)))
    assert sorted(len(answer["createMemory"]["links"]) for answer in answers) == [0, 1, 2, 3, 3]
    assert len(await api.rows(models.MemoryLink)) == 9


async def test_links_stay_within_the_volume(api: Api) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    await api.memory(**mixed(1), volume="other")
    made = await api.do("createMemory", "links { similarity } similar { similarity }", **mixed(1))
    assert made == {"links": [], "similar": []}
    await api.store.follower.drain()
    made = await api.do("createMemory", "links { similarity } similar { similarity }", **mixed(1))
    assert [len(made["links"]), len(made["similar"])] == [1, 1]


async def test_an_update_changes_the_named_fields_and_keeps_links_and_attachments(api: Api) -> None:
    ada = await api.entity("Ada")
    other = await api.memory(**mixed(1))
    id = await api.memory(**mixed(1), tags=["a", "b"], context="c", provenance={"p": 1}, entities=[ada])
    await api.do("linkMemories", "link { type }", memory=id, other=other, type="BY_HAND")
    done = await api.do("updateMemory", f"memory {{ {SAID} }}", id=id, tags=["b", "c"], importance=7, expectedVersion=1)
    now = {"id": id, "title": "ab", "content": ".", "context": "c", "keywords": [], "tags": ["b", "c"], "importance": 7}
    assert done["memory"] == {**now, "obsolete": False, "obsoleteReason": None, "provenance": {"p": 1}, "version": 2}
    cleared: dict[str, Any] = dict.fromkeys(("context", "tags", "provenance"))
    done = await api.do("updateMemory", "memory { context tags provenance version }", id=id, **cleared)
    assert done["memory"] == {"context": None, "tags": [], "provenance": {}, "version": 3}
    for field in ("title", "content", "importance"):
        refused = await api.refused("updateMemory", id=id, **{field: None})
        assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", field)
    refused = await api.refused("updateMemory", id=id, title="x", expectedVersion=2)
    assert (refused["code"], refused["argument"]) == ("CONFLICT", "expectedVersion")
    async with api.unchanged():
        await api.do("updateMemory", "memory { id }", id=id, title="ab", content=".", tags=[], importance=7)
    assert await api.node(id, "links { edges { type } } entities { nodes { id } }") == {
        "links": {"edges": [{"type": "BY_HAND"}]},
        "entities": {"nodes": [{"id": ada}]},
    }


async def test_links_by_hand_have_no_direction_and_are_made_once(api: Api) -> None:
    left, right = await api.memory(**mixed(1)), await api.memory(**mixed(0, 1))
    asked = "link { memory { id } other { id } type similarity automatic }"
    made = await api.do("linkMemories", asked, memory=right, other=left)
    plain = {"type": "RELATED", "similarity": None, "automatic": False}
    assert made["link"] == {"memory": {"id": right}, "other": {"id": left}, **plain}
    async with api.unchanged():
        again = await api.do("linkMemories", asked, memory=left, other=right)
    assert again["link"] == {"memory": {"id": left}, "other": {"id": right}, **plain}
    await api.do("linkMemories", asked, memory=left, other=right, type="builds on")
    assert await links_of(api, left) == [("ac", "RELATED", None, False), ("ac", "BUILDS_ON", None, False)]
    assert await links_of(api, right) == [("ab", "RELATED", None, False), ("ab", "BUILDS_ON", None, False)]
    assert await api.do("unlinkMemories", "removed", memory=right, other=left, type="Builds On") == {"removed": 1}
    assert await links_of(api, right) == [("ab", "RELATED", None, False)]
    assert await api.do("unlinkMemories", "removed", memory=left, other=right) == {"removed": 1}
    async with api.unchanged():
        assert await api.do("unlinkMemories", "removed", memory=left, other=right) == {"removed": 0}
    refused = await api.refused("linkMemories", memory=left, other=left)
    assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "other")
    refused = await api.refused("linkMemories", memory=left, other=right, type="?")
    assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "type")


async def test_supersession_is_never_of_itself_and_never_in_a_circle(api: Api) -> None:
    a, b, c = [await api.memory(**mixed(*[0] * n, 1)) for n in range(3)]
    for old, new in ((a, b), (b, c)):
        done = await api.do("supersedeMemory", "memory { obsolete supersededBy { id } version }", id=old, by=new)
        assert done["memory"] == {"obsolete": True, "supersededBy": {"id": new}, "version": 2}
    assert await api.node(c, "obsolete supersededBy { id } supersedes { id supersedes { id } }") == {
        "obsolete": False,
        "supersededBy": None,
        "supersedes": [{"id": b, "supersedes": [{"id": a}]}],
    }
    for old, new in ((a, a), (c, c), (c, a), (c, b), (b, a)):
        refused = await api.refused("supersedeMemory", id=old, by=new)
        assert (refused["code"], refused["argument"]) == ("BAD_USER_INPUT", "by")


async def test_of_two_supersessions_that_make_a_circle_at_once_one_is_refused(api: Api) -> None:
    a, b = await api.memory(**mixed(1)), await api.memory(**mixed(0, 1))
    document = "mutation($i: SupersedeMemoryInput!) { supersedeMemory(input: $i) { memory { id } } }"
    answers = await asyncio.gather(*(api.send(document, i={"id": x, "by": y}) for x, y in ((a, b), (b, a))))
    codes = [answer["errors"][0]["extensions"]["code"] for answer in answers if "errors" in answer]
    assert codes == ["BAD_USER_INPUT"]


async def test_an_obsolete_memory_leaves_every_list_unless_asked_for_and_restore_brings_it_back(api: Api) -> None:
    ada = await api.entity("Ada")
    project = (await api.do("createProject", "project { id }", name="P"))["project"]["id"]
    document = await api.document("D", "Some text.")
    tied = {"entities": [ada], "documents": [document], "projects": [project], "tags": ["t"]}
    kept = await api.memory(**mixed(1, sign="+"), **tied)
    gone = await api.memory(**mixed(1, sign="-"), **tied)

    async def seen(hidden: bool = False) -> dict[str, list[str]]:
        lists = {"entity": ada, "project": project, "document": document}
        asked = "memories { nodes { title } totalCount }"
        found = {name: (await api.node(id, asked))["memories"] for name, id in lists.items()}
        if hidden:
            found["entity"] = (await api.node(ada, asked.replace("memories", "memories(includeObsolete: true)")))[
                "memories"
            ]
        found["links"] = (await api.node(kept, "links { nodes { title } totalCount }"))["links"]
        for filter in ({}, {"tags": ["t"]}, {"projects": [project]}, {"minImportance": 5}):
            filter |= {"includeObsolete": hidden}
            asked = "memories(filter: $f) { nodes { title } totalCount }"
            found[str(sorted(filter))] = (await api.volume(asked, f=("MemoryFilter", filter)))["memories"]
        assert all(page["totalCount"] == len(page["nodes"]) for page in found.values())
        return {name: [node["title"] for node in page["nodes"]] for name, page in found.items()}

    both, one = ["ab +", "ab -"], ["ab +"]
    fresh = await seen()
    assert fresh == {**dict.fromkeys(fresh, both), "links": ["ab -"]}
    done = await api.do(
        "supersedeMemory", "memory { obsolete obsoleteReason version }", id=gone, reason="Wrong.", expectedVersion=1
    )
    assert done["memory"] == {"obsolete": True, "obsoleteReason": "Wrong.", "version": 2}
    left = await seen()
    assert left == {**dict.fromkeys(fresh, one), "links": []}
    asked_for = await seen(hidden=True)
    assert asked_for == {**dict.fromkeys(fresh, both), "project": one, "document": one, "links": []}
    assert (await api.node(gone, "title links { nodes { title } }")) == {
        "title": "ab -",
        "links": {"nodes": [{"title": "ab +"}]},
    }
    refused = await api.refused("restoreMemory", id=gone, expectedVersion=1)
    assert (refused["code"], refused["argument"]) == ("CONFLICT", "expectedVersion")
    back = await api.do("restoreMemory", "memory { obsolete obsoleteReason supersededBy { id } version }", id=gone)
    assert back["memory"] == {"obsolete": False, "obsoleteReason": None, "supersededBy": None, "version": 3}
    assert await seen() == fresh
    async with api.unchanged():
        await api.do("restoreMemory", "memory { id }", id=gone)


async def test_a_memory_is_attached_to_nodes_once_and_detached_again(api: Api) -> None:
    ada, bob = await api.entity("Ada"), await api.entity("Bob")
    project = (await api.do("createProject", "project { id }", name="P"))["project"]["id"]
    document = await api.document("D", "Some text.")
    code = {"title": "t", "language": "python", "code": "pass"}
    artifact = (await api.do("createCodeArtifact", "codeArtifact { id }", **code))["codeArtifact"]["id"]
    id = await api.memory("m", entities=[ada, ada])
    everything = {"entities": [ada, bob], "documents": [document], "codeArtifacts": [artifact], "projects": [project]}
    lists = " ".join(f"{name} {{ nodes {{ id }} totalCount }}" for name in everything)

    def pages(**ids: list[str]) -> dict[str, Any]:
        filled = {name: ids.get(name, []) for name in everything}
        return {name: {"nodes": [{"id": id} for id in own], "totalCount": len(own)} for name, own in filled.items()}

    assert await api.node(id, lists) == pages(entities=[ada])
    for _ in range(2):
        done = await api.do("attachToMemory", f"memory {{ {lists} }}", id=id, **everything)
        assert done["memory"] == pages(**everything)
    for node, kind in ((ada, "memories"), (document, "memories"), (project, "memories")):
        assert await api.node(node, f"{kind} {{ nodes {{ id }} }}") == {"memories": {"nodes": [{"id": id}]}}
    done = await api.do("detachFromMemory", f"memory {{ {lists} }}", id=id, entities=[ada], projects=[project])
    left = pages(entities=[bob], documents=[document], codeArtifacts=[artifact])
    assert done["memory"] == left
    async with api.unchanged():
        await api.do("detachFromMemory", "memory { id }", id=id, entities=[ada], projects=[project])
        await api.do("attachToMemory", "memory { id }", id=id, entities=[bob])
        await api.do("attachToMemory", "memory { id }", id=id)


async def test_what_is_attached_or_detached_must_be_of_the_volume_and_of_its_kind(api: Api) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    foreign = {
        "entities": await api.entity("Ada", volume="other"),
        "documents": await api.document("D", "Some text.", volume="other"),
        "projects": (await api.do("createProject", "project { id }", volume="other", name="P"))["project"]["id"],
    }
    code = {"title": "t", "language": "python", "code": "pass", "volume": "other"}
    foreign["codeArtifacts"] = (await api.do("createCodeArtifact", "codeArtifact { id }", **code))["codeArtifact"]["id"]
    ada = await api.entity("Ada")
    id = await api.memory("m", entities=[ada])
    for field, unknown in foreign.items():
        for wrong in (unknown, id, "nonsense", unknown[:-1], unknown.upper()):
            for mutation in ("attachToMemory", "detachFromMemory"):
                refused = await api.refused(mutation, **{"id": id, "entities": [ada], field: [wrong]})
                assert (refused["code"], refused["argument"]) == ("NOT_FOUND", field)
            refused = await api.refused("createMemory", **{"title": "t", "content": "c", field: [wrong]})
            assert (refused["code"], refused["argument"]) == ("NOT_FOUND", field)


async def test_a_deleted_memory_takes_its_links_along_and_its_words_out_of_the_log(api: Api) -> None:
    old = await api.memory(**mixed(1, sign="+"))
    stated = {"context": "A zebra.", "keywords": ["zebra"], "tags": ["zebra"], "provenance": {"zebra": 1}}
    id = await api.memory("zebra", "zebra ab", **stated)
    await api.do("updateMemory", "memory { id }", id=id, content="A zebra again")
    await api.do("linkMemories", "link { type }", memory=old, other=id)
    await api.do("supersedeMemory", "memory { id }", id=old, by=id)
    refused = await api.refused("deleteMemory", id=id, expectedVersion=1)
    assert (refused["code"], refused["argument"]) == ("CONFLICT", "expectedVersion")
    assert await api.do("deleteMemory", "deletedId", id=id, expectedVersion=2) == {"deletedId": id}
    assert await api.holding("zebra") == []
    assert await api.rows(models.MemoryLink) == await api.rows(models.MemoryTag) == []
    assert await api.node(old, "obsolete supersededBy { id }") == {"obsolete": True, "supersededBy": None}
    assert await api.ask("query($i: ID!) { node(id: $i) { id } }", i=id) == {"node": None}
    await api.store.follower.drain()
    assert await api.store.index.count() == 1


async def test_memories_are_filtered_by_tag_project_and_importance_and_ordered(api: Api) -> None:
    project = (await api.do("createProject", "project { id }", name="P"))["project"]["id"]
    await api.memory("a", tags=["x", "y"], importance=3)
    await api.memory("b", tags=["y"], importance=9, projects=[project])
    await api.memory("c", tags=["X"], importance=6)

    async def listed(**filter: Any) -> list[str]:
        return await titles(api, "memories(filter: $f)", f=("MemoryFilter", filter))

    assert await listed() == ["a", "b", "c"]
    assert await listed(tags=["x"]) == ["a"]
    assert await listed(tags=["x", "y"]) == ["a", "b"]
    assert await listed(tags=[]) == []
    assert await listed(projects=[project]) == ["b"]
    assert await listed(minImportance=6) == ["b", "c"]
    assert await listed(minImportance=6, tags=["X"]) == ["c"]
    first = (await api.volume("memories(first: 1) { nodes { id } }"))["memories"]["nodes"][0]["id"]
    await api.do("updateMemory", "memory { id }", id=first, content="Changed last.")
    for field, direction, expected in (
        ("CREATED_AT", "DESC", ["c", "b", "a"]),
        ("IMPORTANCE", "DESC", ["b", "c", "a"]),
        ("IMPORTANCE", "ASC", ["a", "c", "b"]),
        ("UPDATED_AT", "DESC", ["a", "c", "b"]),
    ):
        order = {"field": field, "direction": direction}
        assert await titles(api, "memories(orderBy: $o)", o=("MemoryOrder", order)) == expected
