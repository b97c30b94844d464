"""Uploads over real connections: by curl as the README says, too large, too slow, broken off, and by hostile clients."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import copy_into
from files import docx, p, pdf, text_page
from servers import Server, environment_with, serving

from server.config import Settings

README = Path(__file__).parents[2] / "README.md"
LIMIT, SECONDS = 3_000_000, 3
TEXT = b"Ada Lovelace worked at Acme from 1842 to 1843."
HEAD = "POST /documents HTTP/1.1\r\nhost: localhost\r\n"
TOO_LARGE = {
    "message": "The file has over 3,000,000 bytes, the limit (LOREGRAPH_MAX_UPLOAD).",
    "code": "LIMIT_EXCEEDED",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Path:
    folder = tmp_path_factory.mktemp("uploads")
    copy_into(Settings(data=folder), migrated)
    return folder


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[Server]:
    limits = {"LOREGRAPH_MAX_UPLOAD": str(LIMIT), "LOREGRAPH_UPLOAD_TIMEOUT": str(SECONDS)}
    limits["LOREGRAPH_DOCUMENT_LIMIT"] = str(LIMIT)
    with serving("serve", "--data", str(data), **limits) as running:
        wait_for(lambda: answers(running))
        yield running


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.05)


def answers(server: Server) -> bool:
    try:
        return httpx.get(documents(server).replace("documents", "health"), trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def documents(server: Server) -> str:
    return server.url.replace("/graphql", "/documents")


def arriving(data: Path) -> int:
    """Return how many files lie where uploads arrive."""
    return len(list((data / "uploads").glob("*")))


@contextmanager
def connection(server: Server) -> Iterator[socket.socket]:
    host, port = server.url.split("/")[2].split(":")
    with socket.create_connection((host, int(port)), 30) as opened:
        yield opened


def answer_on(opened: socket.socket) -> tuple[int, dict[str, str], Any]:
    """Read one response: its status, its headers and its body, which is JSON unless it is plain text."""
    stream = opened.makefile("rb")
    status = int(stream.readline().split()[1])
    headers = {}
    while (line := stream.readline().strip()) != b"":
        name, _, value = line.decode().partition(":")
        headers[name] = value.strip()
    body = stream.read(int(headers["content-length"]))
    return (
        status,
        headers,
        json.loads(body) if headers["content-type"].startswith("application/json") else body.decode(),
    )


def refusal(body: Any) -> dict[str, Any]:
    (error,) = body["errors"]
    return {"message": error["message"], **error["extensions"]}


def curl(*arguments: str) -> Any:
    done = subprocess.run(["curl", "-sS", *arguments], capture_output=True, check=True, timeout=60)
    return json.loads(done.stdout)


def test_curl_sends_files_as_they_are_and_in_forms(server: Server, data: Path, tmp_path: Path) -> None:
    (tmp_path / "cv.pdf").write_bytes(pdf(text_page("#Ada Lovelace", "", TEXT.decode()), title="A life"))
    (tmp_path / "notes.bin").write_bytes(docx(p("Notes", "Heading1") + p("Grace Hopper joined the Navy in 1943.")))
    whole = curl("--data-binary", f"@{tmp_path}/cv.pdf", f"{documents(server)}?volume=default&name=cv.pdf")
    form = curl("-F", f"file=@{tmp_path}/notes.bin", documents(server))
    assert [whole["mimeType"], whole["title"]] == ["application/pdf", "A life"]
    assert form["mimeType"] == "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    assert arriving(data) == 0
    made = server.ask(
        "mutation($i: IngestDocumentInput!) { ingestDocument(input: $i) "
        "{ document { mimeType content entities { nodes { name } } } ingestion { status } } }",
        i={"title": "Ada", "upload": whole["id"], "wait": True},
    )["ingestDocument"]
    assert made["ingestion"]["status"] == "DONE"
    assert made["document"]["mimeType"] == "application/pdf"
    assert len(made["document"]["content"]) == whole["characters"]
    assert TEXT.decode() in made["document"]["content"]
    assert {"Ada Lovelace", "Acme"} <= {node["name"] for node in made["document"]["entities"]["nodes"]}


def test_a_file_of_just_the_limit_is_taken_and_one_byte_more_is_not(server: Server, data: Path, tmp_path: Path) -> None:
    (tmp_path / "just.txt").write_bytes(b"Ada. " * (LIMIT // 5))
    (tmp_path / "more.txt").write_bytes(b"Ada. " * (LIMIT // 5) + b"x")
    for sent in (
        ["--data-binary", "@{}"],
        ["-H", "transfer-encoding: chunked", "--data-binary", "@{}"],
        ["-F", "file=@{}"],
    ):
        just, more = (
            curl(*(one.format(tmp_path / name) for one in sent), documents(server)) for name in ("just.txt", "more.txt")
        )
        assert just["characters"] == LIMIT
        assert refusal(more) == TOO_LARGE
    assert arriving(data) == 0


def test_a_file_that_says_it_is_too_large_is_refused_unread_and_the_connection_goes_on(server: Server) -> None:
    with connection(server) as opened:
        opened.sendall(f"{HEAD}content-length: {LIMIT + 1}\r\n\r\n".encode())
        status, headers, body = answer_on(opened)
        assert (status, refusal(body), "connection" in headers) == (413, TOO_LARGE, False)
        opened.sendall(b"x" * (LIMIT + 1))
        opened.sendall(f"{HEAD}content-length: {len(TEXT)}\r\n\r\n".encode() + TEXT)
        status, _, body = answer_on(opened)
        assert (status, body["characters"]) == (201, len(TEXT))


def test_who_asks_before_sending_is_told_at_once_and_the_connection_ends(server: Server) -> None:
    with connection(server) as opened:
        opened.sendall(f"{HEAD}content-length: {LIMIT + 1}\r\nexpect: 100-continue\r\n\r\n".encode())
        status, headers, body = answer_on(opened)
        assert (status, headers["connection"], refusal(body)) == (413, "close", TOO_LARGE)
        assert opened.recv(1) == b""


def test_a_body_that_comes_too_slowly_is_given_up(server: Server, data: Path) -> None:
    with connection(server) as opened:
        began = time.monotonic()
        opened.sendall(f"{HEAD}content-length: 1000\r\n\r\n".encode() + TEXT)
        wait_for(lambda: arriving(data) == 1)
        status, headers, body = answer_on(opened)
        assert SECONDS - 0.5 < time.monotonic() - began < SECONDS + 10
        assert (status, headers["connection"]) == (408, "close")
        assert refusal(body) == {
            "message": "The file took over 3 s to arrive, the limit (LOREGRAPH_UPLOAD_TIMEOUT).",
            "code": "LIMIT_EXCEEDED",
        }
        assert opened.recv(1) == b""
    assert arriving(data) == 0


def test_an_upload_that_is_broken_off_leaves_nothing(server: Server, data: Path) -> None:
    before = server.ask("{ volume { statistics { documents } } }")
    with connection(server) as opened:
        opened.sendall(f"{HEAD}content-length: 500000\r\n\r\n".encode() + TEXT * 1000)
        wait_for(lambda: arriving(data) == 1)
    wait_for(lambda: arriving(data) == 0, SECONDS - 1)
    assert server.ask("{ volume { statistics { documents } } }") == before


def test_bytes_beyond_the_stated_length_are_no_part_of_the_file(server: Server) -> None:
    with connection(server) as opened:
        opened.sendall(f"{HEAD}content-length: 12\r\n\r\n".encode() + b"Ada is here.")
        status, _, body = answer_on(opened)
        assert (status, body["characters"]) == (201, 12)
        opened.sendall(b" And this is no request.\r\n\r\n")
        assert answer_on(opened)[0] == 400


HOSTILE = {
    "no boundary": ("multipart/form-data", b"x", "The form's Content-Type names no boundary."),
    "no form": ("multipart/form-data; boundary=b", b"x" * 10_000, "The form does not begin with its boundary."),
    "a head without end": (
        "multipart/form-data; boundary=b",
        b"--b\r\nX: " + b"y" * 1_000_000,
        "The head of the form's part is over 8,192 bytes.",
    ),
    "10,000 parts": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nAda is here.\r\n' * 10_000
        + b"--b--\r\n",
        "The form has more than one part. Send one file; volume and name go into the address.",
    ),
    "no last boundary": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nAda is here.',
        "The form ends before its last boundary.",
    ),
    "a long epilogue": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nAda.\r\n--b--' + b" " * 1_000_000,
        "The form holds too much beside its file.",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("chunked", [False, True], ids=["whole", "chunked"])
def test_a_hostile_form_is_refused_with_its_reason(server: Server, data: Path, kind: str, chunked: bool) -> None:
    content_type, body, message = HOSTILE[kind]
    pieces = (body[start : start + 7_777] for start in range(0, len(body), 7_777))
    headers = {"content-type": content_type}
    answer = httpx.post(documents(server), content=pieces if chunked else body, headers=headers, trust_env=False)
    assert refusal(answer.json())["message"] == message
    assert answer.status_code == (413 if kind == "a long epilogue" else 400)
    assert arriving(data) == 0


def test_the_server_answers_while_two_uploads_are_under_way(server: Server, data: Path) -> None:
    page = pdf(*[text_page(*[TEXT.decode()] * 40)] * 60)
    with connection(server) as one, connection(server) as two:
        for opened in (one, two):
            opened.sendall(f"{HEAD}content-length: {len(page)}\r\n\r\n".encode() + page[:-1])
        wait_for(lambda: arriving(data) == 2)
        assert server.ask("{ __typename }") == {"__typename": "Query"}
        for opened in (one, two):
            opened.sendall(page[-1:])
        slowest = 0.0
        while arriving(data):
            began = time.monotonic()
            assert server.ask("{ __typename }") == {"__typename": "Query"}
            slowest = max(slowest, time.monotonic() - began)
        told = [answer_on(opened) for opened in (one, two)]
    assert slowest < 2
    assert [(status, body["mimeType"]) for status, _, body in told] == [(201, "application/pdf")] * 2
    assert told[0][2]["id"] != told[1][2]["id"]


def test_a_start_sweeps_what_a_killed_server_left(tmp_path: Path, migrated: Path) -> None:
    copy_into(Settings(data=tmp_path), migrated)
    with serving("serve", "--data", str(tmp_path)) as server:
        wait_for(lambda: answers(server))
        with connection(server) as opened:
            opened.sendall(f"{HEAD}content-length: 1000000\r\n\r\n".encode() + TEXT)
            wait_for(lambda: arriving(tmp_path) == 1)
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
    assert arriving(tmp_path) == 1
    with serving("serve", "--data", str(tmp_path)) as server:
        wait_for(lambda: answers(server))
        assert arriving(tmp_path) == 0


def test_the_command_line_sends_a_folder_of_files_into_a_new_volume(server: Server, tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "a.txt").write_bytes(TEXT)
    (tmp_path / "in" / "deep" / "b.pdf").write_bytes(pdf(text_page("Grace Hopper joined the Navy in 1943.")))
    (tmp_path / "in" / "c.docx").write_bytes(docx(p("Alan Turing worked at Bletchley Park from 1939 to 1945.")))
    (tmp_path / "in" / "d.html").write_text(
        "<!doctype html><title>D</title><main><p>Bob Marley founded Tuff Gong.</p></main>"
    )
    (tmp_path / "in" / "e.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    (tmp_path / "in" / "f.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "in" / "g.md").write_bytes(b"x" * (LIMIT + 1))
    command = ["ingest", "in", "in/f.png", "--volume", "files", "--json", "--uri-prefix", "file:", "--url", server.url]
    done = subprocess.run(
        [sys.executable, "-m", "server", *command], cwd=tmp_path, capture_output=True, env=environment_with({})
    )
    told = {line["path"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert (
        done.stderr.decode() == "1 files skipped that are not .txt, .md, .markdown, .html, .htm, .xhtml, .pdf, .docx.\n"
    )
    assert done.returncode == 1
    assert {path: one["status"] for path, one in told.items()} == {
        "in/a.txt": "DONE", "in/deep/b.pdf": "DONE", "in/c.docx": "DONE", "in/d.html": "DONE",
        "in/e.pdf": None, "in/f.png": None, "in/g.md": None,
    }  # fmt: skip
    assert told["in/f.png"]["error"].startswith("The file is a PNG image.")
    assert told["in/g.md"]["error"] == TOO_LARGE["message"]
    assert told["in/e.pdf"]["error"].startswith("The PDF is broken")
    query = '{ volume(name: "files") { documents { nodes { title mimeType uri } } } }'
    nodes = server.ask(query)["volume"]["documents"]["nodes"]
    assert sorted((node["title"], node["mimeType"].rpartition("/")[2], node["uri"]) for node in nodes) == [
        ("a.txt", "plain", "file:a.txt"),
        ("c.docx", "vnd.openxmlformats-officedocument.wordprocessingml.document", "file:c.docx"),
        ("d.html", "html", "file:d.html"),
        ("deep/b.pdf", "pdf", "file:deep/b.pdf"),
    ]


def test_the_command_line_reads_the_same_files_without_a_server(tmp_path: Path) -> None:
    (tmp_path / "cv").write_bytes(pdf(text_page("Grace Hopper joined the Navy in 1943.")))
    (tmp_path / "letter.docx").write_bytes(docx(p("Alan Turing worked at Bletchley Park from 1939 to 1945.")))
    (tmp_path / "large.txt").write_bytes(b"Ada. " * 10_001)
    command = [sys.executable, "-m", "server", "ingest", "cv", "letter.docx", "large.txt", "secret.txt", "--json"]
    (tmp_path / "secret.txt").write_bytes(TEXT)
    (tmp_path / "secret.txt").chmod(0)
    environment = environment_with({"LOREGRAPH_MAX_UPLOAD": "50000"})
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, env=environment)
    told = {line["path"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert {path: told[path]["status"] for path in ("cv", "letter.docx")} == {"cv": "DONE", "letter.docx": "DONE"}
    assert told["large.txt"]["error"] == "It is too large: at most 50,000 bytes are read (LOREGRAPH_MAX_UPLOAD)."
    assert told["secret.txt"]["error"] == (None if os.geteuid() == 0 else "It cannot be read: Permission denied.")
    assert done.returncode == 1
    with closing(sqlite3.connect(tmp_path / "data" / "loregraph.sqlite")) as rows:
        kinds = rows.execute("SELECT mime_type FROM document WHERE title IN ('cv', 'letter.docx') ORDER BY title")
        assert [kind.rpartition(".")[2] for (kind,) in kinds] == ["application/pdf", "document"]


def commands_of_the_readme() -> list[str]:
    """Return the commands of the chapter on files, one for each dollar sign."""
    chapter = re.search(r"\n## Files\n(.*?)\n## ", README.read_text(), re.S)
    assert chapter is not None
    blocks = re.findall(r"```console\n(.*?)```", chapter[1], re.S)
    return [command.strip() for block in blocks for command in re.split(r"(?m)^\$ ", block)[1:]]


def test_the_commands_of_the_readme_work(server: Server, tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "one.txt").write_bytes(TEXT)
    (tmp_path / "cv.pdf").write_bytes(pdf(text_page("Grace Hopper joined the Navy in 1943."), title="Curriculum vitae"))
    told: list[str] = []
    for command in commands_of_the_readme():
        here = command.replace(".venv/bin/loregraph", f"{sys.executable} -m server")
        here = here.replace("http://127.0.0.1:8000/graphql", server.url)
        here = here.replace("http://127.0.0.1:8000", server.url.removesuffix("/graphql"))
        if told[1:]:
            here = re.sub(r"upl_\w+", json.loads(told[1])["id"], here)
        done = subprocess.run(here, shell=True, cwd=tmp_path, capture_output=True, env=environment_with({}))
        assert done.returncode == 0, done.stderr.decode()
        told.append(done.stdout.decode())
    ingested, form, whole, made = told
    assert re.search(r"2 in all +0 failed", ingested)
    assert "reports/one.txt" in ingested
    for one in (form, whole):
        answer = json.loads(one)
        assert list(answer) == ["id", "mimeType", "title", "characters"]
        assert (answer["mimeType"], answer["title"]) == ("application/pdf", "Curriculum vitae")
    document = json.loads(made)["data"]["ingestDocument"]["document"]
    assert (document["mimeType"], document["content"].strip()) == (
        "application/pdf",
        "Grace Hopper joined the Navy in 1943.",
    )
