"""A throw-away PostgreSQL cluster, which tests and benchmarks start where initdb is found."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import asyncpg

from server.config import Settings
from server.store.database import Database
from server.store.migrations import migrate


def program(name: str) -> str | None:
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return str(installed[0]) if installed else shutil.which(name)


def _as_other(command: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return command
    known = {entry.pw_name for entry in pwd.getpwall()}
    return ["runuser", "-u", "postgres" if "postgres" in known else "nobody", "--", *command]


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

    def _run(self, name: str, *arguments: str) -> None:
        found = program(name)
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
        await make_migrated(Settings(database_url=await self.create("migrated")))


async def make_migrated(settings: Settings) -> None:
    """Bring a database to this version's tables and let go of it, so that it can be copied."""
    database = Database(settings)
    await migrate(database)
    await database.close()
