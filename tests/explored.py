"""Volumes for tests of exploring: memories, entities and what ties them together, written as rows, found by their words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from uuid import UUID

from doubles import HashEmbedder

from server import models
from server.ids import NodeKind
from server.services.identity import match_key
from server.store import Store, Transaction


@dataclass
class Notes:
    """Writes nodes by their names, and remembers their ids."""

    tx: Transaction
    ids: dict[str, UUID] = field(default_factory=dict)
    texts: list[tuple[NodeKind, UUID, str]] = field(default_factory=list)

    def entity(self, name: str, type: str = "service", description: str | None = None, **rest: Any) -> None:
        self.ids[name] = self.tx.insert(
            models.Entity, name=name, match_key=match_key(name, type), type=type, description=description, **rest
        )
        self.texts.append((NodeKind.ENTITY, self.ids[name], f"{name} {type} {description or ''}"))

    def fact(self, subject: str, content: str) -> None:
        own = {"subject_id": self.ids[subject], "content": content, "claim_key": content, "confidence": 0.8}
        self.texts.append((NodeKind.FACT, self.tx.insert(models.Fact, **own), content))

    def edge(self, source: str, type: str, target: str, **rest: Any) -> None:
        ends = {"source_id": self.ids[source], "target_id": self.ids[target]}
        self.ids[f"{source} {type} {target}"] = self.tx.insert(models.Relationship, type=type, **ends, **rest)

    def memory(self, title: str, content: str, about: Iterable[str] = (), **rest: Any) -> None:
        id = self.ids[title] = self.tx.insert(models.Memory, title=title, content=content, **rest)
        self.texts.append((NodeKind.MEMORY, id, f"{title} {content}"))
        for name in about:
            self.tx.insert(models.MemoryEntity, memory_id=id, entity_id=self.ids[name])

    def link(self, one: str, other: str, similarity: float | None = None) -> None:
        left, right = sorted((self.ids[one], self.ids[other]))
        self.tx.insert(models.MemoryLink, left_id=left, right_id=right, type="RELATED", similarity=similarity)

    def project(self, name: str, entities: Iterable[str] = (), memories: Iterable[str] = ()) -> None:
        id = self.ids[name] = self.tx.insert(models.Project, name=name, description=f"All of {name}")
        for entity in entities:
            self.tx.insert(models.ProjectEntity, project_id=id, entity_id=self.ids[entity])
        for memory in memories:
            self.tx.insert(models.MemoryProject, project_id=id, memory_id=self.ids[memory])

    def document(self, title: str, memories: Iterable[str] = ()) -> None:
        digest = sha256(title.encode()).hexdigest()
        id = self.tx.insert(
            models.Document, title=title, mime_type="text/plain", content_hash=digest, uri=f"{title}.txt"
        )
        self.tx.insert(models.DocumentRevision, document_id=id, number=1, content=title)
        self.ids[title] = id
        for memory in memories:
            self.tx.insert(models.MemoryDocument, document_id=id, memory_id=self.ids[memory])

    def code(self, title: str, code: str, memories: Iterable[str] = ()) -> None:
        id = self.ids[title] = self.tx.insert(models.CodeArtifact, title=title, language="python", code=code)
        for memory in memories:
            self.tx.insert(models.MemoryCodeArtifact, code_artifact_id=id, memory_id=self.ids[memory])

    async def index(self) -> None:
        """Make everything findable by its words."""
        vectors = await HashEmbedder().embed([text for _, _, text in self.texts])
        for (kind, id, text), vector in zip(self.texts, vectors, strict=True):
            self.tx.index(kind, id, text, vector)


async def ledger(store: Store, volume: UUID) -> dict[str, UUID]:
    """Write a few notes on a ledger, and return the ids of everything by name.

    "ledger design" is what a query of these words finds first. It is linked to "retries", that to "audit", and an obsolete one to it. It
    is about Ledger, which uses Queue twice, as Queue feeds it; Ada owns it; Queue runs on Cluster, which no memory is about. Its project
    has Archive, which "holiday" is about.
    """
    async with store.write(volume, "test") as tx:
        notes = Notes(tx)
        for name in ("Ledger", "Queue", "Ada", "Cluster", "Archive"):
            notes.entity(name, "person" if name == "Ada" else "service")
        for source, type, target in (
            ("Ledger", "USES", "Queue"),
            ("Ledger", "READS", "Queue"),
            ("Queue", "FEEDS", "Ledger"),
            ("Ada", "OWNS", "Ledger"),
            ("Ledger", "CALLS", "Ledger"),
            ("Queue", "RUNS_ON", "Cluster"),
        ):
            notes.edge(source, type, target, confidence=0.9, strength=1.0)
        notes.memory("ledger design", "double entry", ["Ledger"], tags=["books"], keywords=["Accounts"])
        notes.memory("retries", "keys that repeat", ["Queue"], tags=["Books"])
        notes.memory("audit", "who looked when", ["Ledger"])
        notes.memory("gone", "it was so once", ["Ledger"], obsolete=True)
        notes.memory("holiday", "sun and sea", ["Archive"])
        notes.link("ledger design", "retries", 0.8)
        notes.link("retries", "audit")
        notes.link("ledger design", "gone", 0.9)
        notes.project("Payments", ["Ada", "Archive"], ["ledger design"])
        notes.document("Specification", ["ledger design"])
        notes.code("posting", "post(entry)", ["retries"])
        await notes.index()
    return notes.ids


async def wide(store: Store, volume: UUID, width: int, of: str = "pump") -> None:
    """Write so many notes of each kind `of` something, each tied to the next two of every kind."""
    async with store.write(volume, "test") as tx:
        notes = Notes(tx)
        for n in range(width):
            notes.entity(f"{of} unit {n}", description=f"It moves water at place {n}.")
        for n in range(width):
            notes.fact(f"{of} unit {n}", f"{of} note {n} is about it")
            for step in (1, 2):
                notes.edge(
                    f"{of} unit {n}", f"FEEDS_{step}", f"{of} unit {(n + step) % width}", confidence=0.8 + n % 3 / 10
                )
        for n in range(width):
            about = {f"{of} unit {n}", f"{of} unit {(n * 7 + 1) % width}"}
            text = f"The {of} at place {n} ran dry, and somebody saw it " + "again " * (n % 5)
            notes.memory(f"{of} note {n}", text, sorted(about), tags=["water", f"place {n % 4}"], importance=1 + n % 10)
        for n in range(1, width):
            for step in (1, 3):
                if n >= step:
                    notes.link(f"{of} note {n}", f"{of} note {n - step}", 0.7 + n % 3 / 10)
        for n in range(width):
            own = [f"{of} note {n}", f"{of} note {(n + 1) % width}"] if width > 1 else [f"{of} note {n}"]
            notes.document(f"{of} manual {n}", own)
            notes.code(f"start {of} {n}", f"{of}s[{n}].start()", own)
            notes.project(f"{of} site {n}", {f"{of} unit {n}", f"{of} unit {(n + 3) % width}"}, own)
        await notes.index()
