"""A server in a process of its own, as the command line starts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[1]


def environment_with(more: dict[str, str]) -> dict[str, str]:
    """Return the environment of a process that runs this code."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", **more}


class Server:
    """A server in a process of its own, and its GraphQL endpoint."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "server", *arguments, "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment_with(environment),
        )
        assert self.process.stdout is not None
        self.said: list[str] = []
        for line in self.process.stdout:
            self.said.append(line)
            if "http://127.0.0.1:" in line:
                break
        self.url = next(word for word in self.said[-1].split() if word.startswith("http://")).strip()
        self.log = self.process.stdout

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        answer = httpx.post(self.url, json={"query": query, "variables": variables}, timeout=60, trust_env=False)
        body: dict[str, Any] = answer.json()
        assert "errors" not in body, body
        data: dict[str, Any] = body["data"]
        return data

    def end(self) -> tuple[int, str]:
        """End the server by SIGTERM; return its exit code and what it said since its start."""
        self.process.send_signal(signal.SIGTERM)
        said = self.log.read()
        return self.process.wait(30), said


@contextmanager
def serving(*arguments: str, **environment: str) -> Iterator[Server]:
    server = Server(*arguments, **environment)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()
        server.log.close()
