"""Merges as sets of rows: redirecting entities, moving what counts for them and back, and finding what that makes the same.

Each step is a fixed number of statements, whatever a hub has. The columns that say for what a row was stated are never
lost, so that each step has its reverse. What claims that have become the same come to is decided by services.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Integer,
    Select,
    and_,
    case,
    cast,
    delete,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    update,
)
from sqlmodel import SQLModel

from server import models
from server.store.reader import Reader
from server.store.relations import counting, table_of
from server.store.statements import keys_table, keys_value
from server.store.transaction import Transaction
from server.terms import DEFAULT_VIEW, ClaimStatus

__all__ = [
    "claims_parted",
    "doubles",
    "heads_of_document",
    "loops_to_be",
    "merge_rows",
    "moved",
    "opposite",
    "pass_on",
    "stated_neighbours",
    "tie_survivors",
    "unmerge_rows",
]

_GONE = (ClaimStatus.RETRACTED.value, ClaimStatus.REJECTED.value)
_ENTITY = table_of(models.Entity)
_ENDS: tuple[tuple[type[SQLModel], str], ...] = (
    (models.FactVersion, "subject_id"),
    (models.Fact, "subject_id"),
    (models.RelationshipVersion, "source_id"),
    (models.RelationshipVersion, "target_id"),
    (models.Relationship, "source_id"),
    (models.Relationship, "target_id"),
)
_LINKS: tuple[tuple[type[SQLModel], str, str], ...] = (
    (models.DocumentEntity, "document_id", "documents"),
    (models.MemoryEntity, "memory_id", "memories"),
    (models.ProjectEntity, "project_id", "projects"),
)


def _home(table: FromClause, end: str) -> ColumnElement[Any]:
    """Return the entity that a claim was stated for at one end."""
    return func.coalesce(table.c[f"stated_{end}"], table.c[end])


def _root(id: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return what an entity counts as."""
    entity = _ENTITY.alias()
    return func.coalesce(select(entity.c.merged_into).where(entity.c.id == id).scalar_subquery(), id)


def _group(root: UUID) -> Select[Any]:
    """Return the select of an entity and all that is merged into it."""
    entity = _ENTITY.alias()
    return select(entity.c.id).where(or_(entity.c.id == root, entity.c.merged_into == root))


def _set_aside(table: FromClause) -> ColumnElement[bool]:
    """Return whether a relationship is set aside because it would lead from an entity to itself."""
    return and_(table.c.folded_into.is_not(None), table.c.folded_into == table.c.id)


def merge_rows(tx: Transaction, merged: Sequence[UUID], survivor: UUID) -> None:
    """Let entities, with all that is merged into them, count as another one: their claims, documents, memories and projects."""
    moving = or_(_ENTITY.c.id.in_(merged), _ENTITY.c.merged_into.in_(merged))
    tx.then(update(_ENTITY).where(moving).values(merged_into=survivor))
    for model, end in _ENDS:
        table = table_of(model)
        own = [] if end == "subject_id" else [~_set_aside(table)]
        moved = update(table).where(table.c[end].in_(merged), *own)
        tx.then(moved.values({end: survivor, f"stated_{end}": _home(table, end)}))
    for model in (models.RelationshipVersion, models.Relationship):
        table = table_of(model)
        source, target = _home(table, "source_id"), _home(table, "target_id")
        loops = update(table).where(table.c.source_id == survivor, table.c.target_id == survivor, source != target)
        back = {"source_id": source, "target_id": target, "stated_source_id": null(), "stated_target_id": null()}
        tx.then(loops.values(folded_into=table.c.id, **back))
    _spread(tx, [survivor, *merged])


def unmerge_rows(tx: Transaction, root: UUID, others: Sequence[UUID], survivor: UUID) -> None:
    """Let an entity, with those `others` that are merged into it, count for itself again: the reverse of `merge_rows`."""
    tx.then(update(_ENTITY).where(_ENTITY.c.id == root).values(merged_into=None))
    tx.set_among(models.Entity, "id", others, {"merged_into": root})
    for model, end in _ENDS:
        table = table_of(model)
        own = [] if end == "subject_id" else [~_set_aside(table)]
        stated = table.c[f"stated_{end}"]
        theirs = update(table).where(table.c[end] == survivor, stated.in_(_group(root)), *own)
        tx.then(theirs.values({end: root, f"stated_{end}": case((stated == root, null()), else_=stated)}))
    edge = table_of(models.Relationship).alias()
    freed = select(edge.c.id).where(
        _set_aside(edge),
        or_(*(edge.c[end].in_(_group(group)) for end in ("source_id", "target_id") for group in (root, survivor))),
        _root(edge.c.source_id) != _root(edge.c.target_id),
    )
    for model in (models.RelationshipVersion, models.Relationship):
        table = table_of(model)
        values: dict[str, Any] = {"folded_into": null()}
        for end in ("source_id", "target_id"):
            now = _root(table.c[end])
            values |= {end: now, f"stated_{end}": case((now == table.c[end], null()), else_=table.c[end])}
        tx.then(update(table).where(table.c.id.in_(freed)).values(values))
    _spread(tx, [survivor, root])


async def tie_survivors(tx: Transaction, model: type[SQLModel], entities: Sequence[UUID]) -> None:
    """Tie what is tied to some of these entities since to what those count as. One read."""
    keys = keys_table(tx.read.dialect)
    near = _ENTITY.c.merged_into.is_not(None), _ENTITY.c.id.in_(select(keys.c.value))
    over = _ENTITY.c.merged_into.in_(select(keys.c.value))
    roots = select(_ENTITY.c.merged_into).where(or_(and_(*near), over)).distinct()
    rows = await tx.read.rows(roots, {"keys": keys_value(tx.read.dialect, entities)})
    if rows:
        _spread(tx, [row[0] for row in rows], model)


def pass_on(tx: Transaction, survivor: UUID, heir: UUID) -> None:
    """Let what counts for an entity that nothing was stated for count for one of those merged into it, which takes its place."""
    tx.then(update(_ENTITY).where(_ENTITY.c.merged_into == survivor).values(merged_into=heir))
    tx.then(update(_ENTITY).where(_ENTITY.c.id == heir).values(merged_into=None))
    for model, end in _ENDS:
        table = table_of(model)
        stated = table.c[f"stated_{end}"]
        theirs = update(table).where(table.c[end] == survivor, stated.is_not(None))
        tx.then(theirs.values({end: heir, f"stated_{end}": case((stated == heir, null()), else_=stated)}))
    _spread(tx, [survivor, heir])


def _spread(tx: Transaction, entities: Sequence[UUID], only: type[SQLModel] | None = None) -> None:
    """Tie what is tied to merged entities to those they count as, and untie what only a merge has tied."""
    for model, key, _ in _LINKS:
        if only not in (None, model):
            continue
        link, own = table_of(model), table_of(model).alias()
        member = _ENTITY.alias()
        named = link.c.stated.is_not(None) if model is models.DocumentEntity else link.c.stated
        tx.then(delete(link).where(link.c.entity_id.in_(entities), ~named))
        theirs = link.join(member, member.c.id == link.c.entity_id)
        there = select(own.c.entity_id).where(own.c[key] == link.c[key], own.c.entity_id == member.c.merged_into)
        columns: dict[str, Any] = {key: link.c[key], "entity_id": member.c.merged_into, "stated": literal(False)}
        if model is models.DocumentEntity:
            columns |= {"stated": null(), "live": func.max(cast(link.c.stated, Integer)) == 1}
        rows = select(*(value.label(name) for name, value in columns.items())).select_from(theirs)
        rows = rows.where(member.c.merged_into.in_(entities), named, ~there.exists())
        tx.then(insert(link).from_select(list(columns), rows.group_by(link.c[key], member.c.merged_into)))
    if only not in (None, models.DocumentEntity):
        return
    link, other, member = table_of(models.DocumentEntity), table_of(models.DocumentEntity).alias(), _ENTITY.alias()
    also = select(other.c.entity_id).join(member, member.c.id == other.c.entity_id)
    also = also.where(
        member.c.merged_into == link.c.entity_id, other.c.document_id == link.c.document_id, other.c.stated
    )
    owned = update(link).where(link.c.entity_id.in_(entities), link.c.stated.is_not(None))
    tx.then(owned.values(live=or_(link.c.stated, also.exists())))


async def moved(read: Reader, entities: Sequence[UUID]) -> list[dict[str, int]]:
    """Return how much a merge of each entity moves, by kind. Six statements."""
    counts: list[dict[str, int]] = [{} for _ in entities]
    parts: list[tuple[str, Select[Any]]] = []
    fact, edge = table_of(models.Fact), table_of(models.Relationship)
    parts.append(("facts", select(fact.c.subject_id.label("id")).where(*counting(fact))))
    out, into = (select(edge.c[end].label("id")).where(*counting(edge)) for end in ("source_id", "target_id"))
    parts += [("relationships", out), ("relationships", into.where(edge.c.source_id != edge.c.target_id))]
    for model, _, name in _LINKS:
        link = table_of(model)
        live = [link.c.live] if "live" in link.c else []
        parts.append((name, select(link.c.entity_id.label("id")).where(*live)))
    for name, part in parts:
        rows = part.subquery()
        statement = select(rows.c.id, func.count()).where(rows.c.id.in_(entities)).group_by(rows.c.id)
        found = {row[0]: int(row[1]) for row in await read.rows(statement)}
        for id, own in zip(entities, counts, strict=True):
            own[name] = own.get(name, 0) + found.get(id, 0)
    return counts


async def doubles(read: Reader, model: type[SQLModel], entities: Sequence[UUID]) -> list[UUID]:
    """Return the claims of entities that may be the same as another one, stated for another entity: same key, not gone."""
    table = table_of(model)
    facts = model is models.Fact
    key = ("subject_id", "claim_key") if facts else ("source_id", "target_id", "type")
    found: dict[UUID, None] = {}
    for end in ("subject_id",) if facts else ("source_id", "target_id"):
        mine = [table.c[end].in_(entities), *counting(table), table.c.status.not_in(_GONE)]
        several = select(*(table.c[name] for name in key)).where(*mine)
        several = several.group_by(*(table.c[name] for name in key)).having(func.count() > 1)
        rows = several.subquery()
        same = and_(*(table.c[name] == rows.c[name] for name in key))
        statement = select(table.c.id).select_from(table.join(rows, same)).where(*mine)
        found |= {row[0]: None for row in await read.rows(statement.order_by(table.c.id))}
    if not facts:
        pairs = opposite(lambda row: row.c.source_id.in_(entities))
        found |= {id: None for row in await read.rows(pairs) for id in row}
    return list(found)


def opposite(of_one: Callable[[FromClause], ColumnElement[bool]]) -> Select[Any]:
    """Return the statement for the pairs of relationships of which one says what the other does from its other end; `of_one` holds of one."""
    one, other = table_of(models.Relationship), table_of(models.Relationship).alias()
    word = table_of(models.Predicate)
    back = and_(other.c.source_id == one.c.target_id, other.c.target_id == one.c.source_id, other.c.id != one.c.id)
    inverse = or_(
        and_(word.c.name == one.c.type, word.c.inverse == other.c.type),
        and_(word.c.name == other.c.type, word.c.inverse == one.c.type),
    )
    joined = one.join(other, back).join(word, and_(word.c.volume_id == one.c.volume_id, inverse))
    live = [*counting(one), *counting(other), *(row.c.status.not_in(_GONE) for row in (one, other))]
    return select(one.c.id, other.c.id).select_from(joined).where(of_one(one), *live).distinct()


async def stated_neighbours(read: Reader, entities: Sequence[UUID]) -> dict[UUID, set[UUID]]:
    """Return what is tied by live relationships to each of these entities, for whom they were stated, merged or not. Two statements."""
    edge = table_of(models.Relationship)
    found: dict[UUID, set[UUID]] = {id: set() for id in entities}
    for own, other in (("source_id", "target_id"), ("target_id", "source_id")):
        theirs = or_(
            edge.c[f"stated_{own}"].in_(entities), and_(edge.c[f"stated_{own}"].is_(None), edge.c[own].in_(entities))
        )
        statement = select(_home(edge, own), edge.c[other]).where(theirs, edge.c.status.in_(DEFAULT_VIEW))
        for mine, neighbour in await read.rows(statement.limit(10_000)):
            found[mine].add(neighbour)
    return found


async def loops_to_be(read: Reader, entities: Sequence[UUID]) -> list[UUID]:
    """Return the relationships between some of these entities that count for others too."""
    edge, other = table_of(models.Relationship), table_of(models.Relationship).alias()
    folded = select(other.c.id).where(other.c.folded_into == edge.c.id)
    ends = edge.c.source_id.in_(entities), edge.c.target_id.in_(entities), edge.c.source_id != edge.c.target_id
    return [r[0] for r in await read.rows(select(edge.c.id).where(*ends, *counting(edge), folded.exists()))]


async def heads_of_document(read: Reader, model: type[SQLModel], evidence: str, document: UUID) -> list[UUID]:
    """Return the claims that a document is evidence for and that count for others too, set aside."""
    row, other = table_of(models.Evidence), table_of(model).alias()
    claim = row.c[evidence]
    folded = select(other.c.id).where(other.c.folded_into == claim, other.c.id != claim)
    statement = select(claim).where(row.c.document_id == document, claim.is_not(None), folded.exists())
    return [r[0] for r in await read.rows(statement.distinct())]


async def claims_parted(read: Reader, model: type[SQLModel], evidence: str, entities: Sequence[UUID]) -> list[UUID]:
    """Return the claims that count for others too, set aside or named by their evidence, which may count for others now."""
    table, other = table_of(model), table_of(model).alias()
    row = table_of(models.Evidence)
    ends = ("subject_id",) if model is models.Fact else ("source_id", "target_id")
    keys = keys_table(read.dialect)
    near = or_(*(_root(table.c[end]).in_(select(keys.c.value)) for end in ends))
    parted = or_(*(table.c[end] != other.c[end] for end in ends))
    folded = and_(other.c.folded_into == table.c.id, other.c.id != table.c.id)
    heads = select(table.c.id).select_from(table.join(other, folded)).where(parted, near)
    named = select(table.c.id).select_from(table.join(row, row.c[evidence] == table.c.id))
    named = named.where(row.c.stated_source_id.is_not(None), near)
    found: dict[UUID, None] = {}
    for statement in (heads, named):
        rows = await read.rows(statement.distinct(), {"keys": keys_value(read.dialect, entities)})
        found |= {r[0]: None for r in rows}
    return list(found)
