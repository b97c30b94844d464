"""Reading: a block parsed with every name, date and amount folded to one plain word, so that the parser meets only words it knows.

A small model stumbles over "SSO" or "Professional Plus"; it does not over "Google" in their place. Each token keeps its own
characters and what it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from spacy.tokens import Doc, Span, Token

from server.services.extraction import vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.markup import Block
from server.services.extraction.money import Money
from server.services.extraction.periods import Period

_STAND_INS = {"person": "John", "place": "London"}


@dataclass(frozen=True, slots=True)
class Piece:
    """One word of a reading: text[start:end] of the block, the word that the parser sees, and what it stands for."""

    start: int
    end: int
    word: str
    means: Member | Period | Money | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A parsed block. Tokens of `doc` and `pieces` correspond one to one."""

    block: Block
    pieces: tuple[Piece, ...]
    doc: Doc

    def member(self, token: Token) -> Member | None:
        """Return whom the token names."""
        means = self.pieces[token.i].means
        return means if isinstance(means, Member) else None

    def period(self, token: Token) -> Period | None:
        """Return the date that the token is."""
        means = self.pieces[token.i].means
        return means if isinstance(means, Period) else None

    def money(self, token: Token) -> Money | None:
        """Return the amount that the token is."""
        means = self.pieces[token.i].means
        return means if isinstance(means, Money) else None

    def text(self, tokens: Iterable[Token]) -> str:
        """Return the block's words for `tokens`, in order; where tokens are left out, one space stands."""
        words: list[str] = []
        last = None
        for token in sorted(tokens, key=lambda token: token.i):
            piece = self.pieces[token.i]
            gap = (
                self.block.text[self.pieces[last].end : piece.start]
                if last is not None and token.i == last + 1
                else " "
            )
            words += [gap if words else "", self.block.text[piece.start : piece.end]]
            last = token.i
        return "".join(words)

    def place(self, span: Span) -> tuple[int, int]:
        """Return where a sentence stands in the chunk, half-open."""
        return self.block.place(self.pieces[span.start].start, self.pieces[span.end - 1].end)


Meaning = tuple[int, int, Member | Period | Money]
"""Half-open characters of a block and what they stand for."""


def fold(doc: Doc, meanings: Iterable[Meaning]) -> list[Piece]:
    """Return the words of a tagged block with each meaning's characters as one piece; the first of two that overlap wins."""
    spans = sorted(meanings, key=lambda meaning: (meaning[0], -meaning[1]))
    pieces: list[Piece] = []
    position, upcoming = 0, 0
    for token in doc:
        start, end = token.idx, token.idx + len(token.text)
        if start < position:
            continue
        while upcoming < len(spans) and spans[upcoming][0] < start:
            upcoming += 1
        if upcoming < len(spans) and spans[upcoming][0] == start:
            start, end, means = spans[upcoming]
            pieces.append(Piece(start, end, _stand_in(doc.text[start:end], means, pieces), means))
        elif token.text.strip():
            pieces.append(Piece(start, end, token.text))
        position = end
    return pieces


def spaced(pieces: list[Piece]) -> tuple[list[str], list[bool]]:
    """Return the words and whether a space follows each, as the parser takes them."""
    follows = [after.start > before.end for before, after in pairwise(pieces)]
    return [piece.word for piece in pieces], [*follows, False]


def _stand_in(text: str, means: Member | Period | Money, before: list[Piece]) -> str:
    if isinstance(means, Period):
        years = re.findall(r"\d{4}", text)
        return years[-1] if years else "2020"
    if isinstance(means, Money):
        return "349"
    last = text.split()[-1].lower()
    if last in vocabulary.PLAN_NOUNS and before and before[-1].word.islower():
        return last
    return _STAND_INS.get(means.type, "Google")
