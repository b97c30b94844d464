"""Search by the walk over the graph: documents that answer only together, names of every form, and what is never shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from server.services.extraction.protocol import ExtractedEntity, Extraction, Span

if TYPE_CHECKING:
    from api.conftest import Api

QUERY = """query($q: String!, $v: String!, $k: [SearchKind!], $m: SearchMode!, $f: SearchFilter, $n: Int!) { volume(name: $v) {
    search(query: $q, kinds: $k, mode: $m, filter: $f, first: $n) { edges { score explanation { graphRank }
        node { ... on Chunk { document { title } } ... on Entity { name } ... on Fact { content } ... on Memory { title } } } } } }"""


def naming(text: str, *names: str) -> Extraction:
    """Return what an extractor says that finds these names in a text, each where it first stands."""
    spans = [(name, text.index(name)) for name in names]
    return Extraction(
        entities=[
            ExtractedEntity(name, name, "concept", name, mentions=(Span(at, at + len(name)),)) for name, at in spans
        ]
    )


async def found(
    api: Api,
    query: str,
    kinds: list[str] | None = None,
    *,
    mode: str = "GRAPH",
    volume: str = "default",
    filter: dict[str, Any] | None = None,
    first: int = 10,
) -> list[tuple[str, int | None]]:
    """Return what a search finds, in order, each with its place by the walk."""
    asked = {"q": query, "v": volume, "k": kinds, "m": mode, "f": filter, "n": first}
    edges = (await api.ask(QUERY, **asked))["volume"]["search"]["edges"]
    shown = [(edge["node"], edge["explanation"]["graphRank"]) for edge in edges]
    return [(node.get("document", {}).get("title") or next(iter(node.values())), rank) for node, rank in shown]


async def told(api: Api, title: str, text: str, *names: str, **rest: Any) -> str:
    """Ingest a document that names these things."""
    return await api.document(title, text, naming(text, *names), **rest)


@pytest.fixture
async def library(api: Api) -> dict[str, str]:
    """Kvist was founded by Mette; where she was born stands in a document that does not name Kvist. Twenty others name neither."""
    ids = {
        "firm": await told(api, "Kvist", "Kvist is a firm. It was founded by Mette Holm.", "Kvist", "Mette Holm"),
        "founder": await told(api, "Mette Holm", "She grew up in Odder, by the sea.", "Odder"),
    }
    for n in range(8):
        await told(api, f"Firm {n}", f"Firm {n} was founded where its founder was born, by Person {n}.", f"Person {n}")
    return ids


@pytest.mark.usefixtures("library")
async def test_the_second_document_of_a_question_is_found_by_what_the_first_names(api: Api) -> None:
    question = "Where was the founder of Kvist born?"
    walked = await found(api, question, ["CHUNK"])
    assert {name for name, _ in walked[:2]} == {"Kvist", "Mette Holm"}
    assert [rank for _, rank in walked] == list(range(1, len(walked) + 1))
    plain = await found(api, question, ["CHUNK"], mode="HYBRID")
    assert {rank for _, rank in plain} == {None}


@pytest.mark.usefixtures("library")
async def test_entities_are_ranked_by_the_walk_beside_chunks(api: Api) -> None:
    assert (await found(api, "Who founded Kvist?", ["ENTITY"]))[:2] == [("Kvist", 1), ("Mette Holm", 2)]
    both = await found(api, "Who founded Kvist?", ["ENTITY", "CHUNK"], first=2)
    assert both == [("Kvist", 1), ("Kvist", 1)]


@pytest.mark.usefixtures("library")
async def test_a_name_is_found_in_lower_case_where_the_question_has_no_capitals(api: Api) -> None:
    walked = await found(api, "who founded kvist", ["CHUNK"])
    assert {name for name, _ in walked[:2]} == {"Kvist", "Mette Holm"}


async def test_a_fact_is_ranked_by_its_subject_too(api: Api, library: dict[str, str]) -> None:
    other = await api.entity("Elsewhere")
    known = (await api.volume('entity(by: {name: {name: "Odder"}}) { id }'))["entity"]["id"]
    await api.fact(other, "It has a harbour")
    await api.fact(known, "It has a harbour too")
    assert [name for name, _ in await found(api, "harbour of Odder", ["FACT"])] == [
        "It has a harbour too",
        "It has a harbour",
    ]


async def test_what_was_merged_counts_as_its_survivor(api: Api, library: dict[str, str]) -> None:
    ids = {
        name: (await api.volume("entity(by: $b) { id }", b=("EntityBy!", {"name": {"name": name}})))["entity"]["id"]
        for name in ("Kvist", "Odder")
    }
    await api.do("mergeEntities", "entity { id }", into=ids["Odder"], **{"from": [ids["Kvist"]]})
    entities = [name for name, _ in await found(api, "Kvist", ["ENTITY"])]
    assert sorted(entities[:2]) == ["Mette Holm", "Odder"]
    assert "Kvist" not in entities


@pytest.mark.usefixtures("library")
async def test_a_filter_keeps_out_what_the_walk_reaches_too(api: Api) -> None:
    await told(api, "Official", "Kvist exists.", "Kvist", authority="OFFICIAL")
    official = await found(api, "founder of Kvist", ["CHUNK"], filter={"authorities": ["OFFICIAL"]})
    assert [name for name, _ in official] == ["Official"]
    memories = await found(api, "founder of Kvist", ["CHUNK", "MEMORY"], filter={"tags": ["none"]})
    assert memories == []


async def test_another_volume_knows_nothing_of_it(api: Api, library: dict[str, str]) -> None:
    await api.do("createVolume", "volume { id }", name="other")
    assert await found(api, "Where was the founder of Kvist born?", volume="other") == []
    await told(api, "There", "Kvist is here too.", "Kvist", volume="other")
    assert await found(api, "Kvist", ["CHUNK"], volume="other") == [("There", 1)]
    assert "There" not in [name for name, _ in await found(api, "Kvist", ["CHUNK"])]


async def test_what_only_an_earlier_revision_says_is_not_walked(api: Api) -> None:
    await told(api, "News", "Kvist is run by Mette Holm.", "Kvist", "Mette Holm", uri="u")
    await told(api, "Life", "Mette Holm lives in Odder.", "Mette Holm", "Odder")
    before = await found(api, "Kvist", ["ENTITY"])
    assert [name for name, _ in before if name in ("Kvist", "Mette Holm", "Odder")] == ["Kvist", "Mette Holm", "Odder"]
    await told(api, "News", "Kvist is run by nobody.", "Kvist", uri="u")
    after = dict(await found(api, "Kvist", ["ENTITY"]))
    assert after["Kvist"] == 1
    assert [name for name, _ in await found(api, "Kvist", ["CHUNK"], first=1)] == ["News"]


async def test_a_deleted_document_is_not_walked(api: Api, library: dict[str, str]) -> None:
    await api.do("deleteDocument", "deletedId", id=library["firm"])
    assert "Kvist" not in [name for name, _ in await found(api, "Where was the founder of Kvist born?")]


@pytest.mark.parametrize(
    ("title", "text", "name", "question"),
    [
        ("東京大学", "東京大学は本郷にある。", "本郷", "東京大学はどこにありますか"),
        ("Кремль", "Кремль стоит в центре.", "Кремль", "Где стоит Кремль?"),
        (
            "Dark River (2017 film)",
            "It was directed by Clio Barnard.",
            "Clio Barnard",
            "Who directed Dark River (2017 Film)?",
        ),
        ("جامعة القاهرة", "جامعة القاهرة في الجيزة.", "الجيزة", "أين تقع جامعة القاهرة؟"),
    ],
)
async def test_a_title_is_found_in_a_question_in_any_script(
    api: Api, title: str, text: str, name: str, question: str
) -> None:
    for n in range(3):
        await told(api, f"Other {n}", f"Other {n} stands elsewhere.", "Other")
    await told(api, title, text, name)
    assert (await found(api, question, ["CHUNK"]))[0] == (title, 1)


async def test_of_two_titles_that_differ_in_parentheses_the_one_that_is_named_leads(api: Api) -> None:
    await told(api, "Dark River (1990 film)", "It was directed by One.", "One")
    await told(api, "Dark River (2017 film)", "It was directed by Two.", "Two")
    for year in ("1990", "2017"):
        leading = (await found(api, f"Who directed Dark River ({year} film)?", ["CHUNK"]))[0][0]
        assert leading == f"Dark River ({year} film)"


async def test_it_takes_as_many_statements_for_a_wide_volume_as_for_a_narrow_one(
    api: Api, library: dict[str, str]
) -> None:
    counted = []
    for width in (1, 9):
        for n in range(width):
            await told(api, f"More {width} {n}", f"Thing {n} is near Odder.", f"Thing {n}", "Odder")
        await found(api, "Where was the founder of Kvist born?", ["CHUNK"], first=100)
        counted.append(len(api.statements))
    assert counted == [15, 15]
