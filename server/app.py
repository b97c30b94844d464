"""The composition root: builds what a process needs, wires it, and puts it on the web. The only module that knows everybody."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial

from asyncpg import InterfaceError, PostgresError
from sqlalchemy.exc import DBAPIError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from schema import build_schema
from schema.context import Context
from schema.graphiql import graphiql_page, graphiql_routes
from schema.http import GraphQLEndpoint
from schema.limits import Limits
from schema.responses import Refused, refused_response
from schema.uploads import UploadEndpoint
from server.auth import LOCAL
from server.config import Settings
from server.embeddings import Embedder, TokenEmbedder, open_embedder, reranker_of
from server.errors import Misconfigured, ServerError
from server.sample import sample_documents
from server.services.answering.asking import answering_claude
from server.services.contradiction import judge_earlier
from server.services.documents import NewDocument
from server.services.extraction.readers import Readers
from server.services.health import check_health
from server.services.knowledge import Knowledge
from server.store import Store
from server.store.backlog import backlog
from server.store.migrations import check_current
from server.terms import Authority

__all__ = ["configure_logging", "create_app", "from_environment", "opened", "prepare", "reading", "running", "usable"]

DEFAULT_VOLUME, SAMPLE_VOLUME = "default", "sample"
_PATIENCE = 5
_SAMPLE = "The sample that comes with Loregraph."
_log = logging.getLogger("loregraph")


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Knowledge]:
    """Migrate and open the store, with the models; close everything at the end. Nothing runs in the background yet.

    Raises:
        Misconfigured: the data folder, the database or the vector index cannot be used as the settings say.
        UpstreamUnavailable: the database or the model does not answer.
    """
    async with AsyncExitStack() as stack:
        with usable(settings):
            embedder = await open_embedder(settings)
            stack.push_async_callback(embedder.aclose)
            reranker = reranker_of(embedder, settings)
            readers = Readers(settings)
            stack.push_async_callback(readers.aclose)
            claude = answering_claude(settings)
            if claude is not None:
                stack.push_async_callback(claude.aclose)
            store = Store(settings)
            stack.push_async_callback(store.close)  # first of all: its follower embeds
            await store.migrate()
            await _open(store, embedder, reranker)
            await judge_earlier(store)
        ask = None if claude is None else partial(claude.fill, model=settings.claude_strong_model)
        knowledge = Knowledge(settings, store, embedder, readers.name, readers.extract, readers.batches, ask)
        stack.push_async_callback(knowledge.close)
        await asyncio.to_thread(knowledge.uploads.incoming.sweep)
        yield knowledge


async def _open(store: Store, embedder: Embedder, reranker: TokenEmbedder | None) -> None:
    try:
        await store.open(
            embedder.name, embedder.dimension, embedder.embed, None if reranker is None else reranker.token_signs
        )
    except (RuntimeError, ValueError) as error:  # what LanceDB raises for an address that it cannot use
        _log.debug("The vector index cannot be opened.", exc_info=True)
        raise Misconfigured(f"The vector index cannot be opened: {str(error).splitlines()[0][:200]}") from error


@asynccontextmanager
async def reading(settings: Settings) -> AsyncIterator[Store]:
    """Open the rows of a store that is there already, without models and vectors.

    Raises:
        Misconfigured: there is no database, or it is of another version.
        UpstreamUnavailable: the database does not answer.
    """
    if settings.database_url is None and not settings.sqlite_path.is_file():
        raise Misconfigured(f"There is no database in the folder {settings.data}. Name another with --data.")
    with usable(settings):
        store = Store(settings)
    try:
        with usable(settings):
            await check_current(store.database)
        yield store
    finally:
        await store.close()


@contextmanager
def usable(settings: Settings) -> Iterator[None]:
    """Say in one line what keeps the store from opening: an operator can do nothing with a traceback."""
    try:
        yield
    except DBAPIError as error:
        _log.debug("The database cannot be used.", exc_info=True)
        where = f" in {settings.data}" if settings.database_url is None else ""
        raise Misconfigured(f"The database{where} cannot be used: {error.orig}.") from error
    except (PostgresError, InterfaceError) as error:
        raise Misconfigured(f"The database cannot be used: {error}.") from error
    except OSError as error:
        _log.debug("The store cannot be opened.", exc_info=True)
        place = error.filename or (settings.data if settings.database_url is None else "The database's address")
        raise Misconfigured(f"{place} cannot be used: {error.strerror or error}.") from error


@asynccontextmanager
async def running(knowledge: Knowledge, *, ingesting: bool = True) -> AsyncIterator[asyncio.Task[None] | None]:
    """Run the vector follower and, if `ingesting`, the ingestion worker, whose task is yielded, and the sweep for stale claims.
    At the end all give back what they hold.
    """
    knowledge.store.start()
    if not ingesting:
        yield None
        return
    worker = asyncio.create_task(knowledge.worker.run(), name="ingestion worker")
    worker.add_done_callback(_report)
    sweep = asyncio.create_task(knowledge.sweep.run(), name="staleness sweep")
    try:
        yield worker
    finally:
        for task in (worker, sweep):
            task.cancel()
        await asyncio.wait([worker, sweep])


def _report(worker: asyncio.Task[None]) -> None:
    error = None if worker.cancelled() else worker.exception()
    if error is not None:
        _log.critical("The ingestion worker has stopped. Restart the server.", exc_info=error)


async def prepare(settings: Settings, *, sample: bool = False) -> None:
    """Do what a server needs done once, before its processes start: tables, the default volume and, if asked, the sample.

    Raises:
        Misconfigured: as `opened`.
        UpstreamUnavailable: as `opened`.
    """
    async with opened(settings) as knowledge:
        await knowledge.volumes.ensure(DEFAULT_VOLUME, LOCAL.actor)
        if sample:
            await load_sample(knowledge)


async def load_sample(knowledge: Knowledge) -> None:
    """Queue the sample's documents in the volume "sample", once: what was deleted of it later stays deleted.

    The volume's description says that all of them were queued, so that a start that was cut short is made up for.
    """
    volume = await knowledge.volumes.ensure(SAMPLE_VOLUME, LOCAL.actor)
    if volume.description is not None:
        return
    for text in sample_documents():
        document = NewDocument(text.title, text.text, text.mime_type, text.uri, Authority(text.authority))
        await knowledge.documents.take(volume, document, LOCAL.actor)
    await knowledge.volumes.update(volume, {"description": _SAMPLE}, None, LOCAL.actor)


def create_app(settings: Settings, *, whole_process: bool = False) -> Starlette:
    """Return the web application. Its lifespan migrates, opens and runs everything, and makes the volume "default".

    A process that serves nothing else says so: what it holds once it is started is then left out of garbage collection.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with opened(settings) as knowledge, running(knowledge, ingesting=settings.ingestion) as worker:
            await knowledge.volumes.ensure(DEFAULT_VOLUME, LOCAL.actor)
            app.state.knowledge, app.state.worker = knowledge, worker
            if whole_process:
                _spare_collecting()
            yield

    async def context(request: Request) -> Context:
        return Context(request.app.state.knowledge, LOCAL)

    limits = Limits(
        tokens=settings.max_tokens,
        depth=settings.max_depth,
        aliases=settings.max_aliases,
        fields=settings.max_fields,
    )
    endpoint = GraphQLEndpoint(
        build_schema(limits, settings.executor),
        context=context,
        page=graphiql_page if settings.graphiql else None,
        body_limit=settings.max_body,
    )
    routes = [
        Route("/", lambda request: RedirectResponse("/graphql")),
        Route("/graphql", endpoint),
        Route("/documents", UploadEndpoint(context)),
        Route("/health", _health),
        *(graphiql_routes() if settings.graphiql else ()),
    ]
    hosts = [name.strip() for name in settings.allowed_hosts.split(",")]
    known = Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)
    return Starlette(routes=routes, lifespan=lifespan, middleware=[known], exception_handlers={Exception: _broken})


def _spare_collecting() -> None:
    """Leave what is there now out of garbage collection, and collect what comes less often.

    A large answer makes tens of thousands of objects, which otherwise would have the whole process walked through again and again.
    Not much less often: with the ordinary executor a query that is refused leaves millions of objects in cycles behind.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 5, 5)


async def _broken(request: Request, error: Exception) -> Response:
    """Answer for a defect outside of GraphQL; the web server logs it with its traceback."""
    return refused_response(Refused(500, ServerError("Internal error. The server's log has the details.")))


async def _health(request: Request) -> JSONResponse:
    """Answer whether this process can serve: 200 with where everything stands, 503 with what is wrong."""
    knowledge: Knowledge = request.app.state.knowledge
    try:
        async with asyncio.timeout(_PATIENCE):
            state = await check_health(knowledge.store, knowledge.embedder.name, thorough=False)
            waiting, running = await backlog(knowledge.store.read)
    except (ServerError, DBAPIError, PostgresError, OSError) as error:  # a time-out is an OSError
        wrong = error.message if isinstance(error, ServerError) else "The database does not answer."
        _log.warning("Not ready: %s", wrong, exc_info=not isinstance(error, ServerError))
        return JSONResponse({"status": "unavailable", "degraded": [wrong]}, 503)
    worker = request.app.state.worker
    stopped = ["The ingestion worker has stopped."] if worker is not None and worker.done() else []
    ready = state.ready and not stopped
    report = {
        "status": "ready" if ready else "unavailable",
        "degraded": [*state.degraded, *stopped],
        "version": state.version,
        "logHead": state.log_head,
        "followers": {one.name: {"position": one.position, "lag": one.lag} for one in state.followers},
        "vectors": {"indexed": state.vectors, "pending": state.pending_vectors},
        "ingestions": {"waiting": waiting, "running": running},
    }
    return JSONResponse(report, 200 if ready else 503)


def from_environment() -> Starlette:
    """Return the application that the environment asks for; the entry point of each server process."""
    settings = Settings()
    configure_logging(settings.log_level)
    return create_app(settings, whole_process=True)


def configure_logging(level: str) -> None:
    """Write one line per event to stderr: our own and the web server's from `level` on, warnings of everybody else."""
    logging.basicConfig(
        stream=sys.stderr,
        format="%(asctime)s %(levelname)-8s %(name)s: %(message)s",
        level=logging.WARNING,
    )
    for name in ("loregraph", "uvicorn"):
        logging.getLogger(name).setLevel(level.upper())
