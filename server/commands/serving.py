"""Serving: one process, or several that share a socket and a store.

The parent prepares the store before any process starts, so that whatever is wrong with the settings is one line and exit
code 2. Other processes get their settings by the environment.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from errno import EADDRINUSE
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from server.app import configure_logging, create_app, prepare
from server.config import LOOPBACK, Settings, variable
from server.errors import Misconfigured, ServerError

__all__ = ["address", "check_host", "listen", "serve", "welcome"]

_BACKLOG = 2048
_FLAGS = ("host", "port", "workers", "data")


class PortInUse(ServerError):
    """Somebody else listens there."""


def check_host(settings: Settings) -> None:
    """Refuse an address that others can reach.

    Raises:
        Misconfigured: it is none of this machine alone.
    """
    if not settings.loopback:
        raise Misconfigured(
            f"{settings.host} can be reached by other machines. There is no authentication yet, so only loopback "
            f"is served: {', '.join(LOOPBACK)}."
        )


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes any that is free.

    Raises:
        PortInUse: it is taken.
        Misconfigured: the address is not one of this machine.
    """
    opened = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        if error.errno == EADDRINUSE:
            raise PortInUse(
                f"Port {port} is in use. Choose another with --port, or stop what listens there."
            ) from error
        raise Misconfigured(f"{host} port {port} cannot be bound: {error.strerror}.") from error
    opened.set_inheritable(True)
    return opened


def address(opened: socket.socket) -> str:
    """Return the address of the GraphQL endpoint behind a socket."""
    host, port = opened.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/graphql"


def welcome(endpoint: str) -> str:
    """Return what the demo says: where it is, and what to ask first."""
    query = '{volume(name:"sample"){entity(by:{name:{name:"Enterprise"}}){name neighbors(direction:OUT){edges{relationship{text}}}}}}'
    return f"""
Loregraph is at {endpoint} - open it in a browser, or ask it here.
The volume "sample" holds a résumé, a product catalogue, an announcement and notes; the first start reads them in some seconds.

What does the Enterprise plan include?
  curl -s {endpoint} -H 'content-type: application/json' \\
    -d '{{"query":{json.dumps(query)}}}'

A text of your own, from another terminal:
  {program()} ingest FILE.txt --url {endpoint}
  then ask volume(name: "default")

Ctrl+C stops it. What it knows stays in the data folder.
"""


def program() -> str:
    """Return how this program was called, so that a printed command works where it was printed."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "loregraph" else "loregraph"


def serve(settings: Settings, opened: socket.socket, ready: Callable[[], None], *, sample: bool = False) -> None:
    """Serve until SIGTERM or SIGINT: requests under way are answered, what is being read is given back.

    `ready` is called once the store is prepared; from then on requests are answered, the first after a moment.

    Raises:
        Misconfigured: the store cannot be opened as the settings say, or does not answer.
    """
    # The web server raises the signal that ended it once more, after all is done; by default that would kill us.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    configure_logging(settings.log_level)
    try:
        asyncio.run(prepare(settings, sample=sample))
    except ServerError as error:
        raise Misconfigured(error.message) from error
    ready()
    options: dict[str, Any] = {
        "log_config": None,
        "access_log": settings.log_level == "debug",
        "server_header": False,
        "timeout_graceful_shutdown": settings.shutdown_grace,
    }
    with contextlib.suppress(KeyboardInterrupt):
        if settings.workers == 1:
            uvicorn.Server(uvicorn.Config(create_app(settings, whole_process=True), **options)).run([opened])
        else:
            os.environ |= {variable(name): str(getattr(settings, name)) for name in _FLAGS}
            config = uvicorn.Config("server.app:from_environment", factory=True, workers=settings.workers, **options)
            Multiprocess(config, sockets=[opened]).run()
