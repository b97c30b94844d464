"""What the tests stand on: a throw-away PostgreSQL cluster, and a migrated store on each database.

A cluster is started where initdb is found; elsewhere the PostgreSQL half of the tests is skipped, and in CI a skip fails.
"""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from doubles import HashEmbedder

from server.config import Settings
from server.store import Store
from server.store.database import Database
from server.store.migrations import migrate

DATABASES = ("sqlite", "postgresql")


def _program(name: str) -> str | None:
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return str(installed[0]) if installed else shutil.which(name)


def _as_other(command: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return command
    known = {entry.pw_name for entry in pwd.getpwall()}
    return ["runuser", "-u", "postgres" if "postgres" in known else "nobody", "--", *command]


def in_a_loop_of_its_own(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine from a fixture that may be set up while a loop is running."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Cluster:
    """A PostgreSQL server of the tests' own. `template` is an empty, migrated database."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="loregraph-pg-"))
        self.folder.chmod(0o777)
        self.port = _free_port()
        self.data = self.folder / "data"
        self._run(
            "initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"
        )
        self.start()

    def start(self) -> None:
        options = (
            f"-c fsync=off -c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.folder}"
        )
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.data), "-w", "-l", log, "-o", options + " -c max_connections=200", "start")

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        found = _program(program)
        assert found is not None
        subprocess.run(
            _as_other([found, *arguments]),
            check=True,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )

    def url(self, name: str) -> str:
        return f"postgresql+asyncpg://postgres@127.0.0.1:{self.port}/{name}"

    async def execute(self, statement: str) -> None:
        connection = await asyncpg.connect(host="127.0.0.1", port=self.port, user="postgres", database="postgres")
        await connection.execute(statement)
        await connection.close()

    async def create(self, name: str, template: str = "template1") -> str:
        await self.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return self.url(name)

    async def make_template(self) -> None:
        database = Database(Settings(database_url=await self.create("migrated")))
        await migrate(database)
        await database.close()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    if _program("initdb") is None:
        if os.environ.get("CI"):
            pytest.fail("CI must have PostgreSQL: initdb was not found")
        pytest.skip("PostgreSQL is not installed: initdb was not found")
    running = Cluster()
    in_a_loop_of_its_own(running.make_template())
    yield running
    running.stop("immediate")
    shutil.rmtree(running.folder, ignore_errors=True)


@pytest.fixture(params=DATABASES)
async def settings(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Settings]:
    """Settings of an empty folder and, in turn, of SQLite and of an empty migrated PostgreSQL database."""
    common = {"data": tmp_path / "data", "read_interval": 0.05, "follower_lease": 1.0, "fsync": False}
    if request.param == "sqlite":
        yield Settings(**common)
        return
    running: Cluster = request.getfixturevalue("cluster")
    name = f"t{uuid4().hex}"
    yield Settings(database_url=await running.create(name, "migrated"), **common)
    await running.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
async def store(settings: Settings) -> AsyncIterator[Store]:
    """An open store without a running follower: tests move vectors step by step."""
    embedder = HashEmbedder()
    opened = Store(settings)
    await opened.migrate()
    await opened.open(embedder.name, embedder.dimension, embedder.embed)
    yield opened
    await opened.close()
