"""The root of reads."""

from __future__ import annotations

from typing import Annotated

import strawberry
from strawberry.scalars import JSON

from schema.arguments import After, First
from schema.breadth import batched
from schema.context import Info
from schema.inputs.views import AsOf, MinConfidence, asked_view
from schema.lists import behind, bound, cursors_of
from schema.nodes import nodes_by_id
from schema.pagination import Connection, Counts, check_first
from schema.types.node import Node
from schema.types.scalars import Role
from schema.types.volume import Volume
from schema.views import seen
from server import models
from server.errors import BadUserInput
from server.ids import decode_id
from server.services.health import check_health

MOST_NODES = 100


async def volumes_page(info: Info, first: int, after: str | None) -> Connection[Volume]:
    """Return a page of all volumes, by name."""
    read, bound_to = info.context.store.read, bound("volumes", None)
    page = await read.volumes(check_first(first), behind(info, after, bound_to))

    async def total() -> list[int]:
        return [await read.count(models.Volume)]

    return Connection(
        nodes=[Volume.of(row) for row in page.rows],
        keys=[(row.name, row.id) for row in page.rows],
        cursors=cursors_of(info, bound_to),
        has_next=page.has_next,
        has_previous=after is not None,
        counts=Counts(total),
    )


@strawberry.type(description="Who is asking.")
class Viewer:
    actor: str = strawberry.field(description="The name that the change log records for what the viewer writes.")
    role: Role = strawberry.field(description="What the viewer may do.")

    @batched(description="The volumes that the viewer may see, by name.")
    @staticmethod
    async def volumes(
        parents: list[Viewer], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Volume]]:
        page = await volumes_page(info, first, after)
        return [page for _ in parents]


@strawberry.type(description="How far a follower of the change log is.")
class FollowerHealth:
    name: str = strawberry.field(description="What follows the log.")
    position: str = strawberry.field(description="The number of the last log entry that it has handled.")
    lag: int = strawberry.field(description="How many entries it is behind.")


@strawberry.type(description="Whether all is well.")
class Health:
    ready: bool = strawberry.field(description="Whether the server can do its work.")
    degraded: list[str] = strawberry.field(description="What does not work, and what to do; empty when all is well.")
    version: str = strawberry.field(description="The server's version.")
    database: str = strawberry.field(description="What the rows are in: sqlite or postgresql.")
    embedding_model: str = strawberry.field(description="What turns texts into vectors.")
    rows: JSON = strawberry.field(description="How many rows the main tables have, all volumes together, by name.")
    vectors: int = strawberry.field(description="How many nodes the vector index holds.")
    pending_vectors: int = strawberry.field(description="How many nodes are on their way into it.")
    log_head: str = strawberry.field(description="The number of the last entry of the change log.")
    followers: list[FollowerHealth] = strawberry.field(description="What follows the log, and how far it is.")


@strawberry.type(description="Reads.")
class Query:
    @batched(
        description="The node with this id, of whatever type; null for an id that is unknown, malformed or not yours to see."
    )
    @staticmethod
    async def node(
        parents: list[None],
        info: Info,
        id: Annotated[strawberry.ID, strawberry.argument(description="The node's id.")],
    ) -> list[Node | None]:
        return await nodes_by_id(info, [decode_id(id)])

    @batched(description="The nodes with these ids, in their order, null in the place of each that is not found.")
    @staticmethod
    async def nodes(
        parents: list[None],
        info: Info,
        ids: Annotated[list[strawberry.ID], strawberry.argument(description="At most 100 ids.")],
    ) -> list[list[Node | None]]:
        if len(ids) > MOST_NODES:
            raise BadUserInput(f"At most {MOST_NODES} nodes can be asked for at once.", argument="ids")
        return [await nodes_by_id(info, [decode_id(id) for id in ids])]

    @batched(description="Who is asking.")
    @staticmethod
    async def viewer(parents: list[None], info: Info) -> list[Viewer | None]:
        viewer = info.context.viewer
        return [Viewer(actor=viewer.actor, role=Role(viewer.role))]

    @batched(
        description="The volume with this name, or null. All that is reached from it is read at these instants: its view."
    )
    @staticmethod
    async def volume(
        parents: list[None],
        info: Info,
        name: Annotated[str, strawberry.argument(description="Its exact name.")] = "default",
        as_of: AsOf = None,
        min_confidence: MinConfidence = 0,
    ) -> list[Volume | None]:
        view = asked_view(as_of, min_confidence)
        row = await info.context.store.volume(name)
        return [None if row is None else seen(Volume.of(row), view)]

    @batched(description="All volumes, by name.")
    @staticmethod
    async def volumes(
        parents: list[None], info: Info, first: First = 20, after: After = None
    ) -> list[Connection[Volume]]:
        return [await volumes_page(info, first, after)]

    @batched(description="Whether all is well: rows, vectors and followers of the change log.")
    @staticmethod
    async def health(parents: list[None], info: Info) -> list[Health | None]:
        state = await check_health(info.context.store, info.context.knowledge.embedder.name)
        followers = [FollowerHealth(name=f.name, position=str(f.position), lag=f.lag) for f in state.followers]
        return [
            Health(
                ready=state.ready,
                degraded=list(state.degraded),
                version=state.version,
                database=state.database,
                embedding_model=state.embedding_model,
                rows=JSON(state.rows),
                vectors=state.vectors or 0,
                pending_vectors=state.pending_vectors,
                log_head=str(state.log_head),
                followers=followers,
            )
        ]
