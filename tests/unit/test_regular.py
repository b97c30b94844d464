"""Only regular files are opened, and nothing waits: neither at a pipe, nor where a file becomes one in the moment of opening."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from files import refused_in_time

from server.config import Settings
from server.services.formats import Converter, open_regular


def test_a_regular_file_is_opened_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"text")
    (tmp_path / "b.txt").symlink_to("a.txt")
    with open_regular(tmp_path / "b.txt") as file:
        assert file.read() == b"text"


@pytest.mark.parametrize("path", ["pipe", "link", "/dev/null", "."])
def test_what_is_no_regular_file_is_not_opened(tmp_path: Path, path: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    assert refused_in_time(lambda: open_regular(tmp_path / path), OSError).strerror == "it is no regular file"


def test_a_file_that_becomes_a_pipe_in_the_moment_of_opening_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_bytes(b"text")
    before = os.stat(tmp_path / "a.txt")
    (tmp_path / "a.txt").unlink()
    os.mkfifo(tmp_path / "a.txt")
    monkeypatch.setattr("server.services.formats.regular.os.stat", lambda path: before)
    assert refused_in_time(lambda: open_regular(tmp_path / "a.txt"), OSError).strerror == "it is no regular file"


def test_the_converter_opens_no_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    converter = Converter(Settings(data=tmp_path))
    told = refused_in_time(lambda: asyncio.run(converter.convert(tmp_path / "a.txt", claimed="text/plain")), OSError)
    assert told.strerror == "it is no regular file"
