"""The GraphQL schema: shapes, batch resolvers and the endpoint. What it decides and writes, services do."""

from __future__ import annotations

from functools import cache

from strawberry.schema.config import StrawberryConfig

from schema.execution import EXECUTORS, ExecutorName
from schema.limits import Limits
from schema.mutation import Mutation
from schema.operations import Schema
from schema.query import Query
from schema.types.document import Chunk
from schema.types.evidence import Claim
from schema.types.node import Node
from schema.types.review import TYPES
from schema.types.scalars import SCALARS

__all__ = ["build_schema"]


@cache
def build_schema(limits: Limits, executor: ExecutorName = "breadth-first") -> Schema:
    """Return the schema with these limits and this executor; a process builds it once."""
    return Schema(
        query=Query,
        mutation=Mutation,
        types=[Node, Claim, Chunk, *TYPES.values()],
        limits=limits,
        execution_context_class=EXECUTORS[executor],
        config=StrawberryConfig(scalar_map=SCALARS),
    )
