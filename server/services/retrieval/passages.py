"""Passages: what chunks say that no claim says for them.

A sentence that claims are quoted from is theirs to tell: what the view does not show of them (rejected, taken back, overtaken, waiting,
not sure enough) must not come back in the document's words, so such a sentence is left out, and so is one whose claim is disputed. One
whose claims are shown is a passage as well only where they leave out more than two in five of its words. Headings are none, nor is what only
announces what follows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from server.services.retrieval.weighing import terms
from server.services.sentences import sentences
from server.store.quoting import Quoted
from server.store.records import ChunkRecord

__all__ = ["LONGEST", "Passage", "passages_of"]

LONGEST = 1_000
"""In characters: a longer sentence is cut."""
_TOGETHER, _LEANING = 300, 600
_TOLD = 0.6
_COLONS = (":", "：")
_MARKS = re.compile(r"(?:(?:[-*+•‣◦–>|]+|\d{1,3}[.)]|[`~]{3,}\w*)\s+)+")
_FENCE = re.compile(r"\s*[`~]{3,}$")
_HEADING = re.compile(r"#{1,6}\s|[=\-*_|:\s]+$")
_ROWS = re.compile(r"\n(?=\s*\|)")
_GAP = re.compile(r"\n\s*\n|[`~]{3,}")
_LEANS = re.compile(
    r"(?:it|he|she|they|this|that|these|those|its|his|her|hers|their|both|such|there|er|sie|es|il|elle|ils|elles|он|она|оно|они)\b",
    re.IGNORECASE,
)
"""How a sentence begins that says nothing without the one before it."""


class Passage(NamedTuple):
    """Sentences of a chunk: [start, end) of its document's content, in code points, and their words."""

    chunk: ChunkRecord
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words, as they stand there."""
        return self.chunk.text[self.start - self.chunk.start : self.end - self.chunk.start]


class _Sentence(NamedTuple):
    """A sentence, [start, end) of its chunk's text: whether it must not be told, whether its claims tell it alone, whether it says more than
    they do, and whether it stands apart from the one before it."""

    start: int
    end: int
    hidden: bool
    silent: bool
    more: bool
    apart: bool


def passages_of(
    chunks: Iterable[ChunkRecord],
    quoted: Iterable[Quoted],
    told: Mapping[UUID, frozenset[str]],
    disputed: Collection[UUID],
) -> tuple[list[Passage], int]:
    """Return the passages of chunks, in order, neighbours of a paragraph together up to 300 characters; and how many sentences are withheld
    because a claim that they are quoted for is not shown.

    `told` are the claims that are shown, each with its terms; those that are `disputed` tell their sentences alone. One that begins
    with "It" or the like comes with the sentence before it, where that may be told.
    """
    own: dict[UUID, list[Quoted]] = {}
    for one in quoted:
        own.setdefault(one.chunk, []).append(one)
    found: list[Passage] = []
    withheld = 0
    for chunk in chunks:
        read = list(_read(chunk, own.get(chunk.id, ()), told, disputed))
        withheld += sum(one.hidden for one in read)
        found += _joined(chunk, read)
    return found, withheld


def _read(
    chunk: ChunkRecord, quoted: Sequence[Quoted], told: Mapping[UUID, frozenset[str]], disputed: Collection[UUID]
) -> Iterator[_Sentence]:
    """Yield the sentences of a chunk, the rows of a table apart, without the marks of lists and fences."""
    last = 0
    for first, end in _spans(chunk.text):
        marks, fence = _MARKS.match(chunk.text, first, end), _FENCE.search(chunk.text, first, end)
        start, stop = first if marks is None else marks.end(), end if fence is None else fence.start()
        if start >= stop:
            continue
        claims = _quoting(chunk, start, stop, quoted)
        hidden, silent = any(id not in told for id in claims), any(id in disputed for id in claims)
        more = not (hidden or silent) and _says_more(chunk.text[start:stop], claims, told)
        apart = marks is not None or _GAP.search(chunk.text, last, start) is not None
        yield _Sentence(start, min(stop, start + LONGEST), hidden, silent, more, apart)
        last = stop


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for start, end in sentences(text):
        for row in _ROWS.finditer(text, start, end):
            yield start, row.start()
            start = row.end()
        yield start, end


def _joined(chunk: ChunkRecord, read: Sequence[_Sentence]) -> list[Passage]:
    """Return the sentences that say more than their claims, neighbours joined."""
    found: list[Passage] = []
    before: _Sentence | None = None
    for one in read:
        near = None if one.apart else before
        before = one
        if not one.more:
            continue
        leans = _LEANS.match(chunk.text, one.start) is not None
        start, end = chunk.start + one.start, chunk.start + one.end
        if near is not None and near.more and end - found[-1].start <= (_LEANING if leans else _TOGETHER):
            found[-1] = found[-1]._replace(end=end)
        elif near is not None and leans and not (near.hidden or near.silent):
            found.append(Passage(chunk, chunk.start + near.start, end))
        else:
            found.append(Passage(chunk, start, end))
    return found


def _quoting(chunk: ChunkRecord, start: int, end: int, quoted: Sequence[Quoted]) -> list[UUID]:
    """Return the claims that are quoted from a sentence."""
    first, last = chunk.start + start, chunk.start + end
    return [id for one in quoted if one.start < last and one.end > first for id in one.claims]


def _says_more(text: str, claims: Sequence[UUID], told: Mapping[UUID, frozenset[str]]) -> bool:
    """Return whether a sentence says something that its claims do not."""
    own = terms(text)
    if not own or text.endswith(_COLONS) or _HEADING.match(text):
        return False
    said = frozenset[str]().union(*(told[claim] for claim in claims))
    return not claims or len(own & said) < _TOLD * len(own)
