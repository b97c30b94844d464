"""What reads return: named tuples, one class per kind of row, with the columns in the table's own names.

They are cheap to make by the thousand and can do nothing: no lazy loading, no I/O, no change.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID


class VolumeRecord(NamedTuple):
    """A volume."""

    id: UUID
    name: str
    description: str | None
    vocabulary: dict[str, Any] | None
    version: int
    created_at: datetime
    updated_at: datetime


class EntityRecord(NamedTuple):
    """An entity."""

    id: UUID
    volume_id: UUID
    name: str
    match_key: str
    type: str
    type_stated: bool
    sense: str
    description: str | None
    described_by: UUID | None
    properties: dict[str, Any]
    confidence: float
    importance: float
    origin: str
    version: int
    created_at: datetime
    updated_at: datetime
    merged_into: UUID | None = None


class MergeRecord(NamedTuple):
    """A record that two entities are one, undone or not."""

    id: UUID
    volume_id: UUID
    survivor_id: UUID
    merged_id: UUID
    reason: str | None
    moved: dict[str, int]
    actor: str
    at: datetime
    undone_by: str | None
    undone_at: datetime | None


class ApartRecord(NamedTuple):
    """What a claim is by itself while it counts as one with others."""

    id: UUID
    fact_id: UUID | None
    relationship_id: UUID | None
    columns: dict[str, Any]
    evidence: list[str]


class AliasRecord(NamedTuple):
    """Another name of an entity."""

    entity_id: UUID
    match_key: str
    name: str
    document_id: UUID | None


class FactRecord(NamedTuple):
    """The present version of a fact."""

    id: UUID
    volume_id: UUID
    subject_id: UUID
    stated_subject_id: UUID | None
    folded_into: UUID | None
    content: str
    category: str | None
    importance: float
    predicate: str | None
    value: str | None
    value_type: str
    claim_key: str
    confidence: float
    authority: str
    status: str
    status_reason: str | None
    valid_from: datetime | None
    valid_from_precision: str | None
    valid_to: datetime | None
    valid_to_precision: str | None
    superseded_at: datetime | None
    superseded_by: UUID | None
    known_from: datetime
    version: int
    created_at: datetime
    updated_at: datetime


class RelationshipRecord(NamedTuple):
    """The present version of a relationship."""

    id: UUID
    volume_id: UUID
    source_id: UUID
    target_id: UUID
    stated_source_id: UUID | None
    stated_target_id: UUID | None
    folded_into: UUID | None
    type: str
    stated_type: str | None
    description: str | None
    strength: float
    bidirectional: bool
    mutual: bool
    properties: dict[str, Any]
    confidence: float
    authority: str
    status: str
    status_reason: str | None
    valid_from: datetime | None
    valid_from_precision: str | None
    valid_to: datetime | None
    valid_to_precision: str | None
    superseded_at: datetime | None
    superseded_by: UUID | None
    known_from: datetime
    version: int
    created_at: datetime
    updated_at: datetime


class EvidenceRecord(NamedTuple):
    """The words a claim rests on."""

    id: UUID
    fact_id: UUID | None
    relationship_id: UUID | None
    document_id: UUID | None
    revision: int | None
    stated_id: UUID | None
    stated_source_id: UUID | None
    stated_target_id: UUID | None
    quote: str
    said: str | None
    start: int | None
    end: int | None
    authority: str
    confidence: float
    verified: bool
    origin: str
    live: bool
    ended_at: datetime | None
    redates: bool | None
    dealt_from: UUID | None
    valid_from: datetime | None
    valid_from_precision: str | None
    valid_to: datetime | None
    valid_to_precision: str | None
    created_at: datetime


class PredicateRecord(NamedTuple):
    """A predicate or relationship type in use."""

    id: UUID
    volume_id: UUID
    name: str
    cardinality: str
    inverse: str | None
    symmetric: bool
    half_life_days: float | None
    description: str | None


class ConflictRecord(NamedTuple):
    """A conflict between claims."""

    id: UUID
    volume_id: UUID
    subject_id: UUID
    node_kind: str
    predicate: str
    status: str
    reason: str | None
    winner_id: UUID | None
    decided_for: UUID | None
    decided_reason: str | None
    decided_by: str | None
    decided_at: datetime | None
    opened_at: datetime
    version: int


class ConflictClaimRecord(NamedTuple):
    """A claim of a conflict."""

    id: UUID
    volume_id: UUID
    conflict_id: UUID
    fact_id: UUID | None
    relationship_id: UUID | None
    takes_part: bool
    decided_as: str | None


class MemoryRecord(NamedTuple):
    """A memory."""

    id: UUID
    volume_id: UUID
    title: str
    content: str
    context: str | None
    keywords: list[str]
    tags: list[str]
    importance: int
    obsolete: bool
    obsolete_reason: str | None
    superseded_by_id: UUID | None
    provenance: dict[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime


class MemoryLinkRecord(NamedTuple):
    """An undirected link between two memories; left_id < right_id."""

    id: UUID
    volume_id: UUID
    left_id: UUID
    right_id: UUID
    type: str
    similarity: float | None
    automatic: bool


class DocumentRecord(NamedTuple):
    """A document, without its content."""

    id: UUID
    volume_id: UUID
    title: str
    uri: str | None
    mime_type: str
    authority: str
    content_hash: str
    revision: int
    created_at: datetime


class CopyRecord(NamedTuple):
    """Another source of a document's current content."""

    id: UUID
    volume_id: UUID
    document_id: UUID
    uri: str | None
    title: str
    mime_type: str
    authority: str


class ChunkRecord(NamedTuple):
    """A chunk of a document."""

    id: UUID
    volume_id: UUID
    document_id: UUID
    revision: int
    ordinal: int
    text: str
    start: int
    end: int


class IngestionRecord(NamedTuple):
    """A run of the extraction pipeline."""

    id: UUID
    volume_id: UUID
    document_id: UUID
    revision: int
    status: str
    error: str | None
    extractor: str
    chunks_total: int
    chunks_done: int
    entities_found: int
    facts_found: int
    relationships_found: int
    input_tokens: int
    output_tokens: int
    budget: int | None
    batch: bool
    actor: str
    chunk_size: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class DeadJobRecord(NamedTuple):
    """A step that was given up, and why."""

    ingestion_id: UUID
    kind: str
    ordinal: int
    error: str | None
    raw: str | None
    failures: int
    kills: int
    waits: int


class RejectionRecord(NamedTuple):
    """Something an extractor returned and the checks refused, or kept and noted."""

    ingestion_id: UUID
    ordinal: int
    kind: str
    item: dict[str, Any]
    reason: str
    kept: bool


class UploadRecord(NamedTuple):
    """The text of a file that was sent ahead of its document."""

    id: UUID
    volume_id: UUID
    name: str | None
    title: str | None
    mime_type: str
    text: str
    created_at: datetime


class ReviewRecord(NamedTuple):
    """A question that a person is to decide, or has decided."""

    id: UUID
    volume_id: UUID
    kind: str
    question: str
    fact_id: UUID | None
    relationship_id: UUID | None
    left_id: UUID | None
    right_id: UUID | None
    conflict_id: UUID | None
    score: float | None
    reasons: list[str]
    importance: float
    precedence: float
    due_since: datetime | None
    opened_at: datetime
    decision: str | None
    answer: str | None
    decided_by: str | None
    decided_at: datetime | None


class ProjectRecord(NamedTuple):
    """A project."""

    id: UUID
    volume_id: UUID
    name: str
    description: str | None
    status: str
    version: int
    created_at: datetime
    updated_at: datetime


class CodeArtifactRecord(NamedTuple):
    """A code artifact."""

    id: UUID
    volume_id: UUID
    title: str
    language: str
    code: str
    description: str | None
    tags: list[str]
    version: int
    created_at: datetime
    updated_at: datetime


class ChangeRecord(NamedTuple):
    """An entry of the change log; a bulk entry lists its nodes in `batch`."""

    seq: int
    volume_id: UUID
    kind: str
    node_kind: str | None
    node_id: UUID | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    batch: list[list[str]] | None
    size: int
    actor: str
    at: datetime
