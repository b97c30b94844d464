"""Several views in one operation: each is answered as it is alone, by both executors, at a constant number of statements."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from api.test_statement_counts import DOCUMENTS, ENTITIES, MEMORIES, NEIGHBORS, asked
from api.test_views import instants, read
from scripted import edge, fact, ingest, thing
from worlds import new_world

from schema import build_schema
from schema.context import Context
from schema.limits import Limits
from server.auth import LOCAL
from server.ids import NodeKind, decode_id, encode_id
from server.services.instants import parse_instant
from server.views import View, view_of

if TYPE_CHECKING:
    from api.conftest import Api


async def both(api: Api, query: str, **variables: Any) -> dict[str, Any]:
    """Return what both executors answer to a query, which must be the same."""
    schema = build_schema(Limits(), "ordinary")
    ordinary = await schema.execute(query, variable_values=variables, context_value=Context(api.knowledge, LOCAL))
    assert ordinary.errors is None
    answer = await api.ask(query, **variables)
    assert answer == ordinary.data
    return answer


async def priced(api: Api) -> tuple[str, str, str]:
    """State two prices of a plan, one after the other, and correct the second; return the plan's id and the instants of the last two."""
    plan = await api.entity("Plan", "product")
    await api.fact(
        plan, "Costs 299", predicate="list price", value="299 USD", valueType="MONEY", validFrom="2023", validTo="2024"
    )
    new = await api.fact(
        plan, "Costs 394", predicate="list price", value="394 USD", valueType="MONEY", validFrom="2025"
    )
    await api.do("updateFact", "fact { id }", id=new, content="Costs 349", value="349 USD")
    return (plan, *(await instants(api))[-2:])  # type: ignore[return-value]


PRICE = 'entity(by: {name: {name: "Plan"}}) { facts { totalCount nodes { value } } explanation }'


async def test_the_price_of_a_product_at_two_times_in_one_query_is_two_answers(api: Api) -> None:
    _, stated, _ = await priced(api)
    query = f"""query($stated: DateTime) {{
        then: volume(asOf: {{valid: "2024-07"}}) {{ {PRICE} }}
        now: volume(asOf: {{valid: "2025-07"}}) {{ {PRICE} }}
        believed: volume(asOf: {{valid: "2025-07", known: $stated}}) {{ {PRICE} }}
        none: volume(asOf: {{valid: "2022"}}) {{ {PRICE} }}
        all: volume {{ {PRICE} }} }}"""
    found = await both(api, query, stated=stated)

    def price(text: str, *values: str) -> dict[str, Any]:
        facts = {"totalCount": len(values), "nodes": [{"value": value} for value in values]}
        return {"entity": {"facts": facts, "explanation": f"Plan (product){text}"}}

    first, second = "\n- Costs 299 [from 2023, until the end of 2024]", "\n- Costs 349 [from 2025]"
    assert found == {
        "then": price(first, "299 USD"),
        "now": price(second, "349 USD"),
        "believed": price("\n- Costs 394 [from 2025]", "394 USD"),
        "none": price(""),
        "all": price(first + second, "299 USD", "349 USD"),
    }


async def test_a_price_that_a_later_one_took_the_place_of_is_read_at_both_times(api: Api) -> None:
    plan = await api.entity("Plan", "product")
    price = {"predicate": "costs", "valueType": "MONEY"}
    await api.fact(plan, "Costs 299", **price, value="299 USD/month", validFrom="2023")
    before = (await instants(api))[-1]
    await api.fact(plan, "Costs 349", **price, value="349 USD/month", validFrom="2025-03")
    priced = 'entity(by: {name: {name: "Plan"}}) { facts { nodes { value status effectiveTo supersededBy { text } } } }'
    query = f"""query($before: DateTime) {{
        then: volume(asOf: {{valid: "2024"}}) {{ {priced} }}
        now: volume(asOf: {{valid: "2025-03"}}) {{ {priced} }}
        before: volume(asOf: {{valid: "2025-03", known: $before}}) {{ {priced} }}
        default: volume {{ {priced} }} }}"""

    def shown(value: str, status: str, until: str | None = None, by: str | None = None) -> dict[str, Any]:
        successor = None if by is None else {"text": by}
        fact = {"value": value, "status": status, "effectiveTo": until, "supersededBy": successor}
        return {"entity": {"facts": {"nodes": [fact]}}}

    new = shown("349 USD/month", "CURRENT")
    assert await both(api, query, before=before) == {
        "then": shown("299 USD/month", "SUPERSEDED", "2025-03-01T00:00:00Z", "Costs 349"),
        "now": new,
        "before": shown("299 USD/month", "CURRENT"),
        "default": new,
    }


async def test_nodes_of_several_views_in_one_level_are_read_each_in_its_own(api: Api) -> None:
    plan, stated, _ = await priced(api)
    decoded = decode_id(plan)
    assert decoded is not None
    views = [None, *map(View._make, [(at("2024-07"), None, 0.0), (at("2025-07"), at(stated), 0.0), (None, None, 1.0)])]
    ids = [encode_id(NodeKind.ENTITY, decoded.id, view) for view in (*views, views[1])]
    inner = "facts(first: 1) { totalCount pageInfo { hasNextPage } nodes { id value subject { id facts { nodes { value } } } } }"
    found = await both(api, f"query($ids: [ID!]!) {{ nodes(ids: $ids) {{ id ... on Entity {{ {inner} }} }} }}", ids=ids)
    values = {
        None: ["299 USD", "349 USD"],
        views[1]: ["299 USD"],
        views[2]: ["394 USD"],
        views[3]: ["299 USD", "349 USD"],
    }
    for id, view, node in zip(ids, (*views, views[1]), found["nodes"], strict=True):
        assert node["id"] == id
        facts, shown = node["facts"], values[view]
        assert (facts["totalCount"], facts["pageInfo"]["hasNextPage"]) == (len(shown), len(shown) > 1)
        (first,) = facts["nodes"]
        assert first["id"][30:] == id[30:]
        assert first["value"] == shown[0]
        assert first["subject"] == {"id": id, "facts": {"nodes": [{"value": value} for value in shown]}}


def at(text: str) -> datetime:
    return parse_instant(text).at


async def test_a_cursor_goes_on_in_its_own_view_and_is_refused_in_every_other(api: Api) -> None:
    await priced(api)
    opening = [
        'asOf: {valid: "2024-07"}',
        'asOf: {known: "2999"}',
        'asOf: {known: "2998"}',
        "minConfidence: 0.1",
        'name: "default"',
    ]
    for field in ("facts", "entities", "documents", "changes"):
        ends = []
        for view in opening:
            (page,) = (
                await api.ask(f"{{ volume({view}) {{ {field}(first: 1) {{ pageInfo {{ endCursor }} }} }} }}")
            ).values()
            ends.append(page[field]["pageInfo"]["endCursor"])
        if field == "documents":
            assert ends == [None] * 5
            continue
        assert len(set(ends)) == 5
        for view in opening:
            for end, own in zip(ends, opening, strict=True):
                query = (
                    f"query($a: String) {{ volume({view}) {{ {field}(first: 1, after: $a) {{ nodes {{ id }} }} }} }}"
                )
                body = await api.send(query, a=end)
                codes = [error["extensions"] for error in body.get("errors", ())]
                assert codes == ([] if view == own else [{"code": "BAD_USER_INPUT", "argument": "after"}]), (
                    field,
                    view,
                    own,
                )


async def test_a_cursor_that_two_views_of_one_level_are_given_goes_on_in_its_own(api: Api) -> None:
    await priced(api)
    end = (await read(api, "facts(first: 1) { pageInfo { endCursor } }", known="2999"))["facts"]["pageInfo"][
        "endCursor"
    ]
    body = await api.send(
        """query($a: String) { other: volume { facts(after: $a) { totalCount nodes { content } } }
            own: volume(asOf: {known: "2999"}) { facts(after: $a) { totalCount nodes { content } } } }""",
        a=end,
    )
    assert body["data"] == {"other": None, "own": {"facts": {"totalCount": 2, "nodes": [{"content": "Costs 349"}]}}}
    assert [(error["path"], error["extensions"]["argument"]) for error in body["errors"]] == [
        (["other", "facts"], "after")
    ]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("order", ["CREATED_AT", "CONFIDENCE", "IMPORTANCE"])
async def test_pages_of_a_known_instant_run_through_present_and_earlier_versions_in_order(
    api: Api, order: str, descending: bool
) -> None:
    ada = await api.entity("Ada")
    facts = [await api.fact(ada, f"Fact {n}", confidence=0.8 + n % 3 / 20, importance=n % 4 / 4) for n in range(9)]
    known = (await instants(api))[-1]
    for n in (1, 2, 5, 8):
        await api.do("updateFact", "fact { id }", id=facts[n], content=f"Changed {n}", confidence=0.75, importance=0.9)
    await api.do("retractFact", "fact { id }", id=facts[4])
    await api.fact(ada, "Later")
    direction = "DESC" if descending else "ASC"
    keys = {"CREATED_AT": lambda n: n, "CONFIDENCE": lambda n: (n % 3, n), "IMPORTANCE": lambda n: (n % 4, n)}
    expected = [f"Fact {n}" for n in sorted(range(9), key=keys[order], reverse=descending)]
    for list_of in ("facts", "entity"):
        seen, after = [], None
        while True:
            sorted_by = f"orderBy: {{field: {order}, direction: {direction}}}"
            page_of = "totalCount nodes { content } pageInfo { hasNextPage endCursor }"
            asked = f"facts(first: 2, after: $a, {sorted_by}) {{ {page_of} }}"
            inner = asked if list_of == "facts" else f'entity(by: {{name: {{name: "Ada"}}}}) {{ {asked} }}'
            found = (
                await api.ask(
                    f"query($k: DateTime, $a: String) {{ volume(asOf: {{known: $k}}) {{ {inner} }} }}", k=known, a=after
                )
            )["volume"]
            page = found["facts"] if list_of == "facts" else found["entity"]["facts"]
            assert page["totalCount"] == 9
            seen += [fact["content"] for fact in page["nodes"]]
            after = page["pageInfo"]["endCursor"]
            assert page["pageInfo"]["hasNextPage"] == (len(seen) < 9)
            if len(seen) >= 9:
                break
        assert seen == expected


async def test_a_document_shows_at_a_known_instant_what_it_said_then(api: Api) -> None:
    tea, rum = "Ada likes tea. Ada knows Bob.", "Ada likes rum."
    people = thing("Ada", "person"), thing("Bob", "person")
    await ingest(
        api,
        tea,
        *people,
        fact("Ada", "Likes tea", "Ada likes tea."),
        edge("Ada", "KNOWS", "Bob", "Ada knows Bob."),
        uri="notes",
    )
    first = (await instants(api))[-1]
    await ingest(api, rum, people[0], fact("Ada", "Likes rum", rum), uri="notes")
    selection = """documents { nodes { revision facts { totalCount nodes { content status evidence { quote current document { title } } } }
        relationships { totalCount nodes { type evidence { current } } } } }"""

    def said(content: str, quote: str, *types: str) -> dict[str, Any]:
        evidence = {"quote": quote, "current": True, "document": {"title": "Notes"}}
        edges = [{"type": type, "evidence": [{"current": True}]} for type in types]
        facts = {"totalCount": 1, "nodes": [{"content": content, "status": "CURRENT", "evidence": [evidence]}]}
        return {"nodes": [{"revision": 2, "facts": facts, "relationships": {"totalCount": len(edges), "nodes": edges}}]}

    assert (await read(api, selection, known=first))["documents"] == said("Likes tea", "Ada likes tea.", "KNOWS")
    assert (await read(api, selection))["documents"] == said("Likes rum", rum)
    assert (await read(api, selection, known="2999"))["documents"] == said("Likes rum", rum)


async def test_evidence_of_a_known_instant_is_what_had_been_written_by_then(api: Api) -> None:
    ada = await api.entity("Ada")
    await api.fact(ada, "Sings", confidence=0.8)
    first = (await instants(api))[-1]
    await ingest(api, "Ada sings.", thing("Ada"), fact("Ada", "Sings", "Ada sings."))
    selection = "facts { nodes { confidence version evidence { quote confidence } } }"
    one, two = {"quote": "Sings", "confidence": 0.8}, {"quote": "Ada sings.", "confidence": 0.8}
    assert (await read(api, selection, known=first))["facts"]["nodes"] == [
        {"confidence": 0.8, "version": 1, "evidence": [one]}
    ]
    assert (await read(api, selection))["facts"]["nodes"] == [
        {"confidence": 0.96, "version": 2, "evidence": [one, two]}
    ]


async def test_a_claim_is_found_by_its_id_at_instants_when_it_was_known_whatever_its_dates_and_confidence(
    api: Api,
) -> None:
    ada = await api.entity("Ada")
    before = (await instants(api))[-1]
    id = await api.fact(ada, "Sings", validFrom="2020", confidence=0.8)
    known = (await instants(api))[-1]
    await api.do("updateFact", "fact { id }", id=id, content="Hums")
    decoded = decode_id(id)
    assert decoded is not None

    async def content(view: View | None) -> str | None:
        found = await api.ask(
            "query($id: ID!) { node(id: $id) { ... on Fact { content } } }",
            id=encode_id(NodeKind.FACT, decoded.id, view),
        )
        node = found["node"]
        return None if node is None else str(node["content"])

    assert await content(view_of(None, at(before))) is None
    assert await content(view_of(None, at(known))) == "Sings"
    assert await content(view_of(at("2019"), at(known), 0.9)) == "Sings"
    assert await content(view_of(at("2019"), None, 0.9)) == "Hums"


async def test_the_log_of_a_view_names_nodes_that_the_view_knows(api: Api) -> None:
    ada = await api.entity("Ada")
    await api.fact(ada, "Sings")
    known = (await instants(api))[-1]
    await api.fact(ada, "Hums")
    found = (await read(api, "changes { nodes { id node { ... on Fact { content } } } }", known=known))["changes"][
        "nodes"
    ]
    contents = [entry["node"] for entry in found]
    assert contents[:2] == [None, {"content": "Sings"}]
    assert len({entry["id"][30:] for entry in found}) == 1


@pytest.mark.parametrize(("query", "statements"), [(ENTITIES, 10), (NEIGHBORS, 9), (DOCUMENTS, 12), (MEMORIES, 19)])
@pytest.mark.parametrize("width", [1, 30])
async def test_a_view_takes_as_many_statements_as_the_present(
    api: Api, query: str, statements: int, width: int
) -> None:
    viewed = query.replace("{ volume {", '{ volume(asOf: {valid: "2999", known: "2999"}, minConfidence: 0.01) {', 1)
    assert viewed != query
    await asked(api, "{ volume { id } }", width)
    there = await api.ask(query)
    await api.ask(viewed)
    assert len(api.statements) == statements
    assert without_cursors(await api.ask(viewed)) == without_cursors(there)


def without_cursors(data: Any) -> Any:
    if isinstance(data, list):
        return [without_cursors(item) for item in data]
    if isinstance(data, dict):
        return {key: without_cursors(value) for key, value in data.items() if key not in ("cursor", "endCursor")}
    return data


@pytest.mark.parametrize("width", [1, 30])
async def test_two_views_of_one_level_take_twice_the_statements_of_one(api: Api, width: int) -> None:
    volume = await api.store.volume("default")
    assert volume is not None
    await new_world(api.store, volume.id, width)
    inner = "entities(first: 100) { nodes { facts { totalCount nodes { evidence { quote } } } } }"
    await api.ask(f'{{ volume(asOf: {{known: "2999"}}) {{ {inner} }} }}')
    assert len(api.statements) == 5
    await api.ask(
        f'{{ volume(asOf: {{known: "2999"}}) {{ {inner} }} other: volume(asOf: {{known: "2998"}}) {{ {inner} }} }}'
    )
    assert len(api.statements) == 10
