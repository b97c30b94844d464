"""Deleting a document: what it alone supported goes, what others support stays, and none of its words is left anywhere."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scripted import dump, edge, extraction, fact, ingest, names, thing

from server.services.extraction.protocol import RejectedItem

if TYPE_CHECKING:
    from api.conftest import Api

REMOVED = "deletedId claimsRemoved claimsKept entitiesRemoved"


async def delete(api: Api, payload: dict[str, Any]) -> tuple[int, int, int]:
    """Delete the document of an ingestion; return (claims removed, claims kept, entities removed)."""
    id = payload["document"]["id"]
    removed = await api.do("deleteDocument", REMOVED, id=id)
    assert removed["deletedId"] == id
    return removed["claimsRemoved"], removed["claimsKept"], removed["entitiesRemoved"]


async def claims(api: Api) -> dict[str, Any]:
    shared = "confidence status version evidence { quote authority document { title } }"
    data = await api.ask(
        f"{{ volume {{ facts(filter: {{statuses: [CURRENT, PENDING_REVIEW, RETRACTED]}}) {{ nodes {{ content {shared} }} }} "
        f"relationships(filter: {{statuses: [CURRENT, PENDING_REVIEW, RETRACTED]}}) {{ nodes {{ type description {shared} }} }} }} }}"
    )
    return {name: data["volume"][name]["nodes"] for name in ("facts", "relationships")}


async def leftovers(api: Api, word: str) -> dict[str, list[str]]:
    """Return, by table, the rows that hold a word in any column."""
    found = {name: [text for text in map(str, rows) if word in text] for name, rows in (await dump(api.store)).items()}
    return {name: rows for name, rows in found.items() if rows}


def files_with(folder: Path, word: str) -> set[str]:
    """Return the files under a folder whose bytes hold a word."""
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and word.encode() in path.read_bytes()
    }


async def test_what_it_alone_supported_goes(api: Api) -> None:
    text = "Ada works at Acme. Ada likes tea."
    payload = await ingest(
        api,
        text,
        thing("Ada", "person"),
        thing("Acme", "organization"),
        fact("Ada", "Likes tea", "Ada likes tea."),
        edge("Ada", "WORKS_AT", "Acme", "Ada works at Acme."),
    )
    assert await delete(api, payload) == (2, 0, 2)
    assert await names(api) == []
    kept = (
        "volume",
        "log_head",
        "change",
        "predicate",
        "store_setting",
        "pending_vector",
        "follower",
        "alembic_version",
    )
    assert {name for name, rows in (await dump(api.store)).items() if rows} <= set(kept)
    query = "query($id: ID!) { node(id: $id) { id } }"
    for id in (payload["document"]["id"], payload["ingestion"]["id"]):
        assert (await api.ask(query, id=id))["node"] is None


async def test_an_unknown_or_foreign_document_is_not_found_and_nothing_changes(api: Api) -> None:
    payload = await ingest(api, "Ada likes tea.", thing("Ada"))
    await api.do("createVolume", "volume { name }", name="other")
    before = await dump(api.store)
    for input in (
        {"id": payload["document"]["id"], "volume": "other"},
        {"id": payload["ingestion"]["id"]},
        {"id": "doc_nonsense"},
    ):
        refusal = await api.refused("deleteDocument", **input)
        assert (refusal["code"], refusal["argument"]) == ("NOT_FOUND", "id")
    assert await dump(api.store) == before
    await delete(api, payload)
    assert (await api.refused("deleteDocument", id=payload["document"]["id"]))["code"] == "NOT_FOUND"


async def test_the_same_content_can_be_ingested_anew(api: Api) -> None:
    text = "Ada likes tea."
    first = await ingest(api, text, thing("Ada"), uri="u")
    await delete(api, first)
    second = await ingest(api, text, thing("Ada"), uri="u")
    assert second["created"] is True
    assert second["document"]["id"] != first["document"]["id"]
    assert await names(api) == [("Ada", "concept", [])]


async def test_what_another_document_supports_stays_with_less_support_and_in_its_words(api: Api) -> None:
    one, two = "Ada likes tea.", "We know: Ada likes tea!"
    first = await ingest(api, one, thing("Ada"), thing("tea"), fact("Ada", "Likes TEA", one),
                         edge("Ada", "LIKES", "tea", one, description="first words"), title="One", authority="OFFICIAL")  # fmt: skip
    await ingest(api, two, thing("Ada"), thing("tea"), fact("Ada", "likes tea", "Ada likes tea"),
                 edge("Ada", "LIKES", "tea", "Ada likes tea", description="second words"), title="Two", authority="USER")  # fmt: skip
    assert await delete(api, first) == (0, 2, 0)
    left = {
        "confidence": 0.8,
        "status": "CURRENT",
        "version": 3,
        "evidence": [{"quote": "Ada likes tea", "authority": "USER", "document": {"title": "Two"}}],
    }
    assert await claims(api) == {
        "facts": [{"content": "likes tea", **left}],
        "relationships": [{"type": "LIKES", "description": "second words", **left}],
    }
    for words in ("Likes TEA", "first words", "OFFICIAL"):
        found = await leftovers(api, words)
        assert set(found) <= ({"fact_version", "relationship_version", "change"} if words == "OFFICIAL" else set())


async def test_the_later_document_goes_and_the_first_ones_words_stay(api: Api) -> None:
    one, two = "Ada likes tea.", "We know: Ada likes tea!"
    await ingest(api, one, thing("Ada"), fact("Ada", "Likes TEA", one), title="One")
    second = await ingest(api, two, thing("Ada"), fact("Ada", "likes tea", "Ada likes tea"), title="Two")
    assert await delete(api, second) == (0, 1, 0)
    (kept,) = (await claims(api))["facts"]
    assert (kept["content"], kept["confidence"]) == ("Likes TEA", 0.8)
    assert [e["document"]["title"] for e in kept["evidence"]] == ["One"]
    assert await leftovers(api, "We know") == await leftovers(api, "'likes tea'") == {}


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 0, 1), (0, 2, 1)])
async def test_three_sources_go_one_after_another_and_the_words_are_always_of_one_that_is_left(
    api: Api, order: tuple[int, int, int]
) -> None:
    """The first and the third put it alike, the second does not."""
    words = ("Likes qzx TEA", "likes QZX tea", "Likes qzx TEA")
    payloads = []
    for number, said in enumerate(words):
        text = f"{number}: Ada likes tea and Bob."
        edges = edge("Ada", "LIKES", "Bob", "Ada likes", description=f"{said}!")
        payloads.append(await ingest(api, text, thing("Ada"), thing("Bob"), fact("Ada", said, "likes tea"), edges))
    left = set(range(3))
    for number in order[:2]:
        await delete(api, payloads[number])
        left.remove(number)
        own = {words[n] for n in left}
        found = await claims(api)
        assert found["facts"][0]["content"] in own
        assert found["relationships"][0]["description"].removesuffix("!") in own
        for gone in set(words) - own:
            assert await leftovers(api, gone) == {}
    await delete(api, payloads[order[2]])
    assert await leftovers(api, "qzx") == await leftovers(api, "QZX") == {}


async def test_an_edge_that_the_other_source_does_not_describe_loses_its_description(api: Api) -> None:
    one, two = "Ada likes tea.", "We know: Ada likes tea!"
    first = await ingest(api, one, thing("Ada"), thing("tea"), edge("Ada", "LIKES", "tea", one, description="qzx"))
    await ingest(api, two, thing("Ada"), thing("tea"), edge("Ada", "LIKES", "tea", "Ada likes tea"))
    await delete(api, first)
    (kept,) = (await claims(api))["relationships"]
    assert kept["description"] is None
    assert await leftovers(api, "qzx") == {}


async def test_a_claim_that_falls_below_seven_tenths_waits_again(api: Api) -> None:
    one, two = "Ada may like tea.", "Ada seems to like tea."
    first = await ingest(api, one, thing("Ada"), fact("Ada", "Likes tea", one, confidence=0.6))
    await ingest(api, two, thing("Ada"), fact("Ada", "Likes tea", two, confidence=0.6))
    assert (await claims(api))["facts"][0]["status"] == "CURRENT"
    await delete(api, first)
    (kept,) = (await claims(api))["facts"]
    assert (kept["status"], kept["confidence"]) == ("PENDING_REVIEW", 0.6)


async def test_a_claim_that_a_person_states_too_stays_in_the_persons_words(api: Api) -> None:
    text = "Ada likes qzxtea."
    payload = await ingest(api, text, thing("Ada"), fact("Ada", "Likes qzxtea", text))
    data = await api.ask("{ volume { entities { nodes { id } } } }")
    subject = data["volume"]["entities"]["nodes"][0]["id"]
    again = await api.do("createFact", "duplicateOf { id }", subject=subject, content="LIKES QZXTEA")
    assert again["duplicateOf"] is not None
    assert await delete(api, payload) == (0, 1, 0)
    (kept,) = (await claims(api))["facts"]
    assert (kept["content"], kept["confidence"]) == ("LIKES QZXTEA", 1.0)
    assert kept["evidence"] == [{"quote": "LIKES QZXTEA", "authority": "USER", "document": None}]
    assert await leftovers(api, "Ada likes") == await leftovers(api, "Likes qzxtea") == {}


async def test_a_correction_by_hand_stays_and_the_words_before_leave_its_history(api: Api) -> None:
    text = "Ada likes qzxtea."
    payload = await ingest(api, text, thing("Ada"), fact("Ada", "Likes qzxtea", text))
    data = await api.ask("{ volume { facts { nodes { id } } } }")
    await api.do("updateFact", "fact { id }", id=data["volume"]["facts"]["nodes"][0]["id"], content="Likes coffee")
    assert await delete(api, payload) == (0, 1, 0)
    (kept,) = (await claims(api))["facts"]
    assert kept["content"] == "Likes coffee"
    assert await leftovers(api, "qzxtea") == {}


async def test_a_retracted_claim_goes_with_its_only_document(api: Api) -> None:
    text = "Ada likes qzxtea."
    payload = await ingest(api, text, thing("Ada"), fact("Ada", "Likes qzxtea", text))
    data = await api.ask("{ volume { facts { nodes { id } } } }")
    await api.do("retractFact", "fact { id }", id=data["volume"]["facts"]["nodes"][0]["id"], reason="wrong")
    assert await delete(api, payload) == (1, 0, 1)
    assert await leftovers(api, "qzxtea") == {}


async def test_entities_that_something_else_knows_of_stay(api: Api) -> None:
    """By another document, a memory, a project, a claim by hand, or a person's word."""
    known = ("Document", "Memory", "Project", "Claim", "Stated", "Before", "Edited")
    await api.do("createEntity", "entity { id }", name="Before", type="concept")
    text = " ".join((*known, "Alone")) + "."
    payload = await ingest(api, text, *(thing(name) for name in (*known, "Alone")))
    data = await api.ask("{ volume { entities(first: 100) { nodes { id name } } } }")
    ids = {e["name"]: e["id"] for e in data["volume"]["entities"]["nodes"]}
    await ingest(api, "Document again.", thing("Document"))
    await api.do("createMemory", "memory { id }", title="M", content="c", entities=[ids["Memory"]])
    project = (await api.do("createProject", "project { id }", name="P"))["project"]["id"]
    # An entity joins a project when a person states it; this one joins by a claim's other end.
    await api.do("createEntity", "entity { id }", name="Project", type="concept", projects=[project])
    await api.do("createFact", "fact { id }", subject=ids["Claim"], content="Is known")
    made = await api.do("createEntity", "created", name="stated", type="concept")
    assert made["created"] is False
    await api.do("updateEntity", "entity { id }", id=ids["Edited"], importance=0.9)
    assert await delete(api, payload) == (0, 0, 1)
    assert [name for name, _, _ in await names(api)] == sorted(known)


async def test_an_imported_entity_stays(api: Api) -> None:
    payload = await ingest(api, "Ada is here.", thing("Ada", "person"))
    await api.do("importGraph", "entitiesCreated", entities=[{"key": "a", "name": "Ada", "type": "person"}])
    assert await delete(api, payload) == (0, 0, 0)
    assert await names(api) == [("Ada", "person", [])]


async def test_names_and_description_that_it_gave_go(api: Api) -> None:
    """An alias that another document states as well is kept only if that one came first: each has one source."""
    text = "Kubernetes, or qzxalias, runs."
    first = await ingest(api, text, thing("Kubernetes", aliases=("qzxalias",), description="a qzxdescription"))
    await ingest(api, "Kubernetes runs, as K8s.", thing("Kubernetes", aliases=("K8s",)))
    await delete(api, first)
    assert await names(api) == [("Kubernetes", "concept", ["K8s"])]
    data = await api.ask("{ volume { entities { nodes { description version } } } }")
    assert data["volume"]["entities"]["nodes"] == [{"description": None, "version": 3}]
    assert await leftovers(api, "qzx") == {}
    entries = (await api.ask("{ volume { changes(first: 1) { nodes { kind before after } } } }"))["volume"]["changes"][
        "nodes"
    ]
    assert entries == [{"kind": "UPDATED", "before": None, "after": {"aliases": ["K8s"], "description": None}}]


async def test_a_description_that_a_person_wrote_since_stays_and_the_documents_leaves_the_log(api: Api) -> None:
    first = await ingest(api, "Kubernetes runs.", thing("Kubernetes", description="a qzxdescription"))
    data = await api.ask("{ volume { entities { nodes { id } } } }")
    id = data["volume"]["entities"]["nodes"][0]["id"]
    await api.do("updateEntity", "entity { id }", id=id, description="an orchestrator")
    await delete(api, first)
    data = await api.ask("{ volume { entities { nodes { description } } } }")
    assert data["volume"]["entities"]["nodes"] == [{"description": "an orchestrator"}]
    assert await leftovers(api, "qzx") == {}


async def test_the_log_keeps_that_it_happened_and_by_whom(api: Api) -> None:
    text = "Ada likes tea."
    payload = await ingest(api, text, thing("Ada"), fact("Ada", "Likes tea", text))
    await delete(api, payload)
    data = await api.ask("{ volume { changes { nodes { kind actor before after node { id } } } } }")
    entries = data["volume"]["changes"]["nodes"]
    assert [e["kind"] for e in entries] == ["DELETED"] * 3 + ["CREATED"] * 4
    assert {e["actor"] for e in entries[:-1]} == {"local"}
    assert all(e["before"] is e["after"] is e["node"] is None for e in entries[:-1])
    assert entries[-1]["after"] == {"name": "default", "description": None} | entries[-1]["after"]


async def test_other_documents_are_untouched(api: Api) -> None:
    """Every row that hangs on the other document is the same afterwards."""
    other = await ingest(api, "Bob likes rum.", thing("Bob"), fact("Bob", "Likes rum", "Bob likes rum."), title="Other")
    tables = (
        "document",
        "document_revision",
        "chunk",
        "mention",
        "evidence",
        "fact",
        "entity",
        "document_entity",
        "rejection",
        "ingestion",
    )
    before = await dump(api.store, *tables)
    text = "Ada met Bob. Ada likes tea."
    payload = await ingest(api, text, thing("Ada"), thing("Bob"), fact("Ada", "Likes tea", "Ada likes tea."))
    assert await delete(api, payload) == (1, 0, 1)
    assert await dump(api.store, *tables) == before
    query = "query($id: ID!) { node(id: $id) { ... on Document { content facts { nodes { content } } } } }"
    assert (await api.ask(query, id=other["document"]["id"]))["node"] == {
        "content": "Bob likes rum.",
        "facts": {"nodes": [{"content": "Likes rum"}]},
    }


async def secret_document(api: Api) -> dict[str, Any]:
    """Ingest a document whose words all begin with qzx, in every place that can hold some."""
    sections = ("# qzxhead\n\nqzxAda likes qzxtea.", "# qzxmore\n\nqzxAda met Bob, the qzxbuilder. Bob is tall.")
    described = thing("qzxAda", "person", description="qzxdescription", aliases=("qzxalias",))
    api.extractor.answers[sections[0]] = extraction(
        [
            described,
            fact("qzxAda", "Likes qzxtea", "qzxAda likes qzxtea.", value="qzxvalue", category="qzxcategory"),
            fact("qzxAda", "Says qzxnothing", "qzxunsaid"),
        ]
    )
    second = extraction(
        [
            thing("qzxAda", "person"),
            thing("Bob", "person", aliases=("qzxbuilder",)),
            edge("qzxAda", "MET", "Bob", "qzxAda met Bob", description="qzxedge"),
            fact("Bob", "IS QZXTALL", "Bob is tall.", confidence=0.5),
        ]
    )
    second.rejected.append(RejectedItem("fact", {"content": "qzxitem"}, "qzxreason"))
    api.extractor.answers[sections[1]] = second
    selection = "document { id } ingestion { status rejected { reason } }"
    payload = await api.do(
        "ingestDocument",
        selection,
        title="qzxtitle",
        uri="qzx:uri",
        text="\n\n".join(sections),
        mimeType="text/markdown",
        wait=True,
        idempotencyKey="once",
    )
    assert payload["ingestion"]["status"] == "DONE"
    assert len(payload["ingestion"]["rejected"]) == 2
    return payload


async def test_no_word_of_it_is_left_in_any_table(api: Api) -> None:
    """Nor in the pending vectors, nor in what was rejected, nor in the log's values; before, it was in all of them."""
    await ingest(
        api, "Bob is qzxtall.", thing("Bob", "person"), fact("Bob", "Is qzxtall", "Bob is qzxtall."), title="Other"
    )
    payload = await secret_document(api)
    assert {"document", "document_revision", "chunk", "entity", "alias", "fact", "relationship", "evidence", "rejection",
            "pending_vector", "change"} <= set(await leftovers(api, "qzx"))  # fmt: skip
    await delete(api, payload)
    found = {
        word
        for rows in (await leftovers(api, "qzx")).values()
        for row in rows
        for word in row.split("'")
        if "qzx" in word
    }
    assert all("qzxtall" in word for word in found), found
    assert await leftovers(api, "QZXTALL") == {}


async def test_no_word_of_it_is_left_in_the_database_file(api: Api) -> None:
    """On SQLite the words leave the file and its write-ahead log at once; PostgreSQL's files are for VACUUM to clean."""
    payload = await secret_document(api)
    for number in range(60):
        text = f"{number} Ada likes tea. " * 40
        await ingest(api, text, thing("Ada"), fact("Ada", f"Likes tea {number}", "Ada likes tea."))
    folder = api.store.settings.data
    sqlite = api.store.database.dialect == "sqlite"
    assert bool(files_with(folder, "qzx")) is sqlite
    await delete(api, payload)
    assert files_with(folder, "qzx") == set()


async def test_no_word_of_it_is_left_in_the_vector_index(api: Api) -> None:
    """The follower takes it out and compacts; a few seconds later, when no reader can need the old files, they are gone."""
    payload = await secret_document(api)
    for number in range(40):
        text = f"{number} Ada likes tea."
        await ingest(api, text, thing("Ada"), fact("Ada", f"Likes tea {number}", "Ada likes tea."))
    folder = Path(api.store.settings.vectors_uri)
    await api.store.follower.drain()
    assert files_with(folder, "qzxtea")
    await delete(api, payload)
    api.store.start()
    for _ in range(60):
        await asyncio.sleep(0.25)
        if not files_with(folder, "qzx"):
            break
    assert files_with(folder, "qzx") == set()
    assert await leftovers(api, "qzx") == {}
    assert await api.store.index.count() == 40 + 40 + 1 + 0


async def test_a_document_deleted_while_it_is_read_leaves_nothing(api: Api) -> None:
    """The waiting caller is told; the worker goes on with the next document."""
    text = "qzxAda likes qzxtea."
    api.extractor.gate.clear()
    waiting = asyncio.create_task(
        api.send(
            'mutation($t: String!) { ingestDocument(input: {title: "T", text: $t, wait: true}) { created } }', t=text
        )
    )
    api.extractor.answers[text] = extraction([thing("qzxAda"), fact("qzxAda", "Likes qzxtea", text)])
    for _ in range(250):
        if api.extractor.chunks:
            break
        await asyncio.sleep(0.02)
    data = await api.ask("{ volume { documents { nodes { id } } } }")
    (id,) = [d["id"] for d in data["volume"]["documents"]["nodes"]]
    assert await delete(api, {"document": {"id": id}}) == (0, 0, 0)
    api.extractor.gate.set()
    (error,) = (await waiting)["errors"]
    assert (error["extensions"]["code"], error["message"]) == (
        "NOT_FOUND",
        "The document was deleted while it was read.",
    )
    assert (await ingest(api, "Bob is here.", thing("Bob")))["ingestion"]["status"] == "DONE"
    assert await leftovers(api, "qzx") == {}
    assert await names(api) == [("Bob", "concept", [])]
