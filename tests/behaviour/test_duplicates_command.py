"""loregraph duplicates: pairs that look like one, each proposed once; what is vetoed or differs is not among them."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import copy_into

from server.__main__ import main
from server.config import Settings

PEOPLE = ("John Doe", "John T. Doe", "Mary Roe")
THINGS = ("mlp-332", "mlp-333", "New York", "New York Times")


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, migrated: Path, capfd: pytest.CaptureFixture[str]) -> Path:
    """A data folder with a few entities."""
    copy_into(Settings(data=tmp_path), migrated)
    named = [*((name, "person") for name in PEOPLE), *((name, "thing") for name in THINGS)]
    lines = [{"kind": "entity", "key": name, "name": name, "type": type} for name, type in named]
    run(monkeypatch, "import", "-", "--data", str(tmp_path), stdin="\n".join(map(json.dumps, lines)).encode())
    capfd.readouterr()
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str, stdin: bytes = b"") -> int:
    """Run a command in this process; return its exit code."""
    monkeypatch.setattr(sys, "argv", ["loregraph", *arguments])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    with pytest.raises(SystemExit) as ended:
        main()
        sys.exit(0)
    return int(ended.value.code or 0)


def test_pairs_are_proposed_once(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def look(*options: str) -> tuple[list[dict[str, Any]], str]:
        assert run(monkeypatch, "duplicates", "--json", "--data", str(filled), *options) == 0
        out, err = capfd.readouterr()
        return [json.loads(line) for line in out.splitlines()], err

    (pair,), said = look("--dry-run")
    assert {pair["left"]["name"], pair["right"]["name"]} == {"John Doe", "John T. Doe"}
    assert (pair["score"], pair["reasons"], pair["review"]) == (0.92, ["a middle name more"], None)
    assert said == "7 entities: 1 pairs look like one, 0 of them newly proposed.\n"
    (pair,), said = look()
    review = pair["review"]
    assert review is not None
    assert said == "7 entities: 1 pairs look like one, 1 of them newly proposed.\n"
    (pair,), said = look()
    assert pair["review"] == review
    assert said == "7 entities: 1 pairs look like one, 0 of them newly proposed.\n"
    lower, _ = look("--threshold", "0.5")
    assert [one["score"] for one in lower] == [0.92, 0.55]
    assert look("--threshold", "0.95")[0] == []


def test_without_json_each_pair_is_a_line(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "duplicates", "--data", str(filled)) == 0
    assert capfd.readouterr().out == "0.92\tJohn T. Doe\tJohn Doe\ta middle name more\n"


def test_a_volume_that_is_not_there_is_named(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "duplicates", "--data", str(filled), "--volume", "nowhere") == 1
    assert capfd.readouterr() == ("", "loregraph: There is no volume nowhere.\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="There is no device that is always full here.")
def test_output_that_cannot_be_written_is_told_in_one_line(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert run(monkeypatch, "duplicates", "--json", "--dry-run", "--data", str(filled)) == 1
    assert capfd.readouterr().err.splitlines()[-1] == (
        "loregraph: the output cannot be written: No space left on device"
    )
