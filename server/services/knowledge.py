"""Everything that a caller can do with a store, in one place: the services, wired to each other."""

from __future__ import annotations

from server.config import Settings
from server.embeddings import Embedder, reranker_of
from server.services.answering.asking import Ask
from server.services.answers import NO_MODEL, Answers
from server.services.decisions import Reviews
from server.services.definitions import Definitions
from server.services.documents import Documents
from server.services.entities import Entities
from server.services.extraction import OFFLINE
from server.services.facts import Facts
from server.services.formats import Converter
from server.services.imports import Imports
from server.services.ingestion.batching import BatchReader
from server.services.ingestion.control import Ingestions
from server.services.ingestion.worker import STORE_LANE, Extract, IngestionWorker
from server.services.memories import Memories
from server.services.merges import Merges
from server.services.projects import CodeArtifacts, Projects
from server.services.relationships import Relationships
from server.services.retrieval.searching import Searcher
from server.services.staleness import Sweep
from server.services.uploads import Uploads
from server.services.volumes import Volumes
from server.store import Store
from server.store.jobs import BATCHES, Limit


class Knowledge:
    """The services over one open store. `extractor` names what `extract` runs; `reader` reads documents by batches; `ask` asks Claude
    questions.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        embedder: Embedder,
        extractor: str,
        extract: Extract,
        reader: BatchReader | None = None,
        ask: Ask | None = None,
    ) -> None:
        self.settings = settings
        self.store = store
        self.embedder = embedder
        self.volumes = Volumes(store)
        self.predicates = Definitions(store)
        self.entities = Entities(store, embedder)
        self.facts = Facts(store, embedder)
        self.relationships = Relationships(store, embedder)
        self.merges = Merges(store)
        self.memories = Memories(store, embedder)
        self.projects = Projects(store)
        self.code_artifacts = CodeArtifacts(store, embedder)
        self.documents = Documents(store, embedder, extractor)
        self.ingestions = Ingestions(store, extractor)
        self.converter = Converter(settings)
        self.uploads = Uploads(store, self.converter)
        self.imports = Imports(store, embedder)
        self.reviews = Reviews(store)
        self.searcher = Searcher(store, embedder, reranker=reranker_of(embedder, settings))
        model = NO_MODEL if ask is None else settings.claude_strong_model
        self.answers = Answers(store, self.searcher, ask, model, settings.claude_concurrency)
        limits = {extractor: Limit(settings.extraction_concurrency, settings.extraction_rate)}
        limits[OFFLINE] = limits[extractor]
        if settings.anthropic_key is not None:
            limits[settings.claude_model] = Limit(settings.claude_concurrency, settings.claude_rate)
            limits[BATCHES] = Limit(settings.claude_concurrency, settings.claude_batch_rate)
        lanes = {OFFLINE, STORE_LANE, extractor} if settings.anthropic_key is None else None
        self.worker = IngestionWorker(store, embedder, extract, settings, limits, reader, lanes)
        self.sweep = Sweep(store, settings.staleness_interval)

    async def close(self) -> None:
        """End the processes that read files."""
        await self.converter.aclose()
