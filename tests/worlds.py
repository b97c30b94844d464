"""Graphs for tests of reading: every kind of node, tied to every other kind, as wide as asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from uuid import UUID

from server import models
from server.ids import NodeKind, new_id
from server.store import Store, Transaction
from server.terms import ChangeKind

FACTS = 3
"""How many facts each entity has."""


@dataclass
class World:
    """The ids of what was made, by kind, oldest first.

    The n-th thing of each kind belongs to the n-th of the others. Before the memories stand two that belong to nothing,
    the second of them obsolete.
    """

    volume: UUID
    entities: list[UUID] = field(default_factory=list)
    facts: list[UUID] = field(default_factory=list)
    relationships: list[UUID] = field(default_factory=list)
    documents: list[UUID] = field(default_factory=list)
    chunks: list[UUID] = field(default_factory=list)
    ingestions: list[UUID] = field(default_factory=list)
    memories: list[UUID] = field(default_factory=list)
    projects: list[UUID] = field(default_factory=list)
    code_artifacts: list[UUID] = field(default_factory=list)


async def new_volume(store: Store, name: str) -> UUID:
    id = new_id()
    async with store.write_new_volume(id, "test") as tx:
        tx.insert(models.Volume, id=id, name=name)
        tx.log(ChangeKind.CREATED, NodeKind.VOLUME, id, after={"name": name})
    return id


async def new_world(store: Store, volume: UUID, width: int) -> World:
    """Make `width` things of each kind; entities have three facts, two of them in conflict, and two relationships, documents mention
    two entities.
    """
    world = World(volume)
    async with store.write(volume, "test") as tx:
        for n in range(width):
            name = f"Thing {n:04}"
            world.entities.append(
                tx.insert(models.Entity, name=name, match_key=f"thing {n:04}", type="concept", importance=n % 3 / 2)
            )
            tx.insert(models.Alias, entity_id=world.entities[-1], match_key=f"other {n:04}", name=f"Other {n:04}")
        for n in range(width):
            _documents(tx, world, n)
        for n in range(width):
            _claims(tx, world, n)
        first = tx.insert(models.Memory, title="The first of all", content="There are ideas")
        old = tx.insert(models.Memory, title="Before it", content="None", obsolete=True, superseded_by_id=first)
        world.memories += [first, old]
        for n in range(width):
            _memories(tx, world, n)
        for n in range(width):
            tx.insert(models.Predicate, name=f"LEADS_TO_{n:04}")
        for entity in world.entities:
            tx.log(ChangeKind.CREATED, NodeKind.ENTITY, entity, after={"name": "Thing"})
        tx.log_batch(ChangeKind.CREATED, [(NodeKind.FACT, fact) for fact in world.facts])
    return world


def _documents(tx: Transaction, world: World, n: int) -> None:
    text = f"Document {n:04} of {world.volume}"
    document = tx.insert(
        models.Document,
        title=f"Document {n:04}",
        mime_type="text/plain",
        content_hash=sha256(text.encode()).hexdigest(),
    )
    tx.insert(models.DocumentRevision, document_id=document, number=1, content=text)
    chunk = tx.insert(models.Chunk, document_id=document, revision=1, ordinal=0, text=text[:8], start=0, end=8)
    run = tx.insert(models.Ingestion, document_id=document, revision=1, status="DONE", extractor="scripted")
    tx.insert(models.Rejection, ingestion_id=run, ordinal=0, kind="fact", item={"n": n}, reason="It has no quote.")
    for entity in {_around(world.entities, n), _around(world.entities, n + 1)}:
        tx.insert(models.DocumentEntity, document_id=document, entity_id=entity)
    world.documents.append(document)
    world.chunks.append(chunk)
    world.ingestions.append(run)


def _claims(tx: Transaction, world: World, n: int) -> None:
    subject, document = world.entities[n], world.documents[n]
    for k in range(FACTS):
        content = f"Thing {n:04} has property {k}"
        fact = tx.insert(
            models.Fact, subject_id=subject, content=content, claim_key=content, importance=k / 2, confidence=0.8
        )
        tx.insert(models.Evidence, fact_id=fact, document_id=document, revision=1, quote=content, verified=True)
        world.facts.append(fact)
    shared = {"subject_id": subject, "node_kind": NodeKind.FACT.value, "predicate": "HAS", "status": "OPEN"}
    conflict = tx.insert(models.Conflict, **shared)
    tx.insert(models.Review, kind="CONFLICT", question=f"CONFLICT:cfl:{conflict.hex}", conflict_id=conflict)
    for fact in world.facts[-FACTS:-1]:
        tx.insert(models.ConflictClaim, conflict_id=conflict, fact_id=fact)
    asked = f"LOW_CONFIDENCE:fct:{world.facts[-1].hex}"
    tx.insert(models.Review, kind="LOW_CONFIDENCE", question=asked, fact_id=world.facts[-1])
    stale = {"fact_id": world.facts[-1], "due_since": datetime(2026, 1, 1, tzinfo=UTC)}
    tx.insert(models.Review, kind="STALE", question=f"STALE:fct:{world.facts[-1].hex}", **stale)
    pair = {"left_id": subject, "right_id": _around(world.entities, n + 1), "score": 0.9, "reasons": ["alike"]}
    tx.insert(models.Review, kind="DUPLICATE", question=f"DUPLICATE:ent:{subject.hex}", **pair)
    for step in (1, 2):
        edge = tx.insert(
            models.Relationship, source_id=subject, target_id=_around(world.entities, n + step), type=f"STEP_{step}"
        )
        tx.insert(models.Evidence, relationship_id=edge, document_id=document, revision=1, quote="Document")
        world.relationships.append(edge)


def _memories(tx: Transaction, world: World, n: int) -> None:
    """The n-th memory is linked to the one before; every third is obsolete, its place taken by the one before."""
    before, obsolete = world.memories[-1 if n else 0], n % 3 == 1
    memory = tx.insert(
        models.Memory,
        title=f"Memory {n:04}",
        content=f"The idea of number {n}",
        importance=1 + n % 10,
        obsolete=obsolete,
        superseded_by_id=before if obsolete else None,
    )
    tx.insert(models.MemoryLink, left_id=before, right_id=memory, type="RELATED", similarity=0.75, automatic=True)
    project = tx.insert(models.Project, name=f"Project {n:04}")
    artifact = tx.insert(models.CodeArtifact, title=f"Code {n:04}", language="python", code="pass")
    tx.insert(models.MemoryEntity, memory_id=memory, entity_id=world.entities[n])
    tx.insert(models.MemoryDocument, memory_id=memory, document_id=world.documents[n])
    tx.insert(models.MemoryCodeArtifact, memory_id=memory, code_artifact_id=artifact)
    tx.insert(models.MemoryProject, memory_id=memory, project_id=project)
    tx.insert(models.ProjectEntity, project_id=project, entity_id=world.entities[n])
    tx.insert(models.ProjectDocument, project_id=project, document_id=world.documents[n])
    world.memories.append(memory)
    world.projects.append(project)
    world.code_artifacts.append(artifact)


def _around(ids: list[UUID], n: int) -> UUID:
    return ids[n % len(ids)]
