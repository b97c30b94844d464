"""What a document adds to the entities that are known, and what it takes from them when it does not say it any more.

That is other names, a type that it states in place of one that was guessed, and a description where there is none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from server import models
from server.ids import NodeKind
from server.services.entities import add_aliases
from server.services.identity import match_key
from server.services.indexing import entity_text
from server.services.ingestion.revisions import Earlier
from server.services.reading import NamedThing
from server.store import Transaction
from server.store.records import AliasRecord, EntityRecord
from server.terms import ChangeKind

__all__ = ["complete"]

Met = tuple[EntityRecord, list[NamedThing]]


async def complete(
    tx: Transaction, document: UUID, met: Mapping[UUID, Met], earlier: Earlier, gone: Collection[UUID]
) -> dict[UUID, str]:
    """Bring the entities that a document names, or has named before, up to what it says; return the types that changed.

    `met` are the known ones that it names, each with how it does; `gone` are left alone.
    """
    before = {alias.entity_id for alias in earlier.aliases} | {entity.id for entity in earlier.described}
    forgotten = await tx.read.by_ids(EntityRecord, sorted(before - met.keys() - set(gone)))
    named = {**met, **{entity.id: (entity, list[NamedThing]()) for entity in forgotten if entity is not None}}
    lists = await tx.read.lists(AliasRecord, "entity_id", list(named), "match_key")
    changed: dict[UUID, str] = {}
    for (entity, things), aliases in zip(named.values(), lists, strict=True):
        columns = _stated_type(entity, things) | _description(document, entity, things)
        old, new = _names(tx, document, entity, things, aliases)
        after = {name: value for name, value in columns.items() if name in ("type", "description")}
        after = {name: value for name, value in after.items() if value != getattr(entity, name)}
        logged = {name: getattr(entity, name) for name in after}
        now = entity._replace(**after)
        if after and entity.merged_into is None:
            tx.index(NodeKind.ENTITY, entity.id, entity_text(now.name, now.type, now.description), None, again=True)
        if "type" in after:
            changed[entity.id] = after["type"]
        if old != new:
            after, logged = {**after, "aliases": new}, {**logged, "aliases": old}
        if after:
            columns["version"] = entity.version + 1
            tx.log(ChangeKind.UPDATED, NodeKind.ENTITY, entity.id, before=logged, after=after)
        if columns:
            tx.update(models.Entity, entity.id, **columns)
    return changed


def _names(
    tx: Transaction, document: UUID, entity: EntityRecord, things: Sequence[NamedThing], aliases: Sequence[AliasRecord]
) -> tuple[list[str], list[str]]:
    """Write the other names that the document gives; return all of them as they were, and as they are now."""
    own = {alias.match_key for alias in aliases if alias.document_id == document}
    others = {entity.match_key, *(alias.match_key for alias in aliases if alias.match_key not in own)}
    names = [name for thing in things for name in (thing.name, *thing.aliases)]
    dropped = own - {match_key(name) for name in names}
    for key in sorted(dropped):
        tx.delete_where(models.Alias, entity_id=entity.id, match_key=key)
    room = max(0, 100 - len(others | own - dropped))
    added = add_aliases(tx, entity.id, names[:room], known=others | own, document_id=document)
    return [a.name for a in aliases], [*(a.name for a in aliases if a.match_key not in dropped), *added]


def _description(document: UUID, entity: EntityRecord, things: Sequence[NamedThing]) -> dict[str, Any]:
    """Return the columns by which a description that is missing, or that the document gave, follows what it says now."""
    said = next((thing.description for thing in things if thing.description is not None), None)
    if said == entity.description or (entity.description is not None and entity.described_by != document):
        return {}
    return {"description": said, "described_by": None if said is None else document}


def _stated_type(entity: EntityRecord, things: Sequence[NamedThing]) -> dict[str, Any]:
    """Return the columns by which a type that a document states takes the place of one that was guessed."""
    stated = next((thing.type for thing in things if thing.stated), None)
    if entity.type_stated or stated is None:
        return {}
    return {"type": stated, "match_key": match_key(entity.name, stated), "type_stated": True}
