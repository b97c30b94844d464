"""The sample's documents answer the demo's questions by traversal of what the extractor makes of them."""

from __future__ import annotations

import re

import pytest

from server.sample import sample_documents
from server.services.extraction.offline import OfflineExtractor
from server.services.extraction.protocol import ChunkText, Extraction, ValueType


@pytest.fixture(scope="module")
def extractions() -> list[Extraction]:
    extractor = OfflineExtractor()
    return [extractor.extract(ChunkText(one.text, one.title)) for one in sample_documents()]


def out(extractions: list[Extraction], name: str, kind: str) -> set[str]:
    """Return the names that edges of one type lead to from one name."""
    found = set()
    for extraction in extractions:
        names = {one.key: one.name for one in extraction.entities}
        found |= {names[e.target] for e in extraction.relationships if e.type == kind and names[e.source] == name}
    return found


def facts(extractions: list[Extraction], name: str) -> set[str]:
    found = set()
    for extraction in extractions:
        keys = {one.key for one in extraction.entities if one.name == name}
        found |= {fact.content for fact in extraction.facts if fact.subject in keys}
    return found


def test_the_sample_is_five_documents_with_their_own_uris() -> None:
    """Each is Markdown of ten sentences or more."""
    documents = sample_documents()
    assert len({one.uri for one in documents}) == 5
    assert {one.mime_type for one in documents} == {"text/markdown"}
    assert all(len(re.findall(r"[.?!](?:\s|$)", one.text)) >= 10 for one in documents)


def test_what_does_enterprise_include(extractions: list[Extraction]) -> None:
    """One step along INCLUDES."""
    included = out(extractions, "Enterprise Plan", "INCLUDES")
    assert included == {"API Access", "Advanced Analytics", "Audit Logs", "SSO", "MFA", "Dedicated Support"}
    assert out(extractions, "Starter Plan", "INCLUDES") == {"API Access"}
    assert out(extractions, "Professional Plan", "INCLUDES") == {"API Access", "Advanced Analytics", "Audit Logs"}


def test_can_i_use_okta(extractions: list[Extraction]) -> None:
    """SSO and the new plan are compatible with it, and SSO leads on to its protocol."""
    providers = {"Okta", "Azure AD", "Google Workspace"}
    assert out(extractions, "SSO", "COMPATIBLE_WITH") == providers
    assert out(extractions, "Professional Plus Plan", "COMPATIBLE_WITH") == providers
    assert out(extractions, "SSO", "USES") == {"SAML 2.0"}


def test_bert_against_gpt_3(extractions: list[Extraction]) -> None:
    """Makers, the shared architecture, publication and the facts in which they differ."""
    assert out(extractions, "BERT", "CREATED_BY") == {"Google"}
    assert out(extractions, "GPT-3", "CREATED_BY") == {"OpenAI"}
    assert out(extractions, "BERT", "USES") == out(extractions, "GPT-3", "USES") == {"Transformer"}
    assert out(extractions, "BERT", "DIFFERS_FROM") == {"GPT-3"}
    assert {"Published in 2018", "Uses a bidirectional encoder"} <= facts(extractions, "BERT")
    assert {"Published in 2020", "Uses an autoregressive decoder"} <= facts(extractions, "GPT-3")


def test_every_price_is_money(extractions: list[Extraction]) -> None:
    """One COSTS fact for each plan."""
    prices = {
        (fact.subject, fact.value)
        for extraction in extractions
        for fact in extraction.facts
        if fact.value_type is ValueType.MONEY
    }
    assert prices == {
        ("starter plan", "49 USD/month"),
        ("professional plan", "199 USD/month"),
        ("enterprise plan", "899 USD/month"),
        ("professional plus plan", "349 USD/month"),
    }


def test_every_quote_and_mention_of_the_sample_is_in_its_text(extractions: list[Extraction]) -> None:
    """Quotes are verbatim; a mention's words are the name, an alias or a part of it."""
    for document, extraction in zip(sample_documents(), extractions, strict=True):
        for item in (*extraction.entities, *extraction.facts, *extraction.relationships):
            assert item.quote
            assert item.quote in document.text
        for entity in extraction.entities:
            words = " ".join((entity.name, *entity.aliases)).casefold()
            assert all(document.text[one.start : one.end].casefold() in words for one in entity.mentions)
        keys = {entity.key for entity in extraction.entities}
        assert {fact.subject for fact in extraction.facts} <= keys
