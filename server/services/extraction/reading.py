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

from server.services.extraction import predicates, vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.markup import Block
from server.services.extraction.money import Money
from server.services.extraction.periods import Period
from server.services.extraction.syntax import PERSON, PLACE, THING

_KINDS = vocabulary.wordset(
    "architecture framework protocol algorithm platform standard language database company corporation city group team organization "
    "organisation project initiative library browser toolkit engine newspaper magazine website app application program programme "
    "movement foundation network"
)
_AREAS = vocabulary.wordset(
    "province state county district region island municipality prefecture city town village area neighborhood neighbourhood"
)
_MOST_NOUNS = 3
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_ENDS = frozenset({".", "!", "?"})
_STAND_INS = {"person": PERSON, "place": PLACE}


@dataclass(frozen=True, slots=True)
class Piece:
    """One word of a reading: text[start:end] of the block, the word that the parser sees, and what it stands for."""

    start: int
    end: int
    word: str
    means: Member | Period | Money | None = None

    @property
    def implied(self) -> bool:
        """Whether the text leaves the word out."""
        return self.start == self.end


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
        last: int | None = None
        for token in sorted(tokens, key=lambda token: token.i):
            piece = self.pieces[token.i]
            adjacent = last == token.i - 1 and not piece.implied and not self.pieces[last].implied
            gap = self.block.text[self.pieces[last].end : piece.start] if adjacent and last is not None else " "
            words += [gap if words else "", piece.word if piece.implied else self.block.text[piece.start : piece.end]]
            last = token.i
        return "".join(words)

    def place(self, span: Span) -> tuple[int, int]:
        """Return where a sentence stands in the chunk, half-open."""
        return self.block.place(self.pieces[span.start].start, self.pieces[span.end - 1].end)


Meaning = tuple[int, int, Member | Period | Money]
"""Half-open characters of a block and what they stand for."""


def fold(doc: Doc, meanings: Iterable[Meaning], asides: Iterable[tuple[int, int]] = ()) -> list[Piece]:
    """Return the words of a tagged block with each meaning's characters as one piece; the first of two that overlap wins.

    Words inside `asides` are left out, so the pieces may leap over characters.
    """
    left_out, text = list(asides), doc.text
    spans = sorted(meanings, key=lambda meaning: (meaning[0], -meaning[1]))
    pieces: list[Piece] = []
    position, upcoming = 0, 0
    for token in doc:
        start, end = token.idx, token.idx + len(token.text)
        if start < position or _is_in(token, left_out):
            continue
        while upcoming < len(spans) and spans[upcoming][0] < start:
            upcoming += 1
        if upcoming < len(spans) and spans[upcoming][0] == start:
            start, end, means = spans[upcoming]
            end = _with_kind(token, end, means)
            word = _stand_in(text[start:end], means, pieces)
            if isinstance(means, Member) and _acts(token, end, left_out):
                if _is_article(pieces):
                    pieces.pop()
                word = "It" if not pieces or pieces[-1].word in _ENDS else word
            pieces.append(Piece(start, end, word, means))
        elif token.lower_ in {"co", "re"} and (verb := _prefixed(token)) is not None:
            end = verb.idx + len(verb.text)
            pieces.append(Piece(start, end, f"co-{verb.text}" if verb.tag_ == "NN" else verb.text))
        elif token.text.strip():
            pieces.append(Piece(start, end, token.text))
        position = end
    return pieces


def _prefixed(token: Token) -> Token | None:
    """Return the verb or the role after "co-" or "re-": the parser knows "founded" and "chair", not "co-founded" and "co-chair"."""
    after = token.doc[token.i + 1 : token.i + 3]
    bound = len(after) == 2 and after[0].text == "-" and not token.whitespace_ and not after[0].whitespace_
    if not bound:
        return None
    known = after[1].lower_.removesuffix("s") in vocabulary.words("roles") and token.lower_ == "co"
    return after[1] if known or after[1].tag_.startswith("VB") else None


def _acts(first: Token, end: int, left_out: list[tuple[int, int]]) -> bool:
    """Tell whether a verb that could be a plural ("limits", "launches") follows: a pronoun before it leaves the parser no choice."""
    after = next(
        (token for token in first.doc[first.i + 1 : first.i + 20] if token.idx >= end and not _is_in(token, left_out)),
        None,
    )
    if after is None or not after.text.endswith("s"):
        return False
    return after.text in predicates.present_forms() or (
        after.text in predicates.likely_forms() and not _has_finite(after)
    )


def _has_finite(word: Token) -> bool:
    """Tell whether the rest of the sentence has a finite verb."""
    for token in word.doc[word.i + 1 :]:
        if token.text in _ENDS or (
            token.tag_ == "CC" and token.i + 1 < len(token.doc) and token.nbor(1).tag_ in _FINITE
        ):
            return False
        if token.tag_ in _FINITE:
            return True
    return False


def _is_in(token: Token, spans: list[tuple[int, int]]) -> bool:
    return any(first <= token.idx < last for first, last in spans)


def _is_article(pieces: list[Piece]) -> bool:
    """Tell whether all that the sentence has so far is an article."""
    return bool(pieces) and pieces[-1].word in {"The", "A", "Our"} and (len(pieces) == 1 or pieces[-2].word in _ENDS)


def _with_kind(first: Token, end: int, means: object) -> int:
    """Return where a name with the noun that says its kind ends: "the Transformer architecture" is one thing, named once."""
    if not isinstance(means, Member) or first.i == 0:
        return end
    if means.type == "place":
        area = next((token for token in first.doc[first.i + 1 : first.i + 10] if token.idx >= end), None)
        return area.idx + len(area.text) if area is not None and area.text in _AREAS else end
    if first.nbor(-1).lower_ != "the":
        return end
    rest = [token for token in first.doc[first.i + 1 : first.i + 10] if token.idx >= end][:4]
    nouns = 0
    while nouns < len(rest) and (rest[nouns].tag_ in {"NN", "VBG"} or rest[nouns].text in _KINDS):
        nouns += 1
    last = rest[nouns - 1] if 0 < nouns <= _MOST_NOUNS else None
    return last.idx + len(last.text) if last is not None and last.text in _KINDS else end


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
    return _STAND_INS.get(means.type, THING)
