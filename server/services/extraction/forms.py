"""Forms: what a block that is no prose says by its place on the page. A form knows its names and states its own claims.

The rules of grammar never see a block that has a form. Which block has which is decided in layout.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from spacy.tokens import Doc

from server.services.extraction import lexicon, vocabulary
from server.services.extraction.cast import Cast, Member
from server.services.extraction.draft import Draft
from server.services.extraction.kinds import Trust
from server.services.extraction.markup import Block
from server.services.extraction.names import Name

Named = Sequence[tuple[Name, Member]]
_CAPITALISED = re.compile(r"[^\W\d_a-zà-öø-ÿ]|\d|[a-z]{1,2}[A-Z]")
_LINK = vocabulary.PARTICLES | vocabulary.wordset("of and the for & + - – at in on und et")


class Form(Protocol):
    """What a block is, other than prose."""

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return the names in the block; None: those that any prose would have."""
        ...

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """Add what the block says, of `topic` or of those it names."""
        ...


@dataclass(frozen=True, slots=True)
class Mute:
    """A block that may name things and claims nothing: a plan, a question, what is not included."""

    nameless: bool = False

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return nothing where the block has only words of the page's own."""
        return [] if self.nameless else None

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """Add nothing."""


@dataclass(frozen=True, slots=True)
class Naming:
    """A block that only names somebody or something, at the given characters: a page's owner, a list of people."""

    found: tuple[tuple[int, str, str], ...]
    """(first character, name, type)"""

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return the names that the form was made with."""
        return [one for start, text, kind in self.found if (one := name_at(doc, start, text, kind)) is not None]

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """Add nothing."""


def name_at(doc: Doc, start: int, text: str, kind: str, trust: Trust = Trust.CUE) -> Name | None:
    """Return doc.text[start:...] as a name of the given type, or of its own where it is a listed one."""
    span = doc.char_span(start, start + len(text), alignment_mode="expand")
    if span is None or not text.strip():
        return None
    listed = vocabulary.listed().get(text)
    if listed and trust < Trust.STATED:
        kind, trust = listed, Trust.LIST
    return Name(span.start, span.end, start, start + len(text), text, kind, trust)


def is_capitalised(text: str) -> bool:
    """Tell whether all words but the small ones start with a capital or a figure."""
    words = text.split()
    return bool(words) and all(_CAPITALISED.match(word.lstrip("(\"'“")) or word.lower() in _LINK for word in words)


def looks_like_person(text: str, *, full: bool = True) -> bool:
    """Tell whether a text, where a person is expected, is a person's name: capitalised words, no institution, no role.

    `full`: at least two words; a single one must be no common word unless it is a given name.
    """
    words = [word for word in re.split(r"[\s]+", text) if word]
    if not 1 <= len(words) <= 5 or not re.fullmatch(r"[^\W\d_][\w.'’ -]*", text) or re.search(r"[\d_]", text):
        return False
    small = [word for word in words if word.lower() in vocabulary.PARTICLES]
    rest = [word for word in words if word not in small]
    if not rest or not all(word[0].isupper() for word in rest) or text in vocabulary.listed():
        return False
    nameless = vocabulary.ORGANIZATION_HEADS | vocabulary.words("roles") | vocabulary.words("not_names")
    if any(word.lower().strip(".") in nameless for word in rest):
        return False
    given = rest[0].title() in vocabulary.given_names()
    if len(rest) == 1:
        return not full and (given or not lexicon.is_common(rest[0]))
    return given or not lexicon.is_plain(" ".join(rest))
