"""Batches that were submitted before batches were noted beforehand go on, under the names that their requests have."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa
from alembic import command
from conftest import Cluster
from sqlmodel import UTCDateTime

from server import models
from server.config import Settings
from server.ids import new_id
from server.store import migrations
from server.store.database import Database
from server.store.relations import table_of

AT, LATER = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
BEFORE = sa.table(
    "message_batch",
    sa.column("name", sa.String()),
    sa.column("job_id", sa.Uuid()),
    sa.column("submitted_at", UTCDateTime()),
)


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """A database without a table."""
    if request.param == "sqlite":
        opened = Database(Settings(data=tmp_path / "data"))
        yield opened
        await opened.close()
        return
    cluster: Cluster = request.getfixturevalue("cluster")
    name = f"b{uuid4().hex}"
    opened = Database(Settings(data=tmp_path / "data", database_url=await cluster.create(name)))
    yield opened
    await opened.close()
    await cluster.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


async def test_batches_that_were_under_way_go_on_and_come_back(database: Database) -> None:
    job, other = sorted(new_id() for _ in range(2))
    rows: list[dict[str, Any]] = [
        {"name": "b1", "job_id": job, "submitted_at": AT},
        {"name": "b2", "job_id": job, "submitted_at": LATER},
        {"name": "b3", "job_id": other, "submitted_at": AT},
    ]
    async with database.writing(rebuilding=True) as connection:
        await connection.run_sync(lambda c: command.upgrade(migrations._config(c), "0017"))
        await connection.execute(BEFORE.insert(), rows)
    await migrations.migrate(database)
    table = table_of(models.MessageBatch)
    async with database.reading() as connection:
        found = (await connection.execute(sa.select(table).order_by(table.c.name))).all()
    # The first one's job waits for another one by now: nobody waits for it.
    named = [(one.name, one.id, one.job_id, one.requests, one.submitted_at) for one in found]
    assert named == [
        ("b1", found[0].id, None, 0, AT),
        ("b2", job, job, 0, LATER),
        ("b3", other, other, 0, AT),
    ]
    lost = {"id": new_id(), "job_id": new_id(), "requests": 5, "submitted_at": AT}
    async with database.writing(rebuilding=True) as connection:
        await connection.execute(sa.insert(table), [lost])
        await connection.run_sync(lambda c: command.downgrade(migrations._config(c), "0017"))
        back = (await connection.execute(sa.select(BEFORE).order_by(BEFORE.c.name))).all()
    assert [(one.name, one.job_id) for one in back] == [("b1", found[0].id), ("b2", job), ("b3", other)]
