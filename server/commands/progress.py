"""The progress bar of the commands that take their time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

__all__ = ["progress"]


class _Rate(ProgressColumn):
    """How many a second, of late."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s", style="progress.data.speed")


class _Left(TimeRemainingColumn):
    """How much longer it will take at that rate."""

    def render(self, task: Task) -> Text:
        return super().render(task).append("" if task.finished else " left")


@contextlib.contextmanager
def progress(what: str, *, bytes: bool = False) -> Iterator[tuple[Progress, Any]]:
    """Show a progress bar on stderr, where that is a terminal."""
    console = Console(stderr=True)
    count = TaskProgressColumn() if bytes else MofNCompleteColumn()
    more = () if bytes else (_Rate(), _Left(compact=True))
    columns = (TextColumn("{task.description}"), BarColumn(), count, TimeElapsedColumn(), *more)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield bar, bar.add_task(what, total=None)
