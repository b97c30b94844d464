"""Projects and code artifacts: the two plain things that memories, entities and documents hang together by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from server import models
from server.embeddings import Embedder
from server.errors import BadUserInput, Conflict
from server.ids import NodeKind, new_id
from server.services.checks import Changes, check_version, one_in_volume, optional_text, words
from server.services.idempotency import Once
from server.services.identity import clean_name, clean_text, clean_title
from server.services.indexing import code_text, embed
from server.store import Store, Transaction
from server.store.records import CodeArtifactRecord, ProjectRecord, VolumeRecord
from server.terms import ChangeKind, ProjectStatus

CODE_LIMIT = 100_000


class Projects:
    """The projects of a store's volumes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def create(
        self,
        volume: VolumeRecord,
        name: str,
        description: str | None,
        status: ProjectStatus,
        actor: str,
        idempotency_key: str | None = None,
    ) -> UUID:
        """Make a project and return its id.

        Raises:
            BadUserInput: a field is out of its bounds.
            Conflict: the name is taken in this volume.
        """
        columns = {
            "name": clean_name(name),
            "description": optional_text(description, "description", 10_000),
            "status": status.value,
        }
        once = Once(self._store.settings, idempotency_key, "createProject", columns)
        async with self._store.write(volume.id, actor) as tx:
            answered = await once.recall(tx)
            if answered is not None:
                return UUID(answered["id"])
            await _refuse_taken(tx, columns["name"] or "")
            id = tx.insert(models.Project, **columns)
            tx.log(ChangeKind.CREATED, NodeKind.PROJECT, id, after=columns)
            once.remember(tx, {"id": str(id)})
        return id

    async def update(self, volume: VolumeRecord, id: UUID, changes: Changes, expected: int | None, actor: str) -> None:
        """Edit the named fields of a project.

        Raises:
            BadUserInput: a field is out of its bounds.
            NotFound: no such project in this volume.
            Conflict: another version, or the name is taken.
        """
        clean: dict[str, Callable[[Any], Any]] = {
            "name": lambda v: clean_name(v or ""),
            "description": lambda v: optional_text(v, "description", 10_000),
            "status": lambda v: _required(v, "status").value,
        }
        fields = {n: clean[n](v) for n, v in changes.items()}
        async with self._store.write(volume.id, actor) as tx:
            now = await one_in_volume(tx.read, ProjectRecord, volume.id, id, "id", "project")
            check_version(now, expected)
            changed = {n: v for n, v in fields.items() if getattr(now, n) != v}
            if "name" in changed:
                await _refuse_taken(tx, changed["name"])
            if changed:
                tx.update(models.Project, id, **changed, version=now.version + 1)
                before = {n: getattr(now, n) for n in changed}
                tx.log(ChangeKind.UPDATED, NodeKind.PROJECT, id, before=before, after=changed)

    async def delete(self, volume: VolumeRecord, id: UUID, expected: int | None, actor: str) -> None:
        """Delete a project; what belonged to it stays.

        Raises:
            NotFound: no such project in this volume.
            Conflict: another version.
        """
        async with self._store.write(volume.id, actor) as tx:
            now = await one_in_volume(tx.read, ProjectRecord, volume.id, id, "id", "project")
            check_version(now, expected)
            tx.delete_ids(models.Project, [id])
            tx.redact_log([id])
            tx.log(ChangeKind.DELETED, NodeKind.PROJECT, id)


async def _refuse_taken(tx: Transaction, name: str) -> None:
    if await tx.read.where(ProjectRecord, volume_id=tx.volume_id, name=name):
        raise Conflict("A project with this name exists in this volume.", argument="name")


def _required(value: Any, argument: str) -> Any:
    if value is None:
        raise BadUserInput(f"{argument} cannot be cleared.", argument=argument)
    return value


@dataclass(frozen=True, slots=True)
class NewCodeArtifact:
    """What createCodeArtifact takes."""

    title: str
    language: str
    code: str
    description: str | None = None
    tags: tuple[str, ...] = ()


class CodeArtifacts:
    """The code artifacts of a store's volumes."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    async def create(
        self, volume: VolumeRecord, new: NewCodeArtifact, actor: str, idempotency_key: str | None = None
    ) -> UUID:
        """Keep a piece of code and return its id.

        Raises:
            BadUserInput: a field is out of its bounds.
        """
        columns = {name: check(getattr(new, name)) for name, check in _CODE.items()}
        once = Once(self._store.settings, idempotency_key, "createCodeArtifact", columns)
        text = code_text(columns["title"], columns["language"], columns["description"], columns["code"])
        embedded = await embed(self._embedder, text)
        async with self._store.write(volume.id, actor) as tx:
            answered = await once.recall(tx)
            if answered is not None:
                return UUID(answered["id"])
            id = new_id()
            tx.insert(models.CodeArtifact, id=id, **columns)
            tx.log(
                ChangeKind.CREATED, NodeKind.CODE_ARTIFACT, id, after={n: v for n, v in columns.items() if n != "code"}
            )
            embedded.put(tx, NodeKind.CODE_ARTIFACT, id, text)
            once.remember(tx, {"id": str(id)})
        return id

    async def update(self, volume: VolumeRecord, id: UUID, changes: Changes, expected: int | None, actor: str) -> None:
        """Edit the named fields of a code artifact.

        Raises:
            BadUserInput: a field is out of its bounds.
            NotFound: no such code artifact in this volume.
            Conflict: another version.
        """
        fields = {name: _CODE[name](value) for name, value in changes.items()}
        async with self._store.write(volume.id, actor) as tx:
            now = await one_in_volume(tx.read, CodeArtifactRecord, volume.id, id, "id", "code artifact")
            check_version(now, expected)
            changed = {n: v for n, v in fields.items() if getattr(now, n) != v}
            if not changed:
                return
            tx.update(models.CodeArtifact, id, **changed, version=now.version + 1)
            logged = {n: v for n, v in changed.items() if n != "code"}
            before = {n: getattr(now, n) for n in logged}
            tx.log(ChangeKind.UPDATED, NodeKind.CODE_ARTIFACT, id, before=before, after=logged)
            new = now._replace(**changed)
            text = code_text(new.title, new.language, new.description, new.code)
            tx.index(NodeKind.CODE_ARTIFACT, id, text, None, again=True)

    async def delete(self, volume: VolumeRecord, id: UUID, expected: int | None, actor: str) -> None:
        """Delete a code artifact; its words leave the log and the index.

        Raises:
            NotFound: no such code artifact in this volume.
            Conflict: another version.
        """
        async with self._store.write(volume.id, actor) as tx:
            now = await one_in_volume(tx.read, CodeArtifactRecord, volume.id, id, "id", "code artifact")
            check_version(now, expected)
            tx.delete_ids(models.CodeArtifact, [id])
            tx.redact_log([id])
            tx.log(ChangeKind.DELETED, NodeKind.CODE_ARTIFACT, id)
            tx.unindex(NodeKind.CODE_ARTIFACT, [id])
        await self._store.checkpoint()


_CODE: dict[str, Callable[[Any], Any]] = {
    "title": lambda v: clean_title(v or "", "title", 500),
    "language": lambda v: clean_name(v or "", "language").casefold(),
    "code": lambda v: clean_text(v or "", "code", CODE_LIMIT),
    "description": lambda v: optional_text(v, "description", 10_000),
    "tags": lambda v: words(v, "tags", 10),
}
