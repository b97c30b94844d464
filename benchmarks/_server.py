"""The server of the benchmarks, in this process: the real schema behind its real endpoint, over a folder or a database.

The vector follower does not run, so that embedding in the background is not counted as the cost of a query.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx
import numpy as np
from starlette.applications import Starlette
from starlette.routing import Route

from schema import build_schema
from schema.context import Context
from schema.http import GraphQLEndpoint
from schema.limits import Limits
from server.auth import LOCAL
from server.config import Settings
from server.embeddings.minilm import MiniLM
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.jsonl import read_batches
from server.services.knowledge import Knowledge
from server.store import Store


class NoEmbedder:
    """Stands where no text is embedded."""

    name = MiniLM.name
    dimension = 384

    async def embed(self, texts: Any) -> Any:
        return np.zeros((len(texts), self.dimension), dtype=np.float32)

    async def aclose(self) -> None:
        return None


@dataclass
class Server:
    """A client of the server, and what it stands on."""

    http: httpx.AsyncClient
    knowledge: Knowledge

    async def post(self, query: str, variables: dict[str, Any] | None = None) -> httpx.Response:
        return await self.http.post("/graphql", json={"query": query, "variables": variables})

    async def ask(self, query: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
        body: dict[str, Any] = (await self.post(query, variables)).json()
        if "errors" in body:
            raise SystemExit(f"The benchmark's query failed: {body['errors']}")
        data: dict[str, Any] = body["data"]
        return data


async def load(server: Server, lines: Iterable[bytes], size: int = 5_000) -> None:
    """Load lines of an import file, as `loregraph import` does."""
    volume = await server.knowledge.volumes.named("default")
    keys: dict[str, UUID] = {}
    for batch in read_batches(lines, size):
        keys |= (await server.knowledge.imports.load(volume, batch.graph, "benchmark", known=keys)).ids


async def _nothing(_chunk: ChunkText) -> Extraction:
    return Extraction()


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Server]:
    """Open the server over the settings' store."""
    embedder, store = NoEmbedder(), Store(settings)
    await store.migrate()
    await store.open(embedder.name, embedder.dimension, embedder.embed)
    knowledge = Knowledge(settings, store, embedder, "none", _nothing)
    await knowledge.volumes.ensure("default", "benchmark")

    async def context(_request: object) -> Context:
        return Context(knowledge, LOCAL)

    endpoint = GraphQLEndpoint(build_schema(Limits(), settings.executor), context=context, body_limit=settings.max_body)
    app = Starlette(routes=[Route("/graphql", endpoint)])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test", timeout=600) as http:
        yield Server(http, knowledge)
    await store.close()
