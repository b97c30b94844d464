"""The root of writes. Its fields are nullable: a refused one does not blank its siblings."""

from __future__ import annotations

import strawberry

from schema.mutations.documents import DocumentMutations
from schema.mutations.entities import EntityMutations
from schema.mutations.facts import FactMutations
from schema.mutations.imports import ImportMutations
from schema.mutations.ingestions import IngestionMutations
from schema.mutations.memories import MemoryMutations
from schema.mutations.merges import MergeMutations
from schema.mutations.predicates import PredicateMutations
from schema.mutations.projects import ProjectMutations
from schema.mutations.relationships import RelationshipMutations
from schema.mutations.reviews import ReviewMutations
from schema.mutations.volumes import VolumeMutations


@strawberry.type(description="Writes: each is one transaction, or a refusal that changed nothing.")
class Mutation(
    VolumeMutations,
    DocumentMutations,
    IngestionMutations,
    EntityMutations,
    MergeMutations,
    FactMutations,
    RelationshipMutations,
    ImportMutations,
    MemoryMutations,
    ProjectMutations,
    ReviewMutations,
    PredicateMutations,
):
    pass
