"""A client of the whole server but for its two slow models: the schema behind its HTTP endpoint, over each database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from doubles import HashEmbedder, ScriptedExtractor
from scripted import filled
from sqlalchemy import event, select
from sqlmodel import SQLModel
from starlette.applications import Starlette
from starlette.routing import Route

from schema import build_schema
from schema.context import Context
from schema.http import GraphQLEndpoint
from schema.limits import Limits
from schema.uploads import UploadEndpoint
from server import models
from server.auth import LOCAL
from server.config import Settings
from server.services.answering.asking import Ask
from server.services.extraction.protocol import Extraction
from server.services.ingestion.batching import BatchReader
from server.services.ingestion.worker import Extract
from server.services.knowledge import Knowledge
from server.store import Store

Rows = list[dict[str, Any]]


async def everything(api: Api) -> dict[str, Rows]:
    """Return every row of every table, by table, in the order of the primary keys: two equal answers, nothing changed."""
    some = await filled(api.store)
    return {
        table.name: await _rows(api, select(table).order_by(*table.primary_key)) if table.name in some else []
        for table in models.metadata.sorted_tables
    }


async def _rows(api: Api, statement: Any) -> Rows:
    return [dict(row._mapping) for row in await api.store.read.rows(statement)]


_ASKING: ContextVar[bool] = ContextVar("asking", default=False)
"""Whether the code that runs was started by an operation, as opposed to the worker that looks for jobs beside it."""


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
        _ASKING.set(True)
        response = await self.http.post("/graphql", json={"query": query, "variables": variables})
        _ASKING.set(False)
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
        """Run one mutation that must be refused and change nothing; return the code, and the argument if one is named."""
        async with self.unchanged():
            return await self.refusal(mutation, **input)

    async def refusal(self, mutation: str, **input: Any) -> dict[str, Any]:
        """Do what `refused` does for one of many mutations, of which the caller checks that they change nothing."""
        kind = f"{mutation[0].upper()}{mutation[1:]}Input"
        body = await self.send(f"mutation($i: {kind}!) {{ {mutation}(input: $i) {{ __typename }} }}", i=input)
        (error,) = body["errors"]
        assert body.get("data") in (None, {mutation: None})
        named: dict[str, Any] = error["extensions"]
        return {"message": error["message"], **named}

    @asynccontextmanager
    async def unchanged(self) -> AsyncIterator[None]:
        """Check that not one row of one table differs after the block."""
        before = await everything(self)
        yield
        assert await everything(self) == before

    async def rows(self, model: type[SQLModel], **equal: Any) -> Rows:
        """Return the rows of a table whose columns have these values, in the order of its primary key."""
        table = models.metadata.tables[str(model.__tablename__)]
        statement = select(table).where(*(table.c[name] == value for name, value in equal.items()))
        return await _rows(self, statement.order_by(*table.primary_key))

    async def holding(self, word: str) -> list[tuple[str, dict[str, Any]]]:
        """Return the rows, each with its table, that hold a word, whatever its case."""
        tables = await everything(self)
        return [(name, row) for name, rows in tables.items() for row in rows if word in str(row).casefold()]

    async def volume(self, selection: str, name: str = "default", **variables: tuple[str, Any]) -> dict[str, Any]:
        """Return a selection of a volume; each variable is given with its type."""
        declared = "".join(f", ${variable}: {type}" for variable, (type, _) in variables.items())
        values = {variable: value for variable, (_, value) in variables.items()}
        data = await self.ask(
            f"query($v: String!{declared}) {{ volume(name: $v) {{ {selection} }} }}", v=name, **values
        )
        volume: dict[str, Any] = data["volume"]
        return volume

    async def node(self, id: str, selection: str) -> dict[str, Any]:
        """Return a selection of the node with this id, written without the fragment's frame."""
        kinds = {"ent": "Entity", "fct": "Fact", "rel": "Relationship", "mem": "Memory", "doc": "Document"}
        kinds |= {"prj": "Project", "art": "CodeArtifact", "ing": "Ingestion", "cfl": "Conflict"}
        data = await self.ask(
            f"query($id: ID!) {{ node(id: $id) {{ ... on {kinds[id[:3]]} {{ {selection} }} }} }}", id=id
        )
        node: dict[str, Any] = data["node"]
        return node

    async def entity(self, name: str, type: str = "concept", **rest: Any) -> str:
        """Create an entity and return its id."""
        return str((await self.do("createEntity", "entity { id }", name=name, type=type, **rest))["entity"]["id"])

    async def fact(self, subject: str, content: str, **rest: Any) -> str:
        """Create a fact and return its id."""
        return str((await self.do("createFact", "fact { id }", subject=subject, content=content, **rest))["fact"]["id"])

    async def relationship(self, source: str, type: str, target: str, **rest: Any) -> str:
        """Create a relationship between two entities by their ids and return its id."""
        ends = {"source": {"id": source}, "target": {"id": target}}
        done = await self.do("createRelationship", "relationship { id }", type=type, **ends, **rest)
        return str(done["relationship"]["id"])

    async def memory(self, title: str, content: str = "text", **rest: Any) -> str:
        """Create a memory and return its id."""
        return str(
            (await self.do("createMemory", "memory { id }", title=title, content=content, **rest))["memory"]["id"]
        )

    async def document(self, title: str, text: str, extraction: Extraction | None = None, **rest: Any) -> str:
        """Ingest a text of one chunk that says what `extraction` does, wait for it, and return the document's id."""
        self.extractor.answers[text] = extraction or Extraction()
        asked = "document { id } ingestion { status error }"
        done = await self.do("ingestDocument", asked, title=title, text=text, wait=True, **rest)
        assert done["ingestion"] == {"status": "DONE", "error": None}
        return str(done["document"]["id"])


@pytest.fixture
async def api(settings: Settings) -> AsyncIterator[Api]:
    """An open server with a volume "default", whose worker runs and whose follower is stepped by hand."""
    extractor = ScriptedExtractor()
    async with served(settings, extractor.name, extractor.read, extractor) as client:
        yield client


@asynccontextmanager
async def served(
    settings: Settings,
    name: str,
    extract: Extract,
    scripted: ScriptedExtractor,
    reader: BatchReader | None = None,
    ask: Ask | None = None,
) -> AsyncIterator[Api]:
    """Open a server as `api` has it, whose documents are read by `extract`, and by `reader` those that are read by batches; `ask` answers."""
    embedder = HashEmbedder()
    store = Store(settings)
    await store.migrate()
    await store.open(embedder.name, embedder.dimension, embedder.embed)
    knowledge = Knowledge(settings, store, embedder, name, extract, reader, ask)
    await knowledge.volumes.ensure("default", "test")
    worker = asyncio.create_task(knowledge.worker.run())
    schema = build_schema(Limits())

    async def context(_request: object) -> Context:
        return Context(knowledge, LOCAL)

    endpoint = GraphQLEndpoint(schema, context=context)
    app = Starlette(routes=[Route("/graphql", endpoint), Route("/documents", UploadEndpoint(context))])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as http:
        client = Api(http, knowledge, scripted)
        for engine in store.database.engines:
            event.listen(
                engine.sync_engine,
                "before_cursor_execute",
                lambda _c, _cur, statement, *_: client.statements.append(statement) if _ASKING.get() else None,
            )
        yield client
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    await knowledge.close()
    await store.close()
