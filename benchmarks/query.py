"""Three GraphQL queries: our server, with each executor on each database, against PostGraphile and SQL by hand.

    .venv/bin/python benchmarks/query.py [--entities 10000] [--rounds 8] [--seconds 1] [--without-postgraphile] [--smoke]

Every side is a process of its own behind HTTP on loopback, over the same graph, and all take turns round by round. Their
answers are compared first. PostGraphile is installed by npm into a cache in the home folder; where that cannot be done, or
where PostgreSQL is not installed, the benchmark says so and goes on without those sides. It reads /proc, so it needs Linux.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

import uvloop
from _measure import show
from _query.answers import Size, compared
from _query.databases import Databases, loaded
from _query.postgraphile import installed
from _query.rounds import Measured, measure
from _query.sides import ROLES, running
from _query.texts import QUERIES
from _query.verdict import held_rows, query_rows, verdict_rows


def options() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entities", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=1.0, help="of load in each turn")
    parser.add_argument("--without-postgraphile", action="store_true")
    parser.add_argument("--smoke", action="store_true", help="small and quick: whether it works, not how fast")
    given = parser.parse_args()
    given.warming = 2
    if given.smoke:
        given.entities, given.rounds, given.seconds, given.warming = 500, 1, 0.3, 0
    return given


def report(found: Measured, names: list[str], sizes: dict[str, Size], entities: int) -> None:
    """Print all tables."""
    for query in QUERIES:
        size = sizes[query.name]
        title = f"{query.name}: {query.what}; {size.fields:,} fields, {size.kilobytes} kB; {entities:,} entities"
        show(title, query_rows(found, names, query.name))
    show("memory, and how long the event loop stood still with eight Q1 at once", held_rows(found, names))
    if rows := verdict_rows(found, names):
        show("targets", rows)
    for what, taken in (("Other work", found.others), ("The load itself", found.driver)):
        print(
            f"{what} took {statistics.mean(taken):.2f} of {os.cpu_count()} CPUs on average, at most {max(taken):.2f}."
        )


async def main() -> None:
    given = options()
    postgraphile = None if given.without_postgraphile else installed()
    with tempfile.TemporaryDirectory() as name:
        async with loaded(Path(name), given.entities, ROLES) as databases:
            if databases.cluster is None:
                print("Running on SQLite alone: PostgreSQL's initdb was not found.", file=sys.stderr)
            await run(databases, postgraphile, given)


async def run(databases: Databases, postgraphile: list[str] | None, given: argparse.Namespace) -> None:
    """Start all sides, compare their answers, measure them and report."""
    connection = await databases.connect() if databases.cluster else None
    async with running(databases, postgraphile) as sides:
        sizes = await compared(sides)
        found = await measure(sides, connection, given.rounds, given.seconds, given.warming)
    report(found, [side.name for side in sides], sizes, given.entities)


if __name__ == "__main__":
    uvloop.run(main())
