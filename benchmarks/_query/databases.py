"""The data of all sides: one graph, loaded by `loregraph import` into a throw-away PostgreSQL cluster and into a SQLite folder.

What an import leaves to be embedded is dropped, so that no server embeds texts while it is measured.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import orjson
from _graph import items

sys.path.append(str(Path(__file__).parents[2] / "tests"))
from clusters import Cluster, program

__all__ = ["ROOT", "Databases", "loaded"]

ROOT = Path(__file__).parents[2]
_NAME = "graph"
_IDS = "SELECT id FROM entity ORDER BY match_key, id LIMIT 50"
_NOTHING_TO_EMBED = "DELETE FROM pending_vector"


class Databases:
    """Where the data is. `cluster` is None where PostgreSQL is not installed."""

    def __init__(self, folder: Path, cluster: Cluster | None) -> None:
        self.folder = folder
        self.cluster = cluster
        self.sqlite = folder / "sqlite"

    def url(self, role: str) -> str:
        """Return the PostgreSQL database's address for a role; its backends are told by their role."""
        assert self.cluster is not None
        return f"postgresql://{role}@127.0.0.1:{self.cluster.port}/{_NAME}"

    def settings(self, role: str | None) -> dict[str, str]:
        """Return our server's settings of the database: PostgreSQL as a role, or SQLite."""
        if role is None:
            return {"LOREGRAPH_DATA": str(self.sqlite)}
        url = self.url(role).replace("postgresql:", "postgresql+asyncpg:")
        return {"LOREGRAPH_DATA": str(self.folder / "postgresql"), "LOREGRAPH_DATABASE_URL": url}

    @property
    def sqlite_file(self) -> Path:
        return self.sqlite / "loregraph.sqlite"

    async def connect(self, role: str = "postgres") -> Any:
        """Return a connection to the PostgreSQL database."""
        return await asyncpg.connect(self.url(role))

    async def ids(self, role: str | None) -> Sequence[str]:
        """Return the ids of the first entities by name, as the database holds them."""
        if role is None:
            return [row[0] for row in sqlite3.connect(self.sqlite_file).execute(_IDS)]
        connection = await self.connect()
        rows = await connection.fetch(_IDS)
        await connection.close()
        return [str(row["id"]) for row in rows]

    async def load(self, entities: int, roles: Sequence[str]) -> None:
        """Make the roles and load the graph."""
        file = self.folder / "graph.jsonl"
        with file.open("wb") as out:
            out.writelines(orjson.dumps(item) + b"\n" for item in items(entities))
        _import(file, self.settings(None))
        with sqlite3.connect(self.sqlite_file) as sqlite:
            sqlite.execute(_NOTHING_TO_EMBED)
        sqlite.execute("ANALYZE")
        sqlite.close()
        if self.cluster is not None:
            await self._load_cluster(file, roles)

    async def _load_cluster(self, file: Path, roles: Sequence[str]) -> None:
        assert self.cluster is not None
        await self.cluster.create(_NAME)
        await self.cluster.execute("ALTER SYSTEM SET autovacuum = off")
        await self.cluster.execute("SELECT pg_reload_conf()")
        for role in roles:
            await self.cluster.execute(f"CREATE ROLE {role} SUPERUSER LOGIN")
        _import(file, self.settings("postgres"))
        connection = await self.connect()
        for statement in (_NOTHING_TO_EMBED, "VACUUM ANALYZE"):
            await connection.execute(statement)
        await connection.close()


def _import(file: Path, settings: dict[str, str]) -> None:
    command = [sys.executable, "-m", "server", "import", str(file)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **settings}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@asynccontextmanager
async def loaded(folder: Path, entities: int, roles: Sequence[str]) -> AsyncIterator[Databases]:
    """Load the graph; drop the cluster at the end."""
    cluster = Cluster() if program("initdb") else None
    try:
        databases = Databases(folder, cluster)
        await databases.load(entities, roles)
        yield databases
    finally:
        if cluster is not None:
            cluster.stop("immediate")
            shutil.rmtree(cluster.folder, ignore_errors=True)
