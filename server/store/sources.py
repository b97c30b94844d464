"""Reading what documents have brought: their claims, and the entities that they name or alone know of."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import ColumnElement, or_, select
from sqlmodel import SQLModel

from server import models
from server.store.reads import Reads
from server.store.relations import table_of
from server.terms import Origin

__all__ = ["Sources"]

_USES: tuple[tuple[type[SQLModel], str], ...] = (
    (models.Fact, "subject_id"),
    (models.Fact, "stated_subject_id"),
    (models.Relationship, "source_id"),
    (models.Relationship, "stated_source_id"),
    (models.Relationship, "target_id"),
    (models.Relationship, "stated_target_id"),
    (models.Evidence, "stated_source_id"),
    (models.Evidence, "stated_target_id"),
    (models.MemoryEntity, "entity_id"),
    (models.ProjectEntity, "entity_id"),
)
"""What knows of an entity, beside documents and merges."""


class Sources(Reads):
    """The part of a reader that is about documents as sources."""

    async def claims_of_document(self, column: str, document: UUID) -> dict[UUID, bool]:
        """Return the claims that a document is evidence for (`column` says which kind), and whether others support them too."""
        own, other = table_of(models.Evidence).alias(), table_of(models.Evidence).alias()
        elsewhere = or_(other.c.document_id != document, other.c.document_id.is_(None))
        shared = select(other.c.id).where(other.c[column] == own.c[column], elsewhere).exists()
        statement = (
            select(own.c[column], shared).where(own.c.document_id == document, own.c[column].is_not(None)).distinct()
        )
        return {row[0]: bool(row[1]) for row in await self.rows(statement)}

    async def entities_of_document_alone(self, document: UUID, *, survivors: bool = False) -> list[UUID]:
        """Return the extracted entities that a document, at any revision, mentions and nothing else in the volume knows of.

        Each counts by what was stated for it; one that others were merged into is known of. `survivors`: instead those of which nothing
        but such merges knows.
        """
        entity = table_of(models.Entity)
        mine = table_of(models.DocumentEntity)
        elsewhere, merge = mine.alias(), table_of(models.EntityMerge).alias()
        needed = [
            select(elsewhere.c.entity_id).where(
                elsewhere.c.entity_id == entity.c.id, elsewhere.c.document_id != document, elsewhere.c.stated
            ),
        ]
        into = select(merge.c.id).where(merge.c.survivor_id == entity.c.id, merge.c.undone_at.is_(None)).exists()
        for model, column in _USES:
            used = table_of(model).alias()
            own: list[ColumnElement[bool]] = [used.c.stated] if "stated" in used.c else []
            own += [used.c[f"stated_{column}"].is_(None)] if f"stated_{column}" in used.c else []
            needed.append(select(used.c[column]).where(used.c[column] == entity.c.id, *own))
        statement = (
            select(entity.c.id).join(mine, mine.c.entity_id == entity.c.id).where(mine.c.document_id == document)
        )
        statement = statement.where(entity.c.origin == Origin.EXTRACTED.value, *(~use.exists() for use in needed))
        statement = statement.where(into if survivors else ~into)
        return [row[0] for row in await self.rows(statement.order_by(entity.c.id))]

    async def entities_named_by(self, document: UUID) -> dict[UUID, bool]:
        """Return the entities, as they were named, that a document has ever named, each with whether it did so when it was read last."""
        table = table_of(models.DocumentEntity)
        statement = select(table.c.entity_id, table.c.stated).where(table.c.document_id == document)
        statement = statement.where(table.c.stated.is_not(None))
        return {row[0]: bool(row[1]) for row in await self.rows(statement)}

    async def entities_since(self, document: UUID) -> list[UUID]:
        """Return the entities that a document mentions and that are not older than it: those it may have described."""
        entity, mine, own = (table_of(m) for m in (models.Entity, models.DocumentEntity, models.Document))
        joined = entity.join(mine, mine.c.entity_id == entity.c.id).join(own, own.c.id == mine.c.document_id)
        statement = select(entity.c.id).select_from(joined).where(own.c.id == document)
        rows = await self.rows(statement.where(entity.c.created_at >= own.c.created_at).order_by(entity.c.id))
        return [row[0] for row in rows]
