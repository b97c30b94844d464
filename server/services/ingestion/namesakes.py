"""Namesakes: people of one name whom a document shows to be others than those that are known, by the roles it states."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from server.services.extraction.protocol import ExtractedFact, Instant
from server.services.homonyms import Role, role_of_edge, role_of_fact, told_apart
from server.services.reading import NamedThing, Statement
from server.store.reader import Reader
from server.store.records import EntityRecord, FactRecord, RelationshipRecord
from server.terms import DEFAULT_VIEW

__all__ = ["known_roles", "said_roles", "without_namesakes"]

_HAS_ROLE = "HAS_ROLE"


def said_roles(statements: Sequence[Statement], things: Mapping[str, NamedThing]) -> dict[str, list[Role]]:
    """Return the one-holder roles that a document states, by the thing that has them."""
    found: dict[str, list[Role]] = {}
    for said in (statement.said for statement in statements):
        when = (_at(said.valid_from), _at(said.valid_to))
        if isinstance(said, ExtractedFact):
            key, role = said.subject, role_of_fact(said.content, *when) if said.predicate == _HAS_ROLE else None
        else:
            key, role = said.source, role_of_edge(said.type, things[said.target].name, *when)
        if role is not None:
            found.setdefault(key, []).append(role)
    return found


def _at(instant: Instant | None) -> datetime | None:
    return None if instant is None else instant.at


async def known_roles(read: Reader, entities: Collection[EntityRecord]) -> dict[UUID, list[Role]]:
    """Return the one-holder roles that known entities have, as far as they are believed. Three statements, none for none."""
    roots = list(dict.fromkeys(entity.merged_into or entity.id for entity in entities))
    facts = await read.lists(FactRecord, "subject_id", roots, "id")
    edges = await read.lists(RelationshipRecord, "source_id", roots, "id")
    targets = [edge.target_id for own in edges for edge in own if role_of_edge(edge.type, "") is not None]
    places = {row.id: row.name for row in await read.by_ids(EntityRecord, targets) if row is not None}
    of_root: dict[UUID, list[Role]] = {}
    for root, said, tied in zip(roots, facts, edges, strict=True):
        roles = [
            role_of_fact(fact.content, fact.valid_from, fact.valid_to)
            for fact in said
            if fact.predicate == _HAS_ROLE and fact.status in DEFAULT_VIEW
        ]
        roles += [
            role_of_edge(edge.type, places[edge.target_id], edge.valid_from, edge.valid_to)
            for edge in tied
            if edge.target_id in places and edge.status in DEFAULT_VIEW
        ]
        of_root[root] = [role for role in roles if role is not None]
    return {entity.id: of_root[entity.merged_into or entity.id] for entity in entities}


def without_namesakes(
    fit: Sequence[EntityRecord], said: Sequence[Role], known: Mapping[UUID, Sequence[Role]], own: Collection[UUID]
) -> tuple[list[EntityRecord], str | None]:
    """Return whom a name may still stand for, and where nobody is left, what tells the new one apart.

    `own` are those that the document has named before: what it says anew of them, it says of the same people.
    """
    apart = {one.id: told_apart(known.get(one.id, ()), said) for one in fit if one.id not in own}
    left = [one for one in fit if apart.get(one.id) is None]
    role = next((role for role in apart.values() if role is not None), None)
    return left, None if left or role is None else role.sense
