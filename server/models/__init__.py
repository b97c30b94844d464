"""The tables. What they mean is in their modules; how they are written and read is the store's."""

from sqlmodel import SQLModel

from server.models.changes import Change, Follower, LogHead, PendingVector, TokenVectors
from server.models.claims import (
    Evidence,
    Fact,
    FactVersion,
    Predicate,
    Relationship,
    RelationshipVersion,
)
from server.models.conflicts import Conflict, ConflictClaim
from server.models.documents import Chunk, Document, DocumentCopy, DocumentRevision, Ingestion, Rejection, Upload
from server.models.entities import Alias, DocumentEntity, Entity, EntityBlock, Mention
from server.models.jobs import Job, Lane, MessageBatch
from server.models.memories import (
    Memory,
    MemoryCodeArtifact,
    MemoryDocument,
    MemoryEntity,
    MemoryLink,
    MemoryProject,
    MemoryTag,
)
from server.models.merges import ClaimApart, EntityMerge
from server.models.projects import CodeArtifact, Project, ProjectDocument, ProjectEntity
from server.models.rankings import Ranking
from server.models.reviews import Review
from server.models.volumes import IdempotentResult, StoreSetting, Volume

metadata = SQLModel.metadata
Model = SQLModel
"""A table, for those who name one and know nothing else of it."""

__all__ = [
    "Alias",
    "Change",
    "Chunk",
    "ClaimApart",
    "CodeArtifact",
    "Conflict",
    "ConflictClaim",
    "Document",
    "DocumentCopy",
    "DocumentEntity",
    "DocumentRevision",
    "Entity",
    "EntityBlock",
    "EntityMerge",
    "Evidence",
    "Fact",
    "FactVersion",
    "Follower",
    "IdempotentResult",
    "Ingestion",
    "Job",
    "Lane",
    "LogHead",
    "Memory",
    "MemoryCodeArtifact",
    "MemoryDocument",
    "MemoryEntity",
    "MemoryLink",
    "MemoryProject",
    "MemoryTag",
    "Mention",
    "MessageBatch",
    "Model",
    "PendingVector",
    "Predicate",
    "Project",
    "ProjectDocument",
    "ProjectEntity",
    "Ranking",
    "Rejection",
    "Relationship",
    "RelationshipVersion",
    "Review",
    "StoreSetting",
    "TokenVectors",
    "Upload",
    "Volume",
    "metadata",
]
