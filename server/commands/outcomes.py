"""Outcomes of ingesting: one line of JSON for each document, or a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import orjson
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

__all__ = ["Outcome", "as_json", "left", "print_table"]

_SHOWN = 100
_COUNTS = ("entities", "facts", "relationships", "rejected")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file. Without a document it was refused; `rejected` counts items that were found and refused.

    `busy` is whether only a store that stayed too busy is in the way: the same command takes the file up.
    """

    path: str
    document: str | None = None
    ingestion: str | None = None
    status: str | None = None
    created: bool = False
    entities: int = 0
    facts: int = 0
    relationships: int = 0
    rejected: int = 0
    error: str | None = None
    busy: bool = False

    @property
    def failed(self) -> bool:
        """Whether the text is not in the graph."""
        return self.status != "DONE"


def as_json(outcome: Outcome) -> str:
    """Return an outcome as one line of JSON."""
    told = asdict(outcome)
    return orjson.dumps({name: _valid(one) if isinstance(one, str) else one for name, one in told.items()}).decode()


def left(outcomes: Sequence[Outcome]) -> str | None:
    """Return the line that says how many files a busy store left out, None where it left out none."""
    number = sum(outcome.busy for outcome in outcomes)
    if not number:
        return None
    are = "document is" if number == 1 else "documents are"
    return f"{number:,} of {len(outcomes):,} {are} not in, for the store stayed too busy. The same command goes on with what is left."


def print_table(outcomes: Sequence[Outcome]) -> None:
    """Print outcomes as a table with their sums; of more than 100 only those that failed."""
    Console().print(_as_table(outcomes))


def _as_table(outcomes: Sequence[Outcome]) -> Table:
    shown = outcomes if len(outcomes) <= _SHOWN else [one for one in outcomes if one.failed]
    table = Table(box=box.SIMPLE_HEAD, show_footer=True)
    table.add_column("document", f"{len(outcomes)} in all", overflow="fold")
    table.add_column("status", f"{sum(one.failed for one in outcomes)} failed")
    for name in _COUNTS:
        table.add_column(name, str(sum(getattr(one, name) for one in outcomes)), justify="right")
    for one in shown:
        told = escape(one.path) + (f"\n[red]{escape(one.error)}[/red]" if one.error else "")
        table.add_row(_valid(told), _status(one), *(str(getattr(one, name)) for name in _COUNTS))
    return table


def _valid(text: str) -> str:
    """Return a text with its lone surrogates written out, which neither JSON nor a terminal takes.

    The name of a file need not be UTF-8. Written out, two that differ still do.
    """
    return text.encode("utf-8", "backslashreplace").decode()


def _status(outcome: Outcome) -> str:
    if outcome.failed:
        return f"[red]{outcome.status or 'REFUSED'}[/red]"
    return "done" if outcome.created else "known"
