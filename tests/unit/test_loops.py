"""The event loop of commands."""

from __future__ import annotations

import asyncio
import sys

import pytest

from server.commands.loops import run


async def _module() -> str:
    return type(asyncio.get_running_loop()).__module__


@pytest.mark.skipif(sys.platform == "win32", reason="uvloop does not run there")
def test_commands_run_on_the_loop_of_the_server() -> None:
    assert run(_module()) == "uvloop"


def test_where_it_is_not_installed_they_run_on_pythons_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert run(_module()).startswith("asyncio")
