"""Documents on their way in: taken once, chunked, read, and what happens when reading fails."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from uuid import UUID

from scripted import PAYLOAD, counts, dump, edge, extraction, fact, ingest, names, reasons, thing

from server.errors import UpstreamUnavailable
from server.ids import decode_id
from server.services.extraction.protocol import ChunkText, Extraction, KnownName
from server.services.reading import read_document
from server.store.records import ChunkRecord

if TYPE_CHECKING:
    from api.conftest import Api

ADA = "Ada wrote the first program."


def uuid(id: str) -> UUID:
    found = decode_id(id)
    assert found is not None
    return found.id


async def test_a_document_is_read_into_entities_facts_and_edges_with_their_words(api: Api) -> None:
    text = "Ada works at Acme. Ada likes tea."
    payload = await ingest(
        api,
        text,
        thing("Ada", "person"),
        thing("Acme", "organization"),
        fact("Ada", "Likes tea", "Ada likes tea."),
        edge("Ada", "works at", "Acme", "Ada works at Acme."),
        uri="notes/1",
        authority="OFFICIAL",
    )
    assert payload["created"] is True
    assert payload["document"]["content"] == text
    assert counts(payload) == ("DONE", 2, 1, 1)
    assert (payload["ingestion"]["chunksTotal"], payload["ingestion"]["chunksDone"]) == (1, 1)
    assert payload["ingestion"]["rejected"] == []
    evidence = "evidence { quote start end verified confidence authority document { id } }"
    data = await api.ask(
        f"{{ volume {{ facts {{ nodes {{ content confidence status subject {{ name }} {evidence} }} }} "
        f"relationships {{ nodes {{ type source {{ name }} target {{ name }} confidence {evidence} }} }} }} }}"
    )
    common = {
        "verified": True,
        "confidence": 0.8,
        "authority": "OFFICIAL",
        "document": {"id": payload["document"]["id"]},
    }
    assert data["volume"]["facts"]["nodes"] == [
        {
            "content": "Likes tea",
            "confidence": 0.8,
            "status": "CURRENT",
            "subject": {"name": "Ada"},
            "evidence": [{"quote": "Ada likes tea.", "start": 19, "end": 33, **common}],
        }
    ]
    assert data["volume"]["relationships"]["nodes"] == [
        {
            "type": "WORKS_AT",
            "source": {"name": "Ada"},
            "target": {"name": "Acme"},
            "confidence": 0.8,
            "evidence": [{"quote": "Ada works at Acme.", "start": 0, "end": 18, **common}],
        }
    ]


async def test_the_same_content_again_is_the_same_document_and_nothing_new_but_where_else_it_stands(api: Api) -> None:
    first = await ingest(api, ADA, thing("Ada", "person"), fact("Ada", "Wrote the first program", ADA))
    before = await dump(api.store)
    again = await ingest(api, ADA, thing("Bob", "person"), title="Another title", uri="elsewhere")
    after = await dump(api.store)
    (copy,) = after.pop("document_copy")
    assert again == {**first, "created": False}
    assert "elsewhere" in copy
    assert len(after["change"]) == len(before["change"]) + 1
    noted = ("document_copy", "change", "log_head")
    assert {t: rows for t, rows in after.items() if t not in noted} == {
        t: rows for t, rows in before.items() if t not in noted
    }
    assert len(api.extractor.chunks) == 1


async def test_the_same_content_ten_times_at_once_is_read_once(api: Api) -> None:
    payloads = await asyncio.gather(*(ingest(api, ADA, thing("Ada", "person")) for _ in range(10)))
    assert sorted(p["created"] for p in payloads) == [False] * 9 + [True]
    assert len({p["document"]["id"] for p in payloads}) == len({p["ingestion"]["id"] for p in payloads}) == 1
    assert {p["ingestion"]["status"] for p in payloads} == {"DONE"}
    assert len(api.extractor.chunks) == 1
    rows = await dump(api.store, "document", "document_revision", "chunk", "ingestion", "entity", "mention")
    assert {name: len(found) for name, found in rows.items()} == dict.fromkeys(rows, 1)


async def test_the_same_content_in_another_volume_is_another_document(api: Api) -> None:
    await api.do("createVolume", "volume { name }", name="other")
    first = await ingest(api, ADA, thing("Ada", "person"), uri="u")
    second = await ingest(api, ADA, thing("Ada", "person"), uri="u", volume="other")
    assert second["created"] is True
    assert second["document"]["id"] != first["document"]["id"]


async def test_documents_without_uri_do_not_conflict(api: Api) -> None:
    first = await ingest(api, ADA)
    second = await ingest(api, "Bob wrote the second.")
    assert (first["created"], second["created"]) == (True, True)


async def test_a_failed_document_is_read_again_when_it_is_ingested_again(api: Api) -> None:
    api.extractor.answers[ADA] = ValueError("a defect")
    failed = await api.do("ingestDocument", PAYLOAD, title="Notes", text=ADA, wait=True)
    assert failed["ingestion"]["status"] == "FAILED"
    again = await ingest(api, ADA, thing("Ada", "person"))
    assert again["created"] is False
    assert again["document"]["id"] == failed["document"]["id"]
    assert again["ingestion"]["id"] == failed["ingestion"]["id"]
    assert counts(again) == ("DONE", 1, 0, 0)
    assert again["ingestion"]["error"] is None


async def test_a_defect_fails_one_document_says_so_and_leaves_nothing_of_it(api: Api) -> None:
    before = await dump(api.store, "entity", "fact", "chunk", "mention", "pending_vector")
    secret = "postgresql://user:password@host"
    api.extractor.answers[ADA] = ValueError(secret)
    failed, sound = await asyncio.gather(
        api.do("ingestDocument", PAYLOAD, title="Notes", text=ADA, wait=True),
        ingest(api, "Bob likes tea.", thing("Bob", "person")),
    )
    run = failed["ingestion"]
    stored = uuid(run["id"])
    assert counts(failed) == ("FAILED", 0, 0, 0)
    assert run["error"] == f"Internal error. The server's log has the details under {stored}."
    assert counts(sound) == ("DONE", 1, 0, 0)
    await api.do("deleteDocument", "deletedId", id=sound["document"]["id"])
    after = await dump(api.store, "entity", "fact", "chunk", "mention")
    assert after == {name: before[name] for name in after}


async def test_a_document_of_which_one_chunk_fails_leaves_nothing(api: Api) -> None:
    """Everything of one document is written in one transaction."""
    text = "# One\n\nAda likes tea.\n\n# Two\n\nBob likes rum."
    api.extractor.answers["# One\n\nAda likes tea."] = extraction([thing("Ada", "person")])
    api.extractor.answers["# Two\n\nBob likes rum."] = ValueError("a defect")
    failed = await api.do("ingestDocument", PAYLOAD, title="N", text=text, mimeType="text/markdown", wait=True)
    assert counts(failed) == ("FAILED", 0, 0, 0)
    assert await dump(api.store, "entity", "chunk", "mention") == {"entity": [], "chunk": [], "mention": []}


async def test_an_unreachable_model_puts_the_document_back_with_the_message(api: Api) -> None:
    api.extractor.answers[ADA] = UpstreamUnavailable("The model does not answer. Check its address.")
    payload = await api.do("ingestDocument", PAYLOAD, title="Notes", text=ADA)
    run = await _run(api, payload)
    for _ in range(250):
        if run["error"] is not None:
            break
        await asyncio.sleep(0.02)
        run = await _run(api, payload)
    assert (run["status"], run["error"]) == ("PENDING", "The model does not answer. Check its address.")
    api.extractor.answers[ADA] = extraction([thing("Ada", "person")])
    again = await api.do("ingestDocument", PAYLOAD, title="Notes", text=ADA, wait=True)
    assert counts(again) == ("DONE", 1, 0, 0)
    assert again["ingestion"]["error"] is None


async def _run(api: Api, payload: dict[str, Any]) -> dict[str, Any]:
    query = "query($id: ID!) { node(id: $id) { ... on Ingestion { status error chunksTotal } } }"
    run: dict[str, Any] = (await api.ask(query, id=payload["ingestion"]["id"]))["node"]
    return run


async def test_without_wait_the_answer_comes_before_the_reading(api: Api) -> None:
    api.extractor.gate.clear()
    payload = await api.do("ingestDocument", PAYLOAD, title="Notes", text=ADA)
    assert payload["created"] is True
    assert payload["ingestion"]["status"] in ("PENDING", "RUNNING")
    assert await names(api) == []
    api.extractor.answers[ADA] = extraction([thing("Ada", "person")])
    waiting = asyncio.create_task(ingest(api, ADA, thing("Ada", "person")))
    await asyncio.sleep(0.3)
    assert not waiting.done()
    api.extractor.gate.set()
    assert counts(await waiting) == ("DONE", 1, 0, 0)
    assert await names(api) == [("Ada", "person", [])]


async def test_chunks_are_the_documents_own_text_in_code_points(api: Api) -> None:
    sentences = [f"Sentence {n} has a rocket 🚀 and a G clef 𝄞 in it." for n in range(60)]
    text = "\n\n" + " ".join(sentences) + "\n"
    payload = await ingest(api, text)
    query = "query($id: ID!) { node(id: $id) { ... on Document { content chunks(first: 100) { nodes { text start end document { id } } } } } }"
    document = (await api.ask(query, id=payload["document"]["id"]))["node"]
    chunks = document["chunks"]["nodes"]
    assert document["content"] == text
    assert len(chunks) == payload["ingestion"]["chunksTotal"] == 3
    assert [text[c["start"] : c["end"]] for c in chunks] == [c["text"] for c in chunks]
    assert " ".join(c["text"] for c in chunks) == " ".join(sentences)
    assert chunks[0]["start"] == 2
    assert {c["document"]["id"] for c in chunks} == {payload["document"]["id"]}
    assert [given.text for given in api.extractor.chunks] == [c["text"] for c in chunks]


async def test_chunk_rows_keep_the_order_of_the_text(api: Api) -> None:
    text = "# A\n\nfirst\n\n# B\n\nsecond 🚀\n\n## C\n\nthird"
    payload = await ingest(api, text, mimeType="text/markdown")
    (chunks,) = await api.store.read.lists(ChunkRecord, "document_id", [uuid(payload["document"]["id"])], "id")
    assert [(c.ordinal, c.start, c.end, c.text) for c in chunks] == [
        (0, 0, 10, "# A\n\nfirst"),
        (1, 12, 25, "# B\n\nsecond 🚀"),
        (2, 27, 38, "## C\n\nthird"),
    ]


async def test_plain_text_has_no_headings(api: Api) -> None:
    await ingest(api, "# A\n\nfirst\n\n# B\n\nsecond")
    assert [given.text for given in api.extractor.chunks] == ["# A\n\nfirst\n\n# B\n\nsecond"]


async def test_later_chunks_know_the_names_of_earlier_ones_latest_last(api: Api) -> None:
    """The third chunk speaks of both by the keys that it was given."""
    one, two = "# One\n\nAda and Bob met.", "# Two\n\nAda left."
    three = "# Three\n\nShe likes him."
    api.extractor.answers[one] = extraction([thing("Ada", "person", aliases=("Countess",)), thing("Bob", "person")])
    api.extractor.answers[two] = extraction([thing("Ada", "person")])
    text = "\n\n".join((one, two, three))
    api.extractor.answers[three] = extraction([edge("0:ada", "LIKES", "0:bob", "She likes him.")])
    payload = await api.do("ingestDocument", PAYLOAD, title="Met", text=text, mimeType="text/markdown", wait=True)
    assert [chunk.known for chunk in api.extractor.chunks] == [
        (),
        (KnownName("0:ada", "Ada", "person", ("Countess",)), KnownName("0:bob", "Bob", "person")),
        (KnownName("0:bob", "Bob", "person"), KnownName("0:ada", "Ada", "person", ("Countess",))),
    ]
    assert {chunk.title for chunk in api.extractor.chunks} == {"Met"}
    assert (counts(payload), reasons(payload)) == (("DONE", 2, 0, 1), [])
    mentions = await dump(api.store, "mention")
    assert len(mentions["mention"]) == 3


async def test_an_idempotency_key_answers_alike_and_belongs_to_one_request(api: Api) -> None:
    key = {"idempotencyKey": "k1"}
    first = await ingest(api, ADA, thing("Ada", "person"), **key)
    assert await ingest(api, ADA, **key) == first
    refusal = await api.refused("ingestDocument", title="Notes", text="Other words.", **key)
    assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "idempotencyKey")


async def test_a_project_of_another_volume_refuses_the_document(api: Api) -> None:
    await api.do("createVolume", "volume { name }", name="other")
    project = (await api.do("createProject", "project { id }", name="P", volume="other"))["project"]["id"]
    refusal = await api.refused("ingestDocument", title="Notes", text=ADA, projects=[project])
    assert (refusal["code"], refusal["argument"]) == ("NOT_FOUND", "projects")


async def test_a_document_joins_the_projects_it_is_given_again_with(api: Api) -> None:
    project = (await api.do("createProject", "project { id }", name="P"))["project"]["id"]
    await ingest(api, ADA)
    await ingest(api, ADA, projects=[project])
    query = "query($id: ID!) { node(id: $id) { ... on Project { documents { nodes { title } } } } }"
    assert (await api.ask(query, id=project))["node"]["documents"]["nodes"] == [{"title": "Notes"}]


async def test_the_log_tells_of_a_document_without_its_content(api: Api) -> None:
    await ingest(api, ADA, thing("Ada", "person"), uri="notes/1")
    data = await api.ask("{ volume { changes { nodes { kind actor after node { __typename } } } } }")
    entries = data["volume"]["changes"]["nodes"]
    (document,) = [e for e in entries if e["node"] and e["node"]["__typename"] == "Document"]
    assert (document["kind"], document["actor"]) == ("CREATED", "local")
    assert document["after"] == {"title": "Notes", "uri": "notes/1", "mimeType": "text/plain", "authority": "UNKNOWN"}
    assert ADA not in str(entries)


async def test_reading_a_long_document_keeps_the_loop_free() -> None:
    """Two million characters, not in a composed form; the loop turns at least once a second, where it stood for three."""
    content = "A\u030ada wrote e\u0301 long program. " * 71_428
    longest, last = 0.0, asyncio.get_running_loop().time()

    async def tick() -> None:
        nonlocal longest, last
        while True:
            await asyncio.sleep(0.005)
            now = asyncio.get_running_loop().time()
            longest, last = max(longest, now - last), now

    async def extract(_chunk: ChunkText) -> Extraction:
        return Extraction()

    async def progress(_done: int, _total: int) -> None:
        await asyncio.sleep(0)

    watch = asyncio.create_task(tick())
    reading = await read_document(
        extract, title="Long", content=content, mime_type="text/plain", chunk_size=1200, progress=progress
    )
    watch.cancel()
    assert len(content) == 1_999_984
    assert len(reading.chunks) > 1_300
    assert longest < 1
