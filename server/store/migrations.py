"""Migrations: brings a database to the tables of this version, from empty or from any earlier one.

Alembic, which holds 10 MB, is loaded for a database that is not of this version.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from server.errors import Misconfigured
from server.store.database import Database

if TYPE_CHECKING:
    from alembic.config import Config

_LOCK = 0x10E6


def script_location() -> Path:
    """Return the folder of the migrations: beside the package in a checkout, inside it when installed."""
    package = Path(__file__).resolve().parent.parent
    checkout = package.parent / "alembic"
    return checkout if (checkout / "env.py").exists() else package / "migrations"


def latest_revision() -> str:
    """Return the revision of this version's tables: migrations are numbered, each by the first part of its file's name."""
    return max(path.name.partition("_")[0] for path in (script_location() / "versions").glob("*_*.py"))


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(script_location()))
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: Connection) -> None:
    from alembic import command

    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL lock_timeout = 0"))  # the other one's migration may take its time
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        connection.execute(text("SET LOCAL lock_timeout TO DEFAULT"))
    command.upgrade(_config(connection), "head")
    if connection.dialect.name == "sqlite" and (broken := connection.execute(text("PRAGMA foreign_key_check")).all()):
        raise RuntimeError(f"the migration would leave rows behind that refer to nothing: {broken[:3]}")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


async def revision_of(database: Database) -> str | None:
    """Return the revision that a database's tables are of, None where it was never migrated."""
    async with database.reading() as connection:
        return await connection.run_sync(_revision)


async def migrate(database: Database) -> None:
    """Bring the database up to date in one transaction. Processes that start together wait for each other."""
    if await revision_of(database) == latest_revision():
        return
    async with database.writing(rebuilding=True) as connection:
        await connection.run_sync(_upgrade)


async def check_current(database: Database) -> None:
    """Refuse to go on over tables of another version.

    Raises:
        Misconfigured: the database was never migrated, or by another version.
    """
    found, wanted = await revision_of(database), latest_revision()
    if found != wanted:
        raise Misconfigured(
            f"The database is at revision {found or 'none'}, this version needs {wanted}. Run: loregraph migrate"
        )
