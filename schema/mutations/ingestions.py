"""Mutations of ingestions."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import strawberry

from schema.arguments import id_of
from schema.breadth import computed
from schema.context import Info
from schema.mutations.inputs import VOLUME, volume_of
from schema.types.document import Ingestion
from schema.types.fact import gone
from server.ids import NodeKind
from server.store.records import IngestionRecord


@strawberry.input(description="The ingestion to stop.")
class CancelIngestionInput:
    id: strawberry.ID = strawberry.field(description="The ingestion.")
    volume: str = strawberry.field(default="default", description=VOLUME)


@strawberry.type(description="The ingestion, stopped.")
class CancelIngestionPayload:
    ingestion: Ingestion = strawberry.field(description="The ingestion, CANCELLED.")


@strawberry.input(description="The ingestion to begin anew.")
class RetryIngestionInput:
    id: strawberry.ID = strawberry.field(description="The ingestion: one that has FAILED or was CANCELLED.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    budget: int | None = strawberry.field(
        default=None,
        description="The tokens that it may take in all, what it took before included: it must be larger than that. Left out: as "
        "before. Refused where documents are read offline, which takes no tokens.",
    )


@strawberry.type(description="The ingestion, begun anew.")
class RetryIngestionPayload:
    ingestion: Ingestion = strawberry.field(description="The ingestion, PENDING.")


async def _now(info: Info, id: UUID) -> Ingestion:
    row = await info.context.store.read.one(IngestionRecord, id)
    if row is None:
        raise gone("ingestion")
    return Ingestion.of(row)


@strawberry.type
class IngestionMutations:
    @computed(
        description="Stop an ingestion that has not ended: nothing of it is written. The document stays, unread; what an "
        "earlier revision of it said stays too."
    )
    async def cancel_ingestion(
        self, info: Info, input: Annotated[CancelIngestionInput, strawberry.argument(description="Which one.")]
    ) -> CancelIngestionPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.INGESTION, "id")
        await info.context.knowledge.ingestions.cancel(volume, id, info.context.viewer.actor)
        return CancelIngestionPayload(ingestion=await _now(info, id))

    @computed(
        description="Begin an ingestion that has failed or was cancelled anew, from its first chunk. What a model has answered of "
        "one that failed is kept: only what is missing is asked for."
    )
    async def retry_ingestion(
        self, info: Info, input: Annotated[RetryIngestionInput, strawberry.argument(description="Which one.")]
    ) -> RetryIngestionPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.INGESTION, "id")
        await info.context.knowledge.ingestions.retry(volume, id, info.context.viewer.actor, input.budget)
        return RetryIngestionPayload(ingestion=await _now(info, id))
