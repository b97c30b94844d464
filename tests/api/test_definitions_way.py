"""How the stored relationships stand depends on how predicates are set in the end, and not on the way there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from api.conftest import Api

NAMES, TYPES = "ABC", ("TEACHES", "LEARNS_FROM", "KNOWS")
TIMES: list[dict[str, str]] = [
    {},
    {"validFrom": "2001", "validTo": "2003"},
    {"validFrom": "2002"},
    {"validFrom": "2005"},
]
EDGE = "text validFrom validTo effectiveTo status confidence type source { name } evidence { quote current }"
CONFLICT = "conflicts { status reason predicate subject { name } claims { text } }"
STANDING = "statuses: [CURRENT, DISPUTED, SUPERSEDED]"
ASKED = f"""
    relationships(first: 100, filter: {{{STANDING}}}) {{ nodes {{ {EDGE} {CONFLICT} }} }}
    entities {{ nodes {{ name
        out: neighbors(direction: OUT, first: 100) {{ edges {{ direction node {{ name }} relationship {{ text validFrom status }} }} }}
        in: neighbors(direction: IN, first: 100) {{ edges {{ direction node {{ name }} relationship {{ text validFrom status }} }} }}
    }} }}
"""


class Edge(NamedTuple):
    """A relationship by a type of the three, at one of the times."""

    source: int
    type: int
    target: int
    time: int
    confidence: float

    def imported(self) -> dict[str, Any]:
        ends = {"source": NAMES[self.source], "target": NAMES[self.target]}
        return {**ends, "type": TYPES[self.type], "confidence": self.confidence, **TIMES[self.time]}


class Set(NamedTuple):
    """What is set of a type: `inverse` is another one, itself (symmetric) or none."""

    type: int
    one: bool
    inverse: int | None

    def input(self) -> dict[str, Any]:
        symmetric = self.inverse == self.type
        other = {} if symmetric else {"inverse": None if self.inverse is None else TYPES[self.inverse]}
        return {"cardinality": "ONE" if self.one else "MANY", "symmetric": symmetric, "name": TYPES[self.type]} | other


def plain(found: Any) -> Any:
    """Return an answer with its lists sorted."""
    if isinstance(found, dict):
        return {name: plain(value) for name, value in found.items()}
    return sorted(map(plain, found), key=str) if isinstance(found, list) else found


class Graph:
    """A volume in which the edges were stated before anything was set."""

    def __init__(self, api: Api) -> None:
        self.api, self.name = api, f"v{uuid4().hex}"

    async def start(self, edges: list[Edge]) -> Graph:
        await self.api.do("createVolume", "volume { id }", name=self.name)
        entities = [{"key": name, "name": name, "type": "person"} for name in NAMES]
        await self.api.do("importGraph", "entitiesCreated", volume=self.name, entities=entities)
        named = {
            row["name"]: row["id"] for row in (await self.ask("entities { nodes { id name } }"))["entities"]["nodes"]
        }
        for edge in edges:
            row = edge.imported()
            row |= {end: named[row[end]] for end in ("source", "target")}
            await self.api.do("importGraph", "relationshipsCreated", volume=self.name, relationships=[row])
        return self

    async def ask(self, selection: str) -> dict[str, Any]:
        return await self.api.volume(selection, name=self.name)

    async def put(self, one: Set) -> None:
        """Set it, where it is not refused."""
        query = "mutation($i: SetPredicateInput!) { setPredicate(input: $i) { predicate { name } } }"
        body = await self.api.send(query, i=one.input() | {"volume": self.name})
        assert [e["extensions"]["code"] for e in body.get("errors", [])] in ([], ["BAD_USER_INPUT"])

    async def definitions(self) -> list[Set]:
        asked = "predicates { nodes { name cardinality inverse } }"
        rows = (await self.ask(asked))["predicates"]["nodes"]
        place = {name: n for n, name in enumerate(TYPES)}
        return [
            Set(
                place[row["name"]],
                row["cardinality"] == "ONE",
                None if row["inverse"] is None else place[row["inverse"]],
            )
            for row in rows
        ]

    async def stands(self) -> Any:
        return plain(await self.ask(ASKED))


number = st.integers(0, 2)
edges = st.lists(
    st.builds(Edge, number, number, number, st.integers(0, len(TIMES) - 1), st.sampled_from((0.75, 1.0))).filter(
        lambda edge: edge.source != edge.target
    ),
    min_size=1,
    max_size=6,
)
sets = st.lists(st.builds(Set, number, st.booleans(), st.none() | number), max_size=6)
ONCE = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


async def check(api: Api, stated: list[Edge], way: list[Set]) -> None:
    """What stands after all that was set on the way is what stands where only the last of it was set."""
    graph, other = await Graph(api).start(stated), await Graph(api).start(stated)
    for step in way:
        await graph.put(step)
    for step in sorted(await graph.definitions(), key=lambda one: one.one):
        await other.put(step)
    assert sorted(map(str, await graph.definitions())) == sorted(map(str, await other.definitions()))
    assert await graph.stands() == await other.stands()


@ONCE
@given(edges, sets)
async def test_what_stands_depends_on_the_last_definitions_alone(api: Api, stated: list[Edge], way: list[Set]) -> None:
    await check(api, stated, way)


@pytest.mark.soak
@settings(ONCE, max_examples=300)
@given(edges, sets)
async def test_what_stands_depends_on_the_last_definitions_alone_in_many_graphs(
    api: Api, stated: list[Edge], way: list[Set]
) -> None:
    await check(api, stated, way)
