"""The nested query: CPU of our server against hand-written SQL with orjson, over the same rows in the same run.

    .venv/bin/python benchmarks/query.py [--entities 10000] [--rounds 30]

50 entities by name, 5 facts and 5 relationships each, the target of each relationship and 3 of its facts. Both sides run
in this process on SQLite; ours goes through HTTP parsing, limits, validation, resolvers and JSON. The answers are compared.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import tempfile
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
from _graph import items
from _measure import interleaved, show
from _server import Server, load, serving

from server.config import Settings
from server.ids import NodeKind, encode_id

QUERY = """
query Nested($first: Int!) {
  volume { entities(first: $first) { nodes { id name type
    facts(first: 5) { nodes { id content importance } }
    relationships(first: 5, direction: OUT) { nodes { id type target { id name
      facts(first: 3) { nodes { content } } } } } } } }
}
"""
FIRST_ROWS = """json_each(?) k CROSS JOIN {table} t ON t.id IN (
    SELECT id FROM {table} WHERE {key} = k.value AND status IN ('CURRENT', 'DISPUTED') ORDER BY id LIMIT {n})"""


def _id(kind: NodeKind, text: str) -> str:
    return encode_id(kind, UUID(text))


class ByHand:
    """The same answer by four statements and orjson."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path)

    def answer(self, first: int) -> bytes:
        rows = self._db.execute
        volume = rows("SELECT id FROM volume WHERE name = 'default'").fetchone()[0]
        chosen = "SELECT id, name, type FROM entity WHERE volume_id = ? ORDER BY match_key, id LIMIT ?"
        entities = rows(chosen, (volume, first)).fetchall()
        keys = orjson.dumps([e[0] for e in entities]).decode()
        facts = self._grouped(
            f"SELECT k.value, t.id, t.content, t.importance FROM {_first('fact', 'subject_id', 5)}", keys
        )
        edges = self._grouped(
            f"SELECT k.value, t.id, t.type, t.target_id FROM {_first('relationship', 'source_id', 5)}", keys
        )
        ends = list({edge[2]: None for own in edges.values() for edge in own})
        targets = orjson.dumps(ends).decode()
        names = dict(rows("SELECT e.id, e.name FROM json_each(?) k JOIN entity e ON e.id = k.value", (targets,)))
        theirs = self._grouped(f"SELECT k.value, t.content FROM {_first('fact', 'subject_id', 3)}", targets)
        nodes = [self._entity(e, facts, edges, names, theirs) for e in entities]
        return orjson.dumps({"data": {"volume": {"entities": {"nodes": nodes}}}})

    def _grouped(self, statement: str, keys: str) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for key, *row in self._db.execute(f"{statement} ORDER BY k.key, t.id", (keys,)):
            found.setdefault(key, []).append(row)
        return found

    def _entity(self, entity: Any, facts: Any, edges: Any, names: Any, theirs: Any) -> dict[str, Any]:
        own = [
            {"id": _id(NodeKind.FACT, id), "content": content, "importance": importance}
            for id, content, importance in facts.get(entity[0], ())
        ]
        linked = [
            {
                "id": _id(NodeKind.RELATIONSHIP, id),
                "type": type,
                "target": {
                    "id": _id(NodeKind.ENTITY, target),
                    "name": names[target],
                    "facts": {"nodes": [{"content": row[0]} for row in theirs.get(target, ())]},
                },
            }
            for id, type, target in edges.get(entity[0], ())
        ]
        known = {"id": _id(NodeKind.ENTITY, entity[0]), "name": entity[1], "type": entity[2]}
        return {**known, "facts": {"nodes": own}, "relationships": {"nodes": linked}}


def _first(table: str, key: str, n: int) -> str:
    return FIRST_ROWS.format(table=table, key=key, n=n)


async def compare(server: Server, path: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Measure both sides over one store; their answers must be equal."""
    hand, variables = ByHand(path), {"first": 50}

    async def by_hand() -> bytes:
        return hand.answer(50)

    ours = (await server.post(QUERY, variables)).json()
    if ours != orjson.loads(hand.answer(50)):
        raise SystemExit("The two answers differ: the comparison is worth nothing.")
    return await interleaved({"ours": lambda: server.post(QUERY, variables), "by hand": by_hand}, rounds)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entities", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data=Path(folder))
        async with serving(settings) as server:
            await load(server, (orjson.dumps(item) for item in items(options.entities)))
            result = await compare(server, settings.sqlite_path, options.rounds)
    ratio = round(result["ours"]["cpu_ms"] / result["by hand"]["cpu_ms"], 1)
    rows = [{"what": name, **numbers, "ratio": ratio if name == "ours" else 1.0} for name, numbers in result.items()]
    show(f"nested query, {options.entities:,} entities", rows)


if __name__ == "__main__":
    asyncio.run(main())
