"""What a change of the schema means to clients: `python -m schema.compatibility [BASE]` reports it and fails nothing.

The schema of a commit is the file that is committed with it. Without BASE it is compared with that of the commit where
this branch left origin/main, or with that of the commit before.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from graphql import build_schema, find_breaking_changes, find_dangerous_changes

FILE = Path(__file__).with_name("schema.graphql")


def report(before: str, after: str) -> list[str]:
    """Return a line for each change from one printed schema to another that can harm a client, breaking ones first."""
    old, new = build_schema(before), build_schema(after)
    breaking = [f"breaking: {change.description}" for change in find_breaking_changes(old, new)]
    return breaking + [f"dangerous: {change.description}" for change in find_dangerous_changes(old, new)]


def base_of(folder: Path) -> str | None:
    """Return the commit to compare with, None where there is none: the first commit, a shallow clone, no repository."""
    head, fork = _git(folder, "rev-parse", "HEAD"), _git(folder, "merge-base", "HEAD", "origin/main")
    if fork is not None and fork != head:
        return fork
    return _git(folder, "rev-parse", "--verify", "--quiet", "HEAD~1")


def schema_at(commit: str, file: Path) -> str | None:
    """Return the printed schema that was committed with a commit, None where there was none."""
    return _git(file.parent, "show", f"{commit}:./{file.name}")


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def main(arguments: Sequence[str], file: Path = FILE) -> str:
    """Return the report as a text."""
    base = arguments[0] if arguments else base_of(file.parent)
    before = None if base is None else schema_at(base, file)
    if base is None or before is None:
        return "Changes of the schema: there is no earlier one to compare with.\n"
    found = report(before, file.read_text())
    title = f"Changes of the schema since {base[:12]} that can harm a client: {len(found) or 'none'}."
    return "\n".join([title, *(f"  {line}" for line in found), ""])


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:]))
