"""`loregraph ingest` of many documents: lists of documents, being stopped, and going on."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from servers import environment_with

from server.commands.sources import Source, find
from server.errors import BadUserInput

NUMBER = 24


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("LOREGRAPH_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def written(path: Path, content: str) -> str:
    path.write_text(content, encoding="utf-8")
    return str(path)


def test_a_list_of_documents_is_an_array_or_one_object_a_line(tmp_path: Path) -> None:
    rows = [{"title": "Å", "text": "One."}, {"title": "B", "text": "Two.", "uri": "u:2", "mimeType": "text/markdown"}]
    array = written(tmp_path / "a.json", json.dumps(rows))
    lines = written(tmp_path / "b.jsonl", "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n")
    for path in (array, lines):
        assert find([path]).sources == [
            Source(f"{path}:1", "Å", "text/plain", None, None, "One."),
            Source(f"{path}:2", "B", "text/markdown", "u:2", None, "Two."),
        ]
        assert find([path]).sources[0].content() == b"One."


def test_lists_of_documents_are_read_only_where_they_are_named(tmp_path: Path) -> None:
    written(tmp_path / "a.json", "[]")
    written(tmp_path / "b.txt", "Text.")
    found = find([str(tmp_path)])
    assert ([one.title for one in found.sources], found.skipped) == (["b.txt"], 1)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "it is no JSON array of documents, nor one JSON object a line: "),
        ("5", "it is no JSON array of documents, nor one JSON object a line: "),
        ('{"title": "A", "text": "B"}', "document 1 has no title and text: give each an object with these two."),
        ('[{"title": "A", "text": "B"}, {"title": "A"}]', "document 2 has no title and text: "),
        ('[{"title": "A", "text": "B", "uri": 5}]', "document 1: uri and mimeType have to be strings"),
        ("[" * 100_000, "it is no JSON array of documents, nor one JSON object a line: "),
    ],
)
def test_a_wrong_list_is_refused_as_a_whole(tmp_path: Path, content: str, told: str) -> None:
    path = written(tmp_path / "a.json", content)
    with pytest.raises(BadUserInput) as refused:
        find([path])
    assert refused.value.message.startswith(f"{path}: {told}")


def test_a_line_that_is_no_object_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", '{"title": "A", "text": "B"}\n[1]\n')
    with pytest.raises(BadUserInput, match="line 2 has no title and text"):
        find([path])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"title": "A", "text": }', "line 3 is no JSON object: Expecting value at column 24."),
        (b'{"title": "A\tB"}', "line 3 is no JSON object: Invalid control character at column 13."),
        (b"", "line 3 is no JSON object: Expecting value at column 1."),
        (
            b'{"title": "\xff"}',
            "line 3 is no JSON object: 'utf-8' codec can't decode byte 0xff in position 11: invalid start byte.",
        ),
        (b"[" * 100_000, "line 3 is no JSON object: "),
        (b'{"title": "A"}', "line 3 has no title and text: give each an object with these two."),
        (
            b'{"title": "A", "text": "B", "uri": 5}',
            "line 3: uri and mimeType have to be strings, where they are given.",
        ),
    ],
)
def test_a_wrong_line_of_a_list_is_named_by_its_number_in_the_file(tmp_path: Path, line: bytes, told: str) -> None:
    good = b'{"title": "A", "text": "B"}'
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + good + b"\r\n" + good + b"\n" + line + b"\n" + good)
    with pytest.raises(BadUserInput) as refused:
        find(["a.jsonl"])
    assert refused.value.message.startswith(f"a.jsonl: {told}")


def test_a_line_of_a_list_ends_where_the_file_ends_it_not_at_characters_within_strings(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", '{"title": "A", "text": "One\u2028two\x85three."}\n')
    assert [one.text for one in find(["a.jsonl"]).sources] == ["One\u2028two\x85three."]


def outcomes(printed: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines()]


@pytest.mark.usefixtures("made")
def test_ingesting_that_is_stopped_by_ctrl_c_goes_on_with_the_same_command(tmp_path: Path) -> None:
    texts = [{"title": f"N{n}", "text": f"Ada{n} Lovelace works at Acme{n} Labs."} for n in range(NUMBER)]
    path = written(tmp_path / "notes.json", json.dumps(texts))
    command = [sys.executable, "-m", "server", "ingest", path, "--data", "data", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment_with({})
    ) as first:
        assert first.stdout is not None
        seen = [first.stdout.readline() for _ in range(2)]
        first.send_signal(signal.SIGINT)
        rest, said = first.communicate(timeout=60)
    done = outcomes("".join(seen) + rest)
    assert first.returncode == 130
    assert said == f"Stopped: {len(done)} of {NUMBER} documents are in. The same command goes on where it was.\n"
    assert 2 <= len(done) < NUMBER
    again = subprocess.run(command, capture_output=True, text=True, env=environment_with({}))
    assert (again.returncode, again.stderr) == (0, "")
    found = {one["path"]: one for one in outcomes(again.stdout)}
    assert len(found) == NUMBER
    assert {(one["status"], one["entities"], one["relationships"]) for one in found.values()} == {("DONE", 2, 1)}
    assert all(not found[one["path"]]["created"] for one in done)
    with sqlite3.connect(tmp_path / "data" / "loregraph.sqlite") as database:
        counts = [
            database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("document", "ingestion", "entity", "relationship", "job")
        ]
    assert counts == [NUMBER, NUMBER, 2 * NUMBER, NUMBER, 0]
    assert not list((tmp_path / "data" / "spool").glob("*"))
