"""Measuring: CPU seconds of this process, interleaved so that a busy machine disturbs both sides alike."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table


async def interleaved(sides: Mapping[str, Callable[[], Awaitable[Any]]], rounds: int) -> dict[str, dict[str, float]]:
    """Run every side once a round, after two rounds to warm up; return CPU and wall milliseconds, as medians."""
    cpu: dict[str, list[float]] = {name: [] for name in sides}
    wall: dict[str, list[float]] = {name: [] for name in sides}
    for n in range(rounds + 2):
        for name, run in sides.items():
            before, began = time.process_time(), time.perf_counter()
            await run()
            if n >= 2:
                cpu[name].append((time.process_time() - before) * 1000)
                wall[name].append((time.perf_counter() - began) * 1000)
    return {
        name: {"cpu_ms": round(statistics.median(cpu[name]), 2), "p50_ms": round(statistics.median(wall[name]), 2)}
        for name in sides
    }


def show(title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows as a table for people and as one line of JSON for programs."""
    table = Table(title=title)
    for column in rows[0]:
        table.add_column(column, justify="right" if column != "what" else "left", overflow="fold")
    for row in rows:
        table.add_row(*("-" if v is None else f"{v:,}" if isinstance(v, int | float) else str(v) for v in row.values()))
    Console().print(table)
    print(json.dumps({"benchmark": title, "rows": list(rows)}))
