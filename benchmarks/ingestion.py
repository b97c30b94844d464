"""Ingestion: documents and sentences per CPU second through the whole pipeline, where the time goes, and whether memory is flat.

    .venv/bin/python benchmarks/ingestion.py [--passages 5000] [--corpus ../shared/data/2wiki/corpus.json]

Takes passages into a fresh store as `ingestDocument` does and waits until the worker has read them and the vector
follower has moved them, in ten parts, so that what memory grows by is seen. CPU is that of this process and of all that it
starts; the first part loads the models, and the steady rate leaves it out. The limits, in the same run: spaCy's model alone
over the same sentences, and the embedding of the passages alone.
The corpus is a JSON list of objects with a title and a text; where there is none, passages are made from a seed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import uvloop
from _graph import WORDS
from _measure import show
from _metering import Meter, children, resident

from server.app import opened, running
from server.config import Settings
from server.embeddings import open_embedder
from server.services.documents import NewDocument
from server.services.extraction import language
from server.services.ingestion.writer import DocumentWriter
from server.services.knowledge import Knowledge
from server.services.sentences import sentences
from server.store.backlog import backlog
from server.store.followers import VectorFollower
from server.store.jobs import JobQueue
from server.store.transaction import Transaction

CORPUS = Path(__file__).resolve().parents[2] / "shared/data/2wiki/corpus.json"
PARTS = 10
GOAL = 40


class Passage(NamedTuple):
    """A document of the corpus."""

    title: str
    text: str


def passages(corpus: Path | None, number: int) -> list[Passage]:
    """Return the first passages of the corpus, or as many made ones."""
    if corpus is None:
        print(f"No corpus is given and there is none at {CORPUS}: made-up passages instead.", file=sys.stderr)
        return [_made(n) for n in range(number)]
    if not corpus.is_file():
        sys.exit(f"There is no corpus at {corpus}. Without --corpus made-up passages are taken.")
    found = json.loads(corpus.read_bytes())
    return [Passage(one["title"], one["text"]) for one in found[:number]]


def _made(n: int) -> Passage:
    chance = random.Random(n)
    people, places = ([f"{w.title()} {chance.choice(WORDS).title()}" for w in chance.sample(WORDS, 3)] for _ in "12")
    text = (
        f"{people[0]} ({chance.randint(1800, 1900)}–{chance.randint(1901, 1990)}) was an engineer from {places[0]}. "
        f"She founded {places[1]} Works in {chance.randint(1850, 1900)} with {people[1]}, who had studied in {places[2]}. "
        f"The company was later bought by {people[2]} Holdings."
    )
    return Passage(people[0], text)


async def ingest(settings: Settings, found: list[Passage]) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Ingest passages; return the CPU seconds of each stage and what each part took."""
    async with opened(settings) as knowledge:
        meter = _meter()
        async with running(knowledge):
            volume = await knowledge.volumes.ensure("default", "benchmark")
            rows = []
            for part in range(PARTS):
                share = found[len(found) * part // PARTS : len(found) * (part + 1) // PARTS]
                before = sum(meter.stages().values())
                for passage in share:
                    await knowledge.documents.take(volume, NewDocument(passage.title, passage.text), "benchmark")
                await _settled(knowledge)
                rows.append(_part(part, share, sum(meter.stages().values()) - before))
                print(rows[-1], file=sys.stderr, flush=True)
            return meter.stages(), rows


def _meter() -> Meter:
    meter = Meter()
    meter.watch(VectorFollower, "step", "vector follower")
    meter.watch(DocumentWriter, "prepare write", "resolving and writing")
    meter.watch(Transaction, "flush", "resolving and writing")
    meter.watch(JobQueue, "claim advance note renew finish answers", "queue")
    return meter


def _part(part: int, share: list[Passage], cpu: float) -> dict[str, Any]:
    said = sum(len(sentences(passage.text)) for passage in share)
    own, others = resident(), sum(map(resident, children()))
    return {
        "what": f"part {part + 1}",
        "documents": len(share),
        "sentences": said,
        "cpu_s": round(cpu, 1),
        "sentences_per_cpu_s": round(said / cpu, 1),
        "server_MB": round(own),
        "extraction_MB": round(others),
    }


async def _settled(knowledge: Knowledge) -> None:
    """Wait until nothing is queued and every vector is in the index."""
    while sum(await backlog(knowledge.store.read)) or await knowledge.store.follower.backlog():  # noqa: ASYNC110
        await asyncio.sleep(0.5)


async def limits(found: list[Passage], chunks: list[str]) -> dict[str, float]:
    """Return the CPU seconds of the language model alone over the sentences, and of the embedding of the chunks."""
    language.load()
    model = language._model()
    began = time.process_time()
    for _ in model.pipe(p.text[start:end] for p in found for start, end in sentences(p.text)):
        pass
    parsed = time.process_time()
    embedder = await open_embedder(Settings())
    await embedder.embed(["warm"])
    ready = time.process_time()
    await embedder.embed(chunks)
    embedded = time.process_time()
    await embedder.aclose()
    return {"spaCy alone": parsed - began, "embedding of the chunks alone": embedded - ready}


def _stage_rows(stages: dict[str, float], documents: int, said: int) -> list[dict[str, Any]]:
    total = sum(stages.values())
    rows = {"whole pipeline": total, **dict(sorted(stages.items(), key=lambda stage: -stage[1]))}
    return [
        {
            "what": what,
            "cpu_s": round(cpu, 1),
            "share": round(cpu / total, 3),
            "ms_per_document": round(cpu * 1000 / documents, 1),
            "documents_per_cpu_s": round(documents / cpu, 1) if cpu > 0.05 else None,
            "sentences_per_cpu_s": round(said / cpu, 1) if cpu > 0.05 else None,
        }
        for what, cpu in rows.items()
    ]


def _verdict(rows: list[dict[str, Any]], total: float, said: int) -> dict[str, Any]:
    """Return what was to be shown: the rate against its goal, and the memory of the last fifth against the second."""
    memory = [row["server_MB"] + row["extraction_MB"] for row in rows]
    second, last = sum(memory[2:4]) / 2, sum(memory[-2:]) / 2
    return {
        "what": "the run",
        "sentences_per_cpu_s": round(said / total, 1),
        "steady": round(sum(row["sentences"] for row in rows[1:]) / sum(row["cpu_s"] for row in rows[1:]), 1),
        "goal": GOAL,
        "MB_second_fifth": round(second),
        "MB_last_fifth": round(last),
        "growth": round(last / second - 1, 3),
        "memory": "flat" if last < second * 1.1 else "grows",
    }


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=5_000)
    parser.add_argument("--corpus", type=Path, default=CORPUS if CORPUS.is_file() else None)
    arguments = parser.parse_args()
    found = passages(arguments.corpus, arguments.passages)
    said = sum(len(sentences(passage.text)) for passage in found)
    with tempfile.TemporaryDirectory() as folder:
        stages, rows = await ingest(Settings(data=Path(folder)), found)
    bare = found[:: max(1, len(found) // 500)]
    some = sum(len(sentences(passage.text)) for passage in bare)
    sides = await limits(bare, [f"{p.title}\n{p.text}" for p in bare])
    show(f"Ingestion of {len(found):,} passages, {said:,} sentences: stages", _stage_rows(stages, len(found), said))
    show("Memory over the run", rows)
    total = sum(stages.values())
    show(
        "Against the limits",
        [
            {
                "what": what,
                "sentences_per_cpu_s": round(some / cpu, 1),
                "ratio": round((total / said) / (cpu / some), 2),
            }
            for what, cpu in {**sides, "both together": sum(sides.values())}.items()
        ],
    )
    show("Verdict", [_verdict(rows, total, said)])


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as the server runs
        runner.run(main())
