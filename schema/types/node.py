"""The interface of everything that has an id."""

from __future__ import annotations

import strawberry


@strawberry.interface(description="Something with an id that stays the same for as long as it exists.")
class Node:
    id: strawberry.ID = strawberry.field(
        description="Its id: opaque, the same for good, unlike that of anything else. Give it to `node` to find it again."
    )
