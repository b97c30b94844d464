"""Chunking: cut a document into the pieces that are extracted, embedded and cited one by one.

A chunk is a span of the document, never a rewritten text. It ends where a section, a block or a sentence ends, so that "it" and its
antecedent stay together as far as the limit allows. What a sentence is, and what Markdown says, is decided elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from server.services.markdown import Block, sections
from server.services.sentences import sentences

__all__ = ["Chunk", "chunk", "sentences"]

_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
_MARKDOWN_COST = (
    150_000  # beyond, Markdown is cut as plain text: a line costs its parser up to 60 µs, a table cell up to 12
)
_TITLE = 200

_PARAGRAPH = re.compile(r"(?:\r\n?+|\n)[^\S\r\n]*+(?:\r\n?+|\n)\s*+|[\f\u2029]")
_LINE = re.compile(r"\r\n?+|\n")

Span = tuple[int, int]


class Chunk(NamedTuple):
    """Half-open [start, end) in code points of the document, and the headings it stands under, outermost first."""

    start: int
    end: int
    headings: tuple[str, ...] = ()


def chunk(text: str, *, mime_type: str = "text/plain", target: int = 1200, limit: int = 1600) -> list[Chunk]:
    """Return the chunks of `text` in order: disjoint, none longer than `limit` code points, none with outer white space.

    Together they cover all that is not white space. Blocks are gathered up to `target`; one between `target` and
    `limit` stays whole. In Markdown each heading starts a chunk, or joins the headings right above it. A block that is too
    long is cut between its items, rows or lines, then its sentences, then its words, and only then within a word.
    Linear in `text`; Markdown of more than some 30,000 lines is cut as plain text.

    Raises:
        ValueError: not 0 < target <= limit.
    """
    if not 0 < target <= limit:
        raise ValueError("chunk sizes: 0 < target <= limit")
    kind = mime_type.partition(";")[0].strip().casefold()
    if kind in _MARKDOWN and 5 * (text.count("\n") + text.count("\r")) + text.count("|") <= _MARKDOWN_COST:
        return list(_markdown(text, target, limit))
    pieces = (piece for paragraph in _paragraphs(text, 0, len(text)) for piece in _split(text, paragraph, limit))
    return [Chunk(*span) for span in _packed(text, None, pieces, target, limit)]


def _markdown(text: str, target: int, limit: int) -> Iterator[Chunk]:
    found = sections(text)
    starts = [0, *(section.heading.start for section in found if section.heading), len(text)]
    lead: Span | None = None  # headings that have nothing under them yet
    above: tuple[str, ...] = ()
    for at, section in enumerate(found):
        headings = tuple(title[:_TITLE] for title in section.headings)
        body = section.heading.end if section.heading else 0
        if lead and (headings[: len(above)] != above or body - lead[0] > target):
            yield from (Chunk(*span, above) for span in _split(text, lead, limit))
            lead = None
        start = lead[0] if lead else starts[at]
        lead, above = _trimmed(text, start, body), headings
        pieces = list(_block_pieces(text, (body, starts[at + 1]), section.blocks, limit))
        if pieces:
            yield from (Chunk(*span, headings) for span in _packed(text, lead, pieces, target, limit))
            lead = None
    if lead:
        yield from (Chunk(*span, above) for span in _split(text, lead, limit))


def _packed(text: str, lead: Span | None, pieces: Iterable[Span], target: int, limit: int) -> Iterator[Span]:
    """Gather pieces up to `target`; `lead`, a heading, takes at least a part of the first piece along where it can."""
    current: Span | None = None
    if lead:
        *whole, current = _split(text, lead, limit)
        yield from whole
    alone = lead is not None
    for piece in pieces:
        rest: Iterable[Span] = [piece]
        if alone and current:
            left = limit - (piece[0] - current[0])
            if limit // 2 < left < piece[1] - piece[0]:
                rest = _split(text, piece, left)
        for start, end in rest:
            if current and end - current[0] <= (limit if alone else target):
                current = current[0], end
            else:
                if current:
                    yield current
                current = start, end
            alone = False
    if current:
        yield current


def _block_pieces(text: str, span: Span, blocks: list[Block], limit: int) -> Iterator[Span]:
    """The blocks of a span, each whole where it fits and else in parts, and what lies between them."""
    at, end = span
    for block in blocks:
        if block.end <= at:
            continue
        yield from _split(text, (at, max(at, block.start)), limit)
        yield from _block_parts(text, block, max(at, block.start), limit)
        at = block.end
    yield from _split(text, (at, end), limit)


def _block_parts(text: str, block: Block, start: int, limit: int) -> Iterator[Span]:
    span = _trimmed(text, start, block.end)
    if span is None:
        return
    if span[1] - span[0] <= limit:
        yield span
    elif block.blocks:
        yield from _block_pieces(text, span, block.blocks, limit)
    elif block.verbatim:
        for line in _between(text, _LINE, *span):
            yield from _split(text, line, limit)
    else:
        yield from _split(text, span, limit)


def _split(text: str, span: Span, limit: int) -> Iterator[Span]:
    """The span whole where it fits, else its sentences, and the words of a sentence that does not fit."""
    trimmed = _trimmed(text, *span)
    if trimmed is None:
        return
    start, end = trimmed
    if end - start <= limit:
        yield trimmed
        return
    for first, last in sentences(text[start:end]):
        yield from _cut(text, start + first, start + last, limit)


def _cut(text: str, start: int, end: int, limit: int) -> Iterator[Span]:
    while end - start > limit:
        stop = start + _last_fitting(text[start : start + limit + 1])
        span = _trimmed(text, start, stop)
        if span:
            yield span
        start = stop
    span = _trimmed(text, start, end)
    if span:
        yield span


def _last_fitting(window: str) -> int:
    """Where to cut a window that is one longer than allowed: behind a word, else between two visible characters."""
    limit = len(window) - 1
    if window[limit].isspace() or window[limit - 1].isspace():
        return limit
    words = window[:limit].rsplit(None, 1)
    if len(words) > 1 and words[0].strip():
        return len(words[0])
    for cut in range(limit, max(0, limit - 64), -1):
        if not _joined(window, cut):
            return cut
    return limit


def _joined(text: str, cut: int) -> bool:
    """Whether a cut here parts what is drawn as one: base and marks, emoji sequences, flags, Hangul syllables, CRLF."""
    before, after = text[cut - 1], text[cut]
    if unicodedata.category(after)[0] == "M" or "\u200d" in (before, after) or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if "\U0001f1e6" <= after <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff":
        run = len(text[:cut]) - len(text[:cut].rstrip("".join(map(chr, range(0x1F1E6, 0x1F200)))))
        return run % 2 == 1
    return "\u1160" <= after <= "\u11ff" or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")


def _paragraphs(text: str, start: int, end: int) -> Iterator[Span]:
    return _between(text, _PARAGRAPH, start, end)


def _between(text: str, separator: re.Pattern[str], start: int, end: int) -> Iterator[Span]:
    for found in separator.finditer(text, start, end):
        yield start, found.end()
        start = found.end()
    yield start, end


def _trimmed(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return None
    first = start + len(piece) - len(piece.lstrip())
    return first, first + len(stripped)
