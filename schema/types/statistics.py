"""How much a volume holds, counted only where it is asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from schema.breadth import batched
from schema.context import Info
from schema.views import by_view
from server import models
from server.store.questions import open_reviews_by_kind
from server.store.statistics import numbers_by_type, numbers_of_volumes
from server.views import View

__all__ = ["VolumeStatistics"]

T = TypeVar("T")


async def _counted(
    parents: list[VolumeStatistics], info: Info, count: Callable[..., Awaitable[list[T]]], model: type[models.Model]
) -> list[T]:
    """Return what `count` answers about the claims of each volume, in its view."""

    async def of_view(some: Sequence[VolumeStatistics], view: View | None) -> list[T]:
        return await count(info.context.store.read, model, [one.key for one in some], view)

    return await by_view(parents, of_view)


@strawberry.type(
    description="How much a volume holds. Each number is counted only where it is asked for. "
    "What waits for review is counted by reviewsByKind alone."
)
class VolumeStatistics:
    key: strawberry.Private[UUID]
    view: strawberry.Private[View | None] = None

    @batched(description="How many entities.")
    @staticmethod
    async def entities(parents: list[VolumeStatistics], info: Info) -> list[int]:
        return await numbers_of_volumes(info.context.store.read, models.Entity, [p.key for p in parents])

    @batched(description="How many facts the view has, as many as its list without a filter.")
    @staticmethod
    async def facts(parents: list[VolumeStatistics], info: Info) -> list[int]:
        return await _counted(parents, info, numbers_of_volumes, models.Fact)

    @batched(description="How many relationships the view has, as many as its list without a filter.")
    @staticmethod
    async def relationships(parents: list[VolumeStatistics], info: Info) -> list[int]:
        return await _counted(parents, info, numbers_of_volumes, models.Relationship)

    @batched(description="How many memories, obsolete ones included.")
    @staticmethod
    async def memories(parents: list[VolumeStatistics], info: Info) -> list[int]:
        return await numbers_of_volumes(info.context.store.read, models.Memory, [p.key for p in parents])

    @batched(description="How many documents.")
    @staticmethod
    async def documents(parents: list[VolumeStatistics], info: Info) -> list[int]:
        return await numbers_of_volumes(info.context.store.read, models.Document, [p.key for p in parents])

    @batched(description="How many entities of each type, as a JSON object.")
    @staticmethod
    async def entities_by_type(parents: list[VolumeStatistics], info: Info) -> list[JSON]:
        found = await numbers_by_type(info.context.store.read, models.Entity, [p.key for p in parents])
        return [JSON(numbers) for numbers in found]

    @batched(description="How many of these relationships are of each type, as a JSON object.")
    @staticmethod
    async def relationships_by_type(parents: list[VolumeStatistics], info: Info) -> list[JSON]:
        found = await _counted(parents, info, numbers_by_type, models.Relationship)
        return [JSON(numbers) for numbers in found]

    @batched(description="How many open review items of each kind, as a JSON object; kinds without one are left out.")
    @staticmethod
    async def reviews_by_kind(parents: list[VolumeStatistics], info: Info) -> list[JSON]:
        found = await open_reviews_by_kind(info.context.store.read, [p.key for p in parents])
        return [JSON(numbers) for numbers in found]
