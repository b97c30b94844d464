"""What resolvers find as `info.context`: fresh for every operation, so that nothing read for one is served to another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul
from typing import Any
from uuid import UUID

import strawberry

from schema.breadth import occurrences
from server.auth import Viewer
from server.errors import LimitExceeded
from server.services.knowledge import Knowledge
from server.store import Store


@dataclass(slots=True)
class Context:
    """One operation's context. `loaders` belongs to the batched fields; `answered` counts the nodes of its lists."""

    knowledge: Knowledge
    viewer: Viewer
    loaders: dict[Any, Any] = field(default_factory=dict)
    answered: int = 0
    _inverses: dict[UUID, Mapping[str, str]] = field(default_factory=dict)
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def inverses(self, volumes: Sequence[UUID]) -> Mapping[UUID, Mapping[str, str]]:
        """Return, for each volume, its predicates that have another one as their inverse, each with that one.

        One statement in the whole operation for each set of volumes, and they do not change under it.
        """
        async with self._reading:
            unknown = [volume for volume in dict.fromkeys(volumes) if volume not in self._inverses]
            if unknown:
                self._inverses.update(await self.store.read.inverses(unknown))
        return self._inverses

    def spend(self, info: Info, lengths: Sequence[int]) -> None:
        """Count the nodes of lists that a batched field adds to the answer, each as often as it stands there.

        `lengths` are those of the parents' lists, in order.

        Page sizes multiply down a path, so a small query over a dense graph could ask for billions.

        Raises:
            LimitExceeded: the operation would answer more than `max_nodes`.
        """
        times = occurrences(info)
        self.answered += sum(lengths) if times is None else sum(map(mul, lengths, times))
        limit = self.knowledge.settings.max_nodes
        if self.answered > limit:
            raise LimitExceeded(
                f"The lists of this operation hold more than {limit:,} nodes, the limit. Ask for smaller pages (first), "
                "or for fewer levels at once."
            )

    @property
    def store(self) -> Store:
        """The store that reads go to."""
        return self.knowledge.store


Info = strawberry.Info[Context, None]
