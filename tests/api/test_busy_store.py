"""`loregraph ingest` on a store that others keep busy: it tries again, gives up in the end, and says what is left."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from server import models
from server.commands.ingesting import ingest_here
from server.commands.outcomes import Outcome, left
from server.commands.patience import Patience
from server.commands.sources import Source
from server.config import Settings
from server.terms import Authority

if TYPE_CHECKING:
    from api.conftest import Api

SOURCES = [Source(name, name, "text/plain", None, None, f"Text {name}.") for name in ("a", "b", "c")]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"busy_timeout": 0.05})


@asynccontextmanager
async def busy(settings: Settings) -> AsyncIterator[None]:
    """Hold what writers of documents need, as another process that hangs would."""
    if settings.database_url is None:
        other = sqlite3.connect(settings.sqlite_path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")
        other.close()
        return
    engine = create_async_engine(settings.database_url)
    async with engine.begin() as other:
        await other.execute(text("LOCK TABLE document IN EXCLUSIVE MODE"))
        yield
    await engine.dispose()


async def ingested(api: Api, patience: Patience) -> list[Outcome]:
    return await ingest_here(
        api.knowledge, SOURCES, "default", Authority.UNKNOWN, lambda _outcome: None, patience=patience
    )


async def test_files_that_a_busy_store_left_out_are_told_of_and_taken_up_by_the_next_run(
    api: Api, settings: Settings
) -> None:
    async with busy(settings):
        outcomes = await ingested(api, Patience(tries=2, pause=0))
        assert await api.rows(models.Document) == []
    assert [(one.status, one.busy) for one in outcomes] == [(None, True)] * 3
    for one in outcomes:
        assert one.error is not None
        assert one.error.startswith("The database ")
        assert one.error.endswith("too busy. Try again in a moment. The same command takes it up when it is run again.")
    assert left(outcomes) == (
        "3 of 3 documents are not in, for the store stayed too busy. The same command goes on with what is left."
    )
    again = await ingested(api, Patience(tries=10_000, pause=0))
    assert [(one.status, one.created, one.busy) for one in again] == [("DONE", True, False)] * 3
    assert left(again) is None
