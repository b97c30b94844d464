"""Outline: what each block stands under, and the words that a list item leaves out.

"It includes:" or the heading "Enterprise Plan" before a list make each item a sentence of its own: "Enterprise Plan includes SSO".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from spacy.tokens import Doc, Token

from server.services.extraction.cast import Member
from server.services.extraction.markup import Block, Kind
from server.services.extraction.reading import Piece

_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_DEEDS = frozenset({"VBD", "VBN", "VBG"})
_MONEY = re.compile(r"^(?:US)?[$€£]\s?\d")


@dataclass(frozen=True, slots=True)
class Lead:
    """The clause that a list completes: its subject and the words from its verb on, "is compatible with"."""

    subject: Member
    words: tuple[str, ...]


@dataclass(slots=True)
class Outline:
    """The headings above the current block. `root`: what the document's title names."""

    root: Member | None
    _above: list[tuple[int, Member | None]] = field(default_factory=list)

    def enter(self, block: Block, named: list[Member]) -> None:
        """Go under a heading. It speaks of what it names, if that is one thing; a person's page stays the person's."""
        while self._above and self._above[-1][0] >= block.level:
            self._above.pop()
        topic = named[0] if len(named) == 1 else None
        above = self.topic
        if above is not None and above.type == "person" and topic is not None and topic.type != "person":
            topic = None
        self._above.append((block.level, topic))

    def stand_under(self, level: int, topic: Member | None) -> None:
        """Stand under a heading from before the page, of which only somebody whom the document has named can be the topic."""
        if topic is not None:
            self._above.append((level, topic))

    @property
    def topic(self) -> Member | None:
        """What the current block is about, by the nearest heading that tells."""
        return next((topic for _, topic in reversed(self._above) if topic is not None), self.root)


def lead_of(subject: Member, verb: Token) -> Lead:
    """Return what the items of a list after "<subject> <verb> ...:" complete; the noun before the colon only announces them."""
    words = []
    for token in verb.doc[verb.i : verb.sent.end]:
        if token.pos_ in {"DET", "NOUN", "PROPN", "NUM", "PUNCT", "PRON"} or token.lower_ in {"following", "these"}:
            break
        words.append(token.text)
    return Lead(subject, tuple(words))


def opening(block: Block, doc: Doc, topic: Member | None, lead: Lead | None) -> list[Piece]:
    """Return the words that an elliptic block leaves out at its start: subject, or subject and verb; none where it is a sentence."""
    words = [token for token in doc if not token.is_punct and not token.is_space]
    if not words or block.kind is Kind.HEADING:
        return []
    start = words[0].idx
    first, finite = words[0].tag_, any(token.tag_ in _FINITE for token in words)
    starts_with_deed = first in _DEEDS or (first == "VBZ" and len(words) > 1)
    if block.kind is Kind.ITEM and lead is not None and not finite and first not in {"VB"}:
        stand_in = (
            "It" if lead.words[:1] and lead.words[0].endswith("s") else "They"
        )  # "Google uses" may be read as one noun
        return [_piece(start, stand_in, lead.subject), *(_piece(start, word) for word in lead.words)]
    if topic is None or (words[0].tag_ not in _DEEDS and finite and not starts_with_deed):
        return []
    subject = _piece(start, "John" if topic.type == "person" else "Google", topic)
    if starts_with_deed and not words[0].text.isupper():
        return [subject]
    if block.kind is Kind.ITEM and topic.type == "product" and not finite:
        return [subject, _piece(start, "costs" if _MONEY.match(doc.text) else "includes")]
    return []


def lowered(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with the first word's capital dropped for the parser, since it no longer starts the sentence."""
    first = pieces[0] if pieces else None
    if first is None or first.means is not None or not first.word[1:].islower():
        return pieces
    return [Piece(first.start, first.end, first.word.lower()), *pieces[1:]]


def _piece(start: int, word: str, means: Member | None = None) -> Piece:
    return Piece(start, start, word, means)
