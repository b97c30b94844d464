"""The words that claims rest on: verified, the document's own, and what is refused with the reason."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from scripted import counts, dump, edge, extraction, fact, ingest, names, reasons, thing, year
from sqlalchemy import select

from server import models
from server.services.extraction.protocol import ExtractedEntity, ExtractedFact, RejectedItem, Span, ValueType

if TYPE_CHECKING:
    from api.conftest import Api

MISSING = "The quote does not occur in the document."
EVIDENCE = "evidence { quote start end verified }"


async def evidence_of_the_fact(api: Api) -> list[dict[str, Any]]:
    data = await api.ask(f"{{ volume {{ facts {{ nodes {{ {EVIDENCE} }} }} }} }}")
    (one,) = data["volume"]["facts"]["nodes"]
    found: list[dict[str, Any]] = one["evidence"]
    return found


@pytest.mark.parametrize(
    ("text", "quote", "own"),
    [
        ("Ada  likes\n\ttea. Bob.", "Ada likes tea.", "Ada  likes\n\ttea."),
        ("🚀 Ada likes 𝄞 tea.", "likes 𝄞 tea", "likes 𝄞 tea"),
        (
            unicodedata.normalize("NFD", "Zoë likes café."),
            "Zoë likes café.",
            unicodedata.normalize("NFD", "Zoë likes café."),
        ),
        ("Zoë likes café.", unicodedata.normalize("NFD", "likes café"), "likes café"),
        ("東京大学は大きい。", "東京大学は大きい", "東京大学は大きい"),
        ('<b>Ada & Co</b> said "no".', "<b>Ada & Co</b>", "<b>Ada & Co</b>"),
    ],
    ids=["white space", "astral", "NFD document", "NFD quote", "CJK", "markup"],
)
async def test_a_quote_is_stored_in_the_documents_own_words(api: Api, text: str, quote: str, own: str) -> None:
    """quote == content[start:end], in code points, white space and Unicode form aside when matching."""
    name = text.split()[0]
    payload = await ingest(api, text, thing("Subject", quote=name, key="s"), fact("s", "A fact", quote))
    assert (counts(payload), reasons(payload)) == (("DONE", 1, 1, 0), [])
    (evidence,) = await evidence_of_the_fact(api)
    start = text.index(own)
    assert evidence == {"quote": own, "start": start, "end": start + len(own), "verified": True}
    assert payload["document"]["content"][start : evidence["end"]] == own


async def test_of_several_occurrences_the_one_in_the_chunk_counts(api: Api) -> None:
    """The same words stand in both sections; each claim points into its own."""
    one, two = "# One\n\nAda: yes, of course.", "# Two\n\nBob: yes, of course."
    text = f"{one}\n\n{two}"
    api.extractor.answers[one] = extraction([thing("Ada"), fact("Ada", "Agrees", "yes, of course")])
    api.extractor.answers[two] = extraction([thing("Bob"), fact("Bob", "Agrees too", "yes, of course")])
    await api.do("ingestDocument", "created", title="T", text=text, mimeType="text/markdown", wait=True)
    data = await api.ask(f"{{ volume {{ facts {{ nodes {{ content {EVIDENCE} }} }} }} }}")
    starts = {f["content"]: f["evidence"][0]["start"] for f in data["volume"]["facts"]["nodes"]}
    assert starts == {"Agrees": text.index("yes"), "Agrees too": text.rindex("yes")}


async def test_what_cannot_stand_is_rejected_with_its_reason_and_the_rest_is_stored(api: Api) -> None:
    text = "Ada works at Acme since 2021. Ada likes tea."
    payload = await ingest(
        api,
        text,
        thing("Ada", "person"),
        thing("Acme", "organization"),
        thing("Ghost", quote="Ghost"),
        thing("\u200b", key="blank", quote="Ada"),
        thing("Ada\x00", key="nul", quote="Ada"),
        thing("x" * 501, key="long", quote="Ada"),
        thing("Half \ud800", key="half", quote="Ada"),
        thing("Tea", type=" ", quote="tea"),
        fact("Ada", "Likes tea", "Ada likes tea."),
        fact("Ada", "Likes rum", "Ada likes rum."),
        fact("Ada", "Says nothing", ""),
        fact("Nobody", "Likes tea", "Ada likes tea."),
        fact("Ghost", "Likes tea", "Ada likes tea."),
        fact("Ada", "Was there", "Ada likes tea.", predicate="!!!"),
        fact("Ada", "Was there once", "Ada likes tea.", valid_from=year(2024), valid_to=year(2023)),
        edge("Ada", "WORKS_AT", "Acme", "Ada works at Acme", valid_from=year(2021)),
        edge("Ada", "WORKS_AT", "Acme", "Ada left Acme"),
        edge("Ada", "KNOWS", "Nobody", "Ada likes tea."),
        edge("Nobody", "KNOWS", "Ada", "Ada likes tea."),
        edge("Ada", "KNOWS", "Ada", "Ada likes tea."),
        edge("Ada", "—", "Acme", "Ada likes tea."),
        edge("Ada", "LEFT", "Acme", "Ada works at Acme", valid_from=year(2024), valid_to=year(2024)),
    )
    assert counts(payload) == ("DONE", 2, 1, 1)
    assert await names(api) == [("Acme", "organization", []), ("Ada", "person", [])]
    assert sorted(reasons(payload)) == sorted(
        [
            ("entity", MISSING),
            ("entity", "name is blank: give at least one visible character."),
            ("entity", "name holds a NUL character: remove it."),
            ("entity", "name has 501 characters; at most 500 fit."),
            ("entity", "name holds half a surrogate pair: send it as valid Unicode."),
            ("entity", "type is blank: give at least one visible character."),
            ("fact", MISSING),
            ("fact", MISSING),
            ("fact", "Its subject is not among the entities."),
            ("fact", "Its subject is not among the entities."),
            ("fact", 'Name the relation by at least one letter or digit, such as "WORKS_AT".'),
            ("fact", "It ends before it begins."),
            ("relationship", MISSING),
            ("relationship", "One of its ends is not among the entities."),
            ("relationship", "One of its ends is not among the entities."),
            ("relationship", "Both ends are the same entity."),
            ("relationship", 'Name the relation by at least one letter or digit, such as "WORKS_AT".'),
            ("relationship", "It ends before it begins."),
        ]
    )


async def test_a_rejected_item_shows_what_was_returned(api: Api) -> None:
    payload = await ingest(
        api, "Ada likes tea.", thing("Ada"), fact("Ada", "Likes rum", "Ada likes rum.", predicate="LIKES")
    )
    (item,) = payload["ingestion"]["rejected"]
    assert item["item"] == {
        "subject": "ada",
        "content": "Likes rum",
        "predicate": "LIKES",
        "quote": "Ada likes rum.",
    }


async def test_what_the_extractor_itself_rejected_is_kept(api: Api) -> None:
    text = "Ada likes tea."
    found = extraction([thing("Ada")])
    found.rejected.append(RejectedItem("fact", {"content": "Ada likes"}, "It is cut off."))
    api.extractor.answers[text] = found
    selection = "ingestion { status rejected { kind item reason } }"
    run = (await api.do("ingestDocument", selection, title="T", text=text, wait=True))["ingestion"]
    assert run["status"] == "DONE"
    assert run["rejected"] == [{"kind": "fact", "item": {"content": "Ada likes"}, "reason": "It is cut off."}]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"content": ""}, "content is blank: give at least one visible character."),
        ({"content": None}, "content must be text."),
        ({"content": "a\x00b"}, "content holds a NUL character: remove it."),
        ({"content": "x" * 10_001}, "content has 10001 characters; at most 10000 fit."),
        ({"category": "c\x00"}, "category holds a NUL character: remove it."),
        ({"category": "c" * 101}, "category has 101 characters; at most 100 fit."),
        (
            {"value": "v\ud800", "value_type": ValueType.TEXT},
            "value holds half a surrogate pair: send it as valid Unicode.",
        ),
        ({"value": "soon", "value_type": ValueType.NUMBER}, "A NUMBER value is a number, such as 1,000 or 2.5."),
        ({"confidence": 1.5}, "confidence must be from 0 to 1."),
        ({"confidence": float("nan")}, "confidence must be from 0 to 1."),
        ({"importance": -0.1}, "importance must be from 0 to 1."),
        ({"quote": None}, "quote must be text."),
    ],
    ids=lambda value: None if isinstance(value, str) else next(iter(value)),
)
async def test_a_fact_that_cannot_be_stored_is_rejected_alone(api: Api, change: dict[str, Any], reason: str) -> None:
    """What a model returns is data from outside: one bad item must not cost the document."""
    text = "Ada likes tea."
    bad = replace(ExtractedFact("ada", "Likes something", text), **change)
    payload = await ingest(api, text, thing("Ada"), fact("Ada", "Likes tea", text), bad)
    assert (counts(payload), reasons(payload)) == (("DONE", 1, 1, 0), [("fact", reason)])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"description": "d\x00"}, "description holds a NUL character: remove it."),
        ({"confidence": 2}, "confidence must be from 0 to 1."),
        ({"type": None}, "type must be text."),
    ],
    ids=lambda value: None if isinstance(value, str) else next(iter(value)),
)
async def test_an_edge_that_cannot_be_stored_is_rejected_alone(api: Api, change: dict[str, Any], reason: str) -> None:
    text = "Ada likes tea."
    sound = edge("Ada", "LIKES", "tea", text)
    payload = await ingest(api, text, thing("Ada"), thing("tea"), sound, replace(sound, **change))
    assert (counts(payload), reasons(payload)) == (("DONE", 2, 0, 1), [("relationship", reason)])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": None}, "name must be text."),
        ({"aliases": ("Tee", "")}, "aliases is blank: give at least one visible character."),
        ({"aliases": ("a\x00",)}, "aliases holds a NUL character: remove it."),
        ({"description": "d\x00"}, "description holds a NUL character: remove it."),
        ({"confidence": -1.0}, "confidence must be from 0 to 1."),
        ({"mentions": (Span(10, 99),)}, "A mention lies outside the chunk."),
        ({"mentions": (Span(3, 3),)}, "A mention lies outside the chunk."),
        ({"mentions": (Span(-4, 2),)}, "A mention lies outside the chunk."),
    ],
    ids=lambda value: None if isinstance(value, str) else next(iter(value)),
)
async def test_an_entity_that_cannot_be_stored_is_rejected_alone(api: Api, change: dict[str, Any], reason: str) -> None:
    text = "Ada likes tea."
    bad = replace(ExtractedEntity("tea", "tea", "drink", "tea"), **change)
    payload = await ingest(api, text, thing("Ada"), bad, fact("Ada", "Likes tea", text))
    assert (counts(payload), reasons(payload)) == (("DONE", 1, 1, 0), [("entity", reason)])


async def test_an_entity_without_mentions_is_mentioned_where_its_quote_stands(api: Api) -> None:
    text = "🚀 Ada likes tea."
    await ingest(api, text, thing("Ada"), thing("tea", mentions=(Span(12, 15),)))
    statement = select(models.Mention.start, models.Mention.end).order_by(models.Mention.start)  # type: ignore[arg-type]
    rows = await api.store.read.rows(statement)
    assert [text[start:end] for start, end in rows] == ["Ada", "tea"]


async def test_two_documents_that_say_the_same_are_one_claim_with_two_evidences(api: Api) -> None:
    """Noisy-or of 0.8 and 0.8; the authority is the higher one; the first one's words stay."""
    first, second = "Ada likes tea.", "It is known that Ada likes tea!"
    one = await ingest(api, first, thing("Ada"), thing("tea"), fact("Ada", "Likes tea", first),
                       edge("Ada", "LIKES", "tea", first, description="daily"), authority="THIRD_PARTY")  # fmt: skip
    two = await ingest(api, second, thing("Ada"), thing("tea"), fact("Ada", "likes tea.", "Ada likes tea"),
                       edge("Ada", "likes", "tea", "Ada likes tea", description="often"), authority="OFFICIAL")  # fmt: skip
    assert (counts(one), counts(two)) == (("DONE", 2, 1, 1), ("DONE", 2, 1, 1))
    claim = "confidence status version evidence { quote confidence authority document { id } }"
    data = await api.ask(
        f"{{ volume {{ facts {{ nodes {{ content {claim} }} }} relationships {{ nodes {{ description {claim} }} }} }} }}"
    )
    evidence = [
        {
            "quote": "Ada likes tea.",
            "confidence": 0.8,
            "authority": "THIRD_PARTY",
            "document": {"id": one["document"]["id"]},
        },
        {
            "quote": "Ada likes tea",
            "confidence": 0.8,
            "authority": "OFFICIAL",
            "document": {"id": two["document"]["id"]},
        },
    ]
    common = {"confidence": 0.96, "status": "CURRENT", "version": 2, "evidence": evidence}
    assert data["volume"]["facts"]["nodes"] == [{"content": "Likes tea", **common}]
    assert data["volume"]["relationships"]["nodes"] == [{"description": "daily", **common}]
    rows = await dump(api.store, "fact", "relationship")
    assert ["OFFICIAL" in row for row in (*rows["fact"], *rows["relationship"])] == [True, True]


async def test_one_document_that_says_it_twice_counts_once(api: Api) -> None:
    text = "Ada likes tea. Really, Ada likes tea."
    payload = await ingest(
        api,
        text,
        thing("Ada"),
        fact("Ada", "Likes tea", "Ada likes tea."),
        fact("Ada", "Likes tea", "Really, Ada likes tea.", confidence=0.75),
    )
    assert counts(payload) == ("DONE", 1, 1, 0)
    data = await api.ask("{ volume { facts { nodes { confidence evidence { quote } } } } }")
    assert data["volume"]["facts"]["nodes"] == [
        {"confidence": 0.8, "evidence": [{"quote": "Ada likes tea."}, {"quote": "Really, Ada likes tea."}]}
    ]


async def test_a_claim_below_seven_tenths_waits_until_another_document_says_it_too(api: Api) -> None:
    """1 - (1 - 0.6)(1 - 0.6) = 0.84."""
    first, second = "Ada may like tea.", "Ada seems to like tea."
    await ingest(api, first, thing("Ada"), fact("Ada", "Likes tea", first, confidence=0.6))
    shown = "{ volume { facts { nodes { confidence status } } } }"
    pending = "{ volume { facts(filter: {statuses: [PENDING_REVIEW]}) { nodes { confidence status } } } }"
    assert (await api.ask(shown))["volume"]["facts"]["nodes"] == []
    assert (await api.ask(pending))["volume"]["facts"]["nodes"] == [{"confidence": 0.6, "status": "PENDING_REVIEW"}]
    await ingest(api, second, thing("Ada"), fact("Ada", "Likes tea", second, confidence=0.6))
    assert (await api.ask(shown))["volume"]["facts"]["nodes"] == [{"confidence": 0.84, "status": "CURRENT"}]
    assert (await api.ask(pending))["volume"]["facts"]["nodes"] == []


async def test_seven_tenths_itself_is_believed(api: Api) -> None:
    text = "Ada may like tea."
    await ingest(api, text, thing("Ada"), fact("Ada", "Likes tea", text, confidence=0.7))
    data = await api.ask("{ volume { facts { nodes { status } } } }")
    assert data["volume"]["facts"]["nodes"] == [{"status": "CURRENT"}]


async def test_a_claim_by_hand_with_a_quote_is_verified_against_the_document(api: Api) -> None:
    payload = await ingest(api, "Ada  likes\ntea.", thing("Ada"))
    data = await api.ask("{ volume { entities { nodes { id } } } }")
    common = {"subject": data["volume"]["entities"]["nodes"][0]["id"], "document": payload["document"]["id"]}
    refusal = await api.refused("createFact", content="Likes rum", quote="Ada likes rum", **common)
    assert (refusal["code"], refusal["argument"]) == ("BAD_USER_INPUT", "quote")
    made = await api.do(
        "createFact", f"fact {{ confidence {EVIDENCE} }}", content="Likes tea", quote="Ada likes tea.", **common
    )
    own = {"quote": "Ada  likes\ntea.", "start": 0, "end": 15, "verified": True}
    assert made["fact"] == {"confidence": 1.0, "evidence": [own]}
