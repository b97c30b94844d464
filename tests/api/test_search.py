"""Search: what is found, in what order, and what never is."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import update
from stores import opened

from server import models
from server.services.retrieval.searching import Asked, Searcher
from server.store.relations import table_of
from server.store.transaction import utc_now

if TYPE_CHECKING:
    from api.conftest import Api

NAMES = """nodes { __typename ... on Entity { name } ... on Fact { content } ... on Memory { title }
    ... on Chunk { text } ... on CodeArtifact { title } }"""


async def search(api: Api, query: str, selection: str = NAMES, name: str = "default", **arguments: Any) -> Any:
    """Return a selection of a search."""
    types = {
        "context": "String",
        "kinds": "[SearchKind!]",
        "filter": "SearchFilter",
        "first": "Int! = 10",
        "after": "String",
    }
    declared = "".join(f", ${key}: {types[key]}" for key in arguments)
    given = "".join(f", {key}: ${key}" for key in arguments)
    asked = f"query($q: String!, $v: String!{declared}) {{ volume(name: $v) {{ search(query: $q{given}) {{ {selection} }} }} }}"
    return (await api.ask(asked, q=query, v=name, **arguments))["volume"]["search"]


async def names(api: Api, query: str, **arguments: Any) -> list[str]:
    """Return what a search shows of its hits, in order."""
    found = await search(api, query, **arguments)
    return [next(value for key, value in node.items() if key != "__typename") for node in found["nodes"]]


async def world(api: Api) -> dict[str, str]:
    """Make one thing of each kind about a red pump, and return their ids; the entity is of a project."""
    project = (await api.do("createProject", "project { id }", name="p"))["project"]["id"]
    pump = await api.entity("Red Pump", "product", description="It moves water.", projects=[project])
    return {
        "entity": pump,
        "project": project,
        "fact": await api.fact(pump, "costs forty coins"),
        "memory": await api.memory("Pump failure", "The red pump failed with E-4711.", tags=["shop"], importance=9),
        "chunk": await api.document("Manual", "Turn the red pump on by its lever.", authority="OFFICIAL"),
        "code": str(
            (
                await api.do(
                    "createCodeArtifact",
                    "codeArtifact { id }",
                    title="start",
                    language="python",
                    code="red_pump.start()",
                    tags=["tool"],
                )
            )["codeArtifact"]["id"]
        ),
    }


async def test_everything_a_volume_knows_is_searched_at_once(api: Api) -> None:
    await world(api)
    for _ in range(2):
        found = await search(api, "red pump", f"totalCount {NAMES}")
        assert found["totalCount"] == 5
        assert {node["__typename"] for node in found["nodes"]} == {
            "Entity",
            "Fact",
            "Memory",
            "Chunk",
            "CodeArtifact",
        }
        await api.store.follower.drain()


async def test_a_hit_says_why_it_was_found_and_by_what_beside_its_own_words(api: Api) -> None:
    ids = await world(api)
    why = "edges { score node { __typename ... on Fact { id } } explanation { vectorRank textRank via { id __typename } } }"
    found = await search(api, "forty coins", why)
    first = found["edges"][0]
    assert first["node"] == {"__typename": "Fact", "id": ids["fact"]}
    assert first["explanation"] == {
        "vectorRank": 1,
        "textRank": 1,
        "via": [{"id": ids["entity"], "__typename": "Entity"}],
    }
    assert 1.0 <= first["score"] <= 1.1025
    (chunk,) = [edge for edge in found["edges"] if edge["node"]["__typename"] == "Chunk"]
    assert chunk["explanation"]["textRank"] is None
    assert chunk["explanation"]["via"] == [{"id": ids["chunk"], "__typename": "Document"}]


async def test_a_code_is_found_by_its_letters_though_its_meaning_is_far(api: Api) -> None:
    for n in range(30):
        await api.memory(f"note {n}", f"E 4711 {n} e")
    wanted = await api.memory("Incident", "All of the many words of this long report end with the code E-4712.")
    found = await search(api, "E-4712", "edges { node { ... on Memory { id } } explanation { textRank } }", first=100)
    (edge,) = [edge for edge in found["edges"] if edge["node"]["id"] == wanted]
    assert edge["explanation"] == {"textRank": 1}


SIGNED = {
    "in C": "A compiler that is written in C.",
    "in C++": "A compiler that is written in C++.",
    "in C#": "A compiler that is written in C#.",
    "far code": "All of the many words of this long report of the incident of last night end with the code E-4712.",
    "near code": "E-4711 E 4712",
    "rocket": "We have lift-off 🚀",
    "arrow": "From a → b",
    "heart": "With ❤\ufe0f from us",
    "words": "Nothing but plain words.",
}


async def test_signs_codes_and_pictures_are_found_as_they_are_written(api: Api) -> None:
    for title, content in SIGNED.items():
        await api.memory(title, content)
    asked = "edges { node { ... on Memory { title } } explanation { textRank } }"
    for _ in range(2):
        for query, title, others in (
            ("C", "in C", {"in C++", "in C#"}),
            ("C++", "in C++", {"in C", "in C#"}),
            ("c#", "in C#", {"in C", "in C++"}),
            ("compiler in C++", "in C++", {"in C", "in C#"}),
            ("E-4712", "far code", {"near code"}),
            ("🚀", "rocket", set()),
            ("→", "arrow", set()),
            ("❤", "heart", set()),
        ):
            edges = (await search(api, query, asked, first=100))["edges"]
            worded = {e["node"]["title"]: e["explanation"]["textRank"] for e in edges if e["explanation"]["textRank"]}
            assert (edges[0]["node"]["title"], worded[title]) == (title, 1), query
            assert others <= worded.keys(), query
            assert others or len(worded) == 1, query
        await api.store.follower.drain()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ('"exactly this"', "exactly this"),
        ("(parentheses) OR NOT", "parentheses or not"),
        ("star*", "star"),
        ("C:\\a\\b", "C:\\a\\b"),
        ("well-known", "a well-known one"),
        ("東京大学", "東京大学で研究する"),
        ("مرحبا", "مرحبا بالعالم"),
        ("КНИГА", "моя книга"),
        ("snake_case_name", "snake_case_name()"),
        ("'); DROP TABLE memory; --", "drop table"),
    ],
)
async def test_a_query_is_plain_text_in_any_script(api: Api, query: str, text: str) -> None:
    for n in range(3):
        await api.memory(f"filler {n}", "entirely other words")
    await api.memory("wanted", text)
    assert (await names(api, query))[0] == "wanted"
    await api.store.follower.drain()
    assert (await names(api, query))[0] == "wanted"


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"q": " \n "}, "query"),
        ({"q": "\u200b"}, "query"),
        ({"q": "x" * 4001}, "query"),
        ({"q": "a", "c": "x" * 4001}, "context"),
        ({"q": "a", "n": 0}, "first"),
        ({"q": "a", "n": 101}, "first"),
    ],
)
async def test_a_search_that_cannot_be_is_refused(api: Api, arguments: dict[str, Any], argument: str) -> None:
    query = """query($q: String!, $c: String, $n: Int! = 10) { volume {
        search(query: $q, context: $c, first: $n) { totalCount } } }"""
    async with api.unchanged():
        body = await api.send(query, **arguments)
    (error,) = body["errors"]
    assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("BAD_USER_INPUT", argument)
    assert body["data"]["volume"]["search"] is None


async def test_what_a_mutation_answered_is_found_by_the_next_search_from_another_process_too(api: Api) -> None:
    volume = await api.store.volume("default")
    assert volume is not None
    async with opened(api.store.settings, embedder=api.knowledge.embedder) as elsewhere:  # type: ignore[arg-type]
        other = Searcher(elsewhere, api.knowledge.embedder)
        vector = await other.vector("violet lamp")

        async def found_there() -> int:
            return len(await other.search(Asked(volume.id, "violet lamp"), vector))

        memory = await api.memory("Violet lamp")
        assert (await names(api, "violet lamp"), await found_there()) == (["Violet lamp"], 1)
        await api.do("updateMemory", "memory { id }", id=memory, title="Green lamp")
        assert (await names(api, "green lamp"), await found_there()) == (["Green lamp"], 1)
        await api.store.follower.drain()
        await api.do("deleteMemory", "deletedId", id=memory)
        assert (await names(api, "green lamp"), await found_there()) == ([], 0)


async def test_another_volume_is_as_empty_as_an_unknown_one(api: Api) -> None:
    ids = await world(api)
    await api.do("createVolume", "volume { id }", name="other")
    assert await names(api, "red pump", name="other") == []
    assert await names(api, "red pump", name="other", filter={"projects": [ids["project"]]}) == []
    assert (await api.ask('{ volume(name: "none") { search(query: "a") { totalCount } } }'))["volume"] is None


async def test_what_is_not_believed_is_merged_or_obsolete_is_not_found(api: Api) -> None:
    ids = await world(api)
    lost = await api.entity("Red Valve", "product")
    await api.do("mergeEntities", "entity { id }", into=ids["entity"], **{"from": [lost]})
    await api.do("retractFact", "fact { id }", id=ids["fact"])
    await api.fact(ids["entity"], "may cost fifty coins", confidence=0.5)
    newer = await api.memory("Red pump mended")
    await api.do("supersedeMemory", "memory { id }", id=ids["memory"], by=newer)
    shown = await names(api, "red pump coins valve", first=100)
    assert sorted(shown) == ["Red Pump", "Red pump mended", "Turn the red pump on by its lever.", "start"]
    await api.store.follower.drain()
    assert await names(api, "red pump coins valve", first=100) == shown
    with_old = await names(api, "red pump", first=100, filter={"includeObsolete": True})
    assert sorted([*shown, "Pump failure"]) == sorted(with_old)


async def test_chunks_of_earlier_revisions_are_not_found(api: Api) -> None:
    await api.document("Manual", "The lever is yellow.", uri="file:manual")
    await api.document("Manual", "The lever is purple.", uri="file:manual")
    assert await names(api, "lever yellow purple", kinds=["CHUNK"]) == ["The lever is purple."]


KINDS = {
    "ENTITY": ["Red Pump"],
    "FACT": ["costs forty coins"],
    "MEMORY": ["Pump failure"],
    "CHUNK": ["Turn the red pump on by its lever."],
    "CODE_ARTIFACT": ["start"],
}


async def test_kinds_and_filters_decide_what_may_be_found(api: Api) -> None:
    ids = await world(api)
    of_project = {"projects": [ids["project"]]}
    for drained in (False, True):
        if drained:
            await api.store.follower.drain()
        for kind, shown in KINDS.items():
            assert await names(api, "red pump", kinds=[kind]) == shown
        assert await names(api, "red pump", kinds=[]) == []
        for filter, expected in (
            ({"types": ["Product"]}, ["ENTITY", "FACT"]),
            ({"types": ["person"]}, []),
            (of_project, ["ENTITY", "FACT"]),
            ({"tags": ["shop"]}, ["MEMORY"]),
            ({"tags": ["tool"]}, ["CODE_ARTIFACT"]),
            ({"tags": ["sho", "%"]}, []),
            ({"authorities": ["OFFICIAL"]}, ["CHUNK"]),
            ({"authorities": ["USER"]}, ["FACT"]),
            ({"minConfidence": 1.0}, list(KINDS)),
            ({"createdAfter": "2100-01-01T00:00:00Z"}, []),
            ({"createdBefore": "2100-01-01T00:00:00Z"}, list(KINDS)),
            ({"types": ["product"], "tags": ["shop"]}, []),
        ):
            wanted = sorted(name for kind in expected for name in KINDS[kind])
            assert sorted(await names(api, "red pump", filter=filter)) == wanted, filter


async def test_context_draws_the_query_towards_its_meaning(api: Api) -> None:
    await api.memory("river bank")
    await api.memory("money bank")
    assert (await names(api, "bank", context="river"))[0] == "river bank"
    assert (await names(api, "bank", context="money"))[0] == "money bank"
    assert await names(api, "bank", context=" ") == await names(api, "bank")


async def test_of_equally_good_memories_the_important_one_comes_first(api: Api) -> None:
    await api.memory("same", importance=2)
    await api.memory("same", importance=9)
    found = await search(api, "same", "nodes { ... on Memory { importance } }")
    assert found["nodes"] == [{"importance": 9}, {"importance": 2}]


async def test_a_search_through_a_view_shows_what_was_believed_and_true(api: Api) -> None:
    pump = await api.entity("Pump", "product")
    fact = await api.fact(pump, "costs forty coins", validFrom="2020-01-01T00:00:00Z", validTo="2021-01-01T00:00:00Z")
    before = (await api.node(fact, "knownFrom"))["knownFrom"]
    await api.do("retractFact", "fact { id }", id=fact)
    await api.fact(pump, "costs some coins", confidence=0.8)

    async def seen(arguments: str) -> list[str]:
        query = 'search(query: "coins", kinds: [FACT]) { nodes { ... on Fact { content } } }'
        data = await api.ask(f"{{ volume({arguments}) {{ {query} }} }}")
        return [node["content"] for node in data["volume"]["search"]["nodes"]]

    for _ in range(2):
        assert await seen("minConfidence: 0.7") == ["costs some coins"]
        assert await seen("minConfidence: 0.9") == []
        assert await seen(f'asOf: {{known: "{before}"}}') == ["costs forty coins"]
        assert await seen(f'asOf: {{known: "{before}", valid: "2020-06-01T00:00:00Z"}}') == ["costs forty coins"]
        assert await seen(f'asOf: {{known: "{before}", valid: "2022-06-01T00:00:00Z"}}') == []
        assert await seen('asOf: {valid: "2022-06-01T00:00:00Z"}') == ["costs some coins"]
        await api.store.follower.drain()


@pytest.mark.parametrize("width", [1, 10, 100])
async def test_a_search_takes_the_same_statements_whatever_its_width(api: Api, width: int) -> None:
    volume = await api.store.volume("default")
    assert volume is not None
    pump = await api.entity("pump", "product")
    for n in range(width // 2 + 1):
        await api.fact(pump, f"pump says {n}")
    await search(api, "pump", f"edges {{ cursor explanation {{ via {{ id }} }} }} {NAMES}", first=100)
    # The volume, what is pending, what passes, the ranking kept (two), entities, facts, and whom the facts are about; SQLite's BEGIN.
    assert len(api.statements) == (9 if api.store.database.dialect == "sqlite" else 8)


PAGE = "totalCount pageInfo { hasNextPage hasPreviousPage endCursor } nodes { ... on Memory { title } }"


async def page(api: Api, after: str | None = None, first: int = 2) -> tuple[list[str], dict[str, Any]]:
    """Return the titles on a page of the search for "note", and where the page stands."""
    found = await search(api, "note", PAGE, first=first, **({} if after is None else {"after": after}))
    return [node["title"] for node in found["nodes"]], {"total": found["totalCount"], **found["pageInfo"]}


async def test_pages_are_cut_from_one_frozen_ranking_while_rows_come_and_go(api: Api) -> None:
    ids = {f"note {n}": await api.memory(f"note {n}", "a note") for n in range(7)}
    whole = (await page(api, first=100))[0]
    assert sorted(whole) == sorted(ids)
    shown, info = await page(api)
    assert (shown, info["total"], info["hasNextPage"], info["hasPreviousPage"]) == (whole[:2], 7, True, False)
    assert len(await api.rows(models.Ranking)) == 1
    await api.memory("note note", "note note note")
    await api.do("deleteMemory", "deletedId", id=ids[whole[3]])
    await api.do("supersedeMemory", "memory { id }", id=ids[whole[5]], by=ids[whole[0]])
    await api.store.follower.drain()
    shown, info = await page(api, info["endCursor"])
    assert (shown, info["hasNextPage"], info["hasPreviousPage"]) == ([whole[2], whole[4]], True, True)
    shown, info = await page(api, info["endCursor"])
    assert (shown, info["total"], info["hasNextPage"]) == ([whole[6]], 7, False)
    assert (await page(api, info["endCursor"]))[0] == []


async def test_one_page_keeps_no_ranking_and_a_query_that_shows_cursors_does(api: Api) -> None:
    await api.memory("note 1")
    await api.memory("note 2")
    await search(api, "note", "nodes { __typename } pageInfo { hasNextPage endCursor }")
    assert await api.rows(models.Ranking) == []
    found = await search(api, "note", "edges { cursor node { ... on Memory { title } } }")
    assert len(await api.rows(models.Ranking)) == 1
    first, second = found["edges"]
    assert (await page(api, first["cursor"], first=10))[0] == [second["node"]["title"]]


async def test_a_cursor_that_has_expired_is_refused_and_one_of_another_search_is_none(api: Api) -> None:
    for n in range(3):
        await api.memory(f"note {n}")
    _, info = await page(api, first=1)
    (ranking,) = await api.rows(models.Ranking)
    assert ranking["expires_at"] > utc_now() + timedelta(minutes=9)

    async def refusal(query: str, after: str, arguments: str = "") -> tuple[str, str]:
        asked = f"query($q: String!, $a: String) {{ volume {{ search(query: $q, after: $a{arguments}) {{ totalCount }} }} }}"
        async with api.unchanged():
            body = await api.send(asked, q=query, a=after)
        (error,) = body["errors"]
        assert error["extensions"]["argument"] == "after"
        return error["extensions"]["code"], error["message"].split(".")[0].split(":")[0]

    other = ("BAD_USER_INPUT", "This cursor is not of this list, with this order and filter")
    assert await refusal("notes", info["endCursor"]) == other
    assert await refusal("note", info["endCursor"], ", kinds: [MEMORY]") == other
    assert await refusal("note", info["endCursor"][:-1]) == other
    table = table_of(models.Ranking)
    async with api.store.database.writing() as connection:
        await connection.execute(update(table).values(expires_at=utc_now()))
    assert await refusal("note", info["endCursor"]) == ("BAD_USER_INPUT", "This cursor has expired")
    await page(api, first=1)
    (again,) = await api.rows(models.Ranking)
    assert again["expires_at"] > utc_now() + timedelta(minutes=9)
    assert (await page(api, info["endCursor"], first=1))[0] != []


async def test_a_ranking_goes_with_its_volume(api: Api) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    for n in range(3):
        await api.do("createMemory", "memory { id }", volume="other", title=f"note {n}", content="a")
    await search(api, "note", name="other", first=1)
    assert len(await api.rows(models.Ranking)) == 1
    await api.do("deleteVolume", "deletedId", volume="other", confirm="other")
    assert await api.rows(models.Ranking) == []


async def test_several_volumes_are_searched_in_one_operation(api: Api) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    await api.memory("note here")
    await api.do("createMemory", "memory { id }", volume="other", title="note there", content="a")
    data = await api.ask('{ volumes { nodes { name search(query: "note") { nodes { ... on Memory { title } } } } } }')
    assert {one["name"]: one["search"]["nodes"] for one in data["volumes"]["nodes"]} == {
        "default": [{"title": "note here"}],
        "other": [{"title": "note there"}],
    }
