"""A client of the whole server but for its two slow models: the schema behind its HTTP endpoint, over each database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from doubles import HashEmbedder, ScriptedExtractor
from sqlalchemy import event
from starlette.applications import Starlette
from starlette.routing import Route

from schema import build_schema
from schema.context import Context
from schema.http import GraphQLEndpoint
from schema.limits import Limits
from server.auth import LOCAL
from server.config import Settings
from server.services.knowledge import Knowledge
from server.store import Store


@dataclass
class Api:
    """Sends operations. `statements` lists the SQL of the last one."""

    http: httpx.AsyncClient
    knowledge: Knowledge
    extractor: ScriptedExtractor
    statements: list[str] = field(default_factory=list)

    @property
    def store(self) -> Store:
        return self.knowledge.store

    async def send(self, query: str, **variables: Any) -> dict[str, Any]:
        """Return the whole response."""
        self.statements.clear()
        response = await self.http.post("/graphql", json={"query": query, "variables": variables})
        body: dict[str, Any] = response.json()
        return body

    async def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        """Return the data of an operation that must succeed."""
        body = await self.send(query, **variables)
        assert "errors" not in body, body["errors"]
        data: dict[str, Any] = body["data"]
        return data

    async def do(self, mutation: str, selection: str, **input: Any) -> dict[str, Any]:
        """Run one mutation by name and return its payload."""
        kind = f"{mutation[0].upper()}{mutation[1:]}Input"
        data = await self.ask(f"mutation($i: {kind}!) {{ {mutation}(input: $i) {{ {selection} }} }}", i=input)
        payload: dict[str, Any] = data[mutation]
        return payload

    async def refused(self, mutation: str, **input: Any) -> dict[str, Any]:
        """Run one mutation that must be refused; return the code, and the argument if one is named."""
        kind = f"{mutation[0].upper()}{mutation[1:]}Input"
        body = await self.send(f"mutation($i: {kind}!) {{ {mutation}(input: $i) {{ __typename }} }}", i=input)
        (error,) = body["errors"]
        assert body.get("data") in (None, {mutation: None})
        named: dict[str, Any] = error["extensions"]
        return {"message": error["message"], **named}


@pytest.fixture
async def api(settings: Settings) -> AsyncIterator[Api]:
    """An open server with a volume "default", whose worker runs and whose follower is stepped by hand."""
    embedder, extractor = HashEmbedder(), ScriptedExtractor()
    store = Store(settings)
    await store.migrate()
    await store.open(embedder.name, embedder.dimension, embedder.embed)
    knowledge = Knowledge(settings, store, embedder, extractor.name, extractor.read)
    await knowledge.volumes.ensure("default", "test")
    worker = asyncio.create_task(knowledge.worker.run())
    schema = build_schema(Limits())

    async def context(_request: object) -> Context:
        return Context(knowledge, LOCAL)

    app = Starlette(routes=[Route("/graphql", GraphQLEndpoint(schema, context=context))])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as http:
        client = Api(http, knowledge, extractor)
        # On PostgreSQL the reading engine is the writing one with another isolation level: listening to both counts twice.
        engines = store.database.engines if store.database.dialect == "sqlite" else store.database.engines[1:]
        for engine in engines:
            event.listen(
                engine.sync_engine,
                "before_cursor_execute",
                lambda _c, _cur, statement, *_: client.statements.append(statement),
            )
        yield client
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    await store.close()
