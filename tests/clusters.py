"""A throw-away PostgreSQL cluster, which tests and benchmarks start where initdb is found."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

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

    @asynccontextmanager
    async def connected(self, name: str = "postgres") -> AsyncIterator[asyncpg.Connection]:
        connection = await asyncpg.connect(host="127.0.0.1", port=self.port, user="postgres", database=name)
        try:
            yield connection
        finally:
            await connection.close()

    async def execute(self, statement: str) -> None:
        async with self.connected() as connection:
            await connection.execute(statement)

    async def create(self, name: str, template: str = "template1") -> str:
        await self.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        return self.url(name)

    async def drop(self, name: str) -> None:
        await self.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    async def make_template(self) -> None:
        await make_migrated(Settings(database_url=await self.create("migrated")))


# Commands that change tables instead of rows are noted where no test looks.
_NOTING = """
CREATE SCHEMA beside;
CREATE TABLE beside.command (tag text);
CREATE FUNCTION beside.note() RETURNS event_trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO beside.command VALUES (tg_tag); END $$;
CREATE EVENT TRIGGER note ON ddl_command_end EXECUTE FUNCTION beside.note();
"""
_OTHERS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


class Lent:
    """One migrated database, given to one test after another, each time as it was at first: that takes a fifth of making one.

    A test that changed its tables, or of which somebody stays connected, leaves it to nobody: the next one gets a new one.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._name: str | None = None
        self._again = ""

    async def give(self) -> str:
        """Return the address of a database that is as the migrations leave it."""
        if self._name is None:
            self._name = f"t{uuid4().hex}"
            await self._cluster.create(self._name, "migrated")
            async with self._cluster.connected(self._name) as connection:
                await connection.execute(_NOTING)
                self._again = await _restoring(connection)
        return self._cluster.url(self._name)

    async def take_back(self) -> None:
        """Bring every row back to where it was."""
        assert self._name is not None
        async with self._cluster.connected(self._name) as connection:
            whole = await _left(connection) and not await connection.fetchval("SELECT count(*) FROM beside.command")
            if whole:
                await connection.execute(self._again)
        if not whole:
            await self._cluster.drop(self._name)
            self._name = None


async def _left(connection: asyncpg.Connection) -> bool:
    """Return whether everybody else has gone, which takes a connection that was closed a moment."""
    for _ in range(25):
        if not await connection.fetchval(_OTHERS):
            return True
        await asyncio.sleep(0.02)
    return False


async def _restoring(connection: asyncpg.Connection) -> str:
    """Keep a copy of the rows that there are, and return the statements that bring a database back to them."""
    statements = ["SET session_replication_role = replica"]
    for (table,) in await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"):
        statements.append(f'DELETE FROM public."{table}"')
        if await connection.fetchval(f'SELECT count(*) FROM public."{table}"'):
            await connection.execute(f'CREATE TABLE beside."{table}" AS TABLE public."{table}"')
            statements.append(f'INSERT INTO public."{table}" SELECT * FROM beside."{table}"')
    await connection.execute("DELETE FROM beside.command")
    return ";".join(statements)


async def make_migrated(settings: Settings) -> None:
    """Bring a database to this version's tables and let go of it, so that it can be copied."""
    database = Database(settings)
    await migrate(database)
    await database.close()
