"""Files that arrive: bounded, on the disk while they are needed, and gone after, whoever dies meanwhile."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from server.errors import LimitExceeded, UpstreamUnavailable
from server.services.incoming import Incoming, IncomingFile


def there(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*"))


async def test_a_file_holds_what_was_written_until_the_block_ends(tmp_path: Path) -> None:
    incoming = Incoming(tmp_path / "new", 1_000_000)
    pieces = [os.urandom(100_000) for _ in range(7)]
    async with incoming.file() as file:
        for piece in pieces:
            await file.write(piece)
        await file.finish()
        assert await asyncio.to_thread(file.path.read_bytes) == b"".join(pieces)
        assert there(tmp_path / "new") == [file.path.name]
    assert there(tmp_path / "new") == []


async def test_a_file_is_gone_however_the_block_ends(tmp_path: Path) -> None:
    incoming = Incoming(tmp_path, 10)
    with pytest.raises(LimitExceeded, match=r"^The file has over 10 bytes, the limit \(LOREGRAPH_MAX_UPLOAD\)\.$"):
        async with incoming.file() as file:
            await file.write(b"x" * 10)
            await file.write(b"x")
    assert there(tmp_path) == []

    async def receive() -> None:
        async with incoming.file() as file:
            await file.write(b"x")
            await asyncio.sleep(60)

    task = asyncio.create_task(receive())
    await asyncio.sleep(0.05)
    assert len(there(tmp_path)) == 1
    task.cancel()
    await asyncio.wait([task])
    assert there(tmp_path) == []


async def test_a_sweep_removes_what_nobody_receives_any_more(tmp_path: Path) -> None:
    incoming = Incoming(tmp_path, 10)
    (tmp_path / "left.part").write_bytes(b"words")
    (tmp_path / "other.txt").touch()
    async with incoming.file() as file:
        assert Incoming(tmp_path, 10).sweep() == 1
        assert there(tmp_path) == sorted([file.path.name, "other.txt"])
    assert there(tmp_path) == ["other.txt"]
    assert Incoming(tmp_path / "nowhere", 10).sweep() == 0


async def test_a_disk_that_is_full_and_a_folder_that_cannot_be_are_refusals(tmp_path: Path) -> None:
    with os.fdopen(os.open("/dev/full", os.O_WRONLY), "wb", buffering=0) as device:
        file = IncomingFile(device, Path("/dev/full"), 10)
        await file.write(b"x")
        with pytest.raises(UpstreamUnavailable, match=r"^The file cannot be stored here: No space left on device\.$"):
            await file.finish()
    (tmp_path / "file").touch()
    with pytest.raises(UpstreamUnavailable, match=r"^The file cannot be stored here: File exists\.$"):
        async with Incoming(tmp_path / "file", 10).file():
            pass
