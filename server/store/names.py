"""Reading entities by their names: whose a match key is, what else an entity is called, and what is stored as alike."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import bindparam, select, union_all

from server import models
from server.store import blocks, records, selections
from server.store.reads import Reads
from server.store.relations import table_of
from server.store.selections import columns_of

__all__ = ["Names"]


# A statement whose text never changes is made once: SQLAlchemy takes longer to make one than SQLite to answer it.
@cache
def _named() -> Any:
    """Return the statement for the entities, merged ones too, with these match keys of these volumes, as their own or as an alias."""
    entity, alias = table_of(models.Entity), table_of(models.Alias)
    columns = columns_of(records.EntityRecord)
    volumes: Any = bindparam("volumes", expanding=True)
    keys: Any = bindparam("names", expanding=True)
    own = select(entity.c.match_key, *columns)
    own = own.where(entity.c.volume_id.in_(volumes), entity.c.match_key.in_(keys))
    other = select(alias.c.match_key, *columns).select_from(alias.join(entity, entity.c.id == alias.c.entity_id))
    return union_all(own, other.where(alias.c.volume_id.in_(volumes), alias.c.match_key.in_(keys)))


class Names(Reads):
    """The part of a reader that is about names."""

    async def entities_named_in(
        self, volumes: Sequence[UUID], keys: Sequence[str]
    ) -> list[dict[str, list[records.EntityRecord]]]:
        """Return what `entities_named` does for each of several volumes, in as many statements."""
        wanted = list(dict.fromkeys(keys))
        found: dict[UUID, dict[str, dict[UUID, records.EntityRecord]]] = {
            v: {key: {} for key in wanted} for v in volumes
        }
        for start in range(0, len(wanted), 500):
            values = {"volumes": list(volumes), "names": wanted[start : start + 500]}
            for row in await self.rows(_named(), values):
                entity = records.EntityRecord._make(row[1:])
                found[entity.volume_id][row[0]][entity.id] = entity
        return [
            {key: [entities[id] for id in sorted(entities)] for key, entities in found[volume].items()}
            for volume in volumes
        ]

    async def entities_named(self, volume: UUID, keys: Sequence[str]) -> dict[str, list[records.EntityRecord]]:
        """Return, for each match key, the entities that have it as their own or as an alias, oldest first, merged ones among them.

        One statement for each 500 keys.
        """
        return (await self.entities_named_in([volume], keys))[0]

    async def other_names(self, entities: Sequence[UUID]) -> list[list[str]]:
        """Return the names of entities beside their own, in the order of their match keys: aliases, and all names of what was merged
        into them. One statement.
        """
        if not entities:
            return []
        found: dict[UUID, dict[str, str]] = {id: {} for id in entities}
        for id, key, name in await self._of_keys(selections.other_names(self.dialect), list(found)):
            found[id].setdefault(key, name)
        return [[names[key] for key in sorted(names)] for names in map(found.__getitem__, entities)]

    async def blocked(self, volume: UUID, keys: Sequence[int], most: int) -> dict[int, list[str]]:
        """Return the entities, in hexadecimal, that are stored under each of these keys of likeness, the oldest `most` of each.

        One statement.
        """
        found: dict[int, list[str]] = {}
        if keys:
            values = blocks.values(self.dialect, volume, keys, most)
            for key, entities in await self.rows(blocks.of_keys(self.dialect), values):
                found.setdefault(key, []).extend(blocks.entities(self.dialect, entities))
        return found
