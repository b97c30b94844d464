"""Random queries against the schema that is served, over data of every kind: both executors answer alike.

Errors are compared as resolvers raise them, before anything is hidden from clients.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
import strawberry
from breadth.oracle import BESIDE_CORE, Oracle
from breadth.queries import QUERY, Frame, draw
from conftest import copy_into
from doubles import HashEmbedder, ScriptedExtractor
from graphql import GraphQLError, GraphQLObjectType, GraphQLSchema, is_required_argument
from strawberry.extensions import DisableValidation, ParserCache
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext
from worlds import World, new_world

from schema.context import Context
from schema.execution import EXECUTORS
from schema.mutation import Mutation
from schema.query import Query
from schema.types.document import Chunk
from schema.types.evidence import Claim
from schema.types.node import Node
from schema.types.review import TYPES
from schema.types.scalars import SCALARS
from server.auth import LOCAL
from server.config import Settings
from server.ids import NodeKind, encode_id
from server.services.knowledge import Knowledge
from server.store import Store
from server.views import View

pytestmark = BESIDE_CORE
EACH, LEVELS = 50, 10
KINDS = {
    "Entity": ("entities", NodeKind.ENTITY),
    "Fact": ("facts", NodeKind.FACT),
    "Relationship": ("relationships", NodeKind.RELATIONSHIP),
    "Document": ("documents", NodeKind.DOCUMENT),
    "Chunk": ("chunks", NodeKind.CHUNK),
    "Ingestion": ("ingestions", NodeKind.INGESTION),
    "Memory": ("memories", NodeKind.MEMORY),
    "Project": ("projects", NodeKind.PROJECT),
    "CodeArtifact": ("code_artifacts", NodeKind.CODE_ARTIFACT),
}
"""The ids of a world by their node's type."""
WORDS = ["default", "Thing 0001", "Other 0002", "thing", "concept", "STEP_1", "text/plain", "python", "test", "", "?"]
NUMBERS: dict[str, list[Any]] = {
    "Int": [*range(1, 10), 100, 0],
    "Float": [0, 0.4, 0.5, 1, 2],
    "DateTime": ["2999", "2024-05", "1999-01-01T00:00:00Z"],
}
LATER = datetime(2999, 1, 1, tzinfo=UTC)
VIEWS = [None, View(known=LATER), View(valid=LATER, min_confidence=0.5)]


class Silent(strawberry.Schema):
    """Strawberry's schema, which would log every error that these queries ask for."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        return None


def build(executor: Any) -> strawberry.Schema:
    """Return the real schema over an executor; its documents are valid, and its errors are shown as they are."""
    return Silent(
        query=Query,
        mutation=Mutation,
        types=[Node, Claim, Chunk, *TYPES.values()],
        extensions=[ParserCache, DisableValidation],
        execution_context_class=executor,
        config=StrawberryConfig(scalar_map=SCALARS),
    )


class Served:
    """The schema over a small world, and what can be asked about it: ids, words, and cursors by the list's field."""

    def __init__(self, knowledge: Knowledge, world: World) -> None:
        self.oracle = Oracle(build, EXECUTORS["breadth-first"], lambda: Context(knowledge, LOCAL))
        core: Any = self.oracle.core
        self.schema: GraphQLSchema = core._schema
        by_type = {
            type_: [encode_id(kind, id) for id in getattr(world, field)[:3]] for type_, (field, kind) in KINDS.items()
        }
        several = [encode_id(NodeKind.VOLUME, world.volume, view) for view in VIEWS]
        several += [encode_id(NodeKind.ENTITY, world.entities[1], view) for view in VIEWS]
        asked = ", ".join(f'"{id}"' for id in several)
        self.frames = [Frame("query", "Node", f"{{ nodes(ids: [{asked}]) * }}")] * 4
        self.frames += [QUERY] * 3 + [Frame("query", "Volume", "{ volume * }")] * 5
        self.frames += [
            Frame("query", type_, f'{{ node(id: "{ids[1]}") {{ ... on {type_} * }} }}')
            for type_, ids in by_type.items()
        ]
        self.ids = [id for ids in by_type.values() for id in ids] + several
        self.ids += [encode_id(kind, getattr(world, field)[1], VIEWS[1]) for field, kind in KINDS.values()]
        self.ids += [encode_id(NodeKind.VOLUME, world.volume), encode_id(NodeKind.FACT, world.volume), "nothing"]
        self.cursors: dict[str, list[str]] = defaultdict(lambda: ["no cursor"])

    async def turn_pages(self) -> None:
        """Collect a cursor of every list of every node."""
        lists = " ".join(map(self._lists, self.schema.get_possible_types(cast("Any", self.schema.type_map["Node"]))))
        for id in self.ids:
            query = f'{{ node(id: "{id}") {{ ... on Node {{ id }} {lists} }} }}'
            node = (await self.oracle.ask(self.oracle.breadth, query)).data["node"] or {}
            for key, page in node.items():
                if key != "id" and page["pageInfo"]["endCursor"]:
                    self.cursors[key.rpartition("_")[2]].append(page["pageInfo"]["endCursor"])

    def _lists(self, type_: GraphQLObjectType) -> str:
        lists = [(name, field.args) for name, field in type_.fields.items() if "after" in field.args]
        names = [name for name, args in lists if not any(map(is_required_argument, args.values()))]
        pages = [f"{type_.name}_{name}: {name}(first: 1) {{ pageInfo {{ endCursor }} }}" for name in names]
        return f"... on {type_.name} {{ id {' '.join(pages)} }}"

    def values(self, random: Random, name: str, scalar: str) -> Any:
        field, _, argument = name.rpartition(".")
        if scalar == "ID":
            return random.choice(self.ids)
        if argument == "after":
            return random.choice(self.cursors[field])
        if name == "volume.name":
            return random.choice(["default"] * 5 + ["none"])
        return random.choice(NUMBERS.get(scalar, WORDS))

    async def check(self, seed: int) -> None:
        operation = draw(self.schema, self.values, seed, self.frames, LEVELS)
        try:
            answer = await self.oracle.check(operation.query, operation.variables)
            assert answer.declined == []
            assert answer.context.loaders == {}
        except AssertionError:
            print(f"The seed {seed}:\n{operation.query}\n{operation.variables}")
            raise


@pytest.fixture
async def served(tmp_path: Path, migrated: Path) -> AsyncIterator[Served]:
    """The real schema over three things of each kind, on SQLite."""
    embedder = HashEmbedder()
    settings = Settings(data=tmp_path, fsync=False, max_nodes=10**9)
    copy_into(settings, migrated)
    store = Store(settings)
    await store.open(embedder.name, embedder.dimension, embedder.embed)
    knowledge = Knowledge(settings, store, embedder, ScriptedExtractor.name, ScriptedExtractor().read)
    volume = (await knowledge.volumes.ensure("default", "test")).id
    reading = Served(knowledge, await new_world(store, volume, 3))
    await reading.turn_pages()
    yield reading
    await knowledge.close()
    await store.close()


@pytest.mark.parametrize("first", range(0, 100, EACH))
async def test_a_random_query_is_answered_as_by_graphql_core(served: Served, first: int) -> None:
    for seed in range(first, first + EACH):
        await served.check(seed)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(1_000, 7_000, 200))
async def test_many_random_queries_are_answered_as_by_graphql_core(served: Served, first: int) -> None:
    for seed in range(first, first + 200):
        await served.check(seed)
