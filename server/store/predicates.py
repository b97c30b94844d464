"""Reading the predicates and relationship types of volumes, and what they are the inverse of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import or_, select

from server import models
from server.store import records, selections
from server.store.reads import Reads
from server.store.relations import table_of
from server.store.selections import columns_of

__all__ = ["Predicates"]


class Predicates(Reads):
    """The part of a reader that is about predicates."""

    async def inverses(self, volumes: Sequence[UUID]) -> dict[UUID, dict[str, str]]:
        """Return, for each volume, its predicates that have another one as their inverse, each with that one. One statement."""
        found: dict[UUID, dict[str, str]] = {volume: {} for volume in volumes}
        for volume, name, inverse in await self._of_keys(selections.inverses(self.dialect), list(found)):
            found[volume][name] = inverse
        return found

    async def predicates_about(self, volume: UUID, names: Collection[str]) -> list[records.PredicateRecord]:
        """Return the volume's predicates of these names, and those that have one of them as their inverse. One statement for 500."""
        table, wanted = table_of(models.Predicate), sorted(names)
        found: dict[UUID, records.PredicateRecord] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            statement = select(*columns_of(records.PredicateRecord)).where(table.c.volume_id == volume)
            for row in await self.rows(statement.where(or_(table.c.name.in_(part), table.c.inverse.in_(part)))):
                found[row[0]] = records.PredicateRecord._make(row)
        return list(found.values())

    async def predicates_named(self, volume: UUID, names: Sequence[str]) -> list[records.PredicateRecord]:
        """Return the predicates and relationship types of a volume with these names. One statement per 500."""
        table, found = table_of(models.Predicate), list[records.PredicateRecord]()
        for start in range(0, len(names), 500):
            statement = select(*columns_of(records.PredicateRecord)).where(table.c.volume_id == volume)
            rows = await self.rows(statement.where(table.c.name.in_(list(names[start : start + 500]))))
            found += map(records.PredicateRecord._make, rows)
        return found
