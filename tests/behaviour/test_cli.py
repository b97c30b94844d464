"""The command line: exit codes, what goes to stdout and what to stderr, and a server from its start to its end.

Most commands run inside this process, on temporary folders; the server, and what reads with the real models, in one of
its own.
"""

from __future__ import annotations

import io
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from files import refused_in_time
from servers import Server, environment_with, serving

from server.__main__ import main
from server.commands.sources import find
from server.config import Settings, settings_table
from server.errors import BadUserInput, LimitExceeded

SENTENCE = "Ada{n} Lovelace worked at Acme{n} Labs from 2001 to 2004, building systems with Go and Kubernetes."


class Result(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


Cli = Callable[..., Result]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The settings of whoever runs the tests are none of theirs."""
    for name in [name for name in os.environ if name.startswith("LOREGRAPH_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """Run a command in this process."""

    def run(*arguments: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "argv", ["loregraph", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            main()
        except SystemExit as ended:
            code = 0 if ended.code is None else int(ended.code)
        else:
            code = 0
        return Result(code, *capfd.readouterr())

    return run


def run_apart(*arguments: str, stdin: bytes = b"", **environment: str) -> Result:
    """Run a command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "server", *arguments],
        input=stdin,
        capture_output=True,
        env=environment_with(environment),
        timeout=120,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


INGEST = """
mutation($input: IngestDocumentInput!) {
  ingestDocument(input: $input) { created ingestion { id status error entitiesFound } }
}
"""


def outcomes(result: Result) -> dict[str, dict[str, Any]]:
    return {line["path"]: line for line in map(json.loads, result.out.splitlines())}


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(folder / "loregraph.sqlite") as connection:
        found = connection.execute(query).fetchall()
    connection.close()
    return found


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.1)


def test_help_lists_the_commands_each_of_which_has_help(cli: Cli) -> None:
    top = cli("--help")
    assert top.code == 0
    for command in ("serve", "demo", "ingest", "import", "export", "migrate", "reindex", "sdl", "settings"):
        assert f" {command} " in top.out
        told = cli(command, "--help")
        assert (told.code, told.err) == (0, "")
        assert f"loregraph {command}" in told.out


def test_the_version_is_printed(cli: Cli) -> None:
    assert cli("--version") == (0, "loregraph 0.1.0\n", "")


def test_an_unknown_command_and_an_unknown_option_are_usage_errors(cli: Cli) -> None:
    assert cli("frobnicate").code == 2
    assert cli("serve", "--frobnicate").code == 2


def test_settings_are_listed_with_variable_default_and_description(cli: Cli) -> None:
    printed = cli("settings")
    assert (printed.code, printed.out) == (0, settings_table())
    lines = printed.out.splitlines()
    assert len(lines) == 2 + len(Settings.model_fields)
    assert lines[2] == "| `LOREGRAPH_DATA` | `data` | Folder of the SQLite file and the LanceDB index. |"
    assert "| `LOREGRAPH_GRAPHIQL` | `true` | Serve GraphiQL to browsers at /graphql. |" in lines
    assert all(field.description for field in Settings.model_fields.values())
    assert all(line.count(" | ") == 2 for line in lines)


def test_the_schema_is_printed(cli: Cli) -> None:
    printed = cli("sdl")
    assert (printed.code, printed.err) == (0, "")
    assert "\ntype Query {" in printed.out
    assert printed.out.endswith("}\n")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("LOREGRAPH_PORT", "many", "LOREGRAPH_PORT: Input should be a valid integer"),
        ("LOREGRAPH_LOG_LEVEL", "loud", "LOREGRAPH_LOG_LEVEL: Input should be 'debug', 'info', 'warning' or 'error'"),
        ("LOREGRAPH_DATABASE_URL", "mysql://me:secret@host/x", "LOREGRAPH_DATABASE_URL: Value error, use postgresql+asyncpg:"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named_in_one_line_that_does_not_show_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    ended = cli("migrate")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"loregraph: {message}")
    assert ended.err.count("\n") == 1
    assert "secret" not in ended.err


def test_a_variable_that_is_no_setting_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOREGRAPH_CHUNKSIZE", "500")
    ended = cli("migrate", "--data", str(tmp_path / "data"))
    assert ended.code == 0
    assert (
        ended.err
        == "loregraph: LOREGRAPH_CHUNKSIZE is no setting and does nothing; `loregraph settings` lists them all.\n"
    )


def test_an_option_wins_over_the_environment(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOREGRAPH_DATA", str(tmp_path / "one"))
    assert cli("migrate", "--data", str(tmp_path / "two")).code == 0
    assert cli("migrate").out == "The database is up to date.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]
    os.rename(tmp_path / "one", tmp_path / "three")
    assert cli("migrate", "--data", "two").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["three", "two"]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::"])
@pytest.mark.parametrize("command", ["serve", "demo"])
def test_an_address_that_others_can_reach_is_refused(cli: Cli, command: str, host: str) -> None:
    ended = cli(command, "--host", host, "--port", "0")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        f"loregraph: {host} can be reached by other machines. There is no authentication yet, so only loopback is "
        "served: 127.0.0.1, ::1, localhost.\n"
    )


def test_a_port_in_use_is_named(cli: Cli) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        ended = cli("serve", "--port", str(port))
    assert ended == (
        1, "", f"loregraph: Port {port} is in use. Choose another with --port, or stop what listens there.\n"
    )  # fmt: skip


def test_a_server_that_cannot_start_says_why_in_one_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    before = signal.getsignal(signal.SIGTERM)
    try:
        ended = cli("serve", "--port", "0", "--data", str(tmp_path / "file" / "data"))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended == (2, "", f"loregraph: {tmp_path}/file/data cannot be used: Not a directory.\n")


def test_a_server_whose_database_does_not_answer_exits_as_misconfigured(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREGRAPH_DATABASE_URL", "postgresql+asyncpg://me:secret@127.0.0.1:1/x")
    before = signal.getsignal(signal.SIGTERM)
    try:
        ended = cli("serve", "--port", "0")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended == (2, "", "loregraph: The database cannot be reached. Check LOREGRAPH_DATABASE_URL.\n")


def test_sources_are_files_of_folders_in_order_without_hidden_and_other_ones(tmp_path: Path) -> None:
    for name in (
        "b.md",
        "a/z.TXT",
        "a/y.markdown",
        "a/x.PDF",
        "page.htm",
        "a/pic.png",
        ".git/x.txt",
        "a/.hidden.md",
        "c.rst",
    ):
        (tmp_path / "notes" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "notes" / name).write_text("text")
    found = find(["notes", "notes/b.md", "notes/c.rst", "-"], None)
    here = f"{tmp_path.as_uri()}/notes/"
    assert [(s.title, s.claimed, s.uri and s.uri.removeprefix(here)) for s in found.sources] == [
        ("b.md", "text/markdown", "b.md"),
        ("page.htm", "text/html", "page.htm"),
        ("a/x.PDF", "application/pdf", "a/x.PDF"),
        ("a/y.markdown", "text/markdown", "a/y.markdown"),
        ("a/z.TXT", "text/plain", "a/z.TXT"),
        ("b.md", "text/markdown", "b.md"),
        ("c.rst", None, "c.rst"),
        ("standard input", None, None),
    ]
    assert found.skipped == 2


def test_a_title_never_says_where_on_this_machine_a_file_lies(tmp_path: Path) -> None:
    (tmp_path / "a b.md").write_text("text")
    (source,) = find([str(tmp_path / "a b.md")], "https://example.org/").sources
    assert (source.title, source.uri) == ("a b.md", "https://example.org/a%20b.md")
    (source,) = find([str(tmp_path)], "notes:").sources
    assert (source.title, source.uri) == ("a b.md", "notes:a%20b.md")


def test_the_uri_of_a_file_is_absolute_and_names_the_machine_where_several_may_send_theirs(tmp_path: Path) -> None:
    (tmp_path / "a ü%.md").write_text("text")
    (source,) = find(["./a ü%.md"]).sources
    assert source.uri == f"file://{tmp_path}/a%20%C3%BC%25.md"
    (source,) = find(["a ü%.md"], host="desk").sources
    assert source.uri == f"file://desk{tmp_path}/a%20%C3%BC%25.md"


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("text")
    (tmp_path / "notes" / "again").symlink_to(tmp_path / "notes")
    assert [s.title for s in find(["notes"]).sources] == ["a.md"]


def test_a_source_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 101)
    (source,) = find(["a.txt"]).sources
    assert source.content() == source.content(101) == Path("a.txt")
    with pytest.raises(
        LimitExceeded, match=r"^It is too large: at most 100 bytes are read \(LOREGRAPH_MAX_UPLOAD\)\.$"
    ):
        source.content(100)


@pytest.mark.parametrize("name", ["pipe", "pipe.txt", "pipe.json", "pipe.jsonl"])
def test_a_pipe_that_is_named_is_a_usage_error_and_nothing_is_read(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    ended = run_apart("ingest", name, COLUMNS="200")
    assert (ended.code, ended.out) == (2, "")
    assert f"{name}: it is no regular file. What a pipe has to say is read from standard input: -." in ended.err
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("found_by", ["folder", "name"])
def test_what_comes_to_be_a_pipe_after_it_was_found_is_refused(tmp_path: Path, found_by: str) -> None:
    file = tmp_path / "notes" / "a.txt"
    file.parent.mkdir()
    file.write_text("text")
    (source,) = find(["notes" if found_by == "folder" else "notes/a.txt"]).sources
    file.unlink()
    os.mkfifo(file)
    assert refused_in_time(source.content, BadUserInput).message == "It cannot be read: it is no regular file."


@pytest.mark.usefixtures("made")
def test_folders_with_pipes_sockets_and_names_that_are_not_utf_8_report_each_file(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    os.mkfifo("d/pipe.txt")
    os.mkfifo("d/pipe")
    Path("d/gone.txt").symlink_to("nowhere")
    for name in (b"d/bad\xff\xfe.txt", b"d/bad\xff\xfd.txt"):
        Path(os.fsdecode(name)).write_text(f"Ada{name[-5]} Lovelace joined Acme{name[-5]} Labs.")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("d/socket.md")
        ended = run_apart("ingest", "d", "--json")
        shown = run_apart("ingest", "d", COLUMNS="200", PYTHONIOENCODING="utf-8:strict")
    assert (ended.code, ended.err) == (
        1,
        "1 files skipped that are not .txt, .md, .markdown, .html, .htm, .xhtml, .pdf, .docx.\n",
    )
    assert {path: (one["status"], one["error"]) for path, one in outcomes(ended).items()} == {
        "d/bad\\udcff\\udcfd.txt": ("DONE", None),
        "d/bad\\udcff\\udcfe.txt": ("DONE", None),
        "d/gone.txt": (None, "It cannot be read: No such file or directory."),
        "d/pipe.txt": (None, "It cannot be read: it is no regular file."),
        "d/socket.md": (None, "It cannot be read: it is no regular file."),
    }
    assert rows(tmp_path / "data", "SELECT title, uri FROM document ORDER BY uri") == [
        ("bad??.txt", f"{tmp_path.as_uri()}/d/bad%FF%FD.txt"),
        ("bad??.txt", f"{tmp_path.as_uri()}/d/bad%FF%FE.txt"),
    ]
    assert (shown.code, shown.err) == (1, ended.err)
    assert [line.split()[:2] for line in shown.out.splitlines() if "bad" in line] == [
        ["d/bad\\udcff\\udcfd.txt", "known"],
        ["d/bad\\udcff\\udcfe.txt", "known"],
    ]


def test_names_that_are_not_utf_8_have_uris_of_their_own_under_a_prefix(tmp_path: Path) -> None:
    for name in (b"\xc3\xbc\xff.txt", b"\xc3\xbc\xfe.txt"):
        Path(os.fsdecode(name)).write_text("text")
    assert [(one.title, one.uri) for one in find(["."], "notes:").sources] == [
        ("ü?.txt", "notes:%C3%BC%FE.txt"),
        ("ü?.txt", "notes:%C3%BC%FF.txt"),
    ]


def test_a_path_that_leads_nowhere_is_a_usage_error_and_nothing_is_read(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("Ada knows Bob.")
    ended = cli("ingest", "b.txt", "nowhere.txt")
    assert ended.code == 2
    assert "nowhere.txt: there is no such file or folder." in ended.err
    assert not (tmp_path / "data").exists()


def test_an_empty_folder_is_a_failure(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.png").touch()
    ended = cli("ingest", "notes")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "1 files skipped that are not .txt, .md, .markdown, .html, .htm, .xhtml, .pdf, .docx.\nThere is nothing to ingest.\n"
    )


def test_a_server_and_a_data_folder_exclude_each_other(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    ended = cli("ingest", "a.txt", "--url", "http://127.0.0.1:1", "--data", "data")
    assert ended.code == 2
    assert "--url and --data exclude each other." in ended.err


def test_a_server_that_does_not_answer_fails_each_document(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    ended = cli("ingest", "a.txt", "--json", "--url", "http://127.0.0.1:1")
    assert ended.code == 1
    assert outcomes(ended)["a.txt"]["error"].startswith("http://127.0.0.1:1/documents does not answer: ")
    assert cli("ingest", "a.txt", "--url", "ftp://x").err == (
        "loregraph: ftp://x is no url: write http://127.0.0.1:8000/graphql, say.\n"
    )


def test_ingesting_here_reports_each_document_and_fails_where_one_fails(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "ada.txt").write_text(
        "John worked as a senior engineer at Google from 2021-2024, building distributed systems with Go and Kubernetes."
    )
    (tmp_path / "notes" / "bad.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "notes" / "empty.txt").touch()
    data = tmp_path / "data"
    ended = run_apart("ingest", "notes", "-", "--volume", "new", "--json", stdin=b"Grace joined Google.")
    assert (ended.code, ended.err) == (1, "")
    told = outcomes(ended)
    john = told["notes/ada.txt"]
    document = john["document"]
    assert document.startswith("doc_")
    assert john["ingestion"].startswith("ing_")
    del john["document"], john["ingestion"]
    assert john == {"path": "notes/ada.txt", "status": "DONE", "created": True, "entities": 4, "facts": 2,
                    "relationships": 3, "rejected": 0, "error": None, "busy": False}  # fmt: skip
    refused = {"document": None, "ingestion": None, "status": None, "created": False, "entities": 0, "facts": 0,
               "relationships": 0, "rejected": 0, "busy": False}  # fmt: skip
    bad = "The file is a PNG image. Plain text, Markdown, HTML, PDF and Word files (.docx) are read."
    assert told["notes/bad.md"] == {"path": "notes/bad.md", **refused, "error": bad}
    assert told["notes/empty.txt"] == {
        "path": "notes/empty.txt", **refused, "error": "The file is empty: send one that has text."
    }  # fmt: skip
    assert (told["-"]["status"], told["-"]["relationships"]) == ("DONE", 1)
    assert rows(data, "SELECT name FROM volume") == [("new",)]
    assert rows(data, "SELECT title, uri, authority FROM document ORDER BY title") == [
        ("ada.txt", f"{tmp_path.as_uri()}/notes/ada.txt", "UNKNOWN"),
        ("standard input", None, "UNKNOWN"),
    ]

    again = run_apart("ingest", "notes/ada.txt", "--volume", "new", "--authority", "official")
    assert (again.code, again.err) == (0, "")
    assert "notes/ada.txt" in again.out
    assert "known" in again.out

    (tmp_path / "notes" / "ada.txt").write_text("Ada Lovelace joined Google.")
    changed = run_apart("ingest", "notes", "--volume", "new", "--json")
    revised = outcomes(changed)["notes/ada.txt"]
    assert (revised["status"], revised["created"], revised["document"]) == ("DONE", True, document)
    assert rows(data, "SELECT title, revision FROM document WHERE uri IS NOT NULL") == [("ada.txt", 2)]


@pytest.mark.usefixtures("made")
def test_import_and_export_carry_a_graph_over(cli: Cli, tmp_path: Path) -> None:
    graph = (
        b'{"kind":"entity","key":"a","name":"Ada","type":"person"}\n'
        b'{"kind":"entity","key":"b","name":"Acme","type":"organization"}\n'
        b'{"kind":"fact","subject":"a","content":"Writes programs","validFrom":"1842","validTo":"1843"}\n'
        b'{"kind":"relationship","source":"a","target":"b","type":"works at"}\n'
        b'{"kind":"memory","title":"Ask Ada","content":"She knows.","entities":["a"]}\n'
    )
    loaded = cli("import", "-", "--volume", "one", "--batch", "2", stdin=graph)
    assert loaded == (
        0,
        "Imported 2 entities (2 new), 1 facts (1 new), 1 relationships (1 new), 1 memories (1 new).\n",
        "",
    )
    first = cli("export", "--volume", "one")
    assert (first.code, first.err) == (0, "")
    assert [json.loads(line)["kind"] for line in first.out.splitlines()] == [
        "entity", "entity", "fact", "relationship", "memory",
    ]  # fmt: skip
    (tmp_path / "one.jsonl").write_text(first.out)
    assert cli("import", "one.jsonl", "--volume", "one").out.startswith("Imported 2 entities (0 new), 1 facts (0 new)")
    assert cli("import", "one.jsonl", "--data", "other").code == 0
    assert cli("export", "--data", "other") == first
    assert cli("migrate", "--data", "other").code == 0


@pytest.mark.usefixtures("made")
def test_an_import_ends_at_a_wrong_line_and_says_what_is_in(cli: Cli) -> None:
    good = b'{"kind":"entity","key":"a","name":"Ada","type":"person"}\n'
    wrong = b'{"kind":"fact","subject":"a","content":"Tall","confidence":7}\n'
    assert cli("import", "-", stdin=good + wrong) == (
        1, "", "loregraph: Line 2: confidence must be from 0 to 1. Nothing was imported.\n"
    )  # fmt: skip
    assert cli("export").out == ""
    ended = cli("import", "-", "--batch", "1", stdin=good + wrong)
    assert ended == (
        1,
        "",
        "loregraph: Line 2: confidence must be from 0 to 1. The lines up to 1 are in; imported again they are met, "
        "memories apart, which would double.\n",
    )
    assert len(cli("export").out.splitlines()) == 1


def test_a_file_or_volume_or_store_that_is_not_there_is_named(cli: Cli) -> None:
    missing = cli("import", "nowhere.jsonl")
    assert missing.code == 2
    assert "nowhere.jsonl: there is no such file." in missing.err
    assert cli("export") == (
        2, "", "loregraph: There is no database in the folder data. Name another with --data.\n"
    )  # fmt: skip
    assert cli("migrate").code == 0
    assert cli("export", "--volume", "x") == (1, "", "loregraph: There is no volume x.\n")
    assert cli("reindex", "--data", "nowhere").code == 2


@pytest.mark.usefixtures("made")
def test_reindexing_brings_a_store_to_another_model(cli: Cli, tmp_path: Path) -> None:
    graph = b'{"kind":"entity","key":"a","name":"Ada","type":"person"}\n'
    assert cli("import", "-", stdin=graph).code == 0
    with sqlite3.connect(tmp_path / "data" / "loregraph.sqlite") as connection:
        connection.execute("UPDATE store_setting SET value = 'another (7)' WHERE key = 'embedding_model'")
    connection.close()
    refused = cli("import", "-", stdin=graph)
    assert refused.code == 2
    assert refused.err.startswith("loregraph: The vector index was built with the embedding model another (7)")
    assert refused.err.endswith("Run: loregraph reindex\n")
    assert cli("reindex") == (0, "The vector index holds 1 nodes.\n", "")
    assert cli("import", "-", stdin=graph).code == 0


@pytest.mark.usefixtures("made")
def test_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    graph = b"".join(
        b'{"kind":"entity","key":"k%d","name":"Thing %d q%d","type":"thing"}\n' % (n, n, n) for n in range(3000)
    )
    assert run_apart("import", "-", stdin=graph).code == 0
    command = [sys.executable, "-m", "server", "export"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment_with({})) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_the_demo_says_what_to_try_and_what_it_says_works(tmp_path: Path, cli: Cli) -> None:
    with serving("demo", LOREGRAPH_MAX_UPLOAD="200000") as server:
        wait_for(lambda: _read(server, "sample") == ["DONE"] * 5)
        said = "".join(server.said)
        while "Ctrl+C" not in said:
            said += server.log.readline()
        command = said[said.index("curl ") : said.index("A text of your own")].strip()
        answer = json.loads(subprocess.check_output(command, shell=True))
        page = httpx.get(server.url, headers={"accept": "text/html"}, trust_env=False)
        health = httpx.get(server.url.replace("/graphql", "/health"), trust_env=False).json()
        (tmp_path / "own.txt").write_text("Ada Lovelace worked at Acme from 1842 to 1843.")
        (tmp_path / "large.txt").write_text("Ada Lovelace worked at Acme. " * 10_000)
        own = cli("ingest", "own.txt", "large.txt", "--json", "--url", server.url.removesuffix("/graphql"))
        other = cli("ingest", "own.txt", "--volume", "new", "--json", "--url", server.url)
        code, _ = server.end()
    told = [edge["relationship"]["text"] for edge in answer["data"]["volume"]["entity"]["neighbors"]["edges"]]
    assert "Enterprise Plan includes SSO" in told
    assert '<div id="graphiql">' in page.text
    assert health["status"] == "ready"
    assert own.code == 1
    done, large = outcomes(own)["own.txt"], outcomes(own)["large.txt"]
    assert (done["status"], done["created"], done["entities"], done["relationships"]) == ("DONE", True, 2, 1)
    assert large["error"] == "The file has over 200,000 bytes, the limit (LOREGRAPH_MAX_UPLOAD)."
    assert other.code == 0
    assert outcomes(other)["own.txt"]["created"] is True
    assert code == 0


def _read(server: Server, volume: str) -> list[str]:
    data = server.ask("query($v: String!) { volume(name: $v) { ingestions { nodes { status } } } }", v=volume)
    return [one["status"] for one in data["volume"]["ingestions"]["nodes"]]


@pytest.mark.usefixtures("made")
def test_sigterm_answers_what_was_asked_and_gives_back_what_is_being_read(tmp_path: Path) -> None:
    text = "\n\n".join(SENTENCE.format(n=n) for n in range(240))
    with serving("serve", LOREGRAPH_INGESTION_LEASE="3600") as server:
        input = {"volume": "default", "title": "Long", "text": text}
        assert server.ask(INGEST, input=input)["ingestDocument"]["ingestion"]["status"] == "PENDING"
        wait_for(lambda: _read(server, "default") == ["RUNNING"])
        host, port = server.url.split("/")[2].split(":")
        body = b'{"query": "{ volume { name } }"}'
        with socket.create_connection((host, int(port))) as slow:
            head = f"POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
            slow.sendall(head.encode() + body[:9])
            time.sleep(0.3)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            assert server.process.poll() is None
            with pytest.raises(OSError):  # noqa: PT011 - whichever way the system refuses a connection
                socket.create_connection((host, int(port)), 1)
            slow.sendall(body[9:])
            answer = b""
            while piece := slow.recv(4096):
                answer += piece
        said = server.log.read()
        assert server.process.wait(30) == 0
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b'{"data":{"volume":{"name":"default"}}}')
    assert "Traceback" not in said
    assert rows(tmp_path / "data", "SELECT status FROM ingestion") == [("PENDING",)]
    given_back = "SELECT status, failures, kills, lease_until FROM job WHERE status <> 'done'"
    assert rows(tmp_path / "data", given_back) == [("ready", 0, 0, None)]
    with serving("serve", "--workers", "2") as server:
        wait_for(lambda: _answers(server), 60)
        wait_for(lambda: _read(server, "default") == ["DONE"], 90)
        code, said = server.end()
    assert (code, "Traceback" in said) == (0, False)
    assert rows(tmp_path / "data", "SELECT status, entities_found FROM ingestion") == [("DONE", 482)]


def _answers(server: Server) -> bool:
    try:
        return httpx.get(server.url.replace("/graphql", "/health"), timeout=60, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def test_a_batch_needs_claude_and_is_not_for_a_running_server(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("Ada Lind joined Northwind.")
    ended = cli("ingest", "one.md", "--batch")
    assert (ended.code, ended.out) == (2, "")
    assert "A batch is read by Claude: set LOREGRAPH_ANTHROPIC_KEY." in ended.err
    ended = cli("ingest", "one.md", "--batch", "--url", "http://127.0.0.1:1")
    assert (ended.code, "--url and --batch exclude each other" in ended.err) == (2, True)


def test_an_estimate_says_what_claude_would_take_and_stores_nothing(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = SENTENCE.format(n=1)
    (tmp_path / "one.md").write_text(f"# A\n\n{text}\n\n# B\n\n{text}\n")
    (tmp_path / "two.txt").write_text(text)
    assert cli("ingest", "one.md", "two.txt", "--estimate").out == "2 documents: read offline, without a model.\n"
    monkeypatch.setenv("LOREGRAPH_ANTHROPIC_KEY", "sk-1")
    ended = cli("ingest", "one.md", "two.txt", "--estimate")
    told = re.fullmatch(
        r"2 documents: 3 calls of claude-haiku-5-5, about ([\d,]+) tokens sent and ([\d,]+) answered\.\n", ended.out
    )
    assert told is not None
    lines = [json.loads(line) for line in cli("ingest", "one.md", "two.txt", "--estimate", "--json").out.splitlines()]
    assert [(line["path"], line["calls"], line["error"]) for line in lines] == [
        ("one.md", 2, None),
        ("two.txt", 1, None),
    ]
    sent, answered = (sum(line[name] for line in lines) for name in ("inputTokens", "outputTokens"))
    assert [int(number.replace(",", "")) for number in told.groups()] == [sent, answered]
    assert answered == 3 * 100 + 2 * (2 * -(-len(f"# A\n\n{text}") // 3) + -(-len(text) // 3))
    assert not (tmp_path / "data").exists()


def test_an_estimate_tells_files_that_cannot_be_read(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("Ada likes tea.")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7\nnothing")
    ended = cli("ingest", "good.txt", "bad.pdf", "--estimate")
    assert (ended.code, ended.out) == (1, "1 document: read offline, without a model.\n")
    assert ended.err.startswith("bad.pdf: ")
