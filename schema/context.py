"""What resolvers find as `info.context`: fresh for every operation, so that nothing read for one is served to another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import strawberry

from server.auth import Viewer
from server.services.knowledge import Knowledge
from server.store import Store


@dataclass(slots=True)
class Context:
    """One operation's context. `loaders` belongs to the batched fields."""

    knowledge: Knowledge
    viewer: Viewer
    loaders: dict[Any, Any] = field(default_factory=dict)

    @property
    def store(self) -> Store:
        """The store that reads go to."""
        return self.knowledge.store


Info = strawberry.Info[Context, None]
