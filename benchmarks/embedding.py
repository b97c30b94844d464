"""Embedding: the graph that multiplies in 8 bits against the package's own, which multiplies in 32.

    .venv/bin/python benchmarks/embedding.py [--data ../shared/data] [--passages 1000]

Each is loaded in a process of its own: tokens per CPU second on passages and on names, memory of its own, and how near its
vectors are to those of the other. With the data of 2WikiMultihopQA and MuSiQue also the share of a question's evidence
among the five nearest passages (R@5), by vectors alone.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _graph import WORDS
from _measure import show
from _metering import resident
from numpy.typing import NDArray

from server.embeddings import inference
from server.embeddings.wordpiece import WordPiece, read_vocabulary

DATA = Path(__file__).resolve().parents[2] / "shared/data"
Evidence = list[tuple[str, set[int]]]
"""Questions, each with the positions of the passages that answer it."""


class PackageInference(inference.Inference):
    """Runs the model as the package draws it."""

    def __init__(self) -> None:
        import onnxruntime

        self._tokenizer = WordPiece(read_vocabulary())
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.enable_mem_pattern = False
        self._package = onnxruntime.InferenceSession(inference._read_model(), options, ["CPUExecutionProvider"])
        self._session = self

    def run(self, names: Sequence[str], inputs: dict[str, NDArray[Any]]) -> list[NDArray[Any]]:
        """Answer as a session does, and give it the input that the other graph does without."""
        types = np.zeros_like(inputs["input_ids"])
        found: list[NDArray[Any]] = self._package.run(names, {**inputs, "token_type_ids": types})
        return found


def _ours() -> inference.Inference:
    return inference.Inference(threads=1)


GRAPHS: dict[str, Callable[[], inference.Inference]] = {
    "the package's, 32 bits": PackageInference,
    "ours, 8 bits": _ours,
}


def passages(corpus: Path, number: int | None = None) -> list[str]:
    """Return passages of a corpus, each with its title, or made ones where there is none."""
    if not corpus.is_file():
        return [" ".join(WORDS[(n * 7 + k) % len(WORDS)] for k in range(80)) for n in range(number or 0)]
    return [f"{one['title']}\n{one['text']}" for one in json.loads(corpus.read_bytes())[:number]]


def questions(folder: Path) -> Evidence:
    """Return the questions of a folder's data."""
    titles: dict[str, set[int]] = {}
    texts: dict[tuple[str, str], int] = {}
    for n, one in enumerate(json.loads((folder / "corpus.json").read_bytes())):
        titles.setdefault(one["title"], set()).add(n)
        texts[one["title"], one["text"]] = n
    (file,) = folder.glob("questions_*.json")
    found: Evidence = []
    for one in json.loads(file.read_bytes()):
        if "gold_titles" in one:
            gold = set().union(*(titles[title] for title in one["gold_titles"]))
        else:
            paragraphs = [(p["title"], p["paragraph_text"]) for p in one["paragraphs"] if p["is_supporting"]]
            gold = {texts[paragraph] for paragraph in paragraphs}
        found.append((one["question"], gold))
    return found


def recall(model: inference.Inference, folder: Path, k: int = 5) -> float:
    """Return the mean share of a question's evidence among its k nearest passages."""
    asked = questions(folder)
    vectors = model.encode(passages(folder / "corpus.json"))
    near = np.argsort(-(model.encode([question for question, _ in asked]) @ vectors.T), axis=1)[:, :k]
    return float(
        np.mean([len(gold & set(row)) / len(gold) for row, (_, gold) in zip(near.tolist(), asked, strict=True)])
    )


def rate(model: inference.Inference, texts: Sequence[str]) -> float:
    """Return the tokens per CPU second, the best of three rounds."""
    tokens = sum(len(model._tokenizer.encode(text)) for text in texts)
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        model.encode(texts)
        best = min(best, time.process_time() - began)
    return tokens / best


def measure(graph: str, data: Path, number: int, answer: Any) -> None:
    """Measure one graph, and send what it is like and its vectors."""
    before = resident()
    model = GRAPHS[graph]()
    texts = passages(data / "2wiki/corpus.json", number)
    row: dict[str, Any] = {"what": graph, "passages_tokens_per_cpu_s": round(rate(model, texts))}
    row["names_tokens_per_cpu_s"] = round(rate(model, [text[:40] for text in texts]))
    row["MB"] = round(resident() - before)
    for folder in ("2wiki", "musique"):
        if (data / folder).is_dir():
            row[f"{folder}_R@5"] = round(100 * recall(model, data / folder), 1)
    answer.send((row, model.encode(texts)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--passages", type=int, default=1_000)
    arguments = parser.parse_args()
    rows, vectors = [], []
    for graph in GRAPHS:
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        process = multiprocessing.get_context("spawn").Process(
            target=measure, args=(graph, arguments.data, arguments.passages, theirs)
        )
        process.start()
        row, found = ours.recv()
        process.join()
        rows.append(row)
        vectors.append(found)
    likeness = np.sum(vectors[0] * vectors[1], axis=1)
    rows[0] |= {"mean_cosine": None, "least_cosine": None}
    rows[1] |= {"mean_cosine": round(float(likeness.mean()), 4), "least_cosine": round(float(likeness.min()), 4)}
    show("Embedding", rows)


if __name__ == "__main__":
    main()
