"""Reading claims for decisions: which say the same, which may compete, what they were before, and whom they lead to.

The lists of claims that clients page through are relations (server/store/relations.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import case, func, or_, select, tuple_
from sqlmodel import SQLModel

from server import models
from server.store import records, selections
from server.store.believing import NOW, present
from server.store.reads import Reads
from server.store.relations import counting, table_of
from server.store.selections import TABLES, columns_of
from server.store.statements import Record, keys_table, keys_value
from server.terms import DEFAULT_VIEW, ClaimStatus

__all__ = ["Claims"]

_CONTESTED = (ClaimStatus.DISPUTED.value, ClaimStatus.SUPERSEDED.value)


class Claims(Reads):
    """The part of a reader that is about claims."""

    async def subjects_contested(
        self, model: type[SQLModel], column: str, volume: UUID, predicate: str, *, several: bool
    ) -> list[UUID]:
        """Return the entities about which a claim of a predicate has lost or is disputed, or whose evidence has been dealt out, in order.

        With `several` also those that several claims are about. One statement.
        """
        table, evidence = table_of(model), table_of(models.Evidence)
        facts = "predicate" in table.c
        name = table.c.predicate if facts else table.c.type
        claim = evidence.c.fact_id if facts else evidence.c.relationship_id
        dealt = select(evidence.c.id).where(claim == table.c.id, evidence.c.live, evidence.c.dealt_from.is_not(None))
        lost = or_(table.c.status.in_(_CONTESTED), table.c.superseded_by.is_not(None), dealt.exists())
        wanted = (table.c.volume_id == volume, name == predicate, table.c.folded_into.is_(None))
        many = [func.count() > 1] if several else []
        statement = select(table.c[column]).where(*wanted).group_by(table.c[column])
        statement = statement.having(or_(func.max(case((lost, 1), else_=0)) == 1, *many))
        return [row[0] for row in await self.rows(statement.order_by(table.c[column]))]

    async def relationships_between(
        self, ends: Collection[tuple[UUID, UUID]], types: Collection[str]
    ) -> list[records.RelationshipRecord]:
        """Return the relationships of these types with just these (source, target), oldest first. One statement for 500.

        Those that are set aside are as with `same_relationships`.
        """
        table, pairs = table_of(models.Relationship), sorted(ends)
        found: list[records.RelationshipRecord] = []
        for start in range(0, len(pairs), 500):
            between = tuple_(table.c.source_id, table.c.target_id).in_(pairs[start : start + 500])
            there = or_(table.c.folded_into.is_(None), table.c.folded_into == table.c.id)
            wanted = (between, there, table.c.type.in_(sorted(types)))
            statement = select(*columns_of(records.RelationshipRecord)).where(*wanted)
            rows = await self.rows(statement.order_by(table.c.id))
            found += [records.RelationshipRecord._make(row) for row in rows]
        return found

    async def same_facts(
        self, subjects: Sequence[UUID], keys: Collection[str], by: str = "claim_key"
    ) -> list[records.FactRecord]:
        """Return the facts of these subjects with one of these claim keys, or predicates, oldest first. One statement per 500 subjects."""
        return await self._same(records.FactRecord, "subject_id", subjects, by, keys)

    async def same_relationships(
        self, sources: Sequence[UUID], types: Collection[str]
    ) -> list[records.RelationshipRecord]:
        """Return the relationships of these types that start at these entities, oldest first. One statement per 500.

        Those that are set aside because they would lead from an entity to itself are among them, from the ends they were stated for.
        """
        return await self._same(records.RelationshipRecord, "source_id", sources, "type", types)

    async def _same(
        self, record: type[Record], column: str, ids: Sequence[UUID], name: str, values: Collection[str]
    ) -> list[Record]:
        table, wanted = table_of(TABLES[record]), set(values)
        found: list[Record] = []
        for start in range(0, len(ids), 500):
            statement = select(*columns_of(record)).where(table.c[column].in_(list(ids[start : start + 500])))
            itself = [table.c.folded_into == table.c.id] if record is records.RelationshipRecord else []
            statement = statement.where(or_(table.c.folded_into.is_(None), *itself))
            if len(wanted) <= 500:
                statement = statement.where(table.c[name].in_(sorted(wanted)))
            found += [record._make(row) for row in await self.rows(statement.order_by(table.c.id))]  # type: ignore[attr-defined]
        return [row for row in found if getattr(row, name) in wanted]

    async def earlier_versions(
        self, past: type[SQLModel], ids: Sequence[UUID], columns: Sequence[str]
    ) -> list[tuple[Any, ...]]:
        """Return (id, *columns) of each earlier version of these claims, in the order of ids and versions. One statement."""
        if not ids:
            return []
        keys, table = keys_table(self.dialect), table_of(past)
        statement = select(table.c.id, *(table.c[name] for name in columns))
        statement = statement.select_from(keys.join(table, table.c.id == keys.c.value))
        return [tuple(row) for row in await self._by_keys(statement.order_by(keys.c.key, table.c.version), ids)]

    async def neighbours(self, entities: Sequence[UUID]) -> dict[UUID, set[UUID]]:
        """Return the entities that share a live relationship with each of these. For a few entities; two statements."""
        edge = table_of(models.Relationship)
        found: dict[UUID, set[UUID]] = {id: set() for id in entities}
        for own, other in ((edge.c.source_id, edge.c.target_id), (edge.c.target_id, edge.c.source_id)):
            statement = select(own, other).where(own.in_(list(entities)), edge.c.status.in_(DEFAULT_VIEW))
            statement = statement.where(*counting(edge)).limit(10_000)
            for mine, neighbour in await self.rows(statement):
                found[mine].add(neighbour)
        return found

    async def stale_entities(self, entities: Sequence[UUID]) -> set[UUID]:
        """Return those of these entities that a stale claim is about at present. One statement."""
        if not entities:
            return set()
        values = {"keys": keys_value(self.dialect, list(dict.fromkeys(entities))), NOW: present()}
        return {row[0] for row in await self.fetch(selections.stale_entities(self.dialect), values)}
