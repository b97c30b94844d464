"""Migrations: brings a database to the tables of this version, from empty or from any earlier one."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from server.errors import Misconfigured
from server.store.database import Database

_LOCK = 0x10E6


def script_location() -> Path:
    """Return the folder of the migrations: beside the package in a checkout, inside it when installed."""
    package = Path(__file__).resolve().parent.parent
    checkout = package.parent / "alembic"
    return checkout if (checkout / "env.py").exists() else package / "migrations"


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(script_location()))
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL lock_timeout = 0"))  # the other one's migration may take its time
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        connection.execute(text("SET LOCAL lock_timeout TO DEFAULT"))
    command.upgrade(_config(connection), "head")
    if connection.dialect.name == "sqlite" and (broken := connection.execute(text("PRAGMA foreign_key_check")).all()):
        raise RuntimeError(f"the migration would leave rows behind that refer to nothing: {broken[:3]}")


def _revision(connection: Connection) -> tuple[str | None, str | None]:
    script = ScriptDirectory.from_config(_config(connection))
    return MigrationContext.configure(connection).get_current_revision(), script.get_current_head()


async def migrate(database: Database) -> None:
    """Bring the database up to date in one transaction. Processes that start together wait for each other."""
    async with database.writing(rebuilding=True) as connection:
        await connection.run_sync(_upgrade)


async def check_current(database: Database) -> None:
    """Refuse to go on over tables of another version.

    Raises:
        Misconfigured: the database was never migrated, or by another version.
    """
    async with database.reading() as connection:
        found, wanted = await connection.run_sync(_revision)
    if found != wanted:
        raise Misconfigured(
            f"The database is at revision {found or 'none'}, this version needs {wanted}. Run: loregraph migrate"
        )
