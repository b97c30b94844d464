"""Contexts: what a volume knows that answers a question, as text for a model, within a budget of tokens, each line cited.

Evidence is ranked by the graph walk (services/retrieval/gathering.py). The best pieces that fit go in, grouped by the entity that they are
about; memories about none are a group, and so are passages of documents that no claim tells. Groups and their lines stand the best first.
The same graph gives the same text. What claims are not shown for is never told in their document's words either (passages.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from server.ids import NodeKind
from server.services.checks import within
from server.services.context_lines import heading, is_flagged, line
from server.services.omissions import Omission, counted
from server.services.retrieval.gathering import BEYOND, BUDGET, Gathered, gather
from server.services.retrieval.pieces import Piece, Source
from server.services.retrieval.searching import Asked, Searcher
from server.services.tokens import count
from server.store.believing import moment_of
from server.store.reader import Reader
from server.store.records import EntityRecord, FactRecord, MemoryRecord, RelationshipRecord
from server.views import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Context", "Line", "Wanted", "context_of"]

LEAST_BUDGET, MOST_BUDGET = 100, 100_000
_SHORTEST = 8
"""In tokens: no line takes fewer."""
_MOST_PIECES = 2_000
_MEMORIES, _PASSAGES = "# Memories", "# Passages"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question to a volume, how many tokens its context may have, how sure its claims must be, and the view that they are of."""

    volume: UUID
    query: str
    token_budget: int = 2_000
    min_confidence: float = 0.7
    view: View | None = None


class Line(NamedTuple):
    """A line of a context and what it cites.

    `number` is that of its mark, from 1 in the order of the text; `text` the line as it stands there; `said` what it says, as it is
    stored. `kind` and `id` name the FACT or the RELATIONSHIP, which is `claim`, the MEMORY, or the CHUNK that a passage is of. `about` are
    entities, the most relevant first. `source` has the words and where they stand. `score`: 0 to 1, within one context.
    """

    number: int
    text: str
    said: str
    kind: NodeKind
    id: UUID
    about: tuple[UUID, ...]
    source: Source
    score: float
    flagged: bool
    claim: FactRecord | RelationshipRecord | None = None
    memory: MemoryRecord | None = None


class Context(NamedTuple):
    """A context: its text, its cited lines in order, how many tokens the text has, whether there was more than fits or than is looked at,
    and what was left out. `entities` are those that the lines are about, `titles` those of the documents cited.
    """

    text: str
    lines: list[Line]
    tokens: int
    truncated: bool
    omitted: list[Omission]
    entities: dict[UUID, EntityRecord]
    titles: dict[UUID, str]


async def context_of(
    read: Reader, searcher: Searcher, wanted: Wanted, vector: NDArray[np.float32] | None = None
) -> Context:
    """Return what a volume knows that answers a question. One embedding, unless the question's `vector` is given.

    `tokens` is what server/services/tokens.py counts, never more than the budget. A constant number of statements.

    Raises:
        BadUserInput: the query is blank or too long, or the budget or the confidence is out of its bounds.
        UpstreamUnavailable: the embedding model or the vector index does not answer.
    """
    budget = int(within(wanted.token_budget, LEAST_BUDGET, MOST_BUDGET, "tokenBudget"))
    least = within(wanted.min_confidence, 0, 1, "minConfidence")
    vector = await searcher.vector(wanted.query) if vector is None else vector
    asked = Asked(wanted.volume, wanted.query, view=wanted.view)
    most = min(budget // _SHORTEST, _MOST_PIECES)
    found = await gather(read, searcher, asked, vector, least, most)
    view = wanted.view
    moment = moment_of(None) if view is None else view.valid or moment_of(view)
    page = _Page(found, moment)
    page.fill(budget)
    return page.context()


@dataclass(slots=True)
class _Page:
    """A text that is being put together: the pieces in it, and those that did not fit."""

    found: Gathered
    moment: datetime
    kept: list[Piece] = field(default_factory=list)
    dropped: list[Piece] = field(default_factory=list)

    def fill(self, budget: int) -> None:
        """Take the best pieces that fit. What marks of others take is not known before, so that the last ones may have to go again."""
        used, groups = 0, set[str]()
        for piece in self.found.pieces:
            title = self._heading(piece)
            cost = count(self._line(piece, 999, dict.fromkeys(piece.rivals, 999)))
            cost += 0 if title in groups else count(title)
            if used + cost > budget:
                self.dropped.append(piece)
                continue
            used += cost
            groups.add(title)
            self.kept.append(piece)
        while self.kept and count(self._written()[0]) > budget:
            self.dropped.append(self.kept.pop())

    def context(self) -> Context:
        """Return the text with its lines."""
        text, lines = self._written()
        left_out = self.found.left_out + [(piece.name, BUDGET) for piece in self.dropped]
        omitted = counted(Counter(left_out))
        cut = any(one.reason in (BUDGET, BEYOND) for one in omitted)
        about = {id for one in lines for id in one.about}
        entities = {id: row for id, row in self.found.entities.items() if id in about}
        return Context(text, lines, count(text), cut, omitted, entities, self.found.titles)

    def _written(self) -> tuple[str, list[Line]]:
        groups = self._groups()
        ordered = [piece for _, pieces in groups for piece in pieces]
        numbers = {id(piece): number for number, piece in enumerate(ordered, 1)}
        claims = {piece.id: numbers[id(piece)] for piece in ordered if piece.claim is not None}
        lines: list[Line] = []
        texts: list[str] = []
        for title, pieces in groups:
            texts.append(title)
            for piece in pieces:
                made = self._cited(piece, numbers[id(piece)], claims)
                lines.append(made)
                texts.append(made.text)
        return "\n".join(texts), lines

    def _groups(self) -> list[tuple[str, list[Piece]]]:
        """Return the pieces under their headings, both the best first; of groups as good, entities before memories before passages."""
        groups: dict[tuple[int, UUID | None], list[Piece]] = {}
        for piece in self.kept:
            groups.setdefault(self._place(piece), []).append(piece)
        ordered = sorted(groups.items(), key=lambda one: (-one[1][0].score, one[0][0], str(one[0][1])))
        return [(self._heading(pieces[0]), pieces) for _, pieces in ordered]

    def _place(self, piece: Piece) -> tuple[int, UUID | None]:
        """Return where a piece belongs: to the entity that it is about, the memories or the passages."""
        if piece.about:
            return 0, piece.about[0]
        return (1, None) if piece.memory is not None else (2, None)

    def _heading(self, piece: Piece) -> str:
        if piece.about:
            first = piece.about[0]
            return heading(self.found.entities[first], self.found.other_names.get(first, []))
        return _MEMORIES if piece.memory is not None else _PASSAGES

    def _title(self, piece: Piece) -> str:
        if piece.memory is not None:
            return piece.memory.title
        return "" if piece.source.document is None else self.found.titles.get(piece.source.document, "")

    def _line(self, piece: Piece, number: int, numbers: Mapping[UUID, int]) -> str:
        return line(piece, number, self._title(piece), numbers, self.moment)

    def _cited(self, piece: Piece, number: int, numbers: Mapping[UUID, int]) -> Line:
        return Line(
            number,
            self._line(piece, number, numbers),
            piece.said,
            piece.kind,
            piece.id,
            piece.about,
            piece.source,
            piece.score,
            is_flagged(piece, self._title(piece)),
            piece.claim,
            piece.memory,
        )
