"""The three answers by hand: one SQL statement a level, dictionaries and orjson. No GraphQL, no limits, no signed cursors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import orjson

from _query.rows import Row, Rows

__all__ = ["ByHand"]

Pages = dict[str, list[Row]]


class ByHand:
    """Answers by hand over a database."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    async def nested(self, first: int) -> bytes:
        """Answer Q1."""
        found = await self._rows.entities(first)
        ids = [row[0] for row in found[:first]]
        facts, edges = await self._facts(ids, 5), await self._relationships(ids, 5)
        theirs = await self._facts(_targets(edges, 5), 3)

        def target(row: Row) -> dict[str, Any]:
            return {
                "id": row[3],
                "name": row[4],
                "facts": _page(theirs.get(row[3], ()), 3, lambda r: {"content": r[2]}),
            }

        def node(row: Row) -> dict[str, Any]:
            own = _page(facts.get(row[0], ()), 5, lambda r: {"id": r[1], "content": r[2], "importance": r[3]})
            out = _page(edges.get(row[0], ()), 5, lambda r: {"id": r[1], "type": r[2], "target": target(r)})
            return {"id": row[0], "name": row[1], "type": row[2], "facts": own, "relationships": out}

        return _answer({"volume": {"entities": _page(found, first, node, at=0)}})

    async def one(self, id: str) -> bytes:
        """Answer Q2."""
        row = await self._rows.entity(id)
        nodes = [{"id": r[1], "content": r[2]} for r in (await self._facts([id], 3)).get(id, ())[:3]]
        return _answer({"node": {"id": row[0], "name": row[1], "type": row[2], "facts": {"nodes": nodes}}})

    async def deep(self, id: str) -> bytes:
        """Answer Q3."""
        levels: list[Pages] = []
        ids = [id]
        for _ in range(4):
            levels.append(await self._relationships(ids, 3))
            ids = _targets(levels[-1], 3)
        facts = await self._facts(ids, 3)

        def node(id: str, name: str, level: int) -> dict[str, Any]:
            if level == len(levels):
                return {"id": id, "name": name, "facts": {"nodes": [{"content": r[2]} for r in facts.get(id, ())[:3]]}}
            out = [{"type": r[2], "target": node(r[3], r[4], level + 1)} for r in levels[level].get(id, ())[:3]]
            return {"id": id, "name": name, "relationships": {"nodes": out}}

        row = await self._rows.entity(id)
        return _answer({"node": node(row[0], row[1], 0)})

    async def _facts(self, parents: list[str], first: int) -> Pages:
        return _grouped(await self._rows.facts(parents, first))

    async def _relationships(self, parents: list[str], first: int) -> Pages:
        return _grouped(await self._rows.relationships(parents, first))


def _grouped(rows: Iterable[Row]) -> Pages:
    pages: Pages = {}
    for row in rows:
        pages.setdefault(row[0], []).append(row)
    return pages


def _targets(edges: Pages, first: int) -> list[str]:
    return list({row[3]: None for page in edges.values() for row in page[:first]})


def _page(rows: Sequence[Row], first: int, make: Callable[[Row], Any], at: int = 1) -> dict[str, Any]:
    shown = rows[:first]
    end = shown[-1][at] if shown else None
    return {"nodes": list(map(make, shown)), "pageInfo": {"hasNextPage": len(rows) > first, "endCursor": end}}


def _answer(data: dict[str, Any]) -> bytes:
    return orjson.dumps({"data": data})
