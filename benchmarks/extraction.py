"""Extraction: precision and recall of the offline extractor on real sentences, labelled by hand, of six kinds.

    .venv/bin/python benchmarks/extraction.py [--misses] [--kept]

Each sentence of benchmarks/sentences is read as a document of its own, resolution inside the document included, and
compared with its label. What waits for review (confidence below 0.7) is not shown by default and counts as not found; the last row of
each half counts it in. The rules were written with the open half in sight; the kept halves were kept apart until the end.
`--misses` prints every miss and false item of the open half, by kind of error; with `--kept` also those of the kept halves.
How the sentences were chosen, and how they are scored: README.md and _scoring.py.
"""

from __future__ import annotations

import argparse
import asyncio
from itertools import groupby
from pathlib import Path

from _measure import show
from _scoring import SENTENCES, Edge, Fact, Found, Label, Score, Thing, by_kind, load

from server.services.claims import REVIEW_BELOW
from server.services.extraction.offline import OfflineExtractor
from server.services.extraction.protocol import ChunkText, ExtractedFact, ExtractedRelationship, Extraction
from server.services.reading import Reading, read_document

HALVES = {
    "open half": SENTENCES / "open.jsonl",
    "kept half": SENTENCES / "kept.jsonl",
    "second kept half": SENTENCES / "kept-2.jsonl",
}
CHUNK = 2_000


async def _quiet(_done: int, _total: int) -> None: ...


async def read(extractor: OfflineExtractor, text: str, *, waiting: bool = False) -> Found:
    """Return what the extractor makes of a document that consists of `text`; `waiting`: with what waits for review."""

    async def extract(chunk: ChunkText) -> Extraction:
        return extractor.extract(chunk)

    reading = await read_document(
        extract, title="Note", content=text, mime_type="text/markdown", chunk_size=CHUNK, progress=_quiet
    )
    return _found(reading, REVIEW_BELOW if not waiting else 0.0)


def _found(reading: Reading, least: float) -> Found:
    place = {key: n for n, key in enumerate(reading.things)}
    edges, facts = [], []
    for said in (one.said for one in reading.statements if one.said.confidence >= least):
        if isinstance(said, ExtractedRelationship):
            edges.append(Edge(place[said.source], said.type, place[said.target], said.valid_to is not None))
        elif isinstance(said, ExtractedFact):
            facts.append(Fact(place[said.subject], said.predicate, said.value, said.content))
    things = [Thing((thing.name, *thing.aliases), thing.type) for thing in reading.things.values()]
    return Found(things, edges, facts)


async def read_all(path: Path, *, waiting: bool = False) -> list[tuple[Label, Found]]:
    """Return every label of a file with what the extractor makes of its sentence; `waiting`: with what waits for review."""
    extractor = OfflineExtractor()
    return [(label, await read(extractor, label["text"], waiting=waiting)) for label in load(path)]


def total(read: list[tuple[Label, Found]]) -> Score:
    """Return the score over all sentences."""
    score = Score()
    for label, found in read:
        score.add(label, found)
    return score


def show_misses(half: str, score: Score) -> None:
    """Print every miss and false item, grouped by measure and kind of error."""
    ordered = sorted(score.problems, key=lambda p: (p.measure, p.error, p.id))
    for (measure, error), problems in groupby(ordered, key=lambda p: (p.measure, p.error)):
        group = list(problems)
        print(f"\n{half}, {measure}, {error}: {len(group)}")
        for problem in group:
            print(f"  {problem.id}  {problem.item}")


async def main() -> None:
    """Measure each half whose file is there."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--misses", action="store_true", help="print every miss and false item of the open half")
    options.add_argument("--kept", action="store_true", help="with --misses: of the kept halves too")
    chosen = options.parse_args()
    for half, path in HALVES.items():
        if not path.exists():
            print(f"The {half} is not there: {path.name} is missing.")
            continue
        read = await read_all(path)
        score = total(read)
        kinds = [kind_score.row(kind) for kind, kind_score in by_kind(read).items()]
        whole = total(await read_all(path, waiting=True))
        show(f"Extraction, {half}", [*kinds, score.row("all"), whole.row("all, with what waits")])
        if chosen.misses and (half == "open half" or chosen.kept):
            show_misses(half, score)


if __name__ == "__main__":
    asyncio.run(main())
