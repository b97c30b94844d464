"""`loregraph worker`: processes that work on ingestions beside a server that does not."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from servers import environment_with, serving

INGEST = "mutation($input: IngestDocumentInput!) { ingestDocument(input: $input) { ingestion { id status } } }"
STATES = "{ volume { ingestions { nodes { status error } } entities { nodes { name } } } }"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOREGRAPH_DATA", str(tmp_path / "data"))


@contextmanager
def worker(**environment: str) -> Iterator[subprocess.Popen[str]]:
    """Start a worker and wait until it says that it works."""
    process = subprocess.Popen(
        [sys.executable, "-m", "server", "worker"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment_with(environment),
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == "Loregraph works on ingestions. Ctrl+C ends it.\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def wait(server: httpx.Client, statuses: list[str]) -> None:
    end = time.monotonic() + 90
    while time.monotonic() < end:
        data = server.post("/graphql", json={"query": STATES}).json()["data"]["volume"]
        if sorted(one["status"] for one in data["ingestions"]["nodes"]) == statuses:
            return
        time.sleep(0.1)
    raise AssertionError(data)


@pytest.mark.usefixtures("made")
def test_workers_read_what_a_server_without_one_has_taken_in(tmp_path: Path) -> None:
    with serving("serve", LOREGRAPH_INGESTION="false") as server:
        base = server.url.removesuffix("/graphql")
        with httpx.Client(base_url=base, timeout=60, trust_env=False) as client:
            for n in range(4):
                input = {"title": f"Notes {n}", "text": f"Ada{n} Lovelace works at Acme{n} Labs."}
                server.ask(INGEST, input=input)
            time.sleep(1)
            wait(client, ["PENDING"] * 4)
            health = client.get("/health").json()
            assert (health["status"], health["ingestions"]) == ("ready", {"waiting": 4, "running": 0})
            with worker() as one, worker() as other:
                wait(client, ["DONE"] * 4)
                for process, how in ((one, signal.SIGTERM), (other, signal.SIGINT)):
                    process.send_signal(how)
                    assert process.wait(30) in (143, 130)
            answer = client.post("/graphql", json={"query": STATES}).json()
    names = {node["name"] for node in answer["data"]["volume"]["entities"]["nodes"]}
    assert names == {f"Ada{n} Lovelace" for n in range(4)} | {f"Acme{n} Labs" for n in range(4)}
    assert json.dumps(answer).count("DONE") == 4
    with sqlite3.connect(tmp_path / "data" / "loregraph.sqlite") as database:
        assert database.execute("SELECT count(*) FROM job").fetchone() == (0,)


def test_a_worker_that_cannot_open_the_store_says_why_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    ended = subprocess.run(
        [sys.executable, "-m", "server", "worker"], capture_output=True, text=True, env=environment_with({})
    )
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert ended.stderr.startswith("loregraph: ")
