"""The report of what a change of the schema breaks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from schema.compatibility import base_of, main, report, schema_at

BEFORE = "type Query { a(x: Int = 1): Int! b: ID } enum E { ONE }"
AFTER = "type Query { a(x: Int = 2): Int c: ID } enum E { ONE TWO }"


def git(folder: Path, *arguments: str) -> str:
    settings = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *settings, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder: Path, text: str | None = None) -> str:
    """Commit a schema and return the commit's name."""
    if text is not None:
        (folder / "schema.graphql").write_text(text)
        git(folder, "add", "schema.graphql")
    git(folder, "commit", "--allow-empty", "-m", "A commit")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    inner = tmp_path / "repository" / "schema"
    inner.mkdir(parents=True)
    git(inner.parent, "init")
    return inner


def test_breaking_changes_come_first() -> None:
    assert report(BEFORE, AFTER) == [
        "breaking: Field Query.b was removed.",
        "breaking: Field Query.a changed type from Int! to Int.",
        "dangerous: Query.a(x:) has changed defaultValue from 1 to 2.",
        "dangerous: Enum value E.TWO was added.",
    ]


def test_what_is_only_added_harms_nobody() -> None:
    assert report(BEFORE, BEFORE.replace("b: ID", "b: ID c(y: Int): ID")) == []


def test_the_base_is_the_commit_before(folder: Path) -> None:
    first = commit(folder, BEFORE)
    assert base_of(folder) is None
    commit(folder, AFTER)
    assert base_of(folder) == first
    assert schema_at(first, folder / "schema.graphql") == BEFORE


def test_the_base_of_a_branch_is_where_it_left_the_main_one(folder: Path) -> None:
    fork = commit(folder, BEFORE)
    git(folder, "update-ref", "refs/remotes/origin/main", fork)
    commit(folder, AFTER)
    commit(folder)
    assert base_of(folder) == fork


def test_the_report_is_about_the_file_as_it_lies_there(folder: Path) -> None:
    first, file = commit(folder, BEFORE), folder / "schema.graphql"
    commit(folder)
    file.write_text("type Query { a(x: Int = 1): Int! c: ID } enum E { ONE }")
    assert main([], file) == (
        f"Changes of the schema since {first[:12]} that can harm a client: 1.\n  breaking: Field Query.b was removed.\n"
    )
    assert main([first], file) == main([], file)


def test_without_an_earlier_schema_the_report_says_so(folder: Path) -> None:
    file = folder / "schema.graphql"
    file.write_text(AFTER)
    nothing = "Changes of the schema: there is no earlier one to compare with.\n"
    assert main([], file) == nothing
    commit(folder)
    commit(folder, AFTER)
    assert main([], file) == nothing
    assert main(["no-such-commit"], file) == nothing


def test_outside_a_repository_there_is_no_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert base_of(tmp_path) is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert base_of(tmp_path) is None
