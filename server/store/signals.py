"""Signals: how a process learns at once that another one has committed.

On PostgreSQL a commit that wrote to the log notifies a channel, and each process listens on a connection of its own. On
SQLite each process polls PRAGMA data_version, which changes when another connection has committed. A signal says only
that something happened; who is woken looks for itself, so a lost signal costs time and nothing else.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from server.errors import ServerError
from server.store.database import Database

CHANNEL = "loregraph"
_POLL = 0.1
_RETRY = 1.0
_log = logging.getLogger("loregraph.signals")


async def rest(wake: asyncio.Event, seconds: float) -> None:
    """Wait until woken, but no longer than this."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await wake.wait()


class Signals:
    """Wakes its subscribers, in this process, for commits anywhere. `run` it in the background."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._subscribers: list[Callable[[], None]] = []

    def subscribe(self, wake: Callable[[], None]) -> None:
        """Call `wake` for every signal from now on."""
        self._subscribers.append(wake)

    def send(self) -> None:
        """Wake the subscribers: this process has committed."""
        for wake in self._subscribers:
            wake()

    async def run(self) -> None:
        """Listen until cancelled; a lost connection is opened again."""
        while True:
            try:
                async with self._database.reading() as connection:
                    self.send()
                    if self._database.dialect == "sqlite":
                        await self._poll(connection)
                    else:
                        await self._listen(connection)
            except ServerError as error:
                _log.warning("Commits of other processes are noticed late: %s", error.message)
            await asyncio.sleep(_RETRY)

    async def _poll(self, connection: AsyncConnection) -> None:
        seen: int | None = None
        while True:
            row = (await connection.exec_driver_sql("PRAGMA data_version")).one()
            if seen is not None and row[0] != seen:
                self.send()
            seen = row[0]
            await asyncio.sleep(_POLL)

    async def _listen(self, connection: AsyncConnection) -> None:
        """Wait for notifications; return when the connection is lost."""
        lost = asyncio.Event()
        driver: Any = (await connection.get_raw_connection()).driver_connection
        driver.add_termination_listener(lambda _: lost.set())
        await driver.add_listener(CHANNEL, lambda *_: self.send())
        try:
            await lost.wait()
        finally:
            await connection.invalidate()
