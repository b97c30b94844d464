"""The two passages that the project starts from are read exactly: every entity, fact and edge, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from server.services.extraction.offline import OfflineExtractor
from server.services.extraction.protocol import ChunkText, Extraction, Instant, Precision, Span, ValueType

CAREER = (
    "John worked as a senior engineer at Google from 2021-2024, building distributed systems with Go and Kubernetes."
)
ANNOUNCEMENT = """
        Our new Professional Plus plan launches in Q2 2024. It sits between Professional
        and Enterprise, priced at $349/month. It includes API Access, Advanced Analytics,
        SSO with up to 50 users, and priority support (but not dedicated support).
        The Professional Plus plan requires a minimum 12-month commitment.
        It is compatible with Okta, Azure AD, and Google Workspace for SSO configuration.
        """


@pytest.fixture(scope="module")
def career() -> Extraction:
    return OfflineExtractor().extract(ChunkText(CAREER))


@pytest.fixture(scope="module")
def announcement() -> Extraction:
    return OfflineExtractor().extract(ChunkText(ANNOUNCEMENT))


def edges(extraction: Extraction) -> set[tuple[str, str, str]]:
    names = {entity.key: entity.name for entity in extraction.entities}
    return {(names[edge.source], edge.type, names[edge.target]) for edge in extraction.relationships}


def test_the_career_names_four_entities(career: Extraction) -> None:
    """Only the employer's type is stated by the grammar; each mention is the name's place in the text."""
    assert [(one.name, one.type, one.stated_type, one.mentions) for one in career.entities] == [
        ("John", "person", False, (Span(0, 4),)),
        ("Google", "organization", True, (Span(36, 42),)),
        ("Go", "technology", False, (Span(93, 95),)),
        ("Kubernetes", "technology", False, (Span(100, 110),)),
    ]


def test_the_career_has_two_facts_and_the_role_carries_the_dates(career: Extraction) -> None:
    """2024 as an end means until 2025."""
    since = Instant(datetime(2021, 1, 1, tzinfo=UTC), Precision.YEAR)
    until = Instant(datetime(2025, 1, 1, tzinfo=UTC), Precision.YEAR)
    assert [(fact.content, fact.category, fact.valid_from, fact.valid_to) for fact in career.facts] == [
        ("Senior engineer at Google 2021-2024", "experience", since, until),
        ("Built distributed systems", "experience", None, None),
    ]


def test_the_career_has_three_edges_and_the_employment_carries_the_dates(career: Extraction) -> None:
    """Skills are undated: knowing Go does not end with the job."""
    assert edges(career) == {
        ("John", "WORKS_AT", "Google"),
        ("John", "HAS_SKILL", "Go"),
        ("John", "HAS_SKILL", "Kubernetes"),
    }
    employment = career.relationships[0]
    assert (employment.type, employment.description) == ("WORKS_AT", "senior engineer")
    assert employment.valid_from == Instant(datetime(2021, 1, 1, tzinfo=UTC), Precision.YEAR)
    assert employment.valid_to == Instant(datetime(2025, 1, 1, tzinfo=UTC), Precision.YEAR)
    assert career.rejected == []


def test_the_announcement_names_plans_features_and_products(announcement: Extraction) -> None:
    """A tier's bare name is the plan; dedicated support is not included and no entity."""
    assert [(one.name, one.type, one.aliases) for one in announcement.entities] == [
        ("Professional Plus Plan", "product", ("Professional Plus",)),
        ("Professional Plan", "product", ("Professional",)),
        ("Enterprise Plan", "product", ("Enterprise",)),
        ("API Access", "feature", ()),
        ("Advanced Analytics", "feature", ()),
        ("SSO", "feature", ()),
        ("Okta", "product", ()),
        ("Azure AD", "product", ()),
        ("Google Workspace", "product", ()),
    ]


def test_the_announcement_states_its_price_as_money(announcement: Extraction) -> None:
    """The one MONEY value is the price, normalised to amount, currency and period."""
    money = [fact for fact in announcement.facts if fact.value_type is ValueType.MONEY]
    assert [(fact.subject, fact.content, fact.predicate, fact.value) for fact in money] == [
        ("professional plus plan", "Priced at $349/month", "COSTS", "349 USD/month")
    ]


def test_the_announcement_states_what_has_no_name_as_facts(announcement: Extraction) -> None:
    """Requirements, unnamed features and the launch are facts of the plan."""
    facts = [(fact.content, fact.category) for fact in announcement.facts if fact.value_type is not ValueType.MONEY]
    assert facts == [
        ("Launches in Q2 2024", "date"),
        ("Includes priority support", "feature"),
        ("Requires a minimum 12-month commitment", "requirement"),
    ]
    assert announcement.facts[0].valid_from == Instant(datetime(2024, 4, 1, tzinfo=UTC), Precision.MONTH)
    assert {fact.subject for fact in announcement.facts} == {"professional plus plan"}


def test_the_announcement_relates_the_plan_and_nothing_else(announcement: Extraction) -> None:
    """Each item of a list is an edge; what the plan does not include is none."""
    plan = "Professional Plus Plan"
    assert edges(announcement) == {
        (plan, "SITS_BETWEEN", "Professional Plan"),
        (plan, "SITS_BETWEEN", "Enterprise Plan"),
        (plan, "INCLUDES", "API Access"),
        (plan, "INCLUDES", "Advanced Analytics"),
        (plan, "INCLUDES", "SSO"),
        (plan, "COMPATIBLE_WITH", "Okta"),
        (plan, "COMPATIBLE_WITH", "Azure AD"),
        (plan, "COMPATIBLE_WITH", "Google Workspace"),
    }


def test_every_quote_stands_in_the_text(career: Extraction, announcement: Extraction) -> None:
    """Quotes are the text's own characters, line breaks included."""
    for text, extraction in ((CAREER, career), (ANNOUNCEMENT, announcement)):
        items = [*extraction.entities, *extraction.facts, *extraction.relationships]
        assert all(item.quote and item.quote in text for item in items)
