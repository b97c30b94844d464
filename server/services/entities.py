"""Entities by hand: creating, editing and deleting what a person or an agent states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from server import models
from server.embeddings import Embedder
from server.errors import BadUserInput, Conflict
from server.ids import NodeKind, encode_id, new_id
from server.services.blocking import add_blocks, replace_blocks
from server.services.checks import Changes, check_version, in_volume, json_object, optional_text, within
from server.services.claims import RELATIONSHIP
from server.services.contradiction import forget_conflicts, pairs_of, reconsider
from server.services.duplicates import Seen, candidates, propose
from server.services.idempotency import Once
from server.services.identity import clean_name, match_key, normalise_type
from server.services.indexing import Embedded, embed, entity_text
from server.services.likeness import Look
from server.services.resolution import Named, ambiguous, candidates_of, merged_among, survivor_in_volume
from server.services.reviews import forget_reviews
from server.store import Store, Transaction
from server.store.merging import tie_survivors
from server.store.records import AliasRecord, EntityRecord, FactRecord, ProjectRecord, RelationshipRecord, VolumeRecord
from server.terms import ChangeKind, Origin

ALIASES = 100
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class NewEntity:
    """What createEntity takes."""

    name: str
    type: str
    description: str | None = None
    aliases: tuple[str, ...] = ()
    sense: str | None = None
    properties: Any = None
    importance: float = 0.5
    confidence: float = 1.0
    projects: tuple[UUID, ...] = ()


def cleaned(entity: NewEntity) -> NewEntity:
    """Return the input as it is stored.

    Raises:
        BadUserInput: a field is out of its bounds.
    """
    return NewEntity(
        name=clean_name(entity.name),
        type=normalise_type(entity.type),
        description=optional_text(entity.description, "description", 10_000),
        aliases=clean_aliases(entity.aliases),
        sense=optional_text(entity.sense, "sense", 200),
        properties=json_object(entity.properties, "properties"),
        importance=within(entity.importance, 0, 1, "importance"),
        confidence=within(entity.confidence, 0, 1, "confidence"),
        projects=entity.projects,
    )


def clean_aliases(aliases: Sequence[str]) -> tuple[str, ...]:
    """Return aliases trimmed, without repeats.

    Raises:
        BadUserInput: one cannot be a name, or there are more than 100.
    """
    names = tuple(dict.fromkeys(clean_name(alias, "aliases") for alias in aliases))
    if len(names) > ALIASES:
        raise BadUserInput(f"An entity has at most {ALIASES} aliases.", argument="aliases")
    return names


def insert_entity(
    tx: Transaction,
    entity: NewEntity,
    embedded: Embedded,
    *,
    origin: Origin = Origin.STATED,
    type_stated: bool = True,
    document_id: UUID | None = None,
    described_by: UUID | None = None,
    logged: bool = True,
    id: UUID | None = None,
) -> UUID:
    """Insert a cleaned entity with its aliases, log entry and index text; return its id.

    `type_stated` is False for a type that was only guessed. `document_id` is the document that states the aliases,
    `described_by` the one that gives the description.
    """
    id = id or new_id()
    key = match_key(entity.name, entity.type)
    found = {"origin": origin.value, "type_stated": type_stated, "described_by": described_by}
    columns = {
        "name": entity.name,
        "type": entity.type,
        "sense": entity.sense or "",
        "description": entity.description,
        "properties": entity.properties or {},
        "confidence": entity.confidence,
        "importance": entity.importance,
    }
    tx.insert(models.Entity, id=id, match_key=key, **columns, **found)
    add_blocks(tx, id, [entity.name])
    added = add_aliases(tx, id, entity.aliases, known={key}, document_id=document_id)
    if logged:
        after = {**columns, **({"aliases": added} if added else {})}
        tx.log(ChangeKind.CREATED, NodeKind.ENTITY, id, after=after)
    embedded.put(tx, NodeKind.ENTITY, id, entity_text(entity.name, entity.type, entity.description))
    return id


def joined(one: NewEntity, other: NewEntity) -> NewEntity:
    """Return an entity about to be made with what a second statement of it adds: names, and a missing description."""
    aliases = dict.fromkeys([*one.aliases, other.name, *other.aliases])
    return replace(one, aliases=tuple(aliases)[:ALIASES], description=one.description or other.description)


def draft_record(id: UUID, volume_id: UUID, entity: NewEntity) -> EntityRecord:
    """Return an entity about to be made by hand as resolution sees it; it has no times yet."""
    return EntityRecord(
        id=id,
        volume_id=volume_id,
        name=entity.name,
        match_key=match_key(entity.name, entity.type),
        type=entity.type,
        type_stated=True,
        sense=entity.sense or "",
        description=entity.description,
        described_by=None,
        properties={},
        confidence=entity.confidence,
        importance=entity.importance,
        origin=Origin.STATED,
        version=1,
        created_at=_NEVER,
        updated_at=_NEVER,
    )


def add_aliases(
    tx: Transaction, entity_id: UUID, names: Sequence[str], *, known: set[str], document_id: UUID | None = None
) -> list[str]:
    """Insert the aliases whose match keys are not among `known`, and return them."""
    added = []
    for name in names:
        key = match_key(name)
        if key not in known:
            known.add(key)
            tx.insert(models.Alias, entity_id=entity_id, match_key=key, name=name, document_id=document_id)
            added.append(name)
    add_blocks(tx, entity_id, added)
    return added


def keep_stated(tx: Transaction, known: Sequence[EntityRecord]) -> None:
    """Let entities that a document brought, and a person has stated since, outlive that document."""
    found = [entity.id for entity in known if entity.origin == Origin.EXTRACTED]
    tx.set_text(models.Entity, found, "origin", Origin.STATED.value)


def complete(tx: Transaction, known: EntityRecord, aliases: Sequence[AliasRecord], stated: Sequence[NewEntity]) -> None:
    """Give a known entity the names and the description that it lacks, and log what was new.

    Raises:
        BadUserInput: it would have more than 100 aliases.
    """
    keys = {known.match_key, *(a.match_key for a in aliases)}
    added = add_aliases(tx, known.id, [n for one in stated for n in (one.name, *one.aliases)], known=keys)
    if added and len(aliases) + len(added) > ALIASES:
        raise BadUserInput(f"{known.name} would have more than {ALIASES} aliases.", argument="aliases")
    before: dict[str, Any] = {"aliases": [a.name for a in aliases]} if added else {}
    after: dict[str, Any] = {"aliases": [*before["aliases"], *added]} if added else {}
    description = next((one.description for one in stated if one.description is not None), None)
    if known.description is None and description is not None:
        before["description"], after["description"] = None, description
        if known.merged_into is None:
            tx.index(NodeKind.ENTITY, known.id, entity_text(known.name, known.type, description), None, again=True)
    if after:
        columns = {n: v for n, v in after.items() if n != "aliases"}
        tx.update(models.Entity, known.id, **columns, version=known.version + 1)
        tx.log(ChangeKind.UPDATED, NodeKind.ENTITY, known.id, before=before, after=after)


class Created(NamedTuple):
    """What createEntity came to: `candidates` are the reviews that wait because a new entity looks like known ones."""

    id: UUID
    created: bool
    candidates: tuple[UUID, ...] = ()


class Entities:
    """The entities of a store's volumes."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    async def create(
        self, volume: VolumeRecord, new: NewEntity, actor: str, idempotency_key: str | None = None
    ) -> Created:
        """Return the entity with this name, whether it was made now, and the reviews of what it then looks like.

        A known one gets the new aliases and a missing description; nothing else of it changes.

        Raises:
            BadUserInput: a field is out of its bounds.
            NotFound: a project is not of this volume.
            Ambiguous: the name is that of several entities and no sense is given.
        """
        entity = cleaned(new)
        once = Once(self._store.settings, idempotency_key, "createEntity", _request(entity))
        embedded = await embed(self._embedder, entity_text(entity.name, entity.type, entity.description))
        async with self._store.write(volume.id, actor) as tx:
            answered = await once.recall(tx)
            if answered is not None:
                likes = tuple(UUID(review) for review in answered.get("candidates", ()))
                return Created(UUID(answered["id"]), bool(answered["created"]), likes)
            made = await self._create_or_complete(tx, entity, embedded)
            once.remember(
                tx, {"id": str(made.id), "created": made.created, "candidates": [str(one) for one in made.candidates]}
            )
        return made

    async def _create_or_complete(self, tx: Transaction, entity: NewEntity, embedded: Embedded) -> Created:
        projects = await in_volume(tx.read, ProjectRecord, tx.volume_id, entity.projects, "projects", "project")
        named = Named(entity.name, entity.type, stated=True, sense=entity.sense)
        fit = candidates_of(named, await tx.read.entities_named(tx.volume_id, named.keys))
        if len(fit) > 1:
            raise ambiguous(entity.name, fit, "name")
        id = fit[0].id if fit else insert_entity(tx, entity, embedded)
        if fit:
            keep_stated(tx, fit)
            (aliases,) = await tx.read.lists(AliasRecord, "entity_id", [id], "match_key")
            complete(tx, fit[0], aliases, [entity])
        tx.state(models.ProjectEntity, [{"project_id": p.id, "entity_id": id} for p in projects])
        if projects and merged_among(fit):
            await tie_survivors(tx, models.ProjectEntity, [id])
        return Created(id, not fit, () if fit else await _likes(tx, id, entity))

    async def update(self, volume: VolumeRecord, id: UUID, changes: Changes, expected: int | None, actor: str) -> None:
        """Edit the named fields of an entity; `aliases` replaces all but those that came by a merge.

        Raises:
            BadUserInput: a field is out of its bounds, or one that must be there is cleared.
            NotFound: no such entity in this volume.
            Conflict: another version, or another entity has this name, type and sense.
        """
        fields = _clean_changes(changes)
        async with self._store.write(volume.id, actor) as tx:
            now = await survivor_in_volume(tx.read, volume.id, id, "id")
            id = now.id
            check_version(now, expected)
            aliases = fields.pop("aliases", None)
            changed = {n: v for n, v in fields.items() if getattr(now, n) != v}
            renamed = now._replace(**changed)
            await self._check_identity(tx, now, renamed)
            before = {n: getattr(now, n) for n in changed}
            key = match_key(renamed.name, renamed.type)
            if aliases is not None:
                old, new = await self._replace_aliases(tx, id, aliases, key)
                if old != new:
                    before["aliases"], changed["aliases"] = old, new
            if not changed:
                return
            if "name" in changed or "aliases" in changed:
                replace_blocks(tx, id, [renamed.name, *(aliases if aliases is not None else await _aliases(tx, id))])
            columns = {n: v for n, v in changed.items() if n != "aliases"}
            if "description" in columns:
                columns["described_by"] = None
            if "type" in columns:
                columns["type_stated"] = True
            keep_stated(tx, [now])
            tx.update(models.Entity, id, **columns, match_key=key, version=now.version + 1)
            tx.log(ChangeKind.UPDATED, NodeKind.ENTITY, id, before=before, after=changed)
            text = entity_text(renamed.name, renamed.type, renamed.description)
            if text != entity_text(now.name, now.type, now.description):
                tx.index(NodeKind.ENTITY, id, text, None, again=True)

    async def _check_identity(self, tx: Transaction, now: EntityRecord, renamed: EntityRecord) -> None:
        key = match_key(renamed.name, renamed.type)
        same = await tx.read.where(
            EntityRecord, volume_id=tx.volume_id, match_key=key, type=renamed.type, sense=renamed.sense
        )
        if any(other.id != now.id and other.merged_into is None for other in same):
            raise Conflict(
                "Another entity has this name, type and sense. Give a sense that tells them apart.", argument="name"
            )

    async def _replace_aliases(
        self, tx: Transaction, id: UUID, names: Sequence[str], key: str
    ) -> tuple[list[str], list[str]]:
        """Return its own aliases as they were and as they are now, both in the order of their keys; names that came by a merge stay so."""
        (old,) = await tx.read.lists(AliasRecord, "entity_id", [id], "match_key")
        before = [alias.name for alias in old]
        wanted: dict[str, str] = {}
        for name in names:
            wanted.setdefault(match_key(name), name)
        wanted.pop(key, None)
        kept = {alias.match_key for alias in old}
        for name in (await tx.read.other_names([id]))[0]:
            if match_key(name) not in kept:
                wanted.pop(match_key(name), None)
        after = [wanted[own] for own in sorted(wanted)]
        if before != after:
            tx.delete_where(models.Alias, entity_id=id)
            add_aliases(tx, id, after, known={key})
        return before, after

    async def delete(self, volume: VolumeRecord, id: UUID, expected: int | None, actor: str) -> None:
        """Delete an entity, and what was merged into it, with all their claims; their words leave the log and the index.

        Raises:
            NotFound: no such entity in this volume.
            Conflict: another version, or it was merged into another one, which would go too.
        """
        async with self._store.write(volume.id, actor) as tx:
            now = await survivor_in_volume(tx.read, volume.id, id, "id")
            check_version(now, expected)
            if now.id != id:
                into = f"It counts as {now.name} since a merge. Undo the merge first"
                raise Conflict(
                    f"{into}, or delete {encode_id(NodeKind.ENTITY, now.id)} with all that it is.", argument="id"
                )
            await remove_entities(tx, [now.id])
        await self._store.checkpoint()


async def remove_entities(tx: Transaction, entities: Sequence[UUID]) -> None:
    """Delete entities, what was merged into them and every claim about them, with log entries, out of the index and of earlier
    log values.
    """
    merged = await tx.read.lists(EntityRecord, "merged_into", entities, "id")
    ids = list(dict.fromkeys([*entities, *(one.id for found in merged for one in found)]))
    facts = [f.id for found in await tx.read.lists(FactRecord, "subject_id", ids, "id") for f in found]
    edges = {
        r.id: r
        for column in ("source_id", "target_id")
        for found in await tx.read.lists(RelationshipRecord, column, ids, "id")
        for r in found
    }
    claims = [*((NodeKind.FACT, id) for id in facts), *((NodeKind.RELATIONSHIP, id) for id in sorted(edges))]
    await forget_reviews(tx, [*((NodeKind.ENTITY, id) for id in ids), *claims])
    await forget_conflicts(tx, ids)
    tx.delete_ids(models.Fact, facts)
    tx.delete_ids(models.Relationship, sorted(edges))
    tx.delete_ids(models.Entity, ids)
    tx.redact_log([*ids, *facts, *edges])
    tx.log_batch(ChangeKind.DELETED, claims)
    for id in ids:
        tx.log(ChangeKind.DELETED, NodeKind.ENTITY, id)
    tx.unindex(NodeKind.FACT, facts)
    tx.unindex(NodeKind.ENTITY, ids)
    await reconsider(
        tx, RELATIONSHIP, pairs_of(RELATIONSHIP, [r for r in edges.values() if r.source_id not in set(ids)])
    )


async def _likes(tx: Transaction, id: UUID, entity: NewEntity) -> tuple[UUID, ...]:
    """Ask whether a new entity is one that it looks like; return the reviews. At most six statements, one where nothing is."""
    look = Look(
        entity.name, entity.aliases, entity.type, True, sense=entity.sense or "", description=entity.description
    )
    (found,) = await candidates(tx.read, tx.volume_id, [Seen(id, look, entity.importance)])
    return tuple(dict.fromkeys(one.review for one in await propose(tx, found) if one.review is not None))


async def _aliases(tx: Transaction, id: UUID) -> list[str]:
    (found,) = await tx.read.lists(AliasRecord, "entity_id", [id], "match_key")
    return [alias.name for alias in found]


def _request(entity: NewEntity) -> dict[str, Any]:
    return {name: getattr(entity, name) for name in NewEntity.__dataclass_fields__}


def _clean_changes(changes: Changes) -> dict[str, Any]:
    fields = dict(changes)
    for required in ("name", "type", "importance", "confidence"):
        if required in fields and fields[required] is None:
            raise BadUserInput(f"{required} cannot be cleared.", argument=required)
    clean: dict[str, Callable[[Any], Any]] = {
        "name": lambda v: clean_name(v),
        "type": lambda v: normalise_type(v),
        "description": lambda v: optional_text(v, "description", 10_000),
        "sense": lambda v: optional_text(v, "sense", 200) or "",
        "properties": lambda v: json_object(v, "properties"),
        "importance": lambda v: within(v, 0, 1, "importance"),
        "confidence": lambda v: within(v, 0, 1, "confidence"),
        "aliases": lambda v: clean_aliases(v or ()),
    }
    return {name: clean[name](value) for name, value in fields.items()}


__all__ = ["Entities", "NewEntity", "add_aliases", "complete", "insert_entity", "keep_stated", "remove_entities"]
