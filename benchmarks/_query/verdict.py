"""What the measured turns say: a table for each query, one of memory and stalls, and the targets as ratios of this run."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from _query.rounds import CONNECTIONS, Measured, Turn
from _query.sides import POSTGRAPHILE, breadth, ordinary

__all__ = ["held_rows", "query_rows", "verdict_rows"]

ONE, MANY = CONNECTIONS


def _cpu(turns: Sequence[Turn]) -> tuple[float, float]:
    """Return the medians over the rounds of CPU milliseconds a request: of the server, and of the database."""
    server = statistics.median(turn.server_cpu / len(turn.latencies) for turn in turns)
    database = statistics.median(turn.database_cpu / len(turn.latencies) for turn in turns)
    return server * 1000, database * 1000


def _rate(turns: Sequence[Turn]) -> float:
    return statistics.median(len(turn.latencies) / turn.seconds for turn in turns)


def _percentile(turns: Sequence[Turn], percent: int) -> float:
    """Return a percentile of all rounds' latencies, in milliseconds."""
    return _quantile([latency for turn in turns for latency in turn.latencies], percent)


def _quantile(latencies: Sequence[float], percent: int) -> float:
    ordered = sorted(latencies)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1000


def query_rows(found: Measured, sides: Sequence[str], query: str) -> list[dict[str, Any]]:
    """Return a query's table, each side at 1 connection and at 16; `cpu_ms` is the server's, `db_cpu_ms` PostgreSQL's."""
    return [_row(side, count, found.turns[side, query, count]) for count in CONNECTIONS for side in sides]


def _row(side: str, count: int, turns: Sequence[Turn]) -> dict[str, Any]:
    server, database = _cpu(turns)
    return {
        "what": side,
        "at": count,
        "cpu_ms": round(server, 2),
        "db_cpu_ms": round(database, 2),
        "p50_ms": round(_percentile(turns, 50), 2),
        "p99_ms": round(_percentile(turns, 99), 2),
        "requests_s": round(_rate(turns), 1),
    }


def held_rows(found: Measured, sides: Sequence[str]) -> list[dict[str, Any]]:
    """Return the table of memory and of stalls.

    `idle_mb` and `own_mb` are anonymous memory, before the load and at most between turns; `peak_mb` is the peak of all
    resident memory, pages of files included.
    """
    return [
        {
            "what": side,
            "idle_mb": round(found.idle_mb[side]),
            "own_mb": round(found.anonymous_mb[side]),
            "peak_mb": round(found.peak_mb[side]),
            "stall_ms": round(_stall(found, side), 1),
            "p99_ms": round(_quantile([s for stretch in found.stalls[side] for s in stretch], 99), 1),
            "max_ms": round(max(max(stretch) for stretch in found.stalls[side]) * 1000, 1),
        }
        for side in sides
    ]


def _stall(found: Measured, side: str) -> float:
    """Return the median of the rounds' longest stalls, in milliseconds: another process's time slice spoils one round only."""
    return statistics.median(max(stretch) for stretch in found.stalls[side]) * 1000


def verdict_rows(found: Measured, sides: Sequence[str]) -> list[dict[str, Any]]:
    """Return the targets with what this run has shown; those whose sides did not run are left out."""
    rows = []
    if {POSTGRAPHILE, breadth("PostgreSQL")} <= set(sides):
        rows += _against_postgraphile(found, breadth("PostgreSQL"))
    for database, least in (("PostgreSQL", 8.0), ("SQLite", 10.0)):
        own, other = breadth(database), ordinary(database)
        if {own, other} <= set(sides):
            rows.append(_at_least(f"Q1 CPU, ordinary / breadth-first, {database}", _of_q1(found, other, own), least))
            rows.append(_at_most(f"longest stall with eight Q1, {database}, ms", _stall(found, own), 15.0))
    return rows


def _against_postgraphile(found: Measured, own: str) -> list[dict[str, Any]]:
    def slower(query: str) -> float:
        ours, theirs = found.turns[own, query, ONE], found.turns[POSTGRAPHILE, query, ONE]
        return _percentile(ours, 50) / _percentile(theirs, 50)

    faster = _rate(found.turns[own, "Q2", MANY]) / _rate(found.turns[POSTGRAPHILE, "Q2", MANY])
    return [
        _at_most("Q1 CPU / PostGraphile's", _of_q1(found, own, POSTGRAPHILE), 0.75),
        _at_most("Q1 p50 / PostGraphile's", slower("Q1"), 1.0),
        _at_most("Q3 p50 / PostGraphile's", slower("Q3"), 1.0),
        _at_least("Q2 requests a second / PostGraphile's", faster, 1.0),
        _at_most("peak memory / PostGraphile's", found.peak_mb[own] / found.peak_mb[POSTGRAPHILE], 0.5),
    ]


def _of_q1(found: Measured, one: str, other: str) -> float:
    """Return how much CPU Q1 takes on one side by how much on the other, servers and databases together."""
    return sum(_cpu(found.turns[one, "Q1", ONE])) / sum(_cpu(found.turns[other, "Q1", ONE]))


def _at_most(what: str, seen: float, most: float) -> dict[str, Any]:
    return {"what": what, "target": f"<= {most}", "seen": round(seen, 2), "met": "yes" if seen <= most else "no"}


def _at_least(what: str, seen: float, least: float) -> dict[str, Any]:
    return {"what": what, "target": f">= {least}", "seen": round(seen, 2), "met": "yes" if seen >= least else "no"}
