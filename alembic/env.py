"""Runs migrations on the connection that the server hands over, or on the database of the settings for the alembic command."""

from __future__ import annotations

import asyncio

from alembic import context
from sqlalchemy import Connection
from sqlmodel import SQLModel

import server.models  # noqa: F401  the tables register themselves
from server.config import Settings
from server.store.database import Database


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=SQLModel.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        transaction_per_migration=False,
    )
    with context.begin_transaction():
        context.run_migrations()


async def run_standalone() -> None:
    database = Database(Settings())
    async with database.writing(rebuilding=True) as connection:
        await connection.run_sync(run)
    await database.close()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    asyncio.run(run_standalone())
