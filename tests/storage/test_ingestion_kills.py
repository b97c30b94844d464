"""Ingestion, offline and by Claude, under kill -9, SIGSTOP past a lease and a restart of PostgreSQL, at moments of a seed.

Whatever happens to the workers: at the end everything is there, once, and no extraction that had answered was repeated.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doubles import HashEmbedder
from messages import (
    BROKEN,
    CANCELED,
    EXPIRED,
    HANGS_UP,
    OVERLOADED,
    STALLS,
    USAGE,
    Batch,
    Reply,
    Request,
    busy,
    says,
    serving_messages,
)
from processes import Child, start
from pydantic import SecretStr
from sqlalchemy import func, select
from workers import CHUNKS, DOCUMENTS, ingest, said_by, text_of

from server import models
from server.config import Settings
from server.services.documents import Documents, NewDocument
from server.services.extraction.protocol import Extraction
from server.services.volumes import Volumes
from server.store import Store
from server.store.backlog import open_jobs
from server.store.relations import table_of

LEASE = 0.6
KILLED = -9
Trouble = Callable[[Settings, Path, random.Random], Awaitable[None]]


def runs(*troubles: Trouble, seeds: int = 1) -> list[Any]:
    """Return the troubles, each with fifty seeds, of which the first `seeds` are tried each time and the others by `make soak`."""
    return [
        pytest.param(act, n, id=f"{act.__name__}-seed{n}", marks=() if n < seeds else pytest.mark.soak)
        for act in troubles
        for n in range(50)
    ]


@pytest.fixture
def hasty(settings: Settings) -> Settings:
    """Settings under which a worker that died is noticed soon."""
    return settings.model_copy(update={"ingestion_lease": LEASE, "extraction_workers": 2})


async def worker(settings: Settings, log: Path, chance: random.Random, slowest: float = 0.03) -> Child:
    (child,) = await start(ingest, settings, (str(log), chance.randrange(1_000_000), slowest))
    return child


async def until_done(child: Child) -> None:
    """Wait until a worker has found nothing open, and ended by itself."""
    async with asyncio.timeout(60):
        assert await child.heard() == "done"
    assert await child.end() == 0


async def killed(settings: Settings, log: Path, chance: random.Random) -> None:
    """One worker at a time, killed and followed by the next."""
    for _ in range(4):
        child = await worker(settings, log, chance)
        await asyncio.sleep(chance.uniform(0.01, 0.35))
        child.kill()
        assert await child.end() in (KILLED, 0)
    await until_done(await worker(settings, log, chance))


async def killed_of_two(settings: Settings, log: Path, chance: random.Random) -> None:
    """Two workers at work; one of them is killed and replaced, over and over."""
    children = [await worker(settings, log, chance) for _ in range(2)]
    for _ in range(4):
        await asyncio.sleep(chance.uniform(0.01, 0.25))
        victim = children.pop(chance.randrange(2))
        victim.kill()
        assert await victim.end() in (KILLED, 0)
        children.append(await worker(settings, log, chance))
    for child in children:
        await until_done(child)


async def stopped(settings: Settings, log: Path, chance: random.Random) -> None:
    """Two workers, one of which stands still for longer than its lease, and then goes on as if nothing had been."""
    children = [await worker(settings, log, chance, 0.3) for _ in range(2)]
    for one in random.Random(chance.random()).sample(children, 2):
        await asyncio.sleep(chance.uniform(0.02, 0.2))
        one.stop()
        await asyncio.sleep(LEASE * chance.uniform(1.3, 1.8))
        one.go_on()
    for child in children:
        await until_done(child)


async def prepared(settings: Settings, reader: str = "scripted", *, batch: bool = False) -> None:
    """Queue the documents, to be read by `reader`, and by batches if asked."""
    embedder = HashEmbedder()
    store = Store(settings)
    await store.migrate()
    await store.open(embedder.name, embedder.dimension, embedder.embed)
    volume = await Volumes(store).ensure("default", "test")
    documents = Documents(store, embedder, reader)
    for n in range(DOCUMENTS):
        await documents.take(volume, NewDocument(f"Notes {n}", text_of(n), "text/markdown", batch=batch), "test")
    await store.close()


async def everything_once(settings: Settings, mentions_of_chunk: int = 2, tokens: tuple[int, int] = (0, 0)) -> None:
    """Compare what is there with what the documents say, and what it took to read one."""
    embedder = HashEmbedder()
    store = Store(settings)
    await store.open(embedder.name, embedder.dimension, embedder.embed)
    people = sorted(f"Person {n} of {d}" for d in range(DOCUMENTS) for n in range(CHUNKS))

    async def values(model: Any, *columns: str) -> list[Any]:
        table = table_of(model)
        rows = await store.read.rows(select(*(table.c[name] for name in columns)))
        return sorted(row[0] if len(columns) == 1 else tuple(row) for row in rows)

    assert await values(models.Ingestion, "status", "error", "chunks_done") == [("DONE", None, CHUNKS)] * DOCUMENTS
    assert await values(models.Entity, "name", "version") == [("Acme", 1), *((name, 1) for name in people)]
    assert await values(models.Chunk, "text") == sorted(
        part
        for d in range(DOCUMENTS)
        for part in (f"# {t}".strip() for t in text_of(d).removeprefix("# ").split("\n\n# "))
    )
    assert await values(models.Fact, "content", "version") == [("Likes tea", 1)] * len(people)
    assert await values(models.Relationship, "type", "version") == [("MET", 1)] * len(people)
    assert await values(models.Evidence, "quote") == sorted(
        [f"{name} likes tea." for name in people] + [f"{name} met Acme." for name in people]
    )
    mentions = select(func.count()).select_from(table_of(models.Mention))
    assert (await store.read.rows(mentions))[0][0] == mentions_of_chunk * len(people)
    assert await values(models.Ingestion, "input_tokens", "output_tokens") == [tokens] * DOCUMENTS
    # the volume; each document, entity, fact and relationship
    seqs = await values(models.Change, "seq")
    assert seqs == list(range(1, 1 + 1 + DOCUMENTS + 1 + 3 * len(people)))
    assert await values(models.Job, "status") == []
    kept = store.spool.jobs()
    assert await open_jobs(store.read, kept) == set()
    await store.close()


def no_answer_repeated(log: Path) -> None:
    """Assert that no extraction began after it had once answered.

    A kill right after the answer can cut its line off. What begins within a twentieth of a second of another process's
    answer began at the same time: whoever looks for an answer cannot see one that comes between the look and the call.
    """
    kept: dict[str, float] = {}
    calls: Counter[str] = Counter()
    for line in log.read_text().splitlines():
        what, moment, name = line.split(" ", 2)
        if what == "kept":
            kept.setdefault(name, float(moment))
        else:
            assert float(moment) <= kept.get(name, float(moment)) + 0.05, f"{name} had answered before"
            calls[name] += 1
    assert kept.keys() <= set(calls)
    assert (len(calls), len(kept) >= DOCUMENTS * CHUNKS - 4) == (DOCUMENTS * CHUNKS, True)


@pytest.mark.parametrize(("trouble", "seed"), runs(killed, killed_of_two, stopped))
async def test_whatever_befalls_the_workers_everything_is_there_once(
    hasty: Settings, tmp_path: Path, trouble: Trouble, seed: int
) -> None:
    await prepared(hasty)
    log = tmp_path / "calls"
    await trouble(hasty, log, random.Random(f"{trouble.__name__} {seed}"))
    await everything_once(hasty)
    no_answer_repeated(log)


@pytest.mark.parametrize(
    "seed", [pytest.param(n, id=f"seed{n}", marks=() if n < 1 else pytest.mark.soak) for n in range(50)]
)
@pytest.mark.parametrize("settings", ["postgresql"], indirect=True)
async def test_a_restart_of_postgresql_in_the_middle_loses_and_doubles_nothing(
    hasty: Settings, tmp_path: Path, request: pytest.FixtureRequest, seed: int
) -> None:
    await prepared(hasty)
    chance, log, cluster = random.Random(f"restart {seed}"), tmp_path / "calls", request.getfixturevalue("cluster")
    children = [await worker(hasty, log, chance) for _ in range(2)]
    await asyncio.sleep(chance.uniform(0.02, 0.3))
    await asyncio.to_thread(cluster.stop, chance.choice(["fast", "immediate"]))
    await asyncio.sleep(chance.uniform(0, 0.3))
    await asyncio.to_thread(cluster.start)
    for child in children:
        await until_done(child)
    await everything_once(hasty)
    no_answer_repeated(log)


def answers(chance: random.Random) -> Callable[[Request], Reply]:
    """Return how Claude answers: with what a chunk says, after a moment; now and then it is busy, broken or hangs up."""

    def answer(request: Request) -> Reply:
        delay = chance.uniform(0, 0.03)
        if chance.random() < 0.05:
            return replace(chance.choice([busy("0"), OVERLOADED, BROKEN, HANGS_UP]), delay=delay)
        _, said = said_by(request.chunk)
        return replace(says(_as_claude_says(said)), delay=delay)

    return answer


def _as_claude_says(said: Extraction) -> dict[str, Any]:
    return {
        "entities": [{"key": e.key, "name": e.name, "type": e.type, "quote": e.quote} for e in said.entities],
        "facts": [{"subject": f.subject, "content": f.content, "quote": f.quote} for f in said.facts],
        "relationships": [
            {"source": r.source, "type": r.type, "target": r.target, "quote": r.quote} for r in said.relationships
        ],
    }


@pytest.mark.parametrize(("trouble", "seed"), [*runs(killed, seeds=3), *runs(killed_of_two)])
async def test_of_what_claude_reads_nothing_is_lost_and_no_call_that_had_answered_is_made_again(
    hasty: Settings, tmp_path: Path, trouble: Trouble, seed: int
) -> None:
    chance, log = random.Random(f"claude {trouble.__name__} {seed}"), tmp_path / "calls"
    async with serving_messages() as claude:
        claude.answer = answers(chance)
        own = {"anthropic_key": SecretStr("key"), "anthropic_url": claude.url}
        settings = hasty.model_copy(update=own)
        await prepared(settings, settings.claude_model)
        await trouble(settings, log, chance)
    await everything_once(settings, 3, (CHUNKS * USAGE["input_tokens"], CHUNKS * USAGE["output_tokens"]))
    no_answer_repeated(log)


def _in_batches(chance: random.Random) -> Callable[[Request], Reply]:
    """Return what becomes of the requests of a batch: now and then one fails, or is left."""

    def answer(request: Request) -> Reply:
        if chance.random() < 0.1:
            return chance.choice([EXPIRED, CANCELED, BROKEN])
        return says(_as_claude_says(said_by(request.chunk)[1]))

    return answer


@pytest.mark.parametrize(("trouble", "seed"), runs(killed, killed_of_two))
async def test_of_what_batches_read_nothing_is_lost_and_each_request_is_answered_and_paid_once(
    hasty: Settings, tmp_path: Path, trouble: Trouble, seed: int
) -> None:
    chance, log = random.Random(f"batch {trouble.__name__} {seed}"), tmp_path / "calls"
    async with serving_messages() as claude:
        claude.answer = _in_batches(chance)
        own = {"anthropic_key": SecretStr("key"), "anthropic_url": claude.url, "claude_batch_interval": 0.05}
        own["claude_timeout"] = 1
        settings = hasty.model_copy(update=own)
        await prepared(settings, settings.claude_model, batch=True)
        await trouble(settings, log, chance)
    await everything_once(settings, 3, (CHUNKS * USAGE["input_tokens"], CHUNKS * USAGE["output_tokens"]))
    assert claude.requests == []
    for n in range(DOCUMENTS):
        batches = [b for b in claude.batches.values() if f" of {n} " in b.chunks[0]]
        # The first asks about everything, each other one about what the one before has left open; the last leaves nothing.
        left = [set(range(CHUNKS)), *(_left_open(batch) for batch in batches)]
        assert [{_part(chunk) for chunk in batch.chunks} for batch in batches] == left[:-1]
        assert left[-1] == set()


def _left_open(batch: Batch) -> set[int]:
    replies = batch.replies.items()
    return {_part(batch.requests[name].chunk) for name, reply in replies if not reply.body or reply.status != 200}


def _part(chunk: str) -> int:
    return int(chunk.split()[2])


async def test_a_batch_is_paid_once_though_its_worker_is_killed_before_the_answer_has_come(
    hasty: Settings, tmp_path: Path
) -> None:
    chance, log = random.Random("lost"), tmp_path / "calls"
    async with serving_messages() as claude:
        claude.answer = lambda request: says(_as_claude_says(said_by(request.chunk)[1]))
        claude.about_batches = [STALLS] * DOCUMENTS
        own = {"anthropic_key": SecretStr("key"), "anthropic_url": claude.url, "claude_batch_interval": 0.05}
        settings = hasty.model_copy(update=own)
        await prepared(settings, settings.claude_model, batch=True)
        child = await worker(settings, log, chance)
        async with asyncio.timeout(20):
            while len(claude.batches) < DOCUMENTS:
                await asyncio.sleep(0.01)
        child.kill()
        assert await child.end() == KILLED
        await until_done(await worker(settings, log, chance))
    await everything_once(settings, 3, (CHUNKS * USAGE["input_tokens"], CHUNKS * USAGE["output_tokens"]))
    assert (claude.calls.count("submit"), len(claude.batches), claude.requests) == (DOCUMENTS, DOCUMENTS, [])
