"""The sides: each a server process of its own on loopback, with the requests that ask it the three queries."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import orjson

from _query.databases import ROOT, Databases
from _query.postgraphile import CACHE
from _query.processes import Process, started
from _query.texts import FIRST, QUERIES, TINY, Query
from server.config import Settings
from server.ids import NodeKind, encode_id

__all__ = ["ALL", "POOL", "POSTGRAPHILE", "ROLES", "Side", "breadth", "by_hand", "ordinary", "running"]

POOL = 10
"""Connections to read PostgreSQL with, of every side that has a pool."""
POSTGRAPHILE = "PostGraphile"
_HAS_EXECUTORS = "executor" in Settings.model_fields


@dataclass(frozen=True)
class Plan:
    """A side before it runs. `role` is its own on PostgreSQL, None on SQLite; `executor` is ours."""

    name: str
    role: str | None
    executor: str | None = None


def breadth(database: str) -> str:
    """Return the name of our side with the breadth-first executor."""
    return f"breadth-first, {database}"


def ordinary(database: str) -> str:
    """Return the name of our side with the ordinary executor."""
    return f"ordinary, {database}"


def by_hand(database: str) -> str:
    """Return the name of the side by hand."""
    return f"by hand, {database}"


ALL = (
    Plan(POSTGRAPHILE, "postgraphile"),
    *([Plan(breadth("PostgreSQL"), "breadth_first", "breadth-first")] if _HAS_EXECUTORS else []),
    *([Plan(breadth("SQLite"), None, "breadth-first")] if _HAS_EXECUTORS else []),
    Plan(ordinary("PostgreSQL"), "ordinary", "ordinary"),
    Plan(ordinary("SQLite"), None, "ordinary"),
    Plan(by_hand("PostgreSQL"), "by_hand"),
    Plan(by_hand("SQLite"), None),
)
ROLES = [plan.role for plan in ALL if plan.role is not None]


@dataclass(frozen=True)
class Side:
    """A running side. `asks` are the requests of each query, whole as they are sent; `tiny` asks for next to nothing."""

    name: str
    role: str | None
    process: Process
    asks: dict[str, list[bytes]]
    tiny: bytes


@asynccontextmanager
async def running(databases: Databases, postgraphile: list[str] | None) -> AsyncIterator[list[Side]]:
    """Start all sides that can run here."""
    ids = {on: await databases.ids("postgres" if on else None) for on in (True, False) if databases.cluster or not on}
    sides = []
    async with AsyncExitStack() as stack:
        for plan in ALL:
            if plan.role is not None and databases.cluster is None:
                continue
            if plan.name == POSTGRAPHILE and postgraphile is None:
                continue
            command, environment = _command(plan, databases, postgraphile or [])
            log = databases.folder / f"{plan.name}.log"
            cwd = CACHE if plan.name == POSTGRAPHILE else ROOT
            process = stack.enter_context(started(command, environment, log, cwd))
            sides.append(_side(plan, process, ids[plan.role is not None]))
        yield sides


def _command(plan: Plan, databases: Databases, postgraphile: list[str]) -> tuple[list[str], dict[str, str]]:
    if plan.name == POSTGRAPHILE:
        told = {"DATABASE_URL": databases.url("postgraphile"), "POOL": str(POOL)}
        return postgraphile, told | {"NODE_ENV": "production", "GRAPHILE_ENV": "production"}
    if plan.executor is None:
        database = str(databases.sqlite_file) if plan.role is None else databases.url(plan.role)
        return [sys.executable, str(Path(__file__).with_name("by_hand_server.py")), database, str(POOL)], {}
    own = {"PYTHONPATH": str(ROOT), "LOREGRAPH_LOG_LEVEL": "warning", **databases.settings(plan.role)}
    if _HAS_EXECUTORS:
        own["LOREGRAPH_EXECUTOR"] = plan.executor
    # Half of the connections are for writes.
    own["LOREGRAPH_POOL_SIZE"] = str(2 * POOL)
    return [sys.executable, "-m", "server", "serve", "--port", "0"], own


def _side(plan: Plan, process: Process, ids: Sequence[str]) -> Side:
    port = process.port
    if plan.executor is None and plan.name != POSTGRAPHILE:
        asks = {q.name: _gets(port, q, ids) for q in QUERIES}
        return Side(plan.name, plan.role, process, asks, _get(port, "/tiny"))
    theirs = plan.name == POSTGRAPHILE
    spelled = ids if theirs else [encode_id(NodeKind.ENTITY, UUID(id)) for id in ids]
    asks = {q.name: _posts(port, q, q.postgraphile if theirs else q.ours, spelled) for q in QUERIES}
    return Side(plan.name, plan.role, process, asks, _post(port, TINY, {}))


def _gets(port: int, query: Query, ids: Sequence[str]) -> list[bytes]:
    paths = [f"/{query.name}?id={quote(id)}" for id in ids] if query.by_id else [f"/{query.name}"]
    return [_get(port, path) for path in paths]


def _posts(port: int, query: Query, text: str, ids: Sequence[str]) -> list[bytes]:
    if not query.by_id:
        return [_post(port, text, {"first": FIRST})]
    return [_post(port, text, {"id": id}) for id in ids]


def _get(port: int, path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()


def _post(port: int, query: str, variables: dict[str, object]) -> bytes:
    body = orjson.dumps({"query": query, "variables": variables})
    head = f"POST /graphql HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    return f"{head}Accept: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
