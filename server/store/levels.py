"""Reading what the levels of a query need: rows by their ids, lists, pages and counts of many parents at once.

Such reads are prepared once and bound anew each time (server/store/selections.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from server.store import selections
from server.store.filters import Everything, Filter
from server.store.reads import Reads
from server.store.relations import PAST, Relation, Sorting
from server.store.scopes import scope_of, view_values
from server.store.selections import End
from server.store.statements import KeysetValue, Page, Record, after_values, by_ordinal, keys_value
from server.views import View

__all__ = ["Levels"]

_NOTHING = Everything()
_BY_ID = Sorting()


class Levels(Reads):
    """The part of a reader that answers whole levels."""

    async def by_ids(
        self,
        record: type[Record],
        ids: Sequence[UUID],
        columns: frozenset[str] | None = None,
        view: View | None = None,
    ) -> list[Record | None]:
        """Return the rows with these ids, None where there is none. One statement.

        Of rows that only some `columns` are wanted of, the others are missing, save the id. A claim is the version that a `view`
        knows; its dates and its confidence, as its status, keep it from no one who has its id.
        """
        if not ids:
            return []
        known = None if view is None or record not in PAST else view.known
        statement, make = selections.of_keys(self.dialect, record, columns, known=known is not None)
        values = {} if known is None else {"known": known}
        rows = await self._of_keys(statement, list(dict.fromkeys(ids)), values)
        found = {row[0]: make(row) for row in rows}
        return [found.get(id) for id in ids]

    async def lists(
        self,
        record: type[Record],
        column: str,
        keys: Sequence[UUID],
        *order: str,
        columns: frozenset[str] | None = None,
        known: datetime | None = None,
    ) -> list[list[Record]]:
        """Return all rows whose `column` is the key, ordered; for lists that are short by nature. One statement.

        Of rows that only some `columns` are wanted of, the others are missing, save the id. Of rows that are stamped, only those that
        were there at the `known` instant.
        """
        if not keys:
            return []
        statement, make = selections.lists_of_keys(
            self.dialect, record, columns, column, order, known=known is not None
        )
        lists: dict[UUID, list[Record]] = {key: [] for key in keys}
        for row in await self._of_keys(statement, list(lists), {} if known is None else {"known": known}):
            lists[row[0]].append(make(row[1:]))
        return [lists[key] for key in keys]

    async def pages(
        self,
        relation: Relation[Record],
        parents: Sequence[UUID],
        filter: Filter = _NOTHING,
        *,
        first: int,
        sorting: Sorting = _BY_ID,
        after: Sequence[KeysetValue] | None = None,
        columns: frozenset[str] | None = None,
        ends: tuple[End, ...] = (),
        view: View | None = None,
    ) -> list[Page[Record]]:
        """Return the first rows of each parent, behind `after` where given. One statement.

        Of rows that only some `columns` are wanted of, the others are missing, save the id and what the rows are sorted by. The
        entities of `ends` are read with the rows. Claims are those of a `view`, as it knows them.
        """
        if not parents:
            return []
        view = None if relation.past is None else view
        statement, make = selections.pages(
            self.dialect, relation, columns, filter, sorting, after is not None, ends, scope_of(view)
        )
        keys = list(dict.fromkeys(parents))
        values = {
            "keys": keys_value(self.dialect, keys),
            "most": first + 1,
            **after_values(after),
            **view_values(view),
        }
        ordinals, *rest = await self._columns(statement, values)
        lists = by_ordinal(self.dialect, len(keys), ordinals, make(rest))
        pages = [Page(found[:first], len(found) > first) for found in lists]
        if len(keys) == len(parents):
            return pages
        of_key = dict(zip(keys, pages, strict=True))
        return [of_key[parent] for parent in parents]

    async def counts(
        self,
        relation: Relation[Any],
        parents: Sequence[UUID],
        filter: Filter = _NOTHING,
        view: View | None = None,
    ) -> list[int]:
        """Return how many rows each parent has; of claims, how many are in the `view`. One statement."""
        if not parents:
            return []
        view = None if relation.past is None else view
        statement = selections.counts(self.dialect, relation, filter, scope_of(view))
        rows = await self._of_keys(statement, list(dict.fromkeys(parents)), view_values(view))
        found = {row[0]: row[1] for row in rows}
        return [found[parent] for parent in parents]

    async def one(self, record: type[Record], id: UUID) -> Record | None:
        """Return the row with this id, or None."""
        return (await self.by_ids(record, [id]))[0]
