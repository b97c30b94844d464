"""Volumes: making, renaming and deleting bodies of knowledge."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from server import models
from server.errors import BadUserInput, Conflict, NotFound
from server.ids import NodeKind, new_id
from server.services.checks import Changes, check_version, optional_text
from server.services.extraction.protocol import Vocabulary
from server.services.idempotency import Once
from server.services.identity import clean_name
from server.services.vocabularies import clean_vocabulary, stored_vocabulary
from server.store import Store
from server.store.records import VolumeRecord
from server.terms import ChangeKind

_OWN = (
    models.Evidence,
    models.FactVersion,
    models.RelationshipVersion,
    models.Mention,
    models.Fact,
    models.Relationship,
    models.Ingestion,
    models.Chunk,
    models.Document,
    models.Upload,
    models.MemoryLink,
    models.Memory,
    models.Alias,
    models.EntityBlock,
    models.Entity,
    models.Project,
    models.CodeArtifact,
    models.Predicate,
    models.IdempotentResult,
    models.PendingVector,
    models.TokenVectors,
)


class Volumes:
    """The volumes of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def named(self, name: str) -> VolumeRecord:
        """Return the volume with this name.

        Raises:
            NotFound: there is none.
        """
        volume = await self._store.volume(name)
        if volume is None:
            raise NotFound("There is no volume with this name. Make one with createVolume.", argument="volume")
        return volume

    async def ensure(self, name: str, actor: str, description: str | None = None) -> VolumeRecord:
        """Return the volume with this name, making it where it is missing."""
        try:
            if await self._store.volume(name) is None:
                await self.create(name, description, actor)
        except Conflict:
            pass
        return await self.named(name)

    async def create(
        self,
        name: str,
        description: str | None,
        actor: str,
        idempotency_key: str | None = None,
        vocabulary: Vocabulary | None = None,
    ) -> UUID:
        """Make an empty volume and return its id. The key belongs to the volume that it made.

        Raises:
            BadUserInput: the name cannot be one, or the vocabulary cannot.
            Conflict: the name is taken.
        """
        name = _clean_name(name)
        description = optional_text(description, "description", 2_000)
        id, request = new_id(), {"name": name, "description": description, **_vocabulary(vocabulary)}
        once = Once(self._store.settings, idempotency_key, "createVolume", request)
        async with self._store.write_new_volume(id, actor) as tx:
            await tx.lock_name(f"volume {name}")
            known = await tx.read.volume_named(name)
            if known is not None:
                if await once.recall(tx, known.id) is not None:
                    return known.id
                raise Conflict("A volume with this name exists already.", argument="name")
            tx.insert(models.Volume, id=id, **request)
            once.remember(tx, {"id": str(id)})
            tx.log(ChangeKind.CREATED, NodeKind.VOLUME, id, after=request)
        return id

    async def update(self, volume: VolumeRecord, changes: Changes, expected: int | None, actor: str) -> None:
        """Rename a volume, or change its description or vocabulary.

        Raises:
            BadUserInput: the name cannot be one, or the vocabulary cannot.
            Conflict: the new name is taken, or the volume is at another version.
        """
        cleaned = dict(changes)
        if "name" in cleaned:
            cleaned["name"] = _clean_name(cleaned["name"] or "")
        if "description" in cleaned:
            cleaned["description"] = optional_text(cleaned["description"], "description", 2_000)
        if "vocabulary" in cleaned:
            cleaned |= {"vocabulary": None, **_vocabulary(cleaned["vocabulary"])}
        async with self._store.write(volume.id, actor) as tx:
            now = await tx.read.one(VolumeRecord, volume.id)
            assert now is not None
            check_version(now, expected)
            changed = {n: v for n, v in cleaned.items() if getattr(now, n) != v}
            if not changed:
                return
            if "name" in changed:
                await tx.lock_name(f"volume {changed['name']}")
                if await tx.read.volume_named(changed["name"]) is not None:
                    raise Conflict("A volume with this name exists already.", argument="name")
            tx.update(models.Volume, volume.id, **changed, version=now.version + 1)
            before = {n: getattr(now, n) for n in changed}
            tx.log(ChangeKind.UPDATED, NodeKind.VOLUME, volume.id, before=before, after=changed)

    async def delete(self, volume: VolumeRecord, confirm: str, actor: str) -> None:
        """Delete a volume with everything in it; only that it happened stays in the log.

        Raises:
            BadUserInput: `confirm` is not the volume's name.
        """
        if confirm != volume.name:
            raise BadUserInput("To delete a volume, give its name a second time as confirm.", argument="confirm")
        async with self._store.write(volume.id, actor) as tx:
            for model in _OWN:
                tx.delete_where(model, volume_id=volume.id)
            tx.delete_where(models.Change, volume_id=volume.id)
            tx.delete_where(models.Volume, id=volume.id)
            tx.log(ChangeKind.DELETED, NodeKind.VOLUME, volume.id)
            tx.unindex(NodeKind.VOLUME, [volume.id])
        await self._store.checkpoint()


def _vocabulary(given: Vocabulary | None) -> dict[str, Any]:
    """Return the column of a vocabulary; none for an empty one."""
    stored = None if given is None else stored_vocabulary(clean_vocabulary(given))
    return {} if stored is None else {"vocabulary": stored}


def _clean_name(text: str) -> str:
    name = clean_name(text)
    if len(name) > 100:
        raise BadUserInput("A volume's name has at most 100 characters.", argument="name")
    return name
