"""Verbatim quotes: find where a document says what an extraction quotes.

A quote matches where it equals the document aside from runs of white space and the canonical Unicode form (NFC, NFD);
case, punctuation and every other sign count. Whether a missing quote rejects an item is the caller's decision.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

__all__ = ["QuoteIndex", "locate"]

Span = tuple[int, int]

_WORD = re.compile(r"\S+")
_JAMO = range(0x1160, 0x1200)  # vowels and finals that compose with the syllable before them


def locate(quote: str, content: str, *, near: int = 0, within: Span | None = None) -> Span | None:
    """Return the span of `content` that `quote` repeats, or None; see QuoteIndex.locate, which is for many quotes."""
    return QuoteIndex(content).locate(quote, near=near, within=within)


class QuoteIndex:
    """One document, normalised once, to look many quotes up in.

    Building costs time linear in the document, and so does each look-up at worst.
    """

    def __init__(self, content: str) -> None:
        self._content = content
        # Pieces of the content in order: where each starts there and in the folded text, and whether both read the same, so that
        # offsets inside carry over. A piece that reads differently is followed at once by the next one.
        self._starts: list[int] = []
        self._folded_starts: list[int] = []
        self._same: list[bool] = []
        self._folded = self._fold(content)

    def locate(self, quote: str, *, near: int = 0, within: Span | None = None) -> Span | None:
        """Return the span [start, end) of the content, in code points, that `quote` repeats; None where there is none.

        Of several occurrences, one inside `within` comes first, and among equals the one that starts nearest to `near`. Where
        none is inside, the one that starts nearest to the start of `within`. A blank quote occurs nowhere.
        """
        words = unicodedata.normalize("NFC", " ".join(quote.split()))
        if not words:
            return None
        size = len(self._content)
        searches = [(near if within is None else within[0], 0, size)]
        if within:
            low, high = max(0, within[0]), min(size, within[1])
            searches.insert(0, (max(low, min(near, high)), low, high))
        for anchor, low, high in searches:
            found = self._nearest(words, anchor, low, high) or self._nearest_raw(quote.strip(), anchor, low, high)
            if found:
                return found
        return None

    def _nearest(self, words: str, anchor: int, low: int, high: int) -> Span | None:
        middle, first, last = (self._to_folded(position) for position in (anchor, low, high))
        hits = (self._backward(words, middle, first), self._forward(words, middle, last))
        nearest = (next((span for span in spans if low <= span[0] and span[1] <= high), None) for spans in hits)
        return _nearer(anchor, [span for span in nearest if span])

    def _nearest_raw(self, quote: str, anchor: int, low: int, high: int) -> Span | None:
        """For a quote that begins or ends inside a character of several code points."""
        anchor = max(0, anchor)
        starts = (
            _find_last(self._reversed_content, quote, low, min(high, anchor + len(quote))),
            self._content.find(quote, max(low, anchor), high),
        )
        return _nearer(anchor, [(start, start + len(quote)) for start in starts if start >= 0])

    def _forward(self, words: str, start: int, end: int) -> Iterator[Span]:
        """Occurrences from `start` on, up to `end`."""
        at = self._folded.find(words, start, end)
        while at >= 0:
            span = self._to_content(at, at + len(words))
            if span:
                yield span
            at = self._folded.find(words, at + 1, end)

    def _backward(self, words: str, start: int, end: int) -> Iterator[Span]:
        """Occurrences that start before `start`, the last one first, down to `end`."""
        at = start
        while at > end:
            at = _find_last(self._reversed_folded, words, end, at - 1 + len(words))
            span = self._to_content(at, at + len(words)) if at >= 0 else None
            if span:
                yield span

    @cached_property
    def _reversed_content(self) -> str:
        return self._content[::-1]

    @cached_property
    def _reversed_folded(self) -> str:
        return self._folded[::-1]

    def _fold(self, content: str) -> str:
        words = []
        at = 0
        composed = unicodedata.is_normalized("NFC", content)
        for word in _WORD.finditer(content):
            text = word.group()
            folded = text if composed else unicodedata.normalize("NFC", text)
            if folded == text:
                self._add(word.start(), at, same=True)
            else:
                self._add_characters(text, word.start(), at)
                self._add(word.end(), at + len(folded), same=True)
            words.append(folded)
            at += len(folded) + 1
        return " ".join(words)

    def _add(self, start: int, folded_start: int, *, same: bool) -> None:
        self._starts.append(start)
        self._folded_starts.append(folded_start)
        self._same.append(same)

    def _add_characters(self, word: str, start: int, at: int) -> None:
        for first, last in _characters(word):
            character = word[first:last]
            folded = unicodedata.normalize("NFC", character)
            self._add(start + first, at, same=folded == character)
            at += len(folded)

    def _to_content(self, start: int, end: int) -> Span | None:
        """The span of the content behind one of the folded text; None where it would part a character."""
        piece = bisect_right(self._folded_starts, start) - 1
        inside = start - self._folded_starts[piece]
        if inside and not self._same[piece]:
            return None
        first = self._starts[piece] + inside
        piece = bisect_right(self._folded_starts, end - 1) - 1
        if self._same[piece]:
            return first, self._starts[piece] + end - self._folded_starts[piece]
        return (first, self._starts[piece + 1]) if end == self._folded_starts[piece + 1] else None

    def _to_folded(self, position: int) -> int:
        """Where a position of the content lies in the folded text, or where what follows it begins."""
        piece = bisect_right(self._starts, position) - 1
        if piece < 0:
            return 0
        following = self._folded_starts[piece + 1] if piece + 1 < len(self._starts) else len(self._folded)
        if not self._same[piece]:
            return following if position > self._starts[piece] else self._folded_starts[piece]
        return min(self._folded_starts[piece] + position - self._starts[piece], following)


def _find_last(backwards: str, words: str, low: int, high: int) -> int:
    """str.rfind in a text given backwards: find is linear where rfind is quadratic for hostile texts."""
    size = len(backwards)
    at = backwards.find(words[::-1], max(0, size - high), max(0, size - low))
    return size - at - len(words) if at >= 0 else -1


def _nearer(anchor: int, spans: list[Span]) -> Span | None:
    return min(spans, key=lambda span: (abs(span[0] - anchor), span[0]), default=None)


def _characters(word: str) -> Iterator[Span]:
    """The spans that normalise independently of each other: a sign with the marks and the Hangul letters that may compose with it."""
    start = 0
    for at in range(1, len(word)):
        if ord(word[at]) not in _JAMO and unicodedata.category(word[at])[0] != "M":
            yield start, at
            start = at
    yield start, len(word)
