"""Replay: a language model's recorded answers through the whole pipeline; what is sound is stored, the rest is listed.

    .venv/bin/python benchmarks/replay.py [--recorded ../shared/data/musique/recorded_extraction.json] [--passages 1890] [--data FOLDER]

Every recorded triple must be found again: as a claim with evidence from its passage, or among the rejected items of its
ingestion with a reason. The run fails where one is missing. The file has {"docs": [{"title", "text", "extracted_entities",
"extracted_triples"}]}; where there is none, the benchmark says so and ends. `--data` keeps what was stored, for `retrieval.py musique --data` to ask.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from _measure import show
from _replay import Recorded, Replay, recordings

from server.app import running
from server.config import Settings
from server.embeddings import open_embedder
from server.services.documents import NewDocument
from server.services.identity import match_key, relation_type
from server.services.knowledge import Knowledge
from server.services.predicates import shipped
from server.store import Store
from server.store.backlog import backlog
from server.store.records import IngestionRecord, RejectionRecord

RECORDED = Path(__file__).resolve().parents[2] / "shared/data/musique/recorded_extraction.json"


async def replay(settings: Settings, passages: list[Recorded]) -> dict[str, Any]:
    """Ingest recorded passages; return what became of what was answered."""
    embedder, store = await open_embedder(settings), Store(settings)
    await store.migrate()
    await store.open(embedder.name, embedder.dimension, embedder.embed)
    extractor = Replay(passages)
    knowledge = Knowledge(settings, store, embedder, extractor.name, extractor.extract)
    try:
        async with running(knowledge):
            volume = await knowledge.volumes.ensure("default", "benchmark")
            for one in passages:
                await knowledge.documents.take(volume, NewDocument(one.title, one.content), "benchmark")
            while sum(await backlog(store.read)):  # noqa: ASYNC110
                await asyncio.sleep(0.2)
        return await _outcome(store, passages)
    finally:
        await knowledge.close()
        await store.close()
        await embedder.aclose()


async def _outcome(store: Store, passages: list[Recorded]) -> dict[str, Any]:
    runs: list[IngestionRecord] = await store.read.where(IngestionRecord)
    lists = await store.read.lists(RejectionRecord, "ingestion_id", [run.id for run in runs], "ordinal")
    rejected = [one for found in lists for one in found]
    return {
        "documents": len(runs),
        "done": sum(run.status == "DONE" for run in runs),
        "names": sum(len(one.names) for one in passages),
        "triples": sum(len(one.triples) for one in passages),
        "entities": sum(run.entities_found for run in runs),
        "facts": sum(run.facts_found for run in runs),
        "relationships": sum(run.relationships_found for run in runs),
        "said_again": sum(map(_said_again, passages)),
        "rejected": Counter(f"{one.kind}: {_general(one.reason)}" for one in rejected),
    }


def _said_again(passage: Recorded) -> int:
    """Return how many triples between two things say what another one of the passage has said, from its other end perhaps."""
    sound = (triple for triple in passage.triples if passage.refusal(triple) is None)
    said = Counter(_meaning(passage, *triple) for triple in sound)
    return sum(times - 1 for (one, _, other), times in said.items() if one != other)


def _meaning(passage: Recorded, subject: str, relation: str, object: str) -> tuple[str, str, str]:
    one, how, other = match_key(subject), relation_type(relation), match_key(object)
    inverse = shipped(how).inverse if passage.lists(object) else None
    return (one, how, other) if inverse is None else min((one, how, other), (other, inverse, one))


def _general(reason: str) -> str:
    """Return a reason without the name that it is about."""
    head, has_name, _ = reason.partition(" the name ")
    return f"{head} the name …" if has_name else reason


async def main() -> None:
    """Replay and print; fail where a triple is neither stored nor listed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recorded", type=Path, default=RECORDED)
    parser.add_argument("--passages", type=int, default=None)
    parser.add_argument("--data", type=Path, help="an empty folder; left out: one that is gone in the end")
    arguments = parser.parse_args()
    if not arguments.recorded.is_file():
        print(f"There is no recorded extraction at {arguments.recorded}: nothing to replay.", file=sys.stderr)
        return
    passages = recordings(arguments.recorded)[: arguments.passages]
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        found = await replay(Settings(data=arguments.data or Path(folder)), passages)
    rejected = found.pop("rejected")
    show("Replay of recorded answers", [{"what": "all", **found, "cpu_s": round(time.process_time() - began, 1)}])
    show("Rejected", [{"what": what, "items": number} for what, number in rejected.most_common()])
    listed = sum(number for what, number in rejected.items() if not what.startswith("entity"))
    lost = found["triples"] - found["facts"] - found["relationships"] - found["said_again"] - listed
    if lost or found["done"] != len(passages):
        sys.exit(f"{lost} triples are neither stored nor listed; {found['done']} of {len(passages)} passages are done.")


if __name__ == "__main__":
    asyncio.run(main())
