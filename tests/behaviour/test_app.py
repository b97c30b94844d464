"""The composition root: what a server answers before anyone asks anything of the graph, and how it starts and ends."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from doubles import HashEmbedder
from starlette.applications import Starlette

from server.app import configure_logging, create_app, load_sample, opened, prepare, reading, running
from server.config import Settings
from server.errors import Misconfigured, UpstreamUnavailable
from server.sample import SampleDocument, sample_documents
from server.services.documents import NewDocument
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.knowledge import Knowledge
from server.store import Store
from server.store.records import DocumentRecord, IngestionRecord
from server.store.relations import DOCUMENTS_OF_VOLUME

SAMPLE = [
    "Announcing the Professional Plus plan",
    "BERT and GPT-3",
    "Notes on Python",
    "Plans and features of Lanternworks",
    "Résumé of Mira Solberg",
]


def settings_in(folder: Path, **more: Any) -> Settings:
    return Settings(data=folder / "data", **more)


@asynccontextmanager
async def client_of(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            yield client


@asynccontextmanager
async def served(folder: Path, **more: Any) -> AsyncIterator[tuple[httpx.AsyncClient, Starlette]]:
    app = create_app(settings_in(folder, **more))
    async with client_of(app) as client:
        yield client, app


async def titles(knowledge: Knowledge, volume: str) -> list[str]:
    found = await knowledge.volumes.named(volume)
    (page,) = await knowledge.store.read.pages(DOCUMENTS_OF_VOLUME, [found.id], first=100)
    return sorted(document.title for document in page.rows)


async def test_a_new_server_has_the_empty_volume_default(tmp_path: Path) -> None:
    async with served(tmp_path) as (client, _):
        query = "{ volumes { nodes { name statistics { entities documents } } } }"
        answer = await client.post("/graphql", json={"query": query})
    (volume,) = answer.json()["data"]["volumes"]["nodes"]
    assert volume == {"name": "default", "statistics": {"entities": 0, "documents": 0}}


@pytest.mark.usefixtures("made")
async def test_the_root_leads_to_graphql_where_browsers_get_graphiql(tmp_path: Path) -> None:
    async with served(tmp_path) as (client, _):
        root = await client.get("/")
        page = await client.get("/graphql", headers={"accept": "text/html"})
        other = await client.put("/graphql")
    assert (root.status_code, root.headers["location"]) == (307, "/graphql")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert '<div id="graphiql">' in page.text
    assert (other.status_code, other.headers["allow"]) == (405, "GET, POST")


@pytest.mark.usefixtures("made")
async def test_a_defect_outside_of_graphql_is_answered_as_inside_and_shows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError("SELECT secret")

    async with served(tmp_path) as (_, app):
        monkeypatch.setattr(app.state.knowledge.uploads, "take", fail)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            answer = await client.post("/documents", content=b"Ada is here.")
    assert answer.status_code == 500
    assert answer.json() == {
        "errors": [{"message": "Internal error. The server's log has the details.", "extensions": {"code": "INTERNAL"}}]
    }
    assert list((tmp_path / "data" / "uploads").glob("*")) == []


@pytest.mark.usefixtures("made")
async def test_graphiql_can_be_switched_off(tmp_path: Path) -> None:
    async with served(tmp_path, graphiql=False) as (client, _):
        page = await client.get("/graphql", headers={"accept": "text/html, */*;q=0.1"})
        files = await client.get("/graphiql/page.js")
    assert page.headers["content-type"].startswith("application/json")
    assert files.status_code == 404


@pytest.mark.usefixtures("made")
async def test_the_limits_of_requests_are_those_of_the_settings(tmp_path: Path) -> None:
    async with served(tmp_path, max_body=1024) as (client, _):
        answer = await client.post("/graphql", json={"query": "{" + " " * 1024 + "__typename}"})
    assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (413, "LIMIT_EXCEEDED")


@pytest.mark.usefixtures("made")
async def test_health_tells_where_everything_stands(tmp_path: Path) -> None:
    async with served(tmp_path) as (client, app):
        follower = app.state.knowledge.store.follower
        await follower.drain()
        answer = await client.get("/health")
    assert answer.status_code == 200
    report = answer.json()
    assert report.pop("version")
    assert report == {
        "status": "ready",
        "degraded": [],
        "logHead": 1,
        "followers": {"vectors": {"position": 1, "lag": 0}},
        "vectors": {"indexed": None, "pending": 0},
        "ingestions": {"waiting": 0, "running": 0},
    }


@pytest.mark.usefixtures("made")
async def test_health_counts_the_vectors_once_something_has_used_them(tmp_path: Path) -> None:
    async with served(tmp_path) as (client, app):
        await app.state.knowledge.store.index.ready()
        report = (await client.get("/health")).json()
    assert report["vectors"] == {"indexed": 0, "pending": 0}


@pytest.mark.usefixtures("made")
async def test_health_counts_what_waits_to_be_read(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    async with opened(settings) as knowledge:
        volume = await knowledge.volumes.ensure("default", "test")
        await knowledge.documents.take(volume, NewDocument("One", "A text."), "test")
        app = create_app(settings)
        app.state.knowledge, app.state.worker = knowledge, asyncio.create_task(asyncio.sleep(60))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            report = (await client.get("/health")).json()
        app.state.worker.cancel()
    assert (report["status"], report["ingestions"]) == ("ready", {"waiting": 1, "running": 0})


def rename(folder: Path, table: str, to: str) -> None:
    """Rename a table from outside; in a thread, so that whoever holds the lock can go on and give it back."""
    other = sqlite3.connect(folder / "data" / "loregraph.sqlite")
    other.execute(f"ALTER TABLE {table} RENAME TO {to}")
    other.close()


@pytest.mark.usefixtures("made")
async def test_health_is_503_while_the_database_does_not_answer_and_shows_no_path(tmp_path: Path) -> None:
    async with served(tmp_path) as (client, app):
        app.state.worker.cancel()
        await asyncio.to_thread(rename, tmp_path, "ingestion", "gone")
        answer = await client.get("/health")
        await asyncio.to_thread(rename, tmp_path, "gone", "ingestion")
    assert answer.status_code == 503
    assert answer.json() == {"status": "unavailable", "degraded": ["The database does not answer."]}


@pytest.mark.usefixtures("made")
async def test_health_is_503_while_the_vectors_do_not_answer_and_shows_no_path(tmp_path: Path) -> None:
    async with served(tmp_path) as (client, _):
        await asyncio.sleep(0.1)
        shutil.rmtree(tmp_path / "data" / "vectors")
        await asyncio.sleep(1.1)
        answer = await client.get("/health")
    assert answer.status_code == 503
    (wrong,) = answer.json()["degraded"]
    assert wrong.startswith("The vector index does not answer.")
    assert str(tmp_path) not in answer.text


@pytest.mark.usefixtures("made")
async def test_health_is_503_once_the_worker_has_stopped(tmp_path: Path) -> None:
    async with served(tmp_path) as (client, app):
        app.state.worker.cancel()
        await asyncio.wait([app.state.worker])
        answer = await client.get("/health")
    assert (answer.status_code, answer.json()["degraded"]) == (503, ["The ingestion worker has stopped."])


@pytest.mark.usefixtures("made")
async def test_the_sample_is_queued_once_and_what_was_deleted_of_it_stays_deleted(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    await prepare(settings, sample=True)
    async with opened(settings) as knowledge:
        assert await titles(knowledge, "sample") == SAMPLE
        volume = await knowledge.volumes.named("sample")
        (page,) = await knowledge.store.read.pages(DOCUMENTS_OF_VOLUME, [volume.id], first=1)
        await knowledge.documents.delete(volume, page.rows[0].id, "test")
        left = await titles(knowledge, "sample")
    await prepare(settings, sample=True)
    async with opened(settings) as knowledge:
        assert await titles(knowledge, "sample") == left
        assert await titles(knowledge, "default") == []
    assert len(left) == 4


@pytest.mark.usefixtures("made")
async def test_a_first_start_that_was_cut_short_is_made_up_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def two_and_a_crash() -> Iterator[SampleDocument]:
        yield from sample_documents()[:2]
        raise RuntimeError("killed")

    settings = settings_in(tmp_path)
    async with opened(settings) as knowledge:
        with monkeypatch.context() as patch:
            patch.setattr("server.app.sample_documents", two_and_a_crash)
            with pytest.raises(RuntimeError, match="killed"):
                await load_sample(knowledge)
        assert len(await titles(knowledge, "sample")) == 2
    await prepare(settings, sample=True)
    async with opened(settings) as knowledge:
        assert await titles(knowledge, "sample") == SAMPLE


async def test_a_server_without_the_sample_has_none(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    await prepare(settings)
    async with opened(settings) as knowledge:
        assert await knowledge.store.volume("sample") is None


async def test_an_ingestion_under_way_is_given_back_at_the_end(settings: Settings, store: Store) -> None:
    begun = asyncio.Event()

    async def endless(text: ChunkText) -> Extraction:
        begun.set()
        await asyncio.sleep(3600)
        raise AssertionError

    knowledge = Knowledge(settings, store, HashEmbedder(), "endless", endless)
    volume = await knowledge.volumes.ensure("default", "test")
    taken = await knowledge.documents.take(volume, NewDocument("One", "A text."), "test")
    async with running(knowledge):
        await begun.wait()
        under_way = await store.read.one(IngestionRecord, taken.ingestion_id)
    after = await store.read.one(IngestionRecord, taken.ingestion_id)
    assert under_way is not None
    assert after is not None
    assert under_way.status == "RUNNING"
    assert (after.status, after.error) == ("PENDING", None)

    async def quick(text: ChunkText) -> Extraction:
        return Extraction()

    again = Knowledge(settings, store, HashEmbedder(), "endless", quick)
    assert await again.worker.step()
    done = await store.read.one(IngestionRecord, taken.ingestion_id)
    assert done is not None
    assert done.status == "DONE"


async def test_a_worker_that_fails_is_reported(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        raise RuntimeError("a defect")

    async def nothing(text: ChunkText) -> Extraction:
        return Extraction()

    knowledge = Knowledge(settings, store, HashEmbedder(), "nothing", nothing)
    monkeypatch.setattr(knowledge.worker, "run", fail)
    async with running(knowledge) as worker:
        await asyncio.wait([worker])
    (record,) = [one for one in caplog.records if one.levelno == logging.CRITICAL]
    assert record.getMessage() == "The ingestion worker has stopped. Restart the server."
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "a defect"


async def test_a_data_folder_that_cannot_be_is_a_misconfiguration(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Misconfigured, match=r"file/data cannot be used: Not a directory\."):
        async with opened(settings_in(tmp_path / "file")):
            pass


async def test_a_file_that_is_no_database_is_a_misconfiguration(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "loregraph.sqlite").write_text("This is no database. " * 100)
    with pytest.raises(Misconfigured, match=r"^The database in .*/data cannot be used: file is not a database\.$"):
        async with opened(settings_in(tmp_path)):
            pass


async def test_an_address_that_is_no_index_is_a_misconfiguration(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"^The vector index cannot be opened: "):
        async with opened(settings_in(tmp_path, vectors="nowhere://x")):
            pass


async def test_a_folder_of_vectors_that_cannot_be_is_a_misconfiguration_before_anything_uses_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Misconfigured, match=r"/file cannot be used: File exists\.$"):
        async with opened(settings_in(tmp_path, vectors=str(tmp_path / "file"))):
            pass


async def test_a_database_that_nobody_serves_is_unavailable_and_the_password_is_not_shown(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, database_url="postgresql+asyncpg://me:secret@127.0.0.1:1/x")
    with pytest.raises(UpstreamUnavailable) as refused:
        async with opened(settings):
            pass
    assert "secret" not in refused.value.message


async def test_a_missing_postgresql_database_is_a_misconfiguration(cluster: Any, tmp_path: Path) -> None:
    settings = settings_in(tmp_path, database_url=cluster.url("missing"))
    with pytest.raises(Misconfigured, match=r'^The database cannot be used: .*database "missing" does not exist'):
        async with opened(settings):
            pass


async def test_reading_makes_no_database(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"^There is no database in the folder "):
        async with reading(settings_in(tmp_path)):
            pass
    assert not (tmp_path / "data").exists()


async def test_reading_refuses_tables_of_another_version(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "loregraph.sqlite").touch()
    with pytest.raises(Misconfigured, match=r"Run: loregraph migrate$"):
        async with reading(settings_in(tmp_path)):
            pass


@pytest.mark.usefixtures("made")
async def test_reading_needs_neither_models_nor_vectors(tmp_path: Path) -> None:
    await prepare(settings_in(tmp_path))
    shutil.rmtree(tmp_path / "data" / "vectors")
    async with reading(settings_in(tmp_path, embeddings_url="http://127.0.0.1:1/v1")) as store:
        assert await store.read.where(DocumentRecord) == []
        assert await store.volume("default") is not None


def test_logs_are_one_line_an_event_from_the_level_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    levels = {name: logging.getLogger(name).level for name in ("loregraph", "uvicorn")}
    root = logging.getLogger().level
    try:
        configure_logging("info")
        logging.getLogger("loregraph.test").info("It happened: %s.", "this")
        logging.getLogger("loregraph.test").debug("Not shown.")
        logging.getLogger("somebody.else").info("Not shown.")
    finally:
        logging.getLogger().setLevel(root)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(" INFO     loregraph.test: It happened: this.")


@pytest.mark.usefixtures("made")
async def test_a_request_under_a_foreign_name_is_refused_unless_the_settings_allow_it(tmp_path: Path) -> None:
    query = {"query": "{ __typename }"}
    async with served(tmp_path) as (client, _):
        told = {name: (await client.post("/graphql", json=query, headers={"host": name})).status_code for name in HOSTS}
    assert told == {
        "127.0.0.1:8000": 200,
        "localhost": 200,
        "[::1]:8000": 200,
        "evil.example": 400,
        "127.0.0.1.evil": 400,
    }
    async with served(tmp_path, allowed_hosts="graph.example") as (client, _):
        answer = await client.post("/graphql", json=query, headers={"host": "graph.example:443"})
    assert answer.json() == {"data": {"__typename": "Query"}}


HOSTS = ("127.0.0.1:8000", "localhost", "[::1]:8000", "evil.example", "127.0.0.1.evil")
