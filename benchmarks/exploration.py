"""Exploring a topic: one request at each depth, beside the same steps asked one by one, through the running server over HTTP.

    .venv/bin/python benchmarks/exploration.py [--memories 1100 100000] [--queries 40]

For each number of memories a folder of its own is filled from a seed, on SQLite: for every fifty memories a project, ten entities with
thirty relationships, five documents and five code artifacts; each memory has three links, is about two entities, and every twentieth
also about one of five hubs, which a hundredth of the relationships lead to. Vectors lie around those that the shipped model gives to
the topics' words. A query has a topic's words; every other one names an entity too. Then `loregraph serve` is asked. CPU is that of
the server's process by the scheduler's account; figures are medians over the queries after ten that are not counted. Tokens are checked
by counting them anew in the answer.

The steps one by one are those of an agent that tracks what it visited: a search with links; each memory; the entities of each project;
the relationships and the memories of ten entities; each of ten new memories.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID

import httpx
import numpy as np
from _graph import WORDS
from _measure import show
from _query.processes import cpu_seconds, tree
from numpy.typing import NDArray
from retrieval import serving

from server import models
from server.config import Settings
from server.embeddings import Embedder, open_embedder
from server.ids import NodeKind, new_id
from server.services.tokens import count
from server.store import Store
from server.store.transaction import Transaction

DEPTHS = ("SHALLOW", "MEDIUM", "DEEP")
BUDGET = 8_000
WARM = 10
TOPIC = 50
"""How many memories a topic has."""
HUBS = 5
BATCH = 100

EXPLORE = """query($q: String!, $d: ExplorationDepth!) { volume { explore(query: $q, depth: $d) {
    memories { how hops score via { id } memory { id title content context keywords tags importance } }
    entities { relationshipCount memoryCount entity { id name type description aliases } }
    relationships { id type text description strength confidence source { id name type } target { id name type } }
    documents { id title uri } codeArtifacts { id title language description code tags } projects { id name description }
    totalNodes themes suggestedQueries tokens truncated omitted { kind reason count } } } }"""
SEARCH = """query($q: String!) { volume { search(query: $q, kinds: [MEMORY], first: 5) { nodes { ... on Memory { id title content
    links(first: 5) { nodes { id title content } } } } } } }"""
MEMORY = """query($id: ID!) { node(id: $id) { ... on Memory { id title content context keywords tags importance
    documents { nodes { id title } } codeArtifacts { nodes { id title code } } projects { nodes { id name } }
    links { nodes { id } } } } }"""
ENTITIES = "query($id: ID!) { node(id: $id) { ... on Project { entities(first: 100) { nodes { id name type description } } } } }"
RELATIONSHIPS = """query($id: ID!) { node(id: $id) { ... on Entity { relationships(first: 100) { nodes { id type text
    source { name } target { name } } } } } }"""
MEMORIES = "query($id: ID!) { node(id: $id) { ... on Entity { memories(first: 100) { nodes { id } } } } }"


@dataclass
class Filling:
    """Writes topics, and holds what is to be found by vectors."""

    chance: random.Random = field(default_factory=lambda: random.Random(7))
    hubs: list[UUID] = field(default_factory=list)
    found: list[tuple[NodeKind, UUID, str, int]] = field(default_factory=list)

    def topic(self, tx: Transaction, n: int, words: str) -> str:
        """Write the n-th topic; return the name of one of its entities."""
        project = tx.insert(models.Project, name=f"project {n}", description=f"Work on {words}")
        entities = [self._entity(tx, n, k, words, project) for k in range(10)]
        for k in range(30):
            target = self.chance.choice(self.hubs if self.chance.random() < 0.01 else entities)
            strength = self.chance.randrange(5, 11) / 10
            ends = {"source_id": self.chance.choice(entities), "target_id": target}
            tx.insert(models.Relationship, type=("USES", "OWNS", "PART_OF")[k % 3], strength=strength, **ends)
        memories = [self._memory(tx, n, k, words, entities, project) for k in range(TOPIC)]
        for k, memory in enumerate(memories[1:], 1):
            for other in {self.chance.choice(memories[:k]) for _ in range(3)}:
                likeness = 0.7 + self.chance.random() / 4
                ends = {"left_id": min(other, memory), "right_id": max(other, memory)}
                tx.insert(models.MemoryLink, type="RELATED", similarity=likeness, automatic=True, **ends)
        for k in range(5):
            title = f"{words} {k} of {n}"
            own = tx.insert(
                models.Document, title=title, uri=f"{n}/{k}.md", mime_type="text/markdown", content_hash=title
            )
            tx.insert(models.DocumentRevision, document_id=own, number=1, content=title)
            code = tx.insert(models.CodeArtifact, title=f"{title}.py", language="python", code=f"run({title!r})\n" * 8)
            for memory in self.chance.sample(memories, 5):
                tx.insert(models.MemoryDocument, memory_id=memory, document_id=own)
                tx.insert(models.MemoryCodeArtifact, memory_id=memory, code_artifact_id=code)
        return f"{words.split()[0]} system {n}-0"

    def _entity(self, tx: Transaction, n: int, k: int, words: str, project: UUID) -> UUID:
        name = f"{words.split()[k % 3]} system {n}-{k}"
        text = f"A part of what is known of {words}, the number {k} of ten."
        id = tx.insert(models.Entity, name=name, match_key=name, type="system", description=text)
        tx.insert(models.ProjectEntity, project_id=project, entity_id=id)
        self.found.append((NodeKind.ENTITY, id, f"{name} {text}", n))
        return id

    def _memory(self, tx: Transaction, n: int, k: int, words: str, entities: Sequence[UUID], project: UUID) -> UUID:
        rest = " ".join(self.chance.choice(WORDS) for _ in range(40))
        title, content = f"Note {k} on {words}", f"What was decided of {words}, and why: {rest}."
        own = {"keywords": words.split(), "tags": [f"tag {k % 5}", words.split()[0]], "importance": 1 + k % 10}
        id = tx.insert(models.Memory, title=title, content=content, context=f"Asked in {rest[:60]}", **own)
        tx.insert(models.MemoryProject, memory_id=id, project_id=project)
        about = set(self.chance.sample(list(entities), 2)) | ({self.chance.choice(self.hubs)} if k % 20 == 0 else set())
        for entity in about:
            tx.insert(models.MemoryEntity, memory_id=id, entity_id=entity)
        self.found.append((NodeKind.MEMORY, id, f"{title} {content}", n))
        return id


async def fill(folder: Path, memories: int, embedder: Embedder) -> list[str]:
    """Fill a folder; return what can be asked."""
    store, filling, volume = Store(Settings(data=folder, fsync=False)), Filling(), new_id()
    await store.migrate()
    await store.open(embedder.name, embedder.dimension, embedder.embed)
    async with store.write_new_volume(volume, "benchmark") as tx:
        tx.insert(models.Volume, id=volume, name="default")
    async with store.write(volume, "benchmark") as tx:
        for n in range(HUBS):
            filling.hubs.append(tx.insert(models.Entity, name=f"hub {n}", match_key=f"hub {n}", type="organization"))
    topics = [" ".join(filling.chance.sample(WORDS, 3)) for _ in range(memories // TOPIC)]
    asked = []
    for start in range(0, len(topics), BATCH):
        part = topics[start : start + BATCH]
        async with store.write(volume, "benchmark") as tx:
            names = [filling.topic(tx, n, words) for n, words in enumerate(part, start)]
        asked += [
            f"what do we know of {w}" + f" and {name}" * (n % 2)
            for n, (w, name) in enumerate(zip(part, names, strict=True))
        ]
        vectors = around(await embedder.embed(part), [n - start for *_, n in filling.found])
        await store.index_now(volume, [one[:3] for one in filling.found], vectors)
        filling.found.clear()
    await store.index.compact()
    await store.close()
    return asked


def around(centres: NDArray[np.float32], places: Sequence[int]) -> NDArray[np.float32]:
    """Return unit vectors, each near the centre at its place."""
    chance = np.random.default_rng(len(places))
    made = centres[list(places)] + 0.6 / centres.shape[1] ** 0.5 * chance.normal(size=(len(places), centres.shape[1]))
    unit: NDArray[np.float32] = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return unit


@dataclass
class Asking:
    """A client of the server that counts what it takes: round trips, bytes, and CPU milliseconds of the server."""

    client: httpx.Client
    pid: int
    trips: int = 0
    size: int = 0

    def ask(self, query: str, **variables: str) -> dict[str, Any]:
        response = self.client.post("/graphql", json={"query": query, "variables": variables})
        self.trips, self.size = self.trips + 1, self.size + len(response.content)
        body = response.json()
        if "errors" in body:
            raise SystemExit(f"The query failed: {body['errors']}")
        data: dict[str, Any] = body["data"]
        return data

    def cpu(self) -> float:
        return cpu_seconds(tree(self.pid)) * 1000


def one_by_one(asking: Asking, query: str) -> None:
    """Explore as an agent does that asks step by step."""
    found = asking.ask(SEARCH, q=query)["volume"]["search"]["nodes"]
    visited = list(dict.fromkeys(id for one in found for id in (one["id"], *(m["id"] for m in one["links"]["nodes"]))))
    details = [asking.ask(MEMORY, id=id)["node"] for id in visited]
    projects = dict.fromkeys(p["id"] for one in details for p in one["projects"]["nodes"])
    entities = [e["id"] for id in projects for e in asking.ask(ENTITIES, id=id)["node"]["entities"]["nodes"]][:10]
    about: list[str] = []
    for id in entities:
        asking.ask(RELATIONSHIPS, id=id)
        about += [m["id"] for m in asking.ask(MEMORIES, id=id)["node"]["memories"]["nodes"]]
    for id in [id for id in dict.fromkeys(about) if id not in visited][:10]:
        asking.ask(MEMORY, id=id)


def texts_of(found: dict[str, Any]) -> Iterator[str | None]:
    """Yield the texts of an exploration that its tokens are those of."""
    for memory in (one["memory"] for one in found["memories"]):
        yield from (memory["title"], memory["content"], memory["context"], *memory["keywords"], *memory["tags"])
    for entity in (one["entity"] for one in found["entities"]):
        yield from (entity["name"], entity["type"], entity["description"])
    for edge in found["relationships"]:
        yield from (edge["text"], edge["description"])
    for document in found["documents"]:
        yield from (document["title"], document["uri"])
    for code in found["codeArtifacts"]:
        yield from (code["title"], code["language"], code["description"], code["code"], *code["tags"])
    for project in found["projects"]:
        yield from (project["name"], project["description"])
    yield from (*found["themes"], *found["suggestedQueries"])


def measured(asking: Asking, what: str, queries: Sequence[str]) -> dict[str, Any]:
    """Explore by each query at a depth, or step by step; return a row of the table."""
    rows: list[tuple[float, float, int, int, int | None, int | None]] = []
    for turn, query in enumerate(queries):
        asking.trips, asking.size = 0, 0
        before, began = asking.cpu(), time.perf_counter()
        found = None
        if what in DEPTHS:
            found = asking.ask(EXPLORE, q=query, d=what)["volume"]["explore"]
        else:
            one_by_one(asking, query)
        wall, used = (time.perf_counter() - began) * 1000, asking.cpu() - before
        tokens = nodes = None
        if found is not None:
            tokens, nodes = sum(count(text) for text in texts_of(found) if text), found["totalNodes"]
            if tokens != found["tokens"] or tokens > BUDGET:
                raise SystemExit(f"{what}: {found['tokens']} tokens are told, {tokens} are there, {BUDGET} may be.")
        if turn >= WARM:
            rows.append((used, wall, asking.trips, asking.size, tokens, nodes))
    columns = [[value for value in column if value is not None] for column in zip(*rows, strict=True)]
    names = ("cpu_ms", "p50_ms", "round trips", "bytes", "tokens", "nodes")
    medians = [round(median(column), 1) if column else None for column in columns]
    return {"what": what, **dict(zip(names, medians, strict=True))}


def run(memories: int, queries: int, folder: Path) -> list[dict[str, Any]]:
    """Return the table's rows."""

    async def filled() -> list[str]:
        embedder = await open_embedder(Settings(data=folder))
        asked = await fill(folder, memories, embedder)
        await embedder.aclose()
        return asked

    asked = asyncio.run(filled())
    drawn = random.Random(11).choices(asked, k=WARM + queries)
    with serving(folder) as (client, pid):
        asking = Asking(client, pid)
        return [measured(asking, what, drawn) for what in (*DEPTHS, "the steps one by one")]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="One exploration beside its steps one by one.")
    parser.add_argument("--memories", type=int, nargs="+", default=[1_100, 100_000])
    parser.add_argument("--queries", type=int, default=40)
    given = parser.parse_args()
    for memories in given.memories:
        with tempfile.TemporaryDirectory() as folder:
            show(f"Exploring {memories:,} memories", run(memories, given.queries, Path(folder)))


if __name__ == "__main__":
    main()
