"""Retrieval: which documents answer a question that takes several, without any language model.

    .venv/bin/python benchmarks/retrieval.py [2wiki] [musique] [--shared ../shared/data] [--data FOLDER] [--output FILE] [--lower]

Takes the whole corpus in by `loregraph ingest` with the offline extractor, unless `--data` names a folder that has it already, starts
`loregraph serve` and asks its GraphQL for the chunks that answer each question. A chunk counts as its document. Told for
each way of ranking: recall within the first two and five documents, and for how many questions all evidence is among the first eight;
the published figures of others are of other corpora or of models and stand in benchmarks/README.md. `words` and `meaning` are
the product's own rankings by each alone (`textRank`, `vectorRank`); BM25 is made here, over the same passages.
`--lower` asks in lower case, as people and agents do. `--output` keeps what each question found, one JSON object a line.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import httpx
from _measure import show

SHARED = Path(__file__).resolve().parents[2] / "shared/data"
SETS = {"2wiki": "questions_101.json", "musique": "questions_100.json"}
QUERY = """query($q: String!, $m: SearchMode!) { volume { search(query: $q, kinds: [CHUNK], mode: $m, first: 100) {
    edges { explanation { vectorRank textRank } node { ... on Chunk { text document { title } } } } } } }"""
EMPTY = frozenset(
    "a an and are as at be been but by did do does for from had has have he her his how i in is it its of on or she that the their "
    "there they this to was were what when where which who whom whose why will with".split()
)


class Question(NamedTuple):
    """What is asked, and the titles (and, where titles are shared, beginnings) of the passages that answer it."""

    text: str
    evidence: frozenset[str]


def questions(folder: Path, name: str) -> list[Question]:
    """Return the questions of a data set."""
    found = json.loads((folder / name / SETS[name]).read_bytes())
    if name == "2wiki":
        return [Question(one["question"], frozenset(one["gold_titles"])) for one in found]
    return [
        Question(
            one["question"],
            frozenset(named(p["title"], p["paragraph_text"]) for p in one["paragraphs"] if p["is_supporting"]),
        )
        for one in found
    ]


def named(title: str, text: str) -> str:
    """Return what a passage is told by where several have one title; the title before its text does not count."""
    words = " ".join(text.removeprefix(f"{title}\n").split())
    return f"{title}|{words[:60]}"


def stems(text: str) -> list[str]:
    """Return the words of a text, without the commonest and without the commonest endings."""
    words = (word for word in re.findall(r"\w+", text.lower()) if word not in EMPTY)
    return [re.sub(r"(?<=\w{4})(ing|ed|es|s)$", "", word) for word in words]


class Bm25:
    """BM25 with k1 = 1.2 and b = 0.75 over texts: the peer that every system is measured against."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(stems(text)) for text in texts]
        lengths = [sum(count.values()) for count in counts]
        mean = sum(lengths) / len(lengths)
        self._norms = [1.2 * (0.25 + 0.75 * length / mean) for length in lengths]
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, count in enumerate(counts):
            for word, times in count.items():
                self._postings[word].append((place, times))

    def ranked(self, query: str) -> list[int]:
        """Return the places of the texts, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(stems(query)):
            found = self._postings.get(word, [])
            rarity = math.log(1 + (len(self._norms) - len(found) + 0.5) / (len(found) + 0.5))
            for place, times in found:
                scores[place] += rarity * times * 2.2 / (times + self._norms[place])
        return sorted(scores, key=lambda place: (-scores[place], place))


def each_once(names: Iterator[str] | Sequence[str]) -> list[str]:
    """Return documents in the order of their first chunks."""
    return list(dict.fromkeys(names))


def measured(found: Sequence[Sequence[str]], asked: Sequence[Question]) -> dict[str, float]:
    """Return recall within the first two and five, and how often all evidence is within the first eight, in per cent."""

    def recall(k: int) -> float:
        shares = [
            len(one.evidence & set(names[:k])) / len(one.evidence) for names, one in zip(found, asked, strict=True)
        ]
        return round(100 * sum(shares) / len(shares), 1)

    whole = [one.evidence <= set(names[:8]) for names, one in zip(found, asked, strict=True)]
    return {"R@2": recall(2), "R@5": recall(5), "all@8": round(100 * sum(whole) / len(whole), 1)}


@contextmanager
def serving(data: Path) -> Iterator[tuple[httpx.Client, int]]:
    """Run `loregraph serve` over a folder; yield a client of it and its process id."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "server", "serve", "--port", str(port), "--data", str(data)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
            for _ in range(600):
                try:
                    if client.get("/health").status_code == 200:
                        break
                except httpx.TransportError:
                    time.sleep(0.1)
            yield client, server.pid
    finally:
        server.terminate()
        server.wait()


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Answers(NamedTuple):
    """What the server has found for each question, in order, and the CPU milliseconds that each took it."""

    edges: list[list[dict[str, Any]]]
    cpu: list[float]


def ask_all(client: httpx.Client, pid: int, asked: Sequence[Question], mode: str) -> Answers:
    """Ask the server everything."""
    answers = Answers([], [])
    for one in asked:
        before = cpu_of(pid)
        body = client.post("/graphql", json={"query": QUERY, "variables": {"q": one.text, "m": mode}}).json()
        if "errors" in body:
            raise SystemExit(f"The query failed: {body['errors']}")
        answers.cpu.append((cpu_of(pid) - before) * 1000)
        answers.edges.append(body["data"]["volume"]["search"]["edges"])
    return answers


def run(name: str, shared: Path, data: Path, output: Path | None, *, lower: bool) -> list[dict[str, Any]]:
    """Ask all questions of a data set; return the rows of the table."""
    asked = questions(shared, name)
    corpus = json.loads((shared / name / "corpus.json").read_bytes())
    plain = name == "2wiki"
    own: Callable[[str, str], str] = (lambda title, _: title) if plain else named
    bm25 = Bm25([f"{one['title']}\n{one['text']}" for one in corpus])
    put = [one._replace(text=one.text.lower()) if lower else one for one in asked]
    titles = [own(one["title"], one["text"]) for one in corpus]
    found = {"BM25": [each_once([titles[n] for n in bm25.ranked(one.text)[:100]]) for one in put]}
    with serving(data) as (client, pid):
        ask_all(client, pid, put[:3], "GRAPH")
        hybrid, walked = (ask_all(client, pid, put, mode) for mode in ("HYBRID", "GRAPH"))

    def ranking(edges: list[dict[str, Any]], by: str | None = None) -> list[str]:
        kept = (
            edges
            if by is None
            else sorted((e for e in edges if e["explanation"][by]), key=lambda e: e["explanation"][by])
        )
        return each_once([own(e["node"]["document"]["title"], e["node"]["text"]) for e in kept])

    found["words (textRank)"] = [ranking(edges, "textRank") for edges in hybrid.edges]
    found["meaning (vectorRank)"] = [ranking(edges, "vectorRank") for edges in hybrid.edges]
    found["search, HYBRID"] = [ranking(edges) for edges in hybrid.edges]
    found["search, GRAPH"] = [ranking(edges) for edges in walked.edges]
    cpu = {"search, HYBRID": hybrid.cpu, "search, GRAPH": walked.cpu}
    if output is not None:
        lines = (
            json.dumps(
                {
                    "question": one.text,
                    "evidence": sorted(one.evidence),
                    **{way: names[n][:8] for way, names in found.items()},
                }
            )
            for n, one in enumerate(put)
        )
        output.write_text("".join(f"{line}\n" for line in lines))
    return [
        {"what": way, **measured(names, asked), "cpu ms p50": round(median(cpu[way])) if way in cpu else None}
        for way, names in found.items()
    ]


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("sets", nargs="*", default=list(SETS), help="2wiki, musique; both")
    arguments.add_argument("--shared", type=Path, default=SHARED)
    arguments.add_argument("--data", type=Path)
    arguments.add_argument("--output", type=Path)
    arguments.add_argument("--lower", action="store_true")
    given = arguments.parse_args()
    if given.data and len(given.sets) != 1:
        arguments.error("--data is the folder of one data set: name which")
    for name in given.sets:
        if name not in SETS:
            arguments.error(f"there is no data set {name}")
        _one(name, given)


def _one(name: str, given: argparse.Namespace) -> None:
    corpus = given.shared / name / "corpus.json"
    if not corpus.is_file():
        print(f"Skipped: there is no corpus at {corpus}.", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        data = given.data or Path(folder)
        if not (data / "loregraph.sqlite").exists():
            ingest = [sys.executable, "-m", "server", "ingest", str(corpus), "--data", str(data)]
            subprocess.run(ingest, check=True, env=os.environ | {"LOREGRAPH_EXTRACTOR": "offline"})
        rows = run(name, given.shared, data, given.output, lower=given.lower)
    show(f"Retrieval, {name}{', in lower case' if given.lower else ''}", rows)


if __name__ == "__main__":
    main()
