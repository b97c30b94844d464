"""Settings: read once from the environment (LOREGRAPH_...), passed down, never global.

The README's table of settings is generated from the descriptions here and tested to be current.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Settings(BaseSettings):
    """Everything that can be set, each with a default that works on a laptop without a network."""

    model_config = SettingsConfigDict(env_prefix="LOREGRAPH_", extra="ignore", frozen=True, populate_by_name=True)

    data: Path = Field(Path("data"), description="Folder of the SQLite file and the LanceDB index.")
    database_url: str | None = Field(
        None, description="Database, as postgresql+asyncpg://user:password@host/name. Unset: SQLite in the data folder."
    )
    vectors: str | None = Field(
        None, description="Folder or object-store URI (s3://...) of the LanceDB index. Unset: in the data folder."
    )
    host: str = Field("127.0.0.1", description="Address to bind. Without authentication only loopback is served.")
    port: int = Field(8000, ge=0, le=65535, description="Port to bind.")
    workers: int = Field(1, ge=1, le=64, description="Server processes.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Log level: debug, info, warning or error."
    )
    shutdown_grace: int = Field(
        30, ge=0, description="Seconds that requests under way have to end when the server is told to stop."
    )

    embeddings_url: str | None = Field(
        None, description="Base URL of an OpenAI-compatible embeddings API. Unset: the embedded MiniLM model."
    )
    embeddings_model: str = Field("text-embedding-3-small", description="Model asked for at embeddings_url.")
    embeddings_key: SecretStr | None = Field(None, description="Key sent to embeddings_url as a bearer token.")
    embeddings_dimension: int | None = Field(
        None, ge=1, le=8192, description="Vector length of embeddings_model. Unset: asked of the API once."
    )

    memory_link_similarity: float = Field(
        0.7, ge=0, le=1, description="A new memory links itself to memories at least this similar (cosine)."
    )
    memory_link_count: int = Field(3, ge=0, le=10, description="At most so many automatic links a new memory.")
    memory_duplicate_similarity: float = Field(
        0.89, ge=0, le=1, description="Memories at least this similar are reported as near-duplicates."
    )
    chunk_size: int = Field(1200, ge=200, le=8000, description="Characters a chunk aims for; it may grow by a third.")
    document_limit: int = Field(2_000_000, ge=1_000, description="Most characters a document may have.")
    max_pages: int = Field(1_000, ge=1, description="Most pages a PDF may have.")
    max_unpacked: int = Field(200, ge=1, description="Most MiB a Word file may unpack to.")
    conversion_timeout: float = Field(
        60, gt=0, description="Seconds that the reading of a PDF, Word or HTML file may take."
    )
    conversion_memory: int = Field(
        1024, ge=64, description="MiB of memory that the reading of a PDF, Word or HTML file may take."
    )
    extractor: Literal["auto", "claude", "offline"] = Field(
        "auto", description="What reads documents: claude, offline, or auto: Claude where a key is set, else offline."
    )
    answers: Literal["auto", "claude", "offline"] = Field(
        "auto",
        description="What answers questions: claude, offline (the cited claims themselves), or auto: Claude where a key is set, else offline.",
    )
    extraction_workers: int = Field(1, ge=1, le=32, description="Processes that extract from documents offline.")
    extraction_concurrency: int | None = Field(
        None, ge=1, description="Most chunks that are extracted offline at once, over all workers. Unset: no bound."
    )
    extraction_rate: float | None = Field(
        None,
        gt=0,
        description="Most chunks whose offline extraction begins in a minute, over all workers. Unset: no bound.",
    )

    anthropic_key: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("LOREGRAPH_ANTHROPIC_KEY", "ANTHROPIC_API_KEY"),
        description="Key of Claude's API. ANTHROPIC_API_KEY is read too.",
    )
    anthropic_url: str = Field(
        "https://api.anthropic.com", description="Base URL of the Messages API, of a gateway in front of it, say."
    )
    claude_model: str = Field("claude-haiku-5-5", description="Claude that extracts: a cheap one is good enough.")
    claude_strong_model: str = Field(
        "claude-opus-5-5", description="Claude that answers questions, and that judges whether two entities are one."
    )
    claude_effort: Literal["none", "low", "medium", "high"] = Field(
        "low", description="Effort that extraction asks of Claude; none for a model that takes no effort."
    )
    claude_second_look: bool = Field(
        False,
        description="Ask Claude twice about jobs, studies and projects in a résumé: for entities, then for more facts of each.",
    )
    claude_judges: bool = Field(
        False,
        description="Let claude_strong_model decide what `loregraph duplicates` proposes; what it is not sure of waits for a person.",
    )
    claude_concurrency: int = Field(
        4,
        ge=1,
        le=256,
        description="Most calls of Claude for extraction at once, over all workers; and for answers, in each process.",
    )
    claude_rate: float | None = Field(
        None,
        gt=0,
        description="Most calls of Claude for extraction that begin in a minute, over all workers. Unset: no bound.",
    )
    claude_budget: int | None = Field(
        None,
        ge=1,
        description="Tokens, sent and answered, after which an ingestion by Claude stops, unless it has its own. Unset: no bound.",
    )
    claude_max_tokens: int = Field(
        16_000, ge=256, le=128_000, description="Most tokens of one answer of Claude, its thinking included."
    )
    claude_timeout: float = Field(180, gt=0, le=3_600, description="Seconds that one answer of Claude may take.")
    claude_batch_interval: float = Field(
        30,
        gt=0,
        le=3_600,
        description="Seconds after which a Message Batch is asked after; an old one less often, ten minutes at most.",
    )
    claude_batch_rate: float = Field(
        50, gt=0, description="Most steps of Message Batches, submitting and asking, in a minute, over all workers."
    )
    ingestion: bool = Field(
        True, description="Work on ingestions inside the server. If false, run `loregraph worker` beside it."
    )
    ingestion_lease: float = Field(
        30, gt=0, description="Seconds after which another worker takes over a step of an ingestion."
    )

    follower_lease: float = Field(
        5, gt=0, le=60, description="Seconds after which another process takes over a follower."
    )
    read_interval: float = Field(
        1.0, gt=0, le=60, description="Seconds after which a process sees what others added to the vector index."
    )
    vector_index_rows: int = Field(
        20_000,
        ge=256,
        description="Rows of the vector index from which on vectors are found through an index of their own, made in the background.",
    )
    staleness_interval: float = Field(
        3600, ge=1, description="Seconds between two sweeps for stale claims, which ask about each in the review queue."
    )
    search_minutes: float = Field(
        10, gt=0, description="Minutes for which the pages of a search can be turned: its ranking is kept so long."
    )
    search_rerank: Literal["off", "on"] = Field(
        "off",
        description="Whether the best 50 hits of a search are ranked anew by late interaction over tokens (MaxSim). Set it for all processes, "
        "then run: loregraph reindex",
    )
    busy_timeout: float = Field(10, gt=0, description="Seconds a write waits for other writers before it is refused.")
    fsync: bool = Field(
        True,
        description="Wait for the disk at each commit on SQLite, so that a power cut takes nothing that was answered.",
    )
    pool_size: int = Field(8, ge=1, le=100, description="Connections to the database a process keeps.")
    idempotency_days: float = Field(7, gt=0, description="Days for which an idempotencyKey is remembered.")

    max_upload: int = Field(20_971_520, ge=1024, description="Most bytes of an uploaded file.")
    upload_timeout: float = Field(300, gt=0, description="Seconds that an upload may take to arrive.")
    upload_hours: float = Field(24, gt=0, description="Hours for which an upload waits for its document.")
    max_body: int = Field(262_144, ge=1024, description="Most bytes of a GraphQL request.")
    max_tokens: int = Field(1000, ge=10, description="Most tokens of a GraphQL document.")
    max_depth: int = Field(20, ge=1, description="Deepest nesting of a GraphQL operation.")
    max_aliases: int = Field(15, ge=0, description="Most aliases in a GraphQL operation.")
    max_fields: int = Field(300, ge=1, description="Most fields of a GraphQL operation, fragments expanded.")
    max_nodes: int = Field(
        25_000, ge=100, description="Most nodes in the lists of one answer, each as often as it stands there."
    )
    max_answer_fields: int = Field(
        500_000, ge=1_000, description="Most fields and items of lists in one answer, each as often as it stands there."
    )
    max_answer_characters: int = Field(
        32_000_000,
        ge=100_000,
        description="Most characters of the texts of one answer, each as often as it stands there.",
    )
    executor: Literal["breadth-first", "ordinary"] = Field(
        "breadth-first",
        description="How operations are executed: each field once per level, or by graphql-core, once per parent.",
    )
    import_limit: int = Field(10_000, ge=1, description="Most items one importGraph takes.")
    allowed_hosts: str = Field(
        "localhost,127.0.0.1,[::1]",
        description="Names that a request's Host header may give, so that no foreign page reaches the server; * takes any.",
    )
    graphiql: bool = Field(True, description="Serve GraphiQL to browsers at /graphql.")

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith("postgresql+asyncpg://"):
            raise ValueError("use postgresql+asyncpg://user:password@host/name, or leave it unset for SQLite")
        return url

    @field_validator("anthropic_key")
    @classmethod
    def _given(cls, key: SecretStr | None) -> SecretStr | None:
        return key if key is not None and key.get_secret_value().strip() else None

    @property
    def uses_claude(self) -> bool:
        """Whether documents are read by Claude."""
        return self.extractor == "claude" or (self.extractor == "auto" and self.anthropic_key is not None)

    @property
    def answers_by_claude(self) -> bool:
        """Whether Claude answers questions."""
        return self.answers == "claude" or (self.answers == "auto" and self.anthropic_key is not None)

    @property
    def extractions_at_once(self) -> int:
        """How many chunks one process has extracted from at a time."""
        return self.claude_concurrency if self.uses_claude else self.extraction_workers

    @property
    def sqlite_path(self) -> Path:
        """The SQLite file, used where database_url is unset."""
        return self.data / "loregraph.sqlite"

    @property
    def vectors_uri(self) -> str:
        """Where the LanceDB index lives."""
        return self.vectors or str(self.data / "vectors")

    @property
    def loopback(self) -> bool:
        """Whether `host` can be reached from this machine only."""
        return self.host in LOOPBACK or self.host.startswith("127.")


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"LOREGRAPH_{name.upper()}"


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Return the variables that look like settings and are none: a slip of the pen would go unnoticed."""
    known = {variable(name) for name in Settings.model_fields}
    return sorted(name for name in environment if name.upper().startswith("LOREGRAPH_") and name.upper() not in known)


def settings_table() -> str:
    """Return all settings as a Markdown table: variable, default, description; in the order of the class."""
    rows = ["| Variable | Default | What it sets |", "| --- | --- | --- |"]
    for name, field in Settings.model_fields.items():
        rows.append(f"| `{variable(name)}` | {_shown(field.default)} | {field.description} |")
    return "\n".join(rows) + "\n"


def _shown(default: object) -> str:
    if default is None:
        return "unset"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
