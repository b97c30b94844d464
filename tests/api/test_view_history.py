"""A random history of claims, read again at each of its instants: what was answered then is answered still."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from scripted import Item, edge, fact, ingest, thing

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

CLAIM = """id text confidence status validFrom validTo effectiveTo knownFrom version createdAt updatedAt
    supersedes { id } supersededBy { id }
    evidence { quote current revision confidence document { title } }"""
FACT = f"{CLAIM} content value predicate subject {{ id }}"
EDGE = f"{CLAIM} type description strength bidirectional source {{ id }} target {{ id }}"
ALL = "[CURRENT, DISPUTED, PENDING_REVIEW, SUPERSEDED, RETRACTED, REJECTED]"
READ = f"""query($known: DateTime) {{ volume(asOf: {{known: $known}}) {{
    facts(first: 100) {{ totalCount nodes {{ {FACT} }} }}
    sure: facts(first: 5, orderBy: {{field: CONFIDENCE, direction: DESC}}) {{ totalCount pageInfo {{ hasNextPage }} nodes {{ id }} }}
    every: facts(first: 100, filter: {{statuses: {ALL}}}) {{ totalCount nodes {{ id status version }} }}
    relationships(first: 100) {{ totalCount nodes {{ {EDGE} }} }}
    past: relationships(first: 100, filter: {{statuses: [SUPERSEDED, RETRACTED]}}) {{ totalCount nodes {{ id status version }} }}
    statistics {{ facts relationships relationshipsByType }}
    entities(first: 100) {{ nodes {{ name explanation
        facts(first: 3) {{ totalCount pageInfo {{ hasNextPage }} nodes {{ id content status }} }}
        relationships(first: 2) {{ totalCount pageInfo {{ hasNextPage }} nodes {{ id text status }} }}
        neighbors(direction: IN) {{ totalCount edges {{ direction relationship {{ id confidence }} node {{ name }} }} }} }} }}
    documents {{ nodes {{ facts {{ totalCount nodes {{ id }} }} relationships {{ totalCount nodes {{ id }} }} }} }} }} }}"""
NAMES = ["Ada", "Bob", "Cleo", "Dan"]
TEXTS = [f"{name} {does}." for name in NAMES for does in ("likes tea", "lives in Rome", "knows Bob")]


class History:
    """A volume that changes at random, with what it answered after each change and when that was."""

    def __init__(self, api: Api, seed: int) -> None:
        self.api, self.random = api, Random(seed)
        self.entities: list[str] = []
        self.facts: list[str] = []
        self.edges: list[str] = []
        self.answers: list[tuple[str, Any]] = []

    async def begin(self) -> None:
        """Make what is not a claim, which a view shows as it is today, and a document at its first revision."""
        self.entities = [await self.api.entity(name, "person") for name in NAMES]
        await self.api.entity("Rome", "place")
        await self.revise()

    async def step(self) -> None:
        """Change one thing, and remember what the volume answers from then on."""
        steps = [
            self.state,
            self.state,
            self.correct,
            self.correct,
            self.retract,
            self.relate,
            self.bend,
            self.part,
            self.revise,
        ]
        await self.random.choice(steps)()
        (head,) = await self.api.rows(models.LogHead)
        self.answers.append((_instant(head["at"]), await self.api.ask(READ)))

    async def state(self) -> None:
        year = self.random.randint(2018, 2026)
        price = {"predicate": "costs", "value": f"{self.random.randint(1, 4)} USD", "valueType": "MONEY"}
        liking = {"predicate": "likes", "value": self.random.choice("abc")}
        said = self.random.choice([price, price, liking])
        dates: dict[str, Any] = self.random.choice([{}, {"validFrom": f"{year}"}, {"validTo": f"{year}"}])
        content = f"{said['predicate']} {said['value']}"
        subject = self.random.choice(self.entities)
        confidence = self.random.choice([1.0, 0.9, 0.75, 0.5])
        self.facts.append(await self.api.fact(subject, content, confidence=confidence, **said, **dates))

    async def correct(self) -> None:
        if self.facts:
            change = self.random.choice(
                [
                    {"confidence": self.random.random()},
                    {"content": f"Said {self.random.random()}"},
                    {"validFrom": "2020-05"},
                ]
            )
            await self._try("updateFact", id=self.random.choice(self.facts), **change)

    async def retract(self) -> None:
        if self.facts:
            await self._try("retractFact", id=self.random.choice(self.facts))

    async def relate(self) -> None:
        source, target = self.random.sample(self.entities, 2)
        type_ = self.random.choice(["knows", "reports to"])
        self.edges.append(
            await self.api.relationship(source, type_, target, confidence=self.random.choice([1, 0.8, 0.6]))
        )

    async def bend(self) -> None:
        if self.edges:
            change = self.random.choice(
                [{"strength": self.random.random()}, {"description": str(self.random.random())}]
            )
            await self._try("updateRelationship", id=self.random.choice(self.edges), **change)

    async def part(self) -> None:
        if self.edges:
            await self._try("retractRelationship", id=self.random.choice(self.edges))

    async def revise(self) -> None:
        """Give a document another text, which says some of what the one before said."""
        text = " ".join(self.random.sample(TEXTS, 4))
        items: list[Item] = [thing(name, "person") for name in NAMES if name in text]
        for said in re.findall(r"\w+ [^.]+\.", text):
            name, _, rest = said.rstrip(".").partition(" ")
            if rest == "knows Bob" and name != "Bob":
                items.append(edge(name, "KNOWS", "Bob", said))
            elif rest != "knows Bob":
                items.append(fact(name, rest.capitalize(), said))
        await ingest(self.api, text, *items, uri="notes")

    async def _try(self, mutation: str, **input: Any) -> None:
        """Run a mutation that may be refused, as one of a claim that was taken back is."""
        kind = f"{mutation[0].upper()}{mutation[1:]}Input"
        await self.api.send(f"mutation($i: {kind}!) {{ {mutation}(input: $i) {{ __typename }} }}", i=input)


def _instant(microseconds: int) -> str:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)).isoformat()


def plain(data: Any) -> Any:
    """Return an answer with the views taken out of its ids."""
    if isinstance(data, list):
        return [plain(item) for item in data]
    if isinstance(data, dict):
        return {key: value[:30] if key == "id" else plain(value) for key, value in data.items()}
    return data


def differences(one: Any, other: Any, path: str = "") -> list[tuple[str, Any, Any]]:
    """Return where two answers differ."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [found for key in one for found in differences(one[key], other[key], f"{path}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [
            found
            for n, (a, b) in enumerate(zip(one, other, strict=True))
            for found in differences(a, b, f"{path}[{n}]")
        ]
    return [] if one == other else [(path, one, other)]


@pytest.mark.parametrize("seed", range(2))
async def test_a_known_instant_answers_what_was_answered_then(api: Api, seed: int) -> None:
    history = History(api, seed)
    await history.begin()
    for _ in range(25):
        await history.step()
    assert len({instant for instant, _ in history.answers}) > 10
    for instant, answer in history.answers:
        assert differences(plain(await api.ask(READ, known=instant)), answer) == [], instant
