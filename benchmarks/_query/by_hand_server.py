"""The side by hand as a process: GET /Q1, /Q2?id= and /Q3?id= on any free port, which it prints.

python by_hand_server.py FILE.sqlite | postgresql://...
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import asyncpg
import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

sys.path.insert(0, str(Path(__file__).parents[1]))
from _query.by_hand import ByHand
from _query.rows import PostgresqlRows, Rows, SqliteRows
from _query.texts import FIRST


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")


def _application(hand: ByHand) -> Starlette:
    async def nested(_request: Request) -> Response:
        return _json(await hand.nested(FIRST))

    async def one(request: Request) -> Response:
        return _json(await hand.one(request.query_params["id"]))

    async def deep(request: Request) -> Response:
        return _json(await hand.deep(request.query_params["id"]))

    async def tiny(_request: Request) -> Response:
        return _json(b"{}")

    return Starlette(routes=[Route("/Q1", nested), Route("/Q2", one), Route("/Q3", deep), Route("/tiny", tiny)])


async def _rows(database: str, pool: int) -> Rows:
    if not database.startswith("postgresql://"):
        return SqliteRows(Path(database))
    return PostgresqlRows(await asyncpg.create_pool(database, max_size=pool, max_inactive_connection_lifetime=0))


async def main(database: str, pool: int) -> None:
    """Serve until the process is ended."""
    with socket.create_server(("127.0.0.1", 0)) as opened:
        server = uvicorn.Server(uvicorn.Config(_application(ByHand(await _rows(database, pool))), log_level="error"))
        print(f"http://127.0.0.1:{opened.getsockname()[1]}", flush=True)
        await server.serve([opened])


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2])))
