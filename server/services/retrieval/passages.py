"""Passages: what chunks say that no claim says for them.

A sentence that claims are quoted from is theirs to tell: what the view does not show of them (rejected, taken back, overtaken, waiting,
not sure enough) must not come back in the document's words, so such a sentence is left out, and so is one whose claim is disputed. One
whose claims are shown is a passage as well only where they leave out more than two in five of its words. Headings are none, nor is what only
announces what follows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from server.services.retrieval.weighing import terms
from server.services.sentences import sentences
from server.store.quoting import Quoted
from server.store.records import ChunkRecord

__all__ = ["LONGEST", "Passage", "passages_of"]

LONGEST = 1_000
"""In characters: a longer sentence is cut."""
_TOGETHER = 300
_TOLD = 0.6
_COLONS = (":", "：")
_BULLET = re.compile(r"(?:[-*+•‣◦–>|]+\s+|\d{1,3}[.)]\s+)+")
_HEADING = re.compile(r"#{1,6}\s|[=\-*_|:\s]+$")


class Passage(NamedTuple):
    """Sentences of a chunk: [start, end) of its document's content, in code points, and their words."""

    chunk: ChunkRecord
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words, as they stand there."""
        return self.chunk.text[self.start - self.chunk.start : self.end - self.chunk.start]


def passages_of(
    chunks: Iterable[ChunkRecord],
    quoted: Iterable[Quoted],
    told: Mapping[UUID, frozenset[str]],
    disputed: Collection[UUID],
) -> tuple[list[Passage], int]:
    """Return the passages of chunks, in order, neighbours together up to 300 characters; and how many sentences are withheld because a
    claim that they are quoted for is not shown.

    `told` are the claims that are shown, each with its terms; those that are `disputed` tell their sentences alone.
    """
    own: dict[UUID, list[Quoted]] = {}
    for one in quoted:
        own.setdefault(one.chunk, []).append(one)
    found: list[Passage] = []
    withheld = 0
    for chunk in chunks:
        last = None
        for first, end in sentences(chunk.text):
            bullet = _BULLET.match(chunk.text, first, end)
            start = first if bullet is None else bullet.end()
            here = _quoting(chunk, start, end, own.get(chunk.id, ()))
            hidden = any(claim not in told for claim in here)
            withheld += hidden
            if hidden or not _says_more(chunk.text[start:end], here, told, disputed):
                last = None
                continue
            passage = Passage(chunk, chunk.start + start, chunk.start + min(end, start + LONGEST))
            if last is not None and passage.end - last.start <= _TOGETHER:
                passage = last._replace(end=passage.end)
                found.pop()
            found.append(passage)
            last = passage
    return found, withheld


def _quoting(chunk: ChunkRecord, start: int, end: int, quoted: Sequence[Quoted]) -> list[UUID]:
    """Return the claims that are quoted from a sentence."""
    first, last = chunk.start + start, chunk.start + end
    return [id for one in quoted if one.start < last and one.end > first for id in one.claims]


def _says_more(
    text: str, claims: Sequence[UUID], told: Mapping[UUID, frozenset[str]], disputed: Collection[UUID]
) -> bool:
    """Return whether a sentence says something that its claims do not."""
    own = terms(text)
    if not own or text.endswith(_COLONS) or _HEADING.match(text) or any(claim in disputed for claim in claims):
        return False
    said = frozenset[str]().union(*(told[claim] for claim in claims))
    return not claims or len(own & said) < _TOLD * len(own)
