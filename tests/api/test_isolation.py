"""Isolation of volumes: ids of another volume behave exactly as unknown ids, in every input and every read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from api.conftest import Api


async def world(api: Api, volume: str) -> dict[str, str]:
    """Fill a volume with one node of each kind, all of the same words in every volume, and return their ids."""
    ada, bob = await api.entity("Ada", volume=volume, aliases=["Countess"]), await api.entity("Bob", volume=volume)
    code = {"title": "t", "language": "python", "code": "pass", "volume": volume}
    asked = "document { id } ingestion { id }"
    document = await api.do("ingestDocument", asked, title="D", text="Some text.", wait=True, volume=volume)
    return {
        "entity": ada,
        "other": bob,
        "fact": await api.fact(ada, "Sings", volume=volume),
        "relationship": await api.relationship(ada, "KNOWS", bob, volume=volume),
        "memory": await api.memory("m", volume=volume),
        "second": await api.memory("second", volume=volume),
        "project": (await api.do("createProject", "project { id }", volume=volume, name="P"))["project"]["id"],
        "artifact": (await api.do("createCodeArtifact", "codeArtifact { id }", **code))["codeArtifact"]["id"],
        "document": document["document"]["id"],
        "ingestion": document["ingestion"]["id"],
    }


async def both(api: Api) -> tuple[dict[str, str], dict[str, str]]:
    """Return the ids of the volume "default" and of another one."""
    await api.do("createVolume", "volume { id }", name="other")
    return await world(api, "default"), await world(api, "other")


def inputs(own: dict[str, str], strange: dict[str, str]) -> list[tuple[str, dict[str, Any], str]]:
    """Return every input that takes an id, with a strange one in its place, and the argument at fault."""
    ada, note = own["entity"], {"title": "t", "content": "c"}
    edge = {"source": {"id": ada}, "target": {"id": ada}, "type": "T"}
    of = {"projects": [strange["project"]]}
    attached = {"entities": "entity", "documents": "document", "codeArtifacts": "artifact", "projects": "project"}
    text = {"title": "New", "text": "Other text."}
    return [
        ("createEntity", {"name": "New", "type": "t", **of}, "projects"),
        ("createEntity", {"name": "Ada", "type": "concept", "projects": [own["project"], strange["project"]]}, "projects"),
        ("updateEntity", {"id": strange["entity"], "description": "x"}, "id"),
        ("deleteEntity", {"id": strange["entity"]}, "id"),
        ("createFact", {"subject": strange["entity"], "content": "c"}, "subject"),
        ("createFact", {"subject": ada, "content": "c", "document": strange["document"]}, "document"),
        ("createFact", {"subject": ada, "content": "c", "document": strange["document"], "quote": "Some text"}, "document"),
        ("updateFact", {"id": strange["fact"], "content": "x"}, "id"),
        ("retractFact", {"id": strange["fact"]}, "id"),
        ("createRelationship", {**edge, "source": {"id": strange["entity"]}}, "source"),
        ("createRelationship", {**edge, "target": {"id": strange["entity"]}}, "target"),
        ("createRelationship", {**edge, "source": {"name": {"name": "Newly"}}, "target": {"id": strange["entity"]}}, "target"),
        ("createRelationship", {**edge, "document": strange["document"]}, "document"),
        ("updateRelationship", {"id": strange["relationship"], "strength": 0.5}, "id"),
        ("retractRelationship", {"id": strange["relationship"]}, "id"),
        *(("createMemory", {**note, field: [strange[kind]]}, field) for field, kind in attached.items()),
        *(("createMemory", {**note, field: [own[kind], strange[kind]]}, field) for field, kind in attached.items()),
        ("updateMemory", {"id": strange["memory"], "title": "x"}, "id"),
        ("supersedeMemory", {"id": strange["memory"]}, "id"),
        ("supersedeMemory", {"id": own["memory"], "by": strange["memory"]}, "by"),
        ("restoreMemory", {"id": strange["memory"]}, "id"),
        ("deleteMemory", {"id": strange["memory"]}, "id"),
        ("linkMemories", {"memory": strange["memory"], "other": own["memory"]}, "memory"),
        ("linkMemories", {"memory": own["memory"], "other": strange["memory"]}, "other"),
        ("unlinkMemories", {"memory": strange["memory"], "other": own["memory"]}, "memory"),
        ("unlinkMemories", {"memory": own["memory"], "other": strange["memory"]}, "other"),
        ("attachToMemory", {"id": strange["memory"], "entities": [ada]}, "id"),
        ("detachFromMemory", {"id": strange["memory"], "entities": [ada]}, "id"),
        *(("attachToMemory", {"id": own["memory"], field: [strange[kind]]}, field) for field, kind in attached.items()),
        *(("detachFromMemory", {"id": own["memory"], field: [strange[kind]]}, field) for field, kind in attached.items()),
        ("updateProject", {"id": strange["project"], "name": "x"}, "id"),
        ("deleteProject", {"id": strange["project"]}, "id"),
        ("updateCodeArtifact", {"id": strange["artifact"], "title": "x"}, "id"),
        ("deleteCodeArtifact", {"id": strange["artifact"]}, "id"),
        ("ingestDocument", {**text, **of}, "projects"),
        ("deleteDocument", {"id": strange["document"]}, "id"),
        ("importGraph", {"facts": [{"subject": strange["entity"], "content": "c"}]}, "facts[0].subject"),
    ]  # fmt: skip


def unlike(id: str) -> str:
    """Return an id of the same kind that nothing has."""
    return f"{id[:4]}{'0' * 26}"


async def refusals(api: Api, own: dict[str, str], strange: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return what each input with a strange id is refused with: code, argument, message."""
    cases = inputs(own, strange)
    assert len(cases) > 40
    return await not_found(api, cases)


async def not_found(api: Api, cases: list[tuple[str, dict[str, Any], str]]) -> list[tuple[str, str, str]]:
    """Check that each input is refused as NOT_FOUND under its argument, and that none of them changes a thing."""
    found = []
    async with api.unchanged():
        for mutation, input, argument in cases:
            refused = await api.refusal(mutation, **input)
            assert (refused["code"], refused["argument"]) == ("NOT_FOUND", argument), (mutation, input)
            found.append((refused["code"], refused["argument"], refused["message"]))
    return found


async def test_an_id_of_another_volume_is_refused_in_every_input_as_an_unknown_one_is(api: Api) -> None:
    own, foreign = await both(api)
    unknown = {kind: unlike(id) for kind, id in foreign.items()}
    assert await refusals(api, own, foreign) == await refusals(api, own, unknown)


async def test_a_malformed_id_is_refused_as_an_unknown_one_is(api: Api) -> None:
    own = await world(api, "default")
    for form in ("", "nonsense", "{}_{}", "ent_", "💥", "ent_' OR 1=1 --", "null"):
        cases = [
            case for case in inputs(own, dict.fromkeys(own, form)) if case[0] != "importGraph"
        ]  # there, it is a key
        assert len(await not_found(api, cases[::4])) == 12


async def test_an_id_of_another_kind_is_refused_as_an_unknown_one_is(api: Api) -> None:
    own = await world(api, "default")
    shifted = dict(zip(own, [*list(own.values())[2:], own["entity"], own["other"]], strict=True))
    shifted |= {"fact": own["memory"], "relationship": own["fact"], "memory": own["entity"], "project": own["document"]}
    await refusals(api, own, shifted)


async def test_an_entity_of_another_volume_is_null_by_its_id_and_unknown_by_its_name(api: Api) -> None:
    own, foreign = await both(api)
    only = await api.entity("Only there", volume="other")
    select = "entity(by: $by) { id }"
    for id in (
        foreign["entity"],
        unlike(foreign["entity"]),
        own["fact"],
        "nonsense",
        "",
        "ent_",
        own["entity"].upper(),
    ):
        assert (await api.volume(select, by=("EntityBy!", {"id": id})))["entity"] is None
    assert (await api.volume(select, by=("EntityBy!", {"id": own["entity"]})))["entity"] == {"id": own["entity"]}
    for name in ("Ada", "countess"):
        by = ("EntityBy!", {"name": {"name": name}})
        assert (await api.volume(select, by=by))["entity"] == {"id": own["entity"]}
        assert (await api.volume(select, "other", by=by))["entity"] == {"id": foreign["entity"]}
    by = ("EntityBy!", {"name": {"name": "Only there"}})
    assert (await api.volume(select, by=by))["entity"] is None
    assert (await api.volume(select, "other", by=by))["entity"] == {"id": only}


async def test_every_list_of_a_volume_holds_its_own_nodes_alone(api: Api) -> None:
    own, foreign = await both(api)
    lists = {
        "entities": ["entity", "other"],
        "facts": ["fact"],
        "relationships": ["relationship"],
        "memories": ["memory", "second"],
        "documents": ["document"],
        "codeArtifacts": ["artifact"],
        "projects": ["project"],
        "ingestions": ["ingestion"],
    }
    select = " ".join(f"{name} {{ nodes {{ id }} totalCount }}" for name in lists)
    counted = "statistics { entities facts relationships memories documents }"
    numbers = {"entities": 2, "facts": 1, "relationships": 1, "memories": 2, "documents": 1}
    for volume, ids in (("default", own), ("other", foreign)):
        expected = {
            n: {"nodes": [{"id": ids[k]} for k in kinds], "totalCount": len(kinds)} for n, kinds in lists.items()
        }
        assert await api.volume(select, volume) == expected
        assert (await api.volume(counted, volume))["statistics"] == numbers
        changes = (await api.volume("changes(first: 100) { nodes { node { id } } totalCount }", volume))["changes"]
        logged = {change["node"]["id"] for change in changes["nodes"]}
        mine = {id for kind, id in ids.items() if kind != "ingestion"}
        assert mine <= logged
        assert not logged & {*(foreign if volume == "default" else own).values()}
        assert changes["totalCount"] == len(changes["nodes"])
        predicates = (await api.volume("predicates { nodes { name } totalCount }", volume))["predicates"]
        assert predicates == {"nodes": [{"name": "KNOWS"}], "totalCount": 1}


async def test_a_project_of_another_volume_filters_as_an_unknown_one_does(api: Api) -> None:
    _, foreign = await both(api)
    for list, kind in (("entities", "EntityFilter"), ("memories", "MemoryFilter"), ("documents", "DocumentFilter")):
        for id in (foreign["project"], unlike(foreign["project"])):
            found = await api.volume(f"{list}(filter: $f) {{ totalCount }}", f=(kind, {"projects": [id]}))
            assert found == {list: {"totalCount": 0}}


async def test_a_cursor_of_one_volume_shows_nothing_of_another(api: Api) -> None:
    own, _ = await both(api)
    page = await api.volume("entities(first: 1) { pageInfo { endCursor } }", "other")
    cursor = page["entities"]["pageInfo"]["endCursor"]
    rest = await api.volume("entities(first: 100, after: $a) { nodes { id } }", a=("String", cursor))
    assert {node["id"] for node in rest["entities"]["nodes"]} <= {own["entity"], own["other"]}


async def test_the_same_words_in_two_volumes_are_two_of_everything(api: Api) -> None:
    own, foreign = await both(api)
    assert not set(own.values()) & set(foreign.values())
    await api.do("deleteVolume", "deletedId", volume="other", confirm="other")
    found = await api.ask("query($i: [ID!]!) { nodes(ids: $i) { id } }", i=list(own.values()))
    assert [node["id"] for node in found["nodes"]] == list(own.values())
    gone = await api.ask("query($i: [ID!]!) { nodes(ids: $i) { id } }", i=list(foreign.values()))
    assert gone["nodes"] == [None] * len(foreign)
    await refusals(api, own, foreign)


async def test_node_is_null_for_unknown_malformed_and_mangled_ids_alike(api: Api) -> None:
    own = await world(api, "default")
    good = own["entity"]
    wrong = [
        unlike(good),
        "",
        "nonsense",
        "ent_",
        good.upper(),
        f"{good} ",
        f"{good}0",
        good[:-1],
        f"fct_{good[4:]}",
        f"xyz_{good[4:]}",
        "ent",
    ]
    found = await api.ask("query($i: [ID!]!) { nodes(ids: $i) { id } }", i=[good, *wrong, good])
    assert found["nodes"] == [{"id": good}, *[None] * len(wrong), {"id": good}]
    for id in wrong:
        assert await api.ask("query($i: ID!) { node(id: $i) { id } }", i=id) == {"node": None}
    assert (await api.ask("{ node(id: 5) { id } }")) == {"node": None}
