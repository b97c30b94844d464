"""What the tests stand on: a throw-away PostgreSQL cluster, and a migrated store on each database.

A cluster is started where initdb is found; elsewhere the PostgreSQL half of the tests is skipped, and in CI a skip fails.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from clusters import Cluster, Lent, make_migrated, program
from doubles import HashEmbedder

from server.config import Settings
from server.store import Store

DATABASES = ("sqlite", "postgresql")


def in_a_loop_of_its_own(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine from a fixture that may be set up while a loop is running."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


os.environ.pop("ANTHROPIC_API_KEY", None)  # nothing here is read by Claude unless a test says so


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    if program("initdb") is None:
        if os.environ.get("CI"):
            pytest.fail("CI must have PostgreSQL: initdb was not found")
        pytest.skip("PostgreSQL is not installed: initdb was not found")
    running = Cluster()
    in_a_loop_of_its_own(running.make_template())
    yield running
    running.stop("immediate")
    shutil.rmtree(running.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def lent(cluster: Cluster) -> Lent:
    return Lent(cluster)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty migrated SQLite database, for tests to copy."""
    made = Settings(data=tmp_path_factory.mktemp("migrated"), fsync=False)
    in_a_loop_of_its_own(make_migrated(made))
    return made.sqlite_path


def copy_into(settings: Settings, migrated: Path) -> None:
    """Begin a test on SQLite with a migrated database, which costs less than to migrate one."""
    settings.data.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(migrated, settings.sqlite_path)


@pytest.fixture
def made(migrated: Path, tmp_path: Path) -> None:
    """Begin with an empty migrated SQLite database in the test's folder `data`."""
    copy_into(Settings(data=tmp_path / "data"), migrated)


@pytest.fixture(params=DATABASES)
async def settings(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Settings]:
    """Settings of a folder of the test's own and, in turn, of an empty migrated SQLite and PostgreSQL database."""
    common = {"data": tmp_path / "data", "read_interval": 0.05, "follower_lease": 1.0, "fsync": False}
    if request.param == "sqlite":
        chosen = Settings(**common)
        copy_into(chosen, request.getfixturevalue("migrated"))
        yield chosen
        return
    lent: Lent = request.getfixturevalue("lent")
    yield Settings(database_url=await lent.give(), **common)
    await lent.take_back()


@pytest.fixture(params=DATABASES)
async def empty(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Settings]:
    """Settings of a database without a table."""
    if request.param == "sqlite":
        yield Settings(data=tmp_path / "data", fsync=False)
        return
    running: Cluster = request.getfixturevalue("cluster")
    name = f"e{uuid4().hex}"
    yield Settings(data=tmp_path / "data", database_url=await running.create(name), fsync=False)
    await running.drop(name)


@pytest.fixture
async def store(settings: Settings) -> AsyncIterator[Store]:
    """An open store without a running follower: tests move vectors step by step."""
    embedder = HashEmbedder()
    opened = Store(settings)
    await opened.migrate()
    await opened.open(embedder.name, embedder.dimension, embedder.embed)
    yield opened
    await opened.close()
