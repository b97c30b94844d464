"""Bulk load: `loregraph import` and importGraph, against the same rows written by hand, and the nested query afterwards.

    .venv/bin/python benchmarks/bulk.py [--entities 100000] [--skip-graphql]

With 100,000 entities: 500,000 facts and 500,000 relationships, all resolved, checked and with evidence. The limit is
sqlite3's executemany of all resulting rows into the same tables with the same indexes. Vectors are not part of it: an
import leaves them to the server that runs next. The nested query of query.py is then measured on this graph and on one of
a hundredth of it: its cost must not grow with the graph.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
from _graph import items
from _measure import interleaved, show
from _query.by_hand import ByHand
from _query.rows import SqliteRows
from _query.texts import FIRST, QUERIES
from _server import load, serving

from server.config import Settings

BODY = 4_000_000
NESTED = QUERIES[0].ours
MUTATION = """mutation($i: ImportGraphInput!) { importGraph(input: $i) { entitiesCreated factsCreated relationshipsCreated
  entities { key entity { id } } } }"""
LISTS = {"entity": "entities", "fact": "facts", "relationship": "relationships"}


def lines(entities: int) -> Iterator[bytes]:
    """Yield the import file."""
    for item in items(entities):
        yield orjson.dumps(item) + b"\n"


def by_command(folder: Path, entities: int) -> dict[str, Any]:
    """Run `loregraph import` as a process of its own."""
    file = folder / "graph.jsonl"
    with file.open("wb") as out:
        out.writelines(lines(entities))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    command = [sys.executable, "-m", "server", "import", str(file), "--data", str(folder / "command")]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return _row("loregraph import", entities, time.perf_counter() - began, cpu) | {"peak_MB": after.ru_maxrss // 1024}


async def by_graphql(folder: Path, entities: int, size: int) -> dict[str, Any]:
    """Send importGraph over HTTP, `size` items at a time, as a client would: ids that are answered replace keys."""
    ids: dict[str, str] = {}
    async with serving(Settings(data=folder / "graphql", max_body=BODY)) as server:
        cpu, began, source = time.process_time(), time.perf_counter(), items(entities)
        while part := list(islice(source, size)):
            data = await server.ask(MUTATION, {"i": _graph(part, ids)})
            for made in data["importGraph"]["entities"]:
                ids[made["key"]] = made["entity"]["id"]
        return _row("importGraph", entities, time.perf_counter() - began, time.process_time() - cpu) | {"peak_MB": None}


def _graph(part: list[dict[str, Any]], ids: dict[str, str]) -> dict[str, Any]:
    graph: dict[str, Any] = {name: [] for name in LISTS.values()}
    for item in part:
        fields = {name: value for name, value in item.items() if name != "kind"}
        for end in ("subject", "source", "target"):
            if end in fields:
                fields[end] = ids.get(fields[end], fields[end])
        graph[LISTS[item["kind"]]].append(fields)
    return graph


def by_hand(folder: Path, entities: int) -> dict[str, Any]:
    """Copy every row of the imported database into an empty one of the same tables, 5,000 rows to a transaction."""
    source = sqlite3.connect(folder / "command" / "loregraph.sqlite")
    target = folder / "hand"
    subprocess.run(
        [sys.executable, "-m", "server", "migrate", "--data", str(target)], check=True, stderr=subprocess.DEVNULL
    )
    copy = sqlite3.connect(target / "loregraph.sqlite", isolation_level=None)
    copy.execute("PRAGMA synchronous = NORMAL")
    copy.execute("DELETE FROM log_head")
    copy.execute("DELETE FROM store_setting")
    tables = [
        row[0]
        for row in source.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'alembic%'")
    ]
    cpu, began = time.process_time(), time.perf_counter()
    for table in tables:
        cursor = source.execute(f'SELECT * FROM "{table}"')
        places = ", ".join("?" * len(cursor.description))
        while rows := cursor.fetchmany(5_000):
            copy.execute("BEGIN IMMEDIATE")
            copy.executemany(f'INSERT INTO "{table}" VALUES ({places})', rows)
            copy.execute("COMMIT")
    return _row("executemany by hand", entities, time.perf_counter() - began, time.process_time() - cpu) | {
        "peak_MB": 0
    }


def _row(what: str, entities: int, wall: float, cpu: float) -> dict[str, Any]:
    number = entities * 11
    return {
        "what": what,
        "items": number,
        "wall_s": round(wall, 1),
        "cpu_s": round(cpu, 1),
        "items_per_cpu_s": round(number / cpu),
    }


async def growth(small: Path, large: Path) -> list[dict[str, Any]]:
    """Measure the nested query over both stores in turn, ours and by hand."""
    async with serving(Settings(data=small)) as one, serving(Settings(data=large)) as other:
        hands = [ByHand(SqliteRows(folder / "loregraph.sqlite")) for folder in (small, large)]
        sides = {
            "ours, small graph": lambda: one.post(NESTED, {"first": FIRST}),
            "ours, large graph": lambda: other.post(NESTED, {"first": FIRST}),
            "by hand, small graph": lambda: hands[0].nested(FIRST),
            "by hand, large graph": lambda: hands[1].nested(FIRST),
        }
        found = await interleaved(sides, 30)
    rows = []
    for side in ("ours", "by hand"):
        least = found[f"{side}, small graph"]["cpu_ms"]
        for size in ("small graph", "large graph"):
            numbers = found[f"{side}, {size}"]
            rows.append({"what": f"{side}, {size}", **numbers, "ratio": round(numbers["cpu_ms"] / least, 2)})
    return rows


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=5_000, help="items of one importGraph")
    parser.add_argument("--skip-graphql", action="store_true", help="leave importGraph out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [by_command(folder, options.entities), by_hand(folder, options.entities)]
        if not options.skip_graphql:
            rows.append(await by_graphql(folder, options.entities, options.batch))
        limit = rows[1]["cpu_s"]
        show("bulk load", [{**row, "ratio": round(row["cpu_s"] / limit, 1)} for row in rows])
        async with serving(Settings(data=folder / "small")) as server:
            await load(server, lines(options.entities // 100))
        rows = await growth(folder / "small", folder / "command")
    show(f"nested query, {options.entities // 100:,} and {options.entities:,} entities", rows)


if __name__ == "__main__":
    asyncio.run(main())
