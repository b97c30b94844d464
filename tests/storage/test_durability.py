"""What SQLite does for a commit: waits for the disk where something was answered, and not where it is worked out again."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.config import Settings
from server.store.database import Database

NORMAL, FULL = 1, 2


@pytest.mark.parametrize(
    ("fsync", "lasting", "expected"), [(True, True, FULL), (True, False, NORMAL), (False, True, NORMAL)]
)
async def test_a_commit_waits_for_the_disk_where_it_is_to_last(
    tmp_path: Path, fsync: bool, lasting: bool, expected: int
) -> None:
    database = Database(Settings(data=tmp_path, fsync=fsync))
    for wanted, level in ((not lasting, None), (lasting, expected), (lasting, expected)):
        async with database.writing(lasting=wanted) as connection:
            found = (await connection.exec_driver_sql("PRAGMA synchronous")).scalar()
            assert level is None or found == level
    await database.close()
