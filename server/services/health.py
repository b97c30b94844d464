"""Health: whether the database and the vectors answer, and how far the followers of the change log are."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from server import models
from server.errors import ServerError
from server.store import Store

_LATE = 10_000


@dataclass(frozen=True, slots=True)
class FollowerState:
    """A follower: the last log entry it handled, and how many it is behind."""

    name: str
    position: int
    lag: int


@dataclass(frozen=True, slots=True)
class HealthState:
    """What `check_health` found. `degraded` says what does not work and what to do.

    `vectors` is how many nodes the vector index holds, None where they were not counted.
    """

    ready: bool
    degraded: tuple[str, ...]
    version: str
    database: str
    embedding_model: str
    rows: dict[str, int]
    vectors: int | None
    pending_vectors: int
    log_head: int
    followers: tuple[FollowerState, ...]


def own_version() -> str:
    """Return the version of the installed package, "0" in a tree that is not installed."""
    try:
        return version("loregraph")
    except PackageNotFoundError:
        return "0"


async def check_health(store: Store, embedding_model: str, *, thorough: bool = True) -> HealthState:
    """Return the state of a store. It never raises for what it finds broken: that is in `degraded`.

    `thorough`: otherwise the tables are not counted, which on a large store takes time, and a vector index that this process
    has not used is not opened, which takes memory: all that is seen of it then is whether its folder can be read.
    """
    degraded: list[str] = []
    slow: list[str] = []
    rows: dict[str, int] = {}
    head, followers, backlog, vectors = 0, (), 0, None  # type: int, tuple[FollowerState, ...], int, int | None
    try:
        head, followers, backlog = await _log_state(store)
        if thorough:
            rows = await _rows(store)
    except ServerError as error:
        degraded.append(error.message)
    try:
        vectors = await _vectors(store, thorough)
        slow += [] if vectors is None else await _unindexed(store)
    except ServerError as error:
        degraded.append(error.message)
    if backlog > _LATE:
        slow.append(f"{backlog} nodes wait for their vectors; search by meaning does not see them yet.")
    return HealthState(
        ready=not degraded,
        degraded=(*degraded, *slow),
        version=own_version(),
        database=store.database.dialect,
        embedding_model=embedding_model,
        rows=rows,
        vectors=vectors,
        pending_vectors=backlog,
        log_head=head,
        followers=followers,
    )


async def _log_state(store: Store) -> tuple[int, tuple[FollowerState, ...], int]:
    head, positions = await store.log_positions()
    followers = tuple(FollowerState(name, at, max(0, head - at)) for name, at in sorted(positions.items()))
    return head, followers, await store.follower.backlog()


async def _vectors(store: Store, thorough: bool) -> int | None:
    if thorough or store.index.is_open:
        return await store.index.count()
    await store.index.look()
    return None


async def _unindexed(store: Store) -> list[str]:
    """Return what there is to say of the full-text index: without it a search by words reads every text."""
    there, missing = await store.index.words_indexed()
    if missing <= _LATE:
        return []
    left = f"{missing} texts are not in the full-text index yet" if there else "There is no full-text index yet"
    return [f"{left}; search by words is slow until it is made in the background, or run: loregraph reindex"]


async def _rows(store: Store) -> dict[str, int]:
    return {
        "entities": await store.read.count(models.Entity),
        "facts": await store.read.count(models.Fact),
        "relationships": await store.read.count(models.Relationship),
        "memories": await store.read.count(models.Memory),
        "documents": await store.read.count(models.Document),
        "chunks": await store.read.count(models.Chunk),
    }
