"""Which entity a document's names stand for: known ones, new ones, homonyms, and names that several ingestions meet at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from scripted import counts, dump, edge, extraction, fact, ingest, names, reasons, thing
from sqlalchemy import select

from server import models
from server.services.documents import NewDocument
from server.services.extraction.protocol import ChunkText, Extraction, Span
from server.services.ingestion.worker import IngestionWorker

if TYPE_CHECKING:
    from api.conftest import Api


async def notes_of_mentions(api: Api) -> list[tuple[str, str | None]]:
    """Return each mention as (entity's name, note), in the order of the documents."""
    entity, mention = models.Entity.__table__, models.Mention.__table__  # type: ignore[attr-defined]
    statement = select(entity.c.name, mention.c.note).join(mention, mention.c.entity_id == entity.c.id)
    return [tuple(row) for row in await api.store.read.rows(statement.order_by(mention.c.id))]


async def documents_of(api: Api, name: str, type: str | None = None) -> list[str]:
    """Return the titles of the documents that mention the entity of this name."""
    by = {"name": {"name": name, **({"type": type} if type else {})}}
    query = "query($by: EntityBy!) { volume { entity(by: $by) { documents { nodes { title } } } } }"
    entity = (await api.ask(query, by=by))["volume"]["entity"]
    return [d["title"] for d in entity["documents"]["nodes"]]


@pytest.mark.parametrize("other", ["concept", "person", "place"])
async def test_a_mention_joins_the_known_name_whatever_type_was_guessed(api: Api, other: str) -> None:
    """The other guess is kept as a note; the entity keeps its type."""
    await ingest(api, "Göttingen is old.", thing("Göttingen", "organization"))
    payload = await ingest(api, "GÖTTINGEN is small.", thing("GÖTTINGEN", other))
    assert counts(payload) == ("DONE", 1, 0, 0)
    assert await names(api) == [("Göttingen", "organization", [])]
    assert await notes_of_mentions(api) == [("Göttingen", None), ("Göttingen", f"read as {other}")]


async def test_a_guess_that_agrees_needs_no_note(api: Api) -> None:
    await ingest(api, "Göttingen is old.", thing("Göttingen", "place"))
    await ingest(api, "Göttingen is small.", thing("Göttingen", "place"))
    assert await notes_of_mentions(api) == [("Göttingen", None), ("Göttingen", None)]


async def test_stated_types_that_exclude_each_other_split_a_name(api: Api) -> None:
    await ingest(api, "Jordan is ill.", thing("Jordan", "person", stated_type=True))
    payload = await ingest(api, "Jordan is dry.", thing("Jordan", "place", stated_type=True))
    assert counts(payload) == ("DONE", 1, 0, 0)
    assert await names(api) == [("Jordan", "person", []), ("Jordan", "place", [])]


async def test_stated_types_that_exclude_each_other_split_a_name_within_one_document(api: Api) -> None:
    """Claims go to the one whose key they carry."""
    text = "Jordan, the singer, toured in Jordan. She is tall. It is dry."
    payload = await ingest(
        api,
        text,
        thing("Jordan", "person", key="she", stated_type=True, mentions=(Span(0, 6),)),
        thing("Jordan", "place", key="it", stated_type=True, mentions=(Span(30, 36),)),
        fact("she", "Is tall", "She is tall."),
        fact("it", "Is dry", "It is dry."),
        edge("she", "TOURED_IN", "it", "toured in Jordan"),
    )
    assert (counts(payload), reasons(payload)) == (("DONE", 2, 2, 1), [])
    assert await names(api) == [("Jordan", "person", []), ("Jordan", "place", [])]
    data = await api.ask("{ volume { facts { nodes { content subject { type } } } } }")
    assert sorted((f["content"], f["subject"]["type"]) for f in data["volume"]["facts"]["nodes"]) == [
        ("Is dry", "place"),
        ("Is tall", "person"),
    ]


@pytest.mark.parametrize("stated_first", [True, False])
async def test_a_recognisers_label_alone_never_splits(api: Api, stated_first: bool) -> None:
    """It calls Göttingen a person; what the grammar states holds, in whatever order the documents come."""
    stated = ("Ada lives in Göttingen.", thing("Göttingen", "place", stated_type=True))
    guessed = ("Göttingen says hello.", thing("Göttingen", "person"))
    for text, said in (stated, guessed) if stated_first else (guessed, stated):
        await ingest(api, text, said)
    assert await names(api) == [("Göttingen", "place", [])]


async def test_what_a_person_stated_is_not_retyped(api: Api) -> None:
    await api.do("createEntity", "entity { id }", name="Mercury", type="person")
    await ingest(api, "Mercury is hot.", thing("Mercury", "place", stated_type=True))
    await ingest(api, "Mercury sang.", thing("Mercury", "organization"))
    assert await names(api) == [("Mercury", "person", []), ("Mercury", "place", [])]


async def test_types_that_do_not_exclude_each_other_never_split(api: Api) -> None:
    await ingest(api, "Python is fast.", thing("Python", "technology", stated_type=True))
    await ingest(api, "Python is a language.", thing("Python", "language", stated_type=True))
    assert await names(api) == [("Python", "technology", [])]


async def test_a_declared_alias_leads_to_its_entity(api: Api) -> None:
    first = "International Business Machines, called IBM, is old."
    await ingest(api, first, thing("International Business Machines", "organization", aliases=("IBM",)))
    payload = await ingest(api, "ibm is blue.", thing("ibm", "product"), fact("ibm", "Is blue", "ibm is blue."))
    assert counts(payload) == ("DONE", 1, 1, 0)
    assert await names(api) == [("International Business Machines", "organization", ["IBM"])]


async def test_a_new_alias_of_a_known_entity_is_kept_and_logged(api: Api) -> None:
    await ingest(api, "Kubernetes runs.", thing("Kubernetes"))
    await ingest(api, "Kubernetes, or K8s, runs.", thing("Kubernetes", aliases=("K8s", "kubernetes")))
    assert await names(api) == [("Kubernetes", "concept", ["K8s"])]
    data = await api.ask("{ volume { changes(filter: {kinds: [UPDATED]}) { nodes { before after } } } }")
    assert data["volume"]["changes"]["nodes"] == [{"before": {"aliases": []}, "after": {"aliases": ["K8s"]}}]
    data = await api.ask("{ volume { entities { nodes { version } } } }")
    assert data["volume"]["entities"]["nodes"] == [{"version": 2}]


async def test_in_one_document_an_alias_declared_later_names_the_one_before(api: Api) -> None:
    text = "IBM is blue. International Business Machines (IBM) is old."
    payload = await ingest(
        api,
        text,
        thing("IBM", "organization"),
        thing("International Business Machines", "organization", aliases=("IBM",)),
        fact("IBM", "Is blue", "IBM is blue."),
    )
    assert counts(payload) == ("DONE", 1, 1, 0)
    assert await names(api) == [("IBM", "organization", ["International Business Machines"])]


async def test_two_people_who_share_a_surname_stay_two(api: Api) -> None:
    text = "John Smith met Jane Smith. Smith left."
    payload = await ingest(
        api,
        text,
        thing("John Smith", "person", aliases=("Smith",)),
        thing("Jane Smith", "person", aliases=("Smith",)),
    )
    assert counts(payload) == ("DONE", 2, 0, 0)
    assert await names(api) == [("Jane Smith", "person", ["Smith"]), ("John Smith", "person", ["Smith"])]


async def test_the_legal_form_of_an_organization_does_not_count(api: Api) -> None:
    await ingest(api, "OpenAI grew.", thing("OpenAI", "organization"))
    await ingest(api, "OpenAI, Inc. grew.", thing("OpenAI, Inc.", "organization", stated_type=True))
    await ingest(api, "Open AI grew.", thing("Open AI", "concept"))
    assert await names(api) == [("OpenAI", "organization", [])]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Go", "Google"),
        ("R", "SSO Feature"),
        ("C", "C++"),
        ("Rev A", "Rev B"),
        ("mlp-332", "mlp-333"),
        ("東京大学", "京都大学"),
        ("John Doe", "John T. Doe"),
    ],
)
async def test_likeness_and_substrings_never_join(api: Api, one: str, two: str) -> None:
    for first, second in ((one, two), (two, one)):
        await ingest(api, f"{first} is here.", thing(first))
        await ingest(api, f"{second} is there.", thing(second))
    assert await names(api) == sorted([(one, "concept", []), (two, "concept", [])])


@pytest.mark.parametrize(
    "spellings",
    [
        ("ＡＣＭＥ", "acme", "“Acme”"),
        ("Zoe\u0308", "Zoë", "ZOË"),
        ("the Beatles", "Beatles", "The  Beatles,"),
        ("Open AI", "open-ai", "OpenAI"),
    ],
    ids=["width", "form", "article", "spacing"],
)
async def test_spellings_of_one_name_are_one_entity(api: Api, spellings: tuple[str, ...]) -> None:
    for number, name in enumerate(spellings):
        await ingest(api, f"{number}: {name} is here.", thing(name))
    assert [(name, aliases) for name, _, aliases in await names(api)] == [(spellings[0], [])]


async def test_fifty_ingestions_that_meet_a_name_at_once_make_one_entity(api: Api) -> None:
    """Eight workers besides the one that runs; every document is read, none fails, none is doubled."""
    volume = await api.store.volume("default")
    assert volume is not None
    spellings = (("Acme", "organization"), ("ACME, Inc.", "organization"), ("acme", "concept"))
    runs: list[UUID] = []
    said: dict[str, Extraction] = {}
    for number in range(50):
        name, type = spellings[number % 3]
        text = f"{number}: {name} makes anvils."
        said[text] = extraction([thing(name, type), thing("anvils"), edge(name, "MAKES", "anvils", text)])

    async def read(chunk: ChunkText) -> Extraction:
        return said[chunk.text]

    api.extractor.answers.update(said)
    for number, text in enumerate(said):
        runs.append((await api.knowledge.documents.take(volume, NewDocument(f"D{number}", text), "test")).ingestion_id)
    settings = api.store.settings
    workers = [IngestionWorker(api.store, api.knowledge.embedder, read, settings) for _ in range(8)]
    tasks = [asyncio.create_task(worker.run()) for worker in workers]
    ended = [await api.knowledge.worker.finished(run) for run in runs]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert {(r.status, r.error, r.entities_found, r.relationships_found) for r in ended} == {("DONE", None, 2, 1)}
    assert {name.casefold() for name, _, _ in await names(api)} <= {"acme", "acme, inc.", "anvils"}
    rows = await dump(api.store, "entity", "relationship", "evidence", "mention", "document_entity", "chunk")
    assert {name: len(found) for name, found in rows.items()} == {
        "entity": 2,
        "relationship": 1,
        "evidence": 50,
        "mention": 100,
        "document_entity": 100,
        "chunk": 50,
    }


async def homonyms(api: Api) -> None:
    """Two people called Li Wei: the CFO of Acme and the CFO of Globex."""
    for company in ("Acme", "Globex"):
        li = await api.do("createEntity", "entity { id }", name="Li Wei", type="person", sense=f"CFO of {company}")
        at = await api.do("createEntity", "entity { id }", name=company, type="organization")
        ends = {"source": {"id": li["entity"]["id"]}, "target": {"id": at["entity"]["id"]}}
        await api.do("createRelationship", "relationship { id }", type="WORKS_AT", **ends)


async def facts_by_sense(api: Api) -> list[tuple[str, str]]:
    data = await api.ask("{ volume { facts { nodes { content subject { sense } } } } }")
    return sorted((f["subject"]["sense"], f["content"]) for f in data["volume"]["facts"]["nodes"])


async def test_a_bare_name_goes_to_the_homonym_whose_neighbour_the_document_names(api: Api) -> None:
    await homonyms(api)
    text = "Li Wei resigned. Globex fell."
    said = (thing("Li Wei", "person"), thing("Globex", "organization"), fact("Li Wei", "Resigned", "Li Wei resigned."))
    payload = await ingest(api, text, *said)
    assert (counts(payload), reasons(payload)) == (("DONE", 2, 1, 0), [])
    assert await facts_by_sense(api) == [("CFO of Globex", "Resigned")]


async def test_a_neighbour_that_only_the_title_names_decides_too(api: Api) -> None:
    await homonyms(api)
    said = (thing("Li Wei", "person"), fact("Li Wei", "Resigned", "Li Wei resigned."))
    payload = await ingest(api, "Li Wei resigned.", *said, title="Acme")
    assert (counts(payload), reasons(payload)) == (("DONE", 1, 1, 0), [])
    assert await facts_by_sense(api) == [("CFO of Acme", "Resigned")]
    assert await documents_of(api, "Acme") == ["Acme"]


@pytest.mark.parametrize("companies", [(), ("Acme", "Globex")], ids=["none", "both"])
async def test_a_bare_name_without_a_deciding_neighbour_stays_unresolved(api: Api, companies: tuple[str, ...]) -> None:
    """It is listed with the candidates, and so is what is said of it; the rest is stored."""
    await homonyms(api)
    text = "Li Wei resigned. Bob likes tea. " + " ".join(companies)
    text = text.strip()
    others = [thing(company, "organization") for company in companies]
    payload = await ingest(
        api,
        text,
        *others,
        thing("Li Wei", "person"),
        thing("Bob", "person"),
        fact("Li Wei", "Resigned", "Li Wei resigned."),
        fact("Bob", "Likes tea", "Bob likes tea."),
        edge("Bob", "KNOWS", "Li Wei", "Li Wei resigned. Bob"),
    )
    assert counts(payload) == ("DONE", 1 + len(companies), 1, 0)
    assert reasons(payload) == [
        ("entity", "2 entities are called Li Wei, and the document names no neighbour of just one."),
        ("fact", "It is about a name that stands for several entities."),
        ("relationship", "It is about a name that stands for several entities."),
    ]
    item: dict[str, Any] = payload["ingestion"]["rejected"][0]["item"]
    data = await api.ask("{ volume { entities(first: 100) { nodes { id name } } } }")
    ids = {e["id"] for e in data["volume"]["entities"]["nodes"] if e["name"] == "Li Wei"}
    assert (item["name"], set(item["candidates"])) == ("Li Wei", ids)
    assert payload["ingestion"]["rejected"][1]["item"]["content"] == "Resigned"
    assert [
        f["content"] for f in (await api.ask("{ volume { facts { nodes { content } } } }"))["volume"]["facts"]["nodes"]
    ] == ["Likes tea"]


async def test_a_guess_chooses_among_namesakes_of_different_types(api: Api) -> None:
    await api.do("createEntity", "entity { id }", name="Jordan", type="person")
    await api.do("createEntity", "entity { id }", name="Jordan", type="place")
    payload = await ingest(api, "Jordan is dry.", thing("Jordan", "place"), fact("Jordan", "Is dry", "Jordan is dry."))
    assert counts(payload) == ("DONE", 1, 1, 0)
    data = await api.ask("{ volume { facts { nodes { subject { type } } } } }")
    assert data["volume"]["facts"]["nodes"] == [{"subject": {"type": "place"}}]


async def test_the_title_counts_as_a_mention(api: Api) -> None:
    await api.do("createEntity", "entity { id }", name="Kubernetes", type="technology")
    await ingest(api, "It runs containers.", title="Kubernetes")
    assert await documents_of(api, "Kubernetes") == ["Kubernetes"]


async def test_a_title_that_names_nothing_or_several_links_to_nothing(api: Api) -> None:
    await homonyms(api)
    await ingest(api, "He resigned.", title="Li Wei")
    await ingest(api, "It rains.", title="Kubernetes")
    assert await dump(api.store, "document_entity") == {"document_entity": []}


async def test_a_document_links_to_each_of_its_entities_once(api: Api) -> None:
    text = "Ada met Bob. Ada left."
    payload = await ingest(api, text, thing("Ada", mentions=(Span(0, 3), Span(13, 16))), thing("Bob"), title="Ada")
    query = "query($id: ID!) { node(id: $id) { ... on Document { entities { totalCount nodes { name } } } } }"
    entities = (await api.ask(query, id=payload["document"]["id"]))["node"]["entities"]
    assert (entities["totalCount"], sorted(e["name"] for e in entities["nodes"])) == (2, ["Ada", "Bob"])
    mentions = (await dump(api.store, "mention"))["mention"]
    assert len(mentions) == 3


async def test_names_of_one_volume_mean_nothing_in_another(api: Api) -> None:
    await api.do("createVolume", "volume { name }", name="other")
    await ingest(api, "Ada is here.", thing("Ada", "person"), volume="other")
    await ingest(api, "Ada is there.", thing("Ada", "organization"))
    assert await names(api) == [("Ada", "organization", [])]


async def test_a_known_entity_keeps_its_description(api: Api) -> None:
    await ingest(api, "Ada is here.", thing("Ada", description="a writer"))
    await ingest(api, "Ada is there.", thing("Ada", description="a reader"))
    data = await api.ask("{ volume { entities { nodes { description } } } }")
    assert data["volume"]["entities"]["nodes"] == [{"description": "a writer"}]


async def test_two_names_of_one_document_that_mean_one_entity_are_one(api: Api) -> None:
    """Their own keys differ, the stored one does not; names and aliases of both are kept."""
    text = "Foo grew. Foo Company shrank."
    payload = await ingest(
        api,
        text,
        thing("Foo", "organization"),
        thing("Foo Company", "organization", aliases=("FC",), stated_type=True),
        edge("Foo", "IS", "Foo Company", text),
    )
    assert (counts(payload), reasons(payload)) == (
        ("DONE", 1, 0, 0),
        [("relationship", "Both ends are the same entity.")],
    )
    ((name, type, aliases),) = await names(api)
    assert (name, type) == ("Foo", "organization")
    assert "FC" in aliases
