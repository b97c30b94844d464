"""Documents go: after a deletion no sentence of the document is left, whatever was asked and decided about its claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripted import edge, fact, ingest, thing

if TYPE_CHECKING:
    from api.conftest import Api

SENTENCES = (
    "Qzxopen is said to like tea.",
    "Qzxopen was approved with rum.",
    "Qzxopen was rejected with ale.",
    "Qzxopen was edited with gin.",
    "Qzxopen was taken back with mead.",
    "Qzxopen once met Bob.",
)
TEXT = " ".join(SENTENCES)


async def asked_and_decided(api: Api) -> tuple[str, dict[str, str]]:
    """Ingest a document whose claims all wait; decide some. Return its id, and that of each item by its claim's text."""
    drinks = ("tea", "rum", "ale", "gin", "mead")
    said = [
        fact("Qzxopen", f"Drinks qzx{drink}", sentence, confidence=0.5)
        for drink, sentence in zip(drinks, SENTENCES, strict=False)
    ]
    met = edge("Qzxopen", "MET", "Bob", SENTENCES[-1], confidence=0.4, description=SENTENCES[-1])
    done = await ingest(api, TEXT, thing("Qzxopen", "person"), thing("Bob", "person"), *said, met)
    await ingest(api, "Bob came.", thing("Bob", "person"), fact("Bob", "Came", "Bob came."), title="Other")
    selection = "nodes { id ... on LowConfidenceReview { claim { id text ... on Relationship { description } } } }"
    items = (await api.volume(f"reviewQueue {{ {selection} }}"))["reviewQueue"]["nodes"]
    by_text = {item["claim"]["text"]: item for item in items}
    for drink, action, more in (
        ("rum", "APPROVE", {"reason": f"It says: {SENTENCES[1]}"}),
        ("ale", "REJECT", {"reason": f"It says: {SENTENCES[2]}"}),
        ("gin", "EDIT", {"edit": {"content": "Drinks water"}}),
    ):
        item = by_text[f"Drinks qzx{drink}"]["id"]
        await api.do("resolveReview", "items { id }", items=[item], action=action, **more)
    await api.do("retractFact", "fact { id }", id=by_text["Drinks qzxmead"]["claim"]["id"], reason=SENTENCES[4])
    return done["document"]["id"], {text: item["id"] for text, item in by_text.items()}


async def places(api: Api, sentence: str) -> set[str]:
    """Return the tables that hold a sentence in any column, whatever its case."""
    return {table for table, _ in await api.holding(sentence.casefold())}


async def test_no_sentence_is_left_in_any_table_with_open_and_decided_reviews(api: Api) -> None:
    document, _ = await asked_and_decided(api)
    for sentence in SENTENCES:
        assert {"document_revision", "chunk", "evidence"} <= await places(api, sentence)
    assert "change" in await places(api, SENTENCES[1]) & await places(api, SENTENCES[2])
    await api.do("deleteDocument", "deletedId", id=document)
    assert {sentence: await places(api, sentence) for sentence in SENTENCES} == {
        sentence: set() for sentence in SENTENCES
    }


async def test_no_sentence_is_left_in_the_vectors(api: Api) -> None:
    """The index has texts beside its vectors; what stays are the other document, its entity, and what a person vouches for."""
    document, _ = await asked_and_decided(api)
    await api.store.follower.drain()
    assert TEXT in "\n".join(row["text"] for row in await api.store.index.rows("text"))
    await api.do("deleteDocument", "deletedId", id=document)
    await api.store.follower.drain()
    texts = sorted(row["text"] for row in await api.store.index.rows("text"))
    assert [text for text in texts if any(sentence in text for sentence in SENTENCES)] == []
    assert len(texts) == 6


async def test_what_a_person_vouches_for_stays_and_all_else_goes_with_its_items(api: Api) -> None:
    """An approval is a person's word: the claim stays, supported by it alone. What was rejected, waits or lapsed goes."""
    document, items = await asked_and_decided(api)
    removed = await api.do("deleteDocument", "claimsRemoved claimsKept entitiesRemoved", id=document)
    assert removed == {"claimsRemoved": 4, "claimsKept": 2, "entitiesRemoved": 0}
    shown = "facts { nodes { content confidence status evidence { quote document { title } } } } relationships { totalCount }"
    kept: dict[str, Any] = {"confidence": 1.0, "status": "CURRENT"}
    found = await api.volume(shown)
    assert found["relationships"] == {"totalCount": 0}
    assert [one for one in found["facts"]["nodes"] if one["content"] != "Came"] == [
        {"content": text, **kept, "evidence": [{"quote": text, "document": None}]}
        for text in ("Drinks qzxrum", "Drinks water")
    ]
    left = {"Drinks qzxrum": "APPROVED", "Drinks qzxgin": "EDITED"}
    for text, item in items.items():
        node = (await api.ask("query($id: ID!) { node(id: $id) { ... on ReviewItem { decision } } }", id=item))["node"]
        assert node == ({"decision": left[text]} if text in left else None), text
    assert await places(api, "qzxgin") == set()


async def test_the_log_keeps_that_it_was_decided_and_by_whom(api: Api) -> None:
    document, items = await asked_and_decided(api)
    await api.do("deleteDocument", "deletedId", id=document)
    entries = (await api.volume("changes(first: 100) { nodes { kind actor before after node { id } } }"))["changes"][
        "nodes"
    ]
    approved = [one for one in entries if one["node"] == {"id": items["Drinks qzxrum"]}]
    assert [(one["kind"], one["actor"], one["before"], one["after"]) for one in approved] == [
        ("UPDATED", "local", None, None),
        ("CREATED", "local", None, None),
    ]
