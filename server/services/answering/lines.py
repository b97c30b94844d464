"""Lines: those of a context as statements that a question can be held against; a memory and a passage sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from server.services.answering.naming import Thing
from server.services.answering.statements import Statement
from server.services.contexts import Context, Line
from server.services.explanations import when
from server.services.sentences import sentences
from server.store.believing import effective_end, moment_of
from server.store.records import EntityRecord, FactRecord, RelationshipRecord
from server.terms import ClaimStatus
from server.views import View

__all__ = ["statements_of"]


def statements_of(context: Context, view: View | None) -> list[Statement]:
    """Return what the lines of a context say, the best lines first. No statement of SQL."""
    moment = moment_of(None) if view is None else view.valid or moment_of(view)
    things = {id: _thing(row) for id, row in context.entities.items()}
    ordered = sorted(context.lines, key=lambda line: (-line.score, line.number))
    return [one for place, line in enumerate(ordered) for one in _statements(line, place, things, moment)]


def _thing(row: EntityRecord) -> Thing:
    return Thing(row.id, row.name, row.type)


def _statements(line: Line, place: int, things: Mapping[UUID, Thing], moment: datetime) -> Iterable[Statement]:
    claim = line.claim
    if claim is None:
        about = tuple(things[id] for id in line.about if id in things)
        for start, end in sentences(line.said):
            said = line.said[start:end]
            yield Statement(line.number, place, content=said, quote=said, about=about)
    else:
        yield _claimed(line, claim, place, things, moment)


def _claimed(
    line: Line, claim: FactRecord | RelationshipRecord, place: int, things: Mapping[UUID, Thing], moment: datetime
) -> Statement:
    until = effective_end(claim)
    one = Statement(
        line.number,
        place,
        quote=line.source.quote,
        dates=", ".join(when(claim)),
        since=claim.valid_from,
        until=until,
        over=until is not None and until <= moment,
        disputed=claim.status == ClaimStatus.DISPUTED,
    )
    if isinstance(claim, RelationshipRecord):
        return replace(
            one,
            subject=things.get(claim.source_id),
            predicate=claim.type,
            object=things.get(claim.target_id),
            content=claim.description or "",
        )
    return replace(
        one,
        subject=things.get(claim.subject_id),
        predicate=claim.predicate or "",
        content=claim.content,
        value_type=claim.value_type,
    )
