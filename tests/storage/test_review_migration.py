"""What waited for review before there was a queue stands in it afterwards, and nothing else does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from alembic import command
from sqlalchemy import column, table

from server import models
from server.config import Settings
from server.ids import new_id
from server.store import migrations
from server.store.database import Database
from server.store.reader import Reader
from server.store.records import ReviewRecord

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
async def database(empty: Settings) -> AsyncIterator[Database]:
    opened = Database(empty)
    yield opened
    await opened.close()


async def test_claims_that_waited_are_asked_about(database: Database) -> None:
    volume, ada, acme, waiting, sure, edge = sorted(new_id() for _ in range(6))
    common: dict[str, Any] = {"volume_id": volume, "created_at": AT, "updated_at": AT, "known_from": AT, "version": 1}
    person = {"type": "person", "type_stated": True, "sense": "", "properties": {}, "confidence": 1, "origin": "stated"}
    claim = {"confidence": 0.5, "authority": "USER", "status": "PENDING_REVIEW"}
    said = {"subject_id": ada, "value_type": "NONE", "importance": 0.25}
    ends = {
        "source_id": ada,
        "target_id": acme,
        "type": "KNOWS",
        "strength": 1,
        "bidirectional": False,
        "properties": {},
    }
    rows: list[tuple[Any, dict[str, Any]]] = [
        (models.Volume, {"id": volume, "name": "v"}),
        (models.Entity, {"id": ada, "name": "a", "match_key": "a", "importance": 0.125, **person}),
        (models.Entity, {"id": acme, "name": "b", "match_key": "b", "importance": 0.75, **person}),
        (models.Fact, {"id": waiting, "content": "x", "claim_key": "x", **said, **claim}),
        (models.Fact, {"id": sure, "content": "y", "claim_key": "y", **said, **claim, "status": "CURRENT"}),
        (models.Relationship, {"id": edge, **ends, **claim}),
    ]
    async with database.writing(rebuilding=True) as connection:
        await connection.run_sync(lambda c: command.upgrade(migrations._config(c), "0005"))
        for model, row in rows:
            columns = {c.name: c for c in model.__table__.c}
            given = {name: value for name, value in {**common, **row}.items() if name in columns}
            bare = table(model.__tablename__, *(column(name, columns[name].type) for name in given))
            await connection.execute(bare.insert().values(given))
    await migrations.migrate(database)
    found = await Reader(database.reading, database.dialect).where(ReviewRecord)
    assert [(r.kind, r.question, r.fact_id, r.relationship_id, r.importance, r.precedence) for r in found] == [
        ("LOW_CONFIDENCE", f"LOW_CONFIDENCE:fct:{waiting.hex}", waiting, None, 0.25, -0.25),
        ("LOW_CONFIDENCE", f"LOW_CONFIDENCE:rel:{edge.hex}", None, edge, 0.75, -0.75),
    ]
    assert {(r.opened_at, r.decision, tuple(r.reasons), r.volume_id) for r in found} == {(AT, None, (), volume)}
