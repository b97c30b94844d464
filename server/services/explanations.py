"""Explanations: an entity with its facts and edges as text that a person or a model can read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from uuid import UUID

from server.store.believing import effective_end
from server.store.filters import FactFilter, RelationshipFilter
from server.store.reader import Reader
from server.store.records import EntityRecord, FactRecord, RelationshipRecord
from server.store.relations import FACTS_OF_ENTITY, RELATIONSHIPS_OF_ENTITY
from server.store.statements import Page
from server.terms import ClaimStatus, Direction, Precision
from server.views import View

SHOWN = 20


async def explain(read: Reader, entities: Sequence[EntityRecord], view: View | None = None) -> list[str]:
    """Return each entity with its first 20 facts and its first 20 relationships in a view. Four statements for all of them."""
    ids = [entity.id for entity in entities]
    facts = await read.pages(FACTS_OF_ENTITY, ids, FactFilter(), first=SHOWN, view=view)
    out = await read.pages(RELATIONSHIPS_OF_ENTITY[Direction.OUT], ids, RelationshipFilter(), first=SHOWN, view=view)
    into = await read.pages(RELATIONSHIPS_OF_ENTITY[Direction.IN], ids, RelationshipFilter(), first=SHOWN, view=view)
    ends = [id for pages in (out, into) for page in pages for row in page.rows for id in (row.source_id, row.target_id)]
    names = {row.id: row.name for row in await read.by_ids(EntityRecord, ends) if row is not None}
    return ["\n".join(_lines(entity, facts[n], out[n], into[n], names)) for n, entity in enumerate(entities)]


def _lines(
    entity: EntityRecord,
    facts: Page[FactRecord],
    out: Page[RelationshipRecord],
    into: Page[RelationshipRecord],
    names: dict[UUID, str],
) -> list[str]:
    sense = f", {entity.sense}" if entity.sense else ""
    lines = [f"{entity.name} ({entity.type}{sense})"]
    if entity.description:
        lines.append(entity.description)
    lines += [f"- {fact.content}{_dates(fact)}" for fact in facts.rows]
    lines += _more(facts, "facts")
    for row in out.rows:
        target = row.target_id if row.source_id == entity.id else row.source_id
        lines.append(f"{row.type} -> {names.get(target, '?')}{_dates(row)}")
    lines += [
        f"{names.get(row.source_id, '?')} -> {row.type}{_dates(row)}" for row in into.rows if not row.bidirectional
    ]
    return lines + _more(out, "outgoing relationships") + _more(into, "incoming relationships")


def _more(page: Page[FactRecord] | Page[RelationshipRecord], what: str) -> list[str]:
    return [f"(more {what} follow)"] if page.has_next else []


def when(claim: FactRecord | RelationshipRecord) -> list[str]:
    """Return when a claim holds, as exact as it was stated, and until when another one takes its place: ["from 2021", "until 2024-03-01"]."""
    start = None if claim.valid_from is None else _stated(claim.valid_from.isoformat(), claim.valid_from_precision)
    end = None if claim.valid_to is None else _last(claim.valid_to, claim.valid_to_precision)
    over = claim.superseded_at
    if over is not None and over == effective_end(claim):
        end = _stated(over.isoformat(), Precision.DAY if over.time() == time() else None)
    return ([f"from {start}"] if start else []) + ([f"until {end}"] if end else [])


def _dates(claim: FactRecord | RelationshipRecord) -> str:
    notes = when(claim) + (["disputed"] if claim.status == ClaimStatus.DISPUTED else [])
    return f" [{', '.join(notes)}]" if notes else ""


def _last(end: datetime, precision: str | None) -> str:
    """Return until when a claim holds by what is stated: all of the year, month or day that the end was stated as."""
    if precision in (None, Precision.INSTANT):
        return _stated(end.isoformat(), precision)
    return f"the end of {_stated((end - timedelta(microseconds=1)).isoformat(), precision)}"


def _stated(text: str, precision: str | None) -> str:
    lengths = {"YEAR": 4, "MONTH": 7, "DAY": 10}
    return text[: lengths.get(precision or "", len(text))]
