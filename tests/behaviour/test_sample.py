"""The real extractor on real text, through the whole pipeline: the sample's questions, and the two passages that the project starts from.

Everything is asked by GraphQL. The sample is ingested once for each database.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from reading import reading

from schema import build_schema
from schema.context import Context
from schema.limits import Limits
from server.auth import LOCAL
from server.config import Settings
from server.sample import sample_documents

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
INGEST = """mutation($i: IngestDocumentInput!) { ingestDocument(input: $i) {
  created document { id }
  ingestion { status error chunksDone chunksTotal entitiesFound factsFound relationshipsFound rejected { kind reason } } } }"""
Ask = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
async def ask(settings: Settings) -> AsyncIterator[Ask]:
    """Run an operation over an empty volume "default", with the real extractor at work."""
    schema = build_schema(Limits())
    async with reading(settings) as knowledge:

        async def run(query: str, **variables: Any) -> dict[str, Any]:
            result = await schema.execute(query, variable_values=variables, context_value=Context(knowledge, LOCAL))
            assert result.errors is None
            assert result.data is not None
            return result.data

        yield run


async def ingest(ask: Ask, text: str, **input: Any) -> dict[str, Any]:
    data = await ask(INGEST, i={"title": "Notes", "text": text, "wait": True, **input})
    payload: dict[str, Any] = data["ingestDocument"]
    return payload


async def ingest_sample(ask: Ask) -> None:
    """Ingest the five documents in their order; each is read whole and nothing of it is rejected."""
    for one in sample_documents():
        input = {"title": one.title, "uri": one.uri, "mimeType": one.mime_type, "authority": one.authority}
        run = (await ingest(ask, one.text, **input))["ingestion"]
        assert (run["status"], run["error"], run["rejected"]) == ("DONE", None, [])
        assert run["chunksDone"] == run["chunksTotal"] > 0
        assert min(run["entitiesFound"], run["factsFound"], run["relationshipsFound"]) > 5


async def neighbours(ask: Ask, name: str, direction: str, *types: str) -> set[tuple[str, str]]:
    """Return (type, neighbour's name) of the edges of an entity."""
    query = """query($n: String!, $d: Direction!, $t: [String!]) { volume { entity(by: {name: {name: $n}}) {
      neighbors(direction: $d, types: $t, first: 100) { edges { relationship { type } node { name } } } } } }"""
    entity = (await ask(query, n=name, d=direction, t=list(types) or None))["volume"]["entity"]
    return {(e["relationship"]["type"], e["node"]["name"]) for e in entity["neighbors"]["edges"]}


async def contents(ask: Ask, name: str) -> set[str]:
    query = """query($n: String!) { volume { entity(by: {name: {name: $n}}) {
      facts(first: 100) { nodes { content } } } } }"""
    return {f["content"] for f in (await ask(query, n=name))["volume"]["entity"]["facts"]["nodes"]}


async def test_the_sample_answers_its_questions_by_traversal(ask: Ask) -> None:
    """What does Enterprise include? Can I use Okta? BERT against GPT-3? And in words, with citations."""
    await ingest_sample(ask)
    await what_does_enterprise_include(ask)
    await can_i_use_okta(ask)
    await bert_against_gpt_3(ask)
    await it_answers_in_words(ask)
    await nothing_is_doubled(ask)


async def what_does_enterprise_include(ask: Ask) -> None:
    """One step, by the plan's name or by the bare name of the tier; and what the other plans include."""
    features = {"API Access", "Advanced Analytics", "Audit Logs", "SSO", "MFA", "Dedicated Support"}
    for name in ("Enterprise Plan", "Enterprise", "the enterprise plan"):
        assert await neighbours(ask, name, "OUT", "INCLUDES") == {("INCLUDES", f) for f in features}
    query = """{ volume { relationships(first: 100, filter: {types: ["includes"]}) { nodes {
      source { name } target { name } confidence evidence { quote verified document { title } } } } } }"""
    edges = (await ask(query))["volume"]["relationships"]["nodes"]
    plans: dict[str, set[str]] = {}
    for one in edges:
        plans.setdefault(one["source"]["name"], set()).add(one["target"]["name"])
        assert all(e["verified"] for e in one["evidence"])
    assert plans == {
        "Starter Plan": {"API Access"},
        "Professional Plan": {"API Access", "Advanced Analytics", "Audit Logs"},
        "Enterprise Plan": features,
        "Professional Plus Plan": {"API Access", "Advanced Analytics", "SSO"},
    }
    assert {f["content"] for f in await _priced(ask)} == {
        "Costs $49/month",
        "Costs $199/month",
        "Costs $899/month",
        "Priced at $349/month",
    }


async def _priced(ask: Ask) -> list[dict[str, Any]]:
    query = '{ volume { facts(first: 100, filter: {predicates: ["costs"]}) { nodes { content valueType } } } }'
    found: list[dict[str, Any]] = (await ask(query))["volume"]["facts"]["nodes"]
    assert {f["valueType"] for f in found} == {"MONEY"}
    return found


async def can_i_use_okta(ask: Ask) -> None:
    """From Okta inward: SSO and the new plan are compatible with it, and the plans that include SSO come one step further."""
    inward = await neighbours(ask, "Okta", "IN", "COMPATIBLE_WITH")
    assert inward == {("COMPATIBLE_WITH", "SSO"), ("COMPATIBLE_WITH", "Professional Plus Plan")}
    query = """{ volume { entity(by: {name: {name: "okta"}}) { neighbors(direction: IN, types: ["compatible with"]) { nodes {
      name neighbors(direction: IN, types: ["INCLUDES"]) { nodes { name } } } } } } }"""
    found = (await ask(query))["volume"]["entity"]["neighbors"]["nodes"]
    plans = {n["name"]: {plan["name"] for plan in n["neighbors"]["nodes"]} for n in found}
    assert plans == {"SSO": {"Enterprise Plan", "Professional Plus Plan"}, "Professional Plus Plan": set()}


async def bert_against_gpt_3(ask: Ask) -> None:
    """Their makers, the architecture they share, the years and what each of them does."""
    assert await neighbours(ask, "BERT", "OUT") == {
        ("CREATED_BY", "Google"),
        ("USES", "Transformer"),
        ("DIFFERS_FROM", "GPT-3"),
        ("TRAINED_ON", "BooksCorpus"),
        ("TRAINED_ON", "Wikipedia"),
    }
    assert await neighbours(ask, "GPT-3", "OUT") == {
        ("CREATED_BY", "OpenAI"),
        ("USES", "Transformer"),
        ("SUCCEEDED", "GPT-2"),
        ("DIFFERS_FROM", "BERT"),  # said of BERT: it holds from both ends
    }
    assert await neighbours(ask, "Transformer", "IN", "USES") == {("USES", "BERT"), ("USES", "GPT-3")}
    assert {"Published in 2018", "Uses a bidirectional encoder"} <= await contents(ask, "BERT")
    assert {"Published in 2020", "Uses an autoregressive decoder"} <= await contents(ask, "GPT-3")


SAID = {
    "Our team uses Okta, which of your plans would support our SSO setup?": {
        "Enterprise Plan includes SSO",
        "Professional Plus Plan includes SSO",
        "Professional Plus Plan is compatible with Okta",
        "SSO is compatible with Okta",
    },
    "What is the key architectural difference between BERT and GPT-3?": {
        "BERT differs from GPT-3 in its direction",
        "BERT uses a bidirectional encoder",
        "GPT-3 uses an autoregressive decoder",
        "BERT uses Transformer; the same is said of GPT-3",
    },
    "Why does Python have a GIL and how does asyncio relate to it?": {
        "GIL prevents two threads from running bytecode at the same moment",
        "asyncio avoids the GIL, because one thread runs every coroutine",
        "GIL is a mutex inside the interpreter",
        "CPython uses GIL",
    },
    "Which plans support the MFA that SOC 2 requires?": {"Enterprise Plan includes MFA", "SOC 2 requires MFA"},
    "Can I use Okta with the Enterprise Plan?": {"Enterprise Plan includes SSO", "SSO is compatible with Okta"},
    "Who created FastAPI and Pydantic?": {
        "FastAPI was created by Sebastián Ramírez (in 2018)",
        "Pydantic was created by Samuel Colvin (in 2017)",
    },
    "Where is Lanternworks based?": {"Lanternworks is based in Rotterdam"},
    "How much does the Starter Plan cost?": {"Starter Plan costs $49/month"},
    "How many parameters does GPT-3 have?": {"GPT-3 has 175 billion parameters"},
    "When was BERT published?": {"BERT was published in 2018"},
    "Where does Mira Solberg work?": {"Mira Solberg works at Halden Systems (from 2022-03)"},
    "Which plans require a 12-month commitment?": {
        "Enterprise Plan requires a minimum 12-month commitment",
        "Professional Plus Plan requires a minimum 12-month commitment",
    },
    "What instrument does Mira Solberg play?": {"Mira Solberg plays the cello"},
    "What is uvloop written in?": {"uvloop is written in Cython"},
    "Does FastAPI support asyncio?": {"FastAPI supports asyncio"},
}
UNSAID = (
    "What is the capital of France?",
    "Who is the CEO of Lanternworks?",
    "How much does Beacon cost?",
    "Does GPT-4 use the Transformer?",
    "Does the Starter Plan include SSO?",
    "When was Okta founded?",
    "Why did Mira Solberg leave Brightwater Labs?",
    "Which plans include video calls?",
    "How do I reset my password?",
)


async def answered(ask: Ask, question: str) -> tuple[set[str], bool]:
    """Return the sentences of an answer without their marks, and whether it is grounded; each cites."""
    query = "query($q: String!) { volume { answer(question: $q) { text grounded citations { number quote } } } }"
    found = (await ask(query, q=question))["volume"]["answer"]
    marks = {int(number) for number in re.findall(r"\[(\d+)\]", found["text"])}
    assert marks == {cited["number"] for cited in found["citations"]}
    parts = re.sub(r"( \[\d+\])+", "", found["text"]).rstrip(".").split(". ")
    assert not found["grounded"] or len(marks) >= len(parts)
    return set(parts), found["grounded"]


async def it_answers_in_words(ask: Ask) -> None:
    """What the project starts from, and more; what the sample does not say is not made up."""
    for question, said in SAID.items():
        assert await answered(ask, question) == (said, True)
    for question in UNSAID:
        assert (await answered(ask, question))[1] is False
    (features,), _ = await answered(ask, "What features does the Enterprise Plan include?")
    named = {"API Access", "Advanced Analytics", "Audit Logs", "SSO", "MFA", "Dedicated Support"}
    assert set(re.split(", | and ", features.removeprefix("Enterprise Plan includes "))) == named


async def nothing_is_doubled(ask: Ask) -> None:
    """A name that several documents and chunks use is one entity; ingesting the sample again changes nothing."""
    query = "{ volume { entities(first: 100) { totalCount nodes { name } } changes(first: 1) { totalCount } } }"
    before = await ask(query)
    found = [e["name"].casefold() for e in before["volume"]["entities"]["nodes"]]
    assert len(found) == len(set(found)) == before["volume"]["entities"]["totalCount"]
    await ingest_sample(ask)
    assert await ask(query) == before


async def test_the_career_sentence_is_read_exactly(ask: Ask) -> None:
    """Four entities, two facts, three edges; the employment holds from 2021 until 2025."""
    run = (await ingest(ask, CAREER))["ingestion"]
    assert (run["status"], run["rejected"]) == ("DONE", [])
    assert (run["entitiesFound"], run["factsFound"], run["relationshipsFound"]) == (4, 2, 3)
    times = "validFrom validFromPrecision validTo validToPrecision"
    evidence = "confidence evidence { quote start end verified }"
    data = await ask(f"""{{ volume {{
      entities {{ nodes {{ name type }} }}
      facts {{ nodes {{ content subject {{ name }} {times} {evidence} }} }}
      relationships {{ nodes {{ source {{ name }} type target {{ name }} {times} {evidence} }} }} }} }}""")
    volume = data["volume"]
    assert {(e["name"], e["type"]) for e in volume["entities"]["nodes"]} == {
        ("John", "person"),
        ("Google", "organization"),
        ("Go", "technology"),
        ("Kubernetes", "technology"),
    }
    held = ("2021-01-01T00:00:00Z", "YEAR", "2025-01-01T00:00:00Z", "YEAR")
    undated = (None, None, None, None)

    def when(claim: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(claim[name] for name in times.split())

    assert {(f["subject"]["name"], f["content"], when(f)) for f in volume["facts"]["nodes"]} == {
        ("John", "Senior engineer at Google 2021-2024", held),
        ("John", "Built distributed systems", undated),
    }
    assert {
        (r["source"]["name"], r["type"], r["target"]["name"], when(r)) for r in volume["relationships"]["nodes"]
    } == {
        ("John", "WORKS_AT", "Google", held),
        ("John", "HAS_SKILL", "Go", undated),
        ("John", "HAS_SKILL", "Kubernetes", undated),
    }
    for claim in (*volume["facts"]["nodes"], *volume["relationships"]["nodes"]):
        assert claim["confidence"] == 0.8
        (own,) = claim["evidence"]
        assert own["verified"] is True
        assert own["quote"] == CAREER[own["start"] : own["end"]] != ""


async def test_the_announcement_is_read_exactly(ask: Ask) -> None:
    """The price is MONEY; what the plan includes and is compatible with are edges; nothing for what it does not include."""
    payload = await ingest(ask, ANNOUNCEMENT, title="Professional Plus")
    assert (payload["ingestion"]["status"], payload["ingestion"]["rejected"]) == ("DONE", [])
    plan = "Professional Plus Plan"
    assert await neighbours(ask, plan, "OUT") == {
        ("SITS_BETWEEN", "Professional Plan"),
        ("SITS_BETWEEN", "Enterprise Plan"),
        ("INCLUDES", "API Access"),
        ("INCLUDES", "Advanced Analytics"),
        ("INCLUDES", "SSO"),
        ("COMPATIBLE_WITH", "Okta"),
        ("COMPATIBLE_WITH", "Azure AD"),
        ("COMPATIBLE_WITH", "Google Workspace"),
    }
    assert await neighbours(ask, plan, "IN") == {
        ("COMPATIBLE_WITH", name) for name in ("Okta", "Azure AD", "Google Workspace")
    }
    data = await ask("""{ volume { entities(first: 100) { nodes { name } } relationships { totalCount }
      facts { nodes { content predicate value valueType subject { name } evidence { quote } } } } }""")
    volume = data["volume"]
    assert {e["name"] for e in volume["entities"]["nodes"]} == {
        plan, "Professional Plan", "Enterprise Plan", "API Access", "Advanced Analytics", "SSO", "Okta", "Azure AD",
        "Google Workspace",
    }  # fmt: skip
    assert volume["relationships"]["totalCount"] == 8
    facts = volume["facts"]["nodes"]
    assert {f["subject"]["name"] for f in facts} == {plan}
    assert [(f["content"], f["predicate"], f["value"]) for f in facts if f["valueType"] == "MONEY"] == [
        ("Priced at $349/month", "COSTS", "349 USD/month")
    ]
    assert {f["content"] for f in facts if f["valueType"] != "MONEY"} == {
        "Launches in Q2 2024",
        "Includes priority support",
        "Requires a minimum 12-month commitment",
    }
    assert all(f["evidence"][0]["quote"] in ANNOUNCEMENT for f in facts)
    assert not any("dedicated" in f["content"].casefold() for f in facts)


async def test_the_title_names_the_plan_that_the_text_is_about(ask: Ask) -> None:
    payload = await ingest(ask, "It is cheap.", title="Notes on nothing")
    await ingest(ask, ANNOUNCEMENT, title="Announcement")
    await ingest(ask, "It is worth its price.", title="Professional Plus")
    query = """{ volume { entity(by: {name: {name: "Professional Plus Plan"}}) { documents { nodes { title } } } } }"""
    titles = [d["title"] for d in (await ask(query))["volume"]["entity"]["documents"]["nodes"]]
    assert payload["created"] is True
    assert titles == ["Announcement", "Professional Plus"]
