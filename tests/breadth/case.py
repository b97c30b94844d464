"""Cases: operations with the data and errors that they must answer, written in the files of the folder `cases`.

A case begins with `#` and its name, a sentence. The document follows, and `$` the variables or `@` the operation's name where
there are any, `~` what mutations wrote; then `=` the data, and `!` each error: its path, its places in the document, its message and its extensions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["CASES", "Case"]


@dataclass
class Case:
    """What an operation answers."""

    name: str
    query: str = ""
    variables: dict[str, Any] = field(default_factory=dict)
    operation: str | None = None
    written: list[str] = field(default_factory=list)
    data: Any = None
    errors: list[str] = field(default_factory=list)


def _read(path: Path) -> Iterator[Case]:
    title, *blocks = path.read_text().split("\n\n# ")
    assert title.startswith("## ")
    for block in blocks:
        name, *lines = block.rstrip("\n").split("\n")
        case = Case(name)
        for line in lines:
            sign, text = line[:1], line[2:]
            if sign == "$":
                case.variables = json.loads(text)
            elif sign == "@":
                case.operation = text
            elif sign == "~":
                case.written = json.loads(text)
            elif sign == "=":
                case.data = json.loads(text)
            elif sign == "!":
                case.errors.append(text)
            else:
                case.query += f"\n{line}" if case.query else line
        yield case


CASES = {case.name: case for path in sorted((Path(__file__).parent / "cases").iterdir()) for case in _read(path)}
